/*
 * One message in the pipeline.
 *
 * Requests are taken from their worker and given back to it together with their
 * memory, so that in steady state nothing is allocated. A request that waits
 * keeps the bytes of its frame and the catalog it started with.
 */
#pragma once

#include "core/conn.h"
#include "core/worker.h"
#include "dialect/dialect.h"

/* The stages of the pipeline, in order. Only core/pipeline.c writes them. */
enum core_stage {
    CORE_STAGE_FRAME,
    CORE_STAGE_JSON,
    CORE_STAGE_RPC,
    CORE_STAGE_ORDER,
    CORE_STAGE_DIALECT,
    CORE_STAGE_INPUT,
    CORE_STAGE_TOOL,
    CORE_STAGE_OUTPUT,
    CORE_STAGE_RENDER,
    CORE_STAGE_ANSWER,
};

struct core_cancellable;
struct core_question;
struct loop_timer;

/** The first argument that does not match the tool's input schema, in scratch memory. */
struct core_mismatch {
    struct jsv_str pointer;     /* into the message as it was sent; data NULL: no mismatch */
    struct jsv_str schema_path; /* into the tool's schema */
    struct jsv_str message;
};

struct core_request {
    struct dialect_req req; /* first: core casts from one to the other */
    struct core_request *next;
    struct core_request *previous;
    struct core_conn *conn;
    enum core_stage stage;
    enum core_stage stopped; /* the last stage before the answer */
    struct rpc_frame frame;
    size_t kept_bytes; /* memory counted for the connection while the request is on its list */
    struct rpc_fault fault;
    uint64_t queued_since_us;    /* it began to wait for its order then; 0: it does not wait */
    uint64_t queued_us;          /* time it waited for its order, or to start a program */
    size_t input_bytes;          /* of the message as it was received */
    struct rpc_chunk *shortened; /* the shorter message that replaced it, then its ids; or NULL */
    struct jsv_document *extra_document; /* a second text that the dialect reads; or NULL */
    struct jsv_value root;               /* of the message: the document's, or a batch element */
    struct core_request *parent;         /* the batch it belongs to */
    size_t pending;                      /* of a batch: elements not finished */
    struct tool_call call;
    struct core_cancellable *cancellable; /* registered with its session; or NULL */
    struct core_question *questions;      /* to the client, not answered yet */
    struct loop_timer *ask_timer;         /* how long their answers may take */
    struct catalog *catalog;              /* retained while the request waits */
    struct core_mismatch mismatch;
    bool serial;         /* runs in order with the connection's other serial requests */
    bool holds_order;    /* it is the one of them that runs */
    bool is_linked;      /* on its connection's list: it waits, or did */
    bool is_listening;   /* stays open until the client or the server ends it */
    bool begins_session; /* its answer carries the session's id */
    bool is_calling;     /* its tool runs and will call finished() */
    bool is_asking;      /* its tool waits for answers of the client */

    /* Members above belong to one message and are zeroed for the next one. Those below keep their
       memory. */
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
void core_request_free(struct core_request *request);

/**
 * Replace the message by a shorter one and free the long one's memory. The log still shows the ids
 * of the long one.
 * @return 0; -ENOMEM, and nothing has changed.
 */
int core_request_shorten(struct core_request *request, struct jsv_str message);
/** The ids of a shortened message: LOG_IDS of LOG_ID_SIZE characters. NULL: it is not shortened. */
const char *core_request_ids(const struct core_request *request);

/** Start counting the time the request waits for its order, unless it is counted already. */
void core_request_begin_queueing(struct core_request *request);
/** Stop counting. The time is not part of the request's own duration. */
void core_request_end_queueing(struct core_request *request);
/** Add time in which the request was not worked on. */
void core_request_add_queued(struct core_request *request, uint64_t microseconds);

/** Free the memory that only a running request needs, because it will wait for long. */
void core_request_free_scratch(struct core_request *request);

/** Put a request on its connection's list and retain what it needs to continue later. */
void core_request_link(struct core_request *request);
void core_request_unlink(struct core_request *request);
