/*
 * What we say ourselves: a result against its tool's output schema, a message
 * against what the dialect knows.
 */
#pragma once

#include <jsv/jsv.h>

struct core_request;

/**
 * Check what the tool wrote. A program that put out something else than it
 * declares has failed: then call.failure says so, and what it put out stays.
 *
 * @return 1 when it fits, or that much is said; 0 when our own result does not fit; -errno.
 */
int core_output_check(struct core_request *request);

/**
 * Check a message of ours, by a dialect that can (is_sound). The request is under way, and what it
 * keeps in its scratch memory stays.
 *
 * @return 1 when it is one; 0 when not; -errno when that could not be found out.
 */
int core_output_check_message(struct core_request *request, struct jsv_str message);
