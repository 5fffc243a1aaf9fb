/*
 * A tool that asks and notifies its client, in both eras: list_schemas, replaced by
 * a function of this file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/limits.h"
#include "support/pipeline_fixture.h"

#define QUESTION                                                                                   \
    "{\"who\":{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Who?\","                \
    "\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}}}}"

static bool asks;
static bool asks_again; /* whatever the answer */

static int run(struct tool_call *call)
{
    struct jsv_value who = jsv_value_get(call->inputs, JSV_STR("who"));
    if (asks && (asks_again || jsv_value_type(who) == JSV_TYPE_NONE)) {
        jsv_buf_append_str(call->out, JSV_STR(QUESTION));
        call->state_out = JSV_STR("asked");
        return TOOL_ASK;
    }
    if (asks) {
        assert_true(jsv_str_equal(call->state_in, JSV_STR("asked")));
    } else {
        call->client->progress(call, 1, 2);
        call->client->log(call, TOOL_LEVEL_DEBUG, JSV_STR("quiet"));
        call->client->log(call, TOOL_LEVEL_WARNING, JSV_STR("loud"));
    }
    jsv_buf_append_str(call->out, JSV_STR("{\"ok\":true,\"schemas\":[]}"));
    return TOOL_DONE;
}

static void cancel(struct tool_call *call)
{
    (void)call;
}

static const struct tool_set set = {.run = run, .cancel = cancel};

static int setup(void **state)
{
    assert_int_equal(pipeline_setup(state), 0);
    struct pipeline_fixture *pipeline = *state;
    struct core_worker *before = pipeline->worker;
    pipeline->settings.tools.set = &set;
    assert_int_equal(
        core_worker_new(pipeline->loop, &pipeline->settings, pipeline->catalog, &pipeline->worker),
        0);
    pipeline_reconnect(pipeline);
    core_worker_free(before);
    asks = true;
    asks_again = false;
    return 0;
}

#define ASK_TEST(test) cmocka_unit_test_setup_teardown(test, setup, pipeline_teardown)

static void expect_in(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("no %s in %s", part, text);
    }
}

static void expect_not_in(const char *text, const char *part)
{
    assert_null(strstr(text, part));
}

/* ---- legacy ---- */

