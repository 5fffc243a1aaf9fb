/*
 * Evaluating a schema as a whole: schemas without keywords, an end at the
 * first fault, nothing to look at.
 */
#include <errno.h>
#include <stdio.h>

#include "support/schema_fixture.h"
#include "support/torture.h"

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

/* There is one problem, and it says that there is no list. */
static void expect_no_list(const struct jsv_problems *problems)
{
    const struct jsv_problem *only = &problems->items[0];
    assert_int_equal(problems->count, 1);
    assert_true(jsv_str_equal(only->path, JSV_STR("")));
    assert_true(jsv_str_equal(
        only->message, JSV_STR("not valid; the list of its faults is too long to work out")));
    assert_true(jsv_str_equal(only->keyword, JSV_STR("")));
    assert_true(jsv_str_equal(only->schema_path, JSV_STR("")));
    assert_null(only->member.data);
    assert_int_equal(problems->more, 0);
}

/*
 * What is not valid is never in doubt, however few steps there are to say why:
 * with more and more of them there is no verdict, then no list, then a list.
 */
static void known_to_be_invalid(void **state)
{
    struct schema_fixture *fixture = *state;
    bool met[3] = {false};
    size_t last = 0;
    for (uint64_t steps = 1; steps < 400; steps++) {
        const struct jsv_validator_limits limits = {.steps_max = steps};
        fixture->limits = &limits;
        schema_fixture_use(
            fixture,
            "{'items':{'anyOf':[{'pattern':'a','minLength':2},{'pattern':'b','minLength':2},"
            "{'pattern':'c','minLength':2}]}}");
        struct jsv_value value =
            schema_fixture_read(fixture, "['aa','x','y','z','x','y','z','x','y','z']");
        int verdict = jsv_validate(fixture->schema, value, fixture->validator);
        struct jsv_problems problems;
        int r = jsv_validate_report(fixture->schema, value, fixture->validator, &problems);
        assert_int_equal(r, verdict);
        size_t kind = r < 0 ? 0 : problems.count == 1 ? 1 : 2;
        assert_true(kind >= last);
        met[last = kind] = true;
        if (kind == 1) {
            expect_no_list(&problems);
        }
    }
    assert_true(met[0] && met[1] && met[2]);
}

/* The same when it is a pattern that takes too long, behind what is known to be wrong. */
static void known_to_be_invalid_before_a_slow_pattern(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture, "{'items':{'type':'string','maxLength':60,'pattern':'^(?=(a+)+$)\\\\1b'}}");
    struct jsv_value slow =
        schema_fixture_read(fixture, "['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab']");
    struct jsv_value both =
        schema_fixture_read(fixture, "[1,'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab']");
    struct jsv_problems problems;
    assert_int_equal(
        jsv_validate_report(fixture->schema, slow, fixture->validator, &problems), -ETIME);
    assert_int_equal(jsv_validate_report(fixture->schema, both, fixture->validator, &problems), 0);
    assert_int_equal(problems.count, 1);
    assert_true(jsv_str_equal(problems.items[0].path, JSV_STR("")));
}

/* A long name with a hundred faults below it, each of which names it. */
static struct jsv_value read_long_name(struct schema_fixture *fixture)
{
    char text[8192];
    int size = snprintf(text, sizeof(text), "{'%05000d':[1", 0);
    for (int i = 0; i < 99; i++) {
        size += snprintf(text + size, sizeof(text) - (size_t)size, ",1");
    }
    snprintf(text + size, sizeof(text) - (size_t)size, "]}");
    return schema_fixture_read(fixture, text);
}

/* The same when it is the report's memory, up to its limit. */
static void known_to_be_invalid_without_memory_to_say_why(void **state)
{
    struct schema_fixture *fixture = *state;
    bool met[2] = {false};
    for (size_t memory = 1024; memory < (size_t)4 << 20; memory *= 2) {
        const struct jsv_validator_limits limits = {.memory_max = memory};
        fixture->limits = &limits;
        schema_fixture_use(fixture, "{'additionalProperties':{'items':{'type':'string'}}}");
        struct jsv_value value = read_long_name(fixture);
        struct jsv_problems problems;
        assert_int_equal(
            jsv_validate_report(fixture->schema, value, fixture->validator, &problems), 0);
        bool is_listed = problems.count == 100;
        assert_true(is_listed || !met[1]);
        met[is_listed] = true;
        if (!is_listed) {
            expect_no_list(&problems);
        }
    }
    assert_true(met[0] && met[1]);
}

/* And when it is the memory of what is kept for the next report, here the order of many members. */
static void known_to_be_invalid_without_memory_to_look(void **state)
{
    struct schema_fixture *fixture = *state;
    const struct jsv_validator_limits limits = {.memory_max = 64 << 10};
    fixture->limits = &limits;
    schema_fixture_use(fixture, "{'required':['k1','absent']}");
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, 1 << 20);
    jsv_buf_append_str(&text, JSV_STR("{'k0':0"));
    for (int i = 1; i < 3000; i++) {
        char member[32];
        int size = snprintf(member, sizeof(member), ",'k%d':0", i);
        jsv_buf_append(&text, member, (size_t)size);
    }
    jsv_buf_append(&text, "}", 2);
    struct jsv_value value = schema_fixture_read(fixture, text.data);
    struct jsv_problems problems;
    assert_int_equal(jsv_validate_report(fixture->schema, value, fixture->validator, &problems), 0);
    expect_no_list(&problems);
    jsv_buf_done(&text);
}

/* When there is no memory for anybody nothing is said, not even what is known. */
static void known_to_be_invalid_out_of_memory(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{'additionalProperties':{'items':{'type':'string'}}}");
    struct jsv_value value = read_long_name(fixture);
    const struct jsv_validator_limits limits = {.memory_max = 64 << 10};
    struct jsv_problems problems;
    struct torture torture;
    torture_init(&torture, 0);
    struct jsv_validator *validator = jsv_validator_new(&torture.allocator, &limits);
    for (int i = 0; i < 2; i++) {
        torture.fail_at = torture.calls + 1;
        assert_int_equal(
            jsv_validate_report(fixture->schema, value, validator, &problems), -ENOMEM);
        assert_int_equal(jsv_validate_report(fixture->schema, value, validator, &problems), 0);
        expect_no_list(&problems);
    }
    jsv_validator_free(validator);
    torture_done(&torture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(boolean_schemas),
        SCHEMA_TEST(silent_evaluation),
        SCHEMA_TEST(no_value),
        SCHEMA_TEST(known_to_be_invalid),
        SCHEMA_TEST(known_to_be_invalid_before_a_slow_pattern),
        SCHEMA_TEST(known_to_be_invalid_without_memory_to_say_why),
        SCHEMA_TEST(known_to_be_invalid_without_memory_to_look),
        SCHEMA_TEST(known_to_be_invalid_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
