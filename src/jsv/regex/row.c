/*
 * Matching a row: every step takes what it can from the text, and none of it is
 * ever given back. That this is right was found out when the row was made.
 */
#include <endian.h>
#include <string.h>

#include "jsv/base/alloc.h"
#include "jsv/base/word.h"
#include "jsv/regex/row_steps.h"

/* The highest bit of each byte of a word. */
#define HIGH_BITS 0x8080808080808080u

void jsv_row_free(struct jsv_row *row, const struct jsv_allocator *allocator)
{
    if (row) {
        jsv_dealloc(allocator, row, row->size);
    }
}

/* Four bytes, the first of them lowest. */
static inline uint64_t load_four(const char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return le32toh(word);
}

/* The next eight bytes, the first of them lowest, with zeros for what is not left; some is. */
static inline uint64_t load_word(const char *at, size_t left)
{
    if (left >= JSV_STRETCH_SIZE) {
        return le64toh(jsv_load_word(at));
    }
    if (left >= 4) {
        return load_four(at) | load_four(at + left - 4) << 8 * (left - 4);
    }
    const unsigned char *bytes = (const unsigned char *)at;
    size_t middle = left / 2;
    size_t last = left - 1;
    return bytes[0] | (uint64_t)bytes[middle] << 8 * middle | (uint64_t)bytes[last] << 8 * last;
}

/*
 * A byte less another one keeps its highest bit, which is set before, unless the
 * rest of it was smaller. So the bits that are left say which bytes are within
 * bounds. A byte beyond ASCII is not, and fails; it may also spoil what is found
 * about the bytes behind it, which matters no more then.
 */
static inline bool take_stretch(const struct jsv_step *step, const char **at, const char *end)
{
    size_t left = (size_t)(end - *at);
    if (left < step->size) {
        return false;
    }
    uint64_t text = load_word(*at, left);
    uint64_t not_below = (text | HIGH_BITS) - step->low;
    uint64_t not_above = step->high - text;
    *at += step->size;
    return (step->checked & ~(not_below & not_above & ~text)) == 0;
}

static inline bool take_one(
    const struct jsv_step *step, const uint8_t sets[static 256], const char **at, const char *end)
{
    return *at < end && sets[(unsigned char)*(*at)++] & step->set;
}

static inline bool take_run(
    const struct jsv_step *step, const uint8_t sets[static 256], const char **at, const char *end)
{
    const char *start = *at;
    if (step->max != JSV_STEP_UNBOUNDED && step->max < end - start) {
        end = start + step->max;
    }
    const char *stop = start;
    while (stop < end && sets[(unsigned char)*stop] & step->set) {
        stop++;
    }
    *at = stop;
    return stop - start >= step->min;
}

static inline bool take_rest(
    const struct jsv_step *step, const uint8_t sets[static 256], const char *at, const char *end)
{
    size_t left = (size_t)(end - at);
    if (left < step->min || (left > step->max && step->max != JSV_STEP_UNBOUNDED)) {
        return false;
    }
    while (at < end && sets[(unsigned char)*at] & step->set) {
        at++;
    }
    return at == end;
}

static inline bool
take(const struct jsv_step *step, const uint8_t sets[static 256], const char **at, const char *end)
{
    if (step->kind == JSV_STEP_STRETCH) {
        return take_stretch(step, at, end);
    }
    return step->kind == JSV_STEP_ONE ? take_one(step, sets, at, end)
                                      : take_run(step, sets, at, end);
}

bool jsv_row_search(const struct jsv_row *row, struct jsv_str subject)
{
    const char *at = subject.data;
    const char *end = at + subject.size;
    const struct jsv_step *step = row->steps;
    for (; step->kind < JSV_STEP_REST; step++) {
        if (!take(step, row->sets, &at, end)) {
            return false;
        }
    }
    if (step->kind == JSV_STEP_REST) {
        return take_rest(step, row->sets, at, end);
    }
    return at == end || step->kind == JSV_STEP_MATCH;
}
