/*
 * Which problems people see: in which order, how many, and of alternatives
 * those of the one that was meant.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "support/schema_fixture.h"

/* Requests told apart by their method, as protocols have them. */
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

static void the_alternative_with_the_right_tag(void **state)
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

static void a_wrong_tag(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, requests);
    static const char expected[] = "/method: expected one of 'ping', 'call', 'list' (anyOf /anyOf)";
    schema_fixture_expect(fixture, "{'jsonrpc':'2.0','method':'pong'}", expected);
    schema_fixture_expect(fixture, "{'jsonrpc':'2.0','method':5,'x':1}", expected);
    schema_fixture_expect(fixture, "{'jsonrpc':'2.0','method':'pong','params':{}}", expected);
    /* both wrong: the first that all alternatives speak of */
    schema_fixture_expect(
        fixture, "{'jsonrpc':'1.0','method':'pong'}", "/jsonrpc: expected '2.0' (anyOf /anyOf)");
}

static void a_missing_tag(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, requests);
    schema_fixture_expect(
        fixture,
        "{'jsonrpc':'2.0'}",
        ": missing property 'method' (required /$defs/ping/required)");
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
        /* of the right type, so a value of it was meant */
        {SCHEMA_ALL, NULL, "4", ": expected one of 1, 2, 3 (anyOf /anyOf)"},
        {SCHEMA_6_ON,
         "{'anyOf':[{'type':'string'},{'const':5}]}",
         "null",
         ": expected string or 5 (anyOf /anyOf)"},
        /* a type and its values are told by the values */
        {SCHEMA_ALL,
         "{'oneOf':[{'type':'string','enum':['a']},{'type':'null'}]}",
         "1",
         ": expected null or 'a' (oneOf /oneOf)"},
        /* nested alternatives are put together, too */
        {SCHEMA_ALL,
         "{'anyOf':[{'anyOf':[{'type':'string'},{'type':'null'}]},{'type':'boolean'}]}",
         "1",
         ": expected null or boolean or string (anyOf /anyOf)"},
        /* one alternative has the type: it is the one that was meant */
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
        /* what lies deeper came further */
        {SCHEMA_ALL,
         "{'anyOf':[{'required':['method']},{'properties':{'result':{'type':'object'}},'required':["
         "'result']}]}",
         "{'result':5}",
         "/result: expected object (type /anyOf/1/properties/result/type)"},
        /* fewer faults are closer */
        {SCHEMA_ALL,
         "{'anyOf':[{'required':['a','b']},{'required':['c']}]}",
         "{}",
         ": missing property 'c' (required /anyOf/1/required)"},
        /* an unexpected member is a fault of its object */
        {SCHEMA_ALL,
         "{'anyOf':[{'properties':{'a':{}},'additionalProperties':false},"
         "{'properties':{'b':{'type':'string'}}}]}",
         "{'b':5}",
         "/b: expected string (type /anyOf/1/properties/b/type)"},
        /* equally close: all are said, when that is a sentence */
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
        /* a member with several values is a weaker sign than one with one */
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
        /* tags of different members have no common place */
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
        /* what fits leaves no trace */
        {SCHEMA_ALL,
         "{'allOf':[{'anyOf':[{'type':'null'},{'type':'number'}]},{'maximum':1}]}",
         "2",
         ": must be at most 1 (maximum /allOf/1/maximum)"},
    };
    SCHEMA_RUN(*state, cases);
}

