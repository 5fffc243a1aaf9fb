/*
 * Which problems people see: in which order, how many, under which names.
 */
#include "support/schema_fixture.h"
#include "support/texts.h"

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

static void at_most_so_many(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{'items':{'type':'string'}}");
    expect_counts(fixture, "1", 99, 99, 0);
    expect_counts(fixture, "1", 100, 100, 0);
    expect_counts(fixture, "1", 101, 100, 1);
    /* more than are kept before they are sorted */
    expect_counts(fixture, "1", 5000, 100, 4900);

    struct jsv_validator_limits limits = {.problems_max = 3};
    fixture->limits = &limits;
    schema_fixture_use(fixture, "{'items':{'type':'string'}}");
    expect_counts(fixture, "1", 5000, 3, 4997);
    limits.problems_max = 2000;
    schema_fixture_use(fixture, "{'items':{'type':'string'}}");
    expect_counts(fixture, "1", 5000, 2000, 3000);
}

/* Alternatives that are given up, or that fit in the end, count for nothing. */
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
    /* no room is left for any alternative's faults */
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

/* The same bytes every time, with a validator that was used before and a new one. */
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
        assert_int_equal(jsv_validate_report(fixture->schema, value, validator, &problems), 0);
        struct jsv_buf again = listing_of(&problems);
        assert_true(jsv_str_equal(jsv_buf_str(&first), jsv_buf_str(&again)));
        jsv_buf_done(&again);
        if (validator != fixture->validator) {
            jsv_validator_free(validator);
        }
    }
    jsv_buf_done(&first);
}

/* The type that was found, where another was expected; and whether it is about a name. */
static void what_was_found(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(order_and_duplicates),
        SCHEMA_TEST(references_to_other_schemas),
        SCHEMA_TEST(at_most_so_many),
        SCHEMA_TEST(alternatives_and_the_limit),
        SCHEMA_TEST(the_same_every_time),
        SCHEMA_TEST(what_was_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
