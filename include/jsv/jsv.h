/*
 * libjsv: memory, text and error conventions shared by every part of the library.
 *
 * The library keeps no global state, never logs, never reads the environment
 * and never touches the network or the file system. Memory comes from the
 * allocator the caller passes; passing NULL for an allocator means malloc.
 *
 * Functions that can fail return 0 or a negative errno value. An argument
 * named ret_x is written only on success, reterr_x only on failure. Every
 * _free, _done and _reset accepts NULL.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

#define JSV_VERSION_MAJOR 0
#define JSV_VERSION_MINOR 1
#define JSV_VERSION_PATCH 0
#define JSV_VERSION       "0.1.0"

/** Version of the library linked at run time; compare with JSV_VERSION. */
const char *jsv_version(void);

/**
 * Where memory comes from: one function, in the manner of realloc.
 *
 * resize(context, NULL, 0, n)     allocates n bytes;
 * resize(context, p, old, n)      grows or shrinks, contents kept;
 * resize(context, p, old, 0)      frees and returns NULL.
 *
 * It returns NULL on failure and then leaves the old block as it was. Blocks
 * must be aligned for any type, as malloc's are.
 */
struct jsv_allocator {
    void *(*resize)(void *context, void *memory, size_t old_size, size_t new_size);
    void *context;
};

/** Text with a length. Not NUL-terminated unless stated; may hold NUL bytes. */
struct jsv_str {
    const char *data;
    size_t size;
};

/** A jsv_str of a string literal. */
#define JSV_STR(literal) ((struct jsv_str){(literal), sizeof(literal) - 1})

/** A jsv_str of a NUL-terminated string; the text is borrowed. */
struct jsv_str jsv_str_from(const char *text);
bool jsv_str_equal(struct jsv_str a, struct jsv_str b);
/** Order by bytes, which for UTF-8 is the order of code points: <0, 0 or >0. */
int jsv_str_compare(struct jsv_str a, struct jsv_str b);

/**
 * A growing byte buffer with a ceiling. It cannot be made without one.
 *
 * Failure sticks: after the first append that did not fit, error is -ENOBUFS
 * (ceiling) or -ENOMEM (allocator), further appends do nothing, and the bytes
 * written so far stay. So a writer appends freely and looks at error once.
 */
struct jsv_buf {
    char *data;
    size_t size;
    size_t capacity;
    size_t size_max;
    int error;
    struct jsv_allocator allocator;
};

/** Make an empty buffer; allocates nothing yet. allocator NULL means malloc. */
void jsv_buf_init(struct jsv_buf *buf, const struct jsv_allocator *allocator, size_t size_max);
/** Append bytes. @return 0, or the sticky error. */
int jsv_buf_append(struct jsv_buf *buf, const void *data, size_t size);
int jsv_buf_append_byte(struct jsv_buf *buf, char byte);
int jsv_buf_append_str(struct jsv_buf *buf, struct jsv_str text);
/** Make room for size more bytes without changing buf->size. @return 0, or the sticky error. */
int jsv_buf_reserve(struct jsv_buf *buf, size_t size);
/** The contents, borrowed until the next append. */
struct jsv_str jsv_buf_str(const struct jsv_buf *buf);
/** Empty it and forget the error; keeps the memory for the next use. */
void jsv_buf_reset(struct jsv_buf *buf);
/** Give the memory back. */
void jsv_buf_done(struct jsv_buf *buf);

struct jsv_arena_block;

/**
 * Memory that is given back all at once, with a budget.
 *
 * Pointers stay valid until jsv_arena_reset or jsv_arena_done. Reset keeps the
 * largest block, so that a caller in steady state never calls the allocator.
 */
struct jsv_arena {
    struct jsv_allocator allocator;
    struct jsv_arena_block *newest;
    size_t used;   /* bytes handed out by the newest block */
    size_t held;   /* bytes taken from the allocator, in all blocks */
    size_t budget; /* ceiling of held */
    bool refused;  /* since the last reset: something would have gone beyond the budget */
};

/** Make an empty arena; allocates nothing yet. allocator NULL means malloc. */
void jsv_arena_init(struct jsv_arena *arena, const struct jsv_allocator *allocator, size_t budget);
/**
 * @return size bytes aligned for any type, uninitialised; NULL when memory ran out, or the budget:
 *         then arena->refused is set.
 */
void *jsv_arena_alloc(struct jsv_arena *arena, size_t size);
/** As jsv_arena_alloc for count objects of size bytes; NULL also on overflow. */
void *jsv_arena_array(struct jsv_arena *arena, size_t count, size_t size);
/** Invalidate everything handed out; keeps the largest block. */
void jsv_arena_reset(struct jsv_arena *arena);
/** Give all memory back; the arena may be used again. */
void jsv_arena_done(struct jsv_arena *arena);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
