/*
 * Operations on the contents of arrays and objects: which one is used, and that
 * all come to the same verdicts.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "jsv/schema/program/program.h"
#include "support/schema_fixture.h"

struct code_case {
    const char *schema;
    enum jsv_type type;
    enum jsv_op_code code;
};

/* The operation on the contents, by what is known of them. */
static void which_operation(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct code_case cases[] = {
        {"{'items':{'type':'string'}}", JSV_TYPE_ARRAY, JSV_OP_ITEMS_SHALLOW},
        {"{'items':{'type':['integer','null']}}", JSV_TYPE_ARRAY, JSV_OP_ITEMS_SHALLOW},
        {"{'items':{'minLength':1}}", JSV_TYPE_ARRAY, JSV_OP_ITEMS_LAST},
        {"{'minItems':1,'items':{'type':'string'}}", JSV_TYPE_ARRAY, JSV_OP_ITEMS_SHALLOW},
        {"{'items':{'minimum':1},'contains':{}}", JSV_TYPE_ARRAY, JSV_OP_ITEMS},
        {"{'additionalProperties':{'type':'object'}}", JSV_TYPE_OBJECT, JSV_OP_MEMBERS},
        {"{'properties':{'a':{'type':'string'}}}", JSV_TYPE_OBJECT, JSV_OP_OBJECT_ONE},
        {"{'properties':{'a':{},'b':{'type':'null'}}}", JSV_TYPE_OBJECT, JSV_OP_OBJECT_TWO_LAST},
        {"{'properties':{'a':{},'b':{},'c':{'type':'null'}}}",
         JSV_TYPE_OBJECT,
         JSV_OP_OBJECT_SHALLOW},
        {"{'properties':{'a':{}},'additionalProperties':false}",
         JSV_TYPE_OBJECT,
         JSV_OP_OBJECT_SHALLOW},
        {"{'properties':{'a':{}},'additionalProperties':{'minimum':1}}",
         JSV_TYPE_OBJECT,
         JSV_OP_OBJECT_LAST},
        {"{'properties':{'a':{}},'patternProperties':{'^b':{}}}",
         JSV_TYPE_OBJECT,
         JSV_OP_OBJECT_FULL_LAST},
        /* names that more than their ends are needed for */
        {"{'properties':{'sixteen characte':{}},'additionalProperties':false}",
         JSV_TYPE_OBJECT,
         JSV_OP_OBJECT_SHALLOW},
        {"{'properties':{'seventeen charact':{}},'additionalProperties':false}",
         JSV_TYPE_OBJECT,
         JSV_OP_OBJECT_FULL_LAST},
        /* scalars only */
        {"{'properties':{'a':{'type':'null'}},'additionalProperties':{'type':'string'}}",
         JSV_TYPE_OBJECT,
         JSV_OP_OBJECT_FLAT},
        {"{'properties':{'a':{'type':'null'}},'additionalProperties':{'type':'object'}}",
         JSV_TYPE_OBJECT,
         JSV_OP_OBJECT_SHALLOW},
        /* rows */
        {"{'items':{'type':'array','items':{'type':'number'}}}",
         JSV_TYPE_ARRAY,
         JSV_OP_ITEMS_OF_ARRAYS},
        {"{'minItems':1,'items':{'type':'array','minItems':2,'items':{'type':'number'}}}",
         JSV_TYPE_ARRAY,
         JSV_OP_ITEMS_OF_ARRAYS},
        {"{'items':{'type':['array','null'],'items':{'type':'number'}}}",
         JSV_TYPE_ARRAY,
         JSV_OP_ITEMS_LAST},
        {"{'items':{'type':'array','items':{'type':['number','array']}}}",
         JSV_TYPE_ARRAY,
         JSV_OP_ITEMS_LAST},
        {"{'items':{'type':'array','uniqueItems':true,'items':{'type':'number'}}}",
         JSV_TYPE_ARRAY,
         JSV_OP_ITEMS_LAST},
        {"{'items':{'type':'object','properties':{'a':{'type':'null'}},"
         "'additionalProperties':false}}",
         JSV_TYPE_ARRAY,
         JSV_OP_ITEMS_OF_OBJECTS},
        {"{'items':{'properties':{'a':{'type':'null'}},'additionalProperties':false}}",
         JSV_TYPE_ARRAY,
         JSV_OP_ITEMS_LAST},
        {"{'items':{'type':'object','properties':{'a':{'type':'null'}}}}",
         JSV_TYPE_ARRAY,
         JSV_OP_ITEMS_LAST},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        schema_fixture_use(fixture, cases[i].schema);
        const struct jsv_op *op = fixture->schema->program->root->op[cases[i].type];
        op += op->code == JSV_OP_COUNT;
        if (op->code != cases[i].code) {
            fail_msg("%s: %d", cases[i].schema, (int)op->code);
        }
    }
}

