/*
 * References of every kind, and what is said of schemas that are wrong.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "jsv/schema/compile/subschema.h"
#include "support/json_fixture.h"
#include "support/schema_fixture.h"
#include "support/texts.h"

static void references(void **state)
{
    static const struct schema_case cases[] = {
        {SCHEMA_ALL,
         "{'properties':{'a':{'$ref':'#/definitions/"
         "n'},'b':{'$ref':'#'}},'definitions':{'n':{'type':'null'}}}",
         "{'a':1,'b':{'a':2}}",
         "/a: expected null (type /definitions/n/type)\n/b/a: expected null (type "
         "/definitions/n/type)"},
        {SCHEMA_2019_ON,
         "{'$ref':'#/$defs/n','$defs':{'n':{'type':'null'}}}",
         "1",
         ": expected null (type /$defs/n/type)"},
        /* escapes of pointers and of URIs */
        {SCHEMA_ALL,
         "{'properties':{'x':{'$ref':'#/definitions/a~1b~0c%25d%20e'}},'definitions':{'a/b~c%d "
         "e':{'type':'null'}}}",
         "{'x':1}",
         "/x: expected null (type /definitions/a~1b~0c%d e/type)"},
        {SCHEMA_ALL,
         "{'properties':{'x':{'$ref':'#/definitions/"
         "%C3%A9'}},'definitions':{'\xC3\xA9':{'type':'null'}}}",
         "{'x':1}",
         "/x: expected null (type /definitions/\xC3\xA9/type)"},
        /* into lists, and to places that no keyword leads to */
        {SCHEMA_ALL,
         "{'properties':{'x':{'$ref':'#/allOf/1'}},'allOf':[{},{'maxProperties':1}]}",
         "{'x':{'a':1,'b':2}}",
         "/x: must have at most 1 property (maxProperties /allOf/1/maxProperties)"},
        {SCHEMA_ALL,
         "{'properties':{'x':{'$ref':'#/other/y'}},'other':{'y':{'type':'null'}}}",
         "{'x':1}",
         "/x: expected null (type /other/y/type)"},
        {SCHEMA_6_ON,
         "{'properties':{'x':{'$ref':'#/definitions/no'}},'definitions':{'no':false}}",
         "{'x':1}",
         "/x: no value is allowed here ( /definitions/no)"},
        /* a member called $ref is not a reference */
        {SCHEMA_ALL,
         "{'properties':{'$ref':{'type':'null'}}}",
         "{'$ref':1}",
         "/$ref: expected null (type /properties/$ref/type)"},
        /* siblings count from 2019-09 on */
        {SCHEMA_2019_ON,
         "{'$ref':'#/$defs/s','maxLength':1,'$defs':{'s':{'type':'string'}}}",
         "'ab'",
         ": must have at most 1 character (maxLength /maxLength)"},
        {SCHEMA_TO_7,
         "{'properties':{'a':{'$ref':'#/definitions/"
         "s','maxLength':1,'not':{}}},'definitions':{'s':{'type':'string'}}}",
         "{'a':'ab'}",
         NULL},
        {SCHEMA_TO_7,
         "{'$ref':'#/definitions/s','maxLength':1,'definitions':{'s':{'type':'string'}}}",
         "'ab'",
         NULL},
    };
    SCHEMA_RUN(*state, cases);
}

