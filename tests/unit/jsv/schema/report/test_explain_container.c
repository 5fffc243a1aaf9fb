/*
 * Keywords about members and elements, in every draft that has them.
 */
#include <stdio.h>

#include "support/count_of.h"
#include "support/schema_fixture.h"

static void arrays(void **state)
{
    static const struct schema_case cases[] = {
        {SCHEMA_ALL, "{'maxItems':1}", "[1]", NULL},
        {SCHEMA_ALL, NULL, "[1,2]", ": must have at most 1 item (maxItems /maxItems)"},
        {SCHEMA_ALL, NULL, "'ab'", NULL},
        {SCHEMA_ALL, "{'minItems':2}", "[1]", ": must have at least 2 items (minItems /minItems)"},
        {SCHEMA_ALL, NULL, "{}", NULL},
        {SCHEMA_ALL,
         "{'minItems':1,'maxItems':2}",
         "[]",
         ": must have at least 1 item (minItems /minItems)"},
        {SCHEMA_ALL, "{'uniqueItems':true}", "[1,2]", NULL},
        {SCHEMA_ALL,
         NULL,
         "[1,true,'1',[1],{'a':1},1.0]",
         ": items 0 and 5 are equal (uniqueItems /uniqueItems)"},
        {SCHEMA_ALL, "{'uniqueItems':false}", "[1,1]", NULL},
        {SCHEMA_ALL, "{'items':{'type':'string'}}", "['a']", NULL},
        {SCHEMA_ALL,
         NULL,
         "['a',1,'b',null]",
         "/1: expected string (type /items/type)\n/3: expected string (type /items/type)"},
        {SCHEMA_ALL, NULL, "{'0':1}", NULL},
        {SCHEMA_TO_2019, "{'items':[{'type':'string'},{}]}", "['a',1,2]", NULL},
        {SCHEMA_TO_2019, NULL, "[1]", "/0: expected string (type /items/0/type)"},
        {SCHEMA_TO_2019, NULL, "[]", NULL},
        {SCHEMA_TO_2019, "{'items':[{}],'additionalItems':{'type':'null'}}", "[1,null]", NULL},
        {SCHEMA_TO_2019, NULL, "[1,2]", "/1: expected null (type /additionalItems/type)"},
        {SCHEMA_TO_2019, "{'additionalItems':{'type':'null'}}", "[1]", NULL},
        {SCHEMA_TO_2019, "{'items':{},'additionalItems':{'type':'null'}}", "[1,2]", NULL},
        {SCHEMA_ONLY(4),
         "{'items':[{}],'additionalItems':false}",
         "[1,2]",
         "/1: unexpected item (additionalItems /additionalItems)"},
        {SCHEMA_ONLY(2020_12), "{'additionalItems':false,'items':{}}", "[1]", NULL},
        {SCHEMA_ONLY(2020_12), "{'prefixItems':[{'type':'string'},true]}", "['a',1,2]", NULL},
        {SCHEMA_ONLY(2020_12), NULL, "[1]", "/0: expected string (type /prefixItems/0/type)"},
        {SCHEMA_ONLY(2020_12),
         "{'prefixItems':[true],'items':{'type':'null'}}",
         "[1,null,2]",
         "/2: expected null (type /items/type)"},
        {SCHEMA_ONLY(2020_12),
         "{'prefixItems':[true],'items':false}",
         "[1,2]",
         "/1: unexpected item (items /items)"},
        {JSV_DRAFT_6, JSV_DRAFT_2019_09, "{'prefixItems':[false]}", "[1]", NULL},
        {SCHEMA_6_ON, "{'contains':{'const':1}}", "[2,1]", NULL},
        {SCHEMA_6_ON,
         NULL,
         "[2]",
         ": must contain at least 1 matching item, found 0 (contains /contains)"},
        {SCHEMA_6_ON,
         NULL,
         "[]",
         ": must contain at least 1 matching item, found 0 (contains /contains)"},
        {SCHEMA_6_ON, NULL, "'1'", NULL},
        {SCHEMA_ONLY(4), "{'contains':{'type':'null'}}", "[2]", NULL},
        {SCHEMA_2019_ON, "{'contains':{'const':1},'minContains':2}", "[1,2,1]", NULL},
        {SCHEMA_2019_ON,
         NULL,
         "[1,2]",
         ": must contain at least 2 matching items, found 1 (contains /contains)"},
        {SCHEMA_2019_ON, "{'contains':{'const':1},'maxContains':1}", "[1,2]", NULL},
        {SCHEMA_2019_ON,
         NULL,
         "[1,1,1]",
         ": must contain at most 1 matching item, found 3 (contains /contains)"},
        {SCHEMA_2019_ON,
         NULL,
         "[2]",
         ": must contain at least 1 matching item, found 0 (contains /contains)"},
        {SCHEMA_2019_ON, "{'contains':{'const':1},'minContains':0,'maxContains':1}", "[]", NULL},
        {SCHEMA_2019_ON,
         NULL,
         "[1,1]",
         ": must contain at most 1 matching item, found 2 (contains /contains)"},
        {SCHEMA_2019_ON, "{'minContains':2,'maxContains':0}", "[1,1]", NULL},
        {JSV_DRAFT_6, JSV_DRAFT_7, "{'contains':{},'minContains':2}", "[1]", NULL},
    };
    SCHEMA_RUN(*state, cases);
}

