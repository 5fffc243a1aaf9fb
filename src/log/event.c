/*
 * A line is written for every message, so it is made of constant pieces and a
 * few numbers appended to a buffer that has room for all of it. Only texts of
 * other programs and the details of errors need care, and those are short or
 * rare.
 */
#define _GNU_SOURCE /* memmem() */
#include "log/event.h"

#include <string.h>

#include "jsv/base/ascii.h"
#include "jsv/base/text.h"
#include "jsv/json/write.h"

/* The last millisecond of the year 9999: years have four digits. */
#define WALL_MS_MAX INT64_C(253402300799999)

/* A secret is replaced by this, as JSON. */
#define REDACTED "\"[redacted]\""

/* Details of errors are flat; deeper ones are a tool's and are not readable in a log anyway. */
#define REDACT_DEPTH_MAX 16

/* ---- one line ----
 *
 * JSON allows some characters in strings that other programs take for the end
 * of a line: U+0085, U+2028 and U+2029. The log writes them as escapes. Nearly
 * all lines are ASCII, which one pass without a branch finds out.
 */

/* "\u2028" */
#define ESCAPE_SIZE 6

struct line_end {
    const char *bytes; /* in UTF-8 */
    size_t size;
    const char *escape;
};

static const struct line_end line_ends[] = {
    {"\xC2\x85", 2, "\\u0085"},
    {"\xE2\x80\xA8", 3, "\\u2028"},
    {"\xE2\x80\xA9", 3, "\\u2029"},
};

static bool is_ascii(const char *data, size_t size)
{
    unsigned char all = 0;
    for (size_t i = 0; i < size; i++) {
        all |= (unsigned char)data[i];
    }
    return all < 0x80;
}

/* The line end that the first bytes of data finish with; NULL: none. */
static const struct line_end *line_end_before(const char *data, size_t size)
{
    for (size_t i = 0; i < sizeof(line_ends) / sizeof(line_ends[0]); i++) {
        const struct line_end *end = &line_ends[i];
        if (size >= end->size && memcmp(data + size - end->size, end->bytes, end->size) == 0) {
            return end;
        }
    }
    return NULL;
}

/* How much longer the text becomes. */
static size_t growth_of(const char *data, size_t size)
{
    size_t growth = 0;
    for (size_t at = 1; at <= size; at++) {
        const struct line_end *end = line_end_before(data, at);
        growth += end ? ESCAPE_SIZE - end->size : 0;
    }
    return growth;
}

/* Escape them in the text appended since start. */
static void escape_line_ends(struct jsv_buf *out, size_t start)
{
    size_t from = out->size - start;
    if (out->error < 0 || is_ascii(out->data + start, from)) {
        return;
    }
    size_t growth = growth_of(out->data + start, from);
    if (growth == 0 || jsv_buf_reserve(out, growth) < 0) {
        return;
    }
    char *text = out->data + start;
    size_t to = from + growth;
    while (to > from) { /* from the end; text before the first of them does not move */
        const struct line_end *end = line_end_before(text, from);
        size_t size = end ? ESCAPE_SIZE : 1;
        from -= end ? end->size : 1;
        to -= size;
        memmove(text + to, end ? end->escape : text + from, size);
    }
    out->size += growth;
}

/* ---- secrets ---- */

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
    jsv_write_span(&redaction->writer, JSV_STR(REDACTED));
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

