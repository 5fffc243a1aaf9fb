/*
 * Problems as JSON, made by hand and by validating.
 */
#include <errno.h>
#include <string.h>

#include <jsv/schema.h>

#include "support/json_fixture.h"
#include "support/torture.h"

typedef int writer_function(const struct jsv_problems *problems, struct jsv_buf *out);

static void
assert_written(writer_function *write, const struct jsv_problems *problems, const char *expected)
{
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, 1 << 20);
    assert_int_equal(write(problems, &out), 0);
    assert_int_equal(jsv_buf_append_byte(&out, '\0'), 0);
    assert_string_equal(out.data, expected);
    jsv_buf_done(&out);
}

static const struct jsv_problem items[] = {
    {
        .path = {"/a\"b", 4},
        .message = {"expected number", 15},
        .keyword = {"type", 4},
        .schema_path = {"/$defs/n/type", 13},
        .evaluation_path = {"/properties/a%22b/$ref/type", 27},
        .resource_uri = {"https://example.org/s", 21},
        .resource_path = {"/$defs/n^ \xc3\xa9/type", 17},
    },
    {
        .path = {"", 0},
        .message = {"no value is allowed here", 24},
        .keyword = {"", 0},
        .schema_path = {"", 0},
    },
};

static void test_json(void **state)
{
    (void)state;
    const struct jsv_problems none = {0};
    assert_written(jsv_problems_write_json, &none, "[]");
    /* How many more there are is for the caller to say. */
    const struct jsv_problems two = {items, 2, 3};
    assert_written(
        jsv_problems_write_json,
        &two,
        "[{\"path\":\"/a\\\"b\",\"msg\":\"expected number\",\"keyword\":\"type\","
        "\"schemaPath\":\"/$defs/n/type\"},"
        "{\"path\":\"\",\"msg\":\"no value is allowed "
        "here\",\"keyword\":\"\",\"schemaPath\":\"\"}]");
}

static void test_json_inside_an_object(void **state)
{
    (void)state;
    const struct jsv_problems one = {items + 1, 1, 0};
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, 4096);
    struct jsv_writer writer = jsv_writer_on(&out);
    jsv_write_object_begin(&writer);
    jsv_write_key(&writer, JSV_STR("errors"));
    assert_int_equal(jsv_problems_write_json(&one, &out), 0);
    jsv_write_key(&writer, JSV_STR("more"));
    jsv_write_int64(&writer, 1);
    jsv_write_object_end(&writer);
    assert_int_equal(jsv_buf_append_byte(&out, '\0'), 0);
    assert_memory_equal(out.data, "{\"errors\":[{", 12);
    assert_non_null(strstr(out.data, "}],\"more\":1}"));
    jsv_buf_done(&out);
}

static void test_basic(void **state)
{
    (void)state;
    const struct jsv_problems none = {0};
    assert_written(jsv_problems_write_basic, &none, "{\"valid\":true}");
    const struct jsv_problems two = {items, 2, 0};
    assert_written(
        jsv_problems_write_basic,
        &two,
        "{\"valid\":false,\"errors\":["
        "{\"keywordLocation\":\"/properties/a%22b/$ref/type\","
        "\"absoluteKeywordLocation\":\"https://example.org/s#/$defs/n%5E%20%C3%A9/type\","
        "\"instanceLocation\":\"/a\\\"b\",\"error\":\"expected number\"},"
        "{\"keywordLocation\":\"\",\"instanceLocation\":\"\","
        "\"error\":\"no value is allowed here\"}]}");
}

static void test_basic_counts_the_rest(void **state)
{
    (void)state;
    const struct jsv_problems many = {items + 1, 1, 41};
    assert_written(
        jsv_problems_write_basic,
        &many,
        "{\"valid\":false,\"errors\":["
        "{\"keywordLocation\":\"\",\"instanceLocation\":\"\","
        "\"error\":\"no value is allowed here\"},"
        "{\"keywordLocation\":\"\",\"instanceLocation\":\"\",\"error\":\"and 41 more\"}]}");
    /* A limit of none is still not valid. */
    const struct jsv_problems only_more = {NULL, 0, 2};
    assert_written(
        jsv_problems_write_basic,
        &only_more,
        "{\"valid\":false,\"errors\":["
        "{\"keywordLocation\":\"\",\"instanceLocation\":\"\",\"error\":\"and 2 more\"}]}");
}

