/*
 * A batch: several messages in one array, where the protocol version allows it.
 *
 * Each element runs through the pipeline as a request with a parent. The batch
 * waits on its connection's list and lends its document to the elements. While
 * elements are started it counts as one of them, so that it cannot end early.
 */
#include "core/limits.h"
#include "core/pipeline.h"

/* An element without an answer leaves no trace in the array. */
void core_batch_add(struct core_request *batch, const struct core_answer *answer)
{
    if (answer->text.data) {
        jsv_buf_append_byte(&batch->reply, batch->reply.size == 0 ? '[' : ',');
        jsv_buf_append_str(&batch->reply, answer->text);
    }
}

/* @return whether that was the last one. */
static bool leave(struct core_request *batch)
{
    if (--batch->pending > 0) {
        return false;
    }
    jsv_buf_append(&batch->reply, "]", batch->reply.size > 0 ? 1 : 0);
    return true;
}

void core_batch_leave(struct core_request *batch)
{
    if (leave(batch)) {
        core_run_at(batch, CORE_STAGE_ANSWER);
    }
}

static void run_element(struct core_request *batch, struct jsv_value element)
{
    struct core_request *request = core_request_take(batch->worker);
    if (!request) {
        core_batch_add(batch, &core_out_of_memory);
        return;
    }
    batch->pending++;
    core_start(request, batch->conn, &batch->frame);
    request->serial = false;
    request->parent = batch;
    request->root = element;
    request->input_bytes = jsv_value_span(element).size;
    core_run_at(request, CORE_STAGE_RPC);
}

bool core_batch_split(struct core_request *batch)
{
    static const struct rpc_fault too_many = {
        .details = JSV_STR("a batch has at most 100 messages"),
        .suggestion = JSV_STR("Send several batches"),
        .cause = JSV_STR(""),
    };
    static const struct rpc_fault empty = {
        .details = JSV_STR("a batch has at least one message"),
        .suggestion = JSV_STR("Send messages, or nothing"),
        .cause = JSV_STR(""),
    };
    size_t count = jsv_value_count(batch->root);
    if (count == 0 || count > CORE_BATCH_MAX) {
        batch->fault = count == 0 ? empty : too_many;
        core_refuse_shape(batch);
        return true;
    }
    batch->pending = 1;
    core_park(batch);
    struct jsv_iter iter = jsv_value_iter(batch->root);
    while (jsv_iter_next(&iter)) {
        run_element(batch, iter.value);
    }
    return leave(batch);
}
