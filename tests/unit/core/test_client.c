/*
 * Calls over HTTP that are cancelled on another connection, on the same or on
 * another loop. The test's own tool waits until the test finishes it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sessions.h"
#include "loop/loop.h"
#include "support/pipeline_fixture.h"
#include "unit/os/fault.h"

#define BEGIN(version)                                                                             \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"" version "\",\"capabilities\":{\"elicitation\":{}},"                                       \
    "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}"
#define CALL(id)                                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\","                                \
    "\"params\":{\"name\":\"list_schemas\"}}"
#define CANCEL(id)                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" id "}}"
#define PING "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}"
#define QUESTION                                                                                   \
    "{\"who\":{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Who?\","                \
    "\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}}"

/* ---- the tool ---- */

static struct tool_call *waiting;
static unsigned cancelled;
static bool asks;

static int run(struct tool_call *call)
{
    if (asks) {
        jsv_buf_append_str(call->out, JSV_STR(QUESTION));
        return TOOL_ASK;
    }
    waiting = call;
    return TOOL_WAIT;
}

static void cancel(struct tool_call *call)
{
    (void)call;
    waiting = NULL;
    cancelled++;
}

static const struct tool_set set = {.run = run, .cancel = cancel};

static void finish(void)
{
    jsv_buf_append_str(waiting->out, JSV_STR("{\"ok\":true,\"schemas\":[]}"));
    waiting->finished(waiting);
}

/* ---- an HTTP connection ---- */

struct peer {
    struct core_conn conn;
    struct rpc_http view;
    struct rpc_chunk *chunk;
    char session[DIALECT_SESSION_ID_SIZE + 1];
    char text[1024]; /* of the last answer */
    unsigned answers;
    unsigned silences; /* answers without a text */
    unsigned hang_ups;
    unsigned idles;
};

static struct peer *peer_of(struct core_conn *conn)
{
    return (struct peer *)((char *)conn - offsetof(struct peer, conn));
}

static enum rpc_header
find(const struct rpc_http *view, struct jsv_str name, struct jsv_str *ret_value)
{
    const struct peer *peer =
        (const struct peer *)((const char *)view - offsetof(struct peer, view));
    if (!jsv_str_equal(name, JSV_STR("Mcp-Session-Id")) || peer->session[0] == '\0') {
        return RPC_HEADER_ABSENT;
    }
    *ret_value = jsv_str_from(peer->session);
    return RPC_HEADER_FOUND;
}

static void on_answer(struct core_conn *conn, const struct core_answer *answer)
{
    struct peer *peer = peer_of(conn);
    if (answer->session) {
        snprintf(peer->session, sizeof(peer->session), "%s", answer->session);
    }
    if (answer->text.data) {
        assert_true(answer->text.size < sizeof(peer->text));
        memcpy(peer->text, answer->text.data, answer->text.size);
        peer->text[answer->text.size] = '\0';
        peer->answers++;
    } else {
        peer->silences++;
    }
    conn->http = NULL;
}

static void on_push(struct core_conn *conn, struct jsv_str message)
{
    (void)conn;
    (void)message;
}

static bool can_push(struct core_conn *conn)
{
    (void)conn;
    return true;
}

static void on_hang_up(struct core_conn *conn)
{
    peer_of(conn)->hang_ups++;
    conn->http = NULL;
}

static void on_idle(struct core_conn *conn)
{
    peer_of(conn)->idles++;
}

static const struct core_conn_ops ops = {
    .answer = on_answer,
    .push = on_push,
    .can_push = can_push,
    .hang_up = on_hang_up,
    .resume = on_idle,
    .idle = on_idle,
};

static void say(struct peer *peer, const char *message)
{
    const struct rpc_frame frame = {.text = jsv_str_from(message), .chunk = peer->chunk};
    peer->conn.http = &peer->view;
    core_handle(&peer->conn, &frame);
}

/* @param session NULL: none yet. */
static void peer_open(struct peer *peer, struct core_worker *worker, const char *session)
{
    *peer = (struct peer){
        .view = {.endpoint = RPC_ENDPOINT_MCP, .header = find},
        .chunk = calloc(1, sizeof(struct rpc_chunk)),
    };
    peer->chunk->references = 1;
    core_conn_init(&peer->conn, &ops, worker, CORE_TRANSPORT_HTTP);
    if (session) {
        snprintf(peer->session, sizeof(peer->session), "%s", session);
    }
}

static void peer_close(struct peer *peer)
{
    core_conn_done(&peer->conn);
    assert_int_equal(peer->chunk->references, 1);
    free(peer->chunk);
}

/* ---- the scene: a caller and another client of the same session ---- */

struct scene {
    struct pipeline_fixture *pipeline;
    struct peer caller;
    struct peer other;
};

