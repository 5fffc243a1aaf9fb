/*
 * The pipeline and its scheduling, for this folder. Transports use core/conn.h.
 */
#pragma once

#include "core/request.h"

struct loop_deferred;

/* ---- pipeline.c: the stages ---- */

/** The stage's name in the log, for a message that stopped there. */
const char *core_stage_name(enum core_stage stage);

/** Run a request from the stage it is at. Afterwards it is either given back or parked. */
void core_run(struct core_request *request);
/** The same from another stage. */
void core_run_at(struct core_request *request, enum core_stage stage);
/** Continue a request that waited. Not from within core_handle(). */
void core_resume_at(struct core_request *request, enum core_stage stage);

/** Write the error for request->fault: the message does not have the shape of a message. */
void core_refuse_shape(struct core_request *request);

/** The answer when there is no memory for any other. */
extern const struct core_answer core_out_of_memory;

/* ---- check.c: arguments and results against the tool's schemas ---- */

/**
 * Check req->arguments against the tool's input schema.
 *
 * A missing member is reported at its own path. Where the tool's descriptor has a text for a
 * parameter that is missing, null or empty ("absent"), that text is the message, and no other
 * problem is reported.
 *
 * @param ret_problems Set when they do not match; in the validator's and scratch memory.
 * @return 1 they match, 0 they do not, -errno.
 */
int core_check_input(struct dialect_req *req, struct jsv_problems *ret_problems);
/** The place of a problem in the message as it was sent, for operators. */
struct core_mismatch
core_mismatch_of(const struct dialect_req *req, const struct jsv_problem *problem);
/**
 * Check what an external program wrote against its output schema. When it does not match,
 * call.failure says so and the output is kept.
 * @return 0; -EPROTO: it is not JSON that can be checked; -errno.
 */
int core_check_output(struct core_request *request);

/* ---- schedule.c: starting, waiting, order ---- */

/** Prepare a request that was just taken. */
void core_start(
    struct core_request *request, struct core_conn *conn, const struct rpc_frame *frame);
/** Give a finished request back. */
void core_end(struct core_request *request);
/** End a request without an answer. */
void core_abandon(struct core_request *request);
/** Put a request that waits on its connection's list. */
void core_park(struct core_request *request);
/** Reserve the order for the next serial request of a connection, if nothing holds it. */
void core_reserve_order(struct core_conn *conn);
/** Run the requests that the order is reserved for. @param reserved Of a worker. */
void core_run_reserved(struct loop_deferred *reserved);
/** Tell the transport that less is in flight than before. Not from within core_handle(). */
void core_notify_transport(struct core_conn *conn);

/* ---- batch.c ---- */

/**
 * Run each message of a batch. @return whether all are finished and the answer is written;
 * else the batch waits for them.
 */
bool core_batch_split(struct core_request *batch);
/** Add the answer of a message to that of its batch. */
void core_batch_add(struct core_request *batch, const struct core_answer *answer);
/** A message of the batch is finished. */
void core_batch_leave(struct core_request *batch);

/* ---- conn.c ---- */

/** Release the session. Over HTTP it belongs to the request, not to the connection. */
void core_conn_forget_session(struct core_conn *conn);
/** Whether one more request may listen or ask the client; otherwise it is refused. */
bool core_conn_may_wait_for_client(const struct core_conn *conn);
/** Close the streams of sessions that are over. @param first Of a list of connections. */
void core_conns_end_streams(struct core_conn *first);
