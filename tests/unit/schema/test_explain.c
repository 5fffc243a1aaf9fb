/*
 * Every keyword in every draft that knows it: what it accepts, and what is
 * said when it does not. Both ways of evaluating see all of this.
 */
#include <errno.h>
#include <stdio.h>

#include "support/schema_fixture.h"

static void types(void **state)
{
    static const struct schema_case cases[] = {
        {SCHEMA_ALL, "{'type':'null'}", "null", NULL},
        {SCHEMA_ALL, NULL, "0", ": expected null (type /type)"},
        {SCHEMA_ALL, "{'type':'boolean'}", "false", NULL},
        {SCHEMA_ALL, NULL, "'false'", ": expected boolean (type /type)"},
        {SCHEMA_ALL, "{'type':'number'}", "-1.5e3", NULL},
        {SCHEMA_ALL, NULL, "7", NULL},
        {SCHEMA_ALL, NULL, "true", ": expected number (type /type)"},
        {SCHEMA_ALL, "{'type':'string'}", "''", NULL},
        {SCHEMA_ALL, NULL, "[]", ": expected string (type /type)"},
        {SCHEMA_ALL, "{'type':'array'}", "[]", NULL},
        {SCHEMA_ALL, NULL, "{}", ": expected array (type /type)"},
        {SCHEMA_ALL, "{'type':'object'}", "{}", NULL},
        {SCHEMA_ALL, NULL, "[]", ": expected object (type /type)"},
        {SCHEMA_ALL, "{'type':'integer'}", "7", NULL},
        {SCHEMA_ALL, NULL, "-123456789012345678901234567890", NULL},
        {SCHEMA_ALL, NULL, "1.5", ": expected integer (type /type)"},
        {SCHEMA_ALL, NULL, "'1'", ": expected integer (type /type)"},
        {SCHEMA_6_ON, NULL, "7.0", NULL},
        {SCHEMA_6_ON, NULL, "70e-1", NULL},
        {SCHEMA_6_ON, NULL, "1e400", NULL},
        {SCHEMA_6_ON, NULL, "123456789012345678901234567890.00", NULL},
        {SCHEMA_6_ON, NULL, "0.10e-400", ": expected integer (type /type)"},
        {SCHEMA_ONLY(4), NULL, "7.0", ": expected integer (type /type)"},
        {SCHEMA_ONLY(4), NULL, "1e2", ": expected integer (type /type)"},
        {SCHEMA_ALL, "{'type':['integer','number']}", "1.5", NULL},
        {SCHEMA_ALL, "{'type':['string','null','integer']}", "null", NULL},
        {SCHEMA_ALL, NULL, "'a'", NULL},
        {SCHEMA_ALL, NULL, "1.5", ": expected null or integer or string (type /type)"},
        {SCHEMA_ALL, NULL, "{}", ": expected null or integer or string (type /type)"},
        {SCHEMA_ALL,
         "{'type':['array','object','boolean','number']}",
         "null",
         ": expected boolean or number or array or object (type /type)"},
    };
    SCHEMA_RUN(*state, cases);
}

static void boolean_schemas(void **state)
{
    static const struct schema_case cases[] = {
        {SCHEMA_6_ON, "true", "{'a':[1]}", NULL},
        {SCHEMA_6_ON, "false", "null", ": no value is allowed here ( )"},
        {SCHEMA_6_ON,
         "{'properties':{'a':false}}",
         "{'a':1}",
         "/a: no value is allowed here ( /properties/a)"},
        {SCHEMA_6_ON, NULL, "{'b':1}", NULL},
        {SCHEMA_6_ON, "{'items':false}", "[]", NULL},
        {SCHEMA_6_ON,
         NULL,
         "[1,2]",
         "/0: unexpected item (items /items)\n/1: unexpected item (items /items)"},
        {SCHEMA_6_ON, "{'not':false}", "1", NULL},
        {SCHEMA_6_ON, "{'allOf':[true,false]}", "1", ": no value is allowed here ( /allOf/1)"},
    };
    SCHEMA_RUN(*state, cases);
}