static void expect_verdicts(
    struct schema_fixture *fixture, const struct schema_verdict_case *cases, size_t count)
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
    static const struct schema_verdict_case cases[] = {
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

/* An operation that is not the last of its list continues with the rest. */
static void followed(void **state)
{
#define AND_NOT(schema)                                                                            \
    "{'allOf':[" schema ",{'not':{'type':'object','required':['x']}},"                             \
    "{'not':{'type':'array','maxItems':1}}]}"
    static const char *const objects[] = {
        AND_NOT("{'properties':{'a':{'maximum':1}},'minProperties':1}"),
        AND_NOT("{'properties':{'a':{'maximum':1},'b':{'maximum':1}},'required':['a']}"),
        AND_NOT("{'properties':{'a':{'maximum':1},'b':{},'c':{}},'required':['a']}"),
        AND_NOT("{'patternProperties':{'^a$':{'maximum':1}},'minProperties':1}"),
        AND_NOT("{'additionalProperties':{'maximum':1},'minProperties':1}"),
    };
    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
        const struct schema_verdict_case cases[] = {
            {objects[i], "{'a':1}", 1},
            {objects[i], "{'a':2}", 0},
            {objects[i], "{}", 0},
            {objects[i], "{'a':1,'x':1}", 0},
        };
        EXPECT_VERDICTS(*state, cases);
    }
    static const struct schema_verdict_case arrays[] = {
        {AND_NOT("{'items':{'maximum':1}}"), "[1,1]", 1},
        {AND_NOT("{'items':{'maximum':1}}"), "[1,2]", 0},
        {AND_NOT("{'items':{'maximum':1}}"), "[1]", 0},
        {AND_NOT("{'items':{'maximum':1}}"), "[]", 0},
        {AND_NOT("{'items':{'type':'number'}}"), "[]", 0},
        {AND_NOT("{'items':{'type':'array','items':{'type':'number'}}}"), "[[1],[2]]", 1},
        {AND_NOT("{'items':{'type':'array','items':{'type':'number'}}}"), "[[1]]", 0},
    };
    EXPECT_VERDICTS(*state, arrays);
}

/* Values that span more than a node are stepped over, whole. */
static void containers(void **state)
{
    static const struct schema_verdict_case cases[] = {
        {"{'items':{'type':['array','null']}}", "[[1,[2]],null,[]]", 1},
        {"{'items':{'type':['array','null']}}", "[[1,[2]],null,{}]", 0},
        {"{'additionalProperties':{'type':'object'}}", "{'a':{'b':1},'c':{}}", 1},
        {"{'additionalProperties':{'type':'object'}}", "{'a':{'b':1},'c':[]}", 0},
        {"{'properties':{'a':{'type':'array'}},'required':['b']}", "{'a':[{},1],'b':[2]}", 1},
        {"{'properties':{'a':{'type':'array'}},'required':['b']}", "{'a':[{'b':1},1]}", 0},
    };
    EXPECT_VERDICTS(*state, cases);
}

