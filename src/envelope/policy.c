#include "envelope/policy.h"

#include "jsv/base/utf8.h"

static const struct envelope_issue not_utf8 = {
    .code = JSV_STR("ADAPTER.OUTPUT.NOT_UTF8"),
    .message = JSV_STR("Tool output is not UTF-8; bytes that do not fit were replaced by U+FFFD."),
};

/* ---- recognising ---- */

static bool has_version(struct jsv_value object, struct jsv_str version)
{
    struct jsv_value member = jsv_value_get(object, JSV_STR("schema_version"));
    return jsv_value_type(member) == JSV_TYPE_STRING &&
           jsv_str_equal(jsv_value_text(member), version);
}

bool envelope_is(struct jsv_value value)
{
    return has_version(value, JSV_STR(ENVELOPE_VERSION));
}

bool envelope_is_request(struct jsv_value message)
{
    return has_version(message, JSV_STR(ENVELOPE_REQUEST_VERSION)) &&
           jsv_value_type(jsv_value_get(message, JSV_STR("jsonrpc"))) == JSV_TYPE_NONE;
}

static bool has_text(struct jsv_value object, struct jsv_str name)
{
    return jsv_value_text(jsv_value_get(object, name)).size > 0;
}

/* Whether an envelope has errors, each with code and message. */
static bool has_errors(struct jsv_value envelope)
{
    struct jsv_value errors = jsv_value_get(envelope, JSV_STR("errors"));
    bool has = jsv_value_type(errors) == JSV_TYPE_ARRAY && jsv_value_count(errors) > 0;
    struct jsv_iter iter = jsv_value_iter(errors);
    while (has && jsv_iter_next(&iter)) {
        has = has_text(iter.value, JSV_STR("code")) && has_text(iter.value, JSV_STR("message"));
    }
    return has;
}

bool envelope_passes_through(const struct envelope_answer *answer)
{
    struct jsv_value value = answer->result.value;
    return answer->result.kind == ENVELOPE_RESULT_JSON && envelope_is(value) &&
           (answer->errors.count == 0 || has_errors(value));
}

/* ---- results ---- */

struct envelope_result envelope_result_json(struct jsv_value value)
{
    return (struct envelope_result){
        .kind = ENVELOPE_RESULT_JSON,
        .bytes = jsv_value_span(value),
        .value = value,
    };
}

struct envelope_result envelope_result_written(struct jsv_str json)
{
    return (struct envelope_result){.kind = ENVELOPE_RESULT_JSON, .bytes = json};
}

struct envelope_result envelope_result_text(struct jsv_str text)
{
    return (struct envelope_result){.kind = ENVELOPE_RESULT_TEXT, .bytes = text};
}

/* Line breaks in strings are escaped, so literal ones are between tokens. */
int envelope_write_line(struct jsv_str json, struct jsv_buf *out)
{
    size_t start = 0;
    for (size_t i = 0; i < json.size; i++) {
        if (json.data[i] == '\n' || json.data[i] == '\r') {
            jsv_buf_append(out, json.data + start, i - start);
            start = i + 1;
        }
    }
    return jsv_buf_append(out, json.data + start, json.size - start);
}

static bool is_utf8(struct jsv_str text)
{
    return jsv_utf8_valid_prefix(text) == text.size;
}

static int write_text(struct jsv_str text, struct jsv_buf *out)
{
    struct jsv_writer writer = jsv_writer_on(out);
    if (is_utf8(text)) {
        jsv_write_string(&writer, text);
        return out->error;
    }
    struct jsv_buf repaired;
    jsv_buf_init(&repaired, &out->allocator, out->size_max);
    if (jsv_utf8_append_repaired(&repaired, text) == 0) {
        jsv_write_string(&writer, jsv_buf_str(&repaired));
    } else if (out->error == 0) {
        out->error = repaired.error;
    }
    jsv_buf_done(&repaired);
    return out->error;
}

