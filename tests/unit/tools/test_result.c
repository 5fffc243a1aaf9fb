/* The shapes that tools share; each tool's own test has them in use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tools/builtin.h"

static struct jsv_buf out;
static struct tool_call call;

static int set_up(void **state)
{
    (void)state;
    jsv_buf_init(&out, NULL, 200);
    call = (struct tool_call){.out = &out, .verdict = TOOL_VERDICT_OK};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    jsv_buf_done(&out);
    return 0;
}

static void expect(const char *text)
{
    assert_int_equal(out.size, strlen(text));
    assert_memory_equal(out.data, text, out.size);
}

static void test_failures(void **state)
{
    (void)state;
    assert_int_equal(tool_not_found(&call), TOOL_DONE);
    assert_int_equal(call.verdict, TOOL_VERDICT_FAILED);
    expect("{\"ok\":false,\"reason\":\"not_found\"}");
    jsv_buf_reset(&out);
    assert_int_equal(tool_unsupported(&call, JSV_STR("d")), TOOL_DONE);
    expect("{\"ok\":false,\"reason\":\"unsupported\",\"detail\":\"d\"}");
    jsv_buf_reset(&out);
    assert_int_equal(tool_refuse(&call, JSV_STR("/p"), JSV_STR("m")), TOOL_DONE);
    expect("{\"ok\":false,\"reason\":\"validation_failed\","
           "\"errors\":[{\"path\":\"/p\",\"msg\":\"m\"}]}");
}

static void test_problems(void **state)
{
    (void)state;
    const struct jsv_problem items[] = {
        {.path = JSV_STR(""), .message = JSV_STR("a")},
        {.path = JSV_STR("/x"), .message = JSV_STR("\"b\"")},
    };
    const struct jsv_problems problems = {.items = items, .count = 2, .more = 7};
    struct jsv_writer writer = tool_begin(&call, false);
    tool_write_problems(&writer, &problems);
    assert_int_equal(tool_end(&call, &writer, TOOL_VERDICT_NEGATIVE), TOOL_DONE);
    assert_int_equal(call.verdict, TOOL_VERDICT_NEGATIVE);
    expect("{\"ok\":false,\"errors\":[{\"path\":\"\",\"msg\":\"a\"},"
           "{\"path\":\"/x\",\"msg\":\"\\\"b\\\"\"}],\"more\":7}");
}

/* A result that does not fit is an error. */
static void test_no_room(void **state)
{
    (void)state;
    out.size_max = 20;
    assert_int_equal(tool_not_found(&call), -ENOBUFS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_failures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_problems, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_room, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
