#include "envelope/reference.h"
#include "unit/dialect/asking.h"

static void test_catalog(void **state)
{
    const char *answer = pipeline_post(*state, RPC_ENDPOINT_TOOLS, "", NULL);
    expect_beginning(answer, "{\"version\":\"1.0.0\",\"tools\":[{\"toolId\":\"mcp.tool:");
    assert_null(strstr(answer, "\"absent\""));
}

static void test_schemas(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    expect_beginning(
        pipeline_post(pipeline, RPC_ENDPOINT_SCHEMA, "request.schema.json", NULL), "{\"$schema\":");
    expect_beginning(
        pipeline_post(pipeline, RPC_ENDPOINT_SCHEMA, "part.schema.json", NULL),
        "{\"type\":\"object\",\"properties\":{\"n\"");
    expect_beginning(
        pipeline_post(pipeline, RPC_ENDPOINT_SCHEMA, "part", NULL), "{\"type\":\"object\"");
    assert_int_equal(pipeline->last_status, 200);
    expect_beginning(
        pipeline_post(pipeline, RPC_ENDPOINT_SCHEMA, "../part", NULL),
        "{\"error\":{\"code\":\"SCHEMA_NOT_FOUND\"");
    assert_int_equal(pipeline->last_status, 404);
}

static void test_openapi_has_tools_and_rewritten_references(void **state)
{
    const char *answer = pipeline_post(*state, RPC_ENDPOINT_OPENAPI, "", NULL);
    expect_beginning(answer, "{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"mcpgate\"");
    expect_part(answer, "at /rpc.\",\"version\":\"" ENVELOPE_REFERENCE_VERSION "\"");
    expect_part(answer, "\"/mcp/tool/mcp.tool:validate_asset\":{\"post\":{");
    expect_part(answer, "\"$ref\":\"#/components/schemas/get_schema.output/$defs/errors\"");
    expect_part(answer, "\"$ref\":\"#/components/schemas/Artifact/$defs/digest\"");
    assert_null(strstr(answer, "\"$ref\":\"#/$defs"));
    assert_null(strstr(answer, ".v0.1.json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PIPELINE_TEST(test_catalog),
        PIPELINE_TEST(test_schemas),
        PIPELINE_TEST(test_openapi_has_tools_and_rewritten_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
