/*
 * The client of a request that is running: it gets notifications, answers the
 * tool's questions, and may cancel the request.
 *
 * An answer or a cancellation is a message of its own. Over lines it arrives on
 * the connection of the request. Over HTTP it arrives on another connection,
 * perhaps on another loop; so questions and requests that wait are registered
 * with the session, and the loop that owns them is sent a task.
 */
#pragma once

#include "core/request.h"

/** What a tool may say to its client. */
extern const struct tool_client core_client;

/** Ask what the tool wants to know. @return whether answers are awaited; else the reply is written.
 */
bool core_ask(struct core_request *request);
/** Stop waiting for answers; they may still arrive. */
void core_forget_questions(struct core_request *request);
/** The same, and write an answer that says why. The answer stage is next. */
void core_give_up_asking(struct core_request *request, struct jsv_str details);

/** A request begins to wait: its client may cancel it from now on. */
void core_cancel_offer(struct core_request *request);
/** The request is finished, or about to be answered. */
void core_cancel_forget(struct core_request *request);

/* Operations of struct dialect_host. */
int core_host_ask(
    struct dialect_req *req, struct jsv_str key, const struct mcp_method *method, uint64_t *ret_id);
void core_host_answer(
    struct dialect_req *req, struct dialect_question *question, struct jsv_value result);
void core_host_cancel(struct dialect_req *req, struct jsv_value id);
