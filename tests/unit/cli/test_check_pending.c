#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check_pending.h"
#include "mcp/methods.h"
#include "support/json_fixture.h"
#include "unit/os/fault.h"

struct pending_fixture {
    struct json_fixture *json;
    struct check_pending *pending;
};

static int set_up(void **state)
{
    struct pending_fixture *fixture = calloc(1, sizeof(*fixture));
    void *json;
    assert_int_equal(json_fixture_setup(&json), 0);
    fixture->json = json;
    fixture->pending = check_pending_new();
    assert_non_null(fixture->pending);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct pending_fixture *fixture = *state;
    void *json = fixture->json;
    check_pending_free(fixture->pending);
    json_fixture_teardown(&json);
    free(fixture);
    return 0;
}

#define PENDING_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static void put(struct pending_fixture *fixture, const char *id, enum mcp_method_id method)
{
    check_pending_put(
        fixture->pending,
        json_fixture_read(fixture->json, id),
        mcp_method(method),
        MCP_VERSION_NEWEST);
}

static void expect(struct pending_fixture *fixture, const char *id, enum mcp_method_id method)
{
    struct jsv_value value = json_fixture_read(fixture->json, id);
    assert_ptr_equal(check_pending_take(fixture->pending, value), mcp_method(method));
}

static void expect_none(struct pending_fixture *fixture, const char *id)
{
    struct jsv_value value = json_fixture_read(fixture->json, id);
    assert_null(check_pending_take(fixture->pending, value));
}

static void test_found_with_its_version(void **state)
{
    struct pending_fixture *fixture = *state;
    enum mcp_version version = MCP_VERSION_COUNT;
    struct jsv_value id = json_fixture_read(fixture->json, "7");
    assert_null(check_pending_find(fixture->pending, id, &version));
    check_pending_put(fixture->pending, id, mcp_method(MCP_METHOD_PING), MCP_VERSION_2025_03_26);
    for (size_t i = 0; i < 2; i++) {
        assert_ptr_equal(
            check_pending_find(fixture->pending, id, &version), mcp_method(MCP_METHOD_PING));
        assert_int_equal(version, MCP_VERSION_2025_03_26);
    }
    expect(*state, "7", MCP_METHOD_PING);
    assert_null(check_pending_find(fixture->pending, id, &version));
    /* what is no id is nobody's */
    id = json_fixture_read(fixture->json, "[7]");
    assert_null(check_pending_find(fixture->pending, id, &version));
    assert_null(check_pending_find(fixture->pending, (struct jsv_value){0}, &version));
}

static void test_taken_once(void **state)
{
    put(*state, "1", MCP_METHOD_PING);
    put(*state, "2", MCP_METHOD_TOOLS_LIST);
    expect(*state, "2", MCP_METHOD_TOOLS_LIST);
    expect(*state, "1", MCP_METHOD_PING);
    expect_none(*state, "1");
    expect_none(*state, "2");
}

static void test_ids_are_equal_by_value(void **state)
{
    put(*state, "1.0", MCP_METHOD_PING);
    expect(*state, "10e-1", MCP_METHOD_PING);
    put(*state, "\"\\u0041\"", MCP_METHOD_PING);
    expect(*state, "\"A\"", MCP_METHOD_PING);
    put(*state, "\"\"", MCP_METHOD_PING);
    expect(*state, "\"\"", MCP_METHOD_PING);
    put(*state, "\"1\"", MCP_METHOD_PING);
    expect_none(*state, "1");
    put(*state, "123456789012345678901234567890", MCP_METHOD_PING);
    expect_none(*state, "\"123456789012345678901234567890\"");
    expect(*state, "123456789012345678901234567890", MCP_METHOD_PING);
}

static void test_later_request_is_answered_first(void **state)
{
    put(*state, "1", MCP_METHOD_TOOLS_CALL);
    put(*state, "1", MCP_METHOD_SAMPLING_CREATE_MESSAGE);
    expect(*state, "1", MCP_METHOD_SAMPLING_CREATE_MESSAGE);
    expect(*state, "1", MCP_METHOD_TOOLS_CALL);
    expect_none(*state, "1");
}

static void test_long_ids_are_not_remembered(void **state)
{
    char id[CHECK_ID_SIZE_MAX + 4];
    memset(id, 'x', sizeof(id));
    id[0] = '"';
    id[CHECK_ID_SIZE_MAX + 1] = '"';
    id[CHECK_ID_SIZE_MAX + 2] = '\0';
    put(*state, id, MCP_METHOD_PING);
    expect(*state, id, MCP_METHOD_PING);
    id[CHECK_ID_SIZE_MAX + 1] = 'x';
    id[CHECK_ID_SIZE_MAX + 2] = '"';
    id[CHECK_ID_SIZE_MAX + 3] = '\0';
    put(*state, id, MCP_METHOD_PING);
    expect_none(*state, id);
    put(*state, "1", MCP_METHOD_TOOLS_LIST);
    expect(*state, "1", MCP_METHOD_TOOLS_LIST);
}

static void put_many(struct pending_fixture *fixture, unsigned first, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char id[16];
        snprintf(id, sizeof(id), "%u", first + i);
        put(fixture, id, MCP_METHOD_PING);
    }
}

static void test_oldest_is_forgotten(void **state)
{
    put_many(*state, 0, CHECK_PENDING_MAX);
    expect(*state, "0", MCP_METHOD_PING);
    put(*state, "\"a\"", MCP_METHOD_TOOLS_LIST);
    expect(*state, "1", MCP_METHOD_PING);
    put_many(*state, CHECK_PENDING_MAX, 3);
    expect_none(*state, "2");
    expect_none(*state, "3");
    expect(*state, "4", MCP_METHOD_PING);
    expect(*state, "\"a\"", MCP_METHOD_TOOLS_LIST);
}

/* All in one chain, and the oldest at its far end: the order must still hold. */
static void test_one_id_many_times(void **state)
{
    for (unsigned i = 0; i < 3 * CHECK_PENDING_MAX; i++) {
        put(*state, "7", i % 2 ? MCP_METHOD_PING : MCP_METHOD_TOOLS_LIST);
        if (i % 64 == 0) {
            expect(*state, "7", i % 2 ? MCP_METHOD_PING : MCP_METHOD_TOOLS_LIST);
        }
    }
    struct pending_fixture *fixture = *state;
    struct jsv_value id = json_fixture_read(fixture->json, "7");
    size_t count = 0;
    while (check_pending_take(fixture->pending, id)) {
        count++;
    }
    assert_in_range(count, CHECK_PENDING_MAX - CHECK_PENDING_MAX / 32, CHECK_PENDING_MAX);
}

static void test_no_memory(void **state)
{
    (void)state;
    fault_arm(FAULT_RESIZE, 1, ENOMEM);
    assert_null(check_pending_new());
    fault_disarm();
    check_pending_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PENDING_TEST(test_found_with_its_version),
        PENDING_TEST(test_taken_once),
        PENDING_TEST(test_ids_are_equal_by_value),
        PENDING_TEST(test_later_request_is_answered_first),
        PENDING_TEST(test_long_ids_are_not_remembered),
        PENDING_TEST(test_oldest_is_forgotten),
        PENDING_TEST(test_one_id_many_times),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
