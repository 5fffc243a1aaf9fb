/*
 * Each element walks the corridor by itself, as a request with a parent. The
 * batch waits on the list and lends its elements the document; it counts as
 * one of them until all have begun, so that it cannot end before.
 */
#include "core/batch.h"

#include "core/limits.h"
#include "core/pipeline.h"

/* Answers make an array; a message without one leaves no trace. */
void core_batch_add(struct core_request *batch, const struct core_answer *answer)
{
    if (answer->text.data) {
        jsv_buf_append_byte(&batch->reply, batch->reply.size == 0 ? '[' : ',');
        jsv_buf_append_str(&batch->reply, answer->text);
    }
}

/* @return whether that was the last one. */
static bool is_last(struct core_request *batch)
{
    if (--batch->pending > 0) {
        return false;
    }
    jsv_buf_append(&batch->reply, "]", batch->reply.size > 0 ? 1 : 0);
    return true;
}

void core_batch_leave(struct core_request *batch)
{
    if (is_last(batch)) {
        batch->stage = CORE_STAGE_ANSWER;
        core_walk_or_park(batch);
    }
}

static void walk_element(struct core_request *batch, struct jsv_value element)
{
    struct core_request *request = core_request_take(batch->worker);
    if (!request) {
        core_batch_add(batch, &core_last_words);
        return;
    }
    batch->pending++;
    core_begin(request, batch->conn, &batch->frame);
    request->in_turn = false;
    request->parent = batch;
    request->root = element;
    request->input_bytes = jsv_value_span(element).size;
    request->stage = CORE_STAGE_RPC;
    core_walk_or_park(request);
}

static void refuse(struct core_request *batch, struct jsv_str details, struct jsv_str suggestion)
{
    batch->fault = (struct rpc_fault){
        .details = details,
        .suggestion = suggestion,
        .cause = JSV_STR(""),
    };
    core_refuse_shape(batch);
}

bool core_batch_split(struct core_request *batch)
{
    size_t count = jsv_value_count(batch->root);
    if (count > CORE_BATCH_MAX) {
        refuse(batch, JSV_STR("a batch has at most 100 messages"), JSV_STR("Send several batches"));
        return true;
    }
    if (count == 0) {
        refuse(
            batch,
            JSV_STR("a batch has at least one message"),
            JSV_STR("Send messages, or nothing"));
        return true;
    }
    batch->pending = 1;
    core_park(batch);
    struct jsv_iter iter = jsv_value_iter(batch->root);
    while (jsv_iter_next(&iter)) {
        walk_element(batch, iter.value);
    }
    return is_last(batch);
}
