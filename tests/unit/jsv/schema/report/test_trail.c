/*
 * The way through references, as problems name it. What it looks like in
 * output is for test_output.c; here, that it is right and what it costs.
 */
#include <errno.h>

#include <jsv/schema.h>

#include "support/json_fixture.h"
#include "support/texts.h"
#include "support/torture.h"

/* A tree whose leaves must be numbers; and alternatives, whose problems may be put together. */
static const char schema_text[] =
    "{\"$ref\": \"#/$defs/node\","
    " \"$defs\": {"
    "   \"node\": {\"properties\": {\"left\": {\"$ref\": \"#/$defs/node\"},"
    "                             \"right\": {\"$ref\": \"#/$defs/node\"},"
    "                             \"leaf\": {\"type\": \"number\"},"
    "                             \"kind\": {\"$ref\": \"#/$defs/kind\"}}},"
    "   \"kind\": {\"anyOf\": [{\"$ref\": \"#/$defs/one\"}, {\"const\": 2}]},"
    "   \"one\": {\"const\": 1}}}";

struct trail_case {
    struct jsv_registry *registry;
    struct jsv_schema *schema;
};

static struct trail_case compiled(void)
{
    struct trail_case one = {.registry = jsv_registry_new(NULL, NULL)};
    struct jsv_str uri = JSV_STR("urn:test");
    assert_int_equal(jsv_registry_add(one.registry, uri, JSV_STR(schema_text), NULL), 0);
    assert_int_equal(jsv_schema_compile(one.registry, uri, NULL, &one.schema, NULL), 0);
    return one;
}

static void compiled_done(struct trail_case *one)
{
    jsv_schema_free(one->schema);
    jsv_registry_free(one->registry);
}

static void test_paths(void **state)
{
    struct json_fixture *fixture = *state;
    struct trail_case one = compiled();
    struct jsv_validator *validator = jsv_validator_new(NULL, NULL);
    struct jsv_problems problems;
    struct jsv_value value = json_fixture_read(
        fixture,
        "{\"left\": {\"right\": {\"leaf\": \"a\"}, \"leaf\": \"b\"}, \"kind\": 3, \"leaf\": "
        "\"c\"}");
    assert_int_equal(jsv_validate_report(one.schema, value, validator, &problems), 0);
    assert_int_equal(problems.count, 4);
    /* The problems of both alternatives in one: it is the alternatives' own. */
    assert_text(problems.items[0].path, "/kind");
    assert_text(problems.items[0].evaluation_path, "/$ref/properties/kind/$ref/anyOf");
    assert_text(problems.items[0].resource_path, "/$defs/kind/anyOf");
    assert_text(problems.items[1].path, "/leaf");
    assert_text(problems.items[1].evaluation_path, "/$ref/properties/leaf/type");
    assert_text(problems.items[2].path, "/left/leaf");
    assert_text(
        problems.items[2].evaluation_path, "/$ref/properties/left/$ref/properties/leaf/type");
    assert_text(problems.items[3].path, "/left/right/leaf");
    assert_text(
        problems.items[3].evaluation_path,
        "/$ref/properties/left/$ref/properties/right/$ref/properties/leaf/type");
    for (size_t i = 1; i < 4; i++) {
        assert_text(problems.items[i].resource_path, "/$defs/node/properties/leaf/type");
        assert_text(problems.items[i].resource_uri, "urn:test");
    }
    jsv_validator_free(validator);
    compiled_done(&one);
}

/* A document as deep as may be, wrong at every level: the trail is kept once, not once a problem.
 */
static void test_deep_and_wrong(void **state)
{
    struct json_fixture *fixture = *state;
    struct trail_case one = compiled();
    const struct jsv_validator_limits limits = {.memory_max = 3 << 20};
    struct jsv_validator *validator = jsv_validator_new(NULL, &limits);
    struct jsv_problems problems;
    struct jsv_buf *text = json_fixture_buf(fixture);
    for (int i = 0; i < 500; i++) {
        json_fixture_print(text, "{\"leaf\": \"\", \"left\": ");
    }
    json_fixture_print(text, "{}");
    for (int i = 0; i < 500; i++) {
        json_fixture_print(text, "}");
    }
    struct jsv_value value = json_fixture_read_str(fixture, jsv_buf_str(text), 0);
    assert_int_equal(jsv_validate_report(one.schema, value, validator, &problems), 0);
    assert_int_equal(problems.count + problems.more, 500);
    jsv_validator_free(validator);
    compiled_done(&one);
}

struct report {
    const struct jsv_schema *schema;
    struct jsv_value value;
};

static int report_with(const struct jsv_allocator *allocator, void *state)
{
    struct report *report = state;
    struct jsv_problems problems;
    struct jsv_validator *validator = jsv_validator_new(allocator, NULL);
    if (!validator) {
        return -ENOMEM;
    }
    int r = jsv_validate_report(report->schema, report->value, validator, &problems);
    jsv_validator_free(validator);
    return r;
}

static void test_without_memory(void **state)
{
    struct json_fixture *fixture = *state;
    struct trail_case one = compiled();
    struct report report = {
        one.schema,
        json_fixture_read(fixture, "{\"left\": {\"leaf\": \"b\", \"kind\": 0}, \"leaf\": \"c\"}"),
    };
    assert_true(torture_run(report_with, &report) > 3);
    /* The same with a budget that is used up at any point. */
    for (size_t memory_max = 64;; memory_max += 64) {
        const struct jsv_validator_limits limits = {.memory_max = memory_max};
        struct jsv_validator *validator = jsv_validator_new(NULL, &limits);
        struct jsv_problems problems;
        int r = jsv_validate_report(one.schema, report.value, validator, &problems);
        jsv_validator_free(validator);
        if (r == 0) {
            break;
        }
        assert_int_equal(r, -ENOMEM);
    }
    compiled_done(&one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(test_paths),
        JSON_TEST(test_deep_and_wrong),
        JSON_TEST(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