static int setup(void **state)
{
    struct scene *scene = calloc(1, sizeof(*scene));
    void *pipeline_state;
    assert_int_equal(pipeline_setup(&pipeline_state), 0);
    scene->pipeline = pipeline_state;
    struct core_worker *before = scene->pipeline->worker;
    scene->pipeline->settings.tools.set = &set;
    assert_int_equal(
        core_worker_new(
            scene->pipeline->loop,
            &scene->pipeline->settings,
            scene->pipeline->catalog,
            &scene->pipeline->worker),
        0);
    pipeline_reconnect(scene->pipeline);
    core_worker_free(before);
    waiting = NULL;
    cancelled = 0;
    asks = false;
    *state = scene;
    return 0;
}

static int teardown(void **state)
{
    struct scene *scene = *state;
    void *pipeline_state = scene->pipeline;
    free(scene);
    return pipeline_teardown(&pipeline_state);
}

#define CANCEL_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static void begin(struct scene *scene, const char *initialize)
{
    peer_open(&scene->caller, scene->pipeline->worker, NULL);
    say(&scene->caller, initialize);
    assert_int_equal(scene->caller.answers, 1);
    scene->caller.answers = 0;
    peer_open(&scene->other, scene->pipeline->worker, scene->caller.session);
}

static void end(struct scene *scene)
{
    peer_close(&scene->other);
    peer_close(&scene->caller);
}

/* Run posted tasks. */
static void run_loop(struct scene *scene)
{
    pipeline_wait(scene->pipeline, 0);
}

static void expect_untouched(struct scene *scene)
{
    run_loop(scene);
    assert_int_equal(cancelled, 0);
    assert_int_equal(scene->caller.hang_ups, 0);
    assert_true(core_conn_is_busy(&scene->caller.conn));
}

/* ---- tests ---- */

static void a_call_is_cancelled_on_another_connection(void **state)
{
    struct scene *scene = *state;
    begin(scene, BEGIN("2025-11-25"));
    say(&scene->caller, CALL("\"a\""));
    assert_non_null(waiting);
    say(&scene->other, CANCEL("\"b\""));
    say(&scene->other, CANCEL("1"));
    expect_untouched(scene);
    say(&scene->other, CANCEL("\"\\u0061\""));
    run_loop(scene);
    assert_int_equal(scene->other.silences, 3);
    assert_int_equal(cancelled, 1);
    assert_int_equal(scene->caller.hang_ups, 1);
    assert_int_equal(scene->caller.answers, 0);
    assert_int_equal(scene->caller.idles, 1);
    assert_false(core_conn_is_busy(&scene->caller.conn));
    say(&scene->caller, PING);
    assert_int_equal(scene->caller.answers, 1);
    end(scene);
}

static void a_session_cannot_cancel_calls_of_another(void **state)
{
    struct scene *scene = *state;
    struct peer other;
    begin(scene, BEGIN("2025-11-25"));
    peer_open(&other, scene->pipeline->worker, NULL);
    say(&other, BEGIN("2025-11-25"));
    say(&scene->caller, CALL("7"));
    say(&other, CANCEL("7"));
    pipeline_ask(scene->pipeline, CANCEL("7")); /* over lines there is no session to look in */
    expect_untouched(scene);
    peer_close(&other);
    end(scene);
}

static void an_answered_call_cannot_be_cancelled(void **state)
{
    struct scene *scene = *state;
    begin(scene, BEGIN("2025-11-25"));
    say(&scene->caller, CALL("7"));
    finish();
    assert_int_equal(scene->caller.answers, 1);
    say(&scene->other, CANCEL("7"));
    run_loop(scene);
    assert_int_equal(cancelled, 0);
    assert_int_equal(scene->caller.hang_ups, 0);
    end(scene);
}

/* The cancellation is posted when the call ends, and the next call has the same id. */
static void a_late_cancellation_is_ignored(void **state)
{
    struct scene *scene = *state;
    begin(scene, BEGIN("2025-11-25"));
    say(&scene->caller, CALL("7"));
    say(&scene->other, CANCEL("7"));
    finish();
    assert_int_equal(scene->caller.answers, 1);
    say(&scene->caller, CALL("7"));
    expect_untouched(scene);
    finish();
    assert_int_equal(scene->caller.answers, 2);
    end(scene);
}

static void a_connection_may_close_before_its_cancellation(void **state)
{
    struct scene *scene = *state;
    begin(scene, BEGIN("2025-11-25"));
    say(&scene->caller, CALL("7"));
    say(&scene->other, CANCEL("7"));
    peer_close(&scene->caller);
    assert_int_equal(cancelled, 1);
    run_loop(scene);
    assert_int_equal(cancelled, 1);
    peer_close(&scene->other);
}