static void references_by_name(void **state)
{
    static const struct schema_case cases[] = {
        {SCHEMA_2019_ON,
         "{'$ref':'#n','$defs':{'x':{'$anchor':'n','type':'null'}}}",
         "1",
         ": expected null (type /$defs/x/type)"},
        {SCHEMA_2019_ON,
         "{'$ref':'#n%61me','$defs':{'x':{'$anchor':'name','type':'null'}}}",
         "1",
         ": expected null (type /$defs/x/type)"},
        {JSV_DRAFT_6,
         JSV_DRAFT_7,
         "{'properties':{'a':{'$ref':'#n'}},'definitions':{'x':{'$id':'#n','type':'null'}}}",
         "{'a':1}",
         "/a: expected null (type /definitions/x/type)"},
        {SCHEMA_ONLY(4),
         "{'properties':{'a':{'$ref':'#n'}},'definitions':{'x':{'id':'#n','type':'null'}}}",
         "{'a':1}",
         "/a: expected null (type /definitions/x/type)"},
        {SCHEMA_6_ON,
         "{'$id':'http://h/dir/root','properties':{'a':{'$ref':'item'},'b':{'$ref':'/dir/item#/"
         "properties/"
         "c'}},'definitions':{'x':{'$id':'item','type':'object','properties':{'c':{'type':'null'}}}"
         "}}",
         "{'a':1,'b':2}",
         "/a: expected object (type /definitions/x/type)\n/b: expected null (type "
         "/definitions/x/properties/c/type)"},
        /* inside a resource # is its own top */
        {SCHEMA_6_ON,
         "{'$id':'http://h/"
         "root','type':'object','properties':{'a':{'$ref':'x'}},'definitions':{'x':{'$id':'x','"
         "type':'array','items':{'$ref':'#'}}}}",
         "{'a':[[],1]}",
         "/a/1: expected array (type /definitions/x/type)"},
        {SCHEMA_2019_ON,
         "{'$id':'http://h/"
         "root','$ref':'x#n','$defs':{'x':{'$id':'x','$defs':{'y':{'$anchor':'n','type':'null'}}},'"
         "z':{'$anchor':'n','type':'string'}}}",
         "1",
         ": expected null (type /$defs/x/$defs/y/type)"},
        /* a pointer through a resource: its target belongs to that resource */
        {SCHEMA_2019_ON,
         "{'$id':'http://h/root','$ref':'#/$defs/x/$defs/y','$defs':{'x':{'$id':'sub/"
         "x','$defs':{'y':{'$ref':'z'},'z':{'$id':'z','type':'null'}}}}}",
         "1",
         ": expected null (type /$defs/x/$defs/z/type)"},
        {SCHEMA_ALL,
         "{'properties':{'a':{'$ref':'urn:test#/definitions/"
         "n'}},'definitions':{'n':{'type':'null'}}}",
         "{'a':1}",
         "/a: expected null (type /definitions/n/type)"},
    };
    SCHEMA_RUN(*state, cases);
}