static void values(void **state)
{
    static const struct schema_case cases[] = {
        {SCHEMA_6_ON, "{'const':1}", "1.0", NULL},
        {SCHEMA_6_ON, NULL, "10e-1", NULL},
        {SCHEMA_6_ON, NULL, "2", ": expected 1 (const /const)"},
        {SCHEMA_6_ON, NULL, "true", ": expected 1 (const /const)"},
        {SCHEMA_6_ON, "{'const':null}", "null", NULL},
        {SCHEMA_6_ON, NULL, "0", ": expected null (const /const)"},
        {SCHEMA_6_ON, "{'const':false}", "false", NULL},
        {SCHEMA_6_ON, NULL, "true", ": expected false (const /const)"},
        {SCHEMA_6_ON, "{'const':'a\\u0062c'}", "'abc'", NULL},
        {SCHEMA_6_ON, NULL, "'\\u0061bc'", NULL},
        {SCHEMA_6_ON, NULL, "'abd'", ": expected 'a\\u0062c' (const /const)"},
        {SCHEMA_6_ON, "{'const':[1,{'a':2,'b':3}]}", "[1,{'b':3.0,'a':2}]", NULL},
        {SCHEMA_6_ON, NULL, "[1,{'a':2}]", ": expected [1,{'a':2,'b':3}] (const /const)"},
        {SCHEMA_ONLY(4), "{'const':1}", "2", NULL},
        {SCHEMA_ALL, "{'enum':['a',1,null,true,[0],{'k':[]}]}", "'a'", NULL},
        {SCHEMA_ALL, NULL, "1.0", NULL},
        {SCHEMA_ALL, NULL, "null", NULL},
        {SCHEMA_ALL, NULL, "true", NULL},
        {SCHEMA_ALL, NULL, "[0.0]", NULL},
        {SCHEMA_ALL, NULL, "{'k':[]}", NULL},
        {SCHEMA_ALL,
         NULL,
         "false",
         ": expected one of 'a', 1, null, true, [0], {'k':[]} (enum /enum)"},
        {SCHEMA_ALL,
         NULL,
         "[1]",
         ": expected one of 'a', 1, null, true, [0], {'k':[]} (enum /enum)"},
        {SCHEMA_ALL, "{'enum':[false,true]}", "false", NULL},
        {SCHEMA_ALL, NULL, "true", NULL},
        {SCHEMA_ALL, "{'enum':[0]}", "-0.0", NULL},
        {SCHEMA_ALL, NULL, "1", ": expected 0 (enum /enum)"},
    };
    SCHEMA_RUN(*state, cases);
}

static void numbers(void **state)
{
    static const struct schema_case cases[] = {
        {SCHEMA_ALL, "{'maximum':3}", "3", NULL},
        {SCHEMA_ALL, NULL, "3.0000000000000000000000001", ": must be at most 3 (maximum /maximum)"},
        {SCHEMA_ALL, NULL, "1e400", ": must be at most 3 (maximum /maximum)"},
        {SCHEMA_ALL, NULL, "'4'", NULL},
        {SCHEMA_ALL, "{'minimum':-2.5}", "-2.5", NULL},
        {SCHEMA_ALL, NULL, "-25e-1", NULL},
        {SCHEMA_ALL, NULL, "-2.51", ": must be at least -2.5 (minimum /minimum)"},
        {SCHEMA_ALL, "{'minimum':1,'maximum':9}", "10", ": must be at most 9 (maximum /maximum)"},
        {SCHEMA_ALL, NULL, "0", ": must be at least 1 (minimum /minimum)"},
        {SCHEMA_ALL, NULL, "5.5", NULL},
        {SCHEMA_ALL, NULL, "18446744073709551615", ": must be at most 9 (maximum /maximum)"},
        {SCHEMA_ALL,
         "{'minimum':-9223372036854775808,'maximum':9223372036854775807}",
         "-9223372036854775808",
         NULL},
        {SCHEMA_ALL, NULL, "9223372036854775807", NULL},
        {SCHEMA_ALL,
         NULL,
         "9223372036854775808",
         ": must be at most 9223372036854775807 (maximum /maximum)"},
        {SCHEMA_ALL,
         NULL,
         "-9223372036854775809",
         ": must be at least -9223372036854775808 (minimum /minimum)"},
        {SCHEMA_6_ON, "{'exclusiveMaximum':3}", "2.999", NULL},
        {SCHEMA_6_ON, NULL, "3", ": must be less than 3 (exclusiveMaximum /exclusiveMaximum)"},
        {SCHEMA_6_ON, "{'exclusiveMinimum':3}", "3.001", NULL},
        {SCHEMA_6_ON, NULL, "3.0", ": must be more than 3 (exclusiveMinimum /exclusiveMinimum)"},
        {SCHEMA_6_ON,
         "{'maximum':3,'exclusiveMaximum':3}",
         "3",
         ": must be less than 3 (exclusiveMaximum /exclusiveMaximum)"},
        {SCHEMA_6_ON, "{'maximum':2,'exclusiveMaximum':3}", "2", NULL},
        {SCHEMA_6_ON, NULL, "2.5", ": must be at most 2 (maximum /maximum)"},
        {SCHEMA_6_ON, "{'exclusiveMinimum':3,'minimum':4}", "4", NULL},
        {SCHEMA_6_ON,
         "{'minimum':3,'exclusiveMinimum':5}",
         "1",
         ": must be at least 3 (minimum /minimum)\n"
         ": must be more than 5 (exclusiveMinimum /exclusiveMinimum)"},
        {SCHEMA_ONLY(4), "{'maximum':3,'exclusiveMaximum':true}", "2", NULL},
        {SCHEMA_ONLY(4), NULL, "3", ": must be less than 3 (maximum /maximum)"},
        {SCHEMA_ONLY(4), "{'maximum':3,'exclusiveMaximum':false}", "3", NULL},
        {SCHEMA_ONLY(4),
         "{'minimum':3,'exclusiveMinimum':true}",
         "3",
         ": must be more than 3 (minimum /minimum)"},
        {SCHEMA_ALL, "{'multipleOf':0.1}", "0.3", NULL},
        {SCHEMA_ALL, NULL, "1e300", NULL},
        {SCHEMA_ALL, NULL, "0", NULL},
        {SCHEMA_ALL, NULL, "0.35", ": must be a multiple of 0.1 (multipleOf /multipleOf)"},
        {SCHEMA_ALL, NULL, "'0.35'", NULL},
    };
    SCHEMA_RUN(*state, cases);
}

