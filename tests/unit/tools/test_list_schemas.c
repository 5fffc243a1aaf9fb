#define _GNU_SOURCE /* nftw() */
#include "unit/tools/calling.h"

static void test_empty(void **state)
{
    (void)state;
    calling_run("list_schemas", "{}", TOOL_VERDICT_OK, "{'ok':true,'schemas':[]}");
}

static void test_sorted_by_name(void **state)
{
    (void)state;
    fixture_write("schemas/b.schema.json", "{'version': '1.0'}");
    fixture_write("schemas/a.schema.json", "{'version': 3.50}");
    fixture_write("schemas/a-b.schema.json", "{'version': true}");
    calling_run(
        "list_schemas",
        "{}",
        TOOL_VERDICT_OK,
        "{'ok':true,'schemas':["
        "{'name':'a','version':'3.50','path':'a.schema.json'},"
        "{'name':'a-b','version':'','path':'a-b.schema.json'},"
        "{'name':'b','version':'1.0','path':'b.schema.json'}]}");
}

static void test_takes_nothing(void **state)
{
    (void)state;
    calling_refuse("list_schemas", "{'x': 1}");
    calling_refuse("list_schemas", "[]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CALLING_TEST(test_empty),
        CALLING_TEST(test_sorted_by_name),
        CALLING_TEST(test_takes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