/* Recurses as deep as depth says. */
static void write_value(struct redaction *redaction, struct jsv_value value, unsigned depth)
{
    enum jsv_type type = jsv_value_type(value);
    bool is_leaf = type != JSV_TYPE_OBJECT && type != JSV_TYPE_ARRAY;
    if ((!is_leaf && depth == 0) ||
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

/* Append a value; members with secret names, strings that hold the token and too deep containers
   are replaced. */
static void
write_redacted_value(struct jsv_buf *out, struct jsv_value value, const struct log_secrets *secrets)
{
    struct redaction redaction = {.secrets = secrets, .writer = jsv_writer_on(out)};
    write_value(&redaction, value, REDACT_DEPTH_MAX);
}

/* ---- pieces ---- */

static void put_number(struct jsv_buf *out, uint64_t number)
{
    char digits[JSV_DIGITS_MAX];
    char *end = digits + sizeof(digits);
    const char *first = jsv_digits_before(end, number);
    jsv_put(out, first, (size_t)(end - first));
}

static void put_word(struct jsv_buf *out, struct jsv_str word)
{
    JSV_PUT(out, "\"");
    jsv_put(out, word.data, word.size);
    JSV_PUT(out, "\"");
}

/* A text of another program. */
static void put_text(struct jsv_buf *out, struct jsv_str text, const struct log_secrets *secrets)
{
    if (!text.data) {
        JSV_PUT(out, "null");
    } else if (log_holds_token(text, secrets)) {
        JSV_PUT(out, REDACTED);
    } else {
        size_t start = out->size;
        jsv_escape_append(out, log_clip(text), JSV_ESCAPE_MINIMAL);
        escape_line_ends(out, start);
    }
}

/* A string, or a number as it was spelled. */
static void
put_client_id(struct jsv_buf *out, struct jsv_value value, const struct log_secrets *secrets)
{
    struct jsv_str spelling = jsv_value_span(value);
    bool is_number = jsv_value_type(value) == JSV_TYPE_NUMBER && spelling.size <= LOG_TEXT_MAX;
    if (is_number && !log_holds_token(spelling, secrets)) {
        jsv_buf_append_str(out, spelling);
    } else {
        put_text(out, jsv_value_text(value), secrets);
    }
}

struct jsv_str log_clip(struct jsv_str text)
{
    if (text.size > LOG_TEXT_MAX) {
        text.size = LOG_TEXT_MAX;
        while (text.size > 0 && ((unsigned char)text.data[text.size] & 0xC0) == 0x80) {
            text.size--; /* the next byte continues a character */
        }
    }
    return text;
}

/* ---- time ---- */

static void put_two(char *out, unsigned number)
{
    out[0] = (char)('0' + number / 10);
    out[1] = (char)('0' + number % 10);
}

/* Years counted from March end with the leap day, so it moves no other month. */
static void put_date(char *out, unsigned days_since_1970)
{
    unsigned days = days_since_1970 + 719468; /* since the first of March of the year 0 */
    unsigned era = days / 146097;             /* 400 years */
    unsigned day_of_era = days % 146097;
    unsigned year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    unsigned day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    unsigned month = (5 * day_of_year + 2) / 153; /* from March */
    unsigned year = era * 400 + year_of_era + (month >= 10);
    put_two(out, year / 100);
    put_two(out + 2, year % 100);
    put_two(out + 5, month < 10 ? month + 3 : month - 9);
    put_two(out + 8, day_of_year - (153 * month + 2) / 5 + 1);
}

void log_time_format(int64_t wall_ms, char ret_text[static LOG_TIME_SIZE])
{
    memcpy(ret_text, "1970-01-01T00:00:00.000Z", LOG_TIME_SIZE);
    if (wall_ms < 0 || wall_ms > WALL_MS_MAX) {
        return; /* the clock is wrong */
    }
    unsigned seconds = (unsigned)(wall_ms / 1000 % 86400);
    unsigned rest = (unsigned)(wall_ms % 1000);
    put_date(ret_text, (unsigned)(wall_ms / 86400000));
    put_two(ret_text + 11, seconds / 3600);
    put_two(ret_text + 14, seconds / 60 % 60);
    put_two(ret_text + 17, seconds % 60);
    ret_text[20] = (char)('0' + rest / 100);
    put_two(ret_text + 21, rest % 100);
}

/* ---- the line ---- */

/* Milliseconds with three digits behind the point. */
static void put_duration(struct jsv_buf *out, uint64_t microseconds)
{
    unsigned rest = (unsigned)(microseconds % 1000);
    char tail[4] = {'.', (char)('0' + rest / 100)};
    put_two(tail + 2, rest % 100);
    put_number(out, microseconds / 1000);
    jsv_put(out, tail, sizeof(tail));
}

static void
put_head(struct jsv_buf *out, const struct log_event *event, const struct log_secrets *secrets)
{
    char time[LOG_TIME_SIZE];
    log_time_format(event->wall_ms, time);
    JSV_PUT(out, "{\"ts\":\"");
    jsv_put(out, time, LOG_TIME_SIZE - 1);
    JSV_PUT(out, "\",\"agentId\":");
    put_client_id(out, event->agent_id, secrets);
    JSV_PUT(out, ",\"taskId\":");
    put_client_id(out, event->task_id, secrets);
    JSV_PUT(out, ",\"stepId\":");
    put_client_id(out, event->step_id, secrets);
    JSV_PUT(out, ",\"transport\":");
    put_word(out, event->transport);
    JSV_PUT(out, ",\"route\":");
    if (event->route.data) {
        put_word(out, event->route);
    } else {
        JSV_PUT(out, "null");
    }
    JSV_PUT(out, ",\"method\":");
    put_text(out, event->method, secrets);
}

static uint32_t put_blank(struct jsv_buf *out, size_t start)
{
    uint32_t at = (uint32_t)(out->size - start) + 1;
    JSV_PUT(out, "\"00000000-0000-0000-0000-000000000000\"");
    return at;
}

static void put_ids(
    struct jsv_buf *out,
    const struct log_event *event,
    const struct log_secrets *secrets,
    size_t start,
    uint32_t ret_blanks[static LOG_IDS])
{
    static const struct jsv_str names[] = {
        [LOG_ID_TRACE] = JSV_STR(",\"traceId\":"),
        [LOG_ID_SPAN] = JSV_STR(",\"spanId\":"),
        [LOG_ID_REQUEST] = JSV_STR(",\"requestId\":"),
    };
    for (size_t i = 0; i < LOG_IDS; i++) {
        ret_blanks[i] = 0;
        jsv_put(out, names[i].data, names[i].size);
        if (event->ids[i].data) {
            put_text(out, event->ids[i], secrets); /* may come from the client */
        } else {
            ret_blanks[i] = put_blank(out, start);
        }
    }
}

static void put_outcome(struct jsv_buf *out, const struct log_event *event)
{
    JSV_PUT(out, ",\"status\":");
    jsv_escape_append(out, log_clip(event->status), JSV_ESCAPE_MINIMAL);
    JSV_PUT(out, ",\"durationMs\":");
    put_duration(out, event->duration_us);
    if (event->queued_us > 0) {
        JSV_PUT(out, ",\"queuedMs\":");
        put_duration(out, event->queued_us);
    }
    JSV_PUT(out, ",\"attempt\":");
    put_number(out, event->attempt);
    JSV_PUT(out, ",\"inputBytes\":");
    put_number(out, event->input_bytes);
    JSV_PUT(out, ",\"outputBytes\":");
    put_number(out, event->output_bytes);
}

static void
put_metadata(struct jsv_buf *out, const struct log_event *event, const struct log_secrets *secrets)
{
    JSV_PUT(out, ",\"metadata\":{\"schemaVersion\":");
    put_word(out, event->schema_version);
    JSV_PUT(out, ",\"deterministic\":");
    if (event->deterministic) {
        JSV_PUT(out, "true");
    } else {
        JSV_PUT(out, "false");
    }
    JSV_PUT(out, ",\"toolId\":");
    put_text(out, event->tool_id, secrets);
    JSV_PUT(out, ",\"promptId\":");
    put_text(out, event->prompt_id, secrets);
    JSV_PUT(out, "}");
}

static void
put_details(struct jsv_buf *out, struct jsv_value details, const struct log_secrets *secrets)
{
    size_t size = jsv_value_span(details).size;
    if (size > LOG_DETAILS_MAX) {
        JSV_PUT(out, "{\"omittedBytes\":");
        put_number(out, size);
        JSV_PUT(out, "}");
    } else {
        size_t start = out->size;
        write_redacted_value(out, details, secrets);
        escape_line_ends(out, start);
    }
}

static void
put_error(struct jsv_buf *out, const struct log_event *event, const struct log_secrets *secrets)
{
    if (!event->error_code.data) {
        JSV_PUT(out, ",\"error\":null");
        return;
    }
    JSV_PUT(out, ",\"error\":{\"code\":");
    put_text(out, event->error_code, secrets);
    JSV_PUT(out, ",\"message\":");
    put_text(out, event->error_message, secrets);
    JSV_PUT(out, ",\"details\":");
    put_details(out, event->error_details, secrets);
    JSV_PUT(out, "}");
}

int log_event_write(
    const struct log_event *event,
    const struct log_secrets *secrets,
    struct jsv_buf *out,
    uint32_t ret_blanks[static LOG_IDS])
{
    size_t start = out->size;
    put_head(out, event, secrets);
    put_ids(out, event, secrets, start, ret_blanks);
    put_outcome(out, event);
    put_metadata(out, event, secrets);
    put_error(out, event, secrets);
    JSV_PUT(out, ",\"stage\":");
    put_word(out, event->stage);
    JSV_PUT(out, "}\n");
    if (out->error < 0) {
        out->size = start;
    }
    return out->error;
}
