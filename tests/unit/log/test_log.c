#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "log/log.h"
#include "os/sys.h"
#include "support/files.h"
#include "support/stderr_capture.h"
#include "unit/log/log_root.h"

#define LINES_PER_LOOP 500

static struct log *make_log(const char *dir)
{
    struct log *log;
    const struct log_options options = {
        .dir = dir,
        .file_size_max = 100000000,
        .redact = "pin, code",
        .token = JSV_STR("canary-4711"),
        .deterministic = true,
    };
    assert_int_equal(log_new(&options, &log), 0);
    return log;
}

static void write_one(struct log_local *share)
{
    const struct log_event event = {
        .transport = JSV_STR("stdio"),
        .method = JSV_STR("ping"),
        .ids = {JSV_STR("t"), JSV_STR("s"), JSV_STR("r")},
        .status = JSV_STR("ok"),
        .schema_version = JSV_STR("1.0"),
        .stage = JSV_STR("output"),
    };
    log_write(share, &event);
}

static void *write_many(void *share)
{
    for (size_t i = 0; i < LINES_PER_LOOP; i++) {
        write_one(share);
    }
    return NULL;
}

static size_t count_lines(void)
{
    char path[160];
    snprintf(path, sizeof(path), "%s/mcp_server/envelope_validation/.latest", root);
    struct jsv_str text = files_read(path);
    size_t count = 0;
    for (size_t i = 0; i < text.size; i++) {
        count += text.data[i] == '\n';
    }
    free((void *)(uintptr_t)text.data);
    return count;
}

/* What loops write at the same time is all there when the log is over. */
static void test_loops(void **state)
{
    (void)state;
    struct log *log = make_log(root);
    struct log_local *shares[2];
    pthread_t threads[2];
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(log_local_new(log, &shares[i]), 0);
        assert_int_equal(os_thread_start(&threads[i], write_many, shares[i]), 0);
    }
    for (size_t i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    log_free(log);
    assert_int_equal(count_lines(), 2 * LINES_PER_LOOP);
}

static int refuse_mkdir(const char *path, mode_t mode)
{
    (void)path;
    (void)mode;
    return -EROFS;
}

/* No answer waits; the loss is reported once and counted. */
static void test_loss(void **state)
{
    (void)state;
    struct os_sys broken = os_sys_real;
    broken.mkdir = refuse_mkdir;
    os_sys = &broken;
    stderr_begin();
    struct log *log = make_log(root);
    struct log_local *share;
    assert_int_equal(log_local_new(log, &share), 0);
    write_many(share);
    log_free(log);
    const char *said = stderr_end();
    assert_non_null(strstr(said, "mcp:warning reason=log_lost"));
    assert_null(strstr(strstr(said, "log_lost") + 1, "log_lost"));
}

static void test_metrics(void **state)
{
    (void)state;
    struct log *log = make_log(NULL);
    struct log_local *shares[2];
    const struct log_outcome good = {
        .dialect = "syn",
        .transport = "http",
        .stage = "output",
        .tool = JSV_STR("t\"\\"),
        .duration_us = 70,
    };
    struct log_outcome bad = good;
    bad.failed = true;
    bad.stage = "input";
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(log_local_new(log, &shares[i]), 0);
        log_count_outcome(log_counters_of(shares[i]), &good);
        log_count_outcome(log_counters_of(shares[i]), &bad);
        log_count_connection(log_counters_of(shares[i]), "http", 1);
    }
    log_count_connection(log_counters_of(shares[0]), "http", -1);
    log_count_program(log_counters_of(shares[0]), 1);
    log_count_program(log_counters_of(shares[0]), -1);
    log_count_program(log_counters_of(shares[1]), 1);
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, SIZE_MAX);
    assert_int_equal(log_metrics_write(log, &out), 0);
    jsv_buf_append_byte(&out, '\0');
    static const char *const expected[] = {
        "\nmcpgate_requests_total{dialect=\"syn\",transport=\"http\"} 4\n",
        "\nmcpgate_failures_total{dialect=\"syn\",transport=\"http\"} 2\n",
        "\nmcpgate_stage_failures_total{dialect=\"syn\",stage=\"input\"} 2\n",
        "\nmcpgate_tool_requests_total{tool=\"t\\\"\\\\\"} 4\n",
        "\nmcpgate_request_duration_seconds_bucket{le=\"0.000050\"} 0\n",
        "\nmcpgate_request_duration_seconds_bucket{le=\"0.000100\"} 4\n",
        "\nmcpgate_request_duration_seconds_bucket{le=\"+Inf\"} 4\n",
        "\nmcpgate_request_duration_seconds_sum 0.000280\n",
        "\nmcpgate_connections{transport=\"http\"} 1\n",
        "\nmcpgate_loops 2\n",
        "\nmcpgate_child_processes 1\n",
        "\nmcpgate_child_processes_started_total 2\n",
    };
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        assert_non_null(strstr(out.data, expected[i]));
    }
    jsv_buf_done(&out);
    log_free(log);
}

/* The same mismatch on two loops is one, counted twice; secrets do not get in. */
static void test_diagnostics(void **state)
{
    (void)state;
    struct log *log = make_log(NULL);
    struct log_local *shares[2];
    for (size_t i = 0; i < 2; i++) {
        struct log_problem mismatch = {.count = 1, .first_ms = 1000, .last_ms = 1000};
        assert_int_equal(log_local_new(log, &shares[i]), 0);
        char cut[sizeof(mismatch.message) + 8]; /* a field has room for a part of the token only */
        memset(cut, 'x', sizeof(cut));
        memcpy(cut + sizeof(cut) - 11, "canary-4711", 11);
        struct jsv_str long_text = {cut, sizeof(cut)};
        log_problem_fill(shares[i], mismatch.tool, sizeof(mismatch.tool), JSV_STR("a canary-4711"));
        log_problem_fill(shares[i], mismatch.pointer, sizeof(mismatch.pointer), JSV_STR("/name"));
        log_problem_fill(shares[i], mismatch.message, sizeof(mismatch.message), long_text);
        assert_true(log_note_problem(shares[i], &mismatch));
        assert_int_equal(log_new_problems(log), i + 1);
    }
    for (size_t i = 0; i < 2 * LOG_PROBLEMS_MAX; i++) {
        struct log_problem mismatch = {.count = 1, .first_ms = 500, .last_ms = 500};
        snprintf(mismatch.pointer, sizeof(mismatch.pointer), "/%zu", i);
        assert_true(log_note_problem(shares[0], &mismatch));
        assert_false(log_note_problem(shares[0], &mismatch)); /* counted, not listed again */
    }
    assert_int_equal(log_new_problems(log), 2 + 2 * LOG_PROBLEMS_MAX);
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, SIZE_MAX);
    assert_int_equal(log_diagnostics_write(log, &out), 0);
    jsv_buf_append_byte(&out, '\0');
    assert_null(strstr(out.data, "ca")); /* nor its beginning */
    assert_non_null(strstr(out.data, "\"pointer\":\"/name\""));
    assert_non_null(strstr(out.data, "\"count\":2"));
    jsv_buf_done(&out);
    log_free(log);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_loops),
        TEST(test_loss),
        TEST(test_metrics),
        TEST(test_diagnostics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
