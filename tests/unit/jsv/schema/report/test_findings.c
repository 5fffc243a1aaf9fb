/*
 * Findings: paths, members, messages of limited size, references on the way.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <jsv/schema.h>

#include "support/json_fixture.h"
#include "support/schema_fixture.h"
#include "support/texts.h"
#include "support/torture.h"

/* Indexes in paths are sorted as text. */
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

/* problem.member is the whole name, even if the message shortens it. */
static void member_has_the_whole_name(void **state)
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
    assert_int_equal(jsv_validate_report(fixture->validator, fixture->schema, value, &problems), 0);
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

/* Long names and values are cut between two characters. */
static void long_messages_are_cut(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf schema;
    jsv_buf_init(&schema, NULL, SIZE_MAX);
    jsv_buf_append_str(&schema, JSV_STR("{\"required\":[\"x"));
    append_repeated(&schema, "\xC3\xA9", 4000);
    jsv_buf_append_str(&schema, JSV_STR("\"]}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    expect_message_end(fixture, "{}", "\xC3\xA9…");

    jsv_buf_reset(&schema);
    jsv_buf_append_str(&schema, JSV_STR("{\"const\":\""));
    append_repeated(&schema, "\xF0\x9F\x98\x80", 100);
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
    append_repeated(&schema, "\xC3\xA9", 300);
    jsv_buf_append_str(&schema, JSV_STR("\"}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    expect_message_end(fixture, "''", "\xC3\xA9…");
    jsv_buf_done(&schema);
}

/* A tree whose leaves must be numbers, and alternatives whose problems may be joined. */
static const char schema_text[] =
    "{\"$ref\": \"#/$defs/node\","
    " \"$defs\": {"
    "   \"node\": {\"properties\": {\"left\": {\"$ref\": \"#/$defs/node\"},"
    "                             \"right\": {\"$ref\": \"#/$defs/node\"},"
    "                             \"leaf\": {\"type\": \"number\"},"
    "                             \"kind\": {\"$ref\": \"#/$defs/kind\"}}},"
    "   \"kind\": {\"anyOf\": [{\"$ref\": \"#/$defs/one\"}, {\"const\": 2}]},"
    "   \"one\": {\"const\": 1}}}";

struct ref_case {
    struct jsv_registry *registry;
    struct jsv_schema *schema;
};

static struct ref_case compiled(void)
{
    struct ref_case one = {.registry = jsv_registry_new(NULL, NULL)};
    struct jsv_str uri = JSV_STR("urn:test");
    assert_int_equal(jsv_registry_add(one.registry, uri, JSV_STR(schema_text), NULL), 0);
    assert_int_equal(jsv_schema_compile(one.registry, uri, NULL, &one.schema, NULL), 0);
    return one;
}

static void compiled_done(struct ref_case *one)
{
    jsv_schema_free(one->schema);
    jsv_registry_free(one->registry);
}

static void evaluation_paths(void **state)
{
    struct json_fixture *fixture = *state;
    struct ref_case one = compiled();
    struct jsv_validator *validator = jsv_validator_new(NULL, NULL);
    struct jsv_problems problems;
    struct jsv_value value = json_fixture_read(
        fixture,
        "{\"left\": {\"right\": {\"leaf\": \"a\"}, \"leaf\": \"b\"}, \"kind\": 3, \"leaf\": "
        "\"c\"}");
    assert_int_equal(jsv_validate_report(validator, one.schema, value, &problems), 0);
    assert_int_equal(problems.count, 4);
    /* The joined problem of both alternatives has the path of anyOf. */
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

/* With a problem at every level of a deep document, references are copied once. */
static void references_are_copied_once(void **state)
{
    struct json_fixture *fixture = *state;
    struct ref_case one = compiled();
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
    assert_int_equal(jsv_validate_report(validator, one.schema, value, &problems), 0);
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
    int r = jsv_validate_report(validator, report->schema, report->value, &problems);
    jsv_validator_free(validator);
    return r;
}

static void references_without_memory(void **state)
{
    struct json_fixture *fixture = *state;
    struct ref_case one = compiled();
    struct report report = {
        one.schema,
        json_fixture_read(fixture, "{\"left\": {\"leaf\": \"b\", \"kind\": 0}, \"leaf\": \"c\"}"),
    };
    assert_true(torture_run(report_with, &report) > 3);
    /* The same with a memory limit that is reached at any point. */
    for (size_t memory_max = 64;; memory_max += 64) {
        const struct jsv_validator_limits limits = {.memory_max = memory_max};
        struct jsv_validator *validator = jsv_validator_new(NULL, &limits);
        struct jsv_problems problems;
        int r = jsv_validate_report(validator, one.schema, report.value, &problems);
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
        SCHEMA_TEST(paths),
        SCHEMA_TEST(member_has_the_whole_name),
        SCHEMA_TEST(long_messages_are_cut),
        JSON_TEST(evaluation_paths),
        JSON_TEST(references_are_copied_once),
        JSON_TEST(references_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
