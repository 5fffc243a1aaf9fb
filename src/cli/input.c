#include "cli/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/report.h"
#include "os/file.h"
#include "os/sys.h"

static bool is_stdin(const char *path)
{
    return strcmp(path, "-") == 0;
}

const char *app_input_name(const char *path)
{
    return is_stdin(path) ? "<stdin>" : path;
}

int app_input_open(struct app_cli *cli, const char *path)
{
    if (is_stdin(path)) {
        return cli->in_fd;
    }
    int fd = os_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        app_report_errno(cli, path, fd);
    }
    return fd;
}

void app_input_report(const struct app_cli *cli, const char *path, int error)
{
    if (error == -EFBIG) {
        app_report_about(cli, app_input_name(path), "larger than the limit of 1 GiB");
    } else {
        app_report_errno(cli, app_input_name(path), error);
    }
}

int app_input_read(struct app_cli *cli, const char *path, struct jsv_buf *out)
{
    int fd = app_input_open(cli, path);
    if (fd < 0) {
        return fd;
    }
    int r = os_file_read(fd, out);
    os_close(fd);
    if (r < 0) {
        app_input_report(cli, path, r);
    }
    return r;
}
