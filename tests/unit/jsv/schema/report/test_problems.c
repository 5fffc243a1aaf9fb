/*
 * The list of problems: order, limits, fields, JSON output.
 */
#include <errno.h>
#include <string.h>

#include <jsv/schema.h>

#include "support/json_fixture.h"
#include "support/schema_fixture.h"
#include "support/texts.h"
#include "support/torture.h"

static void order_and_duplicates(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{'allOf':[{'required':['z','b']},{'required':['b']},{'properties':{'a':{'type':'null'}}},"
        "{'properties':{'a':{'type':'null'}}}],'minProperties':9,"
        "'properties':{'a':{'maximum':0},'a/b':{'maximum':0},'':{'maximum':0},'A':{'maximum':0}}}");
    schema_fixture_expect(
        fixture,
        "{'a/b':1,'':1,'a':1,'A':1}",
        ": missing property 'b' (required /allOf/0/required)\n"
        ": missing property 'z' (required /allOf/0/required)\n"
        ": must have at least 9 properties (minProperties /minProperties)\n"
        "/: must be at most 0 (maximum /properties//maximum)\n"
        "/A: must be at most 0 (maximum /properties/A/maximum)\n"
        "/a: expected null (type /allOf/2/properties/a/type)\n"
        "/a: must be at most 0 (maximum /properties/a/maximum)\n"
        "/a~1b: must be at most 0 (maximum /properties/a~1b/maximum)");
}

static void references_to_other_schemas(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct schema_remote remotes[] = {
        {"http://h/other", "{'$defs':{'x':{'type':'null'}}}", 0},
        {NULL, NULL, 0},
    };
    fixture->remotes = remotes;
    schema_fixture_use(
        fixture,
        "{'$id':'http://h/own','$ref':'http://h/other#/$defs/x','properties':{'a':{'$ref':'in'}},"
        "'$defs':{'in':{'$id':'in','type':'null'}}}");
    schema_fixture_expect(
        fixture,
        "{'a':1}",
        ": expected null (type http://h/other#/$defs/x/type)\n"
        "/a: expected null (type /$defs/in/type)");
}

static struct jsv_buf array_of(const char *item, size_t count)
{
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    for (size_t i = 0; i < count; i++) {
        jsv_buf_append_byte(&text, i ? ',' : '[');
        jsv_buf_append_str(&text, jsv_str_from(item));
    }
    jsv_buf_append_byte(&text, ']');
    return text;
}

static void expect_counts(
    struct schema_fixture *fixture, const char *item, size_t items, size_t count, size_t more)
{
    struct jsv_buf text = array_of(item, items);
    struct jsv_value value = schema_fixture_read_str(fixture, jsv_buf_str(&text));
    jsv_buf_done(&text);
    assert_int_equal(schema_fixture_verdict(fixture, value), 0);
    assert_int_equal(fixture->problems.count, count);
    assert_int_equal(fixture->problems.more, more);
}

static void limit_of_problems(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{'items':{'type':'string'}}");
    expect_counts(fixture, "1", 99, 99, 0);
    expect_counts(fixture, "1", 100, 100, 0);
    expect_counts(fixture, "1", 101, 100, 1);
    /* more than the findings kept */
    expect_counts(fixture, "1", 5000, 100, 4900);

    struct jsv_validator_limits limits = {.problems_max = 3};
    fixture->limits = &limits;
    schema_fixture_use(fixture, "{'items':{'type':'string'}}");
    expect_counts(fixture, "1", 5000, 3, 4997);
    limits.problems_max = 2000;
    schema_fixture_use(fixture, "{'items':{'type':'string'}}");
    expect_counts(fixture, "1", 5000, 2000, 3000);
}

/* Findings of discarded alternatives do not count. */
static void alternatives_and_the_limit(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{'items':{'anyOf':[{'required':['a','b','c']},{'required':['d','e']},{'required':['f']}]}"
        "}");
    expect_counts(fixture, "{}", 5000, 100, 4900);
    schema_fixture_use(
        fixture, "{'anyOf':[{'items':{'type':'string'}},{'minItems':3000}],'maxItems':1}");
    expect_counts(fixture, "1", 3000, 1, 0);
    schema_fixture_use(fixture, "{'anyOf':[{'minItems':9000},{'items':{'type':'string'}}]}");
    expect_counts(fixture, "1", 3000, 100, 2900);
    /* the limit is reached before the alternatives */
    schema_fixture_use(
        fixture,
        "{'allOf':[{'items':{'type':'string'}},{'anyOf':[{'minItems':9000},{'maxItems':1}]}]}");
    expect_counts(fixture, "1", 3000, 100, 3000 + 1 - 100);
}

static struct jsv_buf listing_of(const struct jsv_problems *problems)
{
    struct jsv_buf listing;
    jsv_buf_init(&listing, NULL, SIZE_MAX);
    assert_int_equal(jsv_problems_write_json(problems, &listing), 0);
    return listing;
}

/* The same bytes every time, with a used validator and with a new one. */
static void the_same_every_time(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{'uniqueItems':true,'items':{'anyOf':[{'required':['a']},{'required':['b']},"
        "{'properties':{'c':{'enum':[1,2,3]}}}],'propertyNames':{'maxLength':2},'maxProperties':2},"
        "'contains':{'const':5},'unevaluatedItems':false}");
    struct jsv_value value = schema_fixture_read(
        fixture,
        "[{'c':5,'ddd':1,'e':2},{'c':5,'ddd':1,'e':2},{'x':1},1,1,[],{'c':7,'aaaa':[]},"
        "1,2,3,4,5,6,7,8,9,10,11,{},{}]");
    assert_int_equal(schema_fixture_verdict(fixture, value), 0);
    struct jsv_buf first = listing_of(&fixture->problems);
    for (int i = 0; i < 1000; i++) {
        struct jsv_problems problems;
        struct jsv_validator *validator =
            i % 2 ? fixture->validator : jsv_validator_new(NULL, NULL);
        assert_int_equal(jsv_validate_report(validator, fixture->schema, value, &problems), 0);
        struct jsv_buf again = listing_of(&problems);
        assert_true(jsv_str_equal(jsv_buf_str(&first), jsv_buf_str(&again)));
        jsv_buf_done(&again);
        if (validator != fixture->validator) {
            jsv_validator_free(validator);
        }
    }
    jsv_buf_done(&first);
}

static void fields_found_and_about_name(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct {
        const char *schema;
        const char *instance;
        const char *found;
        bool about_name;
    } cases[] = {
        {"{'type':'string'}", "1", "number", false},
        {"{'type':'string'}", "{}", "object", false},
        {"{'anyOf':[{'type':'string'},{'type':'null'}]}", "[]", "array", false},
        {"{'items':{'anyOf':[{'type':'string'},{'type':'number'}]}}", "[true]", "boolean", false},
        {"{'enum':['a','b']}", "1", "", false},
        {"{'minimum':3}", "1", "", false},
        {"{'additionalProperties':false}", "{'a':1}", "", true},
        {"{'unevaluatedProperties':false}", "{'a':1}", "", true},
        {"{'propertyNames':{'minLength':2}}", "{'a':1}", "", true},
        {"{'propertyNames':{'anyOf':[{'const':'p'},{'const':'m'}]}}", "{'q':1}", "", true},
        {"{'properties':{'a':false}}", "{'a':1}", "", false},
        {"{'required':['a']}", "{}", "", false},
        {"{'items':false}", "[1]", "", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        schema_fixture_use(fixture, cases[i].schema);
        struct jsv_value value = schema_fixture_read(fixture, cases[i].instance);
        assert_int_equal(schema_fixture_verdict(fixture, value), 0);
        assert_int_equal(fixture->problems.count, 1);
        assert_text(fixture->problems.items[0].found, cases[i].found);
        assert_int_equal(fixture->problems.items[0].about_name, cases[i].about_name);
    }
}

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

static void json(void **state)
{
    (void)state;
    const struct jsv_problems none = {0};
    assert_written(jsv_problems_write_json, &none, "[]");
    /* The caller reports how many more there are. */
    const struct jsv_problems two = {items, 2, 3};
    assert_written(
        jsv_problems_write_json,
        &two,
        "[{\"path\":\"/a\\\"b\",\"msg\":\"expected number\",\"keyword\":\"type\","
        "\"schemaPath\":\"/$defs/n/type\"},"
        "{\"path\":\"\",\"msg\":\"no value is allowed "
        "here\",\"keyword\":\"\",\"schemaPath\":\"\"}]");
}

static void json_inside_an_object(void **state)
{
    (void)state;
    const struct jsv_problems one = {items + 1, 1, 0};
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, 4096);
    struct jsv_writer writer = jsv_writer_on(&out);
    jsv_write_object_begin(&writer);
    jsv_write_key(&writer, JSV_STR("errors"));
    assert_int_equal(jsv_problems_write_json(&one, &out), 0);
    jsv_write_member_int64(&writer, JSV_STR("more"), 1);
    jsv_write_object_end(&writer);
    assert_int_equal(jsv_buf_append_byte(&out, '\0'), 0);
    assert_memory_equal(out.data, "{\"errors\":[{", 12);
    assert_non_null(strstr(out.data, "}],\"more\":1}"));
    jsv_buf_done(&out);
}

static void basic(void **state)
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

static void basic_counts_the_rest(void **state)
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
    /* With a limit of 0 it is still invalid. */
    const struct jsv_problems only_more = {NULL, 0, 2};
    assert_written(
        jsv_problems_write_basic,
        &only_more,
        "{\"valid\":false,\"errors\":["
        "{\"keywordLocation\":\"\",\"instanceLocation\":\"\",\"error\":\"and 2 more\"}]}");
}

/* Any smaller size limit is an error, and nothing is written beyond it. */
static void size_limits(void **state)
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

static void writing_without_memory(void **state)
{
    (void)state;
    assert_true(torture_run(write_both, NULL) >= 2);
}

/* ---- fields set by validation ---- */

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
    assert_int_equal(jsv_validate_report(validator, schema, value, &problems), 0);
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
    /* An embedded resource: the pointer begins there. */
    assert_basic(
        fixture,
        "{\"other\": 2}",
        "{\"valid\":false,\"errors\":[{"
        "\"keywordLocation\":\"/properties/other/$ref/allOf/0/minimum\","
        "\"absoluteKeywordLocation\":\"https://example.org/inner#/allOf/0/minimum\","
        "\"instanceLocation\":\"/other\",\"error\":\"must be at least 3\"}]}");
    /* The schema false has no keyword. */
    assert_basic(
        fixture,
        "{\"never\": 2}",
        "{\"valid\":false,\"errors\":[{"
        "\"keywordLocation\":\"/properties/never\","
        "\"absoluteKeywordLocation\":\"https://example.org/root#/properties/never\","
        "\"instanceLocation\":\"/never\",\"error\":\"no value is allowed here\"}]}");
}

/* Every keyword that finds problems has a kind of them; offset, limit and size say the rest. */
static void kinds_and_operands(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct {
        const char *schema;
        const char *instance;
        enum jsv_problem_kind kind;
        size_t offset;
        const char *limit; /* NULL: none */
        size_t size;
    } cases[] = {
        {"{'type':'string'}", "1", JSV_PROBLEM_TYPE, 0, "'string'", 0},
        {"{'const':1}", " 2", JSV_PROBLEM_VALUE, 1, "1", 0},
        {"{'enum':[1,2]}", "3", JSV_PROBLEM_VALUE, 0, "[1,2]", 0},
        {"{'multipleOf':2}", "3", JSV_PROBLEM_NOT_MULTIPLE, 0, "2", 0},
        {"{'maximum':2}", "3", JSV_PROBLEM_TOO_LARGE, 0, "2", 0},
        {"{'exclusiveMaximum':3}", "3", JSV_PROBLEM_TOO_LARGE, 0, "3", 0},
        {"{'minimum':4.0}", "3", JSV_PROBLEM_TOO_SMALL, 0, "4.0", 0},
        {"{'exclusiveMinimum':3}", "3", JSV_PROBLEM_TOO_SMALL, 0, "3", 0},
        {"{'maxLength':1}", "'\xc3\xa9\xc3\xa9'", JSV_PROBLEM_TOO_LONG, 0, "1", 2},
        {"{'minLength':1}", "''", JSV_PROBLEM_TOO_SHORT, 0, "1", 0},
        {"{'pattern':'^a'}", "'b'", JSV_PROBLEM_PATTERN, 0, "'^a'", 0},
        {"{'maxItems':1}", "[1,2]", JSV_PROBLEM_TOO_MANY_ITEMS, 0, "1", 2},
        {"{'minItems':1}", "[]", JSV_PROBLEM_TOO_FEW_ITEMS, 0, "1", 0},
        {"{'uniqueItems':true}", "[1,1]", JSV_PROBLEM_NOT_UNIQUE, 0, "true", 2},
        {"{'contains':{'type':'null'}}", "[1]", JSV_PROBLEM_CONTAINS, 0, "{'type':'null'}", 1},
        {"{'items':false}", "[1]", JSV_PROBLEM_UNEXPECTED_ITEM, 1, "false", 0},
        {"{'unevaluatedItems':false}", "[1]", JSV_PROBLEM_UNEXPECTED_ITEM, 1, "false", 0},
        {"{'maxProperties':0}", "{'a':1}", JSV_PROBLEM_TOO_MANY_PROPERTIES, 0, "0", 1},
        {"{'minProperties':1}", "{}", JSV_PROBLEM_TOO_FEW_PROPERTIES, 0, "1", 0},
        {"{'required':['a']}", "{}", JSV_PROBLEM_MISSING_PROPERTY, 0, "['a']", 0},
        {"{'dependentRequired':{'a':['b']}}",
         "{'a':1}",
         JSV_PROBLEM_MISSING_PROPERTY,
         0,
         "{'a':['b']}",
         1},
        {"{'additionalProperties':false}",
         "{ 'a':1}",
         JSV_PROBLEM_UNEXPECTED_PROPERTY,
         2,
         "false",
         0},
        {"{'unevaluatedProperties':false}",
         "{ 'a':1}",
         JSV_PROBLEM_UNEXPECTED_PROPERTY,
         2,
         "false",
         0},
        {"{'propertyNames':{'maxLength':1}}", "{ 'ab':1}", JSV_PROBLEM_TOO_LONG, 2, "1", 2},
        {"{'properties':{'a':false}}", "{'a':1}", JSV_PROBLEM_FALSE_SCHEMA, 5, NULL, 0},
        {"{'anyOf':[{'minimum':2},{'multipleOf':2}]}",
         "1",
         JSV_PROBLEM_ALTERNATIVES,
         0,
         "[{'minimum':2},{'multipleOf':2}]",
         0},
        {"{'oneOf':[true,true]}", "1", JSV_PROBLEM_ALTERNATIVES, 0, "[true,true]", 0},
        {"{'not':{}}", "1", JSV_PROBLEM_NOT, 0, "{}", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        schema_fixture_use(fixture, cases[i].schema);
        struct jsv_value value = schema_fixture_read(fixture, cases[i].instance);
        assert_int_equal(schema_fixture_verdict(fixture, value), 0);
        const struct jsv_problem *problem = &fixture->problems.items[0];
        assert_int_equal(fixture->problems.count, 1);
        assert_int_equal(problem->kind, cases[i].kind);
        assert_int_equal(problem->offset, cases[i].offset);
        assert_int_equal(problem->size, cases[i].size);
        if (cases[i].limit) {
            struct jsv_str limit = schema_fixture_quoted(fixture, cases[i].limit);
            assert_true(jsv_str_equal(jsv_value_span(problem->limit), limit));
        } else {
            assert_int_equal(jsv_value_type(problem->limit), JSV_TYPE_NONE);
        }
    }
}

/* Values and types that are allowed, of all alternatives together. */
static void expected_values(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{'anyOf':[{'enum':[1,'x']},{'const':7},{'type':'integer'}]}");
    struct jsv_value value = schema_fixture_read(fixture, "[]");
    assert_int_equal(schema_fixture_verdict(fixture, value), 0);
    const struct jsv_problem *problem = &fixture->problems.items[0];
    assert_int_equal(problem->kind, JSV_PROBLEM_VALUE);
    assert_int_equal(problem->expected_types, JSV_EXPECTED_INTEGER);
    assert_int_equal(problem->expected_count, 3);
    assert_text(jsv_value_span(problem->expected[0]), "1");
    assert_text(jsv_value_span(problem->expected[1]), "\"x\"");
    assert_text(jsv_value_span(problem->expected[2]), "7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(order_and_duplicates),
        SCHEMA_TEST(references_to_other_schemas),
        SCHEMA_TEST(limit_of_problems),
        SCHEMA_TEST(alternatives_and_the_limit),
        SCHEMA_TEST(the_same_every_time),
        SCHEMA_TEST(fields_found_and_about_name),
        SCHEMA_TEST(kinds_and_operands),
        SCHEMA_TEST(expected_values),
        cmocka_unit_test(json),
        cmocka_unit_test(json_inside_an_object),
        cmocka_unit_test(basic),
        cmocka_unit_test(basic_counts_the_rest),
        cmocka_unit_test(size_limits),
        cmocka_unit_test(writing_without_memory),
        JSON_TEST(test_locations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
