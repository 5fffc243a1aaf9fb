/*
 * A stream waits with libuv and reads and writes by itself: one read for each
 * readable event, directly into the owner's memory; one write at once, and a
 * queue only for the bytes that the kernel did not take.
 *
 * A regular file or /dev/null cannot be waited for and is always ready. Such a
 * stream reads once in every round of the loop, and its writes block.
 *
 * While a stream is not read from, it is still watched for a hang-up, because an
 * owner that stopped reading would never learn of it. The kernel repeats a
 * condition until it is over, so each is watched only until it was seen: first
 * the end of the peer's sending (EPOLLRDHUP), then only the full hang-up, which
 * is always reported. libuv does not poll for an empty set of events, so urgent
 * data (EPOLLPRI) is watched as well. No protocol here has urgent data; a peer
 * that sends it in this state is treated as gone.
 */
#define _GNU_SOURCE /* POLLRDHUP */
#include "loop/stream.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>

#include "loop/object.h"
#include "os/sys.h"

/* Owners stop producing long before this; it is the limit for those that do not. */
#define QUEUE_MAX ((size_t)1 << 30)

/* Memory of an empty queue that is kept for the next time. */
#define QUEUE_KEPT ((size_t)16 * 1024)

enum peer {
    PEER_PRESENT,
    PEER_SENDS_NO_MORE,
    PEER_GONE,
};

struct loop_stream {
    struct loop_object object;
    union {
        uv_poll_t poll;
        uv_idle_t idle;
    } uv;
    int fd;
    bool always_ready;
    bool was_blocking; /* restored when it is closed */
    bool is_socket;
    bool is_pipe;
    bool reading;
    enum peer peer;
    int waiting_for; /* the events libuv polls for */
    struct jsv_buf queue;
    size_t taken; /* bytes of the queue the kernel has taken */
    const struct loop_stream_events *events;
    void *owner;
};

static void on_ready(uv_poll_t *poll, int status, int events);
static void on_round(uv_idle_t *idle);

static void close_object(struct loop_object *object)
{
    loop_stream_close((struct loop_stream *)object);
}

/* ---- opening and closing ---- */

static int open_handle(struct loop *loop, struct loop_stream *stream, int fd)
{
    int flags = os_get_flags(fd);
    struct stat stat;
    int r = flags < 0 ? flags : os_fstat(fd, &stat);
    if (r < 0) {
        return r;
    }
    stream->is_socket = S_ISSOCK(stat.st_mode);
    stream->is_pipe = S_ISFIFO(stat.st_mode);
    r = uv_poll_init(&loop->uv, &stream->uv.poll, fd);
    if (r == UV_EPERM) {
        stream->always_ready = true;
        r = uv_idle_init(&loop->uv, &stream->uv.idle);
    } else {
        stream->was_blocking = !(flags & O_NONBLOCK);
    }
    return r;
}

int loop_stream_open(
    struct loop *loop,
    int fd,
    const struct loop_stream_events *events,
    void *owner,
    struct loop_stream **ret_stream)
{
    struct loop_stream *stream = loop_object_new(loop, sizeof(*stream), close_object);
    if (!stream) {
        return -ENOMEM;
    }
    int r = open_handle(loop, stream, fd);
    if (r < 0) {
        loop_object_free(&stream->object);
        return r;
    }
    uv_handle_set_data((uv_handle_t *)&stream->uv, stream);
    stream->fd = fd;
    stream->events = events;
    stream->owner = owner;
    jsv_buf_init(&stream->queue, os_allocator(), QUEUE_MAX);
    *ret_stream = stream;
    return 0;
}

/* The mode belongs to the open file, which other processes may share, such as a shell. */
static void restore_mode(const struct loop_stream *stream)
{
    int flags = stream->was_blocking ? os_get_flags(stream->fd) : -1;
    if (flags >= 0) {
        (void)os_set_flags(stream->fd, flags & ~O_NONBLOCK);
    }
}

