/*
 * A line has the sender, the subject and the outcome of a message. Its ids are left blank, and what
 * they are made from is handed to the log's thread, which fills them in. The
 * loop makes them itself when that thread is busy, when ids are random, and
 * when there is no memory to pack what they are made from.
 */
#include "core/log_writer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/id_generator.h"
#include "core/outcome.h"
#include "core/request.h"
#include "jsv/base/alloc.h"
#include "log/log.h"
#include "os/sys.h"

/* The version of the fields of a line. */
#define LINE_VERSION "1.0"

/* For the largest message and the parts beside it; and what is kept for the next one. */
#define PACKED_SIZE_MAX ((size_t)8 * 1024 * 1024)
#define PACKED_KEPT_MAX ((size_t)256 * 1024)

/*
 * Refused connections need no token, so any peer can cause these lines. So many a second (some 5
 * KB) do not push others out of the files that are kept; the rest is only counted.
 */
#define REFUSALS_MAX 10
#define SECOND_US    1000000

struct core_log_writer {
    struct log_local *local;
    uint64_t refusals_since_us;
    unsigned refusals;            /* written since then */
    struct log_id_generator *ids; /* of this loop */
    struct jsv_buf packed;
    bool is_deterministic;
};

/* ---- ids ---- */

/* @param ids LOG_IDS of LOG_ID_SIZE characters. */
static void take_ids(struct log_event *event, const char *ids)
{
    for (size_t i = 0; i < LOG_IDS; i++) {
        if (!event->ids[i].data) {
            event->ids[i] = (struct jsv_str){ids + i * LOG_ID_SIZE, LOG_ID_SIZE};
        }
    }
}

static void
write_named(struct core_log_writer *writer, const struct log_event *event, struct jsv_str packed)
{
    char ids[LOG_IDS][LOG_ID_SIZE];
    struct log_event named = *event;
    writer->ids->generate(writer->ids, packed, ids);
    take_ids(&named, ids[0]);
    log_write(writer->local, &named);
}

/* What ids are made from, as one text; empty when there is no memory. */
static struct jsv_str join(struct core_log_writer *writer, const struct log_id_source *source)
{
    int r = jsv_buf_append_str(&writer->packed, source->body); /* the head is there */
    return r < 0 ? JSV_STR("") : jsv_buf_str(&writer->packed);
}

/* The same for a subject; empty: its ids are random. */
static struct jsv_str pack_whole(struct core_log_writer *writer, const struct core_subject *subject)
{
    struct log_id_source source;
    jsv_buf_reset(&writer->packed);
    bool is_packed = writer->is_deterministic &&
                     core_subject_pack(subject, JSV_STR(""), &writer->packed, &source) == 0;
    return is_packed ? join(writer, &source) : JSV_STR("");
}

static void trim_packed(struct core_log_writer *writer)
{
    if (writer->packed.capacity > PACKED_KEPT_MAX) {
        jsv_buf_done(&writer->packed);
    }
}

void core_log_writer_make_ids(
    struct core_log_writer *writer, const struct core_subject *subject, char *ret_ids)
{
    char ids[LOG_IDS][LOG_ID_SIZE];
    writer->ids->generate(writer->ids, pack_whole(writer, subject), ids);
    memcpy(ret_ids, ids, sizeof(ids));
    trim_packed(writer);
}

static void deliver(
    struct core_log_writer *writer,
    struct log_event *event,
    const struct core_subject *subject,
    struct jsv_str unread)
{
    struct log_id_source source;
    jsv_buf_reset(&writer->packed);
    if (!writer->is_deterministic ||
        core_subject_pack(subject, unread, &writer->packed, &source) < 0) {
        write_named(writer, event, JSV_STR(""));
    } else if (!log_write_blank(writer->local, event, &source)) {
        write_named(writer, event, join(writer, &source));
    }
    trim_packed(writer);
}

/* A message that belongs to a trace has the ids of that trace. */
static void take_trace(
    const struct core_request *request, const struct core_subject *subject, struct log_event *event)
{
    struct log_trace_context context = core_trace_of(request, subject->meta);
    struct jsv_str own =
        jsv_value_text(jsv_value_get(request->req.message.root, JSV_STR("trace_id")));
    struct log_trace trace;
    if (log_trace_read(context.parent, &trace)) {
        event->ids[LOG_ID_TRACE] = trace.trace_id;
        event->ids[LOG_ID_SPAN] = trace.span_id;
    } else if (own.size > 0 && request->req.dialect == &dialect_ref) {
        event->ids[LOG_ID_TRACE] = own;
    }
}

/* ---- the line ---- */

static struct jsv_value either(struct jsv_value object, struct jsv_str name, struct jsv_str other)
{
    struct jsv_value value = jsv_value_get(object, name);
    return jsv_value_type(value) != JSV_TYPE_NONE ? value : jsv_value_get(object, other);
}

