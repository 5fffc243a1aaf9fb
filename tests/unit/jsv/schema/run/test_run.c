/*
 * The fast way to a verdict. That every keyword does what it should is for
 * test_explain*.c, which ask both ways; here are the shortcuts of this one.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "support/random.h"
#include "support/schema_fixture.h"

static void expect(struct schema_fixture *fixture, const char *instance, int verdict)
{
    int actual = schema_fixture_verdict(fixture, schema_fixture_read(fixture, instance));
    if (actual != verdict) {
        fail_msg("%s: %d", instance, actual);
    }
}

/* Bytes bound the characters; only in between they are counted. */
static void lengths(void **state)
{
    struct schema_fixture *fixture = *state;
    static const char *const characters[] = {"a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    for (size_t min = 0; min <= 5; min++) {
        for (size_t max = min; max <= 6; max++) {
            char schema[64];
            snprintf(schema, sizeof(schema), "{'minLength':%zu,'maxLength':%zu}", min, max);
            schema_fixture_use(fixture, schema);
            for (size_t kind = 0; kind < 4; kind++) {
                char text[64] = "'";
                size_t size = 1;
                for (size_t count = 0; count <= 8; count++) {
                    snprintf(text + size, sizeof(text) - size, "'");
                    expect(fixture, text, count >= min && count <= max);
                    size +=
                        (size_t)snprintf(text + size, sizeof(text) - size, "%s", characters[kind]);
                }
            }
        }
    }
}

