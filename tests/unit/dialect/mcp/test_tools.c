/*
 * tools/list with descriptors that are looser than the protocol. The fixture checks
 * each answer against the definition of its version.
 */
#include <string.h>

#include "catalog/catalog.h"
#include "support/pipeline_fixture.h"

#define TOOL(name, members) JSV_STR("{\"name\":\"" name "\",\"description\":\"\"," members "}")

static const struct jsv_str descriptors[] = {
    TOOL("untyped", "\"inputSchema\":{\"required\":[\"a\"]}"),
    TOOL("list", "\"inputSchema\":{\"type\":\"array\"},\"outputSchema\":{\"type\":\"array\"}"),
    TOOL(
        "hints",
        "\"inputSchema\":{\"type\":\"object\"},\"annotations\":{\"title\":1,"
        "\"readOnlyHint\":\"yes\",\"destructiveHint\":true,\"owner\":\"x\"}"),
    TOOL("no_hints", "\"inputSchema\":{\"type\":\"object\"},\"annotations\":7"),
    TOOL("any", "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":true,\"b\":false}}"),
};

static void use_descriptors(struct pipeline_fixture *pipeline)
{
    const struct catalog_options options = {
        .tools = descriptors,
        .tool_count = sizeof(descriptors) / sizeof(descriptors[0]),
    };
    struct catalog *catalog;
    const char *wrong;
    assert_int_equal(catalog_load(&options, NULL, NULL, NULL, &catalog, &wrong), 0);
    core_worker_set_catalog(pipeline->worker, catalog);
    catalog_release(catalog);
}

static void expect_list(const char *answer, const char *tools)
{
    const char *list = strstr(answer, "\"tools\":");
    if (!list || strncmp(list, tools, strlen(tools)) != 0) {
        fail_msg("got %s\nexpected %s", answer, tools);
    }
}

static void members_that_the_protocol_forbids_are_not_listed(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    use_descriptors(pipeline);
    expect_list(
        pipeline_ask(pipeline, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"),
        "\"tools\":[{\"name\":\"untyped\",\"description\":\"\",\"inputSchema\":{"
        "\"type\":\"object\",\"required\":[\"a\"]}},"
        "{\"name\":\"list\",\"description\":\"\",\"inputSchema\":{\"type\":\"object\"}},"
        "{\"name\":\"hints\",\"description\":\"\",\"inputSchema\":{\"type\":\"object\"},"
        "\"annotations\":{\"destructiveHint\":true,\"owner\":\"x\"}},"
        "{\"name\":\"no_hints\",\"description\":\"\",\"inputSchema\":{\"type\":\"object\"}},"
        "{\"name\":\"any\",\"description\":\"\",\"inputSchema\":{\"type\":\"object\","
        "\"properties\":{\"a\":{},\"b\":{\"not\":{}}}}}]");
}

static void modern_clients_get_schemas_as_declared(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    use_descriptors(pipeline);
    const char *answer = pipeline_ask(
        pipeline,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
        "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":{}}}}");
    assert_non_null(strstr(answer, "\"outputSchema\":{\"type\":\"array\"}"));
    assert_non_null(strstr(answer, "\"properties\":{\"a\":true,\"b\":false}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PIPELINE_TEST(members_that_the_protocol_forbids_are_not_listed),
        PIPELINE_TEST(modern_clients_get_schemas_as_declared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
