#include <errno.h>

#include "catalog/fingerprint.h"
#include "unit/envelope/quoted.h"

static void fingerprint_of(struct json_fixture *fixture, const char *input, char hex[static 65])
{
    struct jsv_value schema = quoted_read(fixture, input);
    struct jsv_str id = JSV_STR("mcp.tool:\xC3\xA9");
    struct jsv_value none = {0};
    assert_int_equal(catalog_tool_io_write(id, schema, none, &fixture->out), 0);
    assert_int_equal(catalog_fingerprint(quoted_take(fixture), &fixture->scratch, hex), 0);
}

static void test_the_schema(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value input = quoted_read(fixture, "{'required':['q']}");
    struct jsv_value output = quoted_read(fixture, "true");
    struct jsv_str id = JSV_STR("a\"b");
    assert_int_equal(catalog_tool_io_write(id, input, output, &fixture->out), 0);
    quoted_expect(
        fixture,
        "{'type':'object','properties':{'tool':{'const':'a\\'b'},"
        "'input':{'type':'object','allOf':[{'required':['q']}]},"
        "'output':{'type':'object','allOf':[true]}},'required':['tool']}");
}

static void test_known_fingerprint(void **state)
{
    char hex[OS_DIGEST_HEX_SIZE + 1];
    fingerprint_of(*state, "{'required':['q']}", hex);
    assert_string_equal(hex, "af9b1dd2f7e2db54ac4e86e7f5ede06bfe583970341c5ae6b829cf9b3574c609");
}

static void test_what_makes_a_difference(void **state)
{
    char first[OS_DIGEST_HEX_SIZE + 1];
    char same[OS_DIGEST_HEX_SIZE + 1];
    char other[OS_DIGEST_HEX_SIZE + 1];
    fingerprint_of(*state, "{'type':'object','minProperties':1}", first);
    fingerprint_of(*state, "{ 'minProperties' : 1.0, 'type' : 'obj\\u0065ct' }", same);
    fingerprint_of(*state, "{'type':'object','minProperties':2}", other);
    assert_string_equal(first, same);
    assert_string_not_equal(first, other);
}

static void test_no_fingerprint(void **state)
{
    struct json_fixture *fixture = *state;
    char hex[OS_DIGEST_HEX_SIZE + 1] = "untouched";
    struct jsv_value schema = quoted_read(fixture, "{'maximum':1e999}");
    assert_int_equal(catalog_fingerprint(schema, &fixture->scratch, hex), -ERANGE);
    assert_string_equal(hex, "untouched");
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, 20);
    assert_int_equal(catalog_tool_io_write(JSV_STR("t"), schema, schema, &out), -ENOBUFS);
    jsv_buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(test_the_schema),
        JSON_TEST(test_known_fingerprint),
        JSON_TEST(test_what_makes_a_difference),
        JSON_TEST(test_no_fingerprint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