static void text(void **state)
{
    static const struct schema_case cases[] = {
        {SCHEMA_ALL, "{'maxLength':2}", "'ab'", NULL},
        {SCHEMA_ALL, NULL, "'\xF0\x9F\x98\x80\xC3\xA9'", NULL},
        {SCHEMA_ALL,
         NULL,
         "'\\ud83d\\ude00e\\u0301'",
         ": must have at most 2 characters (maxLength /maxLength)"},
        {SCHEMA_ALL, NULL, "['a','b','c']", NULL},
        {SCHEMA_ALL,
         "{'maxLength':1}",
         "'ab'",
         ": must have at most 1 character (maxLength /maxLength)"},
        {SCHEMA_ALL,
         "{'minLength':2}",
         "'\xC3\xA9'",
         ": must have at least 2 characters (minLength /minLength)"},
        {SCHEMA_ALL, NULL, "'\xC3\xA9\xC3\xA9'", NULL},
        {SCHEMA_ALL, NULL, "'a'", ": must have at least 2 characters (minLength /minLength)"},
        {SCHEMA_ALL,
         "{'minLength':2,'maxLength':3}",
         "'abcd'",
         ": must have at most 3 characters (maxLength /maxLength)"},
        {SCHEMA_ALL, NULL, "'abc'", NULL},
        {SCHEMA_ALL, NULL, "''", ": must have at least 2 characters (minLength /minLength)"},
        {SCHEMA_6_ON,
         "{'minLength':2.0}",
         "'a'",
         ": must have at least 2 characters (minLength /minLength)"},
        {SCHEMA_ALL, "{'pattern':'^a+$'}", "'aaa'", NULL},
        {SCHEMA_ALL, NULL, "'ab'", ": does not match pattern '^a+$' (pattern /pattern)"},
        {SCHEMA_ALL, NULL, "1", NULL},
        {SCHEMA_ALL, "{'format':'ipv4'}", "'not one'", NULL},
        {SCHEMA_ONLY(7), "{'contentEncoding':'base64'}", "'YWJj'", NULL},
        {SCHEMA_ONLY(7),
         NULL,
         "'YWJ'",
         ": not encoded as base64 (contentEncoding /contentEncoding)"},
        {SCHEMA_ONLY(7), "{'contentMediaType':'application/json'}", "'[1]'", NULL},
        {SCHEMA_ONLY(7),
         NULL,
         "'[1'",
         ": not of media type application/json (contentMediaType /contentMediaType)"},
        {SCHEMA_ONLY(7),
         "{'contentMediaType':'application/json','contentEncoding':'base64'}",
         "'WzFd'",
         NULL},
        {SCHEMA_ONLY(7),
         NULL,
         "'WzE='",
         ": not of media type application/json (contentMediaType /contentMediaType)"},
        {SCHEMA_ONLY(7),
         NULL,
         "'[1]'",
         ": not encoded as base64 (contentEncoding /contentEncoding)"},
        {SCHEMA_ONLY(7), NULL, "1", NULL},
        {SCHEMA_2019_ON,
         "{'contentMediaType':'application/json','contentEncoding':'base64','contentSchema':false}",
         "'{'",
         NULL},
    };
    SCHEMA_RUN(*state, cases);
}