static void order_and_duplicates(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{'allOf':[{'required':['z','b']},{'required':['b']},{'properties':{'a':{'type':'null'}}},"
        "{'properties':{'a':{'type':'null'}}}],'minProperties':9,"
        "'properties':{'a':{'maximum':0},'a/b':{'maximum':0},'':{'maximum':0},'A':{'maximum':0}}}");
    schema_fixture_expect(
        fixture,
        "{'a/b':1,'':1,'a':1,'A':1}",
        ": missing property 'b' (required /allOf/0/required)\n"
        ": missing property 'z' (required /allOf/0/required)\n"
        ": must have at least 9 properties (minProperties /minProperties)\n"
        "/: must be at most 0 (maximum /properties//maximum)\n"
        "/A: must be at most 0 (maximum /properties/A/maximum)\n"
        "/a: expected null (type /allOf/2/properties/a/type)\n"
        "/a: must be at most 0 (maximum /properties/a/maximum)\n"
        "/a~1b: must be at most 0 (maximum /properties/a~1b/maximum)");
}

/* Elements are named by number, and sorted as text is. */
static void paths(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{'items':{'items':{'maximum':1}}}");
    schema_fixture_expect(
        fixture,
        "[[],[1,2],[],[],[],[],[],[],[],[],[1,2],[1,1,1,1,1,1,1,1,1,1,1,1,2]]",
        "/1/1: must be at most 1 (maximum /items/items/maximum)\n"
        "/10/1: must be at most 1 (maximum /items/items/maximum)\n"
        "/11/12: must be at most 1 (maximum /items/items/maximum)");
}

static void references_to_other_schemas(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct schema_remote remotes[] = {
        {"http://h/other", "{'$defs':{'x':{'type':'null'}}}", 0},
        {NULL, NULL, 0},
    };
    fixture->remotes = remotes;
    schema_fixture_use(
        fixture,
        "{'$id':'http://h/own','$ref':'http://h/other#/$defs/x','properties':{'a':{'$ref':'in'}},"
        "'$defs':{'in':{'$id':'in','type':'null'}}}");
    schema_fixture_expect(
        fixture,
        "{'a':1}",
        ": expected null (type http://h/other#/$defs/x/type)\n"
        "/a: expected null (type /$defs/in/type)");
}

static struct jsv_buf array_of(const char *item, size_t count)
{
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    for (size_t i = 0; i < count; i++) {
        jsv_buf_append_byte(&text, i ? ',' : '[');
        jsv_buf_append_str(&text, jsv_str_from(item));
    }
    jsv_buf_append_byte(&text, ']');
    return text;
}

static void expect_counts(
    struct schema_fixture *fixture, const char *item, size_t items, size_t count, size_t more)
{
    struct jsv_buf text = array_of(item, items);
    struct jsv_value value = schema_fixture_read_str(fixture, jsv_buf_str(&text));
    jsv_buf_done(&text);
    assert_int_equal(schema_fixture_verdict(fixture, value), 0);
    assert_int_equal(fixture->problems.count, count);
    assert_int_equal(fixture->problems.more, more);
}

static void at_most_so_many(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{'items':{'type':'string'}}");
    expect_counts(fixture, "1", 99, 99, 0);
    expect_counts(fixture, "1", 100, 100, 0);
    expect_counts(fixture, "1", 101, 100, 1);
    /* more than are kept before they are sorted */
    expect_counts(fixture, "1", 5000, 100, 4900);

    struct jsv_validator_limits limits = {.problems_max = 3};
    fixture->limits = &limits;
    schema_fixture_use(fixture, "{'items':{'type':'string'}}");
    expect_counts(fixture, "1", 5000, 3, 4997);
    limits.problems_max = 2000;
    schema_fixture_use(fixture, "{'items':{'type':'string'}}");
    expect_counts(fixture, "1", 5000, 2000, 3000);
}

/* Alternatives that are given up, or that fit in the end, count for nothing. */
static void alternatives_and_the_limit(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{'items':{'anyOf':[{'required':['a','b','c']},{'required':['d','e']},{'required':['f']}]}"
        "}");
    expect_counts(fixture, "{}", 5000, 100, 4900);
    schema_fixture_use(
        fixture, "{'anyOf':[{'items':{'type':'string'}},{'minItems':3000}],'maxItems':1}");
    expect_counts(fixture, "1", 3000, 1, 0);
    schema_fixture_use(fixture, "{'anyOf':[{'minItems':9000},{'items':{'type':'string'}}]}");
    expect_counts(fixture, "1", 3000, 100, 2900);
    /* no room is left for any alternative's faults */
    schema_fixture_use(
        fixture,
        "{'allOf':[{'items':{'type':'string'}},{'anyOf':[{'minItems':9000},{'maxItems':1}]}]}");
    expect_counts(fixture, "1", 3000, 100, 3000 + 1 - 100);
}

/* Beyond a number of alternatives it is only said that none fits. */
static void too_many_to_go_into(void **state)
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

static void repeat(struct jsv_buf *out, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        jsv_buf_append_str(out, jsv_str_from(text));
    }
}

