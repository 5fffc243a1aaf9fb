/*
 * Questions to the client in the middle of a request.
 *
 * A legacy client is sent requests of our own, and answers them by messages. A
 * modern one gets a result that says what is missing, and sends its request
 * again, with the answers and with a text of ours that says what we had to
 * remember: nothing is kept here. That text comes back from who knows whom, so
 * it is signed, together with what it was given out for and until when.
 */
#pragma once

#include "dialect/mcp/mcp.h"

/** As dialect_talk's ask(). */
bool mcp_ask(struct dialect_req *req, struct jsv_value questions, struct jsv_str tool_state);
/** As dialect_talk's give_up(). */
void mcp_give_up(struct dialect_req *req, struct jsv_str details);
/** As dialect_talk's offers(). */
bool mcp_offers(const struct dialect_req *req, struct jsv_str capability);

/**
 * Take the answers a request brings along.
 * @return whether it may go on; else it is answered.
 */
bool mcp_take_inputs(struct mcp_exchange *exchange);
/** A message that answers a question of ours, perhaps. */
enum dialect_step mcp_take_answer(struct dialect_req *req);

/** What the client of a legacy session says it can do. */
unsigned mcp_capabilities_of(struct jsv_value capabilities, enum mcp_version version);

/* ---- what is remembered (mcp_state.c) ---- */

/** Append a text that mcp_state_open() takes, for this request. @return 0 or -errno. */
int mcp_state_seal(const struct dialect_req *req, struct jsv_str tool_state, struct jsv_buf *out);
/** @return 0; -EBADMSG when it is none of ours, for another request, or too old; -errno. */
int mcp_state_open(
    const struct dialect_req *req, struct jsv_str state, struct jsv_str *ret_tool_state);
