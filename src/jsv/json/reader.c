/*
 * A reader: its limits, and the memory it uses again from one text to the
 * next. Besides that, the window of the scan moves on here.
 */
#include "jsv/json/reader.h"

#include <string.h>

#include "jsv/base/alloc.h"
#include "jsv/base/hash.h"
#include "jsv/base/number.h"
#include "jsv/base/options.h"

/* Longest pointer an error carries: deeper ones are cut at a token. */
#define ERROR_POINTER_MAX 65536

/* Offsets have 32 bits, and the end of the last block scanned must fit too. */
#define TEXT_SIZE_MAX (UINT32_MAX - JSV_SCAN_BLOCK)
#define DEPTH_DEFAULT 512

static struct jsv_limits limits_or_default(const struct jsv_limits *limits, const void *address)
{
    struct jsv_limits own;
    jsv_options_copy(&own, sizeof(own), limits);
    if (own.size_max == 0 || own.size_max > TEXT_SIZE_MAX) {
        own.size_max = TEXT_SIZE_MAX;
    }
    if (own.memory_max == 0) {
        own.memory_max = SIZE_MAX;
    }
    if (own.depth_max == 0) {
        own.depth_max = DEPTH_DEFAULT;
    }
    if (own.number_size_max == 0 || own.number_size_max > JSV_NUMBER_SIZE_MAX) {
        own.number_size_max = JSV_NUMBER_SIZE_MAX;
    }
    if (own.hash_seed == 0) {
        own.hash_seed = (uint64_t)(uintptr_t)address * 0x9E3779B97F4A7C15ull;
    }
    return own;
}

static size_t frames_size(const struct jsv_reader *reader)
{
    return ((size_t)reader->limits.depth_max + 1) * sizeof(*reader->frames);
}

struct jsv_reader *
jsv_reader_new(const struct jsv_allocator *allocator, const struct jsv_limits *limits)
{
    struct jsv_allocator own = jsv_allocator_or_default(allocator);
    struct jsv_reader *reader = jsv_alloc(&own, sizeof(*reader));
    if (!reader) {
        return NULL;
    }
    reader->allocator = own;
    reader->limits = limits_or_default(limits, reader);
    reader->kernel = jsv_scan_kernel_best();
    for (uint64_t i = 0; i < JSV_HASH_FACTORS; i++) {
        struct jsv_str number = {(const char *)&i, sizeof(i)};
        reader->hash_factors[i] = jsv_hash(number, reader->limits.hash_seed) | 1;
    }
    reader->dropped = NULL;
    reader->checks = 0;
    reader->large_table = NULL;
    reader->large_table_size = 0;
    memset(reader->small_table, 0, sizeof(reader->small_table));
    jsv_buf_init(&reader->pointer, &own, ERROR_POINTER_MAX);
    jsv_buf_init(&reader->decoding, &own, reader->limits.memory_max);
    reader->frames = jsv_alloc(&own, frames_size(reader));
    if (!reader->frames) {
        jsv_dealloc(&own, reader, sizeof(*reader));
        return NULL;
    }
    return reader;
}

void jsv_reader_free(struct jsv_reader *reader)
{
    if (!reader) {
        return;
    }
    struct jsv_allocator own = reader->allocator;
    jsv_buf_done(&reader->pointer);
    jsv_buf_done(&reader->decoding);
    jsv_dealloc(&own, reader->large_table, reader->large_table_size);
    jsv_dealloc(&own, reader->frames, frames_size(reader));
    jsv_dealloc(&own, reader, sizeof(*reader));
}

bool jsv_reader_refill(struct jsv_reader *reader, size_t wanted)
{
    size_t kept = (size_t)(reader->index_end - reader->next);
    if (kept) {
        memmove(reader->index, reader->next, kept * sizeof(*reader->index));
    }
    while (kept < wanted) {
        size_t before = reader->scan.position;
        kept += jsv_scan_next(&reader->scan, reader->kernel, reader->index + kept);
        if (reader->scan.position == before) {
            break;
        }
    }
    reader->next = reader->index;
    reader->index_end = reader->index + kept;
    return kept >= wanted;
}
