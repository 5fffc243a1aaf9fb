#define _GNU_SOURCE /* nftw() */
#include "unit/tools/calling.h"

#define WIDGET                                                                                     \
    "{'$id': 'https://schemas.test/widget.schema.json', 'type': 'object',"                         \
    " 'properties': {'sku': {'type': 'string'}, 'parts': {'items': {'$ref': "                      \
    "'part.schema.json'}}},"                                                                       \
    " 'required': ['sku'], 'additionalProperties': false}"

static void write_schemas(void)
{
    fixture_write("schemas/widget.schema.json", WIDGET);
    fixture_write("schemas/part.schema.json", "{'type': 'object', 'required': ['n']}");
}

static void test_valid(void **state)
{
    (void)state;
    write_schemas();
    calling_run(
        "validate_asset",
        "{'asset': {'sku': 'a', 'parts': [{'n': 1}]}, 'schema': 'widget'}",
        TOOL_VERDICT_OK,
        "{'ok':true}");
}

static void test_problems_are_sorted(void **state)
{
    (void)state;
    write_schemas();
    calling_run(
        "validate_asset",
        "{'asset': {'z': 1, 'parts': [5], 'a/b': 0}, 'schema': 'widget'}",
        TOOL_VERDICT_NEGATIVE,
        "{'ok':false,'reason':'validation_failed','errors':["
        "{'path':'','msg':'missing property \\'sku\\''},"
        "{'path':'/a~1b','msg':'unexpected property \\'a/b\\''},"
        "{'path':'/parts/0','msg':'expected object'},"
        "{'path':'/z','msg':'unexpected property \\'z\\''}]}");
}

/* A closed schema must not refuse it, whatever it is; further down it is a member like others. */
static void test_schema_ref_is_ignored(void **state)
{
    (void)state;
    write_schemas();
    calling_run(
        "validate_asset",
        "{'asset': {'sku': 'a', '$schemaRef': 7}, 'schema': 'widget'}",
        TOOL_VERDICT_OK,
        "{'ok':true}");
    calling_run(
        "validate_asset",
        "{'asset': {'$schemaRef': 'x', 'sku': 1, '\\u0071': {'k': [1.50]}}, 'schema': 'widget'}",
        TOOL_VERDICT_NEGATIVE,
        "{'ok':false,'reason':'validation_failed','errors':["
        "{'path':'/q','msg':'unexpected property \\'q\\''},"
        "{'path':'/sku','msg':'expected string'}]}");
    fixture_write(
        "schemas/deep.schema.json", "{'properties': {'a': {'additionalProperties': false}}}");
    fixture_load("");
    calling_run(
        "validate_asset",
        "{'asset': {'a': {'$schemaRef': 'x'}}, 'schema': 'deep'}",
        TOOL_VERDICT_NEGATIVE,
        "{'ok':false,'reason':'validation_failed','errors':["
        "{'path':'/a/$schemaRef','msg':'unexpected property \\'$schemaRef\\''}]}");
}

static void test_nested_name(void **state)
{
    (void)state;
    fixture_write("schemas/synesthetic-asset.schema.json", "{'required': ['name']}");
    calling_run(
        "validate_asset",
        "{'asset': {'name': 1}, 'schema': 'nested-synesthetic-asset'}",
        TOOL_VERDICT_OK,
        "{'ok':true}");
}

static void test_schema_that_is_not_there(void **state)
{
    (void)state;
    calling_run(
        "validate_asset",
        "{'asset': {}, 'schema': 'none'}",
        TOOL_VERDICT_FAILED,
        "{'ok':false,'reason':'validation_failed',"
        "'errors':[{'path':'/schema','msg':'schema_not_found'}]}");
    calling_run(
        "validate_asset",
        "{'asset': {}, 'schema': '../none'}",
        TOOL_VERDICT_FAILED,
        "{'ok':false,'reason':'validation_failed',"
        "'errors':[{'path':'/schema','msg':'invalid_path'}]}");
}

