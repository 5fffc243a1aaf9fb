#define _GNU_SOURCE /* environ */
#include "app/confine.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "catalog/catalog.h"
#include "jsv/base/alloc.h"
#include "log/text.h"
#include "os/sys.h"

struct secret {
    const char *option; /* NULL: in the row before */
    const char *variable;
    bool only_with_user; /* a URL is secret only if it may hold a password */
};

static const struct secret secrets[] = {
    {"--token", "MCPGATE_TOKEN", false},
    {"--backend-url", "SYN_BACKEND_URL", true},
    {NULL, "MCPGATE_BACKEND_URL", true},
};

#define SECRET_COUNT (sizeof(secrets) / sizeof(secrets[0]))

/* @param at Where the value begins. */
static int hide_value(const struct secret *secret, char **word, size_t at)
{
    if (secret->only_with_user && !strchr(*word + at, '@')) {
        return 0;
    }
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

/* "--option=value", or "--option" and the next word. */
static int hide_option(const struct secret *secret, char **words, int count)
{
    size_t size = secret->option ? strlen(secret->option) : 0;
    if (size == 0 || strncmp(words[0], secret->option, size) != 0) {
        return 0;
    }
    bool is_joined = words[0][size] == '=';
    if (!is_joined && (words[0][size] != '\0' || count < 2)) {
        return 0;
    }
    char **word = is_joined ? words : words + 1;
    return hide_value(secret, word, is_joined ? size + 1 : 0);
}

/* Offset of the value in "NAME=value"; 0 for another variable. */
static size_t value_of(const struct secret *secret, const char *entry)
{
    size_t size = strlen(secret->variable);
    return strncmp(entry, secret->variable, size) == 0 && entry[size] == '=' ? size + 1 : 0;
}

int app_hide_secrets(int argc, char **argv, char **environment)
{
    int r = 0;
    for (size_t s = 0; r == 0 && s < SECRET_COUNT; s++) {
        for (int i = 1; r == 0 && i < argc; i++) {
            r = hide_option(&secrets[s], argv + i, argc - i);
        }
        for (char **entry = environment; r == 0 && *entry; entry++) {
            size_t at = value_of(&secrets[s], *entry);
            r = at > 0 ? hide_value(&secrets[s], entry, at) : 0;
        }
    }
    return r;
}

void app_forget_secrets(char **environment)
{
    char **kept = environment;
    for (char **entry = environment; *entry; entry++) {
        bool is_secret = false;
        for (size_t s = 0; s < SECRET_COUNT; s++) {
            is_secret = is_secret || value_of(&secrets[s], *entry) > 0;
        }
        if (!is_secret) {
            *kept++ = *entry;
        }
    }
    *kept = NULL;
}

/* ---- privileges ---- */

/* Not fatal, but the operator should know. */
static void warn(const char *what, int error)
{
    if (error < 0) {
        const struct log_field fields[] = {
            {"reason", JSV_STR("not_confined")},
            {"detail", jsv_str_from(what)},
            {"error", jsv_str_from(strerror(-error))},
        };
        log_text("warning", fields, sizeof(fields) / sizeof(fields[0]));
    }
}

void app_confine_secrets(void)
{
    warn("cannot forbid core dumps and reading in /proc", os_forbid_dumps());
    app_forget_secrets(environ);
}

/* The first tool that needs to gain privileges, or NULL. */
static const struct catalog_tool *find_privileged(const struct catalog *catalog)
{
    for (size_t i = 0; i < catalog_tool_count(catalog); i++) {
        const struct catalog_tool *tool = catalog_tool_at(catalog, i);
        if (jsv_value_bool(jsv_value_get(tool->value, JSV_STR("new_privileges")))) {
            return tool;
        }
    }
    return NULL;
}

bool app_confine_privileges(const struct catalog *catalog)
{
    if (find_privileged(catalog)) {
        return false;
    }
    int r = os_forbid_new_privileges();
    warn("cannot give up gaining privileges", r);
    return r == 0;
}

void app_confine_check(const struct catalog *catalog)
{
    const struct catalog_tool *tool = find_privileged(catalog);
    if (tool) {
        const struct log_field fields[] = {
            {"reason", JSV_STR("restart_needed")},
            {"tool", tool->name},
            {"detail", JSV_STR("\"new_privileges\" takes effect when the server is restarted")},
        };
        log_text("warning", fields, sizeof(fields) / sizeof(fields[0]));
    }
}
