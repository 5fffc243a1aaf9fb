#include <errno.h>

#include "mcp/official.h"
#include "unit/mcp/schema_text.h"
#include "unit/os/fault.h"

static void expect_fault(struct jsv_str text, enum mcp_version version, const char *message)
{
    struct mcp_official official = {text, version};
    struct mcp_official_facts facts;
    struct mcp_fault fault_found;
    assert_int_equal(mcp_official_look(&official, &facts, &fault_found), -EBADMSG);
    assert_string_equal(fault_found.text, message);
}

static void test_version_is_found(void **state)
{
    for (enum mcp_version version = 0; version < MCP_VERSION_COUNT; version++) {
        struct mcp_official official = {
            schema_text(*state, version, NULL, NULL), MCP_VERSION_COUNT};
        struct mcp_official_facts facts;
        struct mcp_fault fault_found;
        assert_int_equal(mcp_official_look(&official, &facts, &fault_found), 0);
        assert_int_equal(facts.version, version);
        assert_string_equal(facts.key, "$defs");
    }
}

static void test_other_key(void **state)
{
    struct mcp_official official = {
        schema_text(*state, MCP_VERSION_2025_03_26, "\"$defs\"", "\"definitions\""),
        MCP_VERSION_2025_03_26};
    struct mcp_official_facts facts;
    struct mcp_fault fault_found;
    assert_int_equal(mcp_official_look(&official, &facts, &fault_found), 0);
    assert_string_equal(facts.key, "definitions");
}

static void test_faults(void **state)
{
    expect_fault(
        JSV_STR("{\n  \"a\" 1}"),
        MCP_VERSION_COUNT,
        "line 2, column 7: expected ':' after the member name");
    const char *unknown = "not the schema of a version of the protocol known here";
    expect_fault(JSV_STR("{}"), MCP_VERSION_COUNT, unknown);
    expect_fault(JSV_STR("[]"), MCP_VERSION_COUNT, unknown);
    expect_fault(JSV_STR("{\"$defs\":{\"Other\":{}}}"), MCP_VERSION_COUNT, unknown);
    expect_fault(
        schema_text(*state, MCP_VERSION_2025_06_18, "\"PingRequest\":", "\"PingResquest\":"),
        MCP_VERSION_COUNT,
        "definition \"PingRequest\" of version 2025-06-18 is missing");
    /* A schema is what the operator says it is. */
    expect_fault(
        schema_text(*state, MCP_VERSION_2025_06_18, NULL, NULL),
        MCP_VERSION_2026_07_28,
        "definition \"SubscriptionsAcknowledgedNotification\" of version 2026-07-28 is missing");
}

static void test_has(void **state)
{
    struct jsv_str text = schema_text(*state, MCP_VERSION_2025_06_18, NULL, NULL);
    assert_int_equal(mcp_official_has(text, "$defs", JSV_STR("Tool")), 1);
    assert_int_equal(mcp_official_has(text, "$defs", JSV_STR("Fool")), 0);
    assert_int_equal(mcp_official_has(text, "definitions", JSV_STR("Tool")), 0);
    assert_int_equal(mcp_official_has(JSV_STR("{"), "$defs", JSV_STR("Tool")), -EBADMSG);
}

static void test_faults_of_schemas(void **state)
{
    (void)state;
    struct mcp_fault fault_found;
    struct jsv_error schema_fault = {
        .pointer = JSV_STR("/$defs/Tool/type"), .message = JSV_STR("expected string")};
    mcp_fault_from_schema(&fault_found, &schema_fault);
    assert_string_equal(fault_found.text, "/$defs/Tool/type: expected string");

    schema_fault = (struct jsv_error){
        .code = JSV_ERROR_MEMORY, .line = 3, .column = 4, .message = JSV_STR("no memory")};
    mcp_fault_from_schema(&fault_found, &schema_fault);
    assert_string_equal(fault_found.text, "line 3, column 4: no memory");
}

/* A pointer may be as long as a schema; the text is cut. */
static void test_long_fault(void **state)
{
    (void)state;
    char pointer[2 * MCP_FAULT_SIZE_MAX];
    memset(pointer, 'a', sizeof(pointer));
    struct jsv_error schema_fault = {.pointer = {pointer, sizeof(pointer)}};
    struct mcp_fault fault_found;
    mcp_fault_from_schema(&fault_found, &schema_fault);
    assert_int_equal(strlen(fault_found.text), MCP_FAULT_SIZE_MAX - 1);
}

static void test_no_memory(void **state)
{
    struct mcp_official official = {
        schema_text(*state, MCP_VERSION_2024_11_05, NULL, NULL), MCP_VERSION_COUNT};
    unsigned at = 0;
    int r;
    do {
        struct mcp_official_facts facts;
        struct mcp_fault fault_found;
        fault_arm(FAULT_RESIZE, ++at, ENOMEM);
        r = mcp_official_look(&official, &facts, &fault_found);
        assert_int_equal(r, fault.hit ? -ENOMEM : 0);
        assert_int_equal(fault.live_blocks, 0);
        fault_disarm();
    } while (r < 0);
    assert_true(at > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(test_version_is_found),
        JSON_TEST(test_other_key),
        JSON_TEST(test_faults),
        JSON_TEST(test_has),
        cmocka_unit_test(test_faults_of_schemas),
        cmocka_unit_test(test_long_fault),
        JSON_TEST(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
