#define _GNU_SOURCE /* environ */
#include <string.h>
#include <unistd.h>

#include "app/confine.h"
#include "cli/cli.h"
#include "os/digest.h"
#include "os/interrupt.h"
#include "os/sys.h"

/* A terminal that understands control sequences. */
static bool is_capable_terminal(int fd)
{
    const char *term = os_getenv("TERM");
    return term && strcmp(term, "dumb") != 0 && os_isatty(fd);
}

/* See https://no-color.org. */
static bool wants_colour(int fd)
{
    const char *no_color = os_getenv("NO_COLOR");
    bool is_off = no_color && no_color[0] != '\0';
    return !is_off && is_capable_terminal(fd);
}

int main(int argc, char **argv)
{
    (void)os_open_standard_files(); /* without /dev/null they stay closed */
    (void)os_digest_setup();        /* on failure OpenSSL uses its own allocator */
    (void)os_ignore_sigpipe();
    (void)app_hide_secrets(argc, argv, environ); /* fails only without memory */
    struct cli cli = {
        .in_fd = STDIN_FILENO,
        .out_fd = STDOUT_FILENO,
        .err_fd = STDERR_FILENO,
        .colour = wants_colour(STDERR_FILENO),
        .out_colour = wants_colour(STDOUT_FILENO),
        .progress = is_capable_terminal(STDERR_FILENO),
    };
    enum app_exit status = cli_run(&cli, argc, argv);
    return status == APP_EXIT_INTERRUPTED ? os_interrupt_die() : (int)status;
}
