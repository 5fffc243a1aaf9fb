#include "log/trace.h"

#include <string.h>

#include "jsv/base/ascii.h"

/* Places in "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01". */
enum {
    VERSION_SIZE = 2,
    TRACE_AT = 3,
    TRACE_SIZE = 32,
    SPAN_AT = 36,
    SPAN_SIZE = 16,
    FLAGS_AT = 53,
    FLAGS_SIZE = 2,
    WHOLE_SIZE = 55,
};

static bool is_lower_hex(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (jsv_hex_value(text[i]) < 0 || jsv_to_lower(text[i]) != text[i]) {
            return false;
        }
    }
    return true;
}

static bool is_all_zero(const char *text, size_t size)
{
    while (size > 0 && text[size - 1] == '0') {
        size--;
    }
    return size == 0;
}

static bool has_valid_end(struct jsv_str text)
{
    bool is_first_version = memcmp(text.data, "00", VERSION_SIZE) == 0;
    return text.size == WHOLE_SIZE || (!is_first_version && text.data[WHOLE_SIZE] == '-');
}

bool log_trace_read(struct jsv_str text, struct log_trace *ret_trace)
{
    if (text.size < WHOLE_SIZE) {
        return false;
    }
    const char *at = text.data;
    bool has_form = at[TRACE_AT - 1] == '-' && at[SPAN_AT - 1] == '-' && at[FLAGS_AT - 1] == '-' &&
                    is_lower_hex(at, VERSION_SIZE) && is_lower_hex(at + TRACE_AT, TRACE_SIZE) &&
                    is_lower_hex(at + SPAN_AT, SPAN_SIZE) &&
                    is_lower_hex(at + FLAGS_AT, FLAGS_SIZE) && has_valid_end(text);
    if (!has_form || memcmp(at, "ff", VERSION_SIZE) == 0 ||
        is_all_zero(at + TRACE_AT, TRACE_SIZE) || is_all_zero(at + SPAN_AT, SPAN_SIZE)) {
        return false;
    }
    ret_trace->trace_id = (struct jsv_str){at + TRACE_AT, TRACE_SIZE};
    ret_trace->span_id = (struct jsv_str){at + SPAN_AT, SPAN_SIZE};
    return true;
}

/* The format is up to vendors; only length and characters are checked. */
static bool is_state(struct jsv_str text)
{
    bool is_good = text.size > 0 && text.size <= LOG_TRACE_STATE_MAX;
    for (size_t i = 0; is_good && i < text.size; i++) {
        is_good = text.data[i] >= ' ' && text.data[i] <= '~';
    }
    return is_good;
}

/* A later version may have more text behind the flags, which is passed on if printable. */
static bool is_parent(struct jsv_str text)
{
    struct log_trace trace;
    return text.size <= LOG_TRACE_PARENT_MAX && is_state(text) && log_trace_read(text, &trace);
}

struct log_trace_context log_trace_context_of(struct jsv_str parent, struct jsv_str state)
{
    const struct jsv_str none = {NULL, 0};
    bool is_traced = is_parent(parent);
    return (struct log_trace_context){
        .parent = is_traced ? parent : none,
        .state = is_traced && is_state(state) ? state : none,
    };
}