/* An object whose members are all scalars, alone and in an array. */
static void leaves(void **state)
{
#define FLAT                                                                                       \
    "{'type':'object','properties':{'a':{'type':'integer'},'much longer':{'type':'null'}},"        \
    "'required':['a'],'additionalProperties':{'type':'string'}}"
#define EXACT                                                                                      \
    "{'type':'object','properties':{'a':{'type':'integer'},'much longer':{'type':'null'}},"        \
    "'required':['a','much longer'],'additionalProperties':false}"
#define ITEMS_OF(schema) "{'items':" schema "}"
    static const struct schema_verdict_case cases[] = {
        {FLAT, "{'a':1}", 1},
        {FLAT, "{}", 0},
        {FLAT, "{'b':'c'}", 0},
        {FLAT, "{'much longer':null,'b':'c','a':1}", 1},
        {FLAT, "{'much longer':null,'b':1,'a':1}", 0},
        {FLAT, "{'much longer':null,'b':[],'a':1}", 0},
        {FLAT, "{'a':{'a':1}}", 0},
        {FLAT, "{'b':'c','a':1.0}", 1},
        {FLAT, "{'b':'c','a':1.5}", 0},
        {FLAT, "{'\\u0061':1,'much\\u0020longer':null}", 1},
        {FLAT, "{'\\u0061':1,'much\\u0020longer':1}", 0},
        {EXACT, "{'a':1,'much longer':null}", 1},
        {EXACT, "{'much longer':null,'a':1}", 1},
        {EXACT, "{'much longer':null,'a':1e0}", 1},
        {EXACT, "{'much longer':null,'a':1e-1}", 0},
        {EXACT, "{'much\\u0020longer':null,'\\u0061':1}", 1},
        {EXACT, "{}", 0},
        {EXACT, "{'a':1}", 0},
        {EXACT, "{'a':1,'b':null}", 0},
        {EXACT, "{'a':1,'much langer':null}", 0},
        {EXACT, "{'a':1,'much longes':null}", 0},
        {EXACT, "{'a':1,'much longer':null,'b':1}", 0},
        {EXACT, "{'a':[1,2],'much longer':null}", 0},
        {EXACT, "{'a':{'much longer':null},'b':1}", 0},
        {ITEMS_OF(FLAT), "[]", 1},
        {ITEMS_OF(FLAT), "[{'a':1},{'a':2,'b':''},{'much longer':null,'a':3}]", 1},
        {ITEMS_OF(FLAT), "[{'a':1},{'a':2.0}]", 1},
        {ITEMS_OF(FLAT), "[{'a':1},{'a':2.5}]", 0},
        {ITEMS_OF(FLAT), "[{'a':1},{}]", 0},
        {ITEMS_OF(FLAT), "[{'a':1},[1,2]]", 0},
        {ITEMS_OF(FLAT), "[{'a':1},null]", 0},
        {ITEMS_OF(FLAT), "[{'a':1},{'a':[{'a':1}]}]", 0},
        {ITEMS_OF(EXACT), "[]", 1},
        {ITEMS_OF(EXACT), "[{'a':1,'much longer':null},{'much longer':null,'a':1}]", 1},
        {ITEMS_OF(EXACT), "[{'a':1,'much longer':null},{'much longer':null,'a':1.0}]", 1},
        {ITEMS_OF(EXACT), "[{'a':1,'much longer':null},{'much longer':null,'a':1.1}]", 0},
        {ITEMS_OF(EXACT), "[{'a':1,'much longer':null},{'much longer':null}]", 0},
        {ITEMS_OF(EXACT), "[{'a':1,'much longer':null},[1,2]]", 0},
        {ITEMS_OF(EXACT), "[{'a':1,'much longer':null},'a']", 0},
    };
    EXPECT_VERDICTS(*state, cases);
}

/* Arrays of arrays: their number of elements, and what these are. */
static void rows(void **state)
{
    static const char pairs[] =
        "{'items':{'type':'array','minItems':2,'maxItems':3,'items':{'type':'number'}}}";
    static const char any[] = "{'items':{'type':'array','items':{'type':['integer','null']}}}";
    static const char none[] =
        "{'items':{'type':'array','minItems':3,'maxItems':2,'items':{'type':'number'}}}";
    static const char many[] =
        "{'items':{'type':'array','minItems':20000000,'items':{'type':'number'}}}";
    static const struct schema_verdict_case cases[] = {
        {pairs, "[]", 1},
        {pairs, "[[1,2],[3.5,4],[5,6,7]]", 1},
        {pairs, "[[1,2],[3]]", 0},
        {pairs, "[[1,2],[]]", 0},
        {pairs, "[[1,2],[1,2,3,4]]", 0},
        {pairs, "[[1,2],[3,'a']]", 0},
        {pairs, "[[1,2],[3,[4,5]]]", 0},
        {pairs, "[[1,2],3]", 0},
        {pairs, "[[1,2],{'a':1,'b':2}]", 0},
        {any, "[]", 1},
        {any, "[[],[null],[1,2,3]]", 1},
        {any, "[[],[null],[1,2.0,3]]", 1},
        {any, "[[],[null],[1,2.5,3]]", 0},
        {any, "[[],null]", 0},
        {none, "[]", 1},
        {none, "[[1,2,3]]", 0},
        {many, "[]", 1},
        {many, "[[1,2,3]]", 0},
    };
    EXPECT_VERDICTS(*state, cases);
}

