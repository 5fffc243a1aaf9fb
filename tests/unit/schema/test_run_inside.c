/*
 * What is inside arrays and objects, on the fast way: the shallow forms, when
 * they are used, and that they come to the same verdicts as the others.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "schema/program.h"
#include "support/schema_fixture.h"

/* Whether the operation on what is inside values of a type has its shallow form. */
static bool is_shallow(const struct schema_fixture *fixture, enum jsv_type type)
{
    const struct jsv_program *program = fixture->schema->program;
    const struct jsv_op *op = program->entries[program->root].op[type];
    while (op->code != JSV_OP_PASS && !jsv_op_function_of(op->code, true)) {
        op++;
    }
    assert_int_not_equal(op->code, JSV_OP_PASS);
    return op->run == jsv_op_function_of(op->code, true);
}

struct form_case {
    const char *schema;
    enum jsv_type type;
    bool shallow;
};

static void which_form(void **state)
{
    static const struct form_case cases[] = {
        {"{'items':{'type':'string'}}", JSV_TYPE_ARRAY, true},
        {"{'items':{'type':['integer','null']}}", JSV_TYPE_ARRAY, true},
        {"{'items':{'minLength':1}}", JSV_TYPE_ARRAY, false},
        {"{'minItems':1,'items':{'type':'string'}}", JSV_TYPE_ARRAY, true},
        {"{'additionalProperties':{'type':'object'}}", JSV_TYPE_OBJECT, true},
        {"{'additionalProperties':{'minimum':1}}", JSV_TYPE_OBJECT, false},
        {"{'properties':{'a':{'type':'string'}}}", JSV_TYPE_OBJECT, true},
        {"{'properties':{'a':{'items':false}}}", JSV_TYPE_OBJECT, false},
        {"{'properties':{'a':{},'b':{},'c':{'type':'null'}}}", JSV_TYPE_OBJECT, true},
        {"{'properties':{'a':{}},'additionalProperties':false}", JSV_TYPE_OBJECT, true},
        {"{'properties':{'a':{}},'additionalProperties':{'minimum':1}}", JSV_TYPE_OBJECT, false},
        {"{'properties':{'a':{}},'patternProperties':{'^b':{}}}", JSV_TYPE_OBJECT, false},
        /* names that more than their ends are needed for */
        {"{'properties':{'sixteen characte':{}},'additionalProperties':false}",
         JSV_TYPE_OBJECT,
         true},
        {"{'properties':{'seventeen charact':{}},'additionalProperties':false}",
         JSV_TYPE_OBJECT,
         false},
        /* something follows */
        {"{'properties':{'a':{}},'not':{'required':['b']}}", JSV_TYPE_OBJECT, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        schema_fixture_use(*state, cases[i].schema);
        if (is_shallow(*state, cases[i].type) != cases[i].shallow) {
            fail_msg("%s", cases[i].schema);
        }
    }
}

struct verdict_case {
    const char *schema;
    const char *instance;
    int verdict;
};

static void
expect_verdicts(struct schema_fixture *fixture, const struct verdict_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        schema_fixture_use(fixture, cases[i].schema);
        struct jsv_value instance = schema_fixture_read(fixture, cases[i].instance);
        int verdict = schema_fixture_verdict(fixture, instance);
        if (verdict != cases[i].verdict) {
            fail_msg("%s: %s: %d", cases[i].schema, cases[i].instance, verdict);
        }
    }
}

#define EXPECT_VERDICTS(fixture, cases)                                                            \
    expect_verdicts(fixture, cases, sizeof(cases) / sizeof((cases)[0]))

/* A number that is not written as an integer may be one. */
static void integers(void **state)
{
    static const struct verdict_case cases[] = {
        {"{'items':{'type':'integer'}}", "[1,-2,0]", 1},
        {"{'items':{'type':'integer'}}", "[1,2.0,3]", 1},
        {"{'items':{'type':'integer'}}", "[1,2.5,3]", 0},
        {"{'items':{'type':'integer'}}", "[1,20e-1,'a']", 0},
        {"{'items':{'type':'integer'}}", "[1,1.0,[]]", 0},
        {"{'items':{'type':'string'}}", "['a',1]", 0},
        {"{'additionalProperties':{'type':'integer'}}", "{'a':1,'b':1e2}", 1},
        {"{'additionalProperties':{'type':'integer'}}", "{'a':1,'b':1e-2}", 0},
        {"{'properties':{'a':{'type':'integer'}}}", "{'a':1.0}", 1},
        {"{'properties':{'a':{'type':'integer'}}}", "{'a':1.5}", 0},
        {"{'properties':{'a':{'type':'integer'}}}", "{'a':null}", 0},
        {"{'properties':{'a':{'type':'integer'},'b':{},'c':{}}}", "{'c':1,'a':3.0}", 1},
        {"{'properties':{'a':{'type':'integer'},'b':{},'c':{}}}", "{'c':1,'a':3.1}", 0},
    };
    EXPECT_VERDICTS(*state, cases);
}

