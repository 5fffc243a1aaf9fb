/*
 * Messages through the whole corridor: each layer refuses what is its own, and
 * the next message is answered.
 */
#include <stdlib.h>
#include <string.h>

#include "core/worker_state.h"
#include "os/sys.h"
#include "support/corridor.h"

static const struct {
    const char *message;
    const char *answer; /* how it begins */
} layers[] = {
    {"nonsense",
     "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse error\","},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2}",
     "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"},
    {"\"\xff\"", "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"},
    {"[]", "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,"},
    {"{}", "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,"},
    {"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":7}",
     "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32600,"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1.50,\"method\":\"nope\"}",
     "{\"jsonrpc\":\"2.0\",\"id\":1.50,\"result\":{\"ok\":false,\"reason\":\"unsupported\","
     "\"detail\":\"tool not implemented\"}}"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get_schema\",\"params\":[]}",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get_schema\",\"params\":{\"name\":5}}",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ok\":false,\"reason\":\"validation_failed\","
     "\"errors\":[{\"path\":\"/name\",\"msg\":\"expected string\"}]}}"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"validate_asset\",\"params\":{\"asset\":{}}}",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ok\":false,\"reason\":\"validation_failed\","
     "\"errors\":[{\"path\":\"/schema\",\"msg\":\"schema param is required\"}]}}"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"validate_asset\",\"params\":{\"asset\":{\"n\":1},"
     "\"schema\":\"part\"}}",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ok\":true"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"foo/bar\"}",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{}}",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"},
};

static void expect_beginning(const char *answer, const char *beginning)
{
    if (strncmp(answer, beginning, strlen(beginning)) != 0) {
        fail_msg("got %s\nexpected %s", answer, beginning);
    }
}

static void each_layer_answers_what_is_its_own(void **state)
{
    for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++) {
        expect_beginning(corridor_ask(*state, layers[i].message), layers[i].answer);
    }
}

#define REFUSED                                                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ok\":false,\"reason\":\"validation_failed\","
#define UNSAID "invalid; error list exceeded the work limit"

/*
 * Arguments that are known not to fit are refused, however few steps are left to
 * say why; only those of which nothing is known could not be checked.
 */
static void arguments_known_not_to_fit_are_refused(void **state)
{
    struct corridor *corridor = *state;
    static const char *const beginnings[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,",
        (REFUSED "\"errors\":[{\"path\":\"\",\"msg\":\"" UNSAID "\"}]}}"),
        (REFUSED "\"errors\":[{\"path\":\"/name\",\"msg\":\"expected string\"}]}}"),
    };
    size_t kind = 0;
    for (uint64_t steps = 1; steps < 100; steps++) {
        const struct jsv_validator_limits limits = {.steps_max = steps};
        jsv_validator_free(corridor->worker->validator);
        corridor->worker->validator = jsv_validator_new(os_allocator(), &limits);
        const char *answer = corridor_ask(
            corridor,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get_schema\",\"params\":{\"name\":5}}");
        if (kind < 2 && strncmp(answer, beginnings[kind], strlen(beginnings[kind])) != 0) {
            kind++;
        }
        expect_beginning(answer, beginnings[kind]);
    }
    assert_int_equal(kind, 2);
}

static void an_oversize_line_is_refused_and_the_next_one_answered(void **state)
{
    struct corridor *corridor = *state;
    size_t size = (size_t)3 << 20;
    char *line = malloc(size);
    memset(line, 'x', size);
    corridor_give(corridor, (struct jsv_str){line, size});
    expect_beginning(
        corridor->answers[0].data,
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{\"ok\":false,\"reason\":\"validation_"
        "failed\","
        "\"errors\":[{\"path\":\"\",\"msg\":\"payload_too_large\"}]}}");
    assert_int_equal(corridor->last_status, 413);
    expect_beginning(
        corridor_ask(corridor, "\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    assert_int_equal(corridor->answer_count, 2);
    free(line);
}

static void notifications_are_not_answered(void **state)
{
    struct corridor *corridor = *state;
    corridor_ask(corridor, "{\"jsonrpc\":\"2.0\",\"method\":\"list_schemas\"}");
    corridor_ask(corridor, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/whatever\"}");
    corridor_ask(corridor, "{\"jsonrpc\":\"2.0\",\"method\":\"nope\",\"params\":[]}");
    corridor_ask(corridor, "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}");
    assert_int_equal(corridor->answer_count, 0);
    assert_int_equal(corridor->silent_count, 4);
    assert_int_equal(corridor->last_status, 202);
}

static void a_session_speaks_what_was_agreed(void **state)
{
    struct corridor *corridor = *state;
    static const char hello[] =
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2024-11-05\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}";
    static const char call[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
        "\"name\":\"get_schema\",\"arguments\":{\"name\":5}}}";
    assert_non_null(strstr(corridor_ask(corridor, call), "\"isError\":true"));
    assert_non_null(strstr(corridor_ask(corridor, hello), "\"protocolVersion\":\"2024-11-05\""));
    expect_beginning(
        corridor_ask(corridor, call), "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,");
    expect_beginning(
        corridor_ask(corridor, hello), "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32600,");
    corridor_reconnect(corridor);
    assert_non_null(strstr(corridor_ask(corridor, hello), "\"result\""));
}

static void a_batch_is_answered_by_one_array(void **state)
{
    struct corridor *corridor = *state;
    static const char hello[] =
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-03-26\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}";
    corridor_ask(corridor, hello);
    const char *answer = corridor_ask(
        corridor,
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},5,[],"
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/whatever\"},"
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}]");
    expect_beginning(
        answer, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},{\"jsonrpc\":\"2.0\",\"id\":null,");
    assert_non_null(strstr(answer, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}]"));
    size_t before = corridor->answer_count;
    corridor_ask(corridor, "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/whatever\"}]");
    assert_int_equal(corridor->answer_count, before);
    expect_beginning(
        corridor_ask(corridor, "[]"),
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,"
        "\"message\":\"Invalid Request\",\"data\":{\"details\":\"a batch has at least one "
        "message\"");
}

static void a_batch_has_a_limit(void **state)
{
    struct corridor *corridor = *state;
    struct jsv_buf batch;
    jsv_buf_init(&batch, NULL, SIZE_MAX);
    corridor_ask(
        corridor,
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-03-26\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}");
    for (int i = 0; i < 101; i++) {
        jsv_buf_append_byte(&batch, i == 0 ? '[' : ',');
        jsv_buf_append_str(&batch, JSV_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"));
    }
    jsv_buf_append(&batch, "]", 2);
    expect_beginning(
        corridor_ask(corridor, batch.data),
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,");
    jsv_buf_done(&batch);
}

static void the_same_request_gives_the_same_bytes(void **state)
{
    static const char request[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";
    struct corridor *corridor = *state;
    char *first = strdup(corridor_ask(corridor, request));
    for (int i = 0; i < 100; i++) {
        assert_string_equal(corridor_ask(corridor, request), first);
    }
    free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CORRIDOR_TEST(each_layer_answers_what_is_its_own),
        CORRIDOR_TEST(arguments_known_not_to_fit_are_refused),
        CORRIDOR_TEST(an_oversize_line_is_refused_and_the_next_one_answered),
        CORRIDOR_TEST(notifications_are_not_answered),
        CORRIDOR_TEST(a_session_speaks_what_was_agreed),
        CORRIDOR_TEST(a_batch_is_answered_by_one_array),
        CORRIDOR_TEST(a_batch_has_a_limit),
        CORRIDOR_TEST(the_same_request_gives_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
