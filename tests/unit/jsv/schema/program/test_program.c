/*
 * What becomes of schemas before they are run: much is decided already, and
 * nothing grows faster than the schema.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "jsv/schema/program/program.h"
#include "support/schema_fixture.h"

/* The operations for values of a type, as their names. */
static void list_ops(const struct schema_fixture *fixture, enum jsv_type type, struct jsv_buf *out)
{
    static const char *const names[] = {
#define X(constant, function, carries) #constant,
        JSV_OPS(X)
#undef X
    };
    const struct jsv_program *program = fixture->schema->program;
    const struct jsv_op *op = program->root->op[type];
    for (; op->code != JSV_OP_PASS; op++) {
        jsv_buf_append_str(out, out->size ? JSV_STR(" ") : JSV_STR(""));
        jsv_buf_append_str(out, jsv_str_from(names[op->code]));
        if (op->code == JSV_OP_FAIL) {
            break;
        }
    }
}

struct ops_case {
    const char *schema;
    enum jsv_type type;
    const char *ops;
};

static void expect_ops(struct schema_fixture *fixture, const struct ops_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        schema_fixture_use(fixture, cases[i].schema);
        struct jsv_buf ops;
        jsv_buf_init(&ops, NULL, 4096);
        list_ops(fixture, cases[i].type, &ops);
        if (!jsv_str_equal(jsv_buf_str(&ops), jsv_str_from(cases[i].ops))) {
            fail_msg("%s: %.*s", cases[i].schema, (int)ops.size, ops.data ? ops.data : "");
        }
        jsv_buf_done(&ops);
    }
}

#define EXPECT_OPS(fixture, cases) expect_ops(fixture, cases, sizeof(cases) / sizeof((cases)[0]))

