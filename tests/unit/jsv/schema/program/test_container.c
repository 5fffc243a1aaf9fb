/*
 * unevaluatedProperties: as an operation where the schema alone tells which
 * members are evaluated, else left to explaining. Both verdicts are compared
 * each time (schema_fixture_verdict).
 */
#include "jsv/schema/program/program.h"
#include "support/json_fixture.h"
#include "support/schema_fixture.h"

#define BASE                                                                                       \
    "'$defs':{'base':{'properties':{'b':{'type':'integer'}},'patternProperties':{'^x-':true}}}"

static const struct {
    const char *schema;
    bool explains;
    const char *valid;
    const char *wrong; /* NULL: everything is valid */
} cases[] = {
    {"{'unevaluatedProperties':false}", false, "{}", "{'a':1}"},
    {"{'unevaluatedProperties':true}", false, "{'a':1}", NULL},
    {"{'unevaluatedProperties':{'type':'string'}}", false, "{'a':''}", "{'a':1}"},
    {"{'properties':{'a':true},'unevaluatedProperties':false}", false, "{'a':1}", "{'b':1}"},
    {"{" BASE ",'$ref':'#/$defs/base','properties':{'a':true},'unevaluatedProperties':false}",
     false,
     "{'a':1,'b':2,'x-c':3}",
     "{'a':1,'c':2}"},
    {"{" BASE ",'allOf':[{'$ref':'#/$defs/base'},{'properties':{'c':true}}],"
     "'unevaluatedProperties':{'type':'null'}}",
     false,
     "{'b':2,'c':2,'d':null}",
     "{'b':2,'c':2,'d':1}"},
    {"{" BASE ",'allOf':[{'$ref':'#/$defs/base'}],'unevaluatedProperties':false}",
     false,
     "{'b':2}",
     "{'b':'wrong itself'}"},
    {"{'allOf':[{'additionalProperties':{'type':'integer'}}],'unevaluatedProperties':false}",
     false,
     "{'a':2}",
     "{'a':''}"},
    {"{'allOf':[{'unevaluatedProperties':true}],'unevaluatedProperties':false}",
     false,
     "{'a':2}",
     NULL},
    {"{'anyOf':[{'required':['a']},{'required':['b']}],'properties':{'a':true},"
     "'unevaluatedProperties':false}",
     false,
     "{'a':2}",
     "{'a':2,'b':3}"},
    {"{'not':{'properties':{'a':{'type':'null'}},'required':['a']},'unevaluatedProperties':false}",
     false,
     "{}",
     "{'a':2}"},
    {"{'anyOf':[{'properties':{'a':{'type':'integer'}},'required':['a']},{'required':['b']}],"
     "'unevaluatedProperties':{'type':'null'}}",
     true,
     "{'a':2,'b':null}",
     "{'a':'','b':null}"},
    {"{'if':{'properties':{'a':{'const':1}},'required':['a']},'then':{'properties':{'b':true}},"
     "'unevaluatedProperties':false}",
     true,
     "{'a':1,'b':2}",
     "{'a':2,'b':2}"},
    {"{'dependentSchemas':{'a':{'properties':{'a':true}}},'unevaluatedProperties':false}",
     true,
     "{'a':1}",
     "{'b':2}"},
    {"{'properties':{'a':{'$ref':'#'}},'allOf':[{'properties':{'b':true}}],"
     "'unevaluatedProperties':false}",
     false,
     "{'a':{'a':{'b':1}}}",
     "{'a':{'a':{'c':1}}}"},
};

static void as_an_operation(void **state)
{
    struct schema_fixture *fixture = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        schema_fixture_use(fixture, cases[i].schema);
        const struct jsv_op *op = fixture->schema->program->root->op[JSV_TYPE_OBJECT];
        if ((op->code == JSV_OP_EXPLAIN) != cases[i].explains) {
            fail_msg("%s", cases[i].schema);
        }
        struct jsv_value valid = schema_fixture_read(fixture, cases[i].valid);
        assert_int_equal(schema_fixture_verdict(fixture, valid), 1);
        if (cases[i].wrong) {
            struct jsv_value wrong = schema_fixture_read(fixture, cases[i].wrong);
            assert_int_equal(schema_fixture_verdict(fixture, wrong), 0);
        }
    }
}