int envelope_write_result(const struct envelope_result *result, struct jsv_buf *out)
{
    switch (result->kind) {
    case ENVELOPE_RESULT_JSON:
        return envelope_write_line(result->bytes, out);
    case ENVELOPE_RESULT_TEXT:
        return write_text(result->bytes, out);
    case ENVELOPE_RESULT_NONE:
        break;
    }
    return jsv_buf_append_str(out, JSV_STR("null"));
}

int envelope_write_without(struct jsv_value object, struct jsv_str name, struct jsv_buf *out)
{
    struct jsv_writer writer = jsv_writer_on(out);
    struct jsv_iter iter = jsv_value_iter(object);
    jsv_write_object_begin(&writer);
    while (jsv_iter_next(&iter)) {
        if (!jsv_str_equal(jsv_value_text(iter.key), name)) {
            jsv_write_member_value(&writer, jsv_value_text(iter.key), iter.value);
        }
    }
    jsv_write_object_end(&writer);
    return out->error;
}

/* ---- envelopes ---- */

/* The innermost result: an envelope must not contain another. */
struct envelope_result envelope_payload(const struct envelope_answer *answer)
{
    struct jsv_value value = answer->result.value;
    if (answer->result.kind != ENVELOPE_RESULT_JSON || !envelope_is(value)) {
        return answer->result;
    }
    while (envelope_is(value)) {
        value = jsv_value_get(value, JSV_STR("result"));
    }
    if (jsv_value_type(value) == JSV_TYPE_NONE) {
        return (struct envelope_result){0};
    }
    return envelope_result_json(value);
}

static void write_warnings(const struct envelope_answer *answer, struct jsv_writer *writer)
{
    bool repaired = answer->result.kind == ENVELOPE_RESULT_TEXT && !is_utf8(answer->result.bytes);
    if (answer->warnings.count == 0 && !repaired) {
        return;
    }
    jsv_write_member_array_begin(writer, JSV_STR("warnings"));
    if (repaired) {
        envelope_issue_write(&not_utf8, "details", writer);
    }
    for (size_t i = 0; i < answer->warnings.count; i++) {
        envelope_issue_write(&answer->warnings.items[i], "details", writer);
    }
    jsv_write_array_end(writer);
}

/* A longer id would make the answer invalid. It is left out, because a cut one could name another
   request. */
static bool is_request_id(struct jsv_value id)
{
    return jsv_value_type(id) == JSV_TYPE_STRING &&
           jsv_utf8_count(jsv_value_text(id)) <= ENVELOPE_REQUEST_ID_MAX;
}

static void write_meta(struct jsv_value request_id, struct jsv_writer *writer)
{
    jsv_write_member_object_begin(writer, JSV_STR("meta"));
    jsv_write_member_value(writer, JSV_STR("request_id"), request_id);
    jsv_write_object_end(writer);
}

static int write_output(
    const struct envelope_answer *answer, struct envelope_result output, struct jsv_buf *out)
{
    if (output.kind == ENVELOPE_RESULT_JSON && answer->keeps_lines) {
        return jsv_buf_append_str(out, output.bytes);
    }
    return envelope_write_result(&output, out);
}

int envelope_write(const struct envelope_answer *answer, struct jsv_buf *out)
{
    if (envelope_passes_through(answer)) {
        return write_output(answer, answer->result, out);
    }
    struct jsv_writer writer = jsv_writer_on(out);
    jsv_write_object_begin(&writer);
    jsv_write_member_string(&writer, JSV_STR("schema_version"), JSV_STR(ENVELOPE_VERSION));
    jsv_write_key(&writer, JSV_STR("result"));
    write_output(answer, envelope_payload(answer), out);
    if (answer->errors.count > 0) {
        jsv_write_key(&writer, JSV_STR("errors"));
        envelope_issues_write(&answer->errors, "details", &writer);
    }
    write_warnings(answer, &writer);
    if (answer->provenance.size > 0) {
        jsv_write_member_span(&writer, JSV_STR("provenance"), answer->provenance);
    }
    if (is_request_id(answer->request_id)) {
        write_meta(answer->request_id, &writer);
    }
    jsv_write_object_end(&writer);
    return out->error;
}
