/* That judging spares explaining, and changes nothing else: the fixture compares both reports. */
#include <errno.h>

#include "schema/explain.h"
#include "schema/judge.h"
#include "support/json_fixture.h"
#include "support/schema_fixture.h"

#define MANY 200

/* [{"a":"x"}, … , last] */
static struct jsv_value read_many(struct schema_fixture *fixture, const char *last)
{
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    for (int i = 0; i < MANY; i++) {
        json_fixture_print(&text, "%s{\"a\":\"x\"}", i ? "," : "[");
    }
    json_fixture_print(&text, ",%s]", last);
    struct jsv_value value = schema_fixture_read_str(fixture, jsv_buf_str(&text));
    jsv_buf_done(&text);
    return value;
}

/* Explaining every element takes more steps than there are; looking at them does not. */
static void spares_what_is_valid(void **state)
{
    static const struct jsv_validator_limits limits = {.steps_max = 2 * MANY + 200};
    struct schema_fixture *fixture = *state;
    fixture->limits = &limits;
    schema_fixture_use(
        fixture,
        "{'items':{'required':['a'],'minProperties':1,'maxProperties':3,"
        "'properties':{'a':{'minLength':1,'maxLength':3}}}}");
    struct jsv_value value = read_many(fixture, "{\"a\":\"\"}");
    struct jsv_problems problems;
    assert_int_equal(
        jsv_explain_report(fixture->schema, value, fixture->validator, false, &problems), -ELOOP);
    assert_int_equal(
        jsv_explain_report(fixture->schema, value, fixture->validator, true, &problems), 0);
    assert_int_equal(problems.count, 1);
    assert_true(jsv_str_equal(problems.items[0].path, JSV_STR("/200/a")));
}

static void a_valid_document_is_not_explained(void **state)
{
    static const struct jsv_validator_limits limits = {.steps_max = 2 * MANY + 200};
    struct schema_fixture *fixture = *state;
    fixture->limits = &limits;
    schema_fixture_use(fixture, "{'items':{'properties':{'a':{'minLength':1,'maxLength':3}}}}");
    struct jsv_value value = read_many(fixture, "{}");
    struct jsv_problems problems;
    assert_int_equal(jsv_validate_report(fixture->schema, value, fixture->validator, &problems), 1);
    assert_int_equal(problems.count, 0);
}

/* A purse for a small document, and more for each value. */
static void the_purse_grows_with_the_document(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_value small = schema_fixture_read(fixture, "1");
    struct jsv_value large = read_many(fixture, "1");
    assert_true(jsv_judge_steps(small.node) >= 10000);
    assert_true(jsv_judge_steps(large.node) >= jsv_judge_steps(small.node) + 4 * MANY);
}

static void an_empty_purse_leaves_all_to_explaining(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{'items':{'type':'integer'}}");
    struct jsv_explain x = {.judging_left = 1};
    assert_true(jsv_judge_can(&x, fixture->schema->root));
    x.judging_left = 0;
    assert_false(jsv_judge_can(&x, fixture->schema->root));
    x.judging_left = 1;
    struct jsv_subschema shapeless = *fixture->schema->root;
    shapeless.shape = 0;
    assert_false(jsv_judge_can(&x, &shapeless));
}

/* "name":[text, … ] */
static void print_many(struct jsv_buf *out, const char *name, const char *text, int count)
{
    for (int i = 0; i < count; i++) {
        json_fixture_print(out, "%s\"%s\"", i ? "," : name, text);
    }
    json_fixture_print(out, "]");
}

/*
 * However early the steps run out, what was remembered on the way to the limit
 * must not make an invalid value valid afterwards: "not" would.
 */
static void nothing_doubtful_is_remembered(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    print_many(&text, "{\"z\":[", "x", 100);
    print_many(&text, ",\"a\":{\"m\":[", "ac", 200);
    text.size--;
    print_many(&text, ",\"ad\",\"no\"],\"k\":[", "x", 100);
    json_fixture_print(&text, "}}");
    bool reported[2] = {false, false};
    for (uint64_t steps = 400; steps < 1000; steps++) {
        const struct jsv_validator_limits limits = {.steps_max = steps};
        fixture->limits = &limits;
        schema_fixture_use(
            fixture,
            "{'propertyNames':{'allOf':[{'maxLength':9},{'maxLength':8},{'maxLength':7},"
            "{'maxLength':6},{'maxLength':5},{'maxLength':4},{'maxLength':3},{'maxLength':2}]},"
            "'properties':{'z':{'type':'array','items':{'pattern':'^(x|y)$'}},"
            "'a':{'anyOf':[{'properties':{'m':{'anyOf':["
            "{'type':'array','items':{'pattern':'^(a|b)c'}},"
            "{'type':'array','items':{'pattern':'^(a|c)d'}}]}}},"
            "{'properties':{'k':{'type':'array','items':{'pattern':'^(x|y)$'}}}}]}},"
            "'patternProperties':{'^a':{'not':{'$ref':'#/properties/a'}}}}");
        struct jsv_value value = schema_fixture_read_str(fixture, jsv_buf_str(&text));
        struct jsv_problems problems;
        int r = jsv_explain_report(fixture->schema, value, fixture->validator, true, &problems);
        assert_true(r == 0 || r == -ELOOP);
        reported[r == 0] = true;
    }
    assert_true(reported[false] && reported[true]);
    jsv_buf_done(&text);
}