static void unevaluated_items(void **state)
{
    static const struct schema_case cases[] = {
        {SCHEMA_2019_ON, "{'unevaluatedItems':false}", "[]", NULL},
        {SCHEMA_2019_ON, NULL, "[1]", "/0: unexpected item (unevaluatedItems /unevaluatedItems)"},
        {SCHEMA_2019_ON, NULL, "{'a':1}", NULL},
        {SCHEMA_2019_ON,
         "{'unevaluatedItems':{'type':'string'}}",
         "['a',1]",
         "/1: expected string (type /unevaluatedItems/type)"},
        {SCHEMA_2019_ON, "{'items':true,'unevaluatedItems':false}", "[1,2]", NULL},
        {SCHEMA_2019_ON,
         "{'allOf':[{'unevaluatedItems':true}],'unevaluatedItems':false}",
         "[1]",
         NULL},
        {SCHEMA_ONLY(2019_09), "{'items':[true],'unevaluatedItems':false}", "[1]", NULL},
        {SCHEMA_ONLY(2019_09),
         NULL,
         "[1,2]",
         "/1: unexpected item (unevaluatedItems /unevaluatedItems)"},
        {SCHEMA_ONLY(2019_09),
         "{'items':[true],'additionalItems':true,'unevaluatedItems':false}",
         "[1,2]",
         NULL},
        {SCHEMA_ONLY(2019_09),
         "{'additionalItems':true,'unevaluatedItems':false}",
         "[1]",
         "/0: unexpected item (unevaluatedItems /unevaluatedItems)"},
        {SCHEMA_ONLY(2019_09),
         "{'contains':{'const':1},'unevaluatedItems':false}",
         "[1]",
         "/0: unexpected item (unevaluatedItems /unevaluatedItems)"},
        {SCHEMA_ONLY(2020_12), "{'prefixItems':[true],'unevaluatedItems':false}", "[1]", NULL},
        {SCHEMA_ONLY(2020_12),
         NULL,
         "[1,2]",
         "/1: unexpected item (unevaluatedItems /unevaluatedItems)"},
        {SCHEMA_ONLY(2020_12),
         "{'contains':{'const':1},'unevaluatedItems':{'const':2}}",
         "[1,2,1]",
         NULL},
        {SCHEMA_ONLY(2020_12), NULL, "[1,3]", "/1: expected 2 (const /unevaluatedItems/const)"},
        {SCHEMA_ONLY(2020_12),
         "{'anyOf':[{'prefixItems':[true,{'const':2}]},{'prefixItems':[true,true,{'const':3}]}],'"
         "unevaluatedItems':false}",
         "[1,2,3]",
         NULL},
        {SCHEMA_ONLY(2020_12),
         NULL,
         "[1,2,4]",
         "/2: unexpected item (unevaluatedItems /unevaluatedItems)"},
        {SCHEMA_TO_7, "{'unevaluatedItems':{'type':'null'}}", "[1]", NULL},
    };
    SCHEMA_RUN(*state, cases);
}

