/*
 * Limits: what happens at each, and that the validator can be used after it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "jsv/schema/run/validator.h"
#include "support/schema_fixture.h"
#include "support/torture.h"

static void defaults(void **state)
{
    (void)state;
    struct jsv_validator *validator = jsv_validator_new(NULL, NULL);
    assert_non_null(validator);
    assert_int_equal(validator->limits.steps_max, 8000000);
    assert_int_equal(validator->limits.depth_max, 4096);
    assert_int_equal(validator->limits.problems_max, 100);
    assert_int_equal(validator->limits.memory_max, 64 << 20);
    jsv_validator_free(validator);
}

static void given_limits(void **state)
{
    (void)state;
    struct jsv_validator_limits limits = {.steps_max = UINT64_MAX, .depth_max = 7};
    struct jsv_validator *validator = jsv_validator_new(NULL, &limits);
    assert_non_null(validator);
    assert_int_equal(validator->limits.steps_max, INT64_MAX);
    assert_int_equal(validator->limits.depth_max, 7);
    assert_int_equal(validator->limits.problems_max, 100);
    jsv_validator_free(validator);
}

static int make(const struct jsv_allocator *allocator, void *state)
{
    (void)state;
    struct jsv_validator *validator = jsv_validator_new(allocator, NULL);
    jsv_validator_free(validator);
    return validator ? 0 : -ENOMEM;
}

static void too_little_memory_to_make_one(void **state)
{
    assert_true(torture_run(make, state) >= 2);
}

/* After a limit was hit, the next document is validated normally. */
static void expect_usable(struct schema_fixture *fixture)
{
    struct schema_fixture other = *fixture;
    struct jsv_registry *registry = jsv_registry_new(NULL, NULL);
    assert_int_equal(
        jsv_registry_add(registry, JSV_STR("urn:a"), JSV_STR("{\"type\":\"null\"}"), NULL), 0);
    assert_int_equal(jsv_schema_compile(registry, JSV_STR("urn:a"), NULL, &other.schema, NULL), 0);
    assert_int_equal(schema_fixture_verdict(&other, schema_fixture_read(fixture, "null")), 1);
    assert_int_equal(schema_fixture_verdict(&other, schema_fixture_read(fixture, "1")), 0);
    jsv_schema_free(other.schema);
    jsv_registry_free(registry);
}

/* With every budget the verdict is right, or the limit is named; from some on it is right. */
static void steps(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct schema_verdict_case cases[] = {
        {"{'items':{'properties':{'a':{'allOf':[{'minLength':1},{'maxLength':5}]}}}}",
         "[{'a':'b'},{'a':'c'},{'a':'d'}]",
         1},
        {"{'items':{'anyOf':[{'type':'object','required':['a']},{'type':'object','required':['b']},"
         "{'type':'array','items':{'$ref':'#'}}]}}",
         "[{'a':1},{'b':1},[[]],[[{}]]]",
         0},
        {"{'unevaluatedProperties':false,'properties':{'a':{'unevaluatedItems':{'type':'null'}}}}",
         "{'a':[null,null]}",
         1},
        {"{'uniqueItems':true,'contains':{'const':[3]},'items':{'not':{'const':5}}}",
         "[1,2,[3],4]",
         1},
        {"{'patternProperties':{'a':{'pattern':'b'}},'propertyNames':{'maxLength':3}}",
         "{'aa':'bb','a':'b','cc':1}",
         1},
        {"{'if':{'minimum':3},'then':{'multipleOf':1234567890123456789012},'else':{'enum':[1,2]}}",
         "12345678901234567890120",
         1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int last = -ELOOP;
        for (uint64_t budget = 1; budget < 200; budget++) {
            struct jsv_validator_limits limits = {.steps_max = budget};
            fixture->limits = &limits;
            schema_fixture_use(fixture, cases[i].schema);
            struct jsv_value value = schema_fixture_read(fixture, cases[i].instance);
            struct jsv_problems problems;
            int verdict = jsv_validate(fixture->validator, fixture->schema, value);
            int reported =
                jsv_validate_report(fixture->validator, fixture->schema, value, &problems);
            assert_true(verdict == -ELOOP || verdict == cases[i].verdict);
            assert_true(reported == -ELOOP || reported == cases[i].verdict);
            /* more steps are never worse */
            assert_true(last == -ELOOP || verdict == last);
            last = verdict;
        }
        assert_int_equal(last, cases[i].verdict);
        fixture->limits = NULL;
        expect_usable(fixture);
    }
}

/* What one check has used the next ones have no more; and sharing can end. */
static void shared_steps(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{'items':{'properties':{'a':{'allOf':[{'minLength':1}]}}}}");
    struct jsv_value value = schema_fixture_read(fixture, "[{'a':'b'},{'a':'c'},{'a':'d'}]");
    struct jsv_problems problems;
    unsigned checks = 0;
    jsv_validator_set_budget(fixture->validator, 100);
    while (jsv_validate(fixture->validator, fixture->schema, value) == 1) {
        assert_true(++checks < 100);
    }
    assert_true(checks > 1);
    assert_int_equal(jsv_validate(fixture->validator, fixture->schema, value), -ELOOP);
    assert_int_equal(
        jsv_validate_report(fixture->validator, fixture->schema, value, &problems), -ELOOP);
    jsv_validator_set_budget(fixture->validator, UINT64_MAX);
    assert_int_equal(jsv_validate(fixture->validator, fixture->schema, value), 1);
    jsv_validator_set_budget(fixture->validator, 1);
    assert_int_equal(jsv_validate(fixture->validator, fixture->schema, value), -ELOOP);
    jsv_validator_set_budget(fixture->validator, 0);
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(jsv_validate(fixture->validator, fixture->schema, value), 1);
    }
}

