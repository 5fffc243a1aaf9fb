/*
 * The inside of a worker, for this room.
 */
#pragma once

#include "core/announce.h"
#include "core/proven.h"
#include "core/sessions.h"
#include "core/worker.h"
#include "os/list.h"
#include "os/uuid.h"
#include "rpc/pool.h"

struct core_conn;
struct core_account;
struct core_request;

struct core_worker {
    struct loop *loop;
    const struct core_settings *settings;
    struct catalog *catalog;
    struct core_account *account; /* NULL: nothing is kept of messages */
    struct tools *tools;
    struct jsv_reader *reader;
    struct jsv_reader *output_reader;
    struct jsv_validator *validator;        /* its steps are shared by all a message asks for */
    struct jsv_validator *output_validator; /* of our own results, which nobody else decides */
    struct jsv_document *empty;             /* {} */
    struct jsv_document *output;            /* a result that is being checked */
    struct core_proven proven_results;      /* of tools, by the snapshot's schemas */
    struct core_proven proven_answers;      /* results of messages, by the protocol's definitions */
    struct rpc_pool pool;
    uint64_t clock_us;      /* when a message or other work last began, or ended; os_now_us() */
    struct jsv_arena aside; /* for checking a message while its request is under way */
    struct core_request *idle_requests; /* to be used again */
    size_t idle_count;
    struct loop_deferred turns; /* that were promised, for the next round */
    OS_LIST_OF(struct core_conn)
    conns; /* to be told when the snapshot changes, or a session ends */
    struct core_announcer announcer;
    struct loop_timer *news;             /* of the diagnostics, when they are to be told */
    bool has_news;                       /* the timer runs */
    uint64_t news_told;                  /* log_new_problems() when our connections were told */
    uint64_t slow_reader_quiet_until_ms; /* no further warning about one before */
    struct core_sessions_listener listener;
};
