#include "dialect/mcp/mcp.h"
#include "support/json_fixture.h"

static void expect_number(struct jsv_value value, int64_t expected)
{
    int64_t number = 0;
    assert_int_equal(jsv_value_int64(value, &number), 0);
    assert_int_equal(number, expected);
}

static void members_are_found_in_any_order(void **state)
{
    struct mcp_params found = mcp_params_find(json_fixture_read(
        *state,
        "{\"requestState\":1,\"names\":0,\"uri\":2,\"name\":{\"uri\":0},\"_Meta\":0,\"_meta\":3,"
        "\"inputResponses\":4,\"\":0,\"argument5\":0,\"arguments\":5}"));
    expect_number(found.request_state, 1);
    expect_number(found.uri, 2);
    assert_int_equal(jsv_value_type(found.name), JSV_TYPE_OBJECT);
    expect_number(found.meta, 3);
    expect_number(found.input_responses, 4);
    expect_number(found.arguments, 5);
}

static void expect_none(struct jsv_value params)
{
    struct mcp_params found = mcp_params_find(params);
    const struct jsv_value members[] = {
        found.meta,
        found.name,
        found.uri,
        found.arguments,
        found.request_state,
        found.input_responses,
    };
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        assert_int_equal(jsv_value_type(members[i]), JSV_TYPE_NONE);
    }
}

static void other_values_have_no_members(void **state)
{
    expect_none(json_fixture_read(*state, "{}"));
    expect_none(json_fixture_read(*state, "[\"name\",\"uri\"]"));
    expect_none(json_fixture_read(*state, "\"name\""));
    expect_none((struct jsv_value){0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(members_are_found_in_any_order),
        JSON_TEST(other_values_have_no_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
