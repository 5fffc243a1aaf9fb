/*
 * A pipeline that echoes, for tests of net: it replaces core as a whole, and
 * takes these lines instead of JSON:
 *
 *     big <n>        answered with n bytes
 *     wait <text>    answered with the text, when a later line or echo_release() lets it
 *     listen         answered with "over" when the connection finishes
 *     release        lets all that wait go; not answered
 *     push           answered with two lines, the first of which is not an answer
 *     flood <n> <m>  n messages of m bytes are pushed, as long as they are welcome; not answered
 *     quiet          not answered
 *     anything else  answered with itself; "oversize" for a line that is
 *
 * Answers keep the order of the lines, so those behind one that waits wait.
 * To be included by one file of a program.
 */
#pragma once

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/conn.h"
#include "core/limits.h"
#include "core/worker.h"
#include "loop/loop.h"
#include "rpc/pool.h"

struct core_request {
    struct core_request *next;
    struct core_request *previous;
    bool listens;
    struct rpc_chunk *chunk;
    struct jsv_str text;
};

struct core_worker {
    struct loop *loop;
    struct loop_task task; /* to itself, when a connection is done */
    bool is_told;          /* it is on its way */
    struct rpc_pool pool;
    struct catalog *catalog;
    unsigned long catalogs; /* that were set */
};

/* What tests look at; counted by all threads. */
static struct {
    unsigned long handled;
    unsigned long done;
    unsigned long cancelled; /* requests in flight when the connection was */
    unsigned long late;      /* workers that were freed before they had heard all */
    unsigned long refused;   /* before they were messages */
    unsigned long slow;      /* connections that did not read what was pushed */
} echo;

static inline void echo_count(unsigned long *counter, unsigned long more)
{
    __atomic_add_fetch(counter, more, __ATOMIC_RELAXED);
}

static inline void echo_hear(struct loop_task *task)
{
    struct core_worker *worker =
        (struct core_worker *)((char *)task - offsetof(struct core_worker, task));
    worker->is_told = false;
}

int core_worker_new(
    struct loop *loop,
    const struct core_settings *settings,
    struct catalog *catalog,
    struct core_worker **ret_worker)
{
    (void)settings;
    struct core_worker *worker = calloc(1, sizeof(*worker));
    worker->loop = loop;
    worker->task.run = echo_hear;
    rpc_pool_init(&worker->pool);
    worker->catalog = catalog;
    *ret_worker = worker;
    return 0;
}

void core_worker_free(struct core_worker *worker)
{
    if (worker) {
        echo_count(&echo.late, worker->is_told);
        rpc_pool_done(&worker->pool);
        free(worker);
    }
}

struct rpc_pool *core_worker_pool(struct core_worker *worker)
{
    return &worker->pool;
}

struct loop *core_worker_loop(const struct core_worker *worker)
{
    return worker->loop;
}

void core_worker_set_catalog(struct core_worker *worker, struct catalog *catalog)
{
    worker->catalog = catalog;
    __atomic_add_fetch(&worker->catalogs, 1, __ATOMIC_RELAXED);
}

void core_conn_init(
    struct core_conn *conn,
    const struct core_conn_ops *ops,
    struct core_worker *worker,
    enum core_transport transport)
{
    *conn = (struct core_conn){.ops = ops, .worker = worker, .transport = transport};
}

bool core_conn_is_busy(const struct core_conn *conn)
{
    return conn->requests.first != NULL;
}

/* Requests of lines that begin with "listen" listen. */
bool core_conn_only_listens(const struct core_conn *conn)
{
    const struct core_request *request = conn->requests.first;
    while (request && request->listens) {
        request = request->next;
    }
    return !request;
}

bool core_conn_is_full(const struct core_conn *conn)
{
    return conn->request_count >= CORE_IN_FLIGHT_MAX;
}

/* Each line takes echo_line_us of the round. */
static uint64_t echo_line_us;

void core_conn_begin_round(struct core_conn *conn)
{
    conn->round_began_us = 0;
}

bool core_conn_has_time(const struct core_conn *conn)
{
    return conn->round_began_us < CORE_ROUND_US;
}

void core_conn_count_time(struct core_conn *conn)
{
    (void)conn; /* only lines take time here */
}

