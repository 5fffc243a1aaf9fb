#include "envelope/reference.h"

#include <stdio.h>

#include "envelope/canonical.h"
#include "jsv/base/ascii.h"

/* The members of a request envelope 1.0. */
static const struct jsv_str known_members[] = {
    JSV_STR("id"),
    JSV_STR("version"),
    JSV_STR("timestamp"),
    JSV_STR("tool"),
    JSV_STR("trace_id"),
    JSV_STR("context"),
    JSV_STR("auth"),
    JSV_STR("metadata"),
    JSV_STR("payload"),
};

static const struct envelope_issue unsupported = {
    .code = JSV_STR("UNSUPPORTED_VERSION"),
    .message = JSV_STR("Unsupported envelope version; use 1.x, for example 1.0.0."),
    .details = {{.name = "supported", .text = JSV_STR("1.x")}},
    .detail_count = 1,
};

static const struct envelope_issue empty_id = {
    .code = JSV_STR("INVALID_ENVELOPE"),
    .message = JSV_STR("expected a non-empty string"),
    .details = {{.name = "path", .text = JSV_STR("/id")}},
    .detail_count = 1,
};

/* ---- versions ---- */

/* Skip digits. @return how many. */
static size_t take_digits(struct jsv_str *text)
{
    size_t count = 0;
    while (count < text->size && jsv_is_digit(text->data[count])) {
        count++;
    }
    *text = (struct jsv_str){text->data + count, text->size - count};
    return count;
}

static bool take_byte(struct jsv_str *text, char byte)
{
    if (text->size == 0 || text->data[0] != byte) {
        return false;
    }
    *text = (struct jsv_str){text->data + 1, text->size - 1};
    return true;
}

/* "1.<minor>.<patch>". @return the digits of minor; empty when it is not that. */
static struct jsv_str minor_of(struct jsv_str version)
{
    struct jsv_str rest = version;
    if (!take_byte(&rest, '1') || !take_byte(&rest, '.')) {
        return (struct jsv_str){0};
    }
    struct jsv_str minor = rest;
    minor.size = take_digits(&rest);
    bool good = minor.size > 0 && take_byte(&rest, '.') && take_digits(&rest) > 0 && rest.size == 0;
    return good ? minor : (struct jsv_str){0};
}

static bool is_zero(struct jsv_str digits)
{
    for (size_t i = 0; i < digits.size; i++) {
        if (digits.data[i] != '0') {
            return false;
        }
    }
    return true;
}

/* ---- requests ---- */

static bool has(struct jsv_value object, struct jsv_str name)
{
    return jsv_value_type(jsv_value_get(object, name)) != JSV_TYPE_NONE;
}

bool envelope_reference_is(struct jsv_value message)
{
    return has(message, JSV_STR("version")) && has(message, JSV_STR("tool")) &&
           has(message, JSV_STR("payload")) && !has(message, JSV_STR("jsonrpc"));
}

static bool is_known(struct jsv_str name)
{
    for (size_t i = 0; i < sizeof(known_members) / sizeof(known_members[0]); i++) {
        if (jsv_str_equal(known_members[i], name)) {
            return true;
        }
    }
    return false;
}

static struct jsv_value usable_id(struct jsv_value message)
{
    struct jsv_value id = jsv_value_get(message, JSV_STR("id"));
    return jsv_value_text(id).size > 0 ? id : (struct jsv_value){0};
}

/* As envelope_reference_check(), for a version that may be any of 1.x. */
static int check_members(
    const struct envelope_schemas *schemas,
    const struct envelope_reference_request *request,
    struct jsv_validator *validator,
    struct jsv_arena *arena,
    struct envelope_issues *ret_issues)
{
    enum envelope_schema which =
        request->minor ? ENVELOPE_SCHEMA_REFERENCE_MINOR : ENVELOPE_SCHEMA_REFERENCE_REQUEST;
    struct jsv_problems problems;
    const struct jsv_schema *schema = envelope_schemas_get(schemas, which);
    int r = jsv_validate_report(validator, schema, request->message, &problems);
    if (r < 0) {
        return r;
    }
    if (r == 0) {
        struct jsv_str code = envelope_canonical_get(ENVELOPE_CANONICAL_INVALID_ENVELOPE)->name;
        r = envelope_issues_from_problems(code, &problems, arena, ret_issues);
        return r < 0 ? r : ENVELOPE_REFERENCE_INVALID;
    }
    /* The schema allows an empty id, but an answer could not be matched to it. */
    if (jsv_value_type(request->id) == JSV_TYPE_NONE) {
        *ret_issues = (struct envelope_issues){&empty_id, 1};
        return ENVELOPE_REFERENCE_INVALID;
    }
    return ENVELOPE_REFERENCE_VALID;
}

int envelope_reference_check(
    const struct envelope_schemas *schemas,
    struct jsv_value message,
    struct jsv_validator *validator,
    struct jsv_arena *arena,
    struct envelope_reference_request *ret_request,
    struct envelope_issues *ret_issues)
{
    struct jsv_value version = jsv_value_get(message, JSV_STR("version"));
    struct jsv_str minor = minor_of(jsv_value_text(version));
    struct envelope_reference_request request = {
        .message = message,
        .id = usable_id(message),
        .minor = !is_zero(minor),
    };
    struct envelope_issues issues = {0};
    int r = ENVELOPE_REFERENCE_UNSUPPORTED;
    if (jsv_value_type(version) == JSV_TYPE_STRING && minor.size == 0) {
        issues = (struct envelope_issues){&unsupported, 1};
    } else {
        r = check_members(schemas, &request, validator, arena, &issues);
    }
    if (r < 0) {
        return r;
    }
    if (r == ENVELOPE_REFERENCE_VALID) {
        request.tool = jsv_value_text(jsv_value_get(message, JSV_STR("tool")));
        request.payload = jsv_value_get(message, JSV_STR("payload"));
        request.trace_id = jsv_value_get(message, JSV_STR("trace_id"));
    }
    *ret_request = request;
    *ret_issues = issues;
    return r;
}

