#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mcp/methods.h"

static void test_table_is_sorted_and_found(void **state)
{
    (void)state;
    for (enum mcp_method_id id = 0; id < MCP_METHOD_COUNT; id++) {
        const struct mcp_method *method = mcp_method(id);
        assert_int_equal(method->id, id);
        assert_true(id == 0 || jsv_str_compare(mcp_method(id - 1)->name, method->name) < 0);
        assert_ptr_equal(mcp_method_find(method->name), method);
        assert_true(method->first <= method->last);
    }
}

static void test_names_of_kinds(void **state)
{
    (void)state;
    for (enum mcp_method_id id = 0; id < MCP_METHOD_COUNT; id++) {
        const struct mcp_method *method = mcp_method(id);
        bool notification = strncmp(method->name.data, "notifications/", 14) == 0;
        assert_int_equal(method->kind == MCP_METHOD_KIND_NOTIFICATION, notification);
        assert_int_equal(method->result == NULL, notification);
        const char *ending = notification ? "Notification" : "Request";
        size_t size = strlen(method->message);
        assert_string_equal(method->message + size - strlen(ending), ending);
    }
}

static void test_unknown(void **state)
{
    (void)state;
    static const char *const names[] = {
        "",
        "a",
        "tools",
        "tools/",
        "tools/call/",
        "tools/lists",
        "Tools/List",
        "zzz",
        "mcp.discover"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        assert_null(mcp_method_find(jsv_str_from(names[i])));
    }
}

static void test_versions_of_methods(void **state)
{
    (void)state;
    static const struct {
        enum mcp_method_id method;
        const char *versions; /* one mark each, oldest first */
    } cases[] = {
        {MCP_METHOD_TOOLS_CALL, "xxxxx"},
        {MCP_METHOD_INITIALIZE, "xxxx-"},
        {MCP_METHOD_PING, "xxxx-"},
        {MCP_METHOD_ELICITATION_CREATE, "--xx-"},
        {MCP_METHOD_TASKS_GET, "---x-"},
        {MCP_METHOD_SERVER_DISCOVER, "----x"},
        {MCP_METHOD_SUBSCRIPTIONS_ACKNOWLEDGED, "----x"},
        {MCP_METHOD_SAMPLING_CREATE_MESSAGE, "xxxx-"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (enum mcp_version version = 0; version < MCP_VERSION_COUNT; version++) {
            bool expected = cases[i].versions[version] == 'x';
            assert_int_equal(mcp_method_is_in(mcp_method(cases[i].method), version), expected);
        }
    }
}

static void test_alternatives(void **state)
{
    (void)state;
    for (enum mcp_alternative_id id = 0; id < MCP_ALTERNATIVE_COUNT; id++) {
        const struct mcp_alternative *alternative = mcp_alternative(id);
        assert_int_equal(alternative->id, id);
        assert_ptr_equal(
            mcp_alternative_of(alternative->method, alternative->version), alternative);
        assert_true(mcp_method_is_in(mcp_method(alternative->method), alternative->version));
    }
    assert_null(mcp_alternative_of(MCP_METHOD_TOOLS_CALL, MCP_VERSION_2025_06_18));
    assert_null(mcp_alternative_of(MCP_METHOD_TOOLS_LIST, MCP_VERSION_2026_07_28));
}

static void test_errors(void **state)
{
    (void)state;
    for (enum mcp_error_id id = 0; id < MCP_ERROR_COUNT; id++) {
        const struct mcp_error *error = mcp_error(id);
        assert_int_equal(error->id, id);
        assert_ptr_equal(mcp_error_of(error->code, error->version), error);
    }
    assert_null(mcp_error_of(-32602, MCP_VERSION_2025_11_25));
    assert_null(mcp_error_of(-32042, MCP_VERSION_2026_07_28));
    assert_null(mcp_error_of(0, MCP_VERSION_2026_07_28));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_is_sorted_and_found),
        cmocka_unit_test(test_names_of_kinds),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_versions_of_methods),
        cmocka_unit_test(test_alternatives),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
