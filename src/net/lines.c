/*
 * What happens in a round of the loop: bytes come in. When they have come in on
 * all connections, or on enough, they are cut into frames and each goes through
 * the corridor; answers, of these frames or of earlier ones, are collected. At
 * the end of the round all answers of a connection go out in one write.
 *
 * That is worth the wait: reading, checking and writing each run many times in
 * a row, and who holds many connections is woken up once for all their answers.
 * What was read, and what is answered, lives in memory that all connections of
 * a loop share, as long as nothing is left.
 *
 * A peer that does not take its answers must not cost memory: while too much
 * is queued for it, or too much of its work is in flight, no frame is taken,
 * not even one that is there, and nothing is read. So the peer's own writing
 * comes to a halt.
 *
 * The end comes in one of three ways. The peer has sent all: what it asked for
 * is answered, then we close. We are asked to finish: the same, without taking
 * what has not been taken. The peer is lost: all is given up. A hang-up is
 * noticed also while nothing is read.
 *
 * Closing can happen deep inside a call that still looks at the connection, so
 * its memory is given back at the end of the round.
 */
#include "net/lines.h"

#include <assert.h>
#include <errno.h>

#include "core/limits.h"
#include "core/worker.h"
#include "jsv/base/alloc.h"
#include "os/sys.h"
#include "rpc/pool.h"

/* Answers are sent before the end of the round when there are so many: the kernel can begin. */
#define FLUSH_SIZE ((size_t)64 * 1024)

/* What is collected at most: an answer is appended only below FLUSH_SIZE. */
#define OUTPUT_MAX (FLUSH_SIZE + CORE_REPLY_SIZE_MAX + 1)

static struct net_lines *of_conn(struct core_conn *conn)
{
    return (struct net_lines *)((char *)conn - offsetof(struct net_lines, conn));
}

static void work_later(struct net_lines *lines)
{
    loop_defer(lines->loop, LOOP_WORK, &lines->work);
}

/* Look at the connection when its work of this round is done: send, read on, close. */
static void send_later(struct net_lines *lines)
{
    loop_defer(lines->loop, LOOP_SEND, &lines->send);
}

/* ---- out ---- */

static size_t queued(const struct net_lines *lines)
{
    return lines->output.size + loop_stream_queued(lines->out);
}

/* Bytes the kernel has taken. */
static uint64_t gone(const struct net_lines *lines)
{
    return lines->sent - loop_stream_queued(lines->out);
}

static void watch_for_stall(struct net_lines *lines)
{
    lines->sent_and_gone = gone(lines);
    loop_timer_start(lines->stall, lines->write_stall_ms);
}

/* A reader that hangs up is not an error: the peer left. */
static void note_error(struct net_lines *lines, int error)
{
    if (lines->error == 0 && error != -EPIPE && error != -ECONNRESET) {
        lines->error = error;
    }
}

static void on_stall(void *owner)
{
    struct net_lines *lines = owner;
    if (gone(lines) == lines->sent_and_gone) {
        note_error(lines, -ETIMEDOUT);
        net_lines_close(lines);
    } else {
        watch_for_stall(lines);
    }
}

static void flush(struct net_lines *lines)
{
    if (lines->output.size == 0) {
        return;
    }
    bool was_empty = loop_stream_queued(lines->out) == 0;
    int r = loop_stream_write(lines->out, jsv_buf_str(&lines->output));
    if (r < 0) {
        note_error(lines, r);
        lines->broken = true;
    } else {
        lines->sent += lines->output.size;
    }
    rpc_pool_take_back(lines->pool, RPC_POOL_OUTPUT, &lines->output);
    if (was_empty && loop_stream_queued(lines->out) > 0) {
        watch_for_stall(lines);
    }
}

/* A line that cannot be kept is an answer lost: the peer must not wait for it for ever. */
static void send_line(struct net_lines *lines, struct jsv_str text)
{
    rpc_pool_lend(lines->pool, RPC_POOL_OUTPUT, &lines->output);
    (void)jsv_buf_append_str(&lines->output, text);
    if (jsv_buf_append_byte(&lines->output, '\n') < 0) {
        note_error(lines, -ENOMEM);
        lines->broken = true;
        jsv_buf_reset(&lines->output);
    }
    if (lines->output.size >= FLUSH_SIZE) {
        flush(lines);
    }
    send_later(lines);
}

static void on_answer(struct core_conn *conn, const struct core_answer *answer)
{
    if (answer->text.data) {
        send_line(of_conn(conn), answer->text);
    }
}