/* An open object with one or two short names: once they are met, the rest is not looked at. */
static void few_names(void **state)
{
    static const char one[] = "{'properties':{'b':{'maximum':1}}}";
    static const char needed[] = "{'properties':{'b':{'type':'integer'}},'required':['b']}";
    static const char two[] =
        "{'properties':{'a':{'type':'integer'},'b':{'maximum':1}},'required':['b']}";
    static const char both[] =
        "{'properties':{'a':{'type':'integer'},'b':{'type':'null'}},'required':['a']}";
    static const struct schema_verdict_case cases[] = {
        {one, "{}", 1},
        {one, "{'a':[1,{'b':2}],'b':1,'c':2}", 1},
        {one, "{'a':[1,{'b':1}],'b':2}", 0},
        {one, "{'\\u0062':2}", 0},
        {needed, "{}", 0},
        {needed, "{'a':{'b':1}}", 0},
        {needed, "{'a':{'b':1},'b':2}", 1},
        {needed, "{'a':{'b':1},'b':2.0}", 1},
        {needed, "{'b':2.5}", 0},
        {two, "{'b':1}", 1},
        {two, "{'a':1}", 0},
        {two, "{}", 0},
        {two, "{'x':1,'b':1,'a':1,'y':1}", 1},
        {two, "{'a':1,'b':2}", 0},
        {two, "{'b':1,'a':'a'}", 0},
        {both, "{'a':1,'b':null}", 1},
        {both, "{'b':null,'a':1.0}", 1},
        {both, "{'b':null,'a':1.5}", 0},
        {both, "{'b':null}", 0},
        {both, "{'a':1,'x':[]}", 1},
    };
    EXPECT_VERDICTS(*state, cases);
}

/* A name that is required and not listed is an extra one, unless a pattern speaks of it. */
static void extra_names(void **state)
{
    static const struct schema_verdict_case cases[] = {
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

/* Names that differ only in their middle, their end or their size. */
static void similar_names(void **state)
{
    static const char schema[] =
        "{'properties':{'12345678':{'type':'null'},'1234567890':{'type':'null'},"
        "'12345678x90123456':{'type':'null'}},'additionalProperties':false}";
    static const char simple[] =
        "{'properties':{'12345678':{'type':'null'},'1234567890':{'type':'null'},"
        "'123456789':{'type':'null'}},'additionalProperties':false}";
    static const struct schema_verdict_case cases[] = {
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
        "{'properties':{'a':{},'b':{'type':'number'}}}",
        "{'properties':{'a':{'type':'null'}},'additionalProperties':{'type':'number'}}",
        "{'properties':{'x':{'type':'number'}},'required':['x'],'additionalProperties':false}",
        "{'properties':{'x':{'type':'number'},'y':{'maximum':1}}}",
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
        assert_int_equal(jsv_validate(validator, fixture->schema, few), 1);
        assert_int_equal(jsv_validate(validator, fixture->schema, many), -ELOOP);
        assert_int_equal(jsv_validate(validator, fixture->schema, few), 1);
        jsv_validator_free(validator);
    }
}

/* And one on arrays of leaves by all that is in them. */
static void nested_steps(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct {
        const char *schema;
        const char *few;
        const char *many;
        const char *wrong; /* which the first of many elements tells */
    } cases[] = {
        {"{'items':{'type':'array','items':{'type':'number'}}}",
         "[[1]]",
         "[[1,2,3,4,5,6,7,8,9,10,11,12,13]]",
         "['',[1,2,3,4,5,6,7,8,9]]"},
        {"{'items':" FLAT "}",
         "[{'a':1}]",
         "[{'a':1},{'a':1},{'a':1},{'a':1},{'a':1}]",
         "[{'a':[]},{'a':1},{'a':1},{'a':1},{'a':1}]"},
        {"{'items':{'type':'object','properties':{'a':{'type':'null'}},'required':['a'],"
         "'additionalProperties':false}}",
         "[{'a':null}]",
         "[{'a':null},{'a':null},{'a':null},{'a':null}]",
         "[null,{'a':null},{'a':null},{'a':null}]"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        schema_fixture_use(fixture, cases[i].schema);
        struct jsv_value few = schema_fixture_read(fixture, cases[i].few);
        struct jsv_value many = schema_fixture_read(fixture, cases[i].many);
        struct jsv_validator_limits limits = {.steps_max = 4};
        struct jsv_validator *validator = jsv_validator_new(NULL, &limits);
        assert_non_null(validator);
        assert_int_equal(jsv_validate(validator, fixture->schema, few), 1);
        assert_int_equal(jsv_validate(validator, fixture->schema, many), -ELOOP);
        struct jsv_value wrong = schema_fixture_read(fixture, cases[i].wrong);
        assert_int_equal(jsv_validate(validator, fixture->schema, wrong), 0);
        jsv_validator_free(validator);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(which_operation),
        SCHEMA_TEST(followed),
        SCHEMA_TEST(leaves),
        SCHEMA_TEST(rows),
        SCHEMA_TEST(few_names),
        SCHEMA_TEST(nested_steps),
        SCHEMA_TEST(integers),
        SCHEMA_TEST(containers),
        SCHEMA_TEST(extra_names),
        SCHEMA_TEST(similar_names),
        SCHEMA_TEST(steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