static void
expect_message_end(struct schema_fixture *fixture, const char *instance, const char *end)
{
    struct jsv_value value = schema_fixture_read(fixture, instance);
    assert_int_equal(schema_fixture_verdict(fixture, value), 0);
    struct jsv_str message = fixture->problems.items[0].message;
    assert_true(message.size < 256);
    size_t size = strlen(end);
    assert_true(message.size > size);
    assert_memory_equal(message.data + message.size - size, end, size);
}

/* Names and values of any length; what does not fit is cut between two characters. */
static void long_messages(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf schema;
    jsv_buf_init(&schema, NULL, SIZE_MAX);
    jsv_buf_append_str(&schema, JSV_STR("{\"required\":[\"x"));
    repeat(&schema, "\xC3\xA9", 4000);
    jsv_buf_append_str(&schema, JSV_STR("\"]}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    expect_message_end(fixture, "{}", "\xC3\xA9…");

    jsv_buf_reset(&schema);
    jsv_buf_append_str(&schema, JSV_STR("{\"const\":\""));
    repeat(&schema, "\xF0\x9F\x98\x80", 100);
    jsv_buf_append_str(&schema, JSV_STR("\"}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    expect_message_end(fixture, "{}", "\xF0\x9F\x98\x80…");

    jsv_buf_reset(&schema);
    jsv_buf_append_str(&schema, JSV_STR("{\"enum\":[\""));
    for (int i = 0; i < 100; i++) {
        char text[32];
        jsv_buf_append(&schema, text, (size_t)snprintf(text, sizeof(text), "value %d\",\"", i));
    }
    jsv_buf_append_str(&schema, JSV_STR("\"]}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    expect_message_end(fixture, "{}", "\", …");

    jsv_buf_reset(&schema);
    jsv_buf_append_str(&schema, JSV_STR("{\"enum\":[0"));
    for (int i = 1; i < 60; i++) {
        char text[32];
        jsv_buf_append(&schema, text, (size_t)snprintf(text, sizeof(text), ",%d", i));
    }
    jsv_buf_append_str(&schema, JSV_STR("]}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    expect_message_end(fixture, "{}", ", 31, …");

    jsv_buf_reset(&schema);
    jsv_buf_append_str(&schema, JSV_STR("{\"pattern\":\""));
    repeat(&schema, "\xC3\xA9", 300);
    jsv_buf_append_str(&schema, JSV_STR("\"}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    expect_message_end(fixture, "''", "\xC3\xA9");
    jsv_buf_done(&schema);
}

/* What cannot be said in one sentence is not joined. */
static void messages_too_long_to_join(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf schema;
    jsv_buf_init(&schema, NULL, SIZE_MAX);
    jsv_buf_append_str(&schema, JSV_STR("{\"anyOf\":[{\"required\":[\"a"));
    repeat(&schema, "x", 150);
    jsv_buf_append_str(&schema, JSV_STR("\"]},{\"required\":[\"b"));
    repeat(&schema, "x", 150);
    jsv_buf_append_str(&schema, JSV_STR("\"]}]}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    jsv_buf_done(&schema);
    struct jsv_value value = schema_fixture_read(fixture, "{}");
    assert_int_equal(schema_fixture_verdict(fixture, value), 0);
    assert_true(jsv_str_equal(fixture->problems.items[0].keyword, JSV_STR("required")));
}

static struct jsv_buf listing_of(const struct jsv_problems *problems)
{
    struct jsv_buf listing;
    jsv_buf_init(&listing, NULL, SIZE_MAX);
    assert_int_equal(jsv_problems_write_json(problems, &listing), 0);
    return listing;
}

/* The same bytes every time, with a validator that was used before and a new one. */
static void the_same_every_time(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{'uniqueItems':true,'items':{'anyOf':[{'required':['a']},{'required':['b']},"
        "{'properties':{'c':{'enum':[1,2,3]}}}],'propertyNames':{'maxLength':2},'maxProperties':2},"
        "'contains':{'const':5},'unevaluatedItems':false}");
    struct jsv_value value = schema_fixture_read(
        fixture,
        "[{'c':5,'ddd':1,'e':2},{'c':5,'ddd':1,'e':2},{'x':1},1,1,[],{'c':7,'aaaa':[]},"
        "1,2,3,4,5,6,7,8,9,10,11,{},{}]");
    assert_int_equal(schema_fixture_verdict(fixture, value), 0);
    struct jsv_buf first = listing_of(&fixture->problems);
    for (int i = 0; i < 1000; i++) {
        struct jsv_problems problems;
        struct jsv_validator *validator =
            i % 2 ? fixture->validator : jsv_validator_new(NULL, NULL);
        assert_int_equal(jsv_validate_report(fixture->schema, value, validator, &problems), 0);
        struct jsv_buf again = listing_of(&problems);
        assert_true(jsv_str_equal(jsv_buf_str(&first), jsv_buf_str(&again)));
        jsv_buf_done(&again);
        if (validator != fixture->validator) {
            jsv_validator_free(validator);
        }
    }
    jsv_buf_done(&first);
}

/* The name of a member comes as it is read, however the message shortens it. */
static void the_member_at_fault(void **state)
{
    struct schema_fixture *fixture = *state;
    char name[601] = "a\"/";
    char schema[1000];
    memset(name + 3, 'x', sizeof(name) - 4);
    snprintf(
        schema,
        sizeof(schema),
        "{\"required\":[\"a\\\"/%s\"],\"dependentRequired\":{\"d\":[\"e\"]},"
        "\"additionalProperties\":false,\"properties\":{\"d\":{\"type\":\"null\"}}}",
        name + 3);
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_str_from(schema)), 0);
    struct jsv_value value = schema_fixture_read(fixture, "{'d':1,'\\u0041':2}");
    struct jsv_problems problems;
    assert_int_equal(jsv_validate_report(fixture->schema, value, fixture->validator, &problems), 0);
    assert_int_equal(problems.count, 4);
    for (size_t i = 0; i < problems.count; i++) {
        const struct jsv_problem *problem = &problems.items[i];
        bool is_long = jsv_str_equal(problem->keyword, JSV_STR("required"));
        bool is_extra = jsv_str_equal(problem->keyword, JSV_STR("additionalProperties"));
        bool is_type = jsv_str_equal(problem->keyword, JSV_STR("type"));
        const char *expected = is_long ? name : is_extra ? "A" : "e";
        assert_true(is_type == !problem->member.data);
        assert_true(is_type || jsv_str_equal(problem->member, jsv_str_from(expected)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(the_member_at_fault),
        SCHEMA_TEST(the_alternative_with_the_right_tag),
        SCHEMA_TEST(a_wrong_tag),
        SCHEMA_TEST(a_missing_tag),
        SCHEMA_TEST(wrong_types),
        SCHEMA_TEST(other_choices),
        SCHEMA_TEST(order_and_duplicates),
        SCHEMA_TEST(paths),
        SCHEMA_TEST(references_to_other_schemas),
        SCHEMA_TEST(at_most_so_many),
        SCHEMA_TEST(alternatives_and_the_limit),
        SCHEMA_TEST(too_many_to_go_into),
        SCHEMA_TEST(long_messages),
        SCHEMA_TEST(messages_too_long_to_join),
        SCHEMA_TEST(the_same_every_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
