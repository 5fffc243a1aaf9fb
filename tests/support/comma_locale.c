#define _GNU_SOURCE 1 /* nftw */

#include "comma_locale.h"

#include <ftw.h>
#include <locale.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool enter(const char *name)
{
    return setlocale(LC_ALL, name) && strcmp(localeconv()->decimal_point, ",") == 0;
}

static bool enter_installed(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "pt_BR.UTF-8", "ru_RU.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (enter(names[i])) {
            return true;
        }
    }
    return false;
}

/* localedef compiles a locale from sources that are often there when the locale is not. */
static bool compile_locale(char *path)
{
    char program[] = "localedef";
    char arguments[][12] = {"--quiet", "-i", "de_DE", "-f", "UTF-8"};
    char *argv[] = {
        program, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], path, NULL};
    pid_t pid;
    int status;
    return posix_spawnp(&pid, program, NULL, NULL, argv, environ) == 0 &&
           waitpid(pid, &status, 0) == pid && status == 0;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)type;
    (void)walk;
    return remove(path);
}

bool comma_locale_enter(void)
{
    if (enter_installed()) {
        return true;
    }
    char directory[] = "/tmp/comma-locale-XXXXXX";
    if (!mkdtemp(directory)) {
        return false;
    }
    char path[sizeof directory + 16];
    snprintf(path, sizeof path, "%s/comma.UTF-8", directory);
    setenv("LOCPATH", directory, 1);
    bool entered = compile_locale(path) && enter("comma.UTF-8");
    unsetenv("LOCPATH");
    /* A locale that has been entered stays mapped. */
    nftw(directory, remove_entry, 4, FTW_DEPTH | FTW_PHYS);
    return entered;
}

void comma_locale_leave(void)
{
    setlocale(LC_ALL, "C");
}
