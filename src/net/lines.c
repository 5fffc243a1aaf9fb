/*
 * In a round of the loop bytes come in. When they have come in on all
 * connections, or on enough, they are cut into frames, and each frame goes
 * through the pipeline. Answers, of these frames or of earlier ones, are
 * collected, and go out in one write for each connection at the end of the
 * round. So reading, checking and writing each run many times in a row, and a
 * client with many connections is woken up once for all their answers.
 *
 * A client that does not read its answers must not cost memory: while too much
 * is queued for it, or too many of its requests are in flight, no frame is
 * taken, not even one that was read, and nothing is read. So the client's own
 * writing comes to a halt.
 *
 * The end comes in one of three ways. The client has sent all: its requests
 * are answered, then we close. We are asked to finish: the same, without
 * taking further frames. The client is lost: requests in flight are cancelled.
 * A hang-up is noticed also while nothing is read.
 */
#include "net/lines.h"

#include <errno.h>

#include "core/limits.h"
#include "core/worker.h"
#include "os/sys.h"

struct net_lines {
    struct net_peer peer;
    struct loop_stream *in; /* the same as peer.out for a socket */
    struct rpc_frames frames;
    struct loop_timer *stall;
    struct loop_timer *drain; /* NULL: no limit */
    struct loop_timer *line;  /* NULL: no limit */
    uint64_t write_stall_ms;
    uint64_t drain_ms;
    uint64_t line_ms;
    uint64_t line_since_ms; /* when the line that is not complete began; 0: there is none */
    uint64_t frames_taken;
    uint64_t taken_then; /* bytes the kernel had taken when the stall timer was started */
    bool stall_timer_runs;
    bool line_timer_runs;
    bool hung_up;   /* no more bytes will come, but for those not read yet */
    bool ended;     /* those are read, too */
    bool draining;  /* and the last frame is taken */
    bool finishing; /* no more frames are taken */
    bool more;      /* frames were left: too much is in flight, or the round was over */
};

static struct net_lines *of_conn(struct core_conn *conn)
{
    return os_container_of(conn, struct net_lines, peer.conn);
}

static bool is_socket(const struct net_lines *lines)
{
    return lines->in == lines->peer.out;
}

/* ---- out ---- */

static void watch_for_stall(struct net_lines *lines)
{
    lines->stall_timer_runs = true;
    lines->taken_then = net_peer_taken(&lines->peer);
    loop_timer_start(lines->stall, lines->write_stall_ms);
}

static void close_for(struct net_lines *lines, int error)
{
    net_peer_break(&lines->peer, error);
    net_peer_close(&lines->peer);
}

static void on_stall(void *owner)
{
    struct net_lines *lines = owner;
    if (net_peer_taken(&lines->peer) == lines->taken_then) {
        close_for(lines, -ETIMEDOUT);
    } else {
        watch_for_stall(lines);
    }
}

static void on_drained(void *owner, int error)
{
    struct net_lines *lines = owner;
    if (error < 0) {
        close_for(lines, error);
        return;
    }
    lines->stall_timer_runs = false;
    loop_timer_stop(lines->stall);
    net_peer_schedule_send(&lines->peer);
}

static void send_line(struct net_peer *peer, struct jsv_str text)
{
    net_peer_borrow_output(peer);
    jsv_buf_append_str(&peer->output, text);
    jsv_buf_append_byte(&peer->output, '\n');
    net_peer_flush_if_large(peer);
    net_peer_schedule_send(peer);
}

static void on_answer(struct core_conn *conn, const struct core_answer *answer)
{
    if (answer->text.data) {
        send_line(&of_conn(conn)->peer, answer->text);
    }
}

static void on_push(struct core_conn *conn, struct jsv_str message)
{
    struct net_peer *peer = &of_conn(conn)->peer;
    if (net_peer_may_push(peer, message.size + 1)) {
        send_line(peer, message);
    }
}

static bool can_push(struct core_conn *conn)
{
    return !of_conn(conn)->peer.broken;
}

/* ---- in ---- */

static bool takes_frames(const struct net_lines *lines)
{
    const struct net_peer *peer = &lines->peer;
    return !lines->finishing && !peer->broken && !core_conn_is_full(&peer->conn) &&
           net_peer_queued(peer) <= CORE_SEND_QUEUE_MAX;
}

static bool next_frame(struct net_lines *lines, struct rpc_frame *ret_frame)
{
    return rpc_frames_next(&lines->frames, ret_frame) ||
           (lines->ended && rpc_frames_last(&lines->frames, ret_frame));
}

