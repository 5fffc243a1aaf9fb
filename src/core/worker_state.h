/*
 * The inside of a worker, for this room.
 */
#pragma once

#include "core/worker.h"

struct core_conn;
struct core_request;

struct core_worker {
    struct loop *loop;
    const struct core_settings *settings;
    struct catalog *catalog;
    struct tools *tools;
    struct jsv_reader *reader;
    struct jsv_reader *output_reader;
    struct jsv_validator *validator;
    struct jsv_document *empty;         /* {} */
    struct jsv_document *output;        /* a result that is being checked */
    struct core_request *idle_requests; /* to be used again */
    size_t idle_count;
    struct core_conn *conns; /* to be told when the snapshot changes */
};