/*
 * Bytes of pushed messages in the queue, about: it does not say which bytes are of which. What the
 * kernel has taken since the last look counts as pushed messages, so that a peer that always reads
 * is not disconnected because its queue is never quite empty.
 */
static size_t queued_pushes(struct net_lines *lines)
{
    size_t size = queued(lines);
    uint64_t taken = gone(lines) - lines->gone_before;
    lines->gone_before += taken;
    lines->pushed -= taken < lines->pushed ? (size_t)taken : lines->pushed;
    if (lines->pushed > size) {
        lines->pushed = size;
    }
    return lines->pushed;
}

/*
 * Nobody asked for a pushed message, so not taking frames does not stop them. Answers are counted
 * apart (CORE_SEND_QUEUE_MAX): a large one must not get a peer that reads it disconnected.
 */
static void on_push(struct core_conn *conn, struct jsv_str message)
{
    struct net_lines *lines = of_conn(conn);
    size_t waiting = queued_pushes(lines);
    if (lines->broken) {
        return;
    }
    if (waiting > 0 && waiting + message.size > CORE_PUSH_QUEUE_MAX) {
        core_report_slow_reader(conn);
        note_error(lines, -ENOBUFS);
        lines->broken = true;
        send_later(lines);
        return;
    }
    lines->pushed += message.size + 1;
    send_line(lines, message);
}

static bool can_push(struct core_conn *conn)
{
    return !of_conn(conn)->broken;
}

static void on_drained(void *owner, int error)
{
    struct net_lines *lines = owner;
    if (error < 0) {
        note_error(lines, error);
        net_lines_close(lines);
        return;
    }
    loop_timer_stop(lines->stall);
    send_later(lines);
}

/* ---- in ---- */

static bool takes_frames(const struct net_lines *lines)
{
    return !lines->finishing && !lines->broken && !core_conn_is_full(&lines->conn) &&
           queued(lines) <= CORE_SEND_QUEUE_MAX;
}

static bool next_frame(struct net_lines *lines, struct rpc_frame *ret_frame)
{
    return rpc_frames_next(&lines->frames, ret_frame) ||
           (lines->ended && rpc_frames_last(&lines->frames, ret_frame));
}

/*
 * Take frames as long as they are welcome, and others do not wait too long.
 * @return whether there may be more of those read.
 */
static bool take_frames(struct net_lines *lines)
{
    struct rpc_frame frame;
    while (takes_frames(lines) && core_conn_has_time(&lines->conn)) {
        if (!next_frame(lines, &frame)) {
            return false;
        }
        lines->taken++;
        core_handle(&lines->conn, &frame);
    }
    return true;
}

static void read_or_not(struct net_lines *lines)
{
    if (lines->more || lines->ended) {
        loop_stream_stop(lines->in);
    } else if (loop_stream_start(lines->in) < 0) {
        lines->broken = true;
    }
}

/* Whether nothing is left to do for a peer that asks for nothing any more. */
static bool is_over(const struct net_lines *lines)
{
    bool last_taken = lines->finishing || lines->draining;
    return last_taken && !core_conn_is_busy(&lines->conn) && queued(lines) == 0;
}

/* The input is over, but for what has come: time counts from the last frame that was taken. */
static void restart_drain(struct net_lines *lines)
{
    if (lines->drain) {
        loop_timer_start(lines->drain, lines->drain_ms);
    }
}

static void begin_to_drain(struct net_lines *lines)
{
    if (!lines->hung_up) {
        lines->hung_up = true;
        restart_drain(lines);
    }
}

/* Answers that are there already go out as long as the peer takes them. */
static void on_drain_over(void *owner)
{
    struct net_lines *lines = owner;
    if (core_conn_is_busy(&lines->conn)) {
        note_error(lines, -ETIME);
        net_lines_close(lines);
    }
}

/* ---- lines that do not end ---- */

/* After all whole lines are taken. The timer is left running when its line ends, for the next. */
static void watch_line(struct net_lines *lines, bool is_new)
{
    if (!lines->line) {
        return;
    }
    bool was_begun = lines->line_since_ms != 0;
    uint64_t now = loop_now_ms(lines->loop);
    if (!rpc_frames_has_begun(&lines->frames)) {
        lines->line_since_ms = 0;
    } else if (!was_begun || is_new) {
        lines->line_since_ms = now;
        if (!lines->line_timer_runs) {
            lines->line_timer_runs = true;
            loop_timer_start(lines->line, lines->line_ms);
        }
    }
}