static void echo_pop(struct core_conn *conn)
{
    struct core_request *request = conn->requests.first;
    os_list_remove(&conn->requests, request);
    conn->request_count--;
    rpc_chunk_release(request->chunk);
    free(request);
}

void core_conn_done(struct core_conn *conn)
{
    echo_count(&echo.done, 1);
    echo_count(&echo.cancelled, conn->request_count);
    while (conn->requests.first) {
        echo_pop(conn);
    }
    if (!conn->worker->is_told) {
        conn->worker->is_told = true;
        loop_post(conn->worker->loop, &conn->worker->task);
    }
}

static void echo_send(struct core_conn *conn, struct jsv_str text)
{
    const struct core_answer answer = {.text = text};
    conn->ops->answer(conn, &answer);
}

static void echo_answer(struct core_conn *conn, struct jsv_str text)
{
    if (text.size > 4 && memcmp(text.data, "big ", 4) == 0) {
        size_t size = strtoul(text.data + 4, NULL, 10);
        char *big = malloc(size);
        memset(big, 'b', size);
        echo_send(conn, (struct jsv_str){big, size});
        free(big);
    } else {
        echo_send(conn, text);
    }
}

void core_refused(
    struct core_worker *worker,
    enum core_transport transport,
    unsigned http_status,
    const char *why)
{
    (void)worker;
    (void)transport;
    (void)http_status;
    (void)why;
    echo_count(&echo.refused, 1);
}

/* Let all that wait go, from outside of core_handle() or at the end of it. */
static void echo_release(struct core_conn *conn)
{
    while (conn->requests.first) {
        echo_answer(conn, conn->requests.first->text);
        echo_pop(conn);
    }
}

static void
echo_keep(struct core_conn *conn, const struct rpc_frame *frame, struct jsv_str text, bool listens)
{
    struct core_request *request = calloc(1, sizeof(*request));
    request->listens = listens;
    request->chunk = rpc_chunk_retain(frame->chunk);
    request->text = text;
    os_list_append(&conn->requests, request);
    conn->request_count++;
}

static void echo_flood(struct core_conn *conn, struct jsv_str text)
{
    char *end;
    size_t count = strtoul(text.data + strlen("flood "), &end, 10);
    size_t size = strtoul(end, NULL, 10);
    char *message = malloc(size);
    memset(message, 'p', size);
    while (count-- > 0 && conn->ops->can_push(conn)) {
        conn->ops->push(conn, (struct jsv_str){message, size});
    }
    free(message);
}

static bool echo_begins(struct jsv_str text, const char *word)
{
    return text.size >= strlen(word) && memcmp(text.data, word, strlen(word)) == 0;
}

void core_handle(struct core_conn *conn, const struct rpc_frame *frame)
{
    assert(!core_conn_is_full(conn));
    struct jsv_str text = frame->oversize ? JSV_STR("oversize") : frame->text;
    echo_count(&echo.handled, 1);
    conn->round_began_us += echo_line_us;
    if (echo_begins(text, "quiet")) {
        echo_send(conn, (struct jsv_str){NULL, 0});
    } else if (echo_begins(text, "push")) {
        conn->ops->push(conn, JSV_STR("pushed"));
        echo_send(conn, text);
    } else if (echo_begins(text, "flood ")) {
        echo_flood(conn, text);
    } else if (echo_begins(text, "release")) {
        echo_release(conn);
    } else if (echo_begins(text, "wait ")) {
        echo_keep(conn, frame, (struct jsv_str){text.data + 5, text.size - 5}, false);
    } else if (echo_begins(text, "listen")) {
        echo_keep(conn, frame, JSV_STR("over"), true);
    } else if (conn->requests.first) {
        echo_keep(conn, frame, text, false);
    } else {
        echo_answer(conn, text);
    }
}

/* Of HTTP, which has tests of its own. */
struct log *core_worker_log(const struct core_worker *worker)
{
    (void)worker;
    return NULL;
}

void core_report_slow_reader(struct core_conn *conn, const char *why)
{
    (void)conn;
    (void)why;
    echo_count(&echo.slow, 1);
}

void core_conn_finish(struct core_conn *conn)
{
    if (conn->requests.first && core_conn_only_listens(conn)) {
        echo_release(conn);
    }
}

unsigned core_open_stream(struct core_conn *conn)
{
    (void)conn;
    return 404;
}

unsigned core_end_session(struct core_conn *conn)
{
    (void)conn;
    return 404;
}
