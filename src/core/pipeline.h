/*
 * The corridor and the traffic in it, for this room.
 */
#pragma once

#include "core/request.h"

struct loop_deferred;

/** Walk a request from the stage it is at. @return whether it is over; else it waits. */
bool core_walk(struct core_request *request);

/** Make a request that was just taken ready to be walked. */
void core_begin(
    struct core_request *request, struct core_conn *conn, const struct rpc_frame *frame);
/** Walk; what is over is given back, what waits is put on the list. */
void core_walk_or_park(struct core_request *request);
/** Put a request on its connection's list, with the turn if it has it. */
void core_park(struct core_request *request);
/** Go on with a request whose tool is done. */
void core_resume(struct core_request *request);
/** Go on with the next serial message of each connection whose last one is done. */
void core_give_turns(struct loop_deferred *turns);
/** Give a request back that is over. */
void core_end(struct core_request *request);
/** End a request without an answer. */
void core_abandon(struct core_request *request);
/** Less is in flight than before. Not from within core_handle(). */
void core_tell_door(struct core_conn *conn);

/** Let go of the session; over HTTP it is the request's, not the connection's. */
void core_conn_forget_session(struct core_conn *conn);
/** Whether one more request may listen or ask the client; with too many the next is refused. */
bool core_conn_may_wait_for_client(const struct core_conn *conn);
/** End the streams, among connections, of sessions that are over. */
void core_conns_end_streams(struct core_conn *first);

/** Refuse a message for request->fault. */
void core_refuse_shape(struct core_request *request);

/** Said when there is no memory left to say more. */
extern const struct core_answer core_last_words;
