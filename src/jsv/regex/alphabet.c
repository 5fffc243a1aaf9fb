/*
 * The bounds of all ranges of all sets cut the code points into segments that
 * no set cuts through. At first all segments are of one kind; then each set
 * splits every kind of which it holds some segments but not all.
 */
#include "jsv/regex/alphabet.h"

#include <errno.h>
#include <string.h>

/*
 * Looking at every segment of every set must stay quick. Sets so many and so
 * full of holes that it would not belong to PCRE2.
 */
#define RANGES_MAX 16384
#define VISITS_MAX 1000000

static size_t count_ranges(const struct jsv_nfa *nfa)
{
    size_t count = 0;
    for (size_t i = 0; i < nfa->set_count; i++) {
        count += nfa->sets[i]->count;
    }
    return count;
}

/* List where segments start. There is room for two per range and one more. */
static void cut(struct jsv_alphabet *alphabet, const struct jsv_nfa *nfa, struct jsv_range *bounds)
{
    size_t count = 0;
    bounds[count++].first = 0;
    for (size_t i = 0; i < nfa->set_count; i++) {
        const struct jsv_charset *set = nfa->sets[i];
        for (size_t k = 0; k < set->count; k++) {
            bounds[count++].first = set->ranges[k].first;
            bounds[count++].first = set->ranges[k].last + 1;
        }
    }
    jsv_ranges_sort(bounds, count);
    for (size_t i = 0; i < count && bounds[i].first <= JSV_CODE_POINT_MAX; i++) {
        if (i == 0 || bounds[i].first != bounds[i - 1].first) {
            alphabet->starts[alphabet->segment_count++] = bounds[i].first;
        }
    }
}

/* How many segments start before a code point. */
static size_t segments_before(const struct jsv_alphabet *alphabet, uint32_t code_point)
{
    size_t low = 0;
    size_t high = alphabet->segment_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (alphabet->starts[middle] < code_point) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The segments of a range: from first to before end. */
struct span {
    size_t first;
    size_t end;
};

static struct span span_of(const struct jsv_alphabet *alphabet, struct jsv_range range)
{
    return (struct span){
        segments_before(alphabet, range.first), segments_before(alphabet, range.last + 1)};
}

/* The kinds while a set splits them. */
struct split {
    size_t size[JSV_ALPHABET_KINDS_MAX];  /* segments of a kind */
    size_t share[JSV_ALPHABET_KINDS_MAX]; /* those of them that are in the set */
    unsigned becomes[JSV_ALPHABET_KINDS_MAX];
    size_t visits;
};

static int count_shares(
    const struct jsv_alphabet *alphabet, const struct jsv_charset *set, struct split *split)
{
    memset(split->share, 0, alphabet->kinds * sizeof split->share[0]);
    for (size_t k = 0; k < set->count; k++) {
        struct span span = span_of(alphabet, set->ranges[k]);
        split->visits += span.end - span.first;
        if (split->visits > VISITS_MAX) {
            return -E2BIG;
        }
        for (size_t i = span.first; i < span.end; i++) {
            split->share[alphabet->kind_of[i]]++;
        }
    }
    return 0;
}

/* Decide which kind the share of each kind becomes. */
static int name_shares(struct jsv_alphabet *alphabet, struct split *split)
{
    unsigned kinds = alphabet->kinds;
    for (unsigned kind = 0; kind < kinds; kind++) {
        size_t share = split->share[kind];
        split->becomes[kind] = kind;
        if (share == 0 || share == split->size[kind]) {
            continue;
        }
        if (alphabet->kinds == JSV_ALPHABET_KINDS_MAX) {
            return -E2BIG;
        }
        split->becomes[kind] = alphabet->kinds;
        split->size[kind] -= share;
        split->size[alphabet->kinds++] = share;
    }
    return 0;
}

static void rename_shares(
    struct jsv_alphabet *alphabet, const struct jsv_charset *set, const struct split *split)
{
    for (size_t k = 0; k < set->count; k++) {
        struct span span = span_of(alphabet, set->ranges[k]);
        for (size_t i = span.first; i < span.end; i++) {
            alphabet->kind_of[i] = (uint8_t)split->becomes[alphabet->kind_of[i]];
        }
    }
}

static int find_kinds(struct jsv_alphabet *alphabet, const struct jsv_nfa *nfa)
{
    struct split split = {.size = {alphabet->segment_count}};
    alphabet->kinds = 1;
    memset(alphabet->kind_of, 0, alphabet->segment_count);
    for (size_t i = 0; i < nfa->set_count; i++) {
        int error = count_shares(alphabet, nfa->sets[i], &split);
        error = error ? error : name_shares(alphabet, &split);
        if (error) {
            return error;
        }
        rename_shares(alphabet, nfa->sets[i], &split);
    }
    return 0;
}

static void find_members(struct jsv_alphabet *alphabet, const struct jsv_nfa *nfa)
{
    memset(alphabet->members, 0, nfa->set_count * sizeof alphabet->members[0]);
    for (size_t set = 0; set < nfa->set_count; set++) {
        for (size_t k = 0; k < nfa->sets[set]->count; k++) {
            struct span span = span_of(alphabet, nfa->sets[set]->ranges[k]);
            for (size_t i = span.first; i < span.end; i++) {
                unsigned kind = alphabet->kind_of[i];
                alphabet->members[set][kind / 64] |= (uint64_t)1 << kind % 64;
            }
        }
    }
}

int jsv_alphabet_build(
    const struct jsv_nfa *nfa, struct jsv_arena *arena, struct jsv_alphabet *ret_alphabet)
{
    size_t ranges = count_ranges(nfa);
    if (ranges > RANGES_MAX) {
        return -E2BIG;
    }
    size_t bound_max = 2 * ranges + 1;
    struct jsv_alphabet alphabet = {
        .starts = jsv_arena_array(arena, bound_max, sizeof alphabet.starts[0]),
        .kind_of = jsv_arena_array(arena, bound_max, sizeof alphabet.kind_of[0]),
        .members = jsv_arena_array(arena, nfa->set_count, sizeof alphabet.members[0]),
    };
    struct jsv_range *bounds = jsv_arena_array(arena, bound_max, sizeof bounds[0]);
    if (!alphabet.starts || !alphabet.kind_of || !alphabet.members || !bounds) {
        return -ENOMEM;
    }
    cut(&alphabet, nfa, bounds);
    int error = find_kinds(&alphabet, nfa);
    if (error) {
        return error;
    }
    find_members(&alphabet, nfa);
    *ret_alphabet = alphabet;
    return 0;
}