/* ---- responses ---- */

static void
write_status(const struct envelope_reference_response *response, struct jsv_writer *writer)
{
    static const struct jsv_str codes[] = {
        [ENVELOPE_STATUS_SUCCESS] = JSV_STR("success"),
        [ENVELOPE_STATUS_ACCEPTED] = JSV_STR("accepted"),
        [ENVELOPE_STATUS_RETRY] = JSV_STR("retry"),
        [ENVELOPE_STATUS_ERROR] = JSV_STR("error"),
    };
    jsv_write_member_object_begin(writer, JSV_STR("status"));
    jsv_write_member_string(writer, JSV_STR("code"), codes[response->status]);
    jsv_write_member_uint64(writer, JSV_STR("http"), response->http);
    if (response->message.size > 0) {
        jsv_write_member_string(writer, JSV_STR("message"), response->message);
    }
    jsv_write_object_end(writer);
}

/* For 1.0 they were refused. */
static void
write_unknown_fields(const struct envelope_reference_request *request, struct jsv_writer *writer)
{
    jsv_write_member_array_begin(writer, JSV_STR("unknown_fields"));
    struct jsv_iter iter = jsv_value_iter(request->message);
    while (jsv_iter_next(&iter)) {
        if (!is_known(jsv_value_text(iter.key))) {
            jsv_write_value(writer, iter.key);
        }
    }
    jsv_write_array_end(writer);
}

static void
write_metadata(const struct envelope_reference_request *request, struct jsv_writer *writer)
{
    jsv_write_member_object_begin(writer, JSV_STR("metadata"));
    jsv_write_member_string(writer, JSV_STR("tool"), request->tool);
    if (jsv_value_type(request->trace_id) == JSV_TYPE_STRING) {
        jsv_write_member_value(writer, JSV_STR("trace_id"), request->trace_id);
    }
    if (request->minor) {
        write_unknown_fields(request, writer);
    }
    jsv_write_object_end(writer);
}

static void write_id(const struct envelope_reference_request *request, struct jsv_writer *writer)
{
    jsv_write_key(writer, JSV_STR("id"));
    if (request && jsv_value_type(request->id) == JSV_TYPE_STRING) {
        jsv_write_value(writer, request->id);
    } else {
        jsv_write_string(writer, JSV_STR(""));
    }
}

/* The tool's own errors. In a response code and message must be strings. */
static void
write_own_errors(const struct envelope_reference_response *response, struct jsv_writer *writer)
{
    struct jsv_iter iter = jsv_value_iter(response->own_errors);
    jsv_write_array_begin(writer);
    while (jsv_iter_next(&iter)) {
        struct jsv_value code = jsv_value_get(iter.value, JSV_STR("code"));
        struct jsv_value details = jsv_value_get(iter.value, JSV_STR("details"));
        struct jsv_str message = jsv_value_text(jsv_value_get(iter.value, JSV_STR("message")));
        jsv_write_object_begin(writer);
        if (jsv_value_type(code) == JSV_TYPE_STRING) {
            jsv_write_member_value(writer, JSV_STR("code"), code);
        }
        jsv_write_member_string(
            writer, JSV_STR("message"), message.data ? message : response->message);
        if (jsv_value_type(details) == JSV_TYPE_OBJECT) {
            jsv_write_member_value(writer, JSV_STR("detail"), details);
        }
        jsv_write_object_end(writer);
    }
    jsv_write_array_end(writer);
}

static void
write_errors(const struct envelope_reference_response *response, struct jsv_writer *writer)
{
    bool has_own = jsv_value_count(response->own_errors) > 0;
    if (!has_own && response->errors.count == 0) {
        return;
    }
    jsv_write_key(writer, JSV_STR("errors"));
    if (has_own) {
        write_own_errors(response, writer);
    } else {
        envelope_issues_write(&response->errors, "detail", writer);
    }
}

static void write_retry(unsigned seconds, struct jsv_writer *writer)
{
    char digits[16];
    int size = snprintf(digits, sizeof(digits), "%u", seconds);
    jsv_write_member_object_begin(writer, JSV_STR("headers"));
    jsv_write_member_string(writer, JSV_STR("Retry-After"), (struct jsv_str){digits, (size_t)size});
    jsv_write_object_end(writer);
}

int envelope_reference_write(
    const struct envelope_reference_response *response, struct jsv_buf *out)
{
    const struct envelope_reference_request *request = response->request;
    struct jsv_writer writer = jsv_writer_on(out);
    jsv_write_object_begin(&writer);
    write_id(request, &writer);
    jsv_write_member_string(&writer, JSV_STR("version"), JSV_STR(ENVELOPE_REFERENCE_VERSION));
    write_status(response, &writer);
    jsv_write_member_string(&writer, JSV_STR("timestamp"), response->timestamp);
    jsv_write_member_double(
        &writer, JSV_STR("duration_ms"), (double)response->duration_us / 1000.0);
    if (response->output.kind != ENVELOPE_RESULT_NONE) {
        jsv_write_key(&writer, JSV_STR("output"));
        envelope_write_result(&response->output, out);
    }
    write_errors(response, &writer);
    if (response->retry_after_s > 0) {
        write_retry(response->retry_after_s, &writer);
    }
    if (request && request->tool.size > 0) {
        write_metadata(request, &writer);
    }
    jsv_write_object_end(&writer);
    return out->error;
}