/* While nothing is read the peer cannot end its line. */
static void on_line_time(void *owner)
{
    struct net_lines *lines = owner;
    uint64_t now = loop_now_ms(lines->loop);
    lines->line_timer_runs = false;
    if (lines->line_since_ms == 0) {
        return;
    }
    if (lines->more) {
        lines->line_since_ms = now;
    }
    uint64_t age = now - lines->line_since_ms;
    if (age >= lines->line_ms) {
        core_refused(lines->conn.worker, lines->conn.transport, 0, "a line took too long to end");
        net_lines_close(lines);
        return;
    }
    lines->line_timer_runs = true;
    loop_timer_start(lines->line, lines->line_ms - age);
}

static void on_work(struct loop_deferred *work)
{
    struct net_lines *lines = (struct net_lines *)((char *)work - offsetof(struct net_lines, work));
    if (lines->closed) {
        return;
    }
    uint64_t taken = lines->taken;
    core_conn_begin_round(&lines->conn);
    lines->more = take_frames(lines);
    if (lines->ended) {
        core_conn_finish(&lines->conn); /* a frame after the end may have begun to listen */
        lines->draining = !lines->more;
    }
    bool took_some = lines->taken != taken;
    if (took_some) {
        lines->peer.active_ms = loop_now_ms(lines->loop);
    }
    if (lines->hung_up && took_some) {
        restart_drain(lines);
    }
    if (!lines->more) {
        watch_line(lines, took_some);
    }
    send_later(lines);
}

static void send_and_go_on(struct net_lines *lines)
{
    flush(lines);
    if (!lines->broken) {
        read_or_not(lines);
    }
    if (lines->more && takes_frames(lines)) {
        loop_defer(lines->loop, LOOP_NEXT_ROUND, &lines->work);
    }
    if (lines->broken || is_over(lines)) {
        net_lines_close(lines);
    }
}

/* A closed connection is freed when its work, which finds it closed, is not due any more. */
static void on_send(struct loop_deferred *send)
{
    struct net_lines *lines = (struct net_lines *)((char *)send - offsetof(struct net_lines, send));
    if (lines->closed && lines->work.queued) {
        loop_defer(lines->loop, LOOP_NEXT_ROUND, &lines->send);
    } else if (lines->closed) {
        jsv_dealloc(os_allocator(), lines, sizeof(*lines));
    } else {
        send_and_go_on(lines);
    }
}

static void on_space(void *owner, char **ret_data, size_t *ret_size)
{
    struct net_lines *lines = owner;
    if (rpc_frames_space(&lines->frames, ret_data, ret_size) < 0) {
        *ret_size = 0;
    }
}

static void on_read(void *owner, size_t size)
{
    struct net_lines *lines = owner;
    rpc_frames_filled(&lines->frames, size);
    work_later(lines);
}

/* Who has only our input, such as the parent of this process, may hang up and still read. */
static void on_end(void *owner, int error)
{
    struct net_lines *lines = owner;
    bool takes_answers = lines->out != lines->in;
    if (error < 0 && !takes_answers) {
        net_lines_close(lines);
        return;
    }
    lines->ended = true;
    core_conn_finish(&lines->conn);
    begin_to_drain(lines);
    work_later(lines);
}

/*
 * While nothing is read. A client that has only closed its direction is still answered, and what
 * it has sent is taken when there is room for it.
 */
static void on_hung_up(void *owner, int error)
{
    struct net_lines *lines = owner;
    if (error < 0 && lines->out == lines->in) {
        net_lines_close(lines);
    } else {
        begin_to_drain(lines);
    }
}

/* Nobody reads our answers any more. */
static void on_reader_hung_up(void *owner, int error)
{
    if (error < 0) {
        net_lines_close(owner);
    }
}

static void on_resume(struct core_conn *conn)
{
    send_later(of_conn(conn));
}

/* ---- opening and closing ---- */

static void finish_peer(struct net_peer *peer)
{
    net_lines_finish((struct net_lines *)peer);
}

static void close_peer(struct net_peer *peer)
{
    net_lines_close((struct net_lines *)peer);
}

/* Standard input and output are not one of many connections: they never make room. */
static bool peer_is_idle(const struct net_peer *peer)
{
    const struct net_lines *lines = (const struct net_lines *)peer;
    return lines->in == lines->out && !core_conn_is_busy(&lines->conn) && queued(lines) == 0 &&
           !lines->work.queued;
}

static const struct net_peer_ops peer_ops = {
    .finish = finish_peer,
    .close = close_peer,
    .is_idle = peer_is_idle,
};

