#include "cli/output.h"

#include <errno.h>

#include "cli/cli.h"
#include "cli/report.h"
#include "os/sys.h"

static int written(struct app_cli *cli, int r)
{
    if (r < 0) {
        app_report_errno(cli, "cannot write to standard output", r);
    }
    return r;
}

int app_output_write(struct app_cli *cli, struct jsv_str text)
{
    return written(cli, os_write_all(cli->out_fd, text.data, text.size));
}

int app_output_failed(struct app_cli *cli, int error)
{
    if (error == -ENOBUFS) {
        app_report(cli, "the result is larger than the limit of 3 GiB");
    } else {
        app_report_errno(cli, "cannot compute the result", error);
    }
    return error;
}

int app_output_buf(struct app_cli *cli, const struct jsv_buf *text)
{
    if (text->error != 0) {
        return app_output_failed(cli, text->error);
    }
    return app_output_write(cli, jsv_buf_str(text));
}

int app_output_close(struct app_cli *cli)
{
    return written(cli, os_close(cli->out_fd));
}
