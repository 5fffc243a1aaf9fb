#define _GNU_SOURCE /* nftw() */
#include "unit/tools/calling.h"

#define NOT_FOUND                                                                                  \
    "{'ok':false,'reason':'validation_failed',"                                                    \
    "'errors':[{'path':'/schema','msg':'schema_not_found'}]}"

static void test_valid(void **state)
{
    (void)state;
    fixture_write(
        "schemas/part.schema.json",
        "{'required': ['n'], 'additionalProperties': "
        "{'type': 'number'}}");
    fixture_write("examples/Part_One.json", "{ 'n': 1.50 }");
    fixture_write("examples/Foo.json", "{'$schemaRef': 'any/part.schema.json', 'n': 1}");
    calling_run(
        "get_example",
        "{'path': 'Part_One.json'}",
        TOOL_VERDICT_OK,
        "{'ok':true,'example':{'n':1.50},'schema':'part','validated':true}");
    calling_run(
        "get_example",
        "{'path': 'Foo.json'}",
        TOOL_VERDICT_OK,
        "{'ok':true,'example':{'$schemaRef':'any/part.schema.json','n':1},'schema':'part',"
        "'validated':true}");
}

static void test_nested(void **state)
{
    (void)state;
    fixture_write("schemas/synesthetic-asset.schema.json", "{'required': ['name']}");
    fixture_write("examples/SynestheticAsset_1.json", "{'name': 1}");
    fixture_write("examples/SynestheticAsset_2.json", "{}");
    calling_run(
        "get_example",
        "{'path': 'SynestheticAsset_1.json'}",
        TOOL_VERDICT_OK,
        "{'ok':true,'example':{'name':1},'schema':'nested-synesthetic-asset','validated':true}");
    calling_run(
        "get_example",
        "{'path': 'SynestheticAsset_2.json'}",
        TOOL_VERDICT_FAILED,
        "{'ok':false,'reason':'validation_failed','errors':["
        "{'path':'','msg':'missing property \\'name\\''}]}");
}

static void test_schema_that_is_not_there(void **state)
{
    (void)state;
    fixture_write("examples/Zebra.json", "{}");
    fixture_write("examples/_.json", "{}");
    fixture_write("examples/Up.json", "{'schema': '../up'}");
    calling_run("get_example", "{'path': 'Zebra.json'}", TOOL_VERDICT_FAILED, NOT_FOUND);
    calling_run("get_example", "{'path': '_.json'}", TOOL_VERDICT_FAILED, NOT_FOUND);
    calling_run(
        "get_example",
        "{'path': 'Up.json'}",
        TOOL_VERDICT_FAILED,
        "{'ok':false,'reason':'validation_failed',"
        "'errors':[{'path':'/schema','msg':'invalid_path'}]}");
}

static void test_paths(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "/x", "..", "a/../b", "x.json\\u0000"};
    calling_run(
        "get_example",
        "{'path': 'none.json'}",
        TOOL_VERDICT_FAILED,
        "{'ok':false,'reason':'not_found'}");
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        char arguments[64];
        snprintf(arguments, sizeof(arguments), "{'path': '%s'}", wrong[i]);
        calling_run(
            "get_example",
            arguments,
            TOOL_VERDICT_FAILED,
            "{'ok':false,'reason':'validation_failed',"
            "'errors':[{'path':'/path','msg':'invalid_path'}]}");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CALLING_TEST(test_valid),
        CALLING_TEST(test_nested),
        CALLING_TEST(test_schema_that_is_not_there),
        CALLING_TEST(test_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