static void what_the_type_decides(void **state)
{
    static const struct ops_case cases[] = {
        {"{}", JSV_TYPE_OBJECT, ""},
        {"{'title':'a'}", JSV_TYPE_STRING, ""},
        {"false", JSV_TYPE_NULL, "FAIL"},
        {"{'type':'string'}", JSV_TYPE_STRING, ""},
        {"{'type':'string'}", JSV_TYPE_NUMBER, "FAIL"},
        {"{'type':'integer'}", JSV_TYPE_NUMBER, "INTEGER"},
        {"{'type':['integer','number']}", JSV_TYPE_NUMBER, ""},
        {"{'type':'string','minLength':1,'maximum':5}", JSV_TYPE_STRING, "LENGTH"},
        {"{'type':'string','minLength':1,'maximum':5}", JSV_TYPE_NUMBER, "FAIL"},
        {"{'minLength':1,'maximum':5,'minItems':1,'minProperties':1}",
         JSV_TYPE_NUMBER,
         "INT_BOUND"},
        {"{'minLength':1,'maximum':5,'minItems':1,'minProperties':1}", JSV_TYPE_ARRAY, "COUNT"},
        {"{'minLength':1,'maximum':5,'minItems':1,'minProperties':1}", JSV_TYPE_OBJECT, "COUNT"},
        {"{'minLength':1,'maximum':5,'minItems':1,'minProperties':1}", JSV_TYPE_NULL, ""},
        {"{'enum':['a','b',1,[]]}", JSV_TYPE_STRING, "STRING_IN"},
        {"{'enum':['a',1]}", JSV_TYPE_STRING, "STRING_IS"},
        {"{'const':'12345678'}", JSV_TYPE_STRING, "STRING_IS"},
        {"{'const':'123456789'}", JSV_TYPE_STRING, "STRING_IN"},
        {"{'enum':['a','b',1,[]]}", JSV_TYPE_NUMBER, "NUMBER_IN"},
        {"{'enum':['a','b',1,[]]}", JSV_TYPE_NULL, "FAIL"},
        {"{'enum':[null,true,false]}", JSV_TYPE_NULL, ""},
        {"{'enum':[null,true,false]}", JSV_TYPE_BOOLEAN, ""},
        {"{'const':true}", JSV_TYPE_BOOLEAN, "BOOLEAN"},
        {"{'minimum':1.5}", JSV_TYPE_NUMBER, "BOUND"},
        {"{'exclusiveMinimum':1}", JSV_TYPE_NUMBER, "INT_BOUND"},
        {"{'exclusiveMaximum':1.5}", JSV_TYPE_NUMBER, "BOUND"},
        {"{'exclusiveMaximum':-9223372036854775808}", JSV_TYPE_NUMBER, "BOUND"},
        {"{'exclusiveMinimum':9223372036854775807}", JSV_TYPE_NUMBER, "BOUND"},
        {"{'minimum':1,'maximum':9}", JSV_TYPE_NUMBER, "INT_BOUND"},
        {"{'minimum':99999999999999999999}", JSV_TYPE_NUMBER, "BOUND"},
        {"{'multipleOf':2,'pattern':'a','uniqueItems':true}", JSV_TYPE_NUMBER, "MULTIPLE_OF"},
        {"{'multipleOf':2,'pattern':'a','uniqueItems':true}", JSV_TYPE_STRING, "PATTERN"},
        {"{'multipleOf':2,'pattern':'a','uniqueItems':true}", JSV_TYPE_ARRAY, "UNIQUE"},
        {"{'minLength':1,'maxLength':2}", JSV_TYPE_STRING, "LENGTH"},
        {"{'items':{}}", JSV_TYPE_ARRAY, ""},
        {"{'items':{'type':'null'}}", JSV_TYPE_ARRAY, "ITEMS_SHALLOW"},
        {"{'prefixItems':[{}],'items':{}}", JSV_TYPE_ARRAY, "TUPLE"},
        {"{'contains':{}}", JSV_TYPE_ARRAY, "CONTAINS"},
        {"{'propertyNames':{'type':'string'}}", JSV_TYPE_OBJECT, ""},
        {"{'propertyNames':{'maxLength':1}}", JSV_TYPE_OBJECT, "NAMES"},
        {"{'required':['a']}", JSV_TYPE_OBJECT, "OBJECT_ONE"},
        {"{'required':['123456789']}", JSV_TYPE_OBJECT, "OBJECT_SHALLOW"},
        {"{'required':['a'],'properties':{'b':{}}}", JSV_TYPE_OBJECT, "OBJECT_TWO_LAST"},
        {"{'required':['a'],'properties':{'b':{},'c':{}}}", JSV_TYPE_OBJECT, "OBJECT_SHALLOW"},
        {"{'properties':{'b':{}},'additionalProperties':false}", JSV_TYPE_OBJECT, "OBJECT_SHALLOW"},
        {"{'properties':{'a name of seventeen':{}}}", JSV_TYPE_OBJECT, "OBJECT_FULL_LAST"},
        {"{'patternProperties':{'^b':{}}}", JSV_TYPE_OBJECT, "OBJECT_FULL_LAST"},
        {"{'dependentRequired':{'a':['b']}}", JSV_TYPE_OBJECT, "DEPENDENCY"},
        {"{'unevaluatedProperties':false,'minimum':1}", JSV_TYPE_OBJECT, "MEMBERS"},
        {"{'unevaluatedProperties':false,'minimum':1}", JSV_TYPE_NUMBER, "INT_BOUND"},
        {"{'unevaluatedItems':false}", JSV_TYPE_ARRAY, "EXPLAIN"},
        {"{'unevaluatedItems':false}", JSV_TYPE_OBJECT, ""},
    };
    EXPECT_OPS(*state, cases);
    struct schema_fixture *fixture = *state;
    fixture->draft = JSV_DRAFT_4;
    static const struct ops_case draft_4[] = {
        {"{'type':'integer'}", JSV_TYPE_NUMBER, "INTEGER_STRICT"},
        {"{'minimum':1,'exclusiveMinimum':true}", JSV_TYPE_NUMBER, "INT_BOUND"},
        {"{'items':[{}],'additionalItems':false}", JSV_TYPE_ARRAY, "TUPLE"},
        {"{'additionalItems':false}", JSV_TYPE_ARRAY, ""},
    };
    EXPECT_OPS(fixture, draft_4);
    fixture->draft = JSV_DRAFT_7;
    fixture->options.skip_meta = true;
    static const struct ops_case repeated = {
        "{'required':['a','b','a'],'properties':{'a':{}}}", JSV_TYPE_OBJECT, "OBJECT_TWO_LAST"};
    expect_ops(fixture, &repeated, 1);
    schema_fixture_expect(fixture, "{'a':1,'b':1}", NULL);
    static const struct ops_case draft_7[] = {
        {"{'contentEncoding':'base64'}", JSV_TYPE_STRING, "EXPLAIN"},
        {"{'contentMediaType':'a','contentEncoding':'base64'}", JSV_TYPE_STRING, "EXPLAIN"},
        {"{'contentEncoding':'base64'}", JSV_TYPE_NULL, ""},
    };
    fixture->options.assert_content = true;
    EXPECT_OPS(fixture, draft_7);
    fixture->options.assert_format = true;
    static const struct ops_case format = {"{'format':'ipv4'}", JSV_TYPE_STRING, "FORMAT"};
    expect_ops(fixture, &format, 1);
}