static void objects(void **state)
{
    static const struct schema_case cases[] = {
        {SCHEMA_ALL, "{'maxProperties':1}", "{'a':1}", NULL},
        {SCHEMA_ALL,
         NULL,
         "{'a':1,'b':2}",
         ": must have at most 1 property (maxProperties /maxProperties)"},
        {SCHEMA_ALL,
         "{'minProperties':2}",
         "{}",
         ": must have at least 2 properties (minProperties /minProperties)"},
        {SCHEMA_ALL, NULL, "[]", NULL},
        {SCHEMA_ALL,
         "{'required':['a','longer than eight']}",
         "{'longer than eight':1,'a':2}",
         NULL},
        {SCHEMA_ALL,
         NULL,
         "{'a':1}",
         ": missing property 'longer than eight' (required /required)"},
        {SCHEMA_ALL,
         NULL,
         "{}",
         ": missing property 'a' (required /required)\n: missing property 'longer than eight' "
         "(required /required)"},
        {SCHEMA_ALL, NULL, "[]", NULL},
        {SCHEMA_6_ON, "{'required':[]}", "{}", NULL},
        {SCHEMA_ALL,
         "{'properties':{'a':{'type':'string'},'b/~':{'type':'null'}}}",
         "{'c':1}",
         NULL},
        {SCHEMA_ALL,
         NULL,
         "{'b/~':1,'a':2}",
         "/a: expected string (type /properties/a/type)\n/b~1~0: expected null (type "
         "/properties/b~1~0/type)"},
        {SCHEMA_ALL,
         "{'patternProperties':{'^a':{'type':'string'},'b$':{'minLength':2}}}",
         "{'ab':'x','a':1,'b':'','c':1}",
         "/a: expected string (type /patternProperties/^a/type)\n/ab: must have at least 2 "
         "characters (minLength /patternProperties/b$/minLength)\n/b: must have at least 2 "
         "characters (minLength /patternProperties/b$/minLength)"},
        {SCHEMA_ALL,
         "{'additionalProperties':{'type':'string'}}",
         "{'a':1}",
         "/a: expected string (type /additionalProperties/type)"},
        {SCHEMA_ALL,
         "{'properties':{'a':{}},'patternProperties':{'^b':{}},'additionalProperties':false}",
         "{'a':1,'bb':2}",
         NULL},
        {SCHEMA_ALL,
         NULL,
         "{'c':1,'a':1,'d':1}",
         "/c: unexpected property 'c' (additionalProperties /additionalProperties)\n/d: unexpected "
         "property 'd' (additionalProperties /additionalProperties)"},
        {SCHEMA_ALL,
         "{'required':['a'],'additionalProperties':false}",
         "{'a':1}",
         "/a: unexpected property 'a' (additionalProperties /additionalProperties)"},
        {SCHEMA_ALL,
         "{'properties':{'a':{'type':'null'}},'patternProperties':{'a':{'type':'string'}}}",
         "{'a':1}",
         "/a: expected null (type /properties/a/type)\n/a: expected string (type "
         "/patternProperties/a/type)"},
        {SCHEMA_6_ON,
         "{'propertyNames':{'maxLength':1}}",
         "{'a':1,'bb':2}",
         "/bb: must have at most 1 character (maxLength /propertyNames/maxLength)"},
        {SCHEMA_6_ON, NULL, "['bb']", NULL},
        {SCHEMA_6_ON, "{'propertyNames':false}", "{}", NULL},
        {SCHEMA_6_ON, NULL, "{'a':1}", "/a: no value is allowed here ( /propertyNames)"},
        {SCHEMA_6_ON,
         "{'propertyNames':{'type':'string','enum':['a']}}",
         "{'b':1}",
         "/b: expected 'a' (enum /propertyNames/enum)"},
        {SCHEMA_ONLY(4), "{'propertyNames':{'maxLength':1}}", "{'bb':2}", NULL},
        {SCHEMA_ALL, "{'dependencies':{'a':['b','c'],'d':{'required':['e']}}}", "{'b':1}", NULL},
        {SCHEMA_ALL,
         NULL,
         "{'a':1,'b':2}",
         ": missing property 'c', required by 'a' (dependencies /dependencies)"},
        {SCHEMA_ALL, NULL, "{'d':1}", ": missing property 'e' (required /dependencies/d/required)"},
        {SCHEMA_ALL, NULL, "'ad'", NULL},
        {SCHEMA_2019_ON,
         "{'dependentRequired':{'a':['b']}}",
         "{'a':1}",
         ": missing property 'b', required by 'a' (dependentRequired /dependentRequired)"},
        {SCHEMA_2019_ON, NULL, "{'a':1,'b':1}", NULL},
        {SCHEMA_2019_ON,
         "{'dependentSchemas':{'a':{'maxProperties':1},'z':false}}",
         "{'a':1,'b':1}",
         ": must have at most 1 property (maxProperties /dependentSchemas/a/maxProperties)"},
        {SCHEMA_2019_ON, NULL, "{'z':1}", ": no value is allowed here ( /dependentSchemas/z)"},
        {SCHEMA_2019_ON, NULL, "{'b':1,'c':1}", NULL},
        {SCHEMA_TO_7,
         "{'dependentRequired':{'a':['b']},'dependentSchemas':{'a':{'maxProperties':0}}}",
         "{'a':1}",
         NULL},
    };
    SCHEMA_RUN(*state, cases);
}