/* Request envelopes have "agent". */
static struct jsv_value agent_of(struct jsv_value meta)
{
    struct jsv_value value = either(meta, JSV_STR("agentId"), JSV_STR("agent_id"));
    return jsv_value_type(value) != JSV_TYPE_NONE ? value : jsv_value_get(meta, JSV_STR("agent"));
}

static uint64_t attempt_of(struct jsv_value meta)
{
    int64_t attempt;
    int r = jsv_value_int64(jsv_value_get(meta, JSV_STR("attempt")), &attempt);
    return r == 0 && attempt > 0 ? (uint64_t)attempt : 1;
}

void core_log_writer_write(
    struct core_log_writer *writer,
    const struct core_request *request,
    const struct core_subject *subject,
    const struct log_outcome *outcome,
    const struct core_error *error)
{
    struct log_event event = {
        .wall_ms = log_wall_ms(writer->local, request->req.began_us + outcome->duration_us),
        .transport = jsv_str_from(outcome->transport),
        .route = subject->route,
        .method = subject->method,
        .status = jsv_str_from(error->status),
        .duration_us = outcome->duration_us,
        .queued_us = request->queued_us,
        .attempt = 1,
        .input_bytes = outcome->input_bytes,
        .output_bytes = outcome->output_bytes,
        .deterministic = writer->is_deterministic,
        .schema_version = JSV_STR(LINE_VERSION),
        .tool_id = subject->tool_id,
        .prompt_id = subject->prompt_id,
        .error_code = error->code,
        .error_message = error->message,
        .error_details = error->details,
        .stage = jsv_str_from(outcome->stage),
    };
    if (jsv_value_type(subject->meta) == JSV_TYPE_OBJECT) {
        event.agent_id = agent_of(subject->meta);
        event.task_id = either(subject->meta, JSV_STR("taskId"), JSV_STR("task_id"));
        event.step_id = either(subject->meta, JSV_STR("stepId"), JSV_STR("step_id"));
        event.attempt = attempt_of(subject->meta);
    }
    take_trace(request, subject, &event);
    if (core_request_ids(request)) {
        take_ids(&event, core_request_ids(request));
        log_write(writer->local, &event);
        return;
    }
    deliver(writer, &event, subject, request->frame.text);
}

/* ---- refusals ---- */

static bool may_write_refusal(struct core_log_writer *writer, uint64_t now_us)
{
    if (now_us - writer->refusals_since_us >= SECOND_US) {
        writer->refusals_since_us = now_us;
        writer->refusals = 0;
    }
    return writer->refusals++ < REFUSALS_MAX;
}

void core_log_writer_refusal(
    struct core_log_writer *writer, const char *transport, unsigned http_status, const char *why)
{
    static const struct core_subject unread = {.seed = CORE_SEED_UNREAD};
    uint64_t now_us = os_now_us();
    if (!may_write_refusal(writer, now_us)) {
        return;
    }
    char code[CORE_ERROR_NAME_SIZE] = "REFUSED";
    char status[CORE_ERROR_NAME_SIZE] = "refused";
    if (http_status > 0) {
        snprintf(code, sizeof(code), "HTTP_%u", http_status);
        snprintf(status, sizeof(status), "http_%u", http_status);
    }
    struct log_event event = {
        .wall_ms = log_wall_ms(writer->local, now_us),
        .transport = jsv_str_from(transport),
        .status = jsv_str_from(status),
        .attempt = 1,
        .deterministic = writer->is_deterministic,
        .schema_version = JSV_STR(LINE_VERSION),
        .error_code = jsv_str_from(code),
        .error_message = jsv_str_from(why),
        .stage = JSV_STR("frame"),
    };
    deliver(writer, &event, &unread, jsv_str_from(why));
}

/* ---- lifetime ---- */

/* One generator for the loop, and one for the log's thread, which outlives it. */
static int make_generators(struct core_log_writer *writer)
{
    struct log_id_generator *other = NULL;
    int r = core_id_generator_new(&writer->ids);
    if (r == 0 && writer->is_deterministic) {
        r = core_id_generator_new(&other);
    }
    if (other) {
        log_set_id_generator(writer->local, other);
    }
    return r;
}

int core_log_writer_new(struct log_local *local, struct core_log_writer **ret_writer)
{
    struct core_log_writer *writer = jsv_alloc(os_allocator(), sizeof(*writer));
    if (!writer) {
        return -ENOMEM;
    }
    *writer = (struct core_log_writer){
        .local = local,
        .is_deterministic = log_is_deterministic(local),
    };
    jsv_buf_init(&writer->packed, os_allocator(), PACKED_SIZE_MAX);
    int r = make_generators(writer);
    if (r < 0) {
        core_log_writer_free(writer);
        return r;
    }
    *ret_writer = writer;
    return 0;
}

void core_log_writer_free(struct core_log_writer *writer)
{
    if (!writer) {
        return;
    }
    if (writer->ids) {
        writer->ids->free(writer->ids);
    }
    jsv_buf_done(&writer->packed);
    jsv_dealloc(os_allocator(), writer, sizeof(*writer));
}