static void combinations(void **state)
{
    static const struct ops_case cases[] = {
        /* alternatives that the type rules out are gone */
        {"{'anyOf':[{'type':'null'},{'type':'string'}]}", JSV_TYPE_NULL, ""},
        {"{'anyOf':[{'type':'null'},{'type':'string'}]}", JSV_TYPE_NUMBER, "FAIL"},
        {"{'anyOf':[{'type':'null'},{'minLength':2}]}", JSV_TYPE_STRING, "LENGTH"},
        {"{'anyOf':[{'minLength':2},{'pattern':'a'}]}", JSV_TYPE_STRING, "ANY_OF"},
        {"{'anyOf':[{'minLength':2},{'pattern':'a'}]}", JSV_TYPE_NUMBER, ""},
        {"{'oneOf':[{'type':'null'},{'type':'string'}]}", JSV_TYPE_NULL, ""},
        {"{'oneOf':[{},{'type':'string'}]}", JSV_TYPE_STRING, "FAIL"},
        {"{'oneOf':[{},{'minLength':1},{'pattern':'a'}]}", JSV_TYPE_STRING, "NONE_OF"},
        {"{'oneOf':[{},{'minLength':1}]}", JSV_TYPE_STRING, "NOT"},
        {"{'oneOf':[{'maxLength':2},{'minLength':1}]}", JSV_TYPE_STRING, "ONE_OF"},
        {"{'not':{'type':'string'}}", JSV_TYPE_STRING, "FAIL"},
        {"{'not':{'type':'string'}}", JSV_TYPE_NULL, ""},
        {"{'not':{'minLength':1}}", JSV_TYPE_STRING, "NOT"},
        {"{'if':{'type':'string'},'then':{'minLength':1},'else':{'minimum':1}}",
         JSV_TYPE_STRING,
         "LENGTH"},
        {"{'if':{'type':'string'},'then':{'minLength':1},'else':{'minimum':1}}",
         JSV_TYPE_NUMBER,
         "INT_BOUND"},
        {"{'if':{'minLength':3},'then':{'minimum':1}}", JSV_TYPE_STRING, ""},
        {"{'if':{'minLength':3},'then':{'pattern':'a'}}", JSV_TYPE_STRING, "IF"},
        /* schemas for the same value are taken in, each operation once */
        {"{'allOf':[{'minLength':1},{'pattern':'a'},{'minLength':1}]}",
         JSV_TYPE_STRING,
         "LENGTH PATTERN LENGTH"},
        {"{'allOf':[{'$ref':'#/$defs/a'},{'$ref':'#/$defs/"
         "a'}],'$defs':{'a':{'minLength':1,'pattern':'a'}}}",
         JSV_TYPE_STRING,
         "LENGTH PATTERN"},
        {"{'$ref':'#/$defs/a','$defs':{'a':{'$ref':'#/$defs/b'},'b':{'type':'null'}}}",
         JSV_TYPE_STRING,
         "FAIL"},
        {"{'allOf':[{'type':'string'},{'type':'null'}]}", JSV_TYPE_NULL, "FAIL"},
        /* one that leads back to itself is called */
        {"{'allOf':[{'$ref':'#'}]}", JSV_TYPE_NULL, "CALL"},
    };
    EXPECT_OPS(*state, cases);
}

static void append_refs(struct jsv_buf *schema, const char *keyword, int levels, const char *leaf)
{
    jsv_buf_append_str(schema, JSV_STR("{\"$ref\":\"#/$defs/0\",\"$defs\":{"));
    for (int i = 0; i < levels; i++) {
        char text[160];
        int size = snprintf(
            text,
            sizeof(text),
            "\"%d\":{\"maximum\":%d,\"%s\":[{\"$ref\":\"#/$defs/%d\"},{\"$ref\":\"#/$defs/%d\"},"
            "{\"multipleOf\":1,\"minimum\":-%d}]},",
            i,
            i + 100,
            keyword,
            i + 1,
            i + 2,
            i);
        jsv_buf_append(schema, text, (size_t)size);
    }
    char text[64];
    for (int i = levels; i < levels + 2; i++) {
        int size = snprintf(text, sizeof(text), "%s\"%d\":%s", i > levels ? "," : "", i, leaf);
        jsv_buf_append(schema, text, (size_t)size);
    }
    jsv_buf_append_str(schema, JSV_STR("}}"));
}

