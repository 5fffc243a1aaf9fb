/*
 * Members that are required beside alternatives: the alternatives demand them
 * in the end, and nothing else changes.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "jsv/schema/program/program.h"
#include "support/schema_fixture.h"

static enum jsv_op_code first_code(const struct schema_fixture *fixture)
{
    return fixture->schema->program->root->op[JSV_TYPE_OBJECT]->code;
}

/* Take the verdict of every object that has some of the members a, b, c and d. */
static void take_verdicts(
    struct schema_fixture *fixture, const char *schema, const char *value, int verdicts[16])
{
    schema_fixture_use(fixture, schema);
    for (unsigned set = 0; set < 16; set++) {
        char text[128] = "{";
        size_t size = 1;
        for (unsigned i = 0; i < 4; i++) {
            if (set >> i & 1) {
                size += (size_t)snprintf(
                    text + size,
                    sizeof(text) - size,
                    "%s'%c':%s",
                    size > 1 ? "," : "",
                    (char)('a' + i),
                    value);
            }
        }
        snprintf(text + size, sizeof(text) - size, "}");
        verdicts[set] = schema_fixture_verdict(fixture, schema_fixture_read(fixture, text));
    }
}

/* The same verdicts as when it is demanded apart, which is not moved. */
static void expect_the_same(struct schema_fixture *fixture, const char *schema, const char *apart)
{
    static const char *const values[] = {"1", "'x'", "'y'"};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        int verdicts[16];
        int expected[16];
        take_verdicts(fixture, schema, values[i], verdicts);
        take_verdicts(fixture, apart, values[i], expected);
        if (memcmp(verdicts, expected, sizeof(verdicts)) != 0) {
            fail_msg("%s with %s", schema, values[i]);
        }
    }
}

struct demand_case {
    const char *alternatives; /* the keyword and its value */
    const char *more;         /* other members of the schema */
    enum jsv_op_code first;
};

