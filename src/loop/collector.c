#include "loop/collector.h"

#include <errno.h>

#include "jsv/base/alloc.h"
#include "os/sys.h"

/* Bytes of one read: the capacity of a pipe. */
#define READ_SIZE ((size_t)64 << 10)

/* One of the two outputs. */
struct sink {
    struct loop_collector *collector;
    enum loop_child_pipe pipe;
    struct jsv_buf bytes;
    size_t size_max;
};

struct loop_collector {
    struct loop_child *child;
    struct loop_timer *timeout;
    struct sink output;
    struct sink error;
    struct loop_collected collected;
    bool is_over;
    loop_collector_ended *ended;
    void *owner;
};

/* Stop it; the first reason counts. */
static void cut(struct loop_collector *collector, enum loop_collector_cut why, int error)
{
    struct loop_collected *collected = &collector->collected;
    if (collected->cut == LOOP_COLLECTOR_NOT_CUT && !collector->is_over) {
        collected->cut = why;
        collected->cut_error = error;
    }
    loop_child_stop(collector->child);
}

static void on_timeout(void *owner)
{
    cut(owner, LOOP_COLLECTOR_TIMEOUT, 0);
}

/* ---- output ---- */

static void sink_space(void *owner, char **ret_data, size_t *ret_size)
{
    struct sink *sink = owner;
    if (jsv_buf_reserve(&sink->bytes, READ_SIZE) == 0) {
        *ret_data = sink->bytes.data + sink->bytes.size;
        *ret_size = READ_SIZE;
    }
}

static void sink_read(void *owner, size_t size)
{
    struct sink *sink = owner;
    size_t room = sink->size_max - sink->bytes.size;
    sink->bytes.size += size < room ? size : room;
    if (size > room && sink->pipe == LOOP_CHILD_OUTPUT) {
        loop_child_close_pipe(sink->collector->child, sink->pipe);
        cut(sink->collector, LOOP_COLLECTOR_OUTPUT_MAX, 0);
    }
}

static void sink_end(void *owner, int error)
{
    struct sink *sink = owner;
    loop_child_close_pipe(sink->collector->child, sink->pipe);
    if (error < 0) {
        cut(sink->collector, LOOP_COLLECTOR_BROKEN, error);
    }
}

static const struct loop_stream_events sink_events = {
    .space = sink_space,
    .read = sink_read,
    .end = sink_end,
};

/* ---- input ---- */

/* A program need not read its input: that is not an error. */
static void input_drained(void *owner, int error)
{
    (void)error;
    struct loop_collector *collector = owner;
    loop_child_close_pipe(collector->child, LOOP_CHILD_INPUT);
}

static const struct loop_stream_events input_events = {.drained = input_drained};

static int give_input(struct loop_collector *collector, struct jsv_str bytes)
{
    struct loop_stream *input = loop_child_stream(collector->child, LOOP_CHILD_INPUT);
    int r = bytes.size > 0 ? loop_stream_write(input, bytes) : 0;
    if (r < 0 || loop_stream_queued(input) == 0) {
        input_drained(collector, r);
    }
    return r == -ENOMEM ? r : 0;
}

/* ---- beginning and end ---- */

static void on_ended(void *owner, const struct loop_child_end *end)
{
    struct loop_collector *collector = owner;
    struct loop_collected *collected = &collector->collected;
    collector->is_over = true;
    loop_timer_stop(collector->timeout);
    collected->exit_code = end->exit_code;
    collected->signal = end->signal;
    collected->output = jsv_buf_str(&collector->output.bytes);
    collected->error = jsv_buf_str(&collector->error.bytes);
    collector->ended(collector->owner, collected);
}

static void init_sink(
    struct loop_collector *collector, struct sink *sink, enum loop_child_pipe pipe, size_t size_max)
{
    *sink = (struct sink){.collector = collector, .pipe = pipe, .size_max = size_max};
    jsv_buf_init(&sink->bytes, os_allocator(), size_max + READ_SIZE);
}

int loop_collector_start(
    struct loop *loop,
    const struct loop_collector_options *options,
    loop_collector_ended *ended,
    void *owner,
    struct loop_collector **ret_collector)
{
    struct loop_collector *collector = jsv_alloc(os_allocator(), sizeof(*collector));
    if (!collector) {
        return -ENOMEM;
    }
    *collector = (struct loop_collector){.ended = ended, .owner = owner};
    init_sink(collector, &collector->output, LOOP_CHILD_OUTPUT, options->output_max);
    init_sink(collector, &collector->error, LOOP_CHILD_ERROR, options->error_max);
    const struct loop_child_options child = {
        .program = options->program,
        .events = {&input_events, &sink_events, &sink_events},
        .stream_owners = {collector, &collector->output, &collector->error},
        .ended = on_ended,
        .owner = collector,
    };
    int r = loop_timer_new(loop, on_timeout, collector, &collector->timeout);
    r = r < 0 ? r : loop_child_start(loop, &child, &collector->child);
    r = r < 0 ? r : give_input(collector, options->input);
    if (r < 0) {
        loop_collector_close(collector);
        return r;
    }
    if (options->timeout_ms > 0) {
        loop_timer_start(collector->timeout, options->timeout_ms);
    }
    *ret_collector = collector;
    return 0;
}

void loop_collector_stop(struct loop_collector *collector)
{
    if (!collector->is_over) {
        cut(collector, LOOP_COLLECTOR_STOPPED, 0);
    }
}

void loop_collector_close(struct loop_collector *collector)
{
    if (!collector) {
        return;
    }
    loop_child_close(collector->child);
    loop_timer_close(collector->timeout);
    jsv_buf_done(&collector->output.bytes);
    jsv_buf_done(&collector->error.bytes);
    jsv_dealloc(os_allocator(), collector, sizeof(*collector));
}
