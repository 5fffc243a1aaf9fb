/*
 * The parts of a message that its account is after, whatever its dialect calls
 * them.
 */
#pragma once

#include <jsv/json.h>

struct core_request;

/* What the message's ids are made of. */
enum core_seed {
    CORE_SEED_UNREAD, /* its bytes: nobody knows it */
    CORE_SEED_PLAIN,  /* route, method and payload */
    CORE_SEED_DISCOVER,
    CORE_SEED_PROMPT,
    CORE_SEED_TOOL,
};

struct core_subject {
    enum core_seed seed;
    struct jsv_str route; /* data NULL: nobody knows it */
    struct jsv_str method;
    struct jsv_str tool_id;
    struct jsv_str prompt_id;
    struct jsv_value payload;
    struct jsv_value meta; /* where agent, task, step, attempt and trace stand */
};

/** Borrows from the request. */
struct core_subject core_subject_of(const struct core_request *request);