/* No memory for findings is told, whatever is judged after it. */
static void lost_findings_are_told(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf schema;
    struct jsv_buf text;
    jsv_buf_init(&schema, NULL, SIZE_MAX);
    jsv_buf_init(&text, NULL, SIZE_MAX);
    json_fixture_print(&schema, "{\"additionalProperties\":{\"properties\":{");
    json_fixture_print(&text, "{\"");
    for (int i = 0; i < 900000; i++) {
        jsv_buf_append_byte(&text, 'K');
    }
    json_fixture_print(&text, "\":{");
    for (int i = 0; i < 100; i++) {
        json_fixture_print(&schema, "\"f%d\":false,", i);
        json_fixture_print(&text, "\"f%d\":1,", i);
    }
    json_fixture_print(
        &schema,
        "\"zb\":{\"$ref\":\"#/$defs/c\"}}},\"$defs\":{\"c\":{\"anyOf\":[{\"maxProperties\":3},"
        "{\"type\":\"object\",\"minProperties\":3}]}}}");
    json_fixture_print(&text, "\"zb\":{}}}");
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    struct jsv_value value = schema_fixture_read_str(fixture, jsv_buf_str(&text));
    struct jsv_problems problems;
    assert_int_equal(
        jsv_validate_report(fixture->schema, value, fixture->validator, &problems), -ENOMEM);
    jsv_buf_done(&schema);
    jsv_buf_done(&text);
}

static const struct schema_case cases[] = {
    /* the program explains what it cannot do, in the middle of an explanation that keeps marks */
    {
        SCHEMA_ONLY(2020_12),
        "{'properties':{'a':{'properties':{'b':true},'unevaluatedProperties':false},'c':{}},"
        "'patternProperties':{'^d':{'minimum':1}},'unevaluatedProperties':{'type':'null'}}",
        "{'a':{'b':1},'c':2,'d':0,'e':null,'f':5}",
        "/d: must be at least 1 (minimum /patternProperties/^d/minimum)\n"
        "/f: expected null (type /unevaluatedProperties/type)",
    },
    /* references into a document that is otherwise fine */
    {
        SCHEMA_ALL,
        "{'properties':{'tree':{'$ref':'#/definitions/tree'}},'definitions':{'tree':"
        "{'type':'object','properties':{'leaf':{'type':'integer'},"
        "'below':{'items':{'$ref':'#/definitions/tree'}}}}}}",
        "{'tree':{'below':[{'leaf':1},{'below':[{'leaf':'x'},{'leaf':2}]}]}}",
        "/tree/below/1/below/0/leaf: expected integer "
        "(type /definitions/tree/properties/leaf/type)",
    },
    /* nothing is known beforehand where references depend on the way taken */
    {
        SCHEMA_ONLY(2020_12),
        "{'$id':'urn:o','$ref':'urn:tree','$defs':{'a':{'$id':'urn:tree','$dynamicAnchor':'n',"
        "'properties':{'c':{'$dynamicRef':'#n'}}},'b':{'$id':'urn:x','$dynamicAnchor':'n',"
        "'$ref':'urn:tree'}}}",
        "{'c':{'c':1}}",
        NULL,
    },
};

static void all_cases(void **state)
{
    SCHEMA_RUN(*state, cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(spares_what_is_valid),
        SCHEMA_TEST(a_valid_document_is_not_explained),
        SCHEMA_TEST(the_purse_grows_with_the_document),
        SCHEMA_TEST(an_empty_purse_leaves_all_to_explaining),
        SCHEMA_TEST(nothing_doubtful_is_remembered),
        SCHEMA_TEST(lost_findings_are_told),
        SCHEMA_TEST(all_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
