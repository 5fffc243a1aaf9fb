/*
 * A line tells who asked, what for, and how it went. Its ids are left blank,
 * and what they are made of goes along: the log's thread fills them in. The
 * loop makes them itself when that thread has enough to do, when they are to
 * be random, and when there is no memory to pack the subject into.
 */
#include "core/lines.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/fault.h"
#include "core/naming.h"
#include "core/request.h"
#include "core/trace.h"
#include "jsv/base/alloc.h"
#include "log/log.h"
#include "os/sys.h"

/* Version of the lines' fields. */
#define LINE_VERSION "1.0"

/* Room for the largest message and the parts beside it; and what is kept for the next one. */
#define PACKED_SIZE_MAX ((size_t)8 * 1024 * 1024)
#define PACKED_KEPT_MAX ((size_t)256 * 1024)

/*
 * Whoever has no token can still knock, as often as the machine lets them. So many lines of that
 * kind a second (some 5 KB) push no others out of the files that are kept; the rest is counted.
 */
#define REFUSALS_MAX 10
#define SECOND_US    1000000

struct core_lines {
    struct log_local *share;
    uint64_t refusals_since_us;
    unsigned refusals;              /* written since then */
    struct log_id_generator *namer; /* the loop's own */
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
write_named(struct core_lines *lines, const struct log_event *event, struct jsv_str packed)
{
    char ids[LOG_IDS][LOG_ID_SIZE];
    struct log_event named = *event;
    lines->namer->generate(lines->namer, packed, ids);
    take_ids(&named, ids[0]);
    log_write(lines->share, &named);
}

/* A question as one text; empty when there is no memory. */
static struct jsv_str join(struct core_lines *lines, const struct log_id_source *question)
{
    int r = jsv_buf_append_str(&lines->packed, question->body); /* the head is there */
    return r < 0 ? JSV_STR("") : jsv_buf_str(&lines->packed);
}

/* What the ids of a subject are made of, as one text; empty: they are random. */
static struct jsv_str pack_whole(struct core_lines *lines, const struct core_subject *subject)
{
    struct log_id_source question;
    jsv_buf_reset(&lines->packed);
    bool is_packed = lines->is_deterministic &&
                     core_subject_pack(subject, JSV_STR(""), &lines->packed, &question) == 0;
    return is_packed ? join(lines, &question) : JSV_STR("");
}

static void trim_packed(struct core_lines *lines)
{
    if (lines->packed.capacity > PACKED_KEPT_MAX) {
        jsv_buf_done(&lines->packed);
    }
}

void core_lines_name(struct core_lines *lines, const struct core_subject *subject, char *ret_ids)
{
    char ids[LOG_IDS][LOG_ID_SIZE];
    lines->namer->generate(lines->namer, pack_whole(lines, subject), ids);
    memcpy(ret_ids, ids, sizeof(ids));
    trim_packed(lines);
}

static void deliver(
    struct core_lines *lines,
    struct log_event *event,
    const struct core_subject *subject,
    struct jsv_str unread)
{
    struct log_id_source question;
    jsv_buf_reset(&lines->packed);
    if (!lines->is_deterministic ||
        core_subject_pack(subject, unread, &lines->packed, &question) < 0) {
        write_named(lines, event, JSV_STR(""));
    } else if (!log_write_blank(lines->share, event, &question)) {
        write_named(lines, event, join(lines, &question));
    }
    trim_packed(lines);
}

/* A caller who is being traced has names of its own. */
static void take_trace(
    const struct core_request *request, const struct core_subject *subject, struct log_event *event)
{
    struct log_trace_context context = core_trace_of(request, subject->meta);
    struct jsv_str own =
        jsv_value_text(jsv_value_get(request->asked.message.root, JSV_STR("trace_id")));
    struct log_trace trace;
    if (log_trace_read(context.parent, &trace)) {
        event->ids[LOG_ID_TRACE] = trace.trace_id;
        event->ids[LOG_ID_SPAN] = trace.span_id;
    } else if (own.size > 0 && request->asked.dialect == &dialect_ref) {
        event->ids[LOG_ID_TRACE] = own;
    }
}

/* ---- the line ---- */

static struct jsv_value either(struct jsv_value object, struct jsv_str name, struct jsv_str other)
{
    struct jsv_value value = jsv_value_get(object, name);
    return jsv_value_type(value) != JSV_TYPE_NONE ? value : jsv_value_get(object, other);
}

/* Request envelopes call it just "agent". */
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

void core_lines_write(
    struct core_lines *lines,
    const struct core_request *request,
    const struct core_subject *subject,
    const struct log_outcome *outcome,
    const struct core_fault *fault)
{
    struct log_event event = {
        .wall_ms = log_wall_ms(lines->share, request->asked.began_us + outcome->duration_us),
        .transport = jsv_str_from(outcome->transport),
        .route = subject->route,
        .method = subject->method,
        .status = jsv_str_from(fault->status),
        .duration_us = outcome->duration_us,
        .queued_us = request->queued_us,
        .attempt = 1,
        .input_bytes = outcome->input_bytes,
        .output_bytes = outcome->output_bytes,
        .deterministic = lines->is_deterministic,
        .schema_version = JSV_STR(LINE_VERSION),
        .tool_id = subject->tool_id,
        .prompt_id = subject->prompt_id,
        .error_code = fault->code,
        .error_message = fault->message,
        .error_details = fault->details,
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
        log_write(lines->share, &event);
        return;
    }
    deliver(lines, &event, subject, request->frame.text);
}

/* ---- doors ---- */

static bool may_write_refusal(struct core_lines *lines, uint64_t now_us)
{
    if (now_us - lines->refusals_since_us >= SECOND_US) {
        lines->refusals_since_us = now_us;
        lines->refusals = 0;
    }
    return lines->refusals++ < REFUSALS_MAX;
}

void core_lines_write_refusal(
    struct core_lines *lines, const char *transport, unsigned http_status, const char *why)
{
    static const struct core_subject nobody_knows = {.seed = CORE_SEED_UNREAD};
    uint64_t now_us = os_now_us();
    if (!may_write_refusal(lines, now_us)) {
        return;
    }
    char code[CORE_FAULT_NAME_SIZE] = "REFUSED";
    char status[CORE_FAULT_NAME_SIZE] = "refused";
    if (http_status > 0) {
        snprintf(code, sizeof(code), "HTTP_%u", http_status);
        snprintf(status, sizeof(status), "http_%u", http_status);
    }
    struct log_event event = {
        .wall_ms = log_wall_ms(lines->share, now_us),
        .transport = jsv_str_from(transport),
        .status = jsv_str_from(status),
        .attempt = 1,
        .deterministic = lines->is_deterministic,
        .schema_version = JSV_STR(LINE_VERSION),
        .error_code = jsv_str_from(code),
        .error_message = jsv_str_from(why),
        .stage = JSV_STR("frame"),
    };
    deliver(lines, &event, &nobody_knows, jsv_str_from(why));
}

/* ---- making and unmaking ---- */

/* One for the loop, and one for the log's thread, which outlives it. */
static int make_namers(struct core_lines *lines)
{
    struct log_id_generator *other = NULL;
    int r = core_namer_new(&lines->namer);
    if (r == 0 && lines->is_deterministic) {
        r = core_namer_new(&other);
    }
    if (other) {
        log_set_id_generator(lines->share, other);
    }
    return r;
}

int core_lines_new(struct log_local *share, struct core_lines **ret_lines)
{
    struct core_lines *lines = jsv_alloc(os_allocator(), sizeof(*lines));
    if (!lines) {
        return -ENOMEM;
    }
    *lines = (struct core_lines){
        .share = share,
        .is_deterministic = log_is_deterministic(share),
    };
    jsv_buf_init(&lines->packed, os_allocator(), PACKED_SIZE_MAX);
    int r = make_namers(lines);
    if (r < 0) {
        core_lines_free(lines);
        return r;
    }
    *ret_lines = lines;
    return 0;
}

void core_lines_free(struct core_lines *lines)
{
    if (!lines) {
        return;
    }
    if (lines->namer) {
        lines->namer->free(lines->namer);
    }
    jsv_buf_done(&lines->packed);
    jsv_dealloc(os_allocator(), lines, sizeof(*lines));
}
