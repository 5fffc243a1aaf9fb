/*
 * Nearly all lines are ASCII, which takes one pass without a branch to see. In
 * the others the characters are counted, and then the line is spread from its
 * end, in place.
 */
#include "log/one_line.h"

#include <string.h>

/* "\u2028" */
#define ESCAPE_SIZE 6

struct line_end {
    const char *bytes; /* in UTF-8 */
    size_t size;
    const char *escape;
};

static const struct line_end line_ends[] = {
    {"\xC2\x85", 2, "\\u0085"},
    {"\xE2\x80\xA8", 3, "\\u2028"},
    {"\xE2\x80\xA9", 3, "\\u2029"},
};

static bool is_ascii(const char *data, size_t size)
{
    unsigned char all = 0;
    for (size_t i = 0; i < size; i++) {
        all |= (unsigned char)data[i];
    }
    return all < 0x80;
}

/* The line end that the first bytes of data finish with; NULL: none. */
static const struct line_end *line_end_before(const char *data, size_t size)
{
    for (size_t i = 0; i < sizeof(line_ends) / sizeof(line_ends[0]); i++) {
        const struct line_end *end = &line_ends[i];
        if (size >= end->size && memcmp(data + size - end->size, end->bytes, end->size) == 0) {
            return end;
        }
    }
    return NULL;
}

/* How much longer the text becomes. */
static size_t growth_of(const char *data, size_t size)
{
    size_t growth = 0;
    for (size_t at = 1; at <= size; at++) {
        const struct line_end *end = line_end_before(data, at);
        growth += end ? ESCAPE_SIZE - end->size : 0;
    }
    return growth;
}

int log_keep_on_one_line(struct jsv_buf *out, size_t start)
{
    size_t from = out->size - start;
    if (out->error < 0 || is_ascii(out->data + start, from)) {
        return out->error;
    }
    size_t growth = growth_of(out->data + start, from);
    if (growth == 0 || jsv_buf_reserve(out, growth) < 0) {
        return out->error;
    }
    char *text = out->data + start;
    size_t to = from + growth;
    while (to > from) { /* what stands before the first of them stays where it is */
        const struct line_end *end = line_end_before(text, from);
        size_t size = end ? ESCAPE_SIZE : 1;
        from -= end ? end->size : 1;
        to -= size;
        memmove(text + to, end ? end->escape : text + from, size);
    }
    out->size += growth;
    return 0;
}
