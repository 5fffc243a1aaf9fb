/*
 * The whole corridor over a connection in memory: a worker on a loop of its
 * own, a catalog of a few files, and what would be sent to the peer.
 *
 * Every answer is checked as it comes: one JSON text on one line, of the shape
 * of a JSON-RPC answer or an array of such, or an envelope that fits its
 * schema. Endpoints of HTTP with a form of their own may answer with any JSON.
 */
#pragma once

#include "core/conn.h"
#include "core/worker.h"
#include "support/json_fixture.h"

#define CORRIDOR_ANSWERS_MAX 512

struct corridor {
    struct loop *loop;
    struct core_worker *worker;
    struct core_settings settings;
    struct catalog *catalog;
    struct core_conn conn;
    struct rpc_frames frames;
    struct jsv_buf answers[CORRIDOR_ANSWERS_MAX];
    size_t answer_count;
    unsigned last_status;
    unsigned last_retry_after_s;
    size_t silent_count; /* frames that were not answered */
    size_t idle_count;
    size_t resume_count;
    bool is_deaf; /* the peer hears nothing but answers */
    char directory[64];
};

/* For cmocka; *state becomes a struct corridor with schemas part and widget and some examples. */
int corridor_setup(void **state);
int corridor_teardown(void **state);

#define CORRIDOR_TEST(test) cmocka_unit_test_setup_teardown(test, corridor_setup, corridor_teardown)

/* Hand bytes in, as a door would. */
void corridor_give(struct corridor *corridor, struct jsv_str bytes);
/* Hand one line in. @return its answer, which must come at once; "" when there is none. */
const char *corridor_ask(struct corridor *corridor, const char *line);
/* Hand one body in at an endpoint of HTTP; NULL: a GET. @return as above. */
const char *corridor_post(
    struct corridor *corridor, enum rpc_endpoint endpoint, const char *parameter, const char *body);
/* Forget all answers. */
void corridor_forget(struct corridor *corridor);
/* Run the loop until there are so many answers, or for some seconds. */
void corridor_wait(struct corridor *corridor, size_t answer_count);
/* Replace what tools do; their descriptors stay. */
void corridor_use_tools(struct corridor *corridor, const struct tool_set *set);
/* Hang up and begin a new connection. */
void corridor_reconnect(struct corridor *corridor);