static void unevaluated_properties(void **state)
{
    static const struct schema_case cases[] = {
        {SCHEMA_2019_ON, "{'unevaluatedProperties':false}", "{}", NULL},
        {SCHEMA_2019_ON, NULL, "[1]", NULL},
        {SCHEMA_2019_ON,
         NULL,
         "{'a':1}",
         "/a: unexpected property 'a' (unevaluatedProperties /unevaluatedProperties)"},
        {SCHEMA_2019_ON, "{'unevaluatedProperties':{'type':'string'}}", "{'a':'x'}", NULL},
        {SCHEMA_2019_ON, NULL, "{'a':1}", "/a: expected string (type /unevaluatedProperties/type)"},
        {SCHEMA_2019_ON,
         "{'properties':{'a':true},'patternProperties':{'^b':true},'allOf':[{'properties':{'c':"
         "true}}],'unevaluatedProperties':false}",
         "{'a':1,'bb':2,'c':3}",
         NULL},
        {SCHEMA_2019_ON,
         NULL,
         "{'d':1}",
         "/d: unexpected property 'd' (unevaluatedProperties /unevaluatedProperties)"},
        {SCHEMA_2019_ON,
         "{'additionalProperties':true,'unevaluatedProperties':false}",
         "{'a':1}",
         NULL},
        {SCHEMA_2019_ON,
         "{'allOf':[{'unevaluatedProperties':true}],'unevaluatedProperties':false}",
         "{'a':1}",
         NULL},
        {SCHEMA_2019_ON,
         "{'anyOf':[{'properties':{'a':{'const':1}},'required':['a']},{'properties':{'b':true},'"
         "required':['b']}],'unevaluatedProperties':false}",
         "{'a':1,'b':2}",
         NULL},
        {SCHEMA_2019_ON,
         NULL,
         "{'a':2,'b':2}",
         "/a: unexpected property 'a' (unevaluatedProperties /unevaluatedProperties)"},
        {SCHEMA_2019_ON,
         "{'oneOf':[{'properties':{'a':true},'required':['a']},{'properties':{'b':true},'required':"
         "['b']}],'unevaluatedProperties':false}",
         "{'a':1}",
         NULL},
        {SCHEMA_2019_ON,
         NULL,
         "{'a':1,'c':1}",
         "/c: unexpected property 'c' (unevaluatedProperties /unevaluatedProperties)"},
        {SCHEMA_2019_ON,
         "{'not':{'not':{'properties':{'a':true},'required':['a']}},'unevaluatedProperties':false}",
         "{'a':1}",
         "/a: unexpected property 'a' (unevaluatedProperties /unevaluatedProperties)"},
        {SCHEMA_2019_ON,
         "{'if':{'properties':{'a':{'const':1}},'required':['a']},'then':{'properties':{'b':true}},"
         "'else':{'properties':{'c':true}},'unevaluatedProperties':false}",
         "{'a':1,'b':2}",
         NULL},
        {SCHEMA_2019_ON, NULL, "{'c':1}", NULL},
        {SCHEMA_2019_ON,
         NULL,
         "{'a':2}",
         "/a: unexpected property 'a' (unevaluatedProperties /unevaluatedProperties)"},
        {SCHEMA_2019_ON,
         "{'dependentSchemas':{'a':{'properties':{'a':true,'b':true}}},'unevaluatedProperties':"
         "false}",
         "{'a':1,'b':1}",
         NULL},
        {SCHEMA_2019_ON,
         NULL,
         "{'b':1}",
         "/b: unexpected property 'b' (unevaluatedProperties /unevaluatedProperties)"},
        {SCHEMA_2019_ON,
         "{'$ref':'#/$defs/"
         "x','unevaluatedProperties':false,'$defs':{'x':{'properties':{'a':true}}}}",
         "{'a':1}",
         NULL},
        {SCHEMA_2019_ON,
         "{'properties':{'a':{'properties':{'b':true}}},'unevaluatedProperties':false}",
         "{'a':{'b':1,'c':2}}",
         NULL},
        {SCHEMA_2019_ON,
         "{'propertyNames':{'maxLength':1},'unevaluatedProperties':false}",
         "{'a':1}",
         "/a: unexpected property 'a' (unevaluatedProperties /unevaluatedProperties)"},
        {SCHEMA_TO_7, "{'unevaluatedProperties':false}", "{'a':1}", NULL},
    };
    SCHEMA_RUN(*state, cases);
}