static void initialize(struct pipeline_fixture *pipeline, const char *capabilities)
{
    char line[512];
    snprintf(
        line,
        sizeof(line),
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-11-25\",\"capabilities\":%s,\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}",
        capabilities);
    expect_in(pipeline_ask(pipeline, line), "\"logging\":{}");
    pipeline_ask(pipeline, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
}

#define CALL                                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/"                                            \
    "call\",\"params\":{\"name\":\"list_schemas\"}}"

/* Answer a question. @return the next message. */
static const char *answer(struct pipeline_fixture *pipeline, const char *line)
{
    size_t before = pipeline->answer_count;
    pipeline_ask(pipeline, line);
    pipeline_wait(pipeline, before + 1);
    assert_int_equal(pipeline->answer_count, before + 1);
    return pipeline->answers[before].data;
}

static void a_legacy_client_is_asked_by_a_request(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    initialize(pipeline, "{\"elicitation\":{}}");
    const char *question = pipeline_ask(pipeline, CALL);
    expect_in(question, "\"id\":1,\"method\":\"elicitation/create\"");
    /* there was no such request, so nothing happens */
    assert_string_equal(
        pipeline_ask(pipeline, "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}"), "");
    const char *result = answer(
        pipeline,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"action\":\"accept\",\"content\":{\"name\":"
        "\"Ann\"}}}");
    expect_in(result, "\"id\":7");
    expect_in(result, "\"isError\":false");
}

/* Calls that ask do not stop the reading of messages, or the answers could not be read either. */
static void a_client_with_many_open_questions_can_answer_them(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    initialize(pipeline, "{\"elicitation\":{}}");
    char line[256];
    for (int i = 1; i <= CORE_LISTENERS_MAX; i++) {
        snprintf(
            line,
            sizeof(line),
            "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\","
            "\"params\":{\"name\":\"list_schemas\"}}",
            1000 + i);
        expect_in(pipeline_ask(pipeline, line), "\"method\":\"elicitation/create\"");
        assert_false(core_conn_is_full(&pipeline->conn));
    }
    expect_in(pipeline_ask(pipeline, CALL), "too many questions to the client are open");
    for (int i = 1; i <= CORE_LISTENERS_MAX; i++) {
        snprintf(
            line,
            sizeof(line),
            "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"action\":\"accept\",\"content\":{}}}",
            i);
        const char *result = answer(pipeline, line);
        snprintf(line, sizeof(line), "\"id\":%d,", 1000 + i);
        expect_in(result, line);
        expect_in(result, "\"isError\":false");
    }
    expect_in(pipeline_ask(pipeline, CALL), "\"method\":\"elicitation/create\"");
}

static void a_client_that_cannot_answer_gets_a_failure(void **state)
{
    static const char *const answers[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"no\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"action\":\"perhaps\"}}",
    };
    struct pipeline_fixture *pipeline = *state;
    initialize(pipeline, "{\"elicitation\":{}}");
    for (unsigned i = 0; i < 2; i++) {
        pipeline_ask(pipeline, CALL);
        expect_in(answer(pipeline, answers[i]), "\"isError\":true");
    }
}

static void a_client_is_not_asked_what_it_cannot_do(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    initialize(pipeline, "{\"sampling\":{}}");
    expect_in(pipeline_ask(pipeline, CALL), "\"isError\":true");
}

static void an_unreachable_client_is_not_asked(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    initialize(pipeline, "{\"elicitation\":{}}");
    pipeline->is_unreachable = true;
    const char *told = pipeline_ask(pipeline, CALL);
    expect_in(
        told,
        "\"id\":7,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"the client cannot be "
        "asked");
    expect_in(told, "\"isError\":true");
    assert_false(core_conn_is_busy(&pipeline->conn));
    /* it became so while it answered the first question */
    pipeline->is_unreachable = false;
    pipeline_ask(pipeline, CALL);
    pipeline->is_unreachable = true;
    asks_again = true;
    expect_in(
        answer(pipeline, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"action\":\"decline\"}}"),
        "the client cannot be asked");
    assert_false(core_conn_is_busy(&pipeline->conn));
}

static void a_cancelled_call_ignores_answers(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    initialize(pipeline, "{\"elicitation\":{}}");
    pipeline_ask(pipeline, CALL);
    pipeline_ask(
        pipeline,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
        "cancelled\",\"params\":{\"requestId\":7}}");
    assert_false(core_conn_is_busy(&pipeline->conn));
    assert_string_equal(
        pipeline_ask(
            pipeline, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"action\":\"decline\"}}"),
        "");
}

static void a_late_answer_is_ignored(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    initialize(pipeline, "{\"elicitation\":{}}");
    pipeline_ask(pipeline, CALL);
    /* the answer is a letter on its way when the peer hangs up */
    pipeline_ask(pipeline, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"action\":\"decline\"}}");
    pipeline_reconnect(pipeline);
    size_t count = pipeline->answer_count;
    expect_in(
        answer(pipeline, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}"), "\"result\":{}");
    assert_int_equal(pipeline->answer_count, count + 1);
}

static void a_call_is_answered_when_its_client_finishes(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    initialize(pipeline, "{\"elicitation\":{}}");
    pipeline_ask(pipeline, CALL);
    size_t before = pipeline->answer_count;
    core_conn_finish(&pipeline->conn);
    assert_int_equal(pipeline->answer_count, before + 1);
    expect_in(pipeline->answers[before].data, "\"isError\":true");
    assert_false(core_conn_is_busy(&pipeline->conn));
}

/* ---- modern ---- */

static const char *
call_modern(struct pipeline_fixture *pipeline, const char *meta, const char *more)
{
    char line[2048];
    snprintf(
        line,
        sizeof(line),
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"list_schemas\",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",%s}"
        "%s}}",
        meta,
        more);
    return pipeline_ask(pipeline, line);
}

#define ELICITS "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{}}"
#define NOTHING "\"io.modelcontextprotocol/clientCapabilities\":{}"
#define ACCEPTED                                                                                   \
    ",\"inputResponses\":{\"who\":{\"action\":\"accept\",\"content\":{\"name\":\"Ann\"}}}"

