#include "app/hide.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "os/sys.h"

struct secret {
    const char *option;
    bool only_with_user; /* an address is one only if a password may be in it */
};

static const struct secret secrets[] = {
    {"--token", false},
    {"--backend-url", true},
};

/* Copies live as long as the program, as the words themselves do. */
static int hide_value(char **word, size_t at)
{
    size_t size = strlen(*word) + 1;
    char *copy = jsv_alloc(os_allocator(), size);
    if (!copy) {
        return -ENOMEM;
    }
    memcpy(copy, *word, size);
    memset(*word + at, '*', size - 1 - at);
    *word = copy;
    return 0;
}

/* "--option=value", or "--option" and the word behind it. */
static int hide_secret(const struct secret *secret, char **words, int count)
{
    size_t size = strlen(secret->option);
    if (strncmp(words[0], secret->option, size) != 0) {
        return 0;
    }
    bool is_joined = words[0][size] == '=';
    if (!is_joined && (words[0][size] != '\0' || count < 2)) {
        return 0;
    }
    char **word = is_joined ? words : words + 1;
    size_t at = is_joined ? size + 1 : 0;
    return secret->only_with_user && !strchr(*word + at, '@') ? 0 : hide_value(word, at);
}

int app_hide_secrets(int argc, char **argv)
{
    int r = 0;
    for (int i = 1; r == 0 && i < argc; i++) {
        for (size_t s = 0; r == 0 && s < sizeof(secrets) / sizeof(secrets[0]); s++) {
            r = hide_secret(&secrets[s], argv + i, argc - i);
        }
    }
    return r;
}
