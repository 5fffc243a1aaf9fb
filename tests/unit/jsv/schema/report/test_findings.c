/*
 * What a finding remembers: the path to its place, the member at fault.
 */
#include <stdio.h>
#include <string.h>

#include "support/schema_fixture.h"

/* Elements are named by number, and sorted as text is. */
static void paths(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{'items':{'items':{'maximum':1}}}");
    schema_fixture_expect(
        fixture,
        "[[],[1,2],[],[],[],[],[],[],[],[],[1,2],[1,1,1,1,1,1,1,1,1,1,1,1,2]]",
        "/1/1: must be at most 1 (maximum /items/items/maximum)\n"
        "/10/1: must be at most 1 (maximum /items/items/maximum)\n"
        "/11/12: must be at most 1 (maximum /items/items/maximum)");
}

/* The name of a member comes as it is read, however the message shortens it. */
static void the_member_at_fault(void **state)
{
    struct schema_fixture *fixture = *state;
    char name[601] = "a\"/";
    char schema[1000];
    memset(name + 3, 'x', sizeof(name) - 4);
    snprintf(
        schema,
        sizeof(schema),
        "{\"required\":[\"a\\\"/%s\"],\"dependentRequired\":{\"d\":[\"e\"]},"
        "\"additionalProperties\":false,\"properties\":{\"d\":{\"type\":\"null\"}}}",
        name + 3);
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_str_from(schema)), 0);
    struct jsv_value value = schema_fixture_read(fixture, "{'d':1,'\\u0041':2}");
    struct jsv_problems problems;
    assert_int_equal(jsv_validate_report(fixture->schema, value, fixture->validator, &problems), 0);
    assert_int_equal(problems.count, 4);
    for (size_t i = 0; i < problems.count; i++) {
        const struct jsv_problem *problem = &problems.items[i];
        bool is_long = jsv_str_equal(problem->keyword, JSV_STR("required"));
        bool is_extra = jsv_str_equal(problem->keyword, JSV_STR("additionalProperties"));
        bool is_type = jsv_str_equal(problem->keyword, JSV_STR("type"));
        const char *expected = is_long ? name : is_extra ? "A" : "e";
        assert_true(is_type == !problem->member.data);
        assert_true(is_type || jsv_str_equal(problem->member, jsv_str_from(expected)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(paths),
        SCHEMA_TEST(the_member_at_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