static void format_when_asserted(void **state)
{
    struct schema_fixture *fixture = *state;
    fixture->options.assert_format = true;
    static const struct schema_case cases[] = {
        {SCHEMA_ALL, "{'format':'ipv4'}", "'127.0.0.1'", NULL},
        {SCHEMA_ALL, NULL, "'not one'", ": not a valid ipv4 (format /format)"},
        {SCHEMA_ALL, NULL, "1", NULL},
        {SCHEMA_ALL, "{'format':'of our own'}", "'a'", NULL},
        {SCHEMA_ONLY(4), "{'format':'date'}", "'a'", NULL},
        {SCHEMA_7_ON, NULL, "'a'", ": not a valid date (format /format)"},
    };
    SCHEMA_RUN(fixture, cases);
}

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
         ": missing property 'c', which 'a' asks for (dependencies /dependencies)"},
        {SCHEMA_ALL, NULL, "{'d':1}", ": missing property 'e' (required /dependencies/d/required)"},
        {SCHEMA_ALL, NULL, "'ad'", NULL},
        {SCHEMA_2019_ON,
         "{'dependentRequired':{'a':['b']}}",
         "{'a':1}",
         ": missing property 'b', which 'a' asks for (dependentRequired /dependentRequired)"},
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

static void combinations(void **state)
{
    static const struct schema_case cases[] = {
        {SCHEMA_ALL, "{'allOf':[{'minimum':2},{'multipleOf':2}]}", "4", NULL},
        {SCHEMA_ALL,
         NULL,
         "1",
         ": must be a multiple of 2 (multipleOf /allOf/1/multipleOf)\n: must be at least 2 "
         "(minimum /allOf/0/minimum)"},
        {SCHEMA_ALL, "{'anyOf':[{'minimum':2},{'type':'string'}]}", "2", NULL},
        {SCHEMA_ALL, NULL, "'a'", NULL},
        {SCHEMA_ALL, NULL, "1", ": must be at least 2 (minimum /anyOf/0/minimum)"},
        {SCHEMA_ALL, "{'oneOf':[{'minimum':2},{'maximum':4}]}", "1", NULL},
        {SCHEMA_ALL, NULL, "3", ": matches more than one alternative (0 and 1) (oneOf /oneOf)"},
        {SCHEMA_ALL,
         "{'oneOf':[{'type':'null'},{},{'type':'string'}]}",
         "null",
         ": matches more than one alternative (0 and 1) (oneOf /oneOf)"},
        {SCHEMA_ALL, NULL, "'a'", ": matches more than one alternative (1 and 2) (oneOf /oneOf)"},
        {SCHEMA_ALL, NULL, "1", NULL},
        {SCHEMA_ALL,
         "{'oneOf':[{},{},{'type':'string'}]}",
         "1",
         ": matches more than one alternative (0 and 1) (oneOf /oneOf)"},
        {SCHEMA_ALL, "{'not':{'type':'string'}}", "1", NULL},
        {SCHEMA_ALL, NULL, "'a'", ": must not match the schema in 'not' (not /not)"},
        {SCHEMA_ALL, "{'not':{}}", "'a'", ": must not match the schema in 'not' (not /not)"},
        {SCHEMA_ALL, "{'not':{'minimum':3}}", "2", NULL},
        {SCHEMA_ALL, NULL, "3", ": must not match the schema in 'not' (not /not)"},
        {SCHEMA_7_ON,
         "{'if':{'minimum':5},'then':{'multipleOf':5},'else':{'multipleOf':2}}",
         "10",
         NULL},
        {SCHEMA_7_ON, NULL, "7", ": must be a multiple of 5 (multipleOf /then/multipleOf)"},
        {SCHEMA_7_ON, NULL, "2", NULL},
        {SCHEMA_7_ON, NULL, "3", ": must be a multiple of 2 (multipleOf /else/multipleOf)"},
        {SCHEMA_7_ON, NULL, "'a'", NULL},
        {SCHEMA_7_ON, "{'if':{'minimum':5}}", "7", NULL},
        {SCHEMA_7_ON, "{'if':{'minimum':5},'then':{'const':7}}", "1", NULL},
        {SCHEMA_7_ON, NULL, "8", ": expected 7 (const /then/const)"},
        {SCHEMA_7_ON, "{'if':{'minimum':5},'else':{'const':1}}", "8", NULL},
        {SCHEMA_7_ON, "{'then':{'const':7},'else':{'const':8}}", "1", NULL},
        {SCHEMA_7_ON,
         "{'if':true,'then':{'const':7},'else':{'const':8}}",
         "8",
         ": expected 7 (const /then/const)"},
        {SCHEMA_7_ON,
         "{'if':false,'then':{'const':7},'else':{'const':8}}",
         "7",
         ": expected 8 (const /else/const)"},
        {JSV_DRAFT_4, JSV_DRAFT_6, "{'if':{},'then':{'not':{}}}", "1", NULL},
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

/* More members than one word of marks holds, more pairs than are compared one by one. */
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

/* Without a report the first fault ends it, wherever it lies. */
static void silent_evaluation(void **state)
{
    static const struct schema_case cases[] = {
        {SCHEMA_2019_ON, "{'not':{'required':['a','b'],'unevaluatedProperties':true}}", "{}", NULL},
        {SCHEMA_2019_ON,
         "{'not':{'dependentRequired':{'a':['b','c']},'unevaluatedProperties':true}}",
         "{'a':1}",
         NULL},
        {SCHEMA_2019_ON,
         "{'not':{'properties':{'a':{'const':1},'b':{'const':1}},'unevaluatedProperties':true}}",
         "{'a':2,'b':2}",
         NULL},
        {SCHEMA_2019_ON,
         "{'not':{'patternProperties':{'a':{'const':1}},'unevaluatedProperties':true}}",
         "{'a':2,'aa':2}",
         NULL},
        {SCHEMA_2019_ON,
         "{'not':{'additionalProperties':{'const':1},'unevaluatedProperties':true}}",
         "{'a':2,'b':2}",
         NULL},
        {SCHEMA_2019_ON,
         "{'not':{'propertyNames':{'const':'x'},'unevaluatedProperties':true}}",
         "{'a':2,'b':2}",
         NULL},
        {SCHEMA_2019_ON, "{'not':{'unevaluatedProperties':{'const':1}}}", "{'a':2,'b':2}", NULL},
        {SCHEMA_2019_ON, "{'not':{'items':{'const':1},'unevaluatedItems':true}}", "[2,2]", NULL},
        {SCHEMA_2019_ON, "{'not':{'unevaluatedItems':{'const':1}}}", "[2,2]", NULL},
        {SCHEMA_2019_ON,
         "{'not':{'allOf':[{'const':1},{'const':2}],'unevaluatedItems':true}}",
         "[2,2]",
         NULL},
        {SCHEMA_2019_ON,
         "{'not':{'anyOf':[{'const':1},{'const':2}],'unevaluatedItems':true}}",
         "[2,2]",
         NULL},
        {SCHEMA_2019_ON, "{'not':{'contains':false,'unevaluatedItems':true}}", "[2,2]", NULL},
        {SCHEMA_2019_ON, "{'not':{'unevaluatedItems':false}}", "[2,2]", NULL},
    };
    SCHEMA_RUN(*state, cases);
}

/* There is nothing to be said about a value that is not there. */
static void no_value(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{}");
    assert_int_equal(schema_fixture_verdict(fixture, (struct jsv_value){0}), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(types),
        SCHEMA_TEST(boolean_schemas),
        SCHEMA_TEST(values),
        SCHEMA_TEST(numbers),
        SCHEMA_TEST(text),
        SCHEMA_TEST(format_when_asserted),
        SCHEMA_TEST(arrays),
        SCHEMA_TEST(objects),
        SCHEMA_TEST(combinations),
        SCHEMA_TEST(unevaluated_properties),
        SCHEMA_TEST(unevaluated_items),
        SCHEMA_TEST(large_objects),
        SCHEMA_TEST(silent_evaluation),
        SCHEMA_TEST(no_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