/* Take frames until a limit or the end of the connection's time. @return whether some are left. */
static bool take_frames(struct net_lines *lines)
{
    struct rpc_frame frame;
    while (takes_frames(lines) && core_conn_has_time(&lines->peer.conn)) {
        if (!next_frame(lines, &frame)) {
            return false;
        }
        lines->frames_taken++;
        core_handle(&lines->peer.conn, &frame);
    }
    return true;
}

static void read_or_not(struct net_lines *lines)
{
    if (lines->more || lines->ended) {
        loop_stream_stop(lines->in);
    } else if (loop_stream_start(lines->in) < 0) {
        lines->peer.broken = true;
    }
}

/* Whether nothing is left to do for a client that sends no more requests. */
static bool is_over(const struct net_lines *lines)
{
    bool last_taken = lines->finishing || lines->draining;
    return last_taken && !core_conn_is_busy(&lines->peer.conn) &&
           net_peer_queued(&lines->peer) == 0;
}

/* Time counts from the last frame that was taken. */
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

/* Answers that are there already go out as long as the client takes them. */
static void on_drain_over(void *owner)
{
    struct net_lines *lines = owner;
    if (core_conn_is_busy(&lines->peer.conn)) {
        close_for(lines, -ETIME);
    }
}

/* ---- lines that do not end ---- */

/* After all complete lines are taken. The timer is left running when its line ends, for the next.
 */
static void watch_line(struct net_lines *lines, bool is_new)
{
    if (!lines->line) {
        return;
    }
    bool was_begun = lines->line_since_ms != 0;
    if (!rpc_frames_has_begun(&lines->frames)) {
        lines->line_since_ms = 0;
    } else if (!was_begun || is_new) {
        lines->line_since_ms = loop_now_ms(lines->peer.loop);
        if (!lines->line_timer_runs) {
            lines->line_timer_runs = true;
            loop_timer_start(lines->line, lines->line_ms);
        }
    }
}

/* While nothing is read the client cannot end its line. */
static void on_line_time(void *owner)
{
    struct net_lines *lines = owner;
    const struct core_conn *conn = &lines->peer.conn;
    uint64_t now = loop_now_ms(lines->peer.loop);
    lines->line_timer_runs = false;
    if (lines->line_since_ms == 0) {
        return;
    }
    if (lines->more) {
        lines->line_since_ms = now;
    }
    uint64_t age = now - lines->line_since_ms;
    if (age >= lines->line_ms) {
        core_refused(conn->worker, conn->transport, 0, "a line took too long to end");
        net_peer_close(&lines->peer);
        return;
    }
    lines->line_timer_runs = true;
    loop_timer_start(lines->line, lines->line_ms - age);
}

/* ---- the steps of a round ---- */

static void work(struct net_peer *peer)
{
    struct net_lines *lines = (struct net_lines *)peer;
    uint64_t taken_before = lines->frames_taken;
    core_conn_begin_round(&peer->conn);
    lines->more = take_frames(lines);
    if (lines->ended) {
        core_conn_finish(&peer->conn); /* a frame after the end may have begun to listen */
        lines->draining = !lines->more;
    }
    bool took_some = lines->frames_taken != taken_before;
    if (took_some) {
        peer->active_ms = loop_now_ms(peer->loop);
    }
    if (lines->hung_up && took_some) {
        restart_drain(lines);
    }
    if (!lines->more) {
        watch_line(lines, took_some);
    }
    net_peer_schedule_send(peer);
}

static void send_and_read_on(struct net_peer *peer)
{
    struct net_lines *lines = (struct net_lines *)peer;
    net_peer_flush(peer);
    if (loop_stream_queued(peer->out) > 0 && !lines->stall_timer_runs) {
        watch_for_stall(lines);
    }
    if (!peer->broken) {
        read_or_not(lines);
    }
    if (lines->more && takes_frames(lines)) {
        net_peer_continue_work(peer);
    }
    if (peer->broken || is_over(lines)) {
        net_peer_close(peer);
    }
}

/* ---- the stream's events ---- */

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
    net_peer_schedule_work(&lines->peer);
}

/* A client that has only our input, such as the parent of this process, may still read. */
static void on_end(void *owner, int error)
{
    struct net_lines *lines = owner;
    if (error < 0 && is_socket(lines)) {
        net_peer_close(&lines->peer);
        return;
    }
    lines->ended = true;
    core_conn_finish(&lines->peer.conn);
    begin_to_drain(lines);
    net_peer_schedule_work(&lines->peer);
}

