/*
 * ENV, inside: how its answers look.
 *
 * The same things can be asked by JSON-RPC and at endpoints of HTTP. What is
 * inside an answer is the same; around it there is a JSON-RPC message, or
 * nothing.
 */
#pragma once

#include "dialect/dialect.h"
#include "envelope/canonical.h"

/** Whether it was asked at an endpoint, not by a message. */
bool env_is_route(const struct dialect_request *request);

/** The result is next. */
struct jsv_writer env_result_begin(struct dialect_request *request);
void env_result_end(const struct dialect_request *request, struct jsv_writer *writer);

/** An error that says {details, suggestion, cause}. @return DIALECT_DONE. */
enum dialect_step env_answer_fault(
    struct dialect_request *request,
    const struct envelope_canonical_error *error,
    const struct rpc_fault *fault);
/** The error of a tool that is a program and failed; see struct dialect. */
void env_render_failure(struct dialect_request *request);
/** An error that lists what does not fit; prefix is put before each path. @return DIALECT_DONE. */
enum dialect_step env_answer_problems(
    struct dialect_request *request,
    const struct envelope_canonical_error *error,
    struct jsv_str prefix,
    const struct jsv_problems *problems);
