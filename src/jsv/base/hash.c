/*
 * SipHash-1-3 (Aumasson and Bernstein): one round per eight bytes, three to
 * finish. Without the key its collisions cannot be predicted, which is all a
 * hash table with untrusted keys needs; it is not meant to sign anything.
 */
#include "jsv/base/hash.h"

#include <endian.h>
#include <string.h>

/* The key has 128 bits, the seed 64: the other half is the seed, changed (2^64 / golden ratio). */
#define KEY_CHANGE 0x9E3779B97F4A7C15u

struct sip {
    uint64_t v0, v1, v2, v3;
};

static inline uint64_t rotate_left(uint64_t word, unsigned bits)
{
    return word << bits | word >> (64 - bits);
}

static inline void sip_round(struct sip *s)
{
    s->v0 += s->v1;
    s->v1 = rotate_left(s->v1, 13) ^ s->v0;
    s->v0 = rotate_left(s->v0, 32);
    s->v2 += s->v3;
    s->v3 = rotate_left(s->v3, 16) ^ s->v2;
    s->v0 += s->v3;
    s->v3 = rotate_left(s->v3, 21) ^ s->v0;
    s->v2 += s->v1;
    s->v1 = rotate_left(s->v1, 17) ^ s->v2;
    s->v2 = rotate_left(s->v2, 32);
}

static inline void sip_word(struct sip *s, uint64_t word)
{
    s->v3 ^= word;
    sip_round(s);
    s->v0 ^= word;
}

static inline uint64_t load_word(const char *data, size_t size)
{
    uint64_t word = 0;
    memcpy(&word, data, size);
    return le64toh(word);
}

uint64_t jsv_hash(struct jsv_str text, uint64_t seed)
{
    const uint64_t k0 = seed;
    const uint64_t k1 = seed ^ KEY_CHANGE;
    struct sip s = {
        k0 ^ 0x736f6d6570736575u,
        k1 ^ 0x646f72616e646f6du,
        k0 ^ 0x6c7967656e657261u,
        k1 ^ 0x7465646279746573u,
    };
    size_t words_size = text.size & ~(size_t)7;
    for (size_t i = 0; i < words_size; i += 8) {
        sip_word(&s, load_word(text.data + i, 8));
    }
    /* The last word: up to seven bytes left, and the length in the eighth. */
    uint64_t last = (uint64_t)text.size << 56;
    if (text.size > words_size) {
        last |= load_word(text.data + words_size, text.size - words_size);
    }
    sip_word(&s, last);

    s.v2 ^= 0xFF;
    sip_round(&s);
    sip_round(&s);
    sip_round(&s);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
