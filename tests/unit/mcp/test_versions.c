#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mcp/versions.h"

static void test_names(void **state)
{
    (void)state;
    for (enum mcp_version version = 0; version < MCP_VERSION_COUNT; version++) {
        enum mcp_version found = MCP_VERSION_COUNT;
        const char *name = mcp_version_name(version);
        assert_int_equal(mcp_version_from_name(jsv_str_from(name), &found), 0);
        assert_int_equal(found, version);
        /* Dates sort as text; "since" and "until" rely on that order. */
        assert_true(version == 0 || strcmp(mcp_version_name(version - 1), name) < 0);
    }
    assert_string_equal(mcp_version_name(MCP_VERSION_OLDEST), "2024-11-05");
    assert_string_equal(mcp_version_name(MCP_VERSION_NEWEST), "2026-07-28");
}

static void test_unknown_names(void **state)
{
    (void)state;
    static const char *const names[] = {
        "", "2025", "2025-06-1", "2025-06-180", "2025-06-19", "v999.0.0", "DRAFT"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        enum mcp_version version = MCP_VERSION_COUNT;
        assert_int_equal(mcp_version_from_name(jsv_str_from(names[i]), &version), -ENOENT);
        assert_int_equal(version, MCP_VERSION_COUNT);
    }
}

static void test_facts(void **state)
{
    (void)state;
    for (enum mcp_version version = 0; version < MCP_VERSION_COUNT; version++) {
        bool modern = version == MCP_VERSION_2026_07_28;
        const struct mcp_version_facts *facts = mcp_version_facts(version);
        assert_int_equal(facts->era, modern ? MCP_ERA_MODERN : MCP_ERA_LEGACY);
        assert_int_equal(facts->unknown_resource, modern ? -32602 : -32002);
        assert_int_equal(mcp_version_has(version, MCP_TRAIT_RESULT_TYPE), modern);
        assert_int_equal(mcp_version_has(version, MCP_TRAIT_DISCONNECT_CANCELS), modern);
        bool batch = version == MCP_VERSION_2025_03_26;
        assert_int_equal(mcp_version_has(version, MCP_TRAIT_BATCH), batch);
        bool late = version >= MCP_VERSION_2025_11_25;
        assert_int_equal(mcp_version_has(version, MCP_TRAIT_ERROR_WITHOUT_ID), late);
        assert_int_equal(mcp_version_has(version, MCP_TRAIT_BAD_ARGUMENTS_ARE_RESULTS), late);
    }
    assert_int_equal(mcp_version_facts(MCP_VERSION_NEWEST_LEGACY)->era, MCP_ERA_LEGACY);
    assert_int_equal(mcp_version_facts(MCP_VERSION_NEWEST_LEGACY + 1)->era, MCP_ERA_MODERN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
