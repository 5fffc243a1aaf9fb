#include "jsv/base/similar.h"

#include <stdint.h>

#include "jsv/base/ascii.h"

static char folded(char byte)
{
    return byte == '_' ? '-' : jsv_to_lower(byte);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t
distance_at(struct jsv_str a, struct jsv_str b, size_t i, size_t k, const uint8_t *const rows[3])
{
    bool equal = folded(a.data[i]) == folded(b.data[k]);
    size_t best = least(rows[1][k] + !equal, least(rows[1][k + 1], rows[0][k]) + 1);
    bool swapped = i > 0 && k > 0 && folded(a.data[i]) == folded(b.data[k - 1]) &&
                   folded(a.data[i - 1]) == folded(b.data[k]);
    return swapped ? least(best, rows[2][k - 1] + 1) : best;
}

/* Both of at most JSV_SIMILAR_SIZE_MAX bytes, so that a distance fits a byte. */
static size_t distance_between(struct jsv_str a, struct jsv_str b)
{
    uint8_t memory[3][JSV_SIMILAR_SIZE_MAX + 1];
    uint8_t *row = memory[0];
    uint8_t *above = memory[1];
    uint8_t *two_above = memory[2];
    for (size_t k = 0; k <= b.size; k++) {
        row[k] = (uint8_t)k;
    }
    for (size_t i = 0; i < a.size; i++) {
        uint8_t *free_row = two_above;
        two_above = above;
        above = row;
        row = free_row;
        row[0] = (uint8_t)(i + 1);
        for (size_t k = 0; k < b.size; k++) {
            const uint8_t *const rows[3] = {row, above, two_above};
            row[k + 1] = (uint8_t)distance_at(a, b, i, k, rows);
        }
    }
    return row[b.size];
}

struct jsv_similar jsv_similar_to(struct jsv_str word)
{
    size_t edits = word.size < 6 ? 1 : word.size / 3;
    return (struct jsv_similar){.word = word, .best = JSV_STR(""), .distance = edits + 1};
}

void jsv_similar_try(struct jsv_similar *similar, struct jsv_str name)
{
    size_t larger = similar->word.size > name.size ? similar->word.size : name.size;
    if (larger > JSV_SIMILAR_SIZE_MAX || name.size == 0) {
        return;
    }
    size_t distance = distance_between(similar->word, name);
    /* Never suggest a name that has nothing in common with the word. */
    if (distance < similar->distance && distance < larger) {
        similar->distance = distance;
        similar->best = name;
    }
}