static void test_schema_that_does_not_compile(void **state)
{
    (void)state;
    fixture_write("schemas/bad.schema.json", "{'properties': {'x': {'type': 'strin'}}}");
    calling_start("validate_asset", "{'asset': {}, 'schema': 'bad'}");
    assert_int_equal(tool_run(&calling.call), TOOL_DONE);
    assert_int_equal(calling.call.verdict, TOOL_VERDICT_FAILED);
    struct jsv_str out = jsv_buf_str(&calling.out);
    assert_non_null(
        memmem(out.data, out.size, "invalid_schema: bad.schema.json#/properties/x", 45));
    assert_null(memmem(out.data, out.size, fixture.dir.path, strlen(fixture.dir.path)));
}

/* As many as there are room for are listed, the others counted. */
static void test_many_problems(void **state)
{
    (void)state;
    calling.limits.problems_max = 2;
    fixture_write("schemas/n.schema.json", "{'items': {'type': 'string'}}");
    calling_run(
        "validate_asset",
        "{'asset': [1, 2, 3, 4, 5], 'schema': 'n'}",
        TOOL_VERDICT_NEGATIVE,
        "{'ok':false,'reason':'validation_failed','errors':["
        "{'path':'/0','msg':'expected string'},{'path':'/1','msg':'expected string'}],'more':3}");
}

/* The call alone has few steps; its answer is checked with as many as it takes. */
static void call_with_steps(uint64_t steps_max, const char *arguments)
{
    calling.limits.steps_max = steps_max;
    calling_start("validate_asset", arguments);
    assert_int_equal(tool_run(&calling.call), TOOL_DONE);
    jsv_validator_free(calling.validator);
    calling.limits.steps_max = 0;
    calling.validator = jsv_validator_new(NULL, NULL);
}

static void test_limit_of_steps(void **state)
{
    (void)state;
    fixture_write("schemas/n.schema.json", "{'items': {'minLength': 1}}");
    call_with_steps(1, "{'asset': ['a','b','c','d','e','f','g','h','i','j','k'], 'schema': 'n'}");
    calling_expect(
        TOOL_VERDICT_FAILED,
        "{'ok':false,'reason':'validation_failed','errors':[{'path':'',"
        "'msg':'validation_limit: this asset, with those before it, takes "
        "too many steps'}]}");
}

/* An invalid asset is refused, even if no steps are left for its list of errors. */
static void test_faults_too_long(void **state)
{
    (void)state;
    fixture_write(
        "schemas/n.schema.json",
        "{'items': {'anyOf': [{'pattern': 'a'}, {'pattern': 'b'}, {'pattern': 'c'}]}}");
    call_with_steps(60, "{'asset': ['x','x','x','x','x','x','x','x','x','x','x'], 'schema': 'n'}");
    calling_expect(
        TOOL_VERDICT_NEGATIVE,
        "{'ok':false,'reason':'validation_failed','errors':[{'path':'',"
        "'msg':'invalid; error list exceeded the work limit'}]}");
}

static void test_needs_both(void **state)
{
    (void)state;
    calling_refuse("validate_asset", "{'asset': {}}");
    calling_refuse("validate_asset", "{'schema': 'a'}");
    calling_refuse("validate_asset", "{'asset': {}, 'schema': ''}");
    calling_refuse("validate_asset", "{'asset': {}, 'schema': null}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CALLING_TEST(test_valid),
        CALLING_TEST(test_problems_are_sorted),
        CALLING_TEST(test_schema_ref_is_ignored),
        CALLING_TEST(test_nested_name),
        CALLING_TEST(test_schema_that_is_not_there),
        CALLING_TEST(test_schema_that_does_not_compile),
        CALLING_TEST(test_many_problems),
        CALLING_TEST(test_limit_of_steps),
        CALLING_TEST(test_faults_too_long),
        CALLING_TEST(test_needs_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
