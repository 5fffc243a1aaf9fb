/*
 * Alternatives that are told apart by a look at an object's members: that the
 * look finds what there is to be found, and never says more than the
 * alternatives themselves do.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "jsv/schema/program/program.h"
#include "support/random.h"
#include "support/schema_fixture.h"

/* The choice that the root begins with for objects. */
static const struct jsv_choice *root_choice(const struct schema_fixture *fixture)
{
    const struct jsv_program *program = fixture->schema->program;
    const struct jsv_op *op = program->root->op[JSV_TYPE_OBJECT];
    assert_true(
        op->code == JSV_OP_ANY_OF || op->code == JSV_OP_ONE_OF || op->code == JSV_OP_NONE_OF);
    return op->data;
}

/* What is known of a member; NULL when it tells nothing apart. */
static const struct jsv_choice_name *entry(const struct jsv_choice *choice, const char *name)
{
    struct jsv_key key = jsv_key_from(jsv_str_from(name));
    const struct jsv_name_slot *slot =
        choice->names ? jsv_names_slot_of(choice->names, &key) : NULL;
    return slot ? &choice->entries[slot->at] : NULL;
}

static uint64_t by_string(const struct jsv_choice_name *name, const char *string)
{
    struct jsv_key key = jsv_key_from(jsv_str_from(string));
    const struct jsv_name_slot *slot = jsv_names_slot_of(name->strings, &key);
    return slot ? name->by_string[slot->at] : name->other_strings;
}

