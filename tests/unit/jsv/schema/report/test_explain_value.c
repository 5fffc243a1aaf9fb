/*
 * Keywords about the value itself, in every draft that has them.
 */
#include "support/schema_fixture.h"

/* Digits of limits that are too long for a message. */
#define TEN "0000000000"

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
        {SCHEMA_ALL,
         "{'maximum':1" TEN TEN TEN TEN TEN TEN TEN TEN "1}",
         "2" TEN TEN TEN TEN TEN TEN TEN TEN "1",
         ": must be at most 1" TEN TEN TEN TEN TEN TEN TEN "000000000… (maximum /maximum)"},
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
        /* not asserted by default, like format */
        {SCHEMA_7_ON,
         "{'contentMediaType':'application/json','contentEncoding':'base64'}",
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

static void content_when_asserted(void **state)
{
    struct schema_fixture *fixture = *state;
    fixture->options.assert_content = true;
    static const struct schema_case cases[] = {
        {SCHEMA_7_ON, "{'contentEncoding':'base64'}", "'YWJj'", NULL},
        {SCHEMA_7_ON, NULL, "'YWJ'", ": not encoded as base64 (contentEncoding /contentEncoding)"},
        {SCHEMA_7_ON, "{'contentMediaType':'application/json'}", "'[1]'", NULL},
        {SCHEMA_7_ON,
         NULL,
         "'[1'",
         ": not of media type application/json (contentMediaType /contentMediaType)"},
        {SCHEMA_7_ON,
         "{'contentMediaType':'application/json','contentEncoding':'base64'}",
         "'WzFd'",
         NULL},
        {SCHEMA_7_ON,
         NULL,
         "'WzE='",
         ": not of media type application/json (contentMediaType /contentMediaType)"},
        {SCHEMA_7_ON, NULL, "'[1]'", ": not encoded as base64 (contentEncoding /contentEncoding)"},
        {SCHEMA_7_ON, NULL, "1", NULL},
        {SCHEMA_2019_ON, "{'contentSchema':false}", "'{'", NULL},
        {SCHEMA_ONLY(6), "{'contentEncoding':'base64'}", "'YWJ'", NULL},
    };
    SCHEMA_RUN(fixture, cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(types),
        SCHEMA_TEST(values),
        SCHEMA_TEST(numbers),
        SCHEMA_TEST(text),
        SCHEMA_TEST(format_when_asserted),
        SCHEMA_TEST(content_when_asserted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
