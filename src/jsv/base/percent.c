#include "jsv/base/percent.h"

#include <string.h>

#include "jsv/base/ascii.h"

static bool is_plain(char c, const char *keep)
{
    return jsv_is_alnum(c) || (c != '\0' && (strchr("-._~", c) || strchr(keep, c)));
}

void jsv_percent_append(struct jsv_buf *out, struct jsv_str text, const char *keep)
{
    for (size_t i = 0; i < text.size; i++) {
        if (is_plain(text.data[i], keep)) {
            jsv_buf_append_byte(out, text.data[i]);
        } else {
            char escape[3];
            jsv_percent_spell((unsigned char)text.data[i], escape);
            jsv_buf_append(out, escape, sizeof(escape));
        }
    }
}

size_t jsv_percent_byte(struct jsv_str text, char *ret_byte)
{
    if (text.data[0] != '%') {
        *ret_byte = text.data[0];
        return 1;
    }
    if (text.size < 3) {
        return 0;
    }
    int high = jsv_hex_value(text.data[1]);
    int low = jsv_hex_value(text.data[2]);
    if (high < 0 || low < 0) {
        return 0;
    }
    *ret_byte = (char)(high << 4 | low);
    return 3;
}
