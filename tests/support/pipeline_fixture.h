/*
 * The whole pipeline over a connection in memory: a worker on its own loop, a
 * catalog of a few files, and everything that would be sent to the peer.
 *
 * Every answer is checked when it arrives. It is one JSON text on one line; a
 * JSON-RPC answer, or an envelope that matches its schema; the answer to a valid
 * MCP request matches the definition of its result in the session's version, and
 * so do notifications. The output of every built-in tool matches its output
 * schema. The server itself does not check its own answers, so a wrong one fails
 * a test here.
 */
#pragma once

#include "core/conn.h"
#include "core/worker.h"
#include "support/json_fixture.h"

#define PIPELINE_ANSWERS_MAX 512

struct pipeline_sent;

struct pipeline_fixture {
    struct loop *loop;
    struct core_worker *worker;
    struct core_settings settings;
    struct catalog *catalog;
    struct core_conn conn;
    struct rpc_frames frames;
    struct jsv_buf answers[PIPELINE_ANSWERS_MAX];
    size_t answer_count;
    unsigned last_status;
    unsigned last_retry_after_s;
    size_t silent_count; /* frames without an answer */
    size_t idle_count;
    size_t resume_count;
    bool is_unreachable; /* nothing can be pushed to the peer */
    char directory[64];
    struct jsv_validator *validator; /* for checking answers */
    struct pipeline_sent *sent;      /* valid MCP requests, the last one first */
};

/* For cmocka. *state becomes a struct pipeline_fixture with schemas part and widget, and examples.
 */
int pipeline_setup(void **state);
int pipeline_teardown(void **state);

#define PIPELINE_TEST(test) cmocka_unit_test_setup_teardown(test, pipeline_setup, pipeline_teardown)

/* Hand in bytes, as a transport would. */
void pipeline_give(struct pipeline_fixture *pipeline, struct jsv_str bytes);
/* Hand in one frame. */
void pipeline_handle(struct pipeline_fixture *pipeline, const struct rpc_frame *frame);
/* Hand in one line. @return its answer, which must come at once; "" when there is none. */
const char *pipeline_ask(struct pipeline_fixture *pipeline, const char *line);
/* Hand in one body at an HTTP endpoint; NULL: a GET. @return as above. */
const char *pipeline_post(
    struct pipeline_fixture *pipeline,
    enum rpc_endpoint endpoint,
    const char *parameter,
    const char *body);
/* Forget all answers. */
void pipeline_forget(struct pipeline_fixture *pipeline);
/* Run the loop until there are so many answers, or for ten seconds. */
void pipeline_wait(struct pipeline_fixture *pipeline, size_t answer_count);
/* Replace the functions of tools, whose output is then not checked. Their descriptors stay. */
void pipeline_use_tools(struct pipeline_fixture *pipeline, const struct tool_set *set);
/* Close the connection and open a new one. */
void pipeline_reconnect(struct pipeline_fixture *pipeline);