/* More members than one word of marks has bits, and enough pairs for an index. */
static void large_objects(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf schema;
    struct jsv_buf instance;
    jsv_buf_init(&schema, NULL, SIZE_MAX);
    jsv_buf_init(&instance, NULL, SIZE_MAX);
    jsv_buf_append_str(&schema, JSV_STR("{\"properties\":{"));
    jsv_buf_append_byte(&instance, '{');
    for (int i = 0; i < 200; i++) {
        char text[64];
        int size =
            snprintf(text, sizeof(text), "%s\"p%d\":{\"type\":\"integer\"}", i ? "," : "", i);
        jsv_buf_append(&schema, text, (size_t)size);
        size = snprintf(
            text, sizeof(text), "%s\"p%d\":%s", i ? "," : "", 199 - i, i == 77 ? "\"\"" : "1");
        jsv_buf_append(&instance, text, (size_t)size);
    }
    jsv_buf_append_str(&schema, JSV_STR("},\"required\":[\"p0\",\"p199\",\"x\"],"));
    jsv_buf_append_str(&schema, JSV_STR("\"dependentRequired\":{\"p1\":[\"y\"],\"z\":[\"w\"]},"));
    size_t cut = schema.size;
    jsv_buf_append_str(&schema, JSV_STR("\"additionalProperties\":false}"));
    jsv_buf_append_str(&instance, JSV_STR(",\"extra\":1}"));
    struct jsv_value value = schema_fixture_read_str(fixture, jsv_buf_str(&instance));

    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    assert_int_equal(schema_fixture_verdict(fixture, value), 0);
    static const char *const paths[] = {"", "", "/extra", "/p122"};
    assert_int_equal(fixture->problems.count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_true(jsv_str_equal(fixture->problems.items[i].path, jsv_str_from(paths[i])));
    }
    schema.size = cut;
    jsv_buf_append_str(&schema, JSV_STR("\"unevaluatedProperties\":false}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    assert_int_equal(schema_fixture_verdict(fixture, value), 0);
    assert_int_equal(fixture->problems.count, 4);
    jsv_buf_done(&schema);
    jsv_buf_done(&instance);
}

/* Members are found in any order. */
static void any_order(void **state)
{
    struct schema_fixture *fixture = *state;
    static const char *const documents[] = {
        "{'a':'','b':'','c':'','x':''}",
        "{'c':'','b':'','a':'','x':''}",
        "{'b':'','x':'','c':'','a':''}",
        "{'x':'','c':'','a':'','b':''}",
    };
    schema_fixture_use(
        fixture,
        "{'required':['c','a','d','b'],'properties':{'a':{'type':'integer'},"
        "'b':{'type':'integer'},'c':{'type':'integer'},'d':{'type':'integer'}},"
        "'additionalProperties':false}");
    for (size_t i = 0; i < COUNT_OF(documents); i++) {
        assert_int_equal(
            schema_fixture_verdict(fixture, schema_fixture_read(fixture, documents[i])), 0);
        static const char *const paths[] = {"", "/a", "/b", "/c", "/x"};
        assert_int_equal(fixture->problems.count, COUNT_OF(paths));
        for (size_t j = 0; j < COUNT_OF(paths); j++) {
            assert_true(jsv_str_equal(fixture->problems.items[j].path, jsv_str_from(paths[j])));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(arrays),
        SCHEMA_TEST(unevaluated_items),
        SCHEMA_TEST(objects),
        SCHEMA_TEST(unevaluated_properties),
        SCHEMA_TEST(large_objects),
        SCHEMA_TEST(any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
