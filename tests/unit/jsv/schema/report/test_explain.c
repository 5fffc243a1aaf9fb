/*
 * Evaluating schemas, and the keywords that apply other schemas to the same value.
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

/* For a verdict without report, evaluation ends at the first failure. */
static void verdict_without_findings(void **state)
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

static void no_value(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{}");
    assert_int_equal(schema_fixture_verdict(fixture, (struct jsv_value){0}), -EINVAL);
}

/* The only problem says that the error list exceeded the work limit. */
static void expect_no_list(const struct jsv_problems *problems)
{
    const struct jsv_problem *only = &problems->items[0];
    assert_int_equal(problems->count, 1);
    assert_true(jsv_str_equal(only->path, JSV_STR("")));
    assert_true(
        jsv_str_equal(only->message, JSV_STR("invalid; error list exceeded the work limit")));
    assert_true(jsv_str_equal(only->keyword, JSV_STR("")));
    assert_true(jsv_str_equal(only->schema_path, JSV_STR("")));
    assert_null(only->member.data);
    assert_int_equal(problems->more, 0);
}

/*
 * With more and more steps there is first no verdict, then "invalid" without a
 * list of problems, then the list.
 */
static void invalid_without_steps_for_the_report(void **state)
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
        int verdict = jsv_validate(fixture->validator, fixture->schema, value);
        struct jsv_problems problems;
        int r = jsv_validate_report(fixture->validator, fixture->schema, value, &problems);
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

/* The same if a slow pattern follows the first problem. */
static void invalid_before_a_slow_pattern(void **state)
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
        jsv_validate_report(fixture->validator, fixture->schema, slow, &problems), -ETIME);
    assert_int_equal(jsv_validate_report(fixture->validator, fixture->schema, both, &problems), 0);
    assert_int_equal(problems.count, 1);
    assert_true(jsv_str_equal(problems.items[0].path, JSV_STR("")));
}

/* A long name with a hundred problems below it, each of which has the name in its path. */
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

/* The same if the report reaches its memory limit. */
static void invalid_without_memory_for_the_report(void **state)
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
            jsv_validate_report(fixture->validator, fixture->schema, value, &problems), 0);
        bool is_listed = problems.count == 100;
        assert_true(is_listed || !met[1]);
        met[is_listed] = true;
        if (!is_listed) {
            expect_no_list(&problems);
        }
    }
    assert_true(met[0] && met[1]);
}

/* The same for memory that is kept for the next report, here the order of many members. */
static void invalid_without_memory_for_lookups(void **state)
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
    assert_int_equal(jsv_validate_report(fixture->validator, fixture->schema, value, &problems), 0);
    expect_no_list(&problems);
    jsv_buf_done(&text);
}

/* If the system has no memory, the error is -ENOMEM. */
static void invalid_and_out_of_memory(void **state)
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
            jsv_validate_report(validator, fixture->schema, value, &problems), -ENOMEM);
        assert_int_equal(jsv_validate_report(validator, fixture->schema, value, &problems), 0);
        expect_no_list(&problems);
    }
    jsv_validator_free(validator);
    torture_done(&torture);
}

static void combinations(void **state)
{
    static const struct schema_case cases[] = {
        {SCHEMA_ALL, "{'allOf':[{'minimum':2},{'multipleOf':2}]}", "4", NULL},
        {SCHEMA_ALL,
         NULL,
         "1",
         ": must be a multiple of 2 (multipleOf /allOf/1/multipleOf)\n: must be at least 2 "
         "(minimum /allOf/0/minimum)"},
        {SCHEMA_ALL, "{'anyOf':[{'minimum':2},{'type':'string'}]}", "2", NULL},
        {SCHEMA_ALL, NULL, "'a'", NULL},
        {SCHEMA_ALL, NULL, "1", ": must be at least 2 (minimum /anyOf/0/minimum)"},
        {SCHEMA_ALL, "{'oneOf':[{'minimum':2},{'maximum':4}]}", "1", NULL},
        {SCHEMA_ALL, NULL, "3", ": matches more than one alternative (0 and 1) (oneOf /oneOf)"},
        {SCHEMA_ALL,
         "{'oneOf':[{'type':'null'},{},{'type':'string'}]}",
         "null",
         ": matches more than one alternative (0 and 1) (oneOf /oneOf)"},
        {SCHEMA_ALL, NULL, "'a'", ": matches more than one alternative (1 and 2) (oneOf /oneOf)"},
        {SCHEMA_ALL, NULL, "1", NULL},
        {SCHEMA_ALL,
         "{'oneOf':[{},{},{'type':'string'}]}",
         "1",
         ": matches more than one alternative (0 and 1) (oneOf /oneOf)"},
        {SCHEMA_ALL, "{'not':{'type':'string'}}", "1", NULL},
        {SCHEMA_ALL, NULL, "'a'", ": must not match the schema in 'not' (not /not)"},
        {SCHEMA_ALL, "{'not':{}}", "'a'", ": must not match the schema in 'not' (not /not)"},
        {SCHEMA_ALL, "{'not':{'minimum':3}}", "2", NULL},
        {SCHEMA_ALL, NULL, "3", ": must not match the schema in 'not' (not /not)"},
        {SCHEMA_7_ON,
         "{'if':{'minimum':5},'then':{'multipleOf':5},'else':{'multipleOf':2}}",
         "10",
         NULL},
        {SCHEMA_7_ON, NULL, "7", ": must be a multiple of 5 (multipleOf /then/multipleOf)"},
        {SCHEMA_7_ON, NULL, "2", NULL},
        {SCHEMA_7_ON, NULL, "3", ": must be a multiple of 2 (multipleOf /else/multipleOf)"},
        {SCHEMA_7_ON, NULL, "'a'", NULL},
        {SCHEMA_7_ON, "{'if':{'minimum':5}}", "7", NULL},
        {SCHEMA_7_ON, "{'if':{'minimum':5},'then':{'const':7}}", "1", NULL},
        {SCHEMA_7_ON, NULL, "8", ": expected 7 (const /then/const)"},
        {SCHEMA_7_ON, "{'if':{'minimum':5},'else':{'const':1}}", "8", NULL},
        {SCHEMA_7_ON, "{'then':{'const':7},'else':{'const':8}}", "1", NULL},
        {SCHEMA_7_ON,
         "{'if':true,'then':{'const':7},'else':{'const':8}}",
         "8",
         ": expected 7 (const /then/const)"},
        {SCHEMA_7_ON,
         "{'if':false,'then':{'const':7},'else':{'const':8}}",
         "7",
         ": expected 8 (const /else/const)"},
        {JSV_DRAFT_4, JSV_DRAFT_6, "{'if':{},'then':{'not':{}}}", "1", NULL},
    };
    SCHEMA_RUN(*state, cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(boolean_schemas),
        SCHEMA_TEST(verdict_without_findings),
        SCHEMA_TEST(no_value),
        SCHEMA_TEST(invalid_without_steps_for_the_report),
        SCHEMA_TEST(invalid_before_a_slow_pattern),
        SCHEMA_TEST(invalid_without_memory_for_the_report),
        SCHEMA_TEST(invalid_without_memory_for_lookups),
        SCHEMA_TEST(invalid_and_out_of_memory),
        SCHEMA_TEST(combinations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
