/*
 * The trace a request belongs to: told in its _meta, or by a header.
 */
#pragma once

#include <jsv/json.h>

#include "log/trace.h"

struct core_request;

/**
 * Borrows from the request. What makes no sense is as good as nothing: then
 * the header is looked at, too.
 * @param meta Where the message says such things.
 */
struct log_trace_context core_trace_of(const struct core_request *request, struct jsv_value meta);
