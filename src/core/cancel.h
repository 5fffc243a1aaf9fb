/*
 * A client gives up a request of its own: the work stops, and nothing more is
 * said about it.
 *
 * Over lines it says so on the connection the request came in on. Over HTTP it
 * says so on another one, perhaps on another loop; so a request that waits is
 * registered with its session, and the word sent to its loop, through its mailbox.
 */
#pragma once

#include "core/request.h"

/** A request begins to wait: its client may give it up from now on. */
void core_cancel_offer(struct core_request *request);
/** It is over, one way or the other. */
void core_cancel_forget(struct core_request *request);

/** Operation of struct dialect_host. */
void core_host_cancel(struct dialect_request *asked, struct jsv_value id);
