/*
 * Lines out of a stream of bytes: the framing of stdio and of the Unix socket.
 *
 * The door reads straight into the memory given here, and takes whole lines
 * out of it, in place:
 *
 *     rpc_frames_space(&frames, &data, &size);   read up to size bytes to data
 *     rpc_frames_filled(&frames, n);
 *     while (rpc_frames_next(&frames, &frame)) { … frame … }
 *
 * A line ends with \n or \r\n; blank lines are left out. One that is longer
 * than the limit is reported once, as oversize, as soon as that is known; what
 * follows up to its end is dropped as it comes, so an endless line takes no
 * more memory than a short one.
 *
 * A frame stays valid until the next rpc_frames_space(), unless somebody who
 * needs it longer retains its chunk: then the lines that follow get a new one.
 * With a pool it stays valid only until rpc_frames_next() finds no further one.
 */
#pragma once

#include <jsv/jsv.h>

struct rpc_pool;

/* Bytes shared by frames; counted by one thread. */
struct rpc_chunk {
    unsigned references;
    size_t capacity;
    char data[];
};

struct rpc_frame {
    struct jsv_str text; /* without its line end */
    bool oversize;       /* too long; text is empty */
    struct rpc_chunk *chunk;
};

struct rpc_frames {
    struct rpc_chunk *chunk; /* NULL while there is nothing to keep */
    size_t begin;            /* first byte not handed out */
    size_t scanned;          /* no line end before this one */
    size_t end;
    size_t size_max;       /* bytes of a line without its end */
    bool discarding;       /* the rest of an oversize line */
    struct rpc_pool *pool; /* where the chunk goes when nothing is left in it; NULL: it stays */
};

void rpc_frames_init(struct rpc_frames *frames, size_t size_max);
void rpc_frames_done(struct rpc_frames *frames);
/** Share memory with others, on the same thread. @param pool Must outlive the frames. */
void rpc_frames_share(struct rpc_frames *frames, struct rpc_pool *pool);

/** Room for more bytes. @return 0 or -ENOMEM. */
int rpc_frames_space(struct rpc_frames *frames, char **ret_data, size_t *ret_size);
void rpc_frames_filled(struct rpc_frames *frames, size_t size);
/** The next line that is complete. @return whether there was one. */
bool rpc_frames_next(struct rpc_frames *frames, struct rpc_frame *ret_frame);
/** Whether a line has begun that is not whole; after rpc_frames_next() found no further one. */
bool rpc_frames_has_begun(const struct rpc_frames *frames);
/** After the last byte of the stream: a last line without an end. @return whether there was one. */
bool rpc_frames_last(struct rpc_frames *frames, struct rpc_frame *ret_frame);

/** A chunk of its own, with one reference. @return NULL when memory ran out. */
struct rpc_chunk *rpc_chunk_new(size_t capacity);
/** Keep a frame's bytes. @return the chunk, which is given back with rpc_chunk_release(). */
struct rpc_chunk *rpc_chunk_retain(struct rpc_chunk *chunk);
/** Accepts NULL. */
void rpc_chunk_release(struct rpc_chunk *chunk);
