/* Prechecks save steps and change no report: the fixture compares the reports with and without. */
#include <errno.h>

#include "jsv/schema/report/explain.h"
#include "jsv/schema/report/precheck.h"
#include "support/count_of.h"
#include "support/json_fixture.h"
#include "support/schema_fixture.h"

#define MANY 200

/* [{"a":"x"}, … , last] */
static struct jsv_value read_many(struct schema_fixture *fixture, const char *last)
{
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    for (int i = 0; i < MANY; i++) {
        json_fixture_print(&text, "%s{\"a\":\"x\"}", i ? "," : "[");
    }
    json_fixture_print(&text, ",%s]", last);
    struct jsv_value value = schema_fixture_read_str(fixture, jsv_buf_str(&text));
    jsv_buf_done(&text);
    return value;
}

/* The steps are too few to explain every element, but enough to check them. */
static void valid_elements_are_not_explained(void **state)
{
    static const struct jsv_validator_limits limits = {.steps_max = 2 * MANY + 200};
    struct schema_fixture *fixture = *state;
    fixture->limits = &limits;
    schema_fixture_use(
        fixture,
        "{'items':{'required':['a'],'minProperties':1,'maxProperties':3,"
        "'properties':{'a':{'minLength':1,'maxLength':3}}}}");
    struct jsv_value value = read_many(fixture, "{\"a\":\"\"}");
    struct jsv_problems problems;
    assert_int_equal(
        jsv_explain_report(fixture->schema, value, fixture->validator, false, &problems), -ELOOP);
    assert_int_equal(
        jsv_explain_report(fixture->schema, value, fixture->validator, true, &problems), 0);
    assert_int_equal(problems.count, 1);
    assert_true(jsv_str_equal(problems.items[0].path, JSV_STR("/200/a")));
}

static void a_valid_document_is_not_explained(void **state)
{
    static const struct jsv_validator_limits limits = {.steps_max = 2 * MANY + 200};
    struct schema_fixture *fixture = *state;
    fixture->limits = &limits;
    schema_fixture_use(fixture, "{'items':{'properties':{'a':{'minLength':1,'maxLength':3}}}}");
    struct jsv_value value = read_many(fixture, "{}");
    struct jsv_problems problems;
    assert_int_equal(jsv_validate_report(fixture->validator, fixture->schema, value, &problems), 1);
    assert_int_equal(problems.count, 0);
}

static void budget_grows_with_the_document(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_value small = schema_fixture_read(fixture, "1");
    struct jsv_value large = read_many(fixture, "1");
    assert_true(jsv_precheck_budget(small.node) >= 10000);
    assert_true(jsv_precheck_budget(large.node) >= jsv_precheck_budget(small.node) + 4 * MANY);
}

static void without_budget_everything_is_explained(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{'items':{'type':'integer'}}");
    struct jsv_explain x = {.precheck_left = 1};
    assert_true(jsv_precheck_can(&x, fixture->schema->root));
    x.precheck_left = 0;
    assert_false(jsv_precheck_can(&x, fixture->schema->root));
    x.precheck_left = 1;
    struct jsv_subschema shapeless = *fixture->schema->root;
    shapeless.shape = 0;
    assert_false(jsv_precheck_can(&x, &shapeless));
}

/* "name":[text, … ] */
static void print_many(struct jsv_buf *out, const char *name, const char *text, int count)
{
    for (int i = 0; i < count; i++) {
        json_fixture_print(out, "%s\"%s\"", i ? "," : name, text);
    }
    json_fixture_print(out, "]");
}

/*
 * Verdicts remembered before the steps ran out must not make an invalid value
 * valid later, as `not` would.
 */