/* A client that has only closed its direction is answered, and what it has sent is taken. */
static void on_hung_up(void *owner, int error)
{
    struct net_lines *lines = owner;
    if (error < 0 && is_socket(lines)) {
        net_peer_close(&lines->peer);
    } else {
        begin_to_drain(lines);
    }
}

static void on_reader_hung_up(void *owner, int error)
{
    struct net_lines *lines = owner;
    if (error < 0) {
        net_peer_close(&lines->peer);
    }
}

static void on_resume(struct core_conn *conn)
{
    net_peer_schedule_send(&of_conn(conn)->peer);
}

/* ---- opening and closing ---- */

static void finish(struct net_peer *peer)
{
    struct net_lines *lines = (struct net_lines *)peer;
    do { /* all that was read, up to the limits */
        core_conn_begin_round(&peer->conn);
    } while (take_frames(lines) && takes_frames(lines));
    lines->finishing = true;
    core_conn_finish(&peer->conn);
    net_peer_schedule_send(peer);
}

/* The answers of listeners tell the client that they are over. */
static void evict(struct net_peer *peer)
{
    core_conn_finish(&peer->conn);
    net_peer_flush(peer);
    net_peer_close(peer);
}

/* Standard input and output are not one of many connections: they never make room. */
static enum net_activity activity(const struct net_peer *peer)
{
    const struct net_lines *lines = (const struct net_lines *)peer;
    if (!is_socket(lines) || net_peer_is_working(peer) || !core_conn_only_listens(&peer->conn)) {
        return NET_BUSY;
    }
    bool is_idle = !core_conn_is_busy(&peer->conn) && net_peer_queued(peer) == 0;
    return is_idle ? NET_IDLE : NET_LISTENING;
}

static void done(struct net_peer *peer)
{
    struct net_lines *lines = (struct net_lines *)peer;
    if (!is_socket(lines)) {
        loop_stream_close(lines->in);
    }
    loop_timer_close(lines->stall);
    loop_timer_close(lines->drain);
    loop_timer_close(lines->line);
    rpc_frames_done(&lines->frames);
}

static const struct net_peer_ops peer_ops = {
    .finish = finish,
    .evict = evict,
    .done = done,
    .activity = activity,
    .work = work,
    .send = send_and_read_on,
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

static int open_streams(struct net_lines *lines, int in_fd, int out_fd)
{
    struct net_peer *peer = &lines->peer;
    int r = loop_stream_open(peer->loop, in_fd, &in_events, lines, &lines->in);
    if (r < 0) {
        os_close(in_fd);
    }
    if (in_fd == out_fd) {
        peer->out = lines->in;
        return r;
    }
    int out_r = loop_stream_open(peer->loop, out_fd, &out_events, lines, &peer->out);
    if (out_r < 0) {
        os_close(out_fd);
        return out_r;
    }
    loop_stream_stop(peer->out); /* it is never read, only watched for a hang-up */
    return r;
}

static int start(struct net_lines *lines, int in_fd, int out_fd)
{
    struct loop *loop = lines->peer.loop;
    int r = open_streams(lines, in_fd, out_fd);
    if (r == 0) {
        r = loop_timer_new(loop, on_stall, lines, &lines->stall);
    }
    if (r == 0 && lines->drain_ms > 0) {
        r = loop_timer_new(loop, on_drain_over, lines, &lines->drain);
    }
    if (r == 0 && lines->line_ms > 0) {
        r = loop_timer_new(loop, on_line_time, lines, &lines->line);
    }
    return r == 0 ? loop_stream_start(lines->in) : r;
}

int net_lines_open(const struct net_lines_options *options, struct net_peer **ret_peer)
{
    struct net_lines *lines =
        net_peer_new(sizeof(*lines), &options->peer, &peer_ops, &conn_ops, options->transport);
    if (!lines) {
        os_close(options->in_fd);
        os_close(options->out_fd != options->in_fd ? options->out_fd : -1);
        return -ENOMEM;
    }
    lines->write_stall_ms =
        options->write_stall_ms > 0 ? options->write_stall_ms : CORE_WRITE_STALL_MS;
    lines->drain_ms = options->drain_ms;
    lines->line_ms = options->line_ms;
    rpc_frames_init(&lines->frames, CORE_FRAME_SIZE_MAX);
    rpc_frames_share(&lines->frames, lines->peer.pool);
    int r = start(lines, options->in_fd, options->out_fd);
    if (r < 0) {
        net_peer_free(&lines->peer);
        return r;
    }
    *ret_peer = &lines->peer;
    return 0;
}
