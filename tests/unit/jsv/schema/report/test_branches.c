/*
 * Which problems are reported if no alternative matches.
 */
#include <stdio.h>

#include "support/schema_fixture.h"
#include "support/texts.h"

/* Requests that differ in their method, as in many protocols. */
static const char requests[] =
    "{'anyOf':[{'$ref':'#/$defs/ping'},{'$ref':'#/$defs/call'},{'$ref':'#/$defs/list'}],"
    "'$defs':{"
    "'ping':{'type':'object','required':['jsonrpc','method'],"
    "  'properties':{'jsonrpc':{'const':'2.0'},'method':{'const':'ping'}}},"
    "'call':{'type':'object','required':['jsonrpc','method','params'],"
    "  'properties':{'jsonrpc':{'const':'2.0'},'method':{'const':'call'},"
    "    'params':{'type':'object','required':['name'],'properties':{'name':{'type':'string'}}}}},"
    "'list':{'type':'object','required':['jsonrpc','method'],'additionalProperties':false,"
    "  "
    "'properties':{'jsonrpc':{'const':'2.0'},'method':{'const':'list'},'cursor':{'type':'string'}}}"
    "}}";

static void reports_the_alternative_with_the_right_tag(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, requests);
    schema_fixture_expect(fixture, "{'jsonrpc':'2.0','method':'ping','extra':1}", NULL);
    schema_fixture_expect(
        fixture,
        "{'jsonrpc':'2.0','method':'call'}",
        ": missing property 'params' (required /$defs/call/required)");
    schema_fixture_expect(
        fixture,
        "{'jsonrpc':'2.0','method':'call','params':{'name':5}}",
        "/params/name: expected string (type /$defs/call/properties/params/properties/name/type)");
    schema_fixture_expect(
        fixture,
        "{'jsonrpc':'2.0','method':'list','cursor':5,'x':1}",
        "/cursor: expected string (type /$defs/list/properties/cursor/type)\n"
        "/x: unexpected property 'x' (additionalProperties /$defs/list/additionalProperties)");
    /* one wrong tag beside the right one */
    schema_fixture_expect(
        fixture,
        "{'jsonrpc':'1.0','method':'call'}",
        ": missing property 'params' (required /$defs/call/required)\n"
        "/jsonrpc: expected '2.0' (const /$defs/call/properties/jsonrpc/const)");
}

static void lists_the_allowed_tags(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, requests);
    static const char expected[] = "/method: expected one of 'ping', 'call', 'list' (anyOf /anyOf)";
    schema_fixture_expect(fixture, "{'jsonrpc':'2.0','method':'pong'}", expected);
    schema_fixture_expect(fixture, "{'jsonrpc':'2.0','method':5,'x':1}", expected);
    schema_fixture_expect(fixture, "{'jsonrpc':'2.0','method':'pong','params':{}}", expected);
    /* both wrong: the first one that all alternatives have */
    schema_fixture_expect(
        fixture, "{'jsonrpc':'1.0','method':'pong'}", "/jsonrpc: expected '2.0' (anyOf /anyOf)");
}

static void reports_a_missing_tag(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, requests);
    schema_fixture_expect(
        fixture,
        "{'jsonrpc':'2.0'}",
        ": missing property 'method' (required /$defs/ping/required)");
    /* other problems of the alternatives are not reported */
    schema_fixture_expect(
        fixture,
        "{'params':{},'cursor':1}",
        ": missing property 'jsonrpc' (required /$defs/ping/required)\n"
        ": missing property 'method' (required /$defs/ping/required)");
    /* a value shared by all is not a tag; the existing tag decides */
    schema_fixture_expect(
        fixture,
        "{'method':'call'}",
        ": missing property 'jsonrpc' (required /$defs/call/required)\n"
        ": missing property 'params' (required /$defs/call/required)");
    /* values in an enum, through a reference; other kinds of value do not count */
    schema_fixture_use(
        fixture,
        "{'oneOf':[{'type':'string'},{'required':['k','x'],'properties':{'k':{'$ref':'#/$defs/"
        "k'}}},"
        "{'required':['k'],'properties':{'k':{'enum':['c']},'y':{'type':'null'}}}],"
        "'$defs':{'k':{'enum':['a','b']}}}");
    schema_fixture_expect(
        fixture, "{'y':1}", ": missing property 'k' (required /oneOf/1/required)");
    /* not a tag in all of them */
    schema_fixture_use(
        fixture,
        "{'oneOf':[{'required':['k','x'],'properties':{'k':{'const':1}}},"
        "{'required':['k'],'properties':{'k':{}}}]}");
    schema_fixture_expect(fixture, "{}", ": missing property 'k' (required /oneOf/1/required)");
}

