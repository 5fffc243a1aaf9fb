/*
 * A chunk holds the lines that were not returned yet. When more room is needed,
 * the rest is moved to its front, or into a new chunk while the old one is in
 * use. So a line is copied only when it arrives in pieces.
 */
#include "rpc/frame.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "os/sys.h"
#include "rpc/pool.h"

/* The first capacity: several usual messages. Grows with the line, up to the limit. */
#define CHUNK_CAPACITY ((size_t)16 * 1024)

/* Less than this is not worth a system call. */
#define SPACE_MIN ((size_t)2 * 1024)

/* The longest line end. */
#define LINE_END_MAX 2

static struct rpc_chunk *chunk_resize(struct rpc_chunk *chunk, size_t capacity)
{
    const struct jsv_allocator *allocator = os_allocator();
    size_t old_size = chunk ? sizeof(*chunk) + chunk->capacity : 0;
    struct rpc_chunk *resized =
        allocator->resize(allocator->context, chunk, old_size, sizeof(*chunk) + capacity);
    if (resized) {
        resized->capacity = capacity;
        resized->references = 1;
    }
    return resized;
}

struct rpc_chunk *rpc_chunk_new(size_t capacity)
{
    return chunk_resize(NULL, capacity);
}

struct rpc_chunk *rpc_chunk_retain(struct rpc_chunk *chunk)
{
    chunk->references++;
    return chunk;
}

void rpc_chunk_release(struct rpc_chunk *chunk)
{
    if (!chunk || --chunk->references > 0) {
        return;
    }
    const struct jsv_allocator *allocator = os_allocator();
    allocator->resize(allocator->context, chunk, sizeof(*chunk) + chunk->capacity, 0);
}

void rpc_frames_init(struct rpc_frames *frames, size_t size_max)
{
    *frames = (struct rpc_frames){.size_max = size_max};
}

void rpc_frames_done(struct rpc_frames *frames)
{
    rpc_chunk_release(frames->chunk);
    frames->chunk = NULL;
}

void rpc_frames_share(struct rpc_frames *frames, struct rpc_pool *pool)
{
    frames->pool = pool;
}

static void forget_chunk(struct rpc_frames *frames)
{
    rpc_chunk_release(frames->chunk);
    frames->chunk = NULL;
    frames->begin = frames->scanned = frames->end = 0;
}

/* Give an empty chunk to the pool, unless a frame in it is still in use. */
static void return_chunk(struct rpc_frames *frames)
{
    struct rpc_pool *pool = frames->pool;
    struct rpc_chunk *chunk = frames->chunk;
    if (!pool || !chunk || frames->begin < frames->end) {
        return;
    }
    bool is_room = pool->chunk_count < RPC_POOL_SPARES_MAX;
    if (is_room && chunk->references == 1 && chunk->capacity == CHUNK_CAPACITY) {
        pool->chunks[pool->chunk_count++] = rpc_chunk_retain(chunk);
    }
    forget_chunk(frames);
}

static struct rpc_chunk *chunk_new(struct rpc_frames *frames, size_t capacity)
{
    struct rpc_pool *pool = frames->pool;
    if (!pool || pool->chunk_count == 0 || capacity != CHUNK_CAPACITY) {
        return chunk_resize(NULL, capacity);
    }
    return pool->chunks[--pool->chunk_count];
}

/* Start a new chunk with the rest of the old one. */
static int move_to_new(struct rpc_frames *frames, size_t capacity)
{
    struct rpc_chunk *chunk = chunk_new(frames, capacity);
    if (!chunk) {
        return -ENOMEM;
    }
    size_t left = frames->end - frames->begin;
    size_t scanned = frames->scanned - frames->begin;
    assert(left == 0 || frames->chunk);
    if (left > 0) {
        memcpy(chunk->data, frames->chunk->data + frames->begin, left);
    }
    forget_chunk(frames);
    frames->chunk = chunk;
    frames->end = left;
    frames->scanned = scanned;
    return 0;
}

static void move_to_front(struct rpc_frames *frames)
{
    size_t left = frames->end - frames->begin;
    memmove(frames->chunk->data, frames->chunk->data + frames->begin, left);
    frames->scanned -= frames->begin;
    frames->begin = 0;
    frames->end = left;
}

/* Double the capacity, up to the longest line allowed. */
static int grow(struct rpc_frames *frames)
{
    size_t capacity_max = frames->size_max + LINE_END_MAX;
    size_t capacity = frames->chunk->capacity * 2;
    capacity = capacity < capacity_max ? capacity : capacity_max;
    assert(capacity > frames->end);
    struct rpc_chunk *chunk = chunk_resize(frames->chunk, capacity);
    if (!chunk) {
        return -ENOMEM;
    }
    frames->chunk = chunk;
    return 0;
}