static void integer_bounds(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{'minimum':-5,'maximum':7}");
    static const struct {
        const char *instance;
        int verdict;
    } cases[] = {
        {"-5", 1},
        {"-6", 0},
        {"7", 1},
        {"8", 0},
        {"-0", 1},
        {"7.0", 1},
        {"70e-1", 1},
        {"7.01", 0},
        {"-5.0", 1},
        {"-5.01", 0},
        {"18446744073709551615", 0},
        {"-18446744073709551615", 0},
        {"99999999999999999999", 0},
        {"-99999999999999999999", 0},
        {"1e-400", 1},
        {"1e400", 0},
        {"9223372036854775808", 0},
        {"-9223372036854775808", 0},
        {"6.99999999999999999999999", 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect(fixture, cases[i].instance, cases[i].verdict);
    }
    schema_fixture_use(fixture, "{'exclusiveMinimum':-5,'exclusiveMaximum':7.5}");
    expect(fixture, "-5", 0);
    expect(fixture, "-4.99", 1);
    expect(fixture, "7.5", 0);
    expect(fixture, "7.4999999999999999999999", 1);
}

static void exclusive_integer_bounds(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{'exclusiveMinimum':-5,'exclusiveMaximum':7}");
    expect(fixture, "-5", 0);
    expect(fixture, "-5.0", 0);
    expect(fixture, "-4.99", 1);
    expect(fixture, "-4", 1);
    expect(fixture, "6", 1);
    expect(fixture, "6.99", 1);
    expect(fixture, "7", 0);
    expect(fixture, "7.0", 0);
    expect(fixture, "70e-1", 0);
    schema_fixture_use(fixture, "{'exclusiveMaximum':-9223372036854775808}");
    expect(fixture, "-9223372036854775808", 0);
    expect(fixture, "-9223372036854775809", 1);
    schema_fixture_use(fixture, "{'exclusiveMinimum':9223372036854775807}");
    expect(fixture, "9223372036854775807", 0);
    expect(fixture, "9223372036854775808", 1);
}

/* Digits behind the point that are few enough for a machine word, and those that just are not. */
static void integer_bounds_of_decimals(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct schema_verdict_case cases[] = {
        {"{'minimum':0,'maximum':1}", "0.734", 1},
        {"{'minimum':0,'maximum':1}", "-0.1", 0},
        {"{'minimum':0,'maximum':1}", "-0.0", 1},
        {"{'minimum':0,'maximum':1}", "1.0", 1},
        {"{'minimum':0,'maximum':1}", "1.000000000000000001", 0},
        {"{'minimum':0,'maximum':1}", "1.0000000000000000001", 0},
        {"{'minimum':0,'maximum':1}", "0.999999999999999999", 1},
        {"{'minimum':0,'maximum':1}", "0.9999999999999999999", 1},
        {"{'exclusiveMinimum':0,'exclusiveMaximum':1}", "0.0", 0},
        {"{'exclusiveMinimum':0,'exclusiveMaximum':1}", "1.0", 0},
        {"{'exclusiveMinimum':0,'exclusiveMaximum':1}", "0.000000000000000001", 1},
        {"{'exclusiveMinimum':0,'exclusiveMaximum':1}", "0.999999999999999999", 1},
        /* a bound that is not there, and one that is too far */
        {"{'minimum':0}", "922337203685477580.6", 1},
        {"{'minimum':0}", "1844674407370955161.5", 1},
        {"{'maximum':0}", "922337203685477580.6", 0},
        {"{'maximum':0}", "-922337203685477580.6", 1},
        {"{'maximum':0}", "-1844674407370955161.5", 1},
        {"{'minimum':9223372036854775807}", "922337203685477580.6", 0},
        {"{'minimum':9223372036854775807}", "922337203685477580.7", 0},
        {"{'maximum':-9223372036854775808}", "-922337203685477580.6", 0},
        {"{'maximum':-9223372036854775808}", "-922337203685477580.7", 0},
        {"{'exclusiveMaximum':922337203685477581}", "922337203685477580.6", 1},
        {"{'exclusiveMaximum':922337203685477580}", "922337203685477580.6", 0},
        {"{'exclusiveMinimum':-922337203685477581}", "-922337203685477580.6", 1},
        {"{'exclusiveMinimum':-922337203685477580}", "-922337203685477580.6", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        schema_fixture_use(fixture, cases[i].schema);
        expect(fixture, cases[i].instance, cases[i].verdict);
    }
}

/* The same question behind another one and as the last of a list. */
static void questions_in_a_row(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{'type':'string','enum':['aa','ab','bb','a','abcdefghi'],'minLength':2,'maxLength':8,"
        "'pattern':'^a','allOf':[{'enum':['ab','aa','bb','abcdefghi']},{'const':'ab'}]}");
    expect(fixture, "'ab'", 1);
    expect(fixture, "'aa'", 0);
    expect(fixture, "'bb'", 0);
    expect(fixture, "'a'", 0);
    expect(fixture, "'abcdefghi'", 0);
    schema_fixture_use(
        fixture,
        "{'minimum':0,'maximum':9,'allOf':[{'minimum':0.5},{'maximum':8},{'type':'integer'}]}");
    expect(fixture, "8", 1);
    expect(fixture, "8.0", 1);
    expect(fixture, "8.5", 0);
    expect(fixture, "9", 0);
    expect(fixture, "0", 0);
    schema_fixture_use(fixture, "{'const':true,'not':{'const':false}}");
    expect(fixture, "true", 1);
    expect(fixture, "false", 0);
}

static void multiples(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{'multipleOf':3}");
    expect(fixture, "0", 1);
    expect(fixture, "-0", 1);
    expect(fixture, "42", 1);
    expect(fixture, "-42", 1);
    expect(fixture, "43", 0);
    expect(fixture, "-43", 0);
    expect(fixture, "4.5", 0);
    expect(fixture, "3.0", 1);
    expect(fixture, "3e2", 1);
    expect(fixture, "18446744073709551615", 1);
    expect(fixture, "18446744073709551614", 0);
    expect(fixture, "300000000000000000000000000000", 1);
    expect(fixture, "300000000000000000000000000001", 0);
    schema_fixture_use(fixture, "{'multipleOf':0.5}");
    expect(fixture, "3", 1);
    expect(fixture, "3.5", 1);
    expect(fixture, "3.25", 0);
    schema_fixture_use(fixture, "{'multipleOf':3e2}");
    expect(fixture, "600", 1);
    expect(fixture, "300e1", 1);
    expect(fixture, "603", 0);
    schema_fixture_use(fixture, "{'multipleOf':100000000000000000000}");
    expect(fixture, "0", 1);
    expect(fixture, "5", 0);
    expect(fixture, "300000000000000000000", 1);
}

static void contains(void **state)
{
    struct schema_fixture *fixture = *state;
    for (int min = 0; min <= 3; min++) {
        for (int max = 0; max <= 3; max++) {
            char schema[96];
            snprintf(
                schema,
                sizeof(schema),
                "{'contains':{'minimum':1},'minContains':%d,'maxContains':%d}",
                min,
                max);
            schema_fixture_use(fixture, schema);
            expect(fixture, "[]", min == 0);
            expect(fixture, "[0,0]", min == 0);
            expect(fixture, "[0,1]", min <= 1 && max >= 1);
            expect(fixture, "[1,0,1]", min <= 2 && max >= 2);
            expect(fixture, "[1,1,1,0]", min <= 3 && max >= 3);
        }
    }
}

static void tuples(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture, "{'prefixItems':[{'type':'null'},{'minimum':1}],'items':{'type':'string'}}");
    expect(fixture, "[]", 1);
    expect(fixture, "[null]", 1);
    expect(fixture, "[null,1,'a','b']", 1);
    expect(fixture, "[null,0]", 0);
    expect(fixture, "[null,1,'a',1]", 0);
    schema_fixture_use(fixture, "{'prefixItems':[{'type':'null'}]}");
    expect(fixture, "[null,[],{}]", 1);
    expect(fixture, "[1]", 0);
}

/* One and two names have an operation of their own when nothing else is said. */
static void objects_with_few_names(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{'properties':{'name is long':{'minimum':1}},'required':['b']}");
    expect(fixture, "{'b':null}", 1);
    expect(fixture, "{'x':1,'name is long':1,'y':2,'b':[],'z':3}", 1);
    expect(fixture, "{'b':1,'name is long':0}", 0);
    expect(fixture, "{'name is long':1}", 0);
    expect(fixture, "{'name is lonk':0,'b':1}", 1);
    expect(fixture, "{}", 0);
    schema_fixture_use(fixture, "{'required':['']}");
    expect(fixture, "{'':1}", 1);
    expect(fixture, "{'a':1}", 0);
}

static void objects_with_patterns(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{'properties':{'ab':{'minimum':1}},'patternProperties':{'^a':{'maximum':5},'b$':{'"
        "multipleOf':2}},"
        "'additionalProperties':{'type':'null'},'required':['r']}");
    expect(fixture, "{'r':null}", 1);
    expect(fixture, "{'r':1}", 0);
    expect(fixture, "{'r':null,'ab':4}", 1);
    expect(fixture, "{'r':null,'ab':3}", 0);
    expect(fixture, "{'r':null,'ab':6}", 0);
    expect(fixture, "{'r':null,'ab':0}", 0);
    expect(fixture, "{'r':null,'a':-3,'b':2,'c':null}", 1);
    expect(fixture, "{'r':null,'c':1}", 0);
}

static void dependencies(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{'dependentRequired':{'a':['b','c']},'dependentSchemas':{'d':{'maxProperties':2},'e':"
        "false}}");
    expect(fixture, "{'b':1}", 1);
    expect(fixture, "{'c':1,'b':1,'a':1}", 1);
    expect(fixture, "{'c':1,'a':1}", 0);
    expect(fixture, "{'d':1,'b':1}", 1);
    expect(fixture, "{'d':1,'b':1,'c':1}", 0);
    expect(fixture, "{'e':1}", 0);
}

/* A verdict that is remembered is for this schema, this value and this round only. */
static void what_is_remembered(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{'$defs':{'x':{'anyOf':[{'required':['a'],'maxProperties':1},{'required':['b'],'"
        "maxProperties':1}]},"
        "'y':{'oneOf':[{'$ref':'#/$defs/x'},{'required':['c']}]}},"
        "'items':{'allOf':[{'$ref':'#/$defs/y'},{'anyOf':[{'$ref':'#/$defs/x'},{'$ref':'#/$defs/"
        "y'}]},"
        "{'not':{'allOf':[{'$ref':'#/$defs/x'},{'required':['c']}]}}]}}");
    for (int i = 0; i < 3; i++) {
        expect(fixture, "[{'a':1},{'b':1},{'c':1},{'c':1,'a':2}]", 1);
        expect(fixture, "[{'a':1},{'b':1},{'c':1},{'d':1}]", 0);
        expect(fixture, "[{'d':1}]", 0);
        expect(fixture, "[{'a':1}]", 1);
    }
}

/* An error ends everything, also where a failure would have been a success. */
static void errors_are_not_verdicts(void **state)
{
    struct schema_fixture *fixture = *state;
    static const char *const schemas[] = {
        "{'not':{'$ref':'#/$defs/endless'}}",
        "{'if':{'$ref':'#/$defs/endless'},'else':false}",
        "{'anyOf':[{'$ref':'#/$defs/endless'},true]}",
        "{'anyOf':[{'$ref':'#/$defs/endless'},{'minItems':1}]}",
        "{'oneOf':[{'$ref':'#/$defs/endless'},{'minItems':1}]}",
        "{'oneOf':[true,{'$ref':'#/$defs/endless'},{'maxItems':0}]}",
        "{'contains':{'$ref':'#/$defs/endless'},'minContains':0,'maxContains':5}",
        "{'items':{'not':{'not':{'$ref':'#/$defs/endless'}}}}",
    };
    for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
        char schema[256];
        size_t size = strlen(schemas[i]) - 1;
        snprintf(
            schema,
            sizeof(schema),
            "%.*s,'$defs':{'endless':{'allOf':[{'$ref':'#/$defs/endless'}]}}}",
            (int)size,
            schemas[i]);
        schema_fixture_use(fixture, schema);
        /* a choice with an alternative that always fits asks the others for nothing */
        int expected = strstr(schema, ",true]") ? 1 : -ELOOP;
        struct jsv_value value = schema_fixture_read(fixture, "[1,2]");
        assert_int_equal(jsv_validate(fixture->validator, fixture->schema, value), expected);
    }
}

static int verdict_within(struct schema_fixture *fixture, struct jsv_value value, uint64_t steps)
{
    struct jsv_validator_limits limits = {.steps_max = steps};
    struct jsv_validator *validator = jsv_validator_new(NULL, &limits);
    assert_non_null(validator);
    int verdict = jsv_validate(validator, fixture->schema, value);
    jsv_validator_free(validator);
    return verdict;
}

/* Whatever runs out of steps says so; with more of them comes the verdict, and it stays. */
static void budgets_of_all_sizes(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct schema_verdict_case cases[] = {
        {"{'type':'integer'}", "1.0", 1},
        {"{'maximum':7}", "6.5", 1},
        {"{'maximum':7,'type':'number','not':{'minimum':6.5}}", "6.5", 0},
        {"{'minimum':0.5}", "0.734", 1},
        {"{'minimum':0.5,'not':{'const':2}}", "0.734", 1},
        {"{'multipleOf':0.01}", "0.75", 1},
        {"{'const':[1,2,3,4]}", "[1,2,3,4]", 1},
        {"{'pattern':'a'}", "'bab'", 1},
        {"{'pattern':'a','not':{'pattern':'(?=b)'}}", "'bab'", 0},
        {"{'format':'date'}", "'2026-01-01'", 1},
        {"{'if':{'minimum':5},'then':{'maximum':6},'else':{'multipleOf':2}}", "4", 1},
        {"{'anyOf':[{'minimum':5},{'maximum':3}]}", "2", 1},
        {"{'anyOf':[{'minimum':5},{'maximum':3}],'not':{'const':3}}", "2", 1},
        {"{'oneOf':[true,{'minimum':5},{'maximum':3}]}", "2", 0},
        {"{'uniqueItems':true}", "[1,2,3,1]", 0},
        {"{'prefixItems':[{'minimum':1}],'items':{'minimum':2}}", "[1,2,3]", 1},
        {"{'contains':{'minimum':3}}", "[1,2,3]", 1},
        {"{'items':{'minimum':1},'contains':{}}", "[1,2,3]", 1},
        {"{'properties':{'a':{'minimum':2},'b':{}},'required':['a'],'minProperties':1}",
         "{'b':1,'a':1}",
         0},
        {"{'properties':{'a':{'minimum':2},'b':{},'c':{}},'not':{'required':['d']}}",
         "{'b':1,'a':2}",
         1},
        {"{'patternProperties':{'a':{'minimum':2}}}", "{'ab':1}", 0},
        {"{'propertyNames':{'maxLength':2}}", "{'abc':1}", 0},
        {"{'dependentRequired':{'a':['b']}}", "{'a':1,'c':2,'d':3,'e':4}", 0},
        {"{'dependentSchemas':{'a':{'required':['c']}}}", "{'a':1,'c':2,'d':3,'e':4}", 1},
        {"{'properties':{'a':{'$ref':'#'}},'allOf':[{'$ref':'#/$defs/b'}],"
         "'$defs':{'b':{'allOf':[{'$ref':'#'}],'maxProperties':0}}}",
         "1",
         -ELOOP},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture->options.assert_format = true;
        schema_fixture_use(fixture, cases[i].schema);
        struct jsv_value value = schema_fixture_read(fixture, cases[i].instance);
        uint64_t steps = 1;
        while (steps < 100 && verdict_within(fixture, value, steps) == -ELOOP) {
            steps++;
        }
        if (steps == 1) {
            fail_msg("%s takes no steps", cases[i].schema);
        }
        for (uint64_t more = 0; more < 10; more++) {
            int verdict = verdict_within(fixture, value, steps + more);
            if (verdict != cases[i].verdict) {
                fail_msg("%s within %d: %d", cases[i].schema, (int)(steps + more), verdict);
            }
        }
    }
}

/* ---- both ways, on schemas made at random ---- */

static const char *const pieces[] = {
    "{\"type\":\"integer\"}",
    "{\"type\":[\"string\",\"object\"]}",
    "{\"minimum\":2}",
    "{\"maximum\":3.5}",
    "{\"multipleOf\":2}",
    "{\"const\":1}",
    "{\"enum\":[1,\"a\",null,[1],{\"a\":1}]}",
    "{\"minLength\":2}",
    "{\"maxLength\":2}",
    "{\"pattern\":\"^a\"}",
    "{\"minItems\":2}",
    "{\"maxItems\":1}",
    "{\"uniqueItems\":true}",
    "{\"required\":[\"a\"]}",
    "{\"minProperties\":2}",
    "{\"maxProperties\":1}",
    "{\"dependentRequired\":{\"a\":[\"b\"]}}",
    "true",
    "false",
    "{}",
    "{\"unevaluatedProperties\":false}",
    "{\"unevaluatedItems\":false}",
};

static void append_schema(struct jsv_buf *out, uint64_t *random, int depth)
{
    static const char *const one[] = {
        "{\"not\":",
        "{\"items\":",
        "{\"contains\":",
        "{\"propertyNames\":",
        "{\"additionalProperties\":",
        "{\"properties\":{\"a\":",
        "{\"patternProperties\":{\"b\":",
        "{\"unevaluatedProperties\":",
        "{\"unevaluatedItems\":",
        "{\"dependentSchemas\":{\"a\":",
        "{\"minContains\":2,\"contains\":",
    };
    static const char *const lists[] = {
        "{\"allOf\":[", "{\"anyOf\":[", "{\"oneOf\":[", "{\"prefixItems\":["};
    uint64_t kind = depth > 0 ? random_below(random, 5) : 0;
    if (kind == 0) {
        jsv_buf_append_str(
            out, jsv_str_from(pieces[random_below(random, sizeof(pieces) / sizeof(pieces[0]))]));
    } else if (kind == 1) {
        const char *open = one[random_below(random, sizeof(one) / sizeof(one[0]))];
        jsv_buf_append_str(out, jsv_str_from(open));
        append_schema(out, random, depth - 1);
        jsv_buf_append_str(out, strstr(open, ":{") ? JSV_STR("}}") : JSV_STR("}"));
    } else if (kind == 2) {
        static const char *const parts[] = {"{\"if\":", ",\"then\":", ",\"else\":"};
        for (size_t i = 0; i < 3; i++) {
            jsv_buf_append_str(out, jsv_str_from(parts[i]));
            append_schema(out, random, depth - 1);
        }
        jsv_buf_append_byte(out, '}');
    } else {
        jsv_buf_append_str(out, jsv_str_from(lists[random_below(random, 4)]));
        for (uint64_t i = 0, count = 2 + random_below(random, 2); i < count; i++) {
            jsv_buf_append_str(out, i ? JSV_STR(",") : JSV_STR(""));
            append_schema(out, random, depth - 1);
        }
        bool more = random_below(random, 2);
        jsv_buf_append_str(out, more ? JSV_STR("],\"items\":") : JSV_STR("]}"));
        if (more) {
            append_schema(out, random, 0);
            jsv_buf_append_byte(out, '}');
        }
    }
}

static void at_random(void **state)
{
    struct schema_fixture *fixture = *state;
    static const char *const instances[] = {
        "null",
        "true",
        "1",
        "2",
        "3.5",
        "-4",
        "'a'",
        "'ab'",
        "'bbb'",
        "''",
        "[]",
        "[1]",
        "[1,1]",
        "[1,2,'a']",
        "[[1],[1]]",
        "{}",
        "{'a':1}",
        "{'b':2}",
        "{'a':1,'b':2}",
        "{'a':{'a':1},'bb':[1]}",
    };
    enum {
        INSTANCES = sizeof(instances) / sizeof(instances[0])
    };
    struct jsv_value values[INSTANCES];
    for (size_t i = 0; i < INSTANCES; i++) {
        values[i] = schema_fixture_read(fixture, instances[i]);
    }
    uint64_t random = 11;
    size_t valid = 0;
    for (int round = 0; round < 2000; round++) {
        struct jsv_buf schema;
        jsv_buf_init(&schema, NULL, SIZE_MAX);
        append_schema(&schema, &random, 4);
        fixture->options.skip_meta = true;
        assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
        jsv_buf_done(&schema);
        for (size_t i = 0; i < INSTANCES; i++) {
            valid += schema_fixture_verdict(fixture, values[i]) == 1;
        }
    }
    assert_true(valid > 2000 * INSTANCES / 10 && valid < 2000 * INSTANCES * 9 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(lengths),
        SCHEMA_TEST(integer_bounds),
        SCHEMA_TEST(exclusive_integer_bounds),
        SCHEMA_TEST(integer_bounds_of_decimals),
        SCHEMA_TEST(questions_in_a_row),
        SCHEMA_TEST(multiples),
        SCHEMA_TEST(contains),
        SCHEMA_TEST(tuples),
        SCHEMA_TEST(objects_with_few_names),
        SCHEMA_TEST(objects_with_patterns),
        SCHEMA_TEST(dependencies),
        SCHEMA_TEST(what_is_remembered),
        SCHEMA_TEST(errors_are_not_verdicts),
        SCHEMA_TEST(budgets_of_all_sizes),
        SCHEMA_TEST(at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