static void a_call_that_asks_its_client_is_cancelled(void **state)
{
    struct scene *scene = *state;
    asks = true;
    begin(scene, BEGIN("2025-11-25"));
    say(&scene->caller, CALL("7"));
    assert_true(core_conn_is_busy(&scene->caller.conn));
    say(&scene->other, CANCEL("7"));
    run_loop(scene);
    assert_int_equal(scene->caller.hang_ups, 1);
    assert_false(core_conn_is_busy(&scene->caller.conn));
    end(scene);
}

static void a_batch_is_answered_without_cancelled_calls(void **state)
{
    struct scene *scene = *state;
    begin(scene, BEGIN("2025-03-26"));
    say(&scene->caller, "[" CALL("7") "," PING "]");
    assert_int_equal(scene->caller.answers, 0);
    say(&scene->other, "[" CANCEL("7") "]");
    run_loop(scene);
    assert_int_equal(cancelled, 1);
    assert_int_equal(scene->caller.hang_ups, 0);
    assert_string_equal(scene->caller.text, "[{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}]");
    say(&scene->caller, "[" CALL("8") "," CANCEL("8") "]");
    run_loop(scene);
    assert_int_equal(cancelled, 2);
    assert_int_equal(scene->caller.silences, 1);
    assert_false(core_conn_is_busy(&scene->caller.conn));
    end(scene);
}

/* Each allocation fails once: the call is answered, refused, or waits and is finished. */
static void a_call_survives_failed_allocations(void **state)
{
    struct scene *scene = *state;
    bool has_failed = true;
    begin(scene, BEGIN("2025-11-25"));
    for (unsigned at = 1; has_failed; at++) {
        scene->caller.answers = 0;
        fault_arm(FAULT_RESIZE, at, ENOMEM);
        say(&scene->caller, CALL("7"));
        has_failed = fault.hit;
        fault_disarm();
        if (core_conn_is_busy(&scene->caller.conn)) {
            finish();
        }
        assert_int_equal(scene->caller.answers, 1);
    }
    end(scene);
}

/* ---- another loop ---- */

struct elsewhere {
    struct scene *scene;
    struct loop *loop;
    struct core_worker *worker;
};

static void *cancel_elsewhere(void *argument)
{
    struct elsewhere *elsewhere = argument;
    struct peer peer;
    peer_open(&peer, elsewhere->worker, elsewhere->scene->caller.session);
    for (unsigned id = 0; id < 100; id++) {
        char message[128];
        snprintf(message, sizeof(message), CANCEL("%u"), id % 10);
        say(&peer, message);
    }
    peer_close(&peer);
    return NULL;
}

/* Calls begin, end and are cancelled on two threads: each is answered or closed. */
static void a_call_is_cancelled_on_another_loop(void **state)
{
    struct scene *scene = *state;
    struct elsewhere elsewhere = {.scene = scene};
    unsigned calls = 0;
    begin(scene, BEGIN("2025-11-25"));
    assert_int_equal(loop_new(&elsewhere.loop), 0);
    assert_int_equal(
        core_worker_new(
            elsewhere.loop,
            &scene->pipeline->settings,
            scene->pipeline->catalog,
            &elsewhere.worker),
        0);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, cancel_elsewhere, &elsewhere), 0);
    for (; calls < 200; calls++) {
        char message[128];
        snprintf(message, sizeof(message), CALL("%u"), calls % 10);
        say(&scene->caller, message);
        if (calls % 2 == 0) {
            run_loop(scene);
        }
        if (core_conn_is_busy(&scene->caller.conn)) {
            finish();
        }
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    say(&scene->caller, CALL("5"));
    assert_int_equal(pthread_create(&thread, NULL, cancel_elsewhere, &elsewhere), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    run_loop(scene);
    assert_false(core_conn_is_busy(&scene->caller.conn));
    assert_true(scene->caller.hang_ups >= 1);
    assert_int_equal(scene->caller.answers + scene->caller.hang_ups, calls + 1);
    core_worker_free(elsewhere.worker);
    loop_free(elsewhere.loop);
    end(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CANCEL_TEST(a_call_is_cancelled_on_another_connection),
        CANCEL_TEST(a_session_cannot_cancel_calls_of_another),
        CANCEL_TEST(an_answered_call_cannot_be_cancelled),
        CANCEL_TEST(a_late_cancellation_is_ignored),
        CANCEL_TEST(a_connection_may_close_before_its_cancellation),
        CANCEL_TEST(a_call_that_asks_its_client_is_cancelled),
        CANCEL_TEST(a_batch_is_answered_without_cancelled_calls),
        CANCEL_TEST(a_call_survives_failed_allocations),
        CANCEL_TEST(a_call_is_cancelled_on_another_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