/* The state of an answer, as it goes back, with its first bytes replaced. */
static void copy_state(const char *answer, const char *replaced, char out[static 512])
{
    const char *begin = strstr(answer, "\"requestState\":\"");
    assert_non_null(begin);
    begin += strlen("\"requestState\":\"");
    int size = (int)(strchr(begin, '"') - begin);
    snprintf(out, 512, "%s,\"requestState\":\"%.*s\"", ACCEPTED, size, begin);
    memcpy(strstr(out, "State\":\"") + 8, replaced, strlen(replaced));
}

static void a_modern_client_is_asked_by_a_result(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    char more[512];
    const char *required = call_modern(pipeline, ELICITS, "");
    expect_in(required, "\"resultType\":\"input_required\"");
    expect_in(required, "\"inputRequests\":{\"who\":");
    copy_state(required, "", more);
    const char *result = call_modern(pipeline, ELICITS, more);
    expect_in(result, "\"resultType\":\"complete\"");
    expect_in(result, "\"isError\":false");
}

static void a_changed_state_is_refused(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    char more[512];
    const char *required = call_modern(pipeline, ELICITS, "");
    copy_state(required, "f", more);
    expect_in(call_modern(pipeline, ELICITS, more), "-32602");
    expect_in(call_modern(pipeline, ELICITS, ",\"requestState\":\"short\""), "-32602");
    /* good for the arguments it was given out for, and no others */
    copy_state(required, "", more);
    char other[600];
    snprintf(other, sizeof(other), "%s,\"arguments\":{\"a\":1}", more);
    expect_in(call_modern(pipeline, ELICITS, other), "-32602");
}

static void a_missing_capability_is_named(void **state)
{
    const char *error = call_modern(*state, NOTHING, "");
    expect_in(error, "-32021");
    expect_in(error, "\"requiredCapabilities\":{\"elicitation\":{}}");
}

/* ---- progress and messages ---- */

static void progress_needs_a_token(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    asks = false;
    expect_in(call_modern(pipeline, NOTHING, ""), "\"result\"");
    const char *progress = call_modern(pipeline, NOTHING ",\"progressToken\":\"p\"", "");
    expect_in(progress, "\"method\":\"notifications/progress\"");
    expect_in(progress, "\"progressToken\":\"p\",\"progress\":1,\"total\":2");
}

static void log_messages_respect_the_level(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    asks = false;
    const char *loud =
        call_modern(pipeline, NOTHING ",\"io.modelcontextprotocol/logLevel\":\"warning\"", "");
    expect_in(loud, "\"level\":\"warning\",\"logger\":\"list_schemas\",\"data\":\"loud\"");
    expect_not_in(loud, "quiet");
    initialize(pipeline, "{}");
    expect_in(pipeline_ask(pipeline, CALL), "\"data\":\"loud\"");
    pipeline_ask(
        pipeline,
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"logging/setLevel\",\"params\":{\"level\":"
        "\"debug\"}}");
    expect_in(pipeline_ask(pipeline, CALL), "\"data\":\"quiet\"");
    pipeline_ask(
        pipeline,
        "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"logging/setLevel\",\"params\":{\"level\":"
        "\"error\"}}");
    expect_in(pipeline_ask(pipeline, CALL), "\"id\":7,\"result\"");
    expect_in(
        pipeline_ask(
            pipeline,
            "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"logging/setLevel\",\"params\":{\"level\":"
            "\"all\"}}"),
        "-32602");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ASK_TEST(a_legacy_client_is_asked_by_a_request),
        ASK_TEST(a_client_with_many_open_questions_can_answer_them),
        ASK_TEST(a_client_that_cannot_answer_gets_a_failure),
        ASK_TEST(a_client_is_not_asked_what_it_cannot_do),
        ASK_TEST(an_unreachable_client_is_not_asked),
        ASK_TEST(a_cancelled_call_ignores_answers),
        ASK_TEST(a_late_answer_is_ignored),
        ASK_TEST(a_call_is_answered_when_its_client_finishes),
        ASK_TEST(a_modern_client_is_asked_by_a_result),
        ASK_TEST(a_changed_state_is_refused),
        ASK_TEST(a_missing_capability_is_named),
        ASK_TEST(progress_needs_a_token),
        ASK_TEST(log_messages_respect_the_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
