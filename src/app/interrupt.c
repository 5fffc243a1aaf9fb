#include "app/interrupt.h"

#include <errno.h>

#include "cli/report.h"
#include "os/interrupt.h"

int app_interrupt_begin(const struct app_cli *cli)
{
    int r = os_interrupt_watch();
    if (r < 0) {
        app_report_errno(cli, "cannot watch for signals", r);
    }
    return r;
}

enum app_exit app_interrupt_end(int r)
{
    if (r == -EINTR) {
        return APP_EXIT_INTERRUPTED;
    }
    os_interrupt_unwatch();
    return r < 0 ? APP_EXIT_TROUBLE : APP_EXIT_OK;
}
