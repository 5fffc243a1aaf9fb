#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "log/event.h"

static const struct jsv_str names[] = {JSV_STR("token"), JSV_STR("Pin")};

static const struct log_secrets secrets = {
    .token = JSV_STR("canary-4711"),
    .names = names,
    .name_count = 2,
};

static struct jsv_reader *reader;
static struct jsv_document *details;
static struct jsv_document *line;

static int setup(void **state)
{
    (void)state;
    reader = jsv_reader_new(NULL, NULL);
    details = jsv_document_new(NULL);
    line = jsv_document_new(NULL);
    return reader && details && line ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    jsv_document_free(line);
    jsv_document_free(details);
    jsv_reader_free(reader);
    return 0;
}

static struct log_event make_event(void)
{
    return (struct log_event){
        .wall_ms = 951782400123,
        .transport = JSV_STR("stdio"),
        .route = JSV_STR("syn"),
        .method = JSV_STR("list_schemas"),
        .ids = {JSV_STR("t"), JSV_STR("s"), JSV_STR("r")},
        .status = JSV_STR("ok"),
        .duration_us = 1042,
        .attempt = 1,
        .input_bytes = 48,
        .output_bytes = 7,
        .deterministic = true,
        .schema_version = JSV_STR("1.0"),
        .stage = JSV_STR("output"),
    };
}

static uint32_t blanks[LOG_IDS];

static void write_event(const struct log_event *event, struct jsv_buf *out)
{
    jsv_buf_init(out, NULL, LOG_LINE_MAX);
    assert_int_equal(log_event_write(event, &secrets, out, blanks), 0);
    assert_ptr_equal(memchr(out->data, '\n', out->size), out->data + out->size - 1);
    assert_int_equal(jsv_read(reader, line, jsv_buf_str(out), 0, NULL), 0);
}

static void test_whole_line(void **state)
{
    (void)state;
    struct jsv_buf out;
    struct log_event event = make_event();
    write_event(&event, &out);
    static const char expected[] =
        "{\"ts\":\"2000-02-29T00:00:00.123Z\",\"agentId\":null,\"taskId\":null,\"stepId\":null,"
        "\"transport\":\"stdio\",\"route\":\"syn\",\"method\":\"list_schemas\",\"traceId\":\"t\","
        "\"spanId\":\"s\",\"requestId\":\"r\",\"status\":\"ok\",\"durationMs\":1.042,"
        "\"attempt\":1,\"inputBytes\":48,\"outputBytes\":7,\"metadata\":{\"schemaVersion\":"
        "\"1.0\",\"deterministic\":true,\"toolId\":null,\"promptId\":null},\"error\":null,"
        "\"stage\":\"output\"}\n";
    assert_int_equal(out.size, sizeof(expected) - 1);
    assert_memory_equal(out.data, expected, out.size);
    for (size_t i = 0; i < LOG_IDS; i++) {
        assert_int_equal(blanks[i], 0);
    }
    jsv_buf_done(&out);
}

static void test_queued_time_is_shown_when_there_was_any(void **state)
{
    (void)state;
    struct jsv_buf out;
    struct log_event event = make_event();
    event.queued_us = 2003004;
    write_event(&event, &out);
    struct jsv_value queued = jsv_value_get(jsv_document_root(line), JSV_STR("queuedMs"));
    assert_true(jsv_str_equal(jsv_value_span(queued), JSV_STR("2003.004")));
    jsv_buf_done(&out);
}

/* Also in a line that is not the first. */
static void test_unknown_ids_are_left_blank(void **state)
{
    (void)state;
    struct jsv_buf out;
    struct log_event event = make_event();
    event.ids[LOG_ID_SPAN] = event.ids[LOG_ID_REQUEST] = (struct jsv_str){NULL, 0};
    write_event(&event, &out);
    size_t first = out.size;
    assert_int_equal(log_event_write(&event, &secrets, &out, blanks), 0);
    assert_int_equal(blanks[LOG_ID_TRACE], 0);
    memset(out.data + first + blanks[LOG_ID_SPAN], 's', LOG_ID_SIZE);
    memset(out.data + first + blanks[LOG_ID_REQUEST], 'r', LOG_ID_SIZE);
    jsv_buf_append_byte(&out, '\0');
    assert_non_null(strstr(
        out.data + first,
        "\"traceId\":\"t\",\"spanId\":\"ssssssssssssssssssssssssssssssssssss\","
        "\"requestId\":\"rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr\",\"status\""));
    jsv_buf_done(&out);
}

