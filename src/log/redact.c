#define _GNU_SOURCE /* memmem() */
#include "log/redact.h"

#include <string.h>

#include "jsv/base/ascii.h"

struct redaction {
    const struct log_secrets *secrets;
    struct jsv_writer writer;
};

bool log_holds_token(struct jsv_str text, const struct log_secrets *secrets)
{
    struct jsv_str token = secrets->token;
    return token.size > 0 && text.size >= token.size &&
           memmem(text.data, text.size, token.data, token.size);
}

static bool equal_ignoring_case(struct jsv_str a, struct jsv_str b)
{
    bool equal = a.size == b.size;
    for (size_t i = 0; equal && i < a.size; i++) {
        equal = jsv_to_lower(a.data[i]) == jsv_to_lower(b.data[i]);
    }
    return equal;
}

static bool is_secret_name(struct jsv_str name, const struct log_secrets *secrets)
{
    for (size_t i = 0; i < secrets->name_count; i++) {
        if (equal_ignoring_case(name, secrets->names[i])) {
            return true;
        }
    }
    return false;
}

static void write_redacted(struct redaction *redaction)
{
    jsv_write_span(&redaction->writer, JSV_STR(LOG_REDACTED));
}

static void write_value(struct redaction *redaction, struct jsv_value value, unsigned depth);

static void write_name(struct redaction *redaction, struct jsv_str name)
{
    bool is_secret = log_holds_token(name, redaction->secrets);
    jsv_write_key(&redaction->writer, is_secret ? JSV_STR("[redacted]") : name);
}

static void write_object(struct redaction *redaction, struct jsv_value object, unsigned depth)
{
    jsv_write_object_begin(&redaction->writer);
    struct jsv_iter iter = jsv_value_iter(object);
    while (jsv_iter_next(&iter)) {
        struct jsv_str name = jsv_value_text(iter.key);
        write_name(redaction, name);
        if (is_secret_name(name, redaction->secrets)) {
            write_redacted(redaction);
        } else {
            write_value(redaction, iter.value, depth);
        }
    }
    jsv_write_object_end(&redaction->writer);
}

static void write_array(struct redaction *redaction, struct jsv_value array, unsigned depth)
{
    jsv_write_array_begin(&redaction->writer);
    struct jsv_iter iter = jsv_value_iter(array);
    while (jsv_iter_next(&iter)) {
        write_value(redaction, iter.value, depth);
    }
    jsv_write_array_end(&redaction->writer);
}

static bool is_too_deep(struct jsv_value value, unsigned depth)
{
    enum jsv_type type = jsv_value_type(value);
    return depth == 0 && (type == JSV_TYPE_OBJECT || type == JSV_TYPE_ARRAY);
}

/* Recurses as deep as depth says. */
static void write_value(struct redaction *redaction, struct jsv_value value, unsigned depth)
{
    enum jsv_type type = jsv_value_type(value);
    bool is_leaf = type != JSV_TYPE_OBJECT && type != JSV_TYPE_ARRAY;
    if (is_too_deep(value, depth) ||
        (is_leaf && (log_holds_token(jsv_value_text(value), redaction->secrets) ||
                     log_holds_token(jsv_value_span(value), redaction->secrets)))) {
        write_redacted(redaction);
    } else if (type == JSV_TYPE_OBJECT) {
        write_object(redaction, value, depth - 1);
    } else if (type == JSV_TYPE_ARRAY) {
        write_array(redaction, value, depth - 1);
    } else {
        jsv_write_value(&redaction->writer, value);
    }
}

void log_redact_write(
    struct jsv_value value, const struct log_secrets *secrets, struct jsv_buf *out)
{
    struct redaction redaction = {.secrets = secrets, .writer = jsv_writer_on(out)};
    write_value(&redaction, value, LOG_REDACT_DEPTH_MAX);
}
