#define _GNU_SOURCE /* memmem() */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "envelope/issue.h"
#include "support/files.h"
#include "unit/envelope/quoted.h"

static void
expect_issue(struct json_fixture *fixture, const struct envelope_issue *issue, const char *text)
{
    struct jsv_writer writer = jsv_writer_on(&fixture->out);
    envelope_issue_write(issue, "details", &writer);
    quoted_expect(fixture, text);
}

static void test_failures_with_a_number(void **state)
{
    struct json_fixture *fixture = *state;
    static const struct {
        enum envelope_failure failure;
        int64_t number;
        const char *text;
    } cases[] = {
        {ENVELOPE_FAILURE_EXIT,
         2,
         "{'code':'ADAPTER.EXECUTION.FAILED',"
         "'message':'Tool execution failed with exit code 2.','details':{'exit_code':2}}"},
        {ENVELOPE_FAILURE_SIGNAL,
         9,
         "{'code':'ADAPTER.EXECUTION.SIGNALED',"
         "'message':'Tool execution was ended by signal 9.','details':{'signal':9}}"},
        {ENVELOPE_FAILURE_TIMEOUT,
         700,
         "{'code':'ADAPTER.EXECUTION.TIMEOUT',"
         "'message':'Tool execution took longer than 700 ms.','details':{'timeout_ms':700}}"},
        {ENVELOPE_FAILURE_TOO_LARGE,
         INT64_MAX,
         "{'code':'ADAPTER.OUTPUT.TOO_LARGE',"
         "'message':'Tool output is larger than 9223372036854775807 bytes.',"
         "'details':{'limit_bytes':9223372036854775807}}"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct envelope_issue issue;
        assert_int_equal(
            envelope_failure_number(cases[i].failure, cases[i].number, &fixture->scratch, &issue),
            0);
        expect_issue(fixture, &issue, cases[i].text);
    }
}

static void test_failures_with_a_text(void **state)
{
    struct json_fixture *fixture = *state;
    struct envelope_issue issue =
        envelope_failure_text(ENVELOPE_FAILURE_NOT_FOUND, JSV_STR("./run"));
    expect_issue(
        fixture,
        &issue,
        "{'code':'ADAPTER.EXECUTION.NOT_FOUND','message':'Tool command was not found.',"
        "'details':{'command':'./run'}}");
    issue = envelope_failure_text(ENVELOPE_FAILURE_INTERNAL, (struct jsv_str){0});
    expect_issue(fixture, &issue, "{'code':'ADAPTER.INTERNAL','message':'Internal error.'}");
    assert_true(jsv_str_equal(
        envelope_failure_code(ENVELOPE_FAILURE_OUTPUT_INVALID), JSV_STR("ADAPTER.OUTPUT.INVALID")));
}

static void test_no_memory(void **state)
{
    (void)state;
    struct jsv_arena arena;
    jsv_arena_init(&arena, NULL, 8);
    struct envelope_issue issue = {.detail_count = 7};
    assert_int_equal(envelope_failure_number(ENVELOPE_FAILURE_EXIT, 1, &arena, &issue), -ENOMEM);
    assert_int_equal(issue.detail_count, 7);
    const struct jsv_problem problem = {.message = JSV_STR("m")};
    struct jsv_problems problems = {&problem, 1, 0};
    struct envelope_issues issues = {.count = 7};
    assert_int_equal(
        envelope_issues_from_problems(JSV_STR("C"), &problems, &arena, &issues), -ENOMEM);
    assert_int_equal(issues.count, 7);
    jsv_arena_done(&arena);
}

static void test_problems(void **state)
{
    struct json_fixture *fixture = *state;
    const struct jsv_problem items[] = {
        {.path = JSV_STR("/a"), .message = JSV_STR("expected \"x\""), .keyword = JSV_STR("const")},
        {.message = JSV_STR("never")},
    };
    struct jsv_problems problems = {items, 2, 5};
    struct envelope_issues issues;
    struct jsv_arena *arena = &fixture->scratch;
    assert_int_equal(envelope_issues_from_problems(JSV_STR("C"), &problems, arena, &issues), 0);
    struct jsv_writer writer = jsv_writer_on(&fixture->out);
    envelope_issues_write(&issues, "detail", &writer);
    quoted_expect(
        fixture,
        "[{'code':'C','message':'expected \\'x\\'','detail':{'path':'/a','keyword':'const'}},"
        "{'code':'C','message':'never','detail':{'path':''}}]");
}

/* Cut at the limit, and never within a character. */
static void test_the_first_problem_as_a_failure(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_problem item = {.path = JSV_STR("/n"), .message = JSV_STR("expected integer")};
    const struct jsv_problems problems = {&item, 1, 0};
    struct envelope_issue issue;
    enum envelope_failure failure = ENVELOPE_FAILURE_OUTPUT_INVALID;
    assert_int_equal(envelope_failure_problem(failure, &problems, &fixture->scratch, &issue), 0);
    assert_true(jsv_str_equal(issue.details[0].text, JSV_STR("/n: expected integer")));
    item.path = JSV_STR("");
    assert_int_equal(envelope_failure_problem(failure, &problems, &fixture->scratch, &issue), 0);
    assert_true(jsv_str_equal(issue.details[0].text, JSV_STR("expected integer")));
    struct jsv_arena arena;
    jsv_arena_init(&arena, NULL, 8);
    assert_int_equal(envelope_failure_problem(failure, &problems, &arena, &issue), -ENOMEM);
    jsv_arena_done(&arena);
}

static void test_a_long_message(void **state)
{
    struct json_fixture *fixture = *state;
    for (size_t before = 0; before < 4; before++) {
        struct jsv_buf *text = json_fixture_buf(fixture);
        for (size_t i = 0; i < before; i++) {
            jsv_buf_append_byte(text, 'a');
        }
        while (text->size < ENVELOPE_MESSAGE_MAX + 8) {
            jsv_buf_append_str(text, JSV_STR("\xF0\x9F\x98\x80"));
        }
        struct envelope_issue issue = {.code = JSV_STR("C"), .message = jsv_buf_str(text)};
        struct jsv_writer writer = jsv_writer_on(&fixture->out);
        envelope_issue_write(&issue, "details", &writer);
        struct jsv_value written = quoted_take(fixture);
        size_t size = jsv_value_text(jsv_value_get(written, JSV_STR("message"))).size;
        assert_int_equal(size, ENVELOPE_MESSAGE_MAX - (ENVELOPE_MESSAGE_MAX - before) % 4);
    }
}

/* docs/envelopes.md has a row for each code. */
static void docs_list_every_code(void **state)
{
    (void)state;
    static const char *const codes[] = {
#define ENVELOPE_FAILURE(name, code, ...) (code),
#include "envelope/failures.def"
#undef ENVELOPE_FAILURE
    };
    struct jsv_str docs = files_read("docs/envelopes.md");
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        char row[128];
        int size = snprintf(row, sizeof(row), "\n| `%s` |", codes[i]);
        if (!memmem(docs.data, docs.size, row, (size_t)size)) {
            fail_msg("docs/envelopes.md lacks %s", codes[i]);
        }
    }
    free((char *)(uintptr_t)docs.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(docs_list_every_code),
        JSON_TEST(test_failures_with_a_number),
        JSON_TEST(test_failures_with_a_text),
        cmocka_unit_test(test_no_memory),
        JSON_TEST(test_problems),
        JSON_TEST(test_the_first_problem_as_a_failure),
        JSON_TEST(test_a_long_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
