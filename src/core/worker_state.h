/*
 * The members of a worker, for this folder.
 */
#pragma once

#include "core/announce.h"
#include "core/sessions.h"
#include "core/worker.h"
#include "os/list.h"
#include "rpc/pool.h"

struct core_conn;
struct core_request;
struct core_request_log;

struct core_worker {
    struct loop *loop;
    const struct core_settings *settings;
    struct catalog *catalog;
    struct core_request_log *request_log; /* NULL: messages are not logged */
    struct tools *tools;
    struct jsv_reader *reader;
    struct jsv_reader *output_reader;
    struct jsv_validator *validator; /* its step budget is shared by all checks of a message */
    struct jsv_validator *output_validator; /* for results of programs */
    struct jsv_document *empty;             /* {} */
    struct jsv_document *output;            /* a result or an answer that is read again */
    struct rpc_pool pool;
    uint64_t clock_us; /* when a message or other work last began, or ended; os_now_us() */
    struct core_request *idle_requests; /* unused */
    size_t idle_count;
    struct loop_deferred reserved; /* runs the requests that the order is reserved for */
    OS_LIST_OF(struct core_conn) conns;
    struct core_announcer announcer;
    struct loop_timer *news;             /* until changed diagnostics are announced */
    bool has_news;                       /* the timer runs */
    uint64_t news_told;                  /* log_new_problems() at the last announcement */
    uint64_t slow_reader_quiet_until_ms; /* no further warning before */
    struct core_sessions_listener listener;
};