/* Every schema refers to the next two: as many ways as Fibonacci had rabbits. */
static void many_ways_to_the_same(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct jsv_validator_limits limits = {.steps_max = 20000};
    fixture->limits = &limits;
    static const struct {
        const char *keyword;
        const char *leaf;
        const char *instance;
        int verdict;
    } cases[] = {
        {"allOf", "{\"minimum\":5}", "7", 1},
        {"allOf", "{\"minimum\":5}", "4", 0},
        {"anyOf", "{\"minimum\":5}", "0.5", 0},
        {"anyOf", "{\"minimum\":5}", "7", 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct jsv_buf schema;
        jsv_buf_init(&schema, NULL, SIZE_MAX);
        append_refs(&schema, cases[i].keyword, 60, cases[i].leaf);
        assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
        jsv_buf_done(&schema);
        struct jsv_value value = schema_fixture_read(fixture, cases[i].instance);
        assert_int_equal(
            jsv_validate(fixture->validator, fixture->schema, value), cases[i].verdict);
    }
}

/* A list as long as the schema likes is cut into pieces, and each of them counts. */
static void long_lists(void **state)
{
    struct schema_fixture *fixture = *state;
    static const int counts[] = {1, 15, 16, 17, 255, 256, 257, 4095, 4097, 20000};
    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
        struct jsv_buf schema;
        jsv_buf_init(&schema, NULL, SIZE_MAX);
        for (int i = 0; i < counts[c]; i++) {
            char text[64];
            int size =
                snprintf(text, sizeof(text), "%s{\"minimum\":%d}", i ? "," : "{\"allOf\":[", i);
            jsv_buf_append(&schema, text, (size_t)size);
        }
        jsv_buf_append_str(&schema, JSV_STR("]}"));
        assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
        jsv_buf_done(&schema);
        char text[32];
        snprintf(text, sizeof(text), "%d", counts[c] - 1);
        assert_int_equal(schema_fixture_verdict(fixture, schema_fixture_read(fixture, text)), 1);
        snprintf(text, sizeof(text), "%d", counts[c] - 2);
        assert_int_equal(schema_fixture_verdict(fixture, schema_fixture_read(fixture, text)), 0);
    }
}

/* A chain of schemas for the same value, deeper than any can be taken in. */
static void deep_chains(void **state)
{
    struct schema_fixture *fixture = *state;
    static const char *const keywords[] = {"not", "if", "allOf", "dependentSchemas"};
    for (size_t k = 0; k < sizeof(keywords) / sizeof(keywords[0]); k++) {
        struct jsv_buf schema;
        jsv_buf_init(&schema, NULL, SIZE_MAX);
        jsv_buf_append_str(&schema, JSV_STR("{\"$ref\":\"#/$defs/0\",\"$defs\":{"));
        for (int i = 0; i < 300; i++) {
            static const char *const formats[] = {
                "\"%d\":{\"not\":{\"not\":{\"$ref\":\"#/$defs/%d\"}}},",
                "\"%d\":{\"if\":{\"$ref\":\"#/$defs/%d\"},\"then\":true,\"else\":false},",
                "\"%d\":{\"allOf\":[{\"$ref\":\"#/$defs/%d\"}],\"minProperties\":0},",
                "\"%d\":{\"dependentSchemas\":{\"a\":{\"$ref\":\"#/$defs/%d\"}}},",
            };
            char text[128];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            int size = snprintf(text, sizeof(text), formats[k], i, i + 1);
#pragma GCC diagnostic pop
            jsv_buf_append(&schema, text, (size_t)size);
        }
        jsv_buf_append_str(&schema, JSV_STR("\"300\":{\"maxProperties\":1}}}"));
        assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
        jsv_buf_done(&schema);
        assert_int_equal(
            schema_fixture_verdict(fixture, schema_fixture_read(fixture, "{'a':1}")), 1);
        assert_int_equal(
            schema_fixture_verdict(fixture, schema_fixture_read(fixture, "{'a':1,'b':2}")), 0);
    }
}