static struct jsv_value read_nested(struct schema_fixture *fixture, size_t depth)
{
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    for (size_t i = 0; i < depth; i++) {
        jsv_buf_append_byte(&text, '[');
    }
    for (size_t i = 0; i < depth; i++) {
        jsv_buf_append_byte(&text, ']');
    }
    struct jsv_value value = schema_fixture_read_str(fixture, jsv_buf_str(&text));
    jsv_buf_done(&text);
    return value;
}

static void depth(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_validator_limits limits = {.depth_max = 20};
    fixture->limits = &limits;
    schema_fixture_use(fixture, "{'items':{'$ref':'#'},'maxItems':1}");
    assert_int_equal(schema_fixture_verdict(fixture, read_nested(fixture, 5)), 1);
    struct jsv_value deep = read_nested(fixture, 200);
    assert_int_equal(schema_fixture_verdict(fixture, deep), -ELOOP);
    expect_usable(fixture);
    limits.depth_max = 1000;
    schema_fixture_use(fixture, "{'items':{'$ref':'#'},'maxItems':1}");
    assert_int_equal(schema_fixture_verdict(fixture, deep), 1);
    expect_usable(fixture);
}

/* Failing attempts give back the depth they took. */
static void depth_after_failures(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_validator_limits limits = {.depth_max = 40};
    fixture->limits = &limits;
    static const char *const schemas[] = {
        "{'items':{'anyOf':[{'items':{'items':{'items':false}}},{'minItems':1}]}}",
        "{'items':{'not':{'items':{'items':{'items':false}}}}}",
        "{'items':{'if':{'items':{'items':{'items':false}}},'then':false}}",
        "{'items':{'oneOf':[{'items':{'items':{'items':false}}},{'minItems':1}]}}",
        "{'contains':{'items':{'items':{'items':false}}},'minContains':0,'maxContains':9}",
    };
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    for (int i = 0; i < 100; i++) {
        jsv_buf_append_str(&text, i ? JSV_STR(",[[[[1]]]]") : JSV_STR("[[[[[1]]]]"));
    }
    jsv_buf_append_byte(&text, ']');
    struct jsv_value value = schema_fixture_read_str(fixture, jsv_buf_str(&text));
    jsv_buf_done(&text);
    for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
        schema_fixture_use(fixture, schemas[i]);
        assert_int_equal(schema_fixture_verdict(fixture, value), 1);
    }
}

