/*
 * The shape of messages: what is one, and what is said of what is not.
 */
#include <stdio.h>
#include <string.h>

#include "rpc/message.h"
#include "support/json_fixture.h"

static const struct {
    const char *text;
    enum rpc_kind kind;
    const char *id; /* as written; NULL: none */
} good[] = {
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}", RPC_REQUEST, "1"},
    {"{\"method\":\"a\",\"id\":\"\\u0041\",\"jsonrpc\":\"2.0\",\"x\":1}",
     RPC_REQUEST,
     "\"\\u0041\""},
    {"{\"jsonrpc\":\"2.0\",\"id\":1.50e1,\"method\":\"m\"}", RPC_REQUEST, "1.50e1"},
    {"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":5}", RPC_NOTIFICATION, NULL},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}", RPC_RESULT, "1"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}", RPC_ERROR_ANSWER, "1"},
    {"{\"jsonrpc\":\"2.0\",\"error\":{}}", RPC_ERROR_ANSWER, NULL},
    {"[]", RPC_BATCH, NULL},
    {"[1]", RPC_BATCH, NULL},
    {"{}", RPC_FOREIGN, NULL},
    {"{\"id\":4,\"method\":\"a\"}", RPC_FOREIGN, "4"},
};

static void kinds_of_messages_are_recognised(void **state)
{
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        struct rpc_message message;
        struct rpc_fault fault;
        struct jsv_value root = json_fixture_read(*state, good[i].text);
        assert_true(rpc_message_read(root, &message, &fault));
        assert_int_equal(message.kind, good[i].kind);
        struct jsv_str id = jsv_value_span(message.id);
        assert_int_equal(id.size, good[i].id ? strlen(good[i].id) : 0);
        assert_memory_equal(id.data, good[i].id ? good[i].id : "", id.size);
    }
}

static const struct {
    const char *text;
    const char *cause;
    const char *id;
} bad[] = {
    {"5", "", NULL},
    {"\"x\"", "", NULL},
    {"null", "", NULL},
    {"{\"jsonrpc\":2.0,\"id\":\"q\",\"method\":\"a\"}", "/jsonrpc", "\"q\""},
    {"{\"jsonrpc\":\"1.0\",\"method\":\"a\"}", "/jsonrpc", NULL},
    {"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"a\"}", "/id", NULL},
    {"{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"a\"}", "/id", NULL},
    {"{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"a\"}", "/id", NULL},
    {"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"a\"}", "/id", NULL},
    {"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":1}", "/method", "7"},
    {"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":null}", "/method", "7"},
    {"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\"}", "/method", "7"},
    {"{\"jsonrpc\":\"2.0\",\"id\":6}", "/method", "6"},
    {"{\"jsonrpc\":\"2.0\",\"id\":6,\"result\":1,\"error\":{}}", "/error", "6"},
};

static void invalid_shapes_have_a_pointer(void **state)
{
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct rpc_message message;
        struct rpc_fault fault;
        struct jsv_value root = json_fixture_read(*state, bad[i].text);
        assert_false(rpc_message_read(root, &message, &fault));
        assert_int_equal(fault.cause.size, strlen(bad[i].cause));
        assert_memory_equal(fault.cause.data, bad[i].cause, fault.cause.size);
        assert_true(fault.details.size > 0);
        assert_true(fault.suggestion.size > 0);
        struct jsv_str id = jsv_value_span(message.id);
        assert_int_equal(id.size, bad[i].id ? strlen(bad[i].id) : 0);
    }
}

static void foreign_messages_have_a_fault(void **state)
{
    struct rpc_message message;
    struct rpc_fault fault = {0};
    assert_true(rpc_message_read(json_fixture_read(*state, "{}"), &message, &fault));
    assert_true(fault.details.size > 0);
    fault = (struct rpc_fault){0};
    assert_true(rpc_message_read(json_fixture_read(*state, "[]"), &message, &fault));
    assert_true(fault.details.size > 0);
}

static void answers_echo_the_id_as_it_was_written(void **state)
{
    struct json_fixture *fixture = *state;
    const struct rpc_message message = {.id = json_fixture_read(fixture, "\"\\u0041\"")};
    struct jsv_writer writer = rpc_write_result(&fixture->out, &message);
    jsv_write_bool(&writer, true);
    rpc_write_result_end(&writer);
    json_fixture_expect(fixture, "{\"jsonrpc\":\"2.0\",\"id\":\"\\u0041\",\"result\":true}");
}

static void an_error_without_an_id_has_null(void **state)
{
    struct json_fixture *fixture = *state;
    const struct rpc_fault fault = {
        .details = JSV_STR("d"), .suggestion = JSV_STR("s"), .cause = JSV_STR("c")};
    const struct rpc_message message = {0};
    rpc_write_fault(&fixture->out, &message, RPC_ERROR_PARSE, &fault);
    json_fixture_expect(
        fixture,
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse error\","
        "\"data\":{\"details\":\"d\",\"suggestion\":\"s\",\"cause\":\"c\"}}}");
}

