/*
 * A tool's client, while the tool runs: told of progress, and asked.
 *
 * The answer to a question is a message of its own. Over HTTP it comes in on
 * another connection, perhaps on another loop; so a question is registered
 * with the session, and its answer sent to the loop that asked, through its mailbox.
 */
#pragma once

#include "core/request.h"

/** What a tool may say to its client. */
extern const struct tool_client core_client;

/** The tool wants answers. @return whether they are on their way; else the reply is there. */
bool core_ask(struct core_request *request);
/** Wait for answers no longer; they may still come. */
void core_forget_questions(struct core_request *request);
/** The same, and answer: there are no answers, for this reason. What is left is to send it. */
void core_give_up_asking(struct core_request *request, struct jsv_str details);

/* Operations of struct dialect_host. */
int core_host_ask(
    struct dialect_request *asked,
    struct jsv_str key,
    const struct mcp_method *method,
    uint64_t *ret_id);
void core_host_answer(
    struct dialect_request *asked, struct dialect_question *question, struct jsv_value result);
