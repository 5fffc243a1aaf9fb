#include "core/worker.h"

#include <errno.h>

#include "catalog/catalog.h"
#include "core/announce.h"
#include "core/limits.h"
#include "core/pipeline.h"
#include "core/request_log.h"
#include "core/worker_state.h"
#include "jsv/base/alloc.h"
#include "loop/loop.h"
#include "os/sys.h"

_Static_assert(RPC_POOL_SPARES_MAX >= LOOP_ROUND_READS, "all readers of a round get a buffer");

static const struct jsv_limits reader_limits = {
    .size_max = CORE_FRAME_SIZE_MAX,
    .depth_max = CORE_DEPTH_MAX,
};

/* An answer may nest parts of a message a few levels deeper. */
#define ANSWER_DEPTH_MORE 16

static const struct jsv_limits output_limits = {
    .size_max = CORE_REPLY_SIZE_MAX,
    .depth_max = CORE_DEPTH_MAX + ANSWER_DEPTH_MORE,
};

static const struct jsv_validator_limits validator_limits = {
    .steps_max = CORE_STEPS_MAX,
    .problems_max = CORE_PROBLEMS_MAX,
};

static int make_parts(struct core_worker *worker)
{
    worker->reserved.run = core_run_reserved;
    core_announce_init(worker);
    worker->reader = jsv_reader_new(os_allocator(), &reader_limits);
    worker->output_reader = jsv_reader_new(os_allocator(), &output_limits);
    worker->validator = jsv_validator_new(os_allocator(), &validator_limits);
    worker->output_validator = jsv_validator_new(os_allocator(), &validator_limits);
    worker->empty = jsv_document_new(os_allocator());
    worker->output = jsv_document_new(os_allocator());
    if (!worker->reader || !worker->output_reader || !worker->validator ||
        !worker->output_validator || !worker->empty || !worker->output) {
        return -ENOMEM;
    }
    struct jsv_error error;
    int r = jsv_read(worker->reader, worker->empty, JSV_STR("{}"), 0, &error);
    r = r < 0 ? r : core_request_log_new(worker->settings->log, &worker->request_log);
    core_log_count_snapshot(worker->request_log);
    r = r < 0 ? r : loop_timer_new(worker->loop, core_news_due, worker, &worker->news);
    r = r < 0 ? r : tools_new(worker->loop, &worker->settings->tools, &worker->tools);
    if (r == 0) {
        tools_count(worker->tools, core_request_log_counters(worker->request_log));
    }
    return r;
}

static void on_change(struct core_sessions_listener *listener)
{
    struct core_worker *worker = os_container_of(listener, struct core_worker, listener);
    core_conns_end_streams(worker->conns.first);
    core_announce_news(worker);
}

int core_worker_new(
    struct loop *loop,
    const struct core_settings *settings,
    struct catalog *catalog,
    struct core_worker **ret_worker)
{
    struct core_worker *worker = jsv_alloc(os_allocator(), sizeof(struct core_worker));
    if (!worker) {
        return -ENOMEM;
    }
    *worker = (struct core_worker){
        .loop = loop,
        .settings = settings,
        .catalog = catalog_retain(catalog),
        .listener = {.loop = loop, .changed = on_change},
    };
    core_sessions_join(settings->sessions, &worker->listener);
    rpc_pool_init(&worker->pool);
    int r = make_parts(worker);
    if (r < 0) {
        core_worker_free(worker);
        return r;
    }
    *ret_worker = worker;
    return 0;
}

void core_worker_free(struct core_worker *worker)
{
    if (!worker) {
        return;
    }
    core_sessions_leave(worker->settings->sessions, &worker->listener);
    while (worker->idle_requests) {
        struct core_request *request = worker->idle_requests;
        worker->idle_requests = request->next;
        core_request_free(request);
    }
    core_announce_done(worker);
    loop_timer_close(worker->news);
    loop_cancel(worker->loop, &worker->reserved);
    tools_free(worker->tools);
    core_request_log_free(worker->request_log);
    rpc_pool_done(&worker->pool);
    jsv_document_free(worker->output);
    jsv_document_free(worker->empty);
    jsv_validator_free(worker->output_validator);
    jsv_validator_free(worker->validator);
    jsv_reader_free(worker->output_reader);
    jsv_reader_free(worker->reader);
    catalog_release(worker->catalog);
    jsv_dealloc(os_allocator(), worker, sizeof(*worker));
}

struct loop *core_worker_loop(const struct core_worker *worker)
{
    return worker->loop;
}

struct rpc_pool *core_worker_pool(struct core_worker *worker)
{
    return &worker->pool;
}

struct log *core_worker_log(const struct core_worker *worker)
{
    return core_request_log_target(worker->request_log);
}

void core_worker_set_catalog(struct core_worker *worker, struct catalog *catalog)
{
    struct catalog *before = worker->catalog;
    worker->catalog = catalog_retain(catalog);
    core_log_count_snapshot(worker->request_log);
    core_announce(worker, before);
    catalog_release(before);
}
