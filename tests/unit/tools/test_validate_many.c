#define _GNU_SOURCE /* nftw() */
#include "unit/tools/calling.h"

static void test_one_result_each(void **state)
{
    (void)state;
    fixture_write(
        "schemas/part.schema.json",
        "{'properties': {'n': {'type': 'integer'}}, 'additionalProperties': false}");
    calling_run(
        "validate_many",
        "{'schema': 'part', 'assets': [{'n': 1}, {'n': 'x'}, {'n': 2, '$schemaRef': 'y'}]}",
        TOOL_VERDICT_OK,
        "{'ok':true,'results':[{'ok':true},"
        "{'ok':false,'errors':[{'path':'/n','msg':'expected integer'}]},{'ok':true}]}");
    calling_run(
        "validate_many",
        "{'schema': 'part', 'assets': []}",
        TOOL_VERDICT_OK,
        "{'ok':true,'results':[]}");
}

static void test_batch_limit(void **state)
{
    (void)state;
    calling_run(
        "validate_many",
        "{'schema': 'part', 'assets': [1, 2, 3, 4]}",
        TOOL_VERDICT_FAILED,
        "{'ok':false,'reason':'unsupported','detail':'batch_too_large','limit':3}");
}

static void test_schema_that_is_not_there(void **state)
{
    (void)state;
    calling_run(
        "validate_many",
        "{'schema': 'none', 'assets': [1]}",
        TOOL_VERDICT_FAILED,
        "{'ok':false,'reason':'validation_failed',"
        "'errors':[{'path':'/schema','msg':'schema_not_found'}]}");
}

/* Assets after one that hits the limit are not validated. */
static void test_limit_of_steps(void **state)
{
    (void)state;
    calling.limits.steps_max = 1;
    fixture_write("schemas/n.schema.json", "{'items': {'minLength': 1}}");
    calling_start(
        "validate_many",
        "{'schema': 'n', 'assets': [1, ['a','b','c','d','e','f','g','h','i','j'], 1]}");
    assert_int_equal(tool_run(&calling.call), TOOL_DONE);
    jsv_validator_free(calling.validator);
    calling.validator = jsv_validator_new(NULL, NULL);
    calling_expect(
        TOOL_VERDICT_OK,
        "{'ok':true,'results':[{'ok':true},{'ok':false,'errors':[{'path':'',"
        "'msg':'validation_limit: this asset, with those before it, takes "
        "too many steps'}]},"
        "{'ok':false,'errors':[{'path':'',"
        "'msg':'validation_limit: not validated, because an asset "
        "before it hit the limit'}]}]}");
}

static void test_takes_an_array(void **state)
{
    (void)state;
    calling_refuse("validate_many", "{'schema': 'part'}");
    calling_refuse("validate_many", "{'schema': 'part', 'assets': {}}");
    calling_refuse("validate_many", "{'assets': []}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CALLING_TEST(test_one_result_each),
        CALLING_TEST(test_batch_limit),
        CALLING_TEST(test_schema_that_is_not_there),
        CALLING_TEST(test_limit_of_steps),
        CALLING_TEST(test_takes_an_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