/* Values that span more than a node are stepped over, whole. */
static void containers(void **state)
{
    static const struct verdict_case cases[] = {
        {"{'items':{'type':['array','null']}}", "[[1,[2]],null,[]]", 1},
        {"{'items':{'type':['array','null']}}", "[[1,[2]],null,{}]", 0},
        {"{'additionalProperties':{'type':'object'}}", "{'a':{'b':1},'c':{}}", 1},
        {"{'additionalProperties':{'type':'object'}}", "{'a':{'b':1},'c':[]}", 0},
        {"{'properties':{'a':{'type':'array'}},'required':['b']}", "{'a':[{},1],'b':[2]}", 1},
        {"{'properties':{'a':{'type':'array'}},'required':['b']}", "{'a':[{'b':1},1]}", 0},
    };
    EXPECT_VERDICTS(*state, cases);
}

/* A name that is required and not listed is an extra one, unless a pattern speaks of it. */
static void extra_names(void **state)
{
    static const struct verdict_case cases[] = {
        {"{'additionalProperties':false}", "{}", 1},
        {"{'additionalProperties':false}", "{'a':1}", 0},
        {"{'required':['a'],'additionalProperties':false}", "{'a':1}", 0},
        {"{'required':['a'],'additionalProperties':{'type':'string'}}", "{'a':'b'}", 1},
        {"{'required':['a'],'additionalProperties':{'type':'string'}}", "{'a':1}", 0},
        {"{'required':['a'],'additionalProperties':{'maximum':1}}", "{'a':1}", 1},
        {"{'required':['a'],'additionalProperties':{'maximum':1}}", "{'a':2}", 0},
        {"{'required':['a'],'patternProperties':{'^a':{}},'additionalProperties':false}",
         "{'a':1}",
         1},
        {"{'required':['a'],'patternProperties':{'^b':{}},'additionalProperties':false}",
         "{'a':1}",
         0},
        {"{'properties':{'a':{}},'patternProperties':{'^a':{'type':'null'}}}", "{'a':1}", 0},
        {"{'patternProperties':{'^a':{'type':'null'}},'additionalProperties':{'type':'number'}}",
         "{'b':1,'a':null}",
         1},
        {"{'patternProperties':{'^a':{'type':'null'}},'additionalProperties':{'type':'number'}}",
         "{'b':null}",
         0},
    };
    EXPECT_VERDICTS(*state, cases);
}

/* Names that differ in nothing but their middle, their end or their size. */
static void similar_names(void **state)
{
    static const char schema[] =
        "{'properties':{'12345678':{'type':'null'},'1234567890':{'type':'null'},"
        "'12345678x90123456':{'type':'null'}},'additionalProperties':false}";
    static const char simple[] =
        "{'properties':{'12345678':{'type':'null'},'1234567890':{'type':'null'},"
        "'123456789':{'type':'null'}},'additionalProperties':false}";
    static const struct verdict_case cases[] = {
        {schema, "{'12345678':null,'1234567890':null,'12345678x90123456':null}", 1},
        {schema, "{'12345678y90123456':null}", 0},
        {schema, "{'1234567891':null}", 0},
        {schema, "{'1234567':null}", 0},
        {schema, "{'1234567\\u00389\\u0030':null}", 1},
        {simple, "{'12345678':null,'1234567890':null,'123456789':null}", 1},
        {simple, "{'1234567\\u0038\\u0039':null,'\\u0031234567890':null}", 1},
        {simple, "{'1234567\\u0038\\u0030':null}", 0},
        {simple, "{'123456788':null}", 0},
        {simple, "{'12345678':1}", 0},
    };
    EXPECT_VERDICTS(*state, cases);
}

/* A shallow operation takes steps, too. */
static void steps(void **state)
{
    struct schema_fixture *fixture = *state;
    static const char *const schemas[] = {
        "{'items':{'type':'number'}}",
        "{'properties':{'a':{'type':'number'}}}",
        "{'properties':{'a':{},'b':{},'c':{'type':'number'}}}",
        "{'additionalProperties':{'type':'number'}}",
    };
    for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
        schema_fixture_use(fixture, schemas[i]);
        struct jsv_value few = schema_fixture_read(fixture, i == 0 ? "[1]" : "{'x':1}");
        struct jsv_value many = schema_fixture_read(
            fixture,
            i == 0 ? "[1,2,3,4,5,6,7,8,9]"
                   : "{'1':1,'2':1,'3':1,'4':1,'5':1,'6':1,'7':1,'8':1,'9':1}");
        struct jsv_validator_limits limits = {.steps_max = 2};
        struct jsv_validator *validator = jsv_validator_new(NULL, &limits);
        assert_non_null(validator);
        assert_int_equal(jsv_validate(fixture->schema, few, validator), 1);
        assert_int_equal(jsv_validate(fixture->schema, many, validator), -ELOOP);
        assert_int_equal(jsv_validate(fixture->schema, few, validator), 1);
        jsv_validator_free(validator);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(which_form),
        SCHEMA_TEST(integers),
        SCHEMA_TEST(containers),
        SCHEMA_TEST(extra_names),
        SCHEMA_TEST(similar_names),
        SCHEMA_TEST(steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
