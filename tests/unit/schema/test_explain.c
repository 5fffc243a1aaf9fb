/*
 * Evaluating a schema as a whole: schemas without keywords, an end at the
 * first fault, nothing to look at.
 */
#include <errno.h>

#include "support/schema_fixture.h"

static void boolean_schemas(void **state)
{
    static const struct schema_case cases[] = {
        {SCHEMA_6_ON, "true", "{'a':[1]}", NULL},
        {SCHEMA_6_ON, "false", "null", ": no value is allowed here ( )"},
        {SCHEMA_6_ON,
         "{'properties':{'a':false}}",
         "{'a':1}",
         "/a: no value is allowed here ( /properties/a)"},
        {SCHEMA_6_ON, NULL, "{'b':1}", NULL},
        {SCHEMA_6_ON, "{'items':false}", "[]", NULL},
        {SCHEMA_6_ON,
         NULL,
         "[1,2]",
         "/0: unexpected item (items /items)\n/1: unexpected item (items /items)"},
        {SCHEMA_6_ON, "{'not':false}", "1", NULL},
        {SCHEMA_6_ON, "{'allOf':[true,false]}", "1", ": no value is allowed here ( /allOf/1)"},
    };
    SCHEMA_RUN(*state, cases);
}

/* Without a report the first fault ends it, wherever it lies. */
static void silent_evaluation(void **state)
{
    static const struct schema_case cases[] = {
        {SCHEMA_2019_ON, "{'not':{'required':['a','b'],'unevaluatedProperties':true}}", "{}", NULL},
        {SCHEMA_2019_ON,
         "{'not':{'dependentRequired':{'a':['b','c']},'unevaluatedProperties':true}}",
         "{'a':1}",
         NULL},
        {SCHEMA_2019_ON,
         "{'not':{'properties':{'a':{'const':1},'b':{'const':1}},'unevaluatedProperties':true}}",
         "{'a':2,'b':2}",
         NULL},
        {SCHEMA_2019_ON,
         "{'not':{'patternProperties':{'a':{'const':1}},'unevaluatedProperties':true}}",
         "{'a':2,'aa':2}",
         NULL},
        {SCHEMA_2019_ON,
         "{'not':{'additionalProperties':{'const':1},'unevaluatedProperties':true}}",
         "{'a':2,'b':2}",
         NULL},
        {SCHEMA_2019_ON,
         "{'not':{'propertyNames':{'const':'x'},'unevaluatedProperties':true}}",
         "{'a':2,'b':2}",
         NULL},
        {SCHEMA_2019_ON, "{'not':{'unevaluatedProperties':{'const':1}}}", "{'a':2,'b':2}", NULL},
        {SCHEMA_2019_ON, "{'not':{'items':{'const':1},'unevaluatedItems':true}}", "[2,2]", NULL},
        {SCHEMA_2019_ON, "{'not':{'unevaluatedItems':{'const':1}}}", "[2,2]", NULL},
        {SCHEMA_2019_ON,
         "{'not':{'allOf':[{'const':1},{'const':2}],'unevaluatedItems':true}}",
         "[2,2]",
         NULL},
        {SCHEMA_2019_ON,
         "{'not':{'anyOf':[{'const':1},{'const':2}],'unevaluatedItems':true}}",
         "[2,2]",
         NULL},
        {SCHEMA_2019_ON, "{'not':{'contains':false,'unevaluatedItems':true}}", "[2,2]", NULL},
        {SCHEMA_2019_ON, "{'not':{'unevaluatedItems':false}}", "[2,2]", NULL},
    };
    SCHEMA_RUN(*state, cases);
}

/* There is nothing to be said about a value that is not there. */
static void no_value(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{}");
    assert_int_equal(schema_fixture_verdict(fixture, (struct jsv_value){0}), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(boolean_schemas),
        SCHEMA_TEST(silent_evaluation),
        SCHEMA_TEST(no_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
