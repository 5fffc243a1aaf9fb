#include <string.h>
#include <unistd.h>

#include "app/cli.h"
#include "os/digest.h"
#include "os/sys.h"

/* On a terminal, unless the user said no (https://no-color.org) or the terminal cannot. */
static bool wants_colour(int fd)
{
    const char *no_color = os_getenv("NO_COLOR");
    const char *term = os_getenv("TERM");
    bool refused = no_color && no_color[0] != '\0';
    bool able = term && strcmp(term, "dumb") != 0;
    return !refused && able && os_isatty(fd);
}

int main(int argc, char **argv)
{
    /* If the first fails, OpenSSL allocates by itself; the second cannot, the signal exists. */
    (void)os_digest_setup();
    (void)os_ignore_sigpipe();
    struct app_cli cli = {
        .in_fd = STDIN_FILENO,
        .out_fd = STDOUT_FILENO,
        .err_fd = STDERR_FILENO,
        .colour = wants_colour(STDERR_FILENO),
    };
    return (int)app_cli_run(&cli, argc, argv);
}