static size_t capacity_at_first(const struct rpc_frames *frames, size_t left)
{
    size_t capacity = CHUNK_CAPACITY;
    while (capacity < left + SPACE_MIN) {
        capacity *= 2;
    }
    size_t capacity_max = frames->size_max + LINE_END_MAX;
    return capacity < capacity_max ? capacity : capacity_max;
}

static int make_room(struct rpc_frames *frames)
{
    size_t left = frames->end - frames->begin;
    bool shared = frames->chunk && frames->chunk->references > 1;
    bool oversized = frames->chunk && left == 0 && frames->chunk->capacity > CHUNK_CAPACITY;
    if (!frames->chunk || shared || oversized) {
        return move_to_new(frames, capacity_at_first(frames, left));
    }
    if (frames->begin > 0 && (left == 0 || frames->chunk->capacity - frames->end < SPACE_MIN)) {
        move_to_front(frames);
    }
    bool full = frames->end == frames->chunk->capacity;
    return full ? grow(frames) : 0;
}

int rpc_frames_space(struct rpc_frames *frames, char **ret_data, size_t *ret_size)
{
    int r = make_room(frames);
    if (r < 0) {
        return r;
    }
    *ret_data = frames->chunk->data + frames->end;
    *ret_size = frames->chunk->capacity - frames->end;
    return 0;
}

void rpc_frames_filled(struct rpc_frames *frames, size_t size)
{
    frames->end += size;
}

/* The line without \r; empty when it is only white space. */
static struct jsv_str trim(const char *data, size_t size)
{
    if (size > 0 && data[size - 1] == '\r') {
        size--;
    }
    for (size_t i = 0; i < size; i++) {
        if (data[i] != ' ' && data[i] != '\t' && data[i] != '\r') {
            return (struct jsv_str){data, size};
        }
    }
    return (struct jsv_str){NULL, 0};
}

static void report_oversize(struct rpc_frames *frames, struct rpc_frame *ret_frame)
{
    *ret_frame = (struct rpc_frame){.oversize = true, .chunk = frames->chunk};
}

/* Whether an incomplete line can still be within the limit. */
static bool may_fit(const struct rpc_frames *frames)
{
    size_t size = frames->end - frames->begin;
    bool half_line_end = size > 0 && frames->chunk->data[frames->end - 1] == '\r';
    return size - (half_line_end ? 1 : 0) <= frames->size_max;
}

/* Find a line end in the bytes not scanned yet. */
static const char *find_line_end(struct rpc_frames *frames)
{
    size_t size = frames->end - frames->scanned;
    const char *from = size > 0 ? frames->chunk->data + frames->scanned : NULL;
    return size > 0 ? memchr(from, '\n', size) : NULL;
}

/* Take out the line up to an end. @return whether it is to be returned. */
static bool take_line(struct rpc_frames *frames, const char *line_end, struct rpc_frame *ret_frame)
{
    const char *line = frames->chunk->data + frames->begin;
    struct jsv_str text = trim(line, (size_t)(line_end - line));
    frames->begin = frames->scanned = (size_t)(line_end - frames->chunk->data) + 1;
    if (frames->discarding) {
        frames->discarding = false;
        return false;
    }
    if (text.size > frames->size_max) {
        report_oversize(frames, ret_frame);
        return true;
    }
    *ret_frame = (struct rpc_frame){.text = text, .chunk = frames->chunk};
    return text.size > 0;
}

bool rpc_frames_next(struct rpc_frames *frames, struct rpc_frame *ret_frame)
{
    const char *line_end;
    while ((line_end = find_line_end(frames)) != NULL) {
        if (take_line(frames, line_end, ret_frame)) {
            return true;
        }
    }
    frames->scanned = frames->end;
    if (frames->chunk && !frames->discarding && !may_fit(frames)) {
        frames->discarding = true;
        frames->begin = frames->end;
        report_oversize(frames, ret_frame);
        return true;
    }
    if (frames->discarding) {
        frames->begin = frames->end;
    }
    return_chunk(frames);
    return false;
}

bool rpc_frames_has_begun(const struct rpc_frames *frames)
{
    return frames->discarding || frames->begin < frames->end;
}

bool rpc_frames_last(struct rpc_frames *frames, struct rpc_frame *ret_frame)
{
    if (frames->discarding || frames->begin == frames->end) {
        return false;
    }
    const char *line = frames->chunk->data + frames->begin;
    struct jsv_str text = trim(line, frames->end - frames->begin);
    frames->begin = frames->scanned = frames->end;
    *ret_frame = (struct rpc_frame){.text = text, .chunk = frames->chunk};
    return text.size > 0;
}
