#include <errno.h>

#include "jsv/base/alloc.h"
#include "jsv/schema/format/content.h"
#include "support/json_fixture.h"
#include "support/torture.h"

static void base64(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool valid;
    } cases[] = {
        {"", true},          {"YQ==", true},        {"YWI=", true},     {"YWJj", true},
        {"+/09", true},      {"AZaz", true},        {"YWJjZGVm", true}, {"Y", false},
        {"YQ", false},       {"YWI", false},        {"YQ=", false},     {"Y===", false},
        {"====", false},     {"YQ==YQ==", false},   {"YW J", false},    {"YW-_", false},
        {"YWJj\n", false},   {"Y\xC3\xA9j", false}, {"=YWJ", false},    {"YWJj=", false},
        {"YWJjZ===", false}, {"@[`{", false},       {"YW:J", false},    {"YW.J", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct jsv_str text = jsv_str_from(cases[i].text);
        assert_int_equal(jsv_content_encoded(JSV_STR("base64"), text), cases[i].valid);
        assert_true(jsv_content_encoded(JSV_STR("quoted-printable"), text));
        assert_true(jsv_content_encoded((struct jsv_str){0}, text));
    }
}

static int is(const char *media_type, const char *encoding, const char *text)
{
    struct jsv_allocator allocator = jsv_allocator_or_default(NULL);
    return jsv_content_is(
        jsv_str_from(media_type), jsv_str_from(encoding), jsv_str_from(text), &allocator);
}

static void json(void **state)
{
    (void)state;
    assert_int_equal(is("application/json", "", "{\"a\":[1,2]}"), 1);
    assert_int_equal(is("application/json", "", "{\"a\":1,\"a\":2}"), 1);
    assert_int_equal(is("application/json", "", "{\"a\":}"), 0);
    assert_int_equal(is("application/json", "", ""), 0);
    assert_int_equal(is("application/json", "7bit", "nope"), 0);
    assert_int_equal(is("text/plain", "", "{"), 1);
    assert_int_equal(is("application/json", "base64", "eyJhIjpbMSwyXX0="), 1);
    assert_int_equal(is("application/json", "base64", "eyJhIjo="), 0);
    assert_int_equal(is("application/json", "base64", "bnVsbA=="), 1);
    /* not encoded so, which contentEncoding will say */
    assert_int_equal(is("application/json", "base64", "null!"), 1);
    assert_int_equal(is("application/json", "base64", ""), 0);
}

static int decode(const struct jsv_allocator *allocator, void *state)
{
    (void)state;
    int r = jsv_content_is(
        JSV_STR("application/json"), JSV_STR("base64"), JSV_STR("eyJhIjpbMSwyXX0="), allocator);
    return r == 1 ? 0 : r;
}

static void too_little_memory(void **state)
{
    assert_true(torture_run(decode, state) >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64),
        cmocka_unit_test(json),
        cmocka_unit_test(too_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