/* Every ceiling below what is needed is an error, and nothing is written beyond it. */
static void test_ceilings(void **state)
{
    (void)state;
    static writer_function *const writers[] = {jsv_problems_write_json, jsv_problems_write_basic};
    const struct jsv_problems two = {items, 2, 1};
    for (size_t i = 0; i < 2; i++) {
        struct jsv_buf whole;
        jsv_buf_init(&whole, NULL, 1 << 20);
        assert_int_equal(writers[i](&two, &whole), 0);
        for (size_t size_max = 0; size_max < whole.size; size_max++) {
            struct jsv_buf out;
            jsv_buf_init(&out, NULL, size_max);
            assert_int_equal(writers[i](&two, &out), -ENOBUFS);
            assert_true(out.size <= size_max);
            jsv_buf_done(&out);
        }
        jsv_buf_done(&whole);
    }
}

static int write_both(const struct jsv_allocator *allocator, void *state)
{
    (void)state;
    const struct jsv_problems two = {items, 2, 1};
    struct jsv_buf out;
    jsv_buf_init(&out, allocator, 1 << 20);
    int r = jsv_problems_write_json(&two, &out);
    r = r < 0 ? r : jsv_problems_write_basic(&two, &out);
    jsv_buf_done(&out);
    return r;
}

static void test_without_memory(void **state)
{
    (void)state;
    assert_true(torture_run(write_both, NULL) >= 2);
}

/* ---- what validating fills in ---- */

static const char schema_text[] =
    "{\"$id\": \"https://example.org/root\","
    " \"properties\": {"
    "   \"list\": {\"items\": {\"$ref\": \"#/$defs/entry\"}},"
    "   \"other\": {\"$ref\": \"inner\"},"
    "   \"never\": false},"
    " \"$defs\": {"
    "   \"entry\": {\"properties\": {\"next\": {\"$ref\": \"#/$defs/entry\"},"
    "                              \"n\": {\"type\": \"integer\"}}},"
    "   \"embedded\": {\"$id\": \"inner\", \"allOf\": [{\"minimum\": 3}]}}}";

static void
assert_basic(struct json_fixture *fixture, const char *document_text, const char *expected)
{
    struct jsv_registry *registry = jsv_registry_new(NULL, NULL);
    struct jsv_validator *validator = jsv_validator_new(NULL, NULL);
    struct jsv_schema *schema;
    struct jsv_problems problems;
    struct jsv_str uri = JSV_STR("https://example.org/root");
    assert_int_equal(
        jsv_registry_add(registry, JSV_STR("urn:test"), jsv_str_from(schema_text), NULL), 0);
    assert_int_equal(jsv_schema_compile(registry, uri, NULL, &schema, NULL), 0);
    struct jsv_value value = json_fixture_read(fixture, document_text);
    assert_int_equal(jsv_validate_report(schema, value, validator, &problems), 0);
    assert_written(jsv_problems_write_basic, &problems, expected);
    jsv_schema_free(schema);
    jsv_validator_free(validator);
    jsv_registry_free(registry);
}

static void test_locations(void **state)
{
    struct json_fixture *fixture = *state;
    /* Twice through the same reference. */
    assert_basic(
        fixture,
        "{\"list\": [{\"next\": {\"next\": {\"n\": 1.5}}}]}",
        "{\"valid\":false,\"errors\":[{"
        "\"keywordLocation\":\"/properties/list/items/$ref/properties/next/$ref"
        "/properties/next/$ref/properties/n/type\","
        "\"absoluteKeywordLocation\":"
        "\"https://example.org/root#/$defs/entry/properties/n/type\","
        "\"instanceLocation\":\"/list/0/next/next/n\",\"error\":\"expected integer\"}]}");
    /* Into a resource of its own: the pointer begins there. */
    assert_basic(
        fixture,
        "{\"other\": 2}",
        "{\"valid\":false,\"errors\":[{"
        "\"keywordLocation\":\"/properties/other/$ref/allOf/0/minimum\","
        "\"absoluteKeywordLocation\":\"https://example.org/inner#/allOf/0/minimum\","
        "\"instanceLocation\":\"/other\",\"error\":\"must be at least 3\"}]}");
    /* A schema that is false has no keyword. */
    assert_basic(
        fixture,
        "{\"never\": 2}",
        "{\"valid\":false,\"errors\":[{"
        "\"keywordLocation\":\"/properties/never\","
        "\"absoluteKeywordLocation\":\"https://example.org/root#/properties/never\","
        "\"instanceLocation\":\"/never\",\"error\":\"no value is allowed here\"}]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_json_inside_an_object),
        cmocka_unit_test(test_basic),
        cmocka_unit_test(test_basic_counts_the_rest),
        cmocka_unit_test(test_ceilings),
        cmocka_unit_test(test_without_memory),
        JSON_TEST(test_locations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
