/*
 * Where a tool's argument does not fit, for operators: in the message as it was
 * sent, and in the tool's schema. Answers have pointers into the arguments.
 */
#pragma once

#include <jsv/problem.h>

struct dialect_request;

/** Texts in the request's scratch memory; data NULL: there is none. */
struct core_mismatch {
    struct jsv_str pointer;
    struct jsv_str schema_path;
    struct jsv_str message;
};

struct core_mismatch
core_mismatch_of(const struct dialect_request *asked, const struct jsv_problem *problem);