/* The problem is reported as before, at the member that no keyword evaluates. */
static void what_is_said(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{" BASE ",'allOf':[{'$ref':'#/$defs/base'}],'properties':{'a':{'type':'integer'}},"
        "'unevaluatedProperties':false}");
    schema_fixture_expect(fixture, "{'a':1,'b':2,'x-':3}", NULL);
    schema_fixture_expect(
        fixture,
        "{'c':1,'a':''}",
        "/a: expected integer (type /properties/a/type)\n"
        "/c: unexpected property \"c\" (unevaluatedProperties /unevaluatedProperties)");
}

/* Circles and masses of schemas are left to explaining, or are taken as they are. */
static void circles_end(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{'$defs':{'a':{'allOf':[{'$ref':'#/$defs/b'},{'$ref':'#/$defs/b'}]},'b':{'allOf':["
        "{'$ref':'#/$defs/c'},{'$ref':'#/$defs/c'}]},'c':{'anyOf':[{'$ref':'#/$defs/a'},true]}},"
        "'properties':{'x':{'$ref':'#/$defs/a','unevaluatedProperties':false}}}");
    assert_int_equal(schema_fixture_verdict(fixture, schema_fixture_read(fixture, "{}")), 1);
}

/* A schema "leaf" of so many names, which "b" lists so often, which so many others extend. */
static void write_masses(struct jsv_buf *out, const char *name, int names, int lists, int others)
{
    json_fixture_print(out, "{'$defs':{'leaf':{'%s':{", name);
    for (int i = 0; i < names; i++) {
        json_fixture_print(out, "%s'name%d':true", i ? "," : "", i);
    }
    json_fixture_print(out, "}},'b':{'allOf':[");
    for (int i = 0; i < lists; i++) {
        json_fixture_print(out, "%s{'$ref':'#/$defs/leaf'}", i ? "," : "");
    }
    json_fixture_print(out, "]}},'prefixItems':[");
    for (int i = 0; i < others; i++) {
        json_fixture_print(
            out, "%s{'$ref':'#/$defs/b','unevaluatedProperties':false}", i ? "," : "");
    }
    json_fixture_print(out, "]}");
}

static size_t
memory_for(struct schema_fixture *fixture, const char *name, int names, int lists, int others)
{
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    write_masses(&text, name, names, lists, others);
    for (size_t i = 0; i < text.size; i++) {
        text.data[i] = text.data[i] == '\'' ? '"' : text.data[i];
    }
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&text)), 0);
    jsv_buf_done(&text);
    struct jsv_value valid = schema_fixture_read(fixture, "[{'name0':1,'name7':2}]");
    assert_int_equal(schema_fixture_verdict(fixture, valid), 1);
    struct jsv_value wrong = schema_fixture_read(fixture, "[{'name0':1,'other':2}]");
    assert_int_equal(schema_fixture_verdict(fixture, wrong), 0);
    return fixture->schema->arena.held;
}

/* Names are not copied into every schema that refers to them when they are many. */
static void many_names_take_no_memory(void **state)
{
    assert_true(memory_for(*state, "properties", 2000, 120, 60) < 8 << 20);
    assert_true(memory_for(*state, "properties", 20, 120, 60) < 8 << 20);
    assert_true(memory_for(*state, "patternProperties", 40, 120, 60) < 8 << 20);
    assert_true(memory_for(*state, "properties", 200, 1, 60) < 8 << 20);
}

/* A name that a base and its extension both have is one. */
static void names_that_are_repeated(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{'$defs':{'base':{'properties':{'b':true,'a':true}}},'$ref':'#/$defs/base',"
        "'properties':{'a':true,'c':true},'unevaluatedProperties':false}");
    const struct jsv_op *op = fixture->schema->program->root->op[JSV_TYPE_OBJECT];
    const struct jsv_object *object = NULL;
    for (; op->code != JSV_OP_PASS && !object; op++) {
        const struct jsv_object *data = jsv_op_is_object(op->code) ? op->data : NULL;
        object = data && data->names.count == 3 ? data : NULL;
    }
    assert_true(object && object->names.simple);
    assert_int_equal(
        schema_fixture_verdict(fixture, schema_fixture_read(fixture, "{'a':1,'b':2,'c':3}")), 1);
    assert_int_equal(schema_fixture_verdict(fixture, schema_fixture_read(fixture, "{'d':1}")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(as_an_operation),
        SCHEMA_TEST(what_is_said),
        SCHEMA_TEST(circles_end),
        SCHEMA_TEST(many_names_take_no_memory),
        SCHEMA_TEST(names_that_are_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