static void doubtful_verdicts_are_discarded(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    print_many(&text, "{\"z\":[", "x", 100);
    print_many(&text, ",\"a\":{\"m\":[", "ac", 200);
    text.size--;
    print_many(&text, ",\"ad\",\"no\"],\"k\":[", "x", 100);
    json_fixture_print(&text, "}}");
    bool reported[2] = {false, false};
    for (uint64_t steps = 400; steps < 1000; steps++) {
        const struct jsv_validator_limits limits = {.steps_max = steps};
        fixture->limits = &limits;
        schema_fixture_use(
            fixture,
            "{'propertyNames':{'allOf':[{'maxLength':9},{'maxLength':8},{'maxLength':7},"
            "{'maxLength':6},{'maxLength':5},{'maxLength':4},{'maxLength':3},{'maxLength':2}]},"
            "'properties':{'z':{'type':'array','items':{'pattern':'^(x|y)$'}},"
            "'a':{'anyOf':[{'properties':{'m':{'anyOf':["
            "{'type':'array','items':{'pattern':'^(a|b)c'}},"
            "{'type':'array','items':{'pattern':'^(a|c)d'}}]}}},"
            "{'properties':{'k':{'type':'array','items':{'pattern':'^(x|y)$'}}}}]}},"
            "'patternProperties':{'^a':{'not':{'$ref':'#/properties/a'}}}}");
        struct jsv_value value = schema_fixture_read_str(fixture, jsv_buf_str(&text));
        struct jsv_problems problems;
        int r = jsv_explain_report(fixture->schema, value, fixture->validator, true, &problems);
        assert_true(r == 0 || r == -ELOOP);
        reported[r == 0] = true;
    }
    assert_true(reported[false] && reported[true]);
    jsv_buf_done(&text);
}

/* A check that ran out of steps does not mark children as valid. */
static void doubtful_children_are_checked_again(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    print_many(&text, "{\"o\":{\"a\":[", "x", 100);
    json_fixture_print(&text, ",\"b\":\"y\",\"c\":1}}");
    bool reported[2] = {false, false};
    for (uint64_t steps = 10; steps < 400; steps++) {
        const struct jsv_validator_limits limits = {.steps_max = steps};
        fixture->limits = &limits;
        schema_fixture_use(
            fixture,
            "{'properties':{'o':{'properties':{'a':{'not':{'items':{'pattern':'x'}}},"
            "'b':{'pattern':'y'},'c':true}}}}");
        struct jsv_value value = schema_fixture_read_str(fixture, jsv_buf_str(&text));
        struct jsv_problems problems;
        int r = jsv_explain_report(fixture->schema, value, fixture->validator, true, &problems);
        assert_true(r == -ELOOP || (r == 0 && problems.count == 1));
        reported[r == 0] = true;
    }
    assert_true(reported[false] && reported[true]);
    jsv_buf_done(&text);
}

/* A failed allocation for findings is returned, whatever is checked after it. */
static void failed_allocation_is_returned(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf schema;
    struct jsv_buf text;
    jsv_buf_init(&schema, NULL, SIZE_MAX);
    jsv_buf_init(&text, NULL, SIZE_MAX);
    json_fixture_print(&schema, "{\"additionalProperties\":{\"properties\":{");
    json_fixture_print(&text, "{\"");
    for (int i = 0; i < 900000; i++) {
        jsv_buf_append_byte(&text, 'K');
    }
    json_fixture_print(&text, "\":{");
    for (int i = 0; i < 100; i++) {
        json_fixture_print(&schema, "\"f%d\":false,", i);
        json_fixture_print(&text, "\"f%d\":1,", i);
    }
    json_fixture_print(
        &schema,
        "\"zb\":{\"$ref\":\"#/$defs/c\"}}},\"$defs\":{\"c\":{\"anyOf\":[{\"maxProperties\":3},"
        "{\"type\":\"object\",\"minProperties\":3}]}}}");
    json_fixture_print(&text, "\"zb\":{}}}");
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    struct jsv_value value = schema_fixture_read_str(fixture, jsv_buf_str(&text));
    struct jsv_problems problems;
    int r = jsv_explain_report(fixture->schema, value, fixture->validator, true, &problems);
    assert_int_equal(r, -ENOMEM);
    jsv_buf_done(&schema);
    jsv_buf_done(&text);
}

/*
 * Children that the verdict accepted are not checked again: the shared steps
 * are enough to check the long array once, but not twice.
 */
