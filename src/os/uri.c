#include "os/uri.h"

#include <limits.h>

#include "jsv/base/percent.h"
#include "os/sys.h"

int os_uri_append_file(struct jsv_buf *out, const char *path)
{
    char directory[PATH_MAX] = "";
    jsv_buf_append_str(out, JSV_STR("file://"));
    if (path[0] != '/') {
        if (os_getcwd(directory, sizeof(directory)) == 0) {
            jsv_percent_append(out, jsv_str_from(directory), JSV_PERCENT_PATH);
        }
        jsv_buf_append_byte(out, '/');
    }
    jsv_percent_append(out, jsv_str_from(path), JSV_PERCENT_PATH);
    return out->error;
}
