#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/message.h"
#include "cli/validate/reason.h"

static void
assert_reason(const char *keyword, const char *schema_path, const char *way, const char *expected)
{
    const struct jsv_problem problem = {
        .keyword = jsv_str_from(keyword),
        .schema_path = jsv_str_from(schema_path),
        .evaluation_path = jsv_str_from(way),
    };
    struct app_message message;
    app_message_init(&message, false);
    validate_reason_put(&message, &problem);
    message.data[message.size] = '\0';
    assert_string_equal(message.data, expected);
}

/* The schema false, without a condition and behind each kind of it. */
static void test_false(void **state)
{
    (void)state;
    assert_reason("", "", "", "");
    assert_reason("", "/properties/v", "/properties/v", ": the schema at /properties/v is false");
    assert_reason(
        "",
        "/then",
        "/then",
        ": the schema at /then is false, which applies because \"if\" at /if matches");
    assert_reason(
        "",
        "/$defs/n/properties/b",
        "/allOf/0/else/$ref/properties/b",
        ": the schema at /$defs/n/properties/b is false, which applies because \"if\" at"
        " /allOf/0/if does not match");
    assert_reason(
        "",
        "/dependentSchemas/q",
        "/then/dependentSchemas/q",
        ": the schema at /dependentSchemas/q is false, which applies because \"q\" is present");
}

/* Names are shown as they are in the document, not as in a pointer. */
static void test_escaped_names(void **state)
{
    (void)state;
    assert_reason(
        "",
        "/dependentSchemas/x~1y~0",
        "/dependentSchemas/x~1y~0",
        ": the schema at /dependentSchemas/x~1y~0 is false, which applies because \"x/y~\" is"
        " present");
    char way[4096] = "/dependentSchemas/";
    for (size_t i = strlen(way); i + 2 < sizeof(way); i += 2) {
        memcpy(way + i, "~1", 2);
    }
    const struct jsv_problem problem = {
        .keyword = JSV_STR("not"),
        .schema_path = JSV_STR("/not"),
        .evaluation_path = jsv_str_from(way),
    };
    struct app_message message;
    app_message_init(&message, false);
    validate_reason_put(&message, &problem);
    message.data[message.size] = '\0';
    assert_null(strchr(message.data, '~'));
    assert_non_null(strstr(message.data, "\" is present"));
}

static void test_not(void **state)
{
    (void)state;
    assert_reason("not", "/not", "/not", " at /not");
    assert_reason(
        "not",
        "/dependencies/r/not",
        "/dependencies/r/not",
        " at /dependencies/r/not, which applies because \"r\" is present");
    assert_reason("type", "/then/type", "/then/type", "");
}

/* Members may be called as keywords are. */
static void test_names(void **state)
{
    (void)state;
    assert_reason(
        "", "/properties/then", "/properties/then", ": the schema at /properties/then is false");
    assert_reason(
        "",
        "/items/else/then",
        "/items/0/else/properties/dependencies/items/then",
        ": the schema at /items/else/then is false, which applies because \"if\" at"
        " /items/0/else/properties/dependencies/items/if matches");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_false),
        cmocka_unit_test(test_escaped_names),
        cmocka_unit_test(test_not),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