static void references_that_lead_nowhere(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct {
        const char *schema;
        const char *pointer;
        const char *message;
    } cases[] = {
        {"{'$ref':'#/$defs/x'}", "/$ref", "cannot find #/$defs/x in this schema"},
        {"{'$ref':'#anchor'}", "/$ref", "cannot find #anchor in this schema"},
        {"{'$id':'http://h/a/b','properties':{'p':{'$ref':'c#/d'}}}",
         "/properties/p/$ref",
         "cannot find http://h/a/c"},
        {"{'$ref':'#/items/0','items':{}}", "/$ref", "cannot find #/items/0"},
        {"{'$ref':'#/allOf/01','allOf':[{},{}]}", "/$ref", "cannot find #/"},
        {"{'$ref':'#/allOf/2','allOf':[{},{}]}", "/$ref", "cannot find #/"},
        {"{'$ref':'#/%zz'}", "/$ref", "cannot find #/"},
        {"{'$ref':'#/a~2b','a~2b':{}}", "/$ref", "cannot find #/"},
        {"{'$dynamicRef':'#x'}", "/$dynamicRef", "cannot find #x in this schema"},
        {"{'$ref':'#/const','const':1}", "/$ref", "$ref target is not a schema: #/const"},
        {"{'$ref':'#/allOf','allOf':[{}]}", "/$ref", "$ref target is not a schema: #/allOf"},
        {"{'$ref':'#/title','title':'a'}", "/$ref", "$ref target is not a schema: #/title"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        schema_fixture_expect_fault(fixture, cases[i].schema, cases[i].pointer, cases[i].message);
        assert_text(fixture->fault.uri, "urn:test");
    }
}

/* With many definitions they are looked up in a table: those that are there, and those not. */
static void references_into_large_objects(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    jsv_buf_append_str(
        &text, JSV_STR("{\"$defs\":{\"~1\":{\"type\":\"null\"},\"/\":{\"type\":\"string\"}"));
    for (int i = 0; i < 100; i++) {
        char item[64];
        jsv_buf_append(
            &text, item, (size_t)snprintf(item, sizeof(item), ",\"d%d\":{\"const\":%d}", i, i));
    }
    jsv_buf_append_str(&text, JSV_STR("},\"properties\":{"));
    size_t cut = text.size;
    jsv_buf_append_str(
        &text,
        JSV_STR("\"a\":{\"$ref\":\"#/$defs/d7\"},\"b\":{\"$ref\":\"#/$defs/d99\"},"
                "\"c\":{\"$ref\":\"#/$defs/~01\"},\"d\":{\"$ref\":\"#/$defs/~1\"}}}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&text)), 0);
    schema_fixture_expect(fixture, "{'a':7,'b':99,'c':null,'d':''}", NULL);
    schema_fixture_expect(
        fixture,
        "{'a':8,'b':98,'c':1,'d':1}",
        "/a: expected 7 (const /$defs/d7/const)\n/b: expected 99 (const /$defs/d99/const)\n"
        "/c: expected null (type /$defs/~01/type)\n/d: expected string (type /$defs/~1/type)");
    text.size = cut;
    jsv_buf_append_str(&text, JSV_STR("\"a\":{\"$ref\":\"#/$defs/d100\"}}}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&text)), -EBADMSG);
    assert_text(fixture->fault.pointer, "/properties/a/$ref");
    jsv_buf_done(&text);
}

/* The same for elements, and a token that is not an index has no target. */
static void references_into_large_arrays(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct {
        const char *token;
        int expected;
    } cases[] = {
        {"0", 0},
        {"1", 0},
        {"99", 0},
        {"100", -EBADMSG},
        {"00", -EBADMSG},
        {"01", -EBADMSG},
        {"-", -EBADMSG},
        {"", -EBADMSG},
        {"1a", -EBADMSG},
        {"~01", -EBADMSG},
        {"~1", -EBADMSG},
        {"~2", -EBADMSG},
        {"99999999999999999999", -EBADMSG},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        struct jsv_buf schema;
        jsv_buf_init(&schema, NULL, SIZE_MAX);
        jsv_buf_append_str(&schema, JSV_STR("{\"not\":{\"anyOf\":["));
        for (int i = 0; i < 100; i++) {
            char text[32];
            int size = snprintf(text, sizeof(text), "%s{\"const\":%d}", i ? "," : "", i);
            jsv_buf_append(&schema, text, (size_t)size);
        }
        char text[96];
        int size = snprintf(
            text,
            sizeof(text),
            "]},\"items\":{\"anyOf\":[{\"$ref\":\"#/not/anyOf/1\"},{\"$ref\":\"#/not/anyOf/"
            "%s\"}]}}",
            cases[c].token);
        jsv_buf_append(&schema, text, (size_t)size);
        assert_int_equal(
            schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), cases[c].expected);
        jsv_buf_done(&schema);
        if (cases[c].expected == 0) {
            snprintf(text, sizeof(text), "[%s,1]", cases[c].token);
            assert_int_equal(
                schema_fixture_verdict(fixture, schema_fixture_read(fixture, text)), 1);
            assert_int_equal(
                schema_fixture_verdict(fixture, schema_fixture_read(fixture, "[50]")), 0);
        }
    }
}

/* Circles: through the document they are as good as any, on the spot they have no end. */
static void circles(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{'$ref':'#/$defs/a','$defs':{'a':{'items':{'$ref':'#/$defs/b'}},"
        "'b':{'type':'array','items':{'$ref':'#/$defs/a'}}}}");
    schema_fixture_expect(fixture, "[[[[[]]]]]", NULL);
    schema_fixture_expect(
        fixture, "[[[[[1]]]]]", "/0/0/0/0/0: expected array (type /$defs/b/type)");
    static const char *const endless[] = {
        "{'$ref':'#'}",
        "{'$ref':'#/$defs/a','$defs':{'a':{'$ref':'#/$defs/b'},'b':{'$ref':'#/$defs/a'}}}",
        "{'allOf':[{'$ref':'#/$defs/a'}],'$defs':{'a':{'allOf':[{'$ref':'#'}]}}}",
        "{'anyOf':[{'$ref':'#'},{'$ref':'#'}]}",
        "{'not':{'$ref':'#'}}",
        "{'if':{'$ref':'#'},'then':false}",
        "{'$dynamicAnchor':'n','$dynamicRef':'#n'}",
        "{'$dynamicAnchor':'n','oneOf':[{'$dynamicRef':'#n'},{'type':'null'}]}",
        "{'allOf':[{'$ref':'#'}],'unevaluatedItems':false}",
        "{'type':'number','anyOf':[{'$ref':'#/$defs/a'}],'$defs':{'a':{'minimum':0,'$ref':'#'}}}",
    };
    for (size_t i = 0; i < sizeof(endless) / sizeof(endless[0]); i++) {
        schema_fixture_use(fixture, endless[i]);
        struct jsv_value value = schema_fixture_read(fixture, "1");
        assert_int_equal(jsv_validate(fixture->validator, fixture->schema, value), -ELOOP);
        assert_int_equal(schema_fixture_verdict(fixture, value), -ELOOP);
    }
    fixture->draft = JSV_DRAFT_2019_09;
    schema_fixture_use(fixture, "{'$recursiveAnchor':true,'$recursiveRef':'#'}");
    assert_int_equal(schema_fixture_verdict(fixture, schema_fixture_read(fixture, "1")), -ELOOP);
}

/* ---- dynamic references ---- */

static void dynamic_references(void **state)
{
    struct schema_fixture *fixture = *state;
    fixture->draft = JSV_DRAFT_2020_12;
    /* a tree, and one that is strict about its members */
    static const struct schema_remote remotes[] = {
        {"http://h/tree",
         "{'$id':'http://h/tree','$dynamicAnchor':'node','type':'object',"
         "'properties':{'data':true,'children':{'items':{'$dynamicRef':'#node'}}}}",
         0},
        {NULL, NULL, 0},
    };
    fixture->remotes = remotes;
    schema_fixture_use(fixture, "{'$ref':'http://h/tree'}");
    schema_fixture_expect(fixture, "{'children':[{'daat':1}]}", NULL);
    schema_fixture_expect(
        fixture,
        "{'children':[{'children':[5]}]}",
        "/children/0/children/0: expected object (type http://h/tree#/type)");
    schema_fixture_use(
        fixture,
        "{'$id':'http://h/"
        "strict','$dynamicAnchor':'node','$ref':'tree','unevaluatedProperties':false}");
    schema_fixture_expect(
        fixture,
        "{'children':[{'daat':1}]}",
        "/children/0/daat: unexpected property 'daat' (unevaluatedProperties "
        "/unevaluatedProperties)");
    /* a plain anchor of the name, or none where it begins: an ordinary reference */
    schema_fixture_use(
        fixture,
        "{'$id':'http://h/root','$dynamicRef':'#n','$defs':{'a':{'$anchor':'n','type':'null'}}}");
    schema_fixture_expect(fixture, "1", ": expected null (type /$defs/a/type)");
    schema_fixture_use(
        fixture, "{'$dynamicRef':'#/$defs/a','$defs':{'a':{'$dynamicAnchor':'n','type':'null'}}}");
    schema_fixture_expect(fixture, "1", ": expected null (type /$defs/a/type)");
}

/* Which way it leads is known only when evaluating: the list decides what its items are. */
static void dynamic_references_that_depend(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{'$id':'http://h/root','properties':{'n':{'$ref':'numbers'},'s':{'$ref':'strings'}},"
        "'$defs':{"
        "'numbers':{'$id':'numbers','$ref':'list','$defs':{'i':{'$dynamicAnchor':'item','type':'"
        "number'}}},"
        "'strings':{'$id':'strings','$ref':'list','$defs':{'i':{'$dynamicAnchor':'item','type':'"
        "string'}}},"
        "'list':{'$id':'list','items':{'$dynamicRef':'#item'},'$defs':{'i':{'$dynamicAnchor':'item'"
        "}}}}}");
    schema_fixture_expect(fixture, "{'n':[1,2],'s':['a']}", NULL);
    schema_fixture_expect(
        fixture,
        "{'n':[1,'a'],'s':['a',1]}",
        "/n/1: expected number (type /$defs/numbers/$defs/i/type)\n"
        "/s/1: expected string (type /$defs/strings/$defs/i/type)");
    assert_true(fixture->schema->dynamic);
    /* under a resource without the anchor: the first one in */
    schema_fixture_use(
        fixture,
        "{'$id':'http://h/root','$ref':'outer','$defs':{"
        "'outer':{'$id':'outer','$ref':'inner','$defs':{'x':{'$dynamicAnchor':'d','type':'null'}}},"
        "'inner':{'$id':'inner','$dynamicRef':'#d','$defs':{'x':{'$dynamicAnchor':'d','type':'"
        "string'}}},"
        "'third':{'$id':'third','$dynamicAnchor':'d'}},'properties':{'t':{'$ref':'third'}}}");
    schema_fixture_expect(fixture, "1", ": expected null (type /$defs/outer/$defs/x/type)");
}

static void recursive_references(void **state)
{
    struct schema_fixture *fixture = *state;
    fixture->draft = JSV_DRAFT_2019_09;
    static const struct schema_remote remotes[] = {
        {"http://h/tree",
         "{'$id':'http://h/tree','$recursiveAnchor':true,'type':'object',"
         "'properties':{'children':{'items':{'$recursiveRef':'#'}}}}",
         0},
        {"http://h/plain",
         "{'$id':'http://h/plain','properties':{'children':{'items':{'$recursiveRef':'#'}}}}",
         0},
        {NULL, NULL, 0},
    };
    fixture->remotes = remotes;
    static const char instance[] = "{'children':[{'daat':1}]}";
    schema_fixture_use(fixture, "{'$ref':'http://h/tree'}");
    schema_fixture_expect(fixture, instance, NULL);
    schema_fixture_use(
        fixture,
        "{'$id':'http://h/"
        "strict','$recursiveAnchor':true,'$ref':'tree','unevaluatedProperties':false}");
    schema_fixture_expect(
        fixture,
        instance,
        "/children/0/daat: unexpected property 'daat' (unevaluatedProperties "
        "/unevaluatedProperties)");
    /* without the anchor it is an ordinary reference */
    schema_fixture_use(
        fixture,
        "{'$id':'http://h/"
        "strict','$recursiveAnchor':true,'$ref':'plain','unevaluatedProperties':false}");
    schema_fixture_expect(fixture, instance, NULL);
    schema_fixture_use(
        fixture,
        "{'$id':'http://h/"
        "strict','$recursiveAnchor':false,'$ref':'tree','unevaluatedProperties':false}");
    schema_fixture_expect(fixture, instance, NULL);
}

/* ---- drafts beside each other ---- */

static void references_between_drafts(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct schema_remote remotes[] = {
        {"http://h/four",
         "{'$schema':'http://json-schema.org/draft-04/schema#','maximum':3,'exclusiveMaximum':true,"
         "'const':1,'items':[{'type':'null'}]}",
         0},
        {"http://h/seven",
         "{'$schema':'http://json-schema.org/draft-07/schema#','items':[{'type':'null'}],"
         "'dependentRequired':{'a':['b']},'properties':{'x':{'$ref':'#/definitions/"
         "y','minimum':9}},"
         "'definitions':{'y':{'type':'number'}}}",
         0},
        {NULL, NULL, 0},
    };
    fixture->remotes = remotes;
    schema_fixture_use(
        fixture,
        "{'allOf':[{'$ref':'http://h/four'},{'$ref':'http://h/seven'}],'items':{'maximum':5}}");
    schema_fixture_expect(fixture, "3", ": must be less than 3 (maximum http://h/four#/maximum)");
    schema_fixture_expect(fixture, "{'a':1,'x':1}", NULL);
    schema_fixture_expect(
        fixture,
        "[1,6]",
        "/0: expected null (type http://h/four#/items/0/type)\n"
        "/1: must be at most 5 (maximum /items/maximum)");
}

static void drafts_inside_each_other(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{'$id':'http://h/"
        "root','properties':{'old':{'$ref':'old'},'older':{'$ref':'older'}},'$defs':{"
        "'old':{'$id':'old','$schema':'http://json-schema.org/draft-07/schema#',"
        "'items':[{'type':'null'}],'additionalItems':false},"
        "'older':{'$schema':'http://json-schema.org/draft-04/schema#','id':'older','minimum':1,"
        "'exclusiveMinimum':true}}}");
    schema_fixture_expect(
        fixture,
        "{'old':[1,2],'older':1}",
        "/old/0: expected null (type /$defs/old/items/0/type)\n"
        "/old/1: unexpected item (additionalItems /$defs/old/additionalItems)\n"
        "/older: must be more than 1 (minimum /$defs/older/minimum)");
}

/* ---- schemas that are wrong ---- */

static void patterns_that_are_wrong(void **state)
{
    struct schema_fixture *fixture = *state;
    for (unsigned draft = JSV_DRAFT_4; draft <= JSV_DRAFT_2020_12; draft++) {
        fixture->draft = (enum jsv_draft)draft;
        schema_fixture_expect_fault(
            fixture, "{'pattern':'a(b'}", "/pattern", "invalid pattern at offset ");
        schema_fixture_expect_fault(
            fixture,
            "{'properties':{'p':{'patternProperties':{'^ok':{},'[z-a]':{}}}}}",
            "/properties/p/patternProperties/[z-a]",
            "invalid pattern at offset ");
    }
    schema_fixture_expect_fault(
        fixture,
        "{'pattern':'^((a|b){0,999}c){0,999}$'}",
        "/pattern",
        "pattern exceeds a limit at offset 0: the pattern is too large: with its repetitions "
        "written out it has more than 262,144 states");
    /* many that are large */
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    for (int i = 0; i < 20; i++) {
        json_fixture_print(
            &text,
            "%s{\"pattern\":\"^((a|b){0,%d}c){0,200}$\"}",
            i ? "," : "{\"allOf\":[",
            200 + i);
    }
    jsv_buf_append_str(&text, JSV_STR("]}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&text)), -EBADMSG);
    assert_non_null(strstr(fixture->fault.message.data, "exceed the limit of 32 MiB"));
    jsv_buf_done(&text);
    /* one that is large, but not beyond a limit */
    schema_fixture_use(fixture, "{'pattern':'^((a|b){0,61}c){0,67}$'}");
    schema_fixture_expect(fixture, "'abcac'", NULL);
    schema_fixture_expect(
        fixture,
        "'abca'",
        ": does not match pattern \"^((a|b){0,61}c){0,67}$\" (pattern /pattern)");
    /* the same pattern is compiled once, wherever it is */
    schema_fixture_use(
        fixture,
        "{'pattern':'^a','items':{'pattern':'^a'},'patternProperties':{'^a':{'pattern':'^b'}}}");
    size_t count = 0;
    for (const struct jsv_regex_list *r = fixture->schema->regexes; r; r = r->next) {
        count++;
    }
    assert_int_equal(count, 2);
}

/* A value that does not fit its keyword is left out when schemas are not checked. */
static void keywords_that_are_wrong(void **state)
{
    struct schema_fixture *fixture = *state;
    fixture->options.skip_meta = true;
    static const char *const ignored[] = {
        "{'type':5}",
        "{'minimum':'a'}",
        "{'maxLength':'a'}",
        "{'pattern':5}",
        "{'format':5}",
        "{'uniqueItems':1}",
        "{'items':5}",
        "{'allOf':{}}",
        "{'properties':[]}",
        "{'patternProperties':[]}",
        "{'required':'a'}",
        "{'required':[5,null]}",
        "{'dependentRequired':5}",
        "{'not':5}",
        "{'if':5,'then':false}",
        "{'$ref':5}",
        "{'$id':5}",
        "{'$anchor':5,'$dynamicAnchor':5}",
        "{'contentSchema':5}",
        "{'enum':{'a':1}}",
        "{'enum':5}",
        "{'multipleOf':0}",
        "{'maxItems':1.5,'maxLength':1e30}",
        "5",
        "'a'",
        "[]",
        "{'properties':{'a':5}}",
        "{'allOf':[5,null]}",
    };
    for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++) {
        schema_fixture_use(fixture, ignored[i]);
        schema_fixture_expect(fixture, "{'a':1}", NULL);
        schema_fixture_expect(fixture, "[1,1,1]", NULL);
        schema_fixture_expect(fixture, "'aaa'", NULL);
        schema_fixture_expect(fixture, "7", NULL);
    }
    /* what nothing can meet */
    schema_fixture_use(fixture, "{'minLength':-1}");
    schema_fixture_expect(
        fixture,
        "'a'",
        ": must have at least 18446744073709551615 characters (minLength /minLength)");
    schema_fixture_use(fixture, "{'type':['nul']}");
    schema_fixture_expect(fixture, "null", ": expected nothing (type /type)");
    schema_fixture_use(fixture, "{'enum':[]}");
    schema_fixture_expect(fixture, "null", ": expected nothing (enum /enum)");
}

static void meta_schemas_are_asked(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct {
        enum jsv_draft first;
        enum jsv_draft last;
        const char *schema;
        const char *pointer;
        const char *message;
    } cases[] = {
        {SCHEMA_ALL, "{'type':'strnig'}", "/type", "expected one of "},
        {SCHEMA_ALL,
         "{'properties':{'a':{'minimum':'1'}}}",
         "/properties/a/minimum",
         "expected number"},
        {SCHEMA_ALL, "{'maxLength':-1}", "/maxLength", "must be at least 0"},
        {SCHEMA_ALL, "{'maxLength':1.5}", "/maxLength", "expected integer"},
        {SCHEMA_ALL, "{'required':'a'}", "/required", "expected array"},
        {SCHEMA_ALL, "{'required':['a','a']}", "/required", "items 0 and 1 are equal"},
        {SCHEMA_ALL, "{'allOf':[]}", "/allOf", "must have at least 1 item"},
        {SCHEMA_ALL,
         "{'items':{'items':{'type':5}}}",
         "/items/items/type",
         "expected array or one of"},
        {SCHEMA_ALL,
         "{'definitions':{'unused':{'pattern':5}}}",
         "/definitions/unused/pattern",
         "expected string"},
        {SCHEMA_ONLY(4), "{'properties':{'a':true}}", "/properties/a", "expected object"},
        {SCHEMA_6_ON, "{'properties':{'a':1}}", "/properties/a", "expected boolean or object"},
        {SCHEMA_ONLY(4), "{'required':[]}", "/required", "must have at least 1 item"},
        {SCHEMA_ONLY(4),
         "{'exclusiveMaximum':true}",
         "",
         "missing property 'maximum', required by 'exclusiveMaximum'"},
        {SCHEMA_6_ON, "{'exclusiveMaximum':true}", "/exclusiveMaximum", "expected number"},
        {SCHEMA_ONLY(2020_12), "{'items':[{}]}", "/items", "expected boolean or object"},
        {SCHEMA_6_ON, "5", "", "expected boolean or object"},
        {SCHEMA_ONLY(4), "true", "", "expected object"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (unsigned draft = cases[i].first; draft <= cases[i].last; draft++) {
            fixture->draft = (enum jsv_draft)draft;
            schema_fixture_expect_fault(
                fixture, cases[i].schema, cases[i].pointer, cases[i].message);
        }
    }
}

/* ---- which schema ---- */

static void parts_of_a_resource(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_reset(fixture);
    assert_int_equal(
        schema_fixture_add(
            fixture,
            "http://h/a",
            "{'type':'object','$defs':{'n':{'type':'null','$anchor':'x'}},'const':5}"),
        0);
    assert_int_equal(schema_fixture_compile_uri(fixture, "http://h/a#/$defs/n"), 0);
    schema_fixture_expect(fixture, "1", ": expected null (type /$defs/n/type)");
    assert_int_equal(schema_fixture_compile_uri(fixture, "http://h/a#x"), 0);
    schema_fixture_expect(fixture, "1", ": expected null (type /$defs/n/type)");
    assert_int_equal(schema_fixture_compile_uri(fixture, "http://h/a#"), 0);
    assert_int_equal(schema_fixture_compile_uri(fixture, "http://h/./a"), 0);
    static const char *const absent[] = {
        "http://h/b",
        "http://h/a#y",
        "http://h/a#/$defs/m",
        "http://h/a#/const",
        "",
        "#",
    };
    for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
        assert_int_equal(schema_fixture_compile_uri(fixture, absent[i]), -ENOENT);
        assert_null(fixture->schema);
        assert_int_equal(fixture->fault.message.size, 0);
    }
    /* without options, and without a callback */
    struct jsv_schema *schema = NULL;
    assert_int_equal(
        jsv_schema_compile(fixture->registry, JSV_STR("http://h/a"), NULL, &schema, NULL), 0);
    jsv_schema_free(schema);
    schema = NULL;
    assert_int_equal(
        jsv_schema_compile(fixture->registry, JSV_STR("http://h/c"), NULL, &schema, NULL), -ENOENT);
    assert_null(schema);
    assert_int_equal(schema_fixture_add(fixture, "http://h/c", "{'$ref':'#/x'}"), 0);
    assert_int_equal(
        jsv_schema_compile(fixture->registry, JSV_STR("http://h/c"), NULL, &schema, NULL),
        -EBADMSG);
}

/* References that take far more room than their text, once they are resolved. */
static void references_too_long_together(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    jsv_buf_append_str(&text, JSV_STR("{\"$id\":\"http://h/"));
    for (int i = 0; i < 5000; i++) {
        jsv_buf_append_byte(&text, 'x');
    }
    jsv_buf_append_str(&text, JSV_STR("/a\",\"allOf\":[true"));
    for (int i = 0; i < 1000; i++) {
        jsv_buf_append_str(&text, JSV_STR(",{\"$ref\":\"a\"}"));
    }
    jsv_buf_append_str(&text, JSV_STR("]}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&text)), -EBADMSG);
    jsv_buf_done(&text);
    assert_text(
        fixture->fault.message, "the resolved references of this schema exceed the size limit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(references),
        SCHEMA_TEST(references_by_name),
        SCHEMA_TEST(references_that_lead_nowhere),
        SCHEMA_TEST(references_into_large_objects),
        SCHEMA_TEST(references_into_large_arrays),
        SCHEMA_TEST(circles),
        SCHEMA_TEST(dynamic_references),
        SCHEMA_TEST(dynamic_references_that_depend),
        SCHEMA_TEST(recursive_references),
        SCHEMA_TEST(references_between_drafts),
        SCHEMA_TEST(drafts_inside_each_other),
        SCHEMA_TEST(patterns_that_are_wrong),
        SCHEMA_TEST(keywords_that_are_wrong),
        SCHEMA_TEST(meta_schemas_are_asked),
        SCHEMA_TEST(parts_of_a_resource),
        SCHEMA_TEST(references_too_long_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