static const struct core_conn_ops conn_ops = {
    .answer = on_answer,
    .push = on_push,
    .can_push = can_push,
    .hang_up = on_resume,
    .resume = on_resume,
    .idle = on_resume,
};

static const struct loop_stream_events in_events = {
    .space = on_space,
    .read = on_read,
    .end = on_end,
    .hung_up = on_hung_up,
    .drained = on_drained, /* of a socket, which is both */
};

static const struct loop_stream_events out_events = {
    .hung_up = on_reader_hung_up,
    .drained = on_drained,
};

/* Open a stream; if that fails the descriptor is closed all the same. */
static int open_stream(
    struct net_lines *lines,
    int fd,
    const struct loop_stream_events *events,
    struct loop_stream **ret_stream)
{
    int r = loop_stream_open(lines->loop, fd, events, lines, ret_stream);
    if (r < 0) {
        os_close(fd);
    }
    return r;
}

static int open_streams(struct net_lines *lines, int in_fd, int out_fd)
{
    int r = open_stream(lines, in_fd, &in_events, &lines->in);
    if (in_fd == out_fd) {
        lines->out = lines->in;
        return r;
    }
    int out_r = open_stream(lines, out_fd, &out_events, &lines->out);
    if (out_r == 0) {
        loop_stream_stop(lines->out); /* it is never read: watch for its reader to hang up */
    }
    return r < 0 ? r : out_r;
}

static void close_streams(struct net_lines *lines)
{
    loop_stream_close(lines->in);
    if (lines->out != lines->in) {
        loop_stream_close(lines->out);
    }
    lines->in = lines->out = NULL;
    loop_timer_close(lines->stall);
    loop_timer_close(lines->drain);
    loop_timer_close(lines->line);
    lines->stall = lines->drain = lines->line = NULL;
}

static int start(struct net_lines *lines, int in_fd, int out_fd)
{
    int r = open_streams(lines, in_fd, out_fd);
    if (r == 0) {
        r = loop_timer_new(lines->loop, on_stall, lines, &lines->stall);
    }
    if (r == 0 && lines->drain_ms > 0) {
        r = loop_timer_new(lines->loop, on_drain_over, lines, &lines->drain);
    }
    if (r == 0 && lines->line_ms > 0) {
        r = loop_timer_new(lines->loop, on_line_time, lines, &lines->line);
    }
    if (r == 0) {
        r = loop_stream_start(lines->in);
    }
    if (r < 0) {
        close_streams(lines);
    }
    return r;
}

int net_lines_open(const struct net_lines_options *options, struct net_lines **ret_lines)
{
    struct net_lines *lines = jsv_alloc(os_allocator(), sizeof(*lines));
    if (!lines) {
        os_close(options->in_fd);
        os_close(options->out_fd != options->in_fd ? options->out_fd : -1);
        return -ENOMEM;
    }
    *lines = (struct net_lines){
        .peer = {.ops = &peer_ops},
        .loop = core_worker_loop(options->worker),
        .pool = core_worker_pool(options->worker),
        .work = {.run = on_work},
        .send = {.run = on_send},
        .write_stall_ms =
            options->write_stall_ms > 0 ? options->write_stall_ms : CORE_WRITE_STALL_MS,
        .drain_ms = options->drain_ms,
        .line_ms = options->line_ms,
        .on_closed = options->closed,
        .owner = options->owner,
    };
    int r = start(lines, options->in_fd, options->out_fd);
    if (r < 0) {
        jsv_dealloc(os_allocator(), lines, sizeof(*lines));
        return r;
    }
    rpc_frames_init(&lines->frames, CORE_FRAME_SIZE_MAX);
    rpc_frames_share(&lines->frames, lines->pool);
    jsv_buf_init(&lines->output, os_allocator(), OUTPUT_MAX);
    core_conn_init(&lines->conn, &conn_ops, options->worker, options->transport);
    lines->peer.active_ms = loop_now_ms(lines->loop);
    *ret_lines = lines;
    return 0;
}

void net_lines_finish(struct net_lines *lines)
{
    do { /* what was read by now, but for what is not welcome */
        core_conn_begin_round(&lines->conn);
    } while (take_frames(lines) && takes_frames(lines));
    lines->finishing = true;
    core_conn_finish(&lines->conn);
    send_later(lines);
}

void net_lines_close(struct net_lines *lines)
{
    assert(!lines->closed);
    lines->closed = true;
    core_conn_done(&lines->conn);
    close_streams(lines);
    rpc_frames_done(&lines->frames);
    jsv_buf_done(&lines->output);
    send_later(lines);
    lines->on_closed(lines->owner, &lines->peer);
}
