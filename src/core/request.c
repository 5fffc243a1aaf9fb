#include "core/request.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "catalog/catalog.h"
#include "core/limits.h"
#include "core/request_log.h"
#include "core/worker_state.h"
#include "jsv/base/alloc.h"
#include "log/event.h"
#include "os/sys.h"

/* Unused requests a worker keeps: as many as usually wait at the same time. */
#define IDLE_MAX 16

/* Memory a request keeps for the next message; more is freed. */
#define KEPT_SIZE_MAX ((size_t)256 * 1024)

static void buf_trim(struct jsv_buf *buf)
{
    jsv_buf_reset(buf);
    if (buf->capacity > KEPT_SIZE_MAX) {
        jsv_buf_done(buf);
    }
}

static struct core_request *request_new(struct core_worker *worker)
{
    const struct jsv_allocator *allocator = os_allocator();
    struct core_request *request = jsv_alloc(os_allocator(), sizeof(struct core_request));
    if (!request) {
        return NULL;
    }
    *request = (struct core_request){.worker = worker};
    jsv_arena_init(&request->scratch, allocator, CORE_SCRATCH_MAX);
    jsv_buf_init(&request->result, allocator, CORE_REPLY_SIZE_MAX);
    jsv_buf_init(&request->reply, allocator, CORE_REPLY_SIZE_MAX);
    jsv_buf_init(&request->inputs, allocator, CORE_REPLY_SIZE_MAX);
    return request;
}

void core_request_free(struct core_request *request)
{
    jsv_document_free(request->document);
    jsv_document_free(request->extra_document);
    jsv_arena_done(&request->scratch);
    jsv_buf_done(&request->result);
    jsv_buf_done(&request->reply);
    jsv_buf_done(&request->inputs);
    jsv_dealloc(os_allocator(), request, sizeof(*request));
}

static struct core_request *take_idle(struct core_worker *worker)
{
    struct core_request *request = worker->idle_requests;
    if (request) {
        worker->idle_requests = request->next;
        worker->idle_count--;
        request->next = NULL;
    }
    return request;
}

struct core_request *core_request_take(struct core_worker *worker)
{
    struct core_request *request = take_idle(worker);
    if (!request) {
        request = request_new(worker);
    }
    if (request && !request->document) {
        request->document = jsv_document_new(os_allocator());
        if (!request->document) {
            core_request_free(request);
            return NULL;
        }
    }
    return request;
}

/* Make it as new, but keep its memory unless that is a lot. */
static void request_reset(struct core_request *request)
{
    if (request->frame.text.size > KEPT_SIZE_MAX / 4) {
        jsv_document_free(request->document);
        request->document = NULL;
    }
    jsv_document_free(request->extra_document);
    rpc_chunk_release(request->shortened);
    if (request->scratch.held > KEPT_SIZE_MAX) {
        jsv_arena_done(&request->scratch);
    } else {
        jsv_arena_reset(&request->scratch);
    }
    buf_trim(&request->result);
    buf_trim(&request->reply);
    buf_trim(&request->inputs);
    memset(request, 0, offsetof(struct core_request, worker));
}

void core_request_give_back(struct core_request *request)
{
    struct core_worker *worker = request->worker;
    request_reset(request);
    if (worker->idle_count == IDLE_MAX) {
        core_request_free(request);
        return;
    }
    request->next = worker->idle_requests;
    worker->idle_requests = request;
    worker->idle_count++;
}

/* ---- time ---- */

void core_request_add_queued(struct core_request *request, uint64_t microseconds)
{
    request->queued_us += microseconds;
    request->req.began_us += microseconds;
}

void core_request_begin_queueing(struct core_request *request)
{
    if (request->queued_since_us == 0) {
        request->queued_since_us = os_now_us();
    }
}

void core_request_end_queueing(struct core_request *request)
{
    if (request->queued_since_us > 0) {
        core_request_add_queued(request, os_now_us() - request->queued_since_us);
        request->queued_since_us = 0;
    }
}

/* ---- short messages ---- */

#define IDS_SIZE ((size_t)LOG_IDS * LOG_ID_SIZE)

int core_request_shorten(struct core_request *request, struct jsv_str message)
{
    struct jsv_document *document = jsv_document_new(os_allocator());
    struct rpc_chunk *chunk = rpc_chunk_new(message.size + IDS_SIZE);
    struct jsv_str text = {chunk ? chunk->data : NULL, message.size};
    struct jsv_error error;
    if (chunk) {
        memcpy(chunk->data, message.data, message.size);
    }
    if (!chunk || !document || jsv_read(request->worker->reader, document, text, 0, &error) < 0) {
        rpc_chunk_release(chunk);
        jsv_document_free(document);
        return -ENOMEM;
    }
    core_log_make_ids(request, chunk->data + message.size);
    jsv_document_free(request->document);
    request->document = document;
    request->root = jsv_document_root(document);
    request->frame.text = text;
    request->frame.chunk = request->shortened = chunk;
    (void)rpc_message_read(request->root, &request->req.message, &request->fault);
    return 0;
}

const char *core_request_ids(const struct core_request *request)
{
    return request->shortened ? request->shortened->data + request->frame.text.size : NULL;
}

void core_request_free_scratch(struct core_request *request)
{
    jsv_arena_done(&request->scratch);
    jsv_buf_done(&request->result);
    jsv_buf_done(&request->reply);
    jsv_buf_done(&request->inputs);
}

/* ---- waiting ---- */

/*
 * The text of a message: its frame's chunk, which may hold other frames, too. A running tool may
 * have a copy. Elements of a batch use the batch's.
 */
static size_t text_memory(const struct core_request *request)
{
    const struct rpc_frame *frame = &request->frame;
    size_t capacity = frame->chunk->capacity;
    size_t size = frame->text.size > capacity ? frame->text.size : capacity;
    return (request->parent ? 0 : size) + (request->is_calling ? request->input_bytes : 0);
}

/* All memory of a waiting request. With many short values it is several times the text. */
static size_t memory_of(const struct core_request *request)
{
    return sizeof(*request) + text_memory(request) + jsv_document_memory(request->document) +
           jsv_document_memory(request->extra_document) + request->scratch.held +
           request->result.capacity + request->reply.capacity + request->inputs.capacity;
}

void core_request_link(struct core_request *request)
{
    struct core_conn *conn = request->conn;
    request->is_linked = true;
    request->catalog = catalog_retain(request->worker->catalog);
    rpc_chunk_retain(request->frame.chunk);
    os_list_append(&conn->requests, request);
    conn->request_count++;
    core_log_count_waiting(request->worker->request_log, 1);
    request->kept_bytes = memory_of(request);
    conn->request_bytes += request->kept_bytes;
}

void core_request_unlink(struct core_request *request)
{
    struct core_conn *conn = request->conn;
    core_announce_skip_request(request);
    os_list_remove(&conn->requests, request);
    request->is_linked = false;
    conn->request_count--;
    core_log_count_waiting(request->worker->request_log, -1);
    conn->request_bytes -= request->kept_bytes;
    if (conn->order_holder == request) {
        conn->order_holder = NULL;
    }
    rpc_chunk_release(request->frame.chunk);
    catalog_release(request->catalog);
}
