#define _GNU_SOURCE /* nftw() */
#include "unit/tools/calling.h"

static int set_up(void **state)
{
    calling_set_up(state);
    tmpdir_mkdir(&fixture.dir, "examples/deep");
    fixture_write("examples/deep/Part_One.json", "{}");
    fixture_write("examples/Widget_Basic.json", "{}");
    fixture_write("examples/Widget.bad.json", "[]");
    fixture_write("examples/notes.txt", "no example");
    return 0;
}

#define EXAMPLES_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, calling_tear_down)

#define ALL                                                                                        \
    "{'ok':true,'examples':[{'component':'Part','path':'deep/Part_One.json'},"                     \
    "{'component':'Widget','path':'Widget.bad.json'},"                                             \
    "{'component':'Widget','path':'Widget_Basic.json'}]}"

static void test_all(void **state)
{
    (void)state;
    calling_run("list_examples", "{}", TOOL_VERDICT_OK, ALL);
    calling_run("list_examples", "{'component': 'all'}", TOOL_VERDICT_OK, ALL);
}

static void test_one_component(void **state)
{
    (void)state;
    calling_run(
        "list_examples",
        "{'component': 'Part'}",
        TOOL_VERDICT_OK,
        "{'ok':true,'examples':[{'component':'Part','path':'deep/Part_One.json'}]}");
    calling_run(
        "list_examples", "{'component': 'part'}", TOOL_VERDICT_OK, "{'ok':true,'examples':[]}");
    calling_run("list_examples", "{'component': ''}", TOOL_VERDICT_OK, "{'ok':true,'examples':[]}");
}

static void test_takes_a_string(void **state)
{
    (void)state;
    calling_refuse("list_examples", "{'component': 7}");
    calling_refuse("list_examples", "{'component': null}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXAMPLES_TEST(test_all),
        EXAMPLES_TEST(test_one_component),
        EXAMPLES_TEST(test_takes_a_string),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