static void accepted_children_are_not_checked_again(void **state)
{
    static const char *const documents[][2] = {
        {"{\"a\":[", ",\"b\":1,\"c\":1}"}, /* a member before the bad one */
        {"[[", ",1,2]"},                   /* an element before it */
    };
    struct schema_fixture *fixture = *state;
    for (size_t i = 0; i < COUNT_OF(documents); i++) {
        struct jsv_buf text;
        jsv_buf_init(&text, NULL, SIZE_MAX);
        print_many(&text, documents[i][0], "x", MANY);
        json_fixture_print(&text, "%s", documents[i][1]);
        schema_fixture_use(
            fixture,
            "{'properties':{'a':{'$ref':'#/$defs/x'},'b':{'type':'string'},'c':true},"
            "'items':{'$ref':'#/$defs/x'},'$defs':{'x':{'type':'array','items':{'pattern':'x'}}}}");
        struct jsv_value value = schema_fixture_read_str(fixture, jsv_buf_str(&text));
        jsv_validator_set_budget(fixture->validator, 3 * MANY);
        assert_int_equal(jsv_validate(fixture->validator, fixture->schema, value), 0);
        assert_true(jsv_validator_settle(fixture->validator, INT64_MAX) < 2 * MANY);
        jsv_validator_set_budget(fixture->validator, 2 * MANY);
        struct jsv_problems problems;
        assert_int_equal(
            jsv_validate_report(fixture->validator, fixture->schema, value, &problems), 0);
        assert_int_equal(problems.count, i == 0 ? 1 : 2);
        assert_true(problems.items[0].keyword.size > 0);
        jsv_buf_done(&text);
    }
}

/* The last failure of one document is not used for the next at the same address. */
static void last_failure_is_of_one_document(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{'propertyNames':{'maxLength':1},"
        "'properties':{'a':{'type':'string','maxLength':3},'b':{'type':'string'},'d':true}}");
    struct jsv_document *document = jsv_document_new(NULL);
    for (int only_explain = 0; only_explain < 2; only_explain++) {
        struct jsv_str first = JSV_STR("{\"a\":\"\",\"b\":1,\"c\":1}");
        struct jsv_str second = JSV_STR("{\"a\":1,\"b\":1,\"cc\":1}");
        assert_int_equal(jsv_read(fixture->reader, document, first, 0, NULL), 0);
        struct jsv_value value = jsv_document_root(document);
        assert_int_equal(jsv_validate(fixture->validator, fixture->schema, value), 0);
        assert_ptr_equal(fixture->validator->last_failure.by, fixture->schema->root);
        assert_int_equal(jsv_read(fixture->reader, document, second, 0, NULL), 0);
        assert_ptr_equal(jsv_document_root(document).node, value.node);
        struct jsv_problems problems;
        int r =
            only_explain
                ? jsv_explain_report(fixture->schema, value, fixture->validator, true, &problems)
                : jsv_validate_report(fixture->validator, fixture->schema, value, &problems);
        assert_int_equal(r, 0);
        assert_int_equal(problems.count, 3);
    }
    jsv_document_free(document);
}

/* Containers with the same end: [0, [1, [2, 3]]]. */
static void containers_with_the_same_end(void **state)
{
    struct jsv_value value = schema_fixture_read(*state, "[0,[1,[2,3]]]");
    const struct jsv_node *outer = value.node;
    const struct jsv_node *middle = outer + 2;
    const struct jsv_node *inner = outer + 4;
    const struct jsv_node *end = jsv_node_next(outer);
    assert_ptr_equal(jsv_node_next(inner), end);
    for (const struct jsv_node *child_end = outer; child_end <= end; child_end++) {
        struct jsv_last_failure failure = {.by = outer, .end = end, .child_end = child_end};
        const struct jsv_node *found[] = {
            jsv_precheck_find_failure(&failure, outer),
            jsv_precheck_find_failure(&failure, middle),
            jsv_precheck_find_failure(&failure, inner),
        };
        assert_ptr_equal(found[0], child_end == outer + 2 ? outer + 1 : outer);
        assert_ptr_equal(found[1], child_end == outer + 4 ? outer + 3 : middle);
        assert_ptr_equal(found[2], child_end == outer + 6 ? outer + 5 : inner);
    }
    struct jsv_last_failure elsewhere = {.by = outer, .end = end - 1, .child_end = outer + 2};
    assert_ptr_equal(jsv_precheck_find_failure(&elsewhere, outer), outer);
}

