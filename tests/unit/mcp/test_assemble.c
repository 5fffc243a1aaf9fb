#define _GNU_SOURCE /* memmem() */
#include <errno.h>
#include <string.h>

#include "mcp/assemble.h"
#include "mcp/embedded.h"
#include "os/sys.h"
#include "support/json_fixture.h"
#include "unit/os/fault.h"

static struct jsv_value definitions_of(struct json_fixture *fixture, enum mcp_version version)
{
    jsv_buf_reset(&fixture->out);
    assert_int_equal(mcp_assemble(version, &fixture->out), 0);
    struct jsv_value root = json_fixture_read_str(fixture, jsv_buf_str(&fixture->out), 0);
    return jsv_value_get(root, JSV_STR("$defs"));
}

static bool has(struct jsv_value definitions, const char *name)
{
    return jsv_value_type(jsv_value_get(definitions, jsv_str_from(name))) != JSV_TYPE_NONE;
}

static void test_numbers_of_definitions(void **state)
{
    static const size_t counts[] = {79, 83, 91, 145, 155};
    for (enum mcp_version version = 0; version < MCP_VERSION_COUNT; version++) {
        assert_int_equal(jsv_value_count(definitions_of(*state, version)), counts[version]);
    }
}

static void test_definitions_come_and_go(void **state)
{
    struct jsv_value first = definitions_of(*state, MCP_VERSION_2024_11_05);
    struct jsv_value second = definitions_of(*state, MCP_VERSION_2025_03_26);
    struct jsv_value third = definitions_of(*state, MCP_VERSION_2025_06_18);
    assert_true(has(first, "Annotated") && !has(second, "Annotated") && !has(third, "Annotated"));
    assert_true(!has(first, "AudioContent") && has(second, "AudioContent"));
    assert_true(has(second, "JSONRPCBatchRequest") && !has(third, "JSONRPCBatchRequest"));
}

/* A version takes a definition as it was last written. */
static void test_later_definitions_win(void **state)
{
    struct jsv_value early = definitions_of(*state, MCP_VERSION_2025_06_18);
    struct jsv_value late = definitions_of(*state, MCP_VERSION_2026_07_28);
    struct jsv_value place;
    struct jsv_str pointer = JSV_STR("/CallToolResult/properties/resultType");
    assert_int_equal(jsv_pointer_get(early, pointer, &place), -ENOENT);
    assert_int_equal(jsv_pointer_get(late, pointer, &place), 0);
}

static void expect_reference(struct jsv_value definitions, struct jsv_str reference)
{
    const struct jsv_str prefix = JSV_STR("#/$defs/");
    assert_true(reference.size > prefix.size);
    assert_memory_equal(reference.data, prefix.data, prefix.size);
    struct jsv_str name = {reference.data + prefix.size, reference.size - prefix.size};
    assert_int_not_equal(jsv_value_type(jsv_value_get(definitions, name)), JSV_TYPE_NONE);
}

/* Whatever refers to a definition that was taken away must have been changed with it. */
static void test_references_lead_somewhere(void **state)
{
    for (enum mcp_version version = 0; version < MCP_VERSION_COUNT; version++) {
        struct jsv_value definitions = definitions_of(*state, version);
        struct jsv_str text = jsv_value_span(definitions);
        const char *at = text.data;
        size_t count = 0;
        while ((at = memmem(at, (size_t)(text.data + text.size - at), "\"$ref\":\"", 8)) != NULL) {
            at += 8;
            const char *end = strchr(at, '"');
            expect_reference(definitions, (struct jsv_str){at, (size_t)(end - at)});
            count++;
        }
        assert_true(count > 80);
    }
}

static void test_embedded_files(void **state)
{
    (void)state;
    for (enum mcp_version version = 0; version < MCP_VERSION_COUNT; version++) {
        const char *name = mcp_version_name(version);
        assert_memory_equal(mcp_embedded[version].name, name, strlen(name));
    }
    assert_null(mcp_embedded[MCP_VERSION_COUNT].name);
}

static void test_no_memory(void **state)
{
    (void)state;
    unsigned at = 0;
    int r;
    do {
        struct jsv_buf out;
        fault_arm(FAULT_RESIZE, ++at, ENOMEM);
        jsv_buf_init(&out, os_allocator(), SIZE_MAX);
        r = mcp_assemble(MCP_VERSION_2025_03_26, &out);
        jsv_buf_done(&out);
        assert_int_equal(fault.live_blocks, 0);
        assert_int_equal(r, fault.hit ? -ENOMEM : 0);
        fault_disarm();
    } while (r == -ENOMEM);
    assert_true(at > 5);
}

static void test_buffer_too_small(void **state)
{
    (void)state;
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, 100);
    assert_int_equal(mcp_assemble(MCP_VERSION_2024_11_05, &out), -ENOBUFS);
    jsv_buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(test_numbers_of_definitions),
        JSON_TEST(test_definitions_come_and_go),
        JSON_TEST(test_later_definitions_win),
        JSON_TEST(test_references_lead_somewhere),
        cmocka_unit_test(test_embedded_files),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_buffer_too_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