static void demands_beside_alternatives(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct demand_case cases[] = {
        {"'anyOf':[{'required':['b']},{'required':['c']}]", "", JSV_OP_ANY_OF},
        {"'oneOf':[{'required':['b']},{'required':['c','a']}]", "", JSV_OP_ONE_OF},
        {"'oneOf':[{'required':['b']},{'properties':{'c':{'const':'x'}}},{'required':['d']}]",
         "",
         JSV_OP_ONE_OF},
        {"'anyOf':[{'properties':{'b':{'const':'x'}},'additionalProperties':false},"
         "{'properties':{'a':{'const':'y'}}}]",
         "",
         JSV_OP_ANY_OF},
        {"'anyOf':[{'patternProperties':{'^b':{'type':'number'}}},"
         "{'additionalProperties':{'const':'x'}}]",
         "",
         JSV_OP_ANY_OF},
        {"'anyOf':[{'$ref':'#/$defs/b'},{'$ref':'#/$defs/c'}]",
         ",'$defs':{'b':{'$ref':'#/$defs/r'},'c':{'required':['c']},'r':{'required':['b']}}",
         JSV_OP_ANY_OF},
        {"'oneOf':[{'required':['b']},{'required':['c'],'unevaluatedProperties':false}]",
         "",
         JSV_OP_ONE_OF},
        {"'oneOf':[{'required':['b']},{'properties':{'a':true,'c':true},"
         "'unevaluatedProperties':false}]",
         "",
         JSV_OP_ONE_OF},
        /* alternatives that fail in any case, all but one or all */
        {"'anyOf':[{'type':'null','required':['b']},{'required':['c']}]", "", JSV_OP_OBJECT_FEW},
        {"'anyOf':[{'type':'null','required':['b']},{'not':true,'required':['c']}]",
         "",
         JSV_OP_FAIL},
        /* the first of two takes it */
        {"'anyOf':[{'required':['b']},{'required':['c']}]",
         ",'oneOf':[{'required':['c']},{'required':['d']}]",
         JSV_OP_ANY_OF},
        /* what does not look at members cannot demand any */
        {"'anyOf':[{'required':['b']},{'minProperties':3}]", "", JSV_OP_OBJECT_ONE},
        {"'anyOf':[{'required':['b']},true]", "", JSV_OP_OBJECT_ONE},
        {"'oneOf':[{'required':['b']},{'required':['c'],'anyOf':[{'properties':{'c':true}}],"
         "'unevaluatedProperties':false}]",
         "",
         JSV_OP_OBJECT_ONE},
        /* nor is it for them when the schema looks at members itself */
        {"'anyOf':[{'required':['b']},{'required':['c']}]",
         ",'properties':{'d':{'type':'number'}}",
         JSV_OP_OBJECT_FEW},
        {"'anyOf':[{'required':['b']},{'required':['c']}]",
         ",'additionalProperties':{'type':'number'}",
         JSV_OP_OBJECT},
        {"'anyOf':[{'required':['b']},{'required':['c']}]",
         ",'patternProperties':{'d':{'type':'number'}}",
         JSV_OP_OBJECT_FULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct demand_case *c = &cases[i];
        char schema[512];
        char apart[512];
        snprintf(schema, sizeof(schema), "{'required':['a'],%s%s}", c->alternatives, c->more);
        snprintf(
            apart,
            sizeof(apart),
            "{'allOf':[{'required':['a']},{%s}]%s}",
            c->alternatives,
            c->more);
        schema_fixture_use(fixture, schema);
        if (first_code(fixture) != c->first) {
            fail_msg("%s: %d", schema, (int)first_code(fixture));
        }
        expect_the_same(fixture, schema, apart);
    }
}

/* A name that an alternative requires by itself is demanded once, and has one slot. */
static void demands_that_are_met_already(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{'required':['a','b'],"
        "'anyOf':[{'required':['a','b','c']},{'required':['d'],'properties':{'a':{},'b':{}}}]}");
    const struct jsv_program *program = fixture->schema->program;
    const struct jsv_op *first = program->root->op[JSV_TYPE_OBJECT];
    assert_int_equal(first->code, JSV_OP_ANY_OF);
    const struct jsv_choice *choice = first->data;
    for (uint32_t i = 0; i < 2; i++) {
        const struct jsv_op *alternative = &program->ops[choice->at[i]];
        const struct jsv_object *object = alternative->data;
        assert_int_equal(alternative->code, JSV_OP_OBJECT);
        assert_int_equal(object->names.count, 3);
        assert_int_equal(object->required_count, 3);
    }
    expect_the_same(
        fixture,
        "{'required':['a','b'],'anyOf':[{'required':['a','b','c']},{'required':['d']}]}",
        "{'allOf':[{'required':['a','b']},"
        "{'anyOf':[{'required':['a','b','c']},{'required':['d']}]}]}");
}

/* Nothing is demanded; alternatives that demand something themselves, or lead back here. */
static void demands_in_demands(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{'required':[],'anyOf':[{'required':['b']},{'required':['c']}]}");
    assert_int_equal(first_code(fixture), JSV_OP_ANY_OF);
    expect_the_same(
        fixture,
        "{'required':['a'],'anyOf':[{'$ref':'#/$defs/b'},{'required':['d']}],"
        "'$defs':{'b':{'required':['b'],'anyOf':[{'$ref':'#/$defs/c'},{'required':['d']}]},"
        "'c':{'required':['c'],'properties':{'a':{'$ref':'#'}},"
        "'oneOf':[{'required':['d']},{'required':['d']},{'required':['b']}]}}}",
        "{'allOf':[{'required':['a']},{'anyOf':[{'allOf':[{'required':['b']},"
        "{'anyOf':[{'allOf':[{'required':['c']},{'oneOf':[{'required':['d']},{'required':['d']},"
        "{'required':['b']}]}]},{'required':['d']}]}]},{'required':['d']}]}]}");
    schema_fixture_use(
        fixture,
        "{'required':['a'],'anyOf':[{'$ref':'#/$defs/b'},{'required':['d']}],"
        "'$defs':{'b':{'required':['b'],'anyOf':[{'$ref':'#/$defs/b'},{'$ref':'#'}]}}}");
    struct jsv_value value = schema_fixture_read(fixture, "{'a':1,'d':1}");
    assert_int_equal(jsv_validate(fixture->schema, value, fixture->validator), 1);
    value = schema_fixture_read(fixture, "{'d':1}");
    assert_int_equal(jsv_validate(fixture->schema, value, fixture->validator), 0);
    value = schema_fixture_read(fixture, "{'a':1,'b':1}");
    assert_int_equal(jsv_validate(fixture->schema, value, fixture->validator), -ELOOP);
}

/* Alternatives that many schemas share are not made again for all of them. */
static void demands_that_cost_too_much(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf schema;
    jsv_buf_init(&schema, NULL, SIZE_MAX);
    jsv_buf_append_str(&schema, JSV_STR("{\"$defs\":{\"many\":{\"required\":[\"b\""));
    for (int i = 0; i < 200; i++) {
        char text[16];
        jsv_buf_append(&schema, text, (size_t)snprintf(text, sizeof(text), ",\"b%d\"", i));
    }
    jsv_buf_append_str(&schema, JSV_STR("]},\"few\":{\"required\":[\"c\"]}},\"properties\":{"));
    for (int i = 0; i < 50; i++) {
        char text[128];
        int size = snprintf(
            text,
            sizeof(text),
            "%s\"%d\":{\"required\":[\"a\"],\"anyOf\":[{\"$ref\":\"#/$defs/many\"},"
            "{\"$ref\":\"#/$defs/few\"}]}",
            i ? "," : "",
            i);
        jsv_buf_append(&schema, text, (size_t)size);
    }
    jsv_buf_append_str(&schema, JSV_STR("}}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    jsv_buf_done(&schema);
    const struct jsv_program *program = fixture->schema->program;
    const struct jsv_object *object = program->root->op[JSV_TYPE_OBJECT]->data;
    size_t moved = 0;
    for (struct jsv_name_slot *slot = NULL; (slot = jsv_names_next(&object->names, slot));) {
        moved += program->entries[slot->at].op[JSV_TYPE_OBJECT]->code == JSV_OP_ANY_OF;
    }
    assert_true(moved > 0 && moved < 10);
    for (int i = 0; i < 50; i++) {
        char text[32];
        snprintf(text, sizeof(text), "{'%d':{'c':1,'a':1}}", i);
        assert_int_equal(schema_fixture_verdict(fixture, schema_fixture_read(fixture, text)), 1);
        snprintf(text, sizeof(text), "{'%d':{'c':1}}", i);
        assert_int_equal(schema_fixture_verdict(fixture, schema_fixture_read(fixture, text)), 0);
        snprintf(text, sizeof(text), "{'%d':{'a':1}}", i);
        assert_int_equal(schema_fixture_verdict(fixture, schema_fixture_read(fixture, text)), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(demands_beside_alternatives),
        SCHEMA_TEST(demands_in_demands),
        SCHEMA_TEST(demands_that_are_met_already),
        SCHEMA_TEST(demands_that_cost_too_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