static const struct schema_case cases[] = {
    /* a tree whose containers end together, each checked by the same schema */
    {
        SCHEMA_ALL,
        "{'properties':{'a':{'type':'integer'},'b':{'type':'integer'},'t':{'$ref':'#'}}}",
        "{'a':'x','b':1,'t':{'a':1,'b':'x','t':{'a':'x','b':'x','t':{'a':1,'b':2,'t':{}}}}}",
        "/a: expected integer (type /properties/a/type)\n"
        "/t/b: expected integer (type /properties/b/type)\n"
        "/t/t/a: expected integer (type /properties/a/type)\n"
        "/t/t/b: expected integer (type /properties/b/type)",
    },
    /* the same members, valid for one schema and invalid for another */
    {
        SCHEMA_ALL,
        "{'properties':{'a':{'type':'integer'},'b':{'minimum':5},'c':{'type':'string'}},"
        "'allOf':[{'properties':{'a':{'minimum':5},'c':{'type':'string'}}}]}",
        "{'a':1,'c':1,'b':1}",
        "/a: must be at least 5 (minimum /allOf/0/properties/a/minimum)\n"
        "/b: must be at least 5 (minimum /properties/b/minimum)\n"
        "/c: expected string (type /properties/c/type)",
    },
    /* patterns and names that are not listed, before and after the invalid ones */
    {
        SCHEMA_ALL,
        "{'properties':{'a':{'type':'integer'}},'patternProperties':{'^p':{'type':'string'}},"
        "'additionalProperties':{'type':'null'}}",
        "{'p1':'','x':null,'a':'','p2':2,'y':2}",
        "/a: expected integer (type /properties/a/type)\n"
        "/p2: expected string (type /patternProperties/^p/type)\n"
        "/y: expected null (type /additionalProperties/type)",
    },
    /* valid members are evaluated as well */
    {
        SCHEMA_ONLY(2020_12),
        "{'properties':{'s':{'$ref':'#/$defs/s'},'t':{'$ref':'#/$defs/s/not'}},'$defs':{'s':{"
        "'not':{'properties':{'a':{'type':'integer','minimum':0},'b':{'type':'integer'},'c':{}},"
        "'patternProperties':{'^p':{'type':'string'}},'additionalProperties':{'type':'null'}},"
        "'if':true,'then':{'$ref':'#/$defs/s/not'},'unevaluatedProperties':false}}}",
        "{'s':{'p1':'','a':1,'x':null,'b':'','p2':''}}",
        "/s/b: expected integer (type /$defs/s/not/properties/b/type)",
    },
    /* the program calls the explanation while another one keeps marks */
    {
        SCHEMA_ONLY(2020_12),
        "{'properties':{'a':{'properties':{'b':true},'unevaluatedProperties':false},'c':{}},"
        "'patternProperties':{'^d':{'minimum':1}},'unevaluatedProperties':{'type':'null'}}",
        "{'a':{'b':1},'c':2,'d':0,'e':null,'f':5}",
        "/d: must be at least 1 (minimum /patternProperties/^d/minimum)\n"
        "/f: expected null (type /unevaluatedProperties/type)",
    },
    /* references, with a single problem */
    {
        SCHEMA_ALL,
        "{'properties':{'tree':{'$ref':'#/definitions/tree'}},'definitions':{'tree':"
        "{'type':'object','properties':{'leaf':{'type':'integer'},"
        "'below':{'items':{'$ref':'#/definitions/tree'}}}}}}",
        "{'tree':{'below':[{'leaf':1},{'below':[{'leaf':'x'},{'leaf':2}]}]}}",
        "/tree/below/1/below/0/leaf: expected integer "
        "(type /definitions/tree/properties/leaf/type)",
    },
    /* no prechecks with dynamic references */
    {
        SCHEMA_ONLY(2020_12),
        "{'$id':'urn:o','$ref':'urn:tree','$defs':{'a':{'$id':'urn:tree','$dynamicAnchor':'n',"
        "'properties':{'c':{'$dynamicRef':'#n'}}},'b':{'$id':'urn:x','$dynamicAnchor':'n',"
        "'$ref':'urn:tree'}}}",
        "{'c':{'c':1}}",
        NULL,
    },
};

static void all_cases(void **state)
{
    SCHEMA_RUN(*state, cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(valid_elements_are_not_explained),
        SCHEMA_TEST(a_valid_document_is_not_explained),
        SCHEMA_TEST(budget_grows_with_the_document),
        SCHEMA_TEST(without_budget_everything_is_explained),
        SCHEMA_TEST(doubtful_verdicts_are_discarded),
        SCHEMA_TEST(doubtful_children_are_checked_again),
        SCHEMA_TEST(failed_allocation_is_returned),
        SCHEMA_TEST(accepted_children_are_not_checked_again),
        SCHEMA_TEST(last_failure_is_of_one_document),
        SCHEMA_TEST(containers_with_the_same_end),
        SCHEMA_TEST(all_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
