#define _GNU_SOURCE /* nftw() */
#include "unit/tools/calling.h"

static void test_patch(void **state)
{
    (void)state;
    calling_run(
        "diff_assets",
        "{'base': {'a': 1, 'b': 2, 'c': [1]}, 'new': {'b': 3.50, 'c': [1.0], 'd': null}}",
        TOOL_VERDICT_OK,
        "{'ok':true,'patch':[{'op':'remove','path':'/a'},"
        "{'op':'replace','path':'/b','value':3.50},{'op':'add','path':'/d','value':null}]}");
}

static void test_equal(void **state)
{
    (void)state;
    calling_run(
        "diff_assets",
        "{'base': {'a': 1}, 'new': {'a': 1.0}}",
        TOOL_VERDICT_OK,
        "{'ok':true,'patch':[]}");
}

static void test_missing_is_empty(void **state)
{
    (void)state;
    calling_run("diff_assets", "{}", TOOL_VERDICT_OK, "{'ok':true,'patch':[]}");
    calling_run(
        "diff_assets",
        "{'base': {'a': 1}}",
        TOOL_VERDICT_OK,
        "{'ok':true,'patch':[{'op':'remove','path':'/a'}]}");
    calling_run(
        "diff_assets",
        "{'base': null, 'new': 1}",
        TOOL_VERDICT_OK,
        "{'ok':true,'patch':[{'op':'replace','path':'','value':1}]}");
}

static void test_no_room(void **state)
{
    (void)state;
    calling_start("diff_assets", "{'new': {'abcdefghijklmnopqrstuvwxyz': 1}}");
    jsv_buf_done(&calling.out);
    jsv_buf_init(&calling.out, NULL, 30);
    assert_int_equal(tool_run(&calling.call), -ENOBUFS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CALLING_TEST(test_patch),
        CALLING_TEST(test_equal),
        CALLING_TEST(test_missing_is_empty),
        CALLING_TEST(test_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