/* Of equally close alternatives, one is reported together with the number of others. */
static void equally_close_alternatives(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{'anyOf':[{'required':['a','b']},{'required':['c','d']},{'required':['e','f']},"
        "{'required':['g','h','i']}]}");
    schema_fixture_expect(
        fixture,
        "{}",
        ": missing property 'a' (required /anyOf/0/required)\n"
        ": missing property 'b' (required /anyOf/0/required)");
    assert_int_equal(fixture->problems.items[0].others, 2);
    assert_int_equal(fixture->problems.items[1].others, 0);
    /* equal alternatives count once */
    schema_fixture_use(
        fixture,
        "{'anyOf':[{'required':['a','b']},{'required':['a','b']},{'required':['c','d']},"
        "{'required':['c','d']},{'required':['a','b']}]}");
    assert_int_equal(schema_fixture_verdict(fixture, schema_fixture_read(fixture, "{}")), 0);
    assert_int_equal(fixture->problems.items[0].others, 1);
    /* all are reported, or only one is close */
    schema_fixture_use(fixture, "{'anyOf':[{'required':['a']},{'required':['c']}]}");
    schema_fixture_expect(
        fixture, "{}", ": missing property 'a' or missing property 'c' (anyOf /anyOf)");
    assert_int_equal(fixture->problems.items[0].others, 0);
    schema_fixture_use(fixture, "{'anyOf':[{'required':['a','b']},{'required':['c','d','e']}]}");
    assert_int_equal(schema_fixture_verdict(fixture, schema_fixture_read(fixture, "{}")), 0);
    assert_int_equal(fixture->problems.items[0].others, 0);
}

static void wrong_types(void **state)
{
    static const struct schema_case cases[] = {
        {SCHEMA_ALL,
         "{'anyOf':[{'type':'string'},{'type':'null'},{'type':['null','integer']}]}",
         "{}",
         ": expected null or integer or string (anyOf /anyOf)"},
        {SCHEMA_ALL, NULL, "1.5", ": expected null or integer or string (anyOf /anyOf)"},
        {SCHEMA_ALL,
         "{'anyOf':[{'type':'string'},{'enum':[1,2]},{'enum':[2,3]}]}",
         "[]",
         ": expected string or one of 1, 2, 3 (anyOf /anyOf)"},
        /* the type matches, so values of that type are listed */
        {SCHEMA_ALL, NULL, "4", ": expected one of 1, 2, 3 (anyOf /anyOf)"},
        {SCHEMA_6_ON,
         "{'anyOf':[{'type':'string'},{'const':5}]}",
         "null",
         ": expected string or 5 (anyOf /anyOf)"},
        /* values are listed instead of their type */
        {SCHEMA_ALL,
         "{'oneOf':[{'type':'string','enum':['a']},{'type':'null'}]}",
         "1",
         ": expected null or 'a' (oneOf /oneOf)"},
        /* nested alternatives are merged, too */
        {SCHEMA_ALL,
         "{'anyOf':[{'anyOf':[{'type':'string'},{'type':'null'}]},{'type':'boolean'}]}",
         "1",
         ": expected null or boolean or string (anyOf /anyOf)"},
        /* the only alternative of the right type is reported */
        {SCHEMA_ALL,
         "{'anyOf':[{'type':'null'},{'type':'string','minLength':3},{'type':'boolean'}]}",
         "'a'",
         ": must have at least 3 characters (minLength /anyOf/1/minLength)"},
        {SCHEMA_6_ON,
         "{'anyOf':[false,{'type':'null'},false]}",
         "1",
         ": expected null (anyOf /anyOf)"},
        {SCHEMA_6_ON, "{'anyOf':[false,false]}", "1", ": no value is allowed here ( /anyOf/0)"},
        {SCHEMA_ALL, "{'anyOf':[{'type':'null'}]}", "1", ": expected null (type /anyOf/0/type)"},
    };
    SCHEMA_RUN(*state, cases);
}

static void other_choices(void **state)
{
    static const struct schema_case cases[] = {
        /* a deeper problem is closer */
        {SCHEMA_ALL,
         "{'anyOf':[{'required':['method']},{'properties':{'result':{'type':'object'}},'required':["
         "'result']}]}",
         "{'result':5}",
         "/result: expected object (type /anyOf/1/properties/result/type)"},
        /* fewer problems are closer */
        {SCHEMA_ALL,
         "{'anyOf':[{'required':['a','b']},{'required':['c']}]}",
         "{}",
         ": missing property 'c' (required /anyOf/1/required)"},
        /* an unexpected member is a problem of its object */
        {SCHEMA_ALL,
         "{'anyOf':[{'properties':{'a':{}},'additionalProperties':false},"
         "{'properties':{'b':{'type':'string'}}}]}",
         "{'b':5}",
         "/b: expected string (type /anyOf/1/properties/b/type)"},
        /* equally close: all in one message, if it is short enough */
        {SCHEMA_ALL,
         "{'anyOf':[{'required':['a']},{'required':['b']}]}",
         "{}",
         ": missing property 'a' or missing property 'b' (anyOf /anyOf)"},
        {SCHEMA_ALL,
         "{'anyOf':[{'maximum':1},{'minimum':9},{'maximum':1}]}",
         "5",
         ": must be at most 1 or must be at least 9 (anyOf /anyOf)"},
        {SCHEMA_ALL,
         "{'anyOf':[{'maximum':1},{'maximum':1}]}",
         "5",
         ": must be at most 1 (maximum /anyOf/0/maximum)"},
        {SCHEMA_ALL,
         "{'anyOf':[{'maximum':1},{'maximum':2},{'maximum':3},{'maximum':4},{'maximum':5}]}",
         "9",
         ": must be at most 1 (maximum /anyOf/0/maximum)"},
        {SCHEMA_ALL,
         "{'anyOf':[{'properties':{'a':{'maximum':1},'b':{'maximum':1}}},"
         "{'properties':{'a':{'minimum':9},'b':{'minimum':9}}}]}",
         "{'a':5,'b':5}",
         "/a: must be at most 1 (maximum /anyOf/0/properties/a/maximum)\n"
         "/b: must be at most 1 (maximum /anyOf/0/properties/b/maximum)"},
        /* a member with several allowed values counts less than one with a single value */
        {SCHEMA_6_ON,
         "{'anyOf':[{'properties':{'k':{'const':'x'},'v':{'enum':[1,2]}}},"
         "{'properties':{'k':{'const':'y'}}}]}",
         "{'k':'x','v':3}",
         "/v: expected one of 1, 2 (enum /anyOf/0/properties/v/enum)"},
        {SCHEMA_ALL,
         "{'anyOf':[{'properties':{'k':{'enum':['a','b']}}},{'properties':{'k':{'enum':['b','c']}}}"
         "]}",
         "{'k':'z'}",
         "/k: expected one of 'a', 'b', 'c' (anyOf /anyOf)"},
        /* tags of different members are not merged */
        {SCHEMA_6_ON,
         "{'anyOf':[{'properties':{'a':{'const':1}}},{'properties':{'b':{'const':1}}}]}",
         "{'a':2,'b':2}",
         "/a: expected 1 (const /anyOf/0/properties/a/const)"},
        /* alternatives of alternatives keep their tags */
        {SCHEMA_6_ON,
         "{'oneOf':[{'anyOf':[{'properties':{'m':{'const':'a'}}},{'properties':{'m':{'const':'b'}}}"
         "]},"
         "{'properties':{'m':{'const':'c'}}}]}",
         "{'m':'z'}",
         "/m: expected one of 'a', 'b', 'c' (oneOf /oneOf)"},
        /* an alternative that matches leaves no findings */
        {SCHEMA_ALL,
         "{'allOf':[{'anyOf':[{'type':'null'},{'type':'number'}]},{'maximum':1}]}",
         "2",
         ": must be at most 1 (maximum /allOf/1/maximum)"},
    };
    SCHEMA_RUN(*state, cases);
}

/* Beyond the limit of explained alternatives the message is generic. */
static void too_many_alternatives_get_a_generic_message(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf schema;
    jsv_buf_init(&schema, NULL, SIZE_MAX);
    jsv_buf_append_str(&schema, JSV_STR("{\"$defs\":{"));
    for (int i = 0; i < 20; i++) {
        char text[128];
        int size = snprintf(
            text,
            sizeof(text),
            "\"%d\":{\"anyOf\":[{\"$ref\":\"#/$defs/%d\"},{\"$ref\":\"#/$defs/%d\"}]},",
            i,
            i + 1,
            i + 1);
        jsv_buf_append(&schema, text, (size_t)size);
    }
    jsv_buf_append_str(
        &schema, JSV_STR("\"20\":{\"required\":[\"a\"]}},\"items\":{\"$ref\":\"#/$defs/0\"}}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    jsv_buf_done(&schema);
    schema_fixture_expect(
        fixture,
        "[{},{'a':1},{}]",
        "/0: missing property 'a' (required /$defs/20/required)\n"
        "/2: matches none of the alternatives (anyOf /$defs/0/anyOf)");
}

static void long_messages_are_not_joined(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf schema;
    jsv_buf_init(&schema, NULL, SIZE_MAX);
    jsv_buf_append_str(&schema, JSV_STR("{\"anyOf\":[{\"required\":[\"a"));
    append_repeated(&schema, "x", 150);
    jsv_buf_append_str(&schema, JSV_STR("\"]},{\"required\":[\"b"));
    append_repeated(&schema, "x", 150);
    jsv_buf_append_str(&schema, JSV_STR("\"]}]}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    jsv_buf_done(&schema);
    struct jsv_value value = schema_fixture_read(fixture, "{}");
    assert_int_equal(schema_fixture_verdict(fixture, value), 0);
    assert_true(jsv_str_equal(fixture->problems.items[0].keyword, JSV_STR("required")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(reports_the_alternative_with_the_right_tag),
        SCHEMA_TEST(lists_the_allowed_tags),
        SCHEMA_TEST(reports_a_missing_tag),
        SCHEMA_TEST(equally_close_alternatives),
        SCHEMA_TEST(wrong_types),
        SCHEMA_TEST(other_choices),
        SCHEMA_TEST(too_many_alternatives_get_a_generic_message),
        SCHEMA_TEST(long_messages_are_not_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
