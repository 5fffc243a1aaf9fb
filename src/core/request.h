/*
 * A message on its way through the corridor.
 *
 * Requests are taken from their worker and given back to it, memory and all,
 * so that in steady state nothing is allocated. One that waits keeps the bytes
 * of its frame and the snapshot it began with.
 */
#pragma once

#include "core/conn.h"
#include "core/mismatch.h"
#include "core/worker.h"
#include "dialect/dialect.h"

/* Where a message is, and where it stopped: the word the log uses. */
enum core_stage {
#define CORE_STAGE(name, word) CORE_STAGE_##name,
#include "core/stages.def"
#undef CORE_STAGE
};

struct core_cancellable;
struct core_question;
struct loop_timer;

struct core_request {
    struct dialect_request asked; /* first: a dialect's request is a request */
    struct core_request *next;
    struct core_request *previous;
    struct core_conn *conn;
    enum core_stage stage;
    enum core_stage stopped; /* the stage after which there was nothing left but the answer */
    struct rpc_frame frame;
    size_t kept_bytes; /* memory, as its connection counts it, while it is on the list */
    struct rpc_fault fault;
    uint64_t queued_since_us;    /* it waits behind others of its connection; 0: it does not */
    uint64_t queued_us;          /* how long it has waited so, or for a place to run a program in */
    size_t input_bytes;          /* of the message as it came */
    struct rpc_chunk *shortened; /* the message that replaced it, then its ids; NULL: none did */
    struct jsv_document *spare;  /* what the dialect has read besides; NULL before it does */
    struct jsv_value root;       /* of the message: the document's, or an element of a batch */
    struct core_request *parent; /* the batch it is part of */
    size_t pending;              /* of a batch: messages that are not over */
    struct tool_call call;
    struct core_cancellable *cancellable; /* by its client on another connection; NULL: it is not */
    struct core_question *questions;      /* of the tool to its client, not answered yet */
    struct loop_timer *patience;          /* how long they are waited for */
    struct catalog *catalog;              /* pinned while it waits */
    struct core_mismatch mismatch;        /* of the first argument that did not fit */
    bool in_turn;                         /* of those that run one after another */
    bool has_turn;
    bool is_linked;      /* in its connection's list: it waits, or waited */
    bool is_listening;   /* stays open until the client, or we, end it */
    bool begins_session; /* its answer tells the client the session's id */
    bool is_calling;     /* its tool runs and will say when it is done */
    bool is_asking;      /* its tool waits for answers of the client */

    /* All before this is of one message, and zero before it; from here on it stays, with its
       memory, for the next one. */
    struct core_worker *worker;
    struct jsv_document *document;
    struct jsv_arena scratch;
    struct jsv_buf result; /* what the tool wrote */
    struct jsv_buf reply;
    struct jsv_buf inputs; /* answers of the client, an object */
};

/** @return NULL when memory ran out. */
struct core_request *core_request_take(struct core_worker *worker);
void core_request_give_back(struct core_request *request);
/** Frees it. */
void core_request_free(struct core_request *request);

/**
 * Replace the message of a request by a shorter one, and free the memory of the long one. The ids
 * in the log are still made of the long one.
 * @return 0; -ENOMEM, and nothing has changed.
 */
int core_request_shorten(struct core_request *request, struct jsv_str message);
/** The ids of a message that was shortened: LOG_IDS of LOG_ID_SIZE characters; NULL: it was not. */
const char *core_request_ids(const struct core_request *request);

/** A request waits behind others of its connection, if it does not yet. */
void core_request_begin_queueing(struct core_request *request);
/** It no longer does, if it did: that time is not its own. */
void core_request_end_queueing(struct core_request *request);
/** A request has waited so long without being worked on. */
void core_request_add_queued(struct core_request *request, uint64_t microseconds);

/** Free what only a request that is worked on needs: it will wait for long. */
void core_request_free_scratch(struct core_request *request);

/** Keep what a request needs to go on later, and add it to its connection's list. */
void core_request_link(struct core_request *request);
void core_request_unlink(struct core_request *request);
