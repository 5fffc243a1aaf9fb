/*
 * Streams of bytes: connections, pipes, and the standard input and output of the
 * process of any kind (pipe, socket, terminal, file, /dev/null).
 *
 * Bytes are read into memory of the owner, without copying. Written bytes that
 * the kernel does not take at once are queued; the owner watches the length of
 * the queue and stops producing.
 */
#pragma once

#include <jsv/jsv.h>

#include "loop/loop.h"

struct loop_stream;
struct loop_listener;

struct loop_stream_events {
    /* Where to read to: at least one byte. *ret_size 0 means "no memory" and ends the stream. */
    void (*space)(void *owner, char **ret_data, size_t *ret_size);
    /* Bytes were read into the memory of space(). */
    void (*read)(void *owner, size_t size);
    /* No more bytes will come. error 0: the peer is done sending; else -errno. */
    void (*end)(void *owner, int error);
    /*
     * While nothing is read: the peer has hung up. error 0: it sends nothing more, and bytes it has
     * sent can still be read; -ECONNRESET: it is gone, in both directions. Each is reported once.
     * NULL: hang-ups are not watched.
     */
    void (*hung_up)(void *owner, int error);
    /* The write queue is empty again. error -errno: the peer is lost, and the queue with it. */
    void (*drained)(void *owner, int error);
};

/**
 * A stream over a descriptor of any kind, which is closed with it.
 *
 * For a regular file, reading never waits and writing blocks; both are fine.
 * Closing restores the blocking mode of the descriptor, which other processes
 * may share.
 *
 * @return 0 or -errno; then the descriptor is still the caller's.
 */
int loop_stream_open(
    struct loop *loop,
    int fd,
    const struct loop_stream_events *events,
    void *owner,
    struct loop_stream **ret_stream);

/** Start or continue reading. @return 0 or -errno. */
int loop_stream_start(struct loop_stream *stream);
/**
 * Read once without waiting for an event; read() or end() may be called from within.
 * @return whether one of them was.
 */
bool loop_stream_read_now(struct loop_stream *stream);
/** Stop; no read() or end() until the next start. Until then hung_up() may be called. */
void loop_stream_stop(struct loop_stream *stream);

/**
 * Send bytes: as many as the kernel takes now, a copy of the rest later.
 * @return 0; -ENOMEM; -errno when the peer is lost. Never calls back from within.
 */
int loop_stream_write(struct loop_stream *stream, struct jsv_str bytes);
/** Bytes written and not yet taken by the kernel. */
size_t loop_stream_queued(const struct loop_stream *stream);

/**
 * Tell the peer that nothing more will come, when nothing is queued; reading goes on.
 * @return 0 or -errno.
 */
int loop_stream_end(struct loop_stream *stream);

/** Close, dropping what is queued. No callback comes after it. Accepts NULL. */
void loop_stream_close(struct loop_stream *stream);

/* ---- listening ---- */

/**
 * A connection was accepted. Its descriptor is non-blocking and belongs to the
 * callee; it may be opened on another loop.
 */
typedef void loop_accepted(void *owner, int fd);

/**
 * Accept connections of a listening descriptor, which is closed with it.
 *
 * Out of descriptors (EMFILE, ENFILE): the listener pauses and tries again
 * soon, without spinning.
 *
 * @return 0 or -errno; then the descriptor is still the caller's.
 */
int loop_listen(
    struct loop *loop,
    int fd,
    loop_accepted *accepted,
    void *owner,
    struct loop_listener **ret_listener);
/** Accepts NULL. */
void loop_listener_close(struct loop_listener *listener);
