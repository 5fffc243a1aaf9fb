#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "log/sink.h"
#include "os/sys.h"
#include "support/files.h"
#include "unit/log/log_root.h"

static const struct log_secrets secrets;

/* ---- a generator that repeats a question's first byte, and can be held up ---- */

struct slow_generator {
    struct log_id_generator generator;
    atomic_bool is_held;
    atomic_bool is_busy;
    atomic_size_t named;
    atomic_size_t freed;
};

static void name_slowly(
    struct log_id_generator *generator,
    struct jsv_str question,
    char ret_ids[static LOG_IDS][LOG_ID_SIZE])
{
    struct slow_generator *slow = (struct slow_generator *)generator;
    atomic_store(&slow->is_busy, true);
    while (atomic_load(&slow->is_held)) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    for (size_t i = 0; i < LOG_IDS; i++) {
        memset(ret_ids[i], question.data[i], LOG_ID_SIZE);
    }
    atomic_fetch_add(&slow->named, 1);
}

static void free_slowly(struct log_id_generator *generator)
{
    atomic_fetch_add(&((struct slow_generator *)generator)->freed, 1);
}

static struct slow_generator make_generator(void)
{
    return (struct slow_generator){.generator = {.generate = name_slowly, .free = free_slowly}};
}

static struct log_sink *make_sink(void)
{
    struct log_sink *sink;
    assert_int_equal(log_sink_new(root, 100000000, &sink), 0);
    return sink;
}

static struct log_event make_event(void)
{
    return (struct log_event){
        .transport = JSV_STR("stdio"),
        .method = JSV_STR("ping"),
        .status = JSV_STR("ok"),
        .schema_version = JSV_STR("1.0"),
        .stage = JSV_STR("output"),
    };
}

static char *read_latest(void)
{
    char path[160];
    snprintf(path, sizeof(path), "%s/mcp_server/envelope_validation/.latest", root);
    struct jsv_str text = files_read(path);
    char *copy = malloc(text.size + 1);
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    free((void *)(uintptr_t)text.data);
    return copy;
}

/* Lines with blanks, without, and with a trace of the caller's own keep their order. */
static void test_blanks(void **state)
{
    (void)state;
    static const struct log_id_source first_question = {.head = JSV_STR("abc")};
    static const struct log_id_source second_question = {
        .head = JSV_STR("d"), .body = JSV_STR("ef")};
    struct slow_generator generator = make_generator();
    struct log_sink *sink = make_sink();
    struct log_buffer *page;
    assert_int_equal(log_buffer_new(sink, &page), 0);
    log_buffer_set_id_generator(page, &generator.generator);
    struct log_event event = make_event();
    assert_true(log_buffer_write_blank(page, &event, &secrets, &first_question));
    event.ids[LOG_ID_TRACE] = JSV_STR("mine");
    assert_true(log_buffer_write_blank(page, &event, &secrets, &second_question));
    event.ids[LOG_ID_SPAN] = event.ids[LOG_ID_REQUEST] = JSV_STR("known");
    log_buffer_write(page, &event, &secrets);
    log_sink_free(sink);
    assert_int_equal(generator.named, 2);
    assert_int_equal(generator.freed, 1);
    char *text = read_latest();
    const char *first = strstr(
        text,
        "\"traceId\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\","
        "\"spanId\":\"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\","
        "\"requestId\":\"cccccccccccccccccccccccccccccccccccc\"");
    const char *second = strstr(
        text,
        "\"traceId\":\"mine\",\"spanId\":\"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\","
        "\"requestId\":\"ffffffffffffffffffffffffffffffffffff\"");
    const char *third =
        strstr(text, "\"traceId\":\"mine\",\"spanId\":\"known\",\"requestId\":\"known\"");
    assert_non_null(first);
    assert_true(second > first);
    assert_true(third > second);
    assert_null(strstr(text, "abc"));
    free(text);
}

/* A thread that has fallen behind takes no more questions, only lines. */
static void test_behind(void **state)
{
    (void)state;
    static char question[100 * 1024];
    memset(question, 'q', sizeof(question));
    const struct log_id_source long_question = {
        .head = JSV_STR("head"), .body = {question, sizeof(question)}};
    struct slow_generator generator = make_generator();
    atomic_store(&generator.is_held, true);
    struct log_sink *sink = make_sink();
    struct log_buffer *page;
    assert_int_equal(log_buffer_new(sink, &page), 0);
    log_buffer_set_id_generator(page, &generator.generator);
    struct log_event event = make_event();
    size_t taken = 1;
    assert_true(log_buffer_write_blank(page, &event, &secrets, &long_question));
    while (!atomic_load(&generator.is_busy)) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    while (log_buffer_write_blank(page, &event, &secrets, &long_question)) {
        taken++;
    }
    assert_int_equal(taken, 1 + 1024 * 1024 / (sizeof(question) + long_question.head.size));
    for (size_t i = 0; i < LOG_IDS; i++) {
        event.ids[i] = JSV_STR("known");
    }
    const size_t lines = 1000;
    for (size_t i = 0; i < lines; i++) {
        log_buffer_write(page, &event, &secrets);
    }
    assert_false(log_buffer_write_blank(page, &event, &secrets, &long_question));
    atomic_store(&generator.is_held, false);
    log_sink_free(sink);
    assert_int_equal(generator.named, taken);
    char *text = read_latest();
    size_t count = 0;
    for (const char *at = text; *at != '\0'; at++) {
        count += *at == '\n';
    }
    assert_int_equal(count, taken + lines);
    free(text);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_blanks),
        TEST(test_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
