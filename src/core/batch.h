/*
 * Several messages in one: an array, where the protocol version allows it.
 */
#pragma once

#include "core/request.h"

/**
 * Walk each message of a batch. @return whether all are over, and the answer is there; else the
 * batch waits for them.
 */
bool core_batch_split(struct core_request *batch);
/** Add a message's answer to that of the batch. */
void core_batch_add(struct core_request *batch, const struct core_answer *answer);
/** A message of the batch is over; with the last one the batch is. */
void core_batch_leave(struct core_request *batch);