void loop_stream_close(struct loop_stream *stream)
{
    if (!stream) {
        return;
    }
    loop_object_close(&stream->object, (uv_handle_t *)&stream->uv);
    restore_mode(stream);
    os_close(stream->fd);
    jsv_buf_done(&stream->queue);
}

/* ---- waiting ---- */

size_t loop_stream_queued(const struct loop_stream *stream)
{
    return stream->queue.size - stream->taken;
}

static bool watches_for_hang_up(const struct loop_stream *stream)
{
    return !stream->reading && stream->events->hung_up && stream->peer != PEER_GONE;
}

static int wait_always_ready(struct loop_stream *stream)
{
    return stream->reading || watches_for_hang_up(stream)
               ? uv_idle_start(&stream->uv.idle, on_round)
               : uv_idle_stop(&stream->uv.idle);
}

static int hang_up_events(const struct loop_stream *stream)
{
    if (!watches_for_hang_up(stream)) {
        return 0;
    }
    return stream->peer == PEER_PRESENT ? UV_DISCONNECT : UV_PRIORITIZED;
}

/* Poll for the events of interest; the kernel is only told of changes. */
static int update_waiting(struct loop_stream *stream)
{
    if (stream->always_ready) {
        return wait_always_ready(stream);
    }
    int events = 0;
    events |= stream->reading ? UV_READABLE : 0;
    events |= loop_stream_queued(stream) > 0 ? UV_WRITABLE : 0;
    events |= hang_up_events(stream);
    if (events == stream->waiting_for) {
        return 0;
    }
    stream->waiting_for = events;
    return uv_poll_start(&stream->uv.poll, events, on_ready);
}

int loop_stream_start(struct loop_stream *stream)
{
    stream->reading = true;
    return update_waiting(stream);
}

void loop_stream_stop(struct loop_stream *stream)
{
    stream->reading = false;
    (void)update_waiting(stream);
}

/* ---- reading ---- */

/*
 * A peer that is done sending and a peer that has gone look the same to a read.
 * For a socket poll() tells: it reports POLLHUP only when both directions are
 * closed.
 */
static int reason_of_end(const struct loop_stream *stream)
{
    int events = stream->is_socket ? os_poll_now(stream->fd, POLLIN) : 0;
    return events > 0 && events & POLLHUP ? -ECONNRESET : 0;
}

static void end_reading(struct loop_stream *stream, int error)
{
    stream->peer = error == 0 && stream->is_socket ? PEER_SENDS_NO_MORE : PEER_GONE;
    loop_stream_stop(stream);
    stream->events->end(stream->owner, error);
}

static ssize_t read_once(const struct loop_stream *stream, void *out, size_t size)
{
    return stream->is_socket ? os_receive(stream->fd, out, size)
                             : os_read_once(stream->fd, out, size);
}

bool loop_stream_read_now(struct loop_stream *stream)
{
    char *data = NULL;
    size_t size = 0;
    stream->events->space(stream->owner, &data, &size);
    if (size == 0) {
        end_reading(stream, -ENOMEM);
        return true;
    }
    ssize_t length = read_once(stream, data, size);
    if (length > 0) {
        stream->events->read(stream->owner, (size_t)length);
    } else if (length == 0) {
        end_reading(stream, reason_of_end(stream));
    } else if (length != -EAGAIN) {
        end_reading(stream, (int)length);
    }
    return length != -EAGAIN;
}

/* ---- hanging up ---- */

static void report_hang_up(struct loop_stream *stream, enum peer peer, int error)
{
    if (peer != stream->peer) {
        stream->peer = peer;
        stream->events->hung_up(stream->owner, error);
    }
}

/* A pipe without writers reports POLLHUP, too, but its bytes can still be read. */
static void look_for_hang_up(struct loop_stream *stream)
{
    short asked = stream->peer == PEER_PRESENT ? POLLRDHUP : POLLPRI;
    int found = os_poll_now(stream->fd, asked);
    if (found <= 0) {
        return;
    }
    bool is_over = found & POLLHUP && !stream->is_pipe;
    if (is_over || found & (POLLERR | POLLNVAL | POLLPRI)) {
        report_hang_up(stream, PEER_GONE, -ECONNRESET);
    } else {
        report_hang_up(stream, stream->is_pipe ? PEER_GONE : PEER_SENDS_NO_MORE, 0);
    }
}