/* Each of the things that take memory, with less and less of it. */
static void memory(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct schema_verdict_case cases[] = {
        {"{'uniqueItems':true}", "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,{'a':1}]", 1},
        {"{'const':{'a':{'x':1,'y':2},'b':2}}", "{'b':2,'a':{'y':2,'x':1}}", 1},
        {"{'anyOf':[{'properties':{'a':true}}],'unevaluatedProperties':{'type':'number'}}",
         "{'a':1,'b':2}",
         1},
        {"{'items':{'type':'null'}}", "[1,2,3,4]", 0},
        {"{'anyOf':[{'const':1},{'const':2},{'type':'null'}]}", "3", 0},
        {"{'unevaluatedItems':{'enum':[1]}}", "[2,2,2]", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        schema_fixture_use(fixture, cases[i].schema);
        struct jsv_value value = schema_fixture_read(fixture, cases[i].instance);
        bool starved = false;
        for (size_t budget = 64; budget < 20000; budget += 64) {
            struct jsv_validator_limits limits = {.memory_max = budget};
            struct jsv_validator *validator = jsv_validator_new(NULL, &limits);
            struct jsv_problems problems;
            int verdict = jsv_validate(validator, fixture->schema, value);
            int reported = jsv_validate_report(validator, fixture->schema, value, &problems);
            assert_true(verdict == -ENOMEM || verdict == cases[i].verdict);
            assert_true(reported == -ENOMEM || reported == cases[i].verdict);
            bool is_unsaid = reported == 0 && problems.items[0].keyword.size == 0;
            starved |= verdict == -ENOMEM || reported == -ENOMEM || is_unsaid;
            struct jsv_value small = schema_fixture_read(fixture, "true");
            assert_true(jsv_validate(validator, fixture->schema, small) >= 0);
            jsv_validator_free(validator);
        }
        assert_true(starved);
        assert_int_equal(schema_fixture_verdict(fixture, value), cases[i].verdict);
    }
}

/* A pattern that would take longer than anyone can wait. */
static void patterns(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    jsv_buf_append_byte(&text, '"');
    for (int i = 0; i < 5000; i++) {
        jsv_buf_append_byte(&text, 'a');
    }
    jsv_buf_append_byte(&text, '"');
    struct jsv_value evil = schema_fixture_read_str(fixture, jsv_buf_str(&text));
    static const char *const schemas[] = {
        "{'pattern':'^(a+)+\\\\1b$'}",
        "{'not':{'pattern':'^(a+)+\\\\1b$'}}",
        "{'anyOf':[{'pattern':'^(a+)+\\\\1b$'},{'type':'null'}]}",
        "{'allOf':[{'pattern':'^(a+)+\\\\1b$'}],'unevaluatedItems':false}",
    };
    for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
        schema_fixture_use(fixture, schemas[i]);
        assert_int_equal(schema_fixture_verdict(fixture, evil), -ETIME);
        expect_usable(fixture);
    }
    text.size--;
    jsv_buf_append_str(&text, JSV_STR("\":1}"));
    struct jsv_buf object;
    jsv_buf_init(&object, NULL, SIZE_MAX);
    jsv_buf_append_byte(&object, '{');
    jsv_buf_append_str(&object, jsv_buf_str(&text));
    evil = schema_fixture_read_str(fixture, jsv_buf_str(&object));
    jsv_buf_done(&object);
    jsv_buf_done(&text);
    static const char *const names[] = {
        "{'patternProperties':{'^(a+)+\\\\1b$':true}}",
        "{'patternProperties':{'^(a+)+\\\\1b$':true},'additionalProperties':{'type':'null'}}",
        "{'patternProperties':{'^(a+)+\\\\1b$':true},'unevaluatedProperties':false}",
        "{'propertyNames':{'pattern':'^(a+)+\\\\1b$'}}",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        schema_fixture_use(fixture, names[i]);
        assert_int_equal(schema_fixture_verdict(fixture, evil), -ETIME);
        expect_usable(fixture);
    }
}

/* In steady state nothing is asked of the allocator. */
static void no_allocations_when_warm(void **state)
{
    struct schema_fixture *fixture = *state;
    struct torture torture;
    torture_init(&torture, 0);
    schema_fixture_use(
        fixture,
        "{'uniqueItems':true,'items':{'anyOf':[{'const':{'a':1,'b':[]}},{'unevaluatedProperties':"
        "{'pattern':'a'}},{'required':['x']}]}}");
    struct jsv_value good = schema_fixture_read(
        fixture, "[{'b':[],'a':1},{'x':1},{'p':'a'},{},1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]");
    struct jsv_value bad = schema_fixture_read(fixture, "[{'b':[1],'a':1},{'c':1},{'c':1}]");
    struct jsv_validator *validator = jsv_validator_new(&torture.allocator, NULL);
    struct jsv_problems problems;
    size_t calls = 0;
    for (int i = 0; i < 20; i++) {
        calls = i == 10 ? torture.calls : calls;
        assert_int_equal(jsv_validate(validator, fixture->schema, good), 1);
        assert_int_equal(jsv_validate(validator, fixture->schema, bad), 0);
    }
    assert_int_equal(torture.calls, calls);
    assert_int_equal(jsv_validate_report(validator, fixture->schema, bad, &problems), 0);
    assert_true(problems.count > 0);
    jsv_validator_free(validator);
    torture_done(&torture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(given_limits),
        cmocka_unit_test(too_little_memory_to_make_one),
        SCHEMA_TEST(steps),
        SCHEMA_TEST(shared_steps),
        SCHEMA_TEST(depth),
        SCHEMA_TEST(depth_after_failures),
        SCHEMA_TEST(memory),
        SCHEMA_TEST(patterns),
        SCHEMA_TEST(no_allocations_when_warm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
