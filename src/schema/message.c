#include "schema/message.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

static const char ellipsis[] = "…";

size_t jsv_message_print(char *out, size_t capacity, const char *format, va_list arguments)
{
    int printed = vsnprintf(out, capacity, format, arguments);
    if (printed < 0) {
        return 0;
    }
    if ((size_t)printed < capacity) {
        return (size_t)printed;
    }
    struct jsv_str kept = {out, capacity - sizeof(ellipsis)};
    kept.size = jsv_utf8_valid_prefix(kept);
    memcpy(out + kept.size, ellipsis, sizeof(ellipsis) - 1);
    return kept.size + sizeof(ellipsis) - 1;
}