static void messages_include_the_details(void **state)
{
    struct json_fixture *fixture = *state;
    static const struct {
        enum rpc_error error;
        const char *message; /* of the fault */
        const char *text;
    } cases[] = {
        {RPC_ERROR_INVALID_REQUEST, "m", "Invalid Request"},
        {RPC_ERROR_INVALID_PARAMS, "", "Invalid params: d"},
        {RPC_ERROR_INVALID_PARAMS, "m", "m"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct rpc_message message = {0};
        const struct rpc_fault fault = {
            .message = jsv_str_from(cases[i].message), .details = JSV_STR("d")};
        char text[64];
        snprintf(text, sizeof(text), "\"message\":\"%s\",", cases[i].text);
        jsv_buf_reset(&fixture->out);
        rpc_write_fault(&fixture->out, &message, cases[i].error, &fault);
        jsv_buf_append_byte(&fixture->out, '\0');
        assert_non_null(strstr(fixture->out.data, text));
    }
}

static void an_id_may_be_left_out(void **state)
{
    struct json_fixture *fixture = *state;
    const struct rpc_message message = {.omits_id = true};
    struct jsv_writer writer = rpc_write_error(&fixture->out, &message, -1, JSV_STR("m"));
    rpc_write_error_end(&writer);
    json_fixture_expect(fixture, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-1,\"message\":\"m\"}}");
}

static void answers_that_are_errors_are_known(void **state)
{
    struct json_fixture *fixture = *state;
    static const char *const ids[] = {"7", "\"a\"", NULL};
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        for (int omits = 0; omits < 2; omits++) {
            struct rpc_message message = {.omits_id = omits};
            message.id = ids[i] ? json_fixture_read(fixture, ids[i]) : (struct jsv_value){0};
            struct jsv_writer writer = rpc_write_error(&fixture->out, &message, -1, JSV_STR("m"));
            rpc_write_error_end(&writer);
            assert_true(rpc_is_error(jsv_buf_str(&fixture->out), &message));
            jsv_buf_reset(&fixture->out);
            writer = rpc_write_result(&fixture->out, &message);
            jsv_write_null(&writer);
            rpc_write_result_end(&writer);
            assert_false(rpc_is_error(jsv_buf_str(&fixture->out), &message));
            jsv_buf_reset(&fixture->out);
        }
    }
}

static void other_answers_are_not_errors(void **state)
{
    const struct rpc_message message = {.id = json_fixture_read(*state, "7")};
    static const char *const texts[] = {
        "",
        "{",
        "{\"ok\":false,\"error\":1}",
        "{\"jsonrpc\":\"2.0\",\"id\":8,\"error\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":7}",
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"error\":1}}",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_false(rpc_is_error(jsv_str_from(texts[i]), &message));
    }
}

static void members_are_found_in_any_order(void **state)
{
    struct rpc_members members;
    rpc_members_find(
        json_fixture_read(
            *state,
            "{\"error\":1,\"xx\":0,\"result\":2,\"mXthod\":0,\"params\":3,\"eXror\":0,"
            "\"method\":4,\"jsonXpc\":0,\"id\":5,\"jsonrpc\":6}"),
        &members);
    const struct jsv_value found[] = {
        members.error, members.result, members.params, members.method, members.id, members.version};
    for (size_t i = 0; i < sizeof(found) / sizeof(found[0]); i++) {
        int64_t number = 0;
        assert_int_equal(jsv_value_int64(found[i], &number), 0);
        assert_int_equal(number, i + 1);
    }
    rpc_members_find(json_fixture_read(*state, "[\"id\"]"), &members);
    assert_int_equal(jsv_value_type(members.id), JSV_TYPE_NONE);
}

static void every_error_has_code_status_and_message(void **state)
{
    (void)state;
    assert_int_equal(rpc_error_code(RPC_ERROR_INVALID_REQUEST), -32600);
    assert_int_equal(rpc_error_status(RPC_ERROR_METHOD_NOT_FOUND), 404);
    assert_int_equal(rpc_error_code(RPC_ERROR_UNSUPPORTED_VERSION), -32022);
    assert_true(
        jsv_str_equal(rpc_error_message(RPC_ERROR_INVALID_PARAMS), JSV_STR("Invalid params")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(kinds_of_messages_are_recognised),
        JSON_TEST(invalid_shapes_have_a_pointer),
        JSON_TEST(foreign_messages_have_a_fault),
        JSON_TEST(answers_echo_the_id_as_it_was_written),
        JSON_TEST(an_error_without_an_id_has_null),
        JSON_TEST(messages_include_the_details),
        JSON_TEST(an_id_may_be_left_out),
        JSON_TEST(answers_that_are_errors_are_known),
        JSON_TEST(other_answers_are_not_errors),
        JSON_TEST(members_are_found_in_any_order),
        cmocka_unit_test(every_error_has_code_status_and_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
