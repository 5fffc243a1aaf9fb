#include "jsv/schema/report/message.h"

#include <stdio.h>
#include <string.h>

#include "jsv/base/utf8.h"

static const char ellipsis[] = "…";

/* Of a value that stands in a message. */
#define VALUE_MAX 80

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

struct jsv_str jsv_message_value(struct jsv_str text)
{
    size_t size = text.size <= VALUE_MAX
                      ? text.size
                      : jsv_utf8_valid_prefix((struct jsv_str){text.data, VALUE_MAX});
    return (struct jsv_str){text.data, size};
}
