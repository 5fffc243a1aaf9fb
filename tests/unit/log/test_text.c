#define _GNU_SOURCE /* memfd_create(), pipe2() */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>

#include "log/text.h"
#include "support/stderr_capture.h"
#include "unit/os/fault.h"

static int disarm(void **state)
{
    (void)state;
    fault_disarm();
    return 0;
}

static void test_line(void **state)
{
    (void)state;
    const struct log_field fields[] = {
        {"mode", JSV_STR("socket")},
        {"path", JSV_STR("/tmp/mcp.sock")},
    };
    stderr_begin();
    log_text("ready", fields, 2);
    log_text("shutdown", fields, 0);
    log_text_warning("deprecated_alias", "method", JSV_STR("validate"));
    log_text_error("setup_failed", JSV_STR("no such thing"));
    assert_string_equal(
        stderr_end(),
        "mcp:ready mode=socket path=/tmp/mcp.sock\n"
        "mcp:shutdown\n"
        "mcp:warning reason=deprecated_alias method=validate\n"
        "mcp:error reason=setup_failed detail=\"no such thing\"\n");
}

/* Any value makes one line without control characters. */
static void test_quoting(void **state)
{
    (void)state;
    static const struct {
        struct jsv_str value;
        const char *shown;
    } cases[] = {
        {JSV_STR(""), "\"\""},
        {JSV_STR("plain-value/1.2=3"), "plain-value/1.2=3"},
        {JSV_STR("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f"},
        {JSV_STR("a b"), "\"a b\""},
        {JSV_STR("a\"b\\c"), "\"a\\\"b\\\\c\""},
        {JSV_STR("a\nmcp:ready"), "\"a\\u000amcp:ready\""},
        {JSV_STR("\x1b[31m"), "\"\\u001b[31m\""},
        {JSV_STR("\x7f"), "\"\\u007f\""},
        {JSV_STR("\xc2\x9b"), "\"\\u009b\""},
        {JSV_STR("a\0b"), "\"a\\u0000b\""},
        {JSV_STR("\xff\xfe"), "\"\\ufffd\\ufffd\""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char expected[128];
        snprintf(expected, sizeof(expected), "mcp:warning reason=x name=%s\n", cases[i].shown);
        stderr_begin();
        log_text_warning("x", "name", cases[i].value);
        assert_string_equal(stderr_end(), expected);
    }
}

/* Every length around the limit: one line of it, ended, with its quotes closed. */
static void test_long_values_are_cut(void **state)
{
    (void)state;
    static char value[3 * PIPE_BUF];
    static const char *const units[] = {"x", " ", "\n", "\xc3\xbc", "\""};
    for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++) {
        size_t unit = strlen(units[u]);
        for (size_t i = 0; i + unit <= sizeof(value); i += unit) {
            memcpy(value + i, units[u], unit);
        }
        for (size_t count = 500; count < PIPE_BUF / unit + 100; count += count < 600 ? 100 : 1) {
            const struct log_field fields[] = {
                {"a", {value, count * unit}},
                {"b", JSV_STR("a b")},
            };
            stderr_begin();
            log_text("event", fields, 2);
            const char *text = stderr_end();
            size_t size = strlen(text);
            assert_in_range(size, 400, PIPE_BUF);
            assert_ptr_equal(strchr(text, '\n'), text + size - 1);
            bool quoted = text[strlen("mcp:event a=")] == '"';
            assert_true(!quoted || text[size - 2] == '"');
        }
    }
}

/* A pipe that is not read: lines are dropped, counted, and reported once it has space again. */
static void test_full_pipe_does_not_block(void **state)
{
    (void)state;
    int fds[2];
    static char value[4000];
    static char text[1 << 20];
    memset(value, 'x', sizeof(value));
    assert_int_equal(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
    assert_int_equal(fcntl(fds[1], F_SETFL, 0), 0); /* our end waits, if we let it */
    stderr_replace(fds[1]);
    for (size_t i = 0; i < 100; i++) {
        log_text_warning("flood", "value", (struct jsv_str){value, sizeof(value)});
    }
    ssize_t size = read(fds[0], text, sizeof(text));
    log_text("after", NULL, 0);
    log_text("again", NULL, 0);
    stderr_restore();
    assert_true(size > 0);
    unsigned lines = 0;
    for (ssize_t i = 0; i < size; i++) {
        lines += text[i] == '\n';
    }
    assert_in_range(lines, 1, 99);
    ssize_t rest = read(fds[0], text, sizeof(text) - 1);
    assert_true(rest > 0);
    text[rest] = '\0';
    char expected[128];
    snprintf(
        expected,
        sizeof(expected),
        "mcp:warning reason=lines_lost count=%u\nmcp:after\nmcp:again\n",
        100 - lines);
    assert_string_equal(text, expected);
    close(fds[0]);
    close(fds[1]);
}

static void test_failing_output_is_ignored(void **state)
{
    (void)state;
    stderr_begin();
    fault_arm(FAULT_WRITE, 1, EIO);
    log_text("lost", NULL, 0);
    assert_true(fault.hit);
    fault_arm(FAULT_POLL, 1, EINTR);
    log_text("lost", NULL, 0);
    assert_true(fault.hit);
    fault_arm(FAULT_WRITE, 1, EINTR); /* while telling of those lost */
    log_text("lost", NULL, 0);
    assert_true(fault.hit);
    fault_disarm();
    log_text("there", NULL, 0);
    assert_string_equal(stderr_end(), "mcp:warning reason=lines_lost count=3\nmcp:there\n");
}

/* A line that was taken in part is ended before the next. */
static void test_torn_line(void **state)
{
    (void)state;
    stderr_begin();
    fault_watch();
    fault.write_most = 6;
    log_text("torn", NULL, 0);
    fault_disarm();
    log_text("next", NULL, 0);
    assert_string_equal(stderr_end(), "mcp:to\nmcp:warning reason=lines_lost count=1\nmcp:next\n");
}

static void *write_lines(void *argument)
{
    (void)argument;
    for (size_t i = 0; i < 200; i++) {
        log_text_warning("thread", "value", JSV_STR("0123456789abcdef"));
    }
    return NULL;
}

static void test_threads_do_not_mix_lines(void **state)
{
    (void)state;
    pthread_t threads[4];
    stderr_begin();
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, write_lines, NULL), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    static const char line[] = "mcp:warning reason=thread value=0123456789abcdef\n";
    const char *text = stderr_end();
    assert_int_equal(strlen(text), 800 * strlen(line));
    for (size_t i = 0; i < 800; i++) {
        assert_memory_equal(text + i * strlen(line), line, strlen(line));
    }
}

static int64_t fixed_seconds;

static int64_t read_fixed_seconds(void)
{
    return fixed_seconds;
}

static void test_timestamp(void **state)
{
    (void)state;
    static const struct {
        int64_t seconds;
        const char *text;
    } cases[] = {
        {0, "1970-01-01T00:00:00Z"},
        {1767323045, "2026-01-02T03:04:05Z"},
        {1709164799, "2024-02-28T23:59:59Z"},
        {253402300799, "9999-12-31T23:59:59Z"},
    };
    struct os_sys sys = os_sys_real;
    sys.wall_seconds = read_fixed_seconds;
    os_sys = &sys;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[LOG_TIMESTAMP_SIZE];
        fixed_seconds = cases[i].seconds;
        log_timestamp(text);
        assert_string_equal(text, cases[i].text);
    }
    char text[LOG_TIMESTAMP_SIZE];
    fixed_seconds = INT64_MAX;
    log_timestamp(text);
    assert_string_equal(text, "1970-01-01T00:00:00Z");
    fixed_seconds = 253402300800; /* year 10000 has one digit too many */
    log_timestamp(text);
    assert_string_equal(text, "1970-01-01T00:00:00Z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line),
        cmocka_unit_test(test_quoting),
        cmocka_unit_test(test_long_values_are_cut),
        cmocka_unit_test(test_full_pipe_does_not_block),
        cmocka_unit_test_teardown(test_failing_output_is_ignored, disarm),
        cmocka_unit_test_teardown(test_torn_line, disarm),
        cmocka_unit_test(test_threads_do_not_mix_lines),
        cmocka_unit_test_teardown(test_timestamp, disarm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
