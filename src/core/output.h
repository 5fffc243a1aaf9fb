/*
 * A result against its tool's output schema.
 */
#pragma once

struct core_request;

/**
 * Check what the tool wrote. A program that put out something else than it
 * declares has failed: then call.failure says so, and what it put out stays.
 *
 * @return 1 when it fits, or that much is said; 0 when our own result does not fit; -errno.
 */
int core_output_check(struct core_request *request);
