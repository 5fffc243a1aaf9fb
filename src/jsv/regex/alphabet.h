/*
 * Which characters a pattern can tell apart. [a-z]+@ sees three kinds: letters,
 * the @, and all others; its table needs three columns, not a million.
 */
#pragma once

#include "jsv/regex/nfa.h"

/* A kind is a byte, and a set of kinds a bitmap of 256 bits. */
#define JSV_ALPHABET_KINDS_MAX 256

struct jsv_alphabet {
    unsigned kinds;
    size_t segment_count;
    uint32_t *starts;       /* first code point of each segment, ascending from 0 */
    uint8_t *kind_of;       /* of each segment */
    uint64_t (*members)[4]; /* of each set of the automaton: the kinds in it */
};

/* Find the kinds of an automaton. @return 0; -E2BIG when there are too many; -ENOMEM. */
int jsv_alphabet_build(
    const struct jsv_nfa *nfa, struct jsv_arena *arena, struct jsv_alphabet *ret_alphabet);

static inline bool
jsv_alphabet_contains(const struct jsv_alphabet *alphabet, size_t set, unsigned kind)
{
    return alphabet->members[set][kind / 64] >> kind % 64 & 1;
}