/* A file has no peer: all its bytes are there. */
static void on_round(uv_idle_t *idle)
{
    struct loop_stream *stream = idle->data;
    if (stream->reading) {
        (void)loop_stream_read_now(stream);
        return;
    }
    report_hang_up(stream, PEER_GONE, 0);
    if (!stream->object.closed) {
        (void)update_waiting(stream);
    }
}

/* ---- writing ---- */

static ssize_t write_once(const struct loop_stream *stream, const void *data, size_t size)
{
    return stream->is_socket ? os_send(stream->fd, data, size)
                             : os_write_once(stream->fd, data, size);
}

static void forget_queue(struct loop_stream *stream)
{
    stream->taken = 0;
    if (stream->queue.capacity > QUEUE_KEPT) {
        jsv_buf_done(&stream->queue);
        jsv_buf_init(&stream->queue, os_allocator(), QUEUE_MAX);
    } else {
        jsv_buf_reset(&stream->queue);
    }
}

static void write_queue(struct loop_stream *stream)
{
    ssize_t length =
        write_once(stream, stream->queue.data + stream->taken, loop_stream_queued(stream));
    if (length == -EAGAIN) {
        return;
    }
    if (length > 0) {
        stream->taken += (size_t)length;
    }
    if (length < 0 || loop_stream_queued(stream) == 0) {
        forget_queue(stream);
        (void)update_waiting(stream);
        stream->events->drained(stream->owner, length < 0 ? (int)length : 0);
    }
}

/* libuv has stopped polling when it reports an error; the read or write returns which it is. */
static void on_ready(uv_poll_t *poll, int status, int events)
{
    struct loop_stream *stream = poll->data;
    struct loop *loop = stream->object.loop;
    if (status < 0) {
        events = stream->waiting_for;
        stream->waiting_for = 0;
    }
    if (events & UV_WRITABLE && loop_stream_queued(stream) > 0) {
        write_queue(stream);
    }
    if (events & UV_READABLE && !stream->object.closed && stream->reading) {
        (void)loop_stream_read_now(stream);
    }
    if (events & (UV_DISCONNECT | UV_PRIORITIZED) && !stream->object.closed &&
        watches_for_hang_up(stream)) {
        look_for_hang_up(stream);
    }
    if (!stream->object.closed) {
        (void)update_waiting(stream);
    }
    if (events & UV_READABLE) {
        loop_has_read(loop);
    }
}

/* Sent bytes are removed only when that halves the queue, so that each byte is moved at most once.
 */
static int append_to_queue(struct loop_stream *stream, struct jsv_str bytes)
{
    size_t left = loop_stream_queued(stream);
    if (stream->taken > left) {
        memmove(stream->queue.data, stream->queue.data + stream->taken, left);
        stream->queue.size = left;
        stream->taken = 0;
    }
    if (jsv_buf_append_str(&stream->queue, bytes) < 0) {
        stream->queue.error = 0;
        return -ENOMEM;
    }
    return update_waiting(stream);
}

int loop_stream_write(struct loop_stream *stream, struct jsv_str bytes)
{
    if (stream->always_ready) {
        return os_write_all(stream->fd, bytes.data, bytes.size);
    }
    if (loop_stream_queued(stream) == 0) {
        ssize_t length = write_once(stream, bytes.data, bytes.size);
        if (length < 0 && length != -EAGAIN) {
            return (int)length;
        }
        size_t taken = length > 0 ? (size_t)length : 0;
        bytes = (struct jsv_str){bytes.data + taken, bytes.size - taken};
    }
    return bytes.size > 0 ? append_to_queue(stream, bytes) : 0;
}

int loop_stream_end(struct loop_stream *stream)
{
    assert(loop_stream_queued(stream) == 0);
    return os_shutdown(stream->fd, SHUT_WR);
}