/* Characters that other programs take for line ends are escaped; others stay. */
static void test_line_ends_are_escaped(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *written;
    } cases[] = {
        {"plain", "plain"},
        {"\xC3\xA9\xE2\x80\xA6\xC2\x84\xF0\x9F\x98\x80",
         "\xC3\xA9\xE2\x80\xA6\xC2\x84\xF0\x9F\x98\x80"},
        {"\\u2028", "\\\\u2028"},
        {"\xC2\x85", "\\u0085"},
        {"\xE2\x80\xA8", "\\u2028"},
        {"\xE2\x80\xA9", "\\u2029"},
        {"a\xE2\x80\xA8", "a\\u2028"},
        {"\xE2\x80\xA8 b", "\\u2028 b"},
        {"\xC2\x85\xE2\x80\xA9\xE2\x80\xA8\xC2\x85", "\\u0085\\u2029\\u2028\\u0085"},
        {"\xC3\xA9 \xE2\x80\xA8 \xC3\xA9\xC2\x85.", "\xC3\xA9 \\u2028 \xC3\xA9\\u0085."},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct jsv_buf out;
        char expected[128];
        struct log_event event = make_event();
        event.method = jsv_str_from(cases[i].text);
        write_event(&event, &out);
        jsv_buf_append_byte(&out, '\0');
        snprintf(expected, sizeof(expected), "\"method\":\"%s\",\"traceId\"", cases[i].written);
        assert_non_null(strstr(out.data, expected));
        jsv_buf_done(&out);
    }
}

/* Any text of a client makes one line of bounded length. */
static void test_hostile_texts_make_one_short_line(void **state)
{
    (void)state;
    struct jsv_buf out;
    char text[2 * LOG_TEXT_MAX];
    memset(text, '\n', sizeof(text));
    struct log_event event = make_event();
    event.method = event.tool_id = event.prompt_id = event.ids[LOG_ID_TRACE] = event.error_code =
        event.error_message = (struct jsv_str){text, sizeof(text)};
    write_event(&event, &out);
    jsv_buf_done(&out);
    memcpy(text + LOG_TEXT_MAX - 1, "\xC3\xA4", 2);
    assert_int_equal(log_clip((struct jsv_str){text, sizeof(text)}).size, LOG_TEXT_MAX - 1);
}

static void test_secrets_are_redacted(void **state)
{
    (void)state;
    struct jsv_buf out;
    struct log_event event = make_event();
    struct jsv_str text =
        JSV_STR("{\"a\":[{\"TOKEN\":{\"b\":1},\"pin\":5,\"c\":\"x canary-4711\"}],"
                "\"canary-4711\":2,\"d\":3}");
    assert_int_equal(jsv_read(reader, details, text, 0, NULL), 0);
    event.method = event.error_message = JSV_STR("a canary-4711 b");
    event.error_code = JSV_STR("X");
    event.error_details = jsv_document_root(details);
    write_event(&event, &out);
    jsv_buf_append_byte(&out, '\0');
    assert_null(strstr(out.data, "canary"));
    assert_non_null(strstr(
        out.data,
        "\"details\":{\"a\":[{\"TOKEN\":\"[redacted]\",\"pin\":\"[redacted]\",\"c\":\"[redacted]\"}"
        "],"
        "\"[redacted]\":2,\"d\":3}"));
    jsv_buf_done(&out);
}

/* At whatever byte the buffer ends, also within an escape, no half line is left. */
static void test_no_half_line(void **state)
{
    (void)state;
    struct log_event event = make_event();
    event.method = JSV_STR("\xE2\x80\xA8");
    struct jsv_buf whole;
    write_event(&event, &whole);
    for (size_t size = 1; size < whole.size; size++) {
        struct jsv_buf out;
        jsv_buf_init(&out, NULL, size);
        assert_true(log_event_write(&event, &secrets, &out, blanks) < 0);
        assert_int_equal(out.size, 0);
        jsv_buf_done(&out);
    }
    jsv_buf_done(&whole);
}

static void test_time_format(void **state)
{
    (void)state;
    static const struct {
        int64_t wall_ms;
        const char *text;
    } cases[] = {
        {0, "1970-01-01T00:00:00.000Z"},
        {-1, "1970-01-01T00:00:00.000Z"},
        {1709251199999, "2024-02-29T23:59:59.999Z"},
        {4107542400000, "2100-03-01T00:00:00.000Z"},
        {253402300799999, "9999-12-31T23:59:59.999Z"},
        {253402300800000, "1970-01-01T00:00:00.000Z"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[LOG_TIME_SIZE];
        log_time_format(cases[i].wall_ms, text);
        assert_string_equal(text, cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_line),
        cmocka_unit_test(test_queued_time_is_shown_when_there_was_any),
        cmocka_unit_test(test_unknown_ids_are_left_blank),
        cmocka_unit_test(test_line_ends_are_escaped),
        cmocka_unit_test(test_hostile_texts_make_one_short_line),
        cmocka_unit_test(test_secrets_are_redacted),
        cmocka_unit_test(test_no_half_line),
        cmocka_unit_test(test_time_format),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
