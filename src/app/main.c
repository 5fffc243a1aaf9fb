#define _GNU_SOURCE /* environ */
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/hide.h"
#include "os/digest.h"
#include "os/interrupt.h"
#include "os/sys.h"

/* A terminal that understands control sequences. */
static bool is_able_terminal(int fd)
{
    const char *term = os_getenv("TERM");
    return term && strcmp(term, "dumb") != 0 && os_isatty(fd);
}

/* Unless the user said no (https://no-color.org). */
static bool wants_colour(int fd)
{
    const char *no_color = os_getenv("NO_COLOR");
    bool refused = no_color && no_color[0] != '\0';
    return !refused && is_able_terminal(fd);
}

int main(int argc, char **argv)
{
    (void)os_open_standard_files(); /* fails without /dev/null: then they stay closed */
    /* If the first fails, OpenSSL allocates by itself; the second cannot, the signal exists. */
    (void)os_digest_setup();
    (void)os_ignore_sigpipe();
    (void)app_hide_secrets(argc, argv, environ); /* without memory little else will work */
    struct app_cli cli = {
        .in_fd = STDIN_FILENO,
        .out_fd = STDOUT_FILENO,
        .err_fd = STDERR_FILENO,
        .colour = wants_colour(STDERR_FILENO),
        .out_colour = wants_colour(STDOUT_FILENO),
        .progress = is_able_terminal(STDERR_FILENO),
    };
    enum app_exit status = app_cli_run(&cli, argc, argv);
    return status == APP_EXIT_INTERRUPTED ? os_interrupt_die() : (int)status;
}
