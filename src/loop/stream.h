/*
 * Streams of bytes: connections, and the standard input and output of the
 * process whatever they are (pipe, socket, terminal, file, /dev/null).
 *
 * The owner lends the memory that is read into, so bytes are not copied on
 * their way in. On the way out what the kernel does not take at once is kept
 * in a queue; the owner looks at its length and stops producing.
 */
#pragma once

#include <jsv/jsv.h>

#include "loop/loop.h"

struct loop_stream;
struct loop_listener;

struct loop_stream_events {
    /* Where to read to: at least one byte. *ret_size 0 means "no memory" and ends the stream. */
    void (*space)(void *owner, char **ret_data, size_t *ret_size);
    /* Bytes have been put where space() said. */
    void (*read)(void *owner, size_t size);
    /* No more will come. error 0: the peer is done sending; else -errno. */
    void (*end)(void *owner, int error);
    /*
     * While nothing is read: the peer has hung up. error 0: it sends nothing more, and what it has
     * sent can still be read; -ECONNRESET: it is gone, in both directions. Each is reported once.
     * NULL: hang-ups are not watched for.
     */
    void (*hung_up)(void *owner, int error);
    /* The write queue is empty again; error -errno: what was queued is lost, and so is the peer. */
    void (*drained)(void *owner, int error);
};

/**
 * A stream over a descriptor of any kind, which is closed with it.
 *
 * For a regular file, reading never waits and writing blocks; both are fine.
 * The descriptor of standard input or output is put back into the mode it was
 * found in when the stream is closed.
 *
 * @return 0 or -errno; then the descriptor is still the caller's.
 */
int loop_stream_open(
    struct loop *loop,
    int fd,
    const struct loop_stream_events *events,
    void *owner,
    struct loop_stream **ret_stream);

/** Begin or go on reading. @return 0 or -errno. */
int loop_stream_start(struct loop_stream *stream);
/**
 * Read once without waiting to be told that there is something; read() or end() may come from
 * within. @return whether anything did.
 */
bool loop_stream_read_now(struct loop_stream *stream);
/** Stop; no read() or end() until the next start. Until then hung_up() may be called. */
void loop_stream_stop(struct loop_stream *stream);

/**
 * Send bytes: as much as the kernel takes now, a copy of the rest later.
 * @return 0; -ENOMEM; -errno when the peer is lost. Never calls back from within.
 */
int loop_stream_write(struct loop_stream *stream, struct jsv_str bytes);
/** Bytes accepted and not yet taken by the kernel. */
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
 * A connection has come in; the descriptor is the callee's, non-blocking.
 * It may be handed to another loop and opened there.
 */
typedef void loop_accepted(void *owner, int fd);

/**
 * Take connections from a bound, listening descriptor, which is closed with it.
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