static void members_that_decide(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{'anyOf':["
        "{'properties':{'m':{'const':'a'},'x':{'type':'string'}},'required':['m']},"
        "{'properties':{'m':{'enum':['b','c']},'x':{'type':'number'}},'required':['m','y']},"
        "{'properties':{'m':{'type':'string'},'same':{}},'required':['z']}]}");
    const struct jsv_choice *choice = root_choice(fixture);
    assert_int_equal(choice->count, 3);
    const struct jsv_choice_name *m = entry(choice, "m");
    assert_non_null(m);
    assert_int_equal(m->without, 4);
    assert_int_equal(by_string(m, "a"), 1 | 4);
    assert_int_equal(by_string(m, "b"), 2 | 4);
    assert_int_equal(by_string(m, "c"), 2 | 4);
    assert_int_equal(by_string(m, "d"), 4);
    assert_null(entry(choice, "x"));
    assert_int_equal(entry(choice, "y")->without, 1 | 4);
    assert_int_equal(entry(choice, "z")->without, 1 | 2);
    assert_null(entry(choice, "same"));
    assert_null(entry(choice, "other"));
}

static void nothing_decides(void **state)
{
    struct schema_fixture *fixture = *state;
    static const char *const schemas[] = {
        "{'anyOf':[{'minProperties':1},{'maxProperties':5}]}",
        "{'anyOf':[{'properties':{'a':{}}},{'properties':{'b':{'minLength':2}}}]}",
    };
    for (size_t i = 0; i < 2; i++) {
        schema_fixture_use(fixture, schemas[i]);
        assert_null(root_choice(fixture)->names);
        schema_fixture_expect(fixture, "{'a':1}", NULL);
    }
}

/* What every alternative demands alike tells nothing apart, and is still demanded. */
static void what_all_demand(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{'anyOf':["
        "{'properties':{'v':{'const':'2'},'m':{'const':'a'}},'required':['v','m']},"
        "{'properties':{'v':{'const':'2'},'m':{'const':'b'}},'required':['v','m','x']}]}");
    const struct jsv_choice *choice = root_choice(fixture);
    assert_null(entry(choice, "v"));
    assert_int_equal(by_string(entry(choice, "m"), "a"), 1);
    assert_int_equal(entry(choice, "x")->without, 1);
    static const struct {
        const char *instance;
        int verdict;
    } cases[] = {
        {"{'v':'2','m':'a'}", 1},
        {"{'m':'a','v':'3'}", 0},
        {"{'m':'a'}", 0},
        {"{'m':'b','x':1,'v':'2'}", 1},
        {"{'m':'b','v':'2'}", 0},
        {"{'m':'c','v':'2','x':1}", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct jsv_value instance = schema_fixture_read(fixture, cases[i].instance);
        assert_int_equal(schema_fixture_verdict(fixture, instance), cases[i].verdict);
    }
}

/* Targets of references and nested schemas count as well. */
static void facts_from_further_away(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{'oneOf':[{'$ref':'#/$defs/a','minProperties':1,'maxProperties':9},"
        "{'allOf':[{'$ref':'#/$defs/b'}],'propertyNames':{'maxLength':9},'minProperties':1}],"
        "'$defs':{"
        "'a':{'allOf':[{'$ref':'#/$defs/tag'},{'properties':{'k':{'const':'a'}}},"
        "{'properties':{'q':{}}},{'properties':{'r':{}}}]},"
        "'b':{'required':['k'],'properties':{'k':{'const':'b'}}},"
        "'tag':{'required':['k'],'properties':{'k':{'type':'string'}}}}}");
    const struct jsv_choice_name *k = entry(root_choice(fixture), "k");
    assert_int_equal(k->without, 0);
    assert_int_equal(by_string(k, "a"), 1);
    assert_int_equal(by_string(k, "b"), 2);
    assert_int_equal(by_string(k, "c"), 0);
}

static void choices_of_all_kinds(void **state)
{
    static const struct schema_case cases[] = {
        {SCHEMA_6_ON, "{'oneOf':[{'required':['a']},{'required':['b']}]}", "{'a':1}", NULL},
        {SCHEMA_6_ON,
         NULL,
         "{'a':1,'b':2}",
         ": matches more than one alternative (0 and 1) (oneOf /oneOf)"},
        {SCHEMA_6_ON, NULL, "{}", ": missing property 'a' or missing property 'b' (oneOf /oneOf)"},
        {SCHEMA_6_ON, "{'oneOf':[true,{'required':['a']},{'required':['b']}]}", "{}", NULL},
        {SCHEMA_6_ON, NULL, "{'c':1}", NULL},
        {SCHEMA_6_ON,
         NULL,
         "{'a':1}",
         ": matches more than one alternative (0 and 1) (oneOf /oneOf)"},
        {SCHEMA_6_ON,
         NULL,
         "{'b':1,'a':1}",
         ": matches more than one alternative (0 and 1) (oneOf /oneOf)"},
        {SCHEMA_6_ON,
         "{'anyOf':[{'properties':{'k':{'const':'a'}},'required':['k']},{'properties':{'k':{'const'"
         ":'b'},'x':{'minimum':5}},'required':['k']}]}",
         "{'k':'b','x':5}",
         NULL},
        {SCHEMA_6_ON,
         NULL,
         "{'x':4,'k':'b'}",
         "/x: must be at least 5 (minimum /anyOf/1/properties/x/minimum)"},
        {SCHEMA_6_ON, NULL, "{'k':null}", "/k: expected one of 'a', 'b' (anyOf /anyOf)"},
    };
    SCHEMA_RUN(*state, cases);
}

/* 64 alternatives take all the bits there are; 64 names, too. */
static void all_the_bits(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf schema;
    jsv_buf_init(&schema, NULL, SIZE_MAX);
    for (int i = 0; i < 64; i++) {
        char text[128];
        int size = snprintf(
            text,
            sizeof(text),
            "%s{\"required\":[\"n%d\"],\"properties\":{\"m%d\":{\"const\":\"v\"},\"k\":{\"const\":"
            "\"%d\"}}}",
            i ? "," : "{\"anyOf\":[",
            i,
            i,
            i);
        jsv_buf_append(&schema, text, (size_t)size);
    }
    jsv_buf_append_str(&schema, JSV_STR("]}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    jsv_buf_done(&schema);
    assert_int_equal(root_choice(fixture)->names->count, 64);
    for (int i = 0; i < 64; i += 9) {
        char text[96];
        snprintf(text, sizeof(text), "{'n%d':1,'k':'%d','m%d':'v'}", i, i, i);
        assert_int_equal(schema_fixture_verdict(fixture, schema_fixture_read(fixture, text)), 1);
        snprintf(text, sizeof(text), "{'n%d':1,'k':'%d'}", i, i + 1);
        assert_int_equal(schema_fixture_verdict(fixture, schema_fixture_read(fixture, text)), 0);
        snprintf(text, sizeof(text), "{'n%d':1,'m%d':'w'}", i, i);
        assert_int_equal(schema_fixture_verdict(fixture, schema_fixture_read(fixture, text)), 0);
    }
}

/* Where preparing would cost too much, choices are made the long way, and rightly. */
static void choices_that_cost_too_much(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf schema;
    jsv_buf_init(&schema, NULL, SIZE_MAX);
    jsv_buf_append_str(&schema, JSV_STR("{\"$defs\":{"));
    for (char side = 'a'; side <= 'b'; side++) {
        char text[64];
        int size = snprintf(
            text, sizeof(text), "\"%c\":{\"properties\":{\"k\":{\"enum\":[\"%c\"", side, side);
        jsv_buf_append(&schema, text, (size_t)size);
        for (int i = 0; i < 3000; i++) {
            size = snprintf(text, sizeof(text), ",\"%c%d\"", side, i);
            jsv_buf_append(&schema, text, (size_t)size);
        }
        jsv_buf_append_str(&schema, JSV_STR("]}}},"));
    }
    jsv_buf_append_str(&schema, JSV_STR("\"c\":true},\"allOf\":[{}"));
    for (int i = 0; i < 30; i++) {
        jsv_buf_append_str(
            &schema, JSV_STR(",{\"anyOf\":[{\"$ref\":\"#/$defs/a\"},{\"$ref\":\"#/$defs/b\"}]}"));
    }
    jsv_buf_append_str(&schema, JSV_STR("]}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    jsv_buf_done(&schema);
    for (int i = 0; i < 3000; i += 97) {
        char text[32];
        snprintf(text, sizeof(text), "{'k':'a%d'}", i);
        assert_int_equal(schema_fixture_verdict(fixture, schema_fixture_read(fixture, text)), 1);
        snprintf(text, sizeof(text), "{'k':'b%d'}", 2999 - i);
        assert_int_equal(schema_fixture_verdict(fixture, schema_fixture_read(fixture, text)), 1);
        snprintf(text, sizeof(text), "{'k':'c%d'}", i);
        assert_int_equal(schema_fixture_verdict(fixture, schema_fixture_read(fixture, text)), 0);
    }
}

static void append_random_alternative(struct jsv_buf *schema, uint64_t *random)
{
    static const char *const values[] = {
        "{\"const\":\"a\"}",
        "{\"enum\":[\"a\",\"b\"]}",
        "{\"enum\":[\"b\",1,null]}",
        "{\"type\":\"string\"}",
        "{\"type\":\"number\"}",
        "{}",
        "{\"minLength\":1}",
        "false",
        "{\"type\":[\"null\",\"object\"]}",
        "{\"const\":{\"a\":\"b\"}}",
        "{\"required\":[\"a\"]}",
    };
    jsv_buf_append_str(schema, JSV_STR("{\"properties\":{\"_\":true"));
    for (char name = 'a'; name <= 'd'; name++) {
        if (random_below(random, 2)) {
            const char *value = values[random_below(random, sizeof(values) / sizeof(values[0]))];
            char text[64];
            int size = snprintf(text, sizeof(text), ",\"%c\":%s", name, value);
            jsv_buf_append(schema, text, (size_t)size);
        }
    }
    jsv_buf_append_str(schema, JSV_STR("},\"required\":["));
    bool first = true;
    for (char name = 'a'; name <= 'd'; name++) {
        if (random_below(random, 3) == 0) {
            char text[] = {',', '"', name, '"', '\0'};
            jsv_buf_append_str(schema, jsv_str_from(text + first));
            first = false;
        }
    }
    jsv_buf_append_str(
        schema,
        random_below(random, 4) ? JSV_STR("]}") : JSV_STR("],\"additionalProperties\":false}"));
}

/* Against the report, on alternatives and objects made at random. */
static void at_random(void **state)
{
    struct schema_fixture *fixture = *state;
    static const char *const values[] = {"'a'", "'b'", "''", "1", "null", "{}", "{'a':'b'}", "[]"};
    uint64_t random = 3;
    size_t valid = 0;
    for (int round = 0; round < 150; round++) {
        struct jsv_buf schema;
        jsv_buf_init(&schema, NULL, SIZE_MAX);
        bool one = random_below(&random, 2);
        bool demands = random_below(&random, 2);
        jsv_buf_append_str(&schema, demands ? JSV_STR("{\"required\":[\"b\"],") : JSV_STR("{"));
        jsv_buf_append_str(&schema, one ? JSV_STR("\"oneOf\":[") : JSV_STR("\"anyOf\":["));
        for (uint64_t i = 0, count = 2 + random_below(&random, 4); i < count; i++) {
            jsv_buf_append_str(&schema, i ? JSV_STR(",") : JSV_STR(""));
            append_random_alternative(&schema, &random);
        }
        jsv_buf_append_str(&schema, JSV_STR("]}"));
        fixture->options.skip_meta = true;
        assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
        jsv_buf_done(&schema);
        for (int i = 0; i < 30; i++) {
            char text[128] = "{";
            size_t size = 1;
            for (char name = 'a'; name <= 'd'; name++) {
                if (random_below(&random, 3)) {
                    size += (size_t)snprintf(
                        text + size,
                        sizeof(text) - size,
                        "%s'%c':%s",
                        size > 1 ? "," : "",
                        name,
                        values[random_below(&random, sizeof(values) / sizeof(values[0]))]);
                }
            }
            snprintf(text + size, sizeof(text) - size, "}");
            valid += schema_fixture_verdict(fixture, schema_fixture_read(fixture, text)) == 1;
        }
    }
    assert_true(valid > 300 && valid < 4000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(members_that_decide),
        SCHEMA_TEST(nothing_decides),
        SCHEMA_TEST(what_all_demand),
        SCHEMA_TEST(facts_from_further_away),
        SCHEMA_TEST(choices_of_all_kinds),
        SCHEMA_TEST(all_the_bits),
        SCHEMA_TEST(choices_that_cost_too_much),
        SCHEMA_TEST(at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