/* Names beyond what a table holds, and more alternatives and dependencies than have a bit. */
static void what_is_left_to_explaining(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf schema;
    struct jsv_buf instance;
    jsv_buf_init(&schema, NULL, SIZE_MAX);
    jsv_buf_init(&instance, NULL, SIZE_MAX);
    static const char *const opens[] = {
        "{\"properties\":{\"", "{\"required\":[\"", "{\"const\":\""};
    static const char *const closes[] = {"\":{\"type\":\"null\"}}}", "\"]}", "\"}"};
    for (size_t k = 0; k < 3; k++) {
        jsv_buf_reset(&schema);
        jsv_buf_reset(&instance);
        jsv_buf_append_str(&schema, jsv_str_from(opens[k]));
        jsv_buf_append_str(&instance, k < 2 ? JSV_STR("{\"") : JSV_STR("\""));
        for (int i = 0; i < 70000; i++) {
            jsv_buf_append_byte(&schema, 'n');
            jsv_buf_append_byte(&instance, 'n');
        }
        jsv_buf_append_str(&schema, jsv_str_from(closes[k]));
        jsv_buf_append_str(&instance, k < 2 ? JSV_STR("\":null}") : JSV_STR("\""));
        assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
        struct jsv_value value = schema_fixture_read_str(fixture, jsv_buf_str(&instance));
        assert_int_equal(schema_fixture_verdict(fixture, value), 1);
        instance.data[5] = 'm';
        value = schema_fixture_read_str(fixture, jsv_buf_str(&instance));
        assert_int_equal(schema_fixture_verdict(fixture, value), k == 0);
    }
    for (int count = 63; count <= 66; count++) {
        jsv_buf_reset(&schema);
        for (int i = 0; i < count; i++) {
            char text[64];
            int size = snprintf(
                text,
                sizeof(text),
                "%s{\"properties\":{\"k\":{\"const\":%d}}}",
                i ? "," : "{\"oneOf\":[",
                i);
            jsv_buf_append(&schema, text, (size_t)size);
        }
        jsv_buf_append_str(&schema, JSV_STR("]}"));
        assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
        assert_int_equal(
            schema_fixture_verdict(fixture, schema_fixture_read(fixture, "{'k':62}")), 1);
        assert_int_equal(
            schema_fixture_verdict(fixture, schema_fixture_read(fixture, "{'k':99}")), 0);
        assert_int_equal(schema_fixture_verdict(fixture, schema_fixture_read(fixture, "{}")), 0);
    }
    for (int count = 15; count <= 18; count++) {
        jsv_buf_reset(&schema);
        for (int i = 0; i < count; i++) {
            char text[64];
            int size = snprintf(
                text,
                sizeof(text),
                "%s\"%d\":[\"%d\"]",
                i ? "," : "{\"dependentRequired\":{",
                i,
                i + 1);
            jsv_buf_append(&schema, text, (size_t)size);
        }
        jsv_buf_append_str(&schema, JSV_STR("}}"));
        assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
        assert_int_equal(
            schema_fixture_verdict(fixture, schema_fixture_read(fixture, "{'5':1,'6':1}")), 0);
        assert_int_equal(
            schema_fixture_verdict(fixture, schema_fixture_read(fixture, "{'99':1}")), 1);
    }
    jsv_buf_done(&schema);
    jsv_buf_done(&instance);
}

static void fill_arena(struct jsv_schema *schema)
{
    schema->arena.budget = schema->arena.held;
    while (jsv_arena_alloc(&schema->arena, 1)) {
    }
    schema->arena.refused = false;
}

/* A schema whose program would exceed the memory limit is explained instead. */
static void too_complex(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{'properties':{'a':{'enum':[1,'b']}},'minProperties':1}");
    struct jsv_schema *schema = fixture->schema;
    fill_arena(schema);
    jsv_program_done(schema);
    assert_int_equal(jsv_program_build(schema), 0);
    assert_int_equal(schema->program->root->op[JSV_TYPE_OBJECT]->code, JSV_OP_EXPLAIN);
    struct jsv_value value = schema_fixture_read(fixture, "{'a':'b'}");
    assert_int_equal(schema_fixture_verdict(fixture, value), 1);
    value = schema_fixture_read(fixture, "{'a':2}");
    assert_int_equal(schema_fixture_verdict(fixture, value), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(what_the_type_decides),
        SCHEMA_TEST(combinations),
        SCHEMA_TEST(many_ways_to_the_same),
        SCHEMA_TEST(long_lists),
        SCHEMA_TEST(deep_chains),
        SCHEMA_TEST(what_is_left_to_explaining),
        SCHEMA_TEST(too_complex),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
