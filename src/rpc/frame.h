/*
 * Cutting a stream of bytes into lines, for stdio and the Unix socket.
 *
 * The transport reads into the memory given here and takes whole lines out of
 * it, without copying:
 *
 *     rpc_frames_space(&frames, &data, &size);   read up to size bytes to data
 *     rpc_frames_filled(&frames, n);
 *     while (rpc_frames_next(&frames, &frame)) { … frame … }
 *
 * A line ends with \n or \r\n; blank lines are skipped. A line longer than the
 * limit is reported once, as oversize, as soon as that is known; the rest of it
 * is dropped as it arrives, so an endless line takes no more memory than a
 * short one.
 *
 * A frame stays valid until the next rpc_frames_space(), unless its chunk is
 * retained: then the lines that follow get a new chunk. With a pool it stays
 * valid only until rpc_frames_next() returns false.
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
    struct rpc_chunk *chunk; /* NULL while empty */
    size_t begin;            /* of the first byte not returned yet */
    size_t scanned;          /* no line end before this offset */
    size_t end;
    size_t size_max;       /* bytes of a line without its end */
    bool discarding;       /* the rest of an oversize line */
    struct rpc_pool *pool; /* gets the chunk when it is empty; NULL: it is kept */
};

void rpc_frames_init(struct rpc_frames *frames, size_t size_max);
void rpc_frames_done(struct rpc_frames *frames);
/** Share memory with others, on the same thread. @param pool Must outlive the frames. */
void rpc_frames_share(struct rpc_frames *frames, struct rpc_pool *pool);

/** Where to read more bytes to. @return 0 or -ENOMEM. */
int rpc_frames_space(struct rpc_frames *frames, char **ret_data, size_t *ret_size);
void rpc_frames_filled(struct rpc_frames *frames, size_t size);
/** The next line that is complete. @return whether there was one. */
bool rpc_frames_next(struct rpc_frames *frames, struct rpc_frame *ret_frame);
/** Whether an incomplete line is buffered; after rpc_frames_next() returned false. */
bool rpc_frames_has_begun(const struct rpc_frames *frames);
/** After the last byte of the stream: a last line without an end. @return whether there was one. */
bool rpc_frames_last(struct rpc_frames *frames, struct rpc_frame *ret_frame);

/** A chunk of its own, with one reference. @return NULL when memory ran out. */
struct rpc_chunk *rpc_chunk_new(size_t capacity);
/** Keep a frame's bytes. @return the chunk, to release with rpc_chunk_release(). */
struct rpc_chunk *rpc_chunk_retain(struct rpc_chunk *chunk);
/** Accepts NULL. */
void rpc_chunk_release(struct rpc_chunk *chunk);
