#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/base/hash.h"
#include "support/random.h"

/* SipHash-c-d as its paper describes it, byte by byte and with a key of 128 bits. */
static uint64_t
reference(unsigned c, unsigned d, uint64_t k0, uint64_t k1, const unsigned char *data, size_t size)
{
    uint64_t v[4] = {
        k0 ^ 0x736f6d6570736575u,
        k1 ^ 0x646f72616e646f6du,
        k0 ^ 0x6c7967656e657261u,
        k1 ^ 0x7465646279746573u,
    };
    static const struct {
        int add, to, rotate_by, rotate_to;
    } half_rounds[] = {{1, 0, 13, 32}, {3, 2, 16, 0}, {3, 0, 21, 0}, {1, 2, 17, 32}};
    for (size_t word = 0; word <= size / 8 + 1; word++) {
        bool finish = word == size / 8 + 1;
        uint64_t m = 0;
        for (size_t i = 0; i < 8; i++) {
            size_t at = word * 8 + i;
            m |= (uint64_t)(at < size ? data[at] : i == 7 ? size & 0xFF : 0) << 8 * i;
        }
        v[2] ^= finish ? 0xFF : 0;
        v[3] ^= finish ? 0 : m;
        for (unsigned round = 0; round < (finish ? d : c); round++) {
            for (size_t i = 0; i < 4; i++) {
                int add = half_rounds[i].add;
                int to = half_rounds[i].to;
                int by = half_rounds[i].rotate_by;
                v[to] += v[add];
                v[add] = (v[add] << by | v[add] >> (64 - by)) ^ v[to];
                if (half_rounds[i].rotate_to) {
                    v[to] = v[to] << 32 | v[to] >> 32;
                }
            }
        }
        v[0] ^= finish ? 0 : m;
    }
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* The key 00 01 … 0f and the texts 00 01 … of the published test vectors. */
static void test_reference_gives_the_published_values(void **state)
{
    (void)state;
    const uint64_t k0 = 0x0706050403020100u;
    const uint64_t k1 = 0x0f0e0d0c0b0a0908u;
    unsigned char data[15];
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (unsigned char)i;
    }
    assert_true(reference(2, 4, k0, k1, data, 0) == 0x726fdb47dd0e0e31u);
    assert_true(reference(2, 4, k0, k1, data, 8) == 0x93f5f5799a932462u);
    assert_true(reference(2, 4, k0, k1, data, 15) == 0xa129ca6149be45e5u);
    assert_true(reference(1, 3, k0, k1, data, 0) == 0xabac0158050fc4dcu);
    assert_true(reference(1, 3, k0, k1, data, 8) == 0x369095118d299a8eu);
    assert_true(reference(1, 3, k0, k1, data, 15) == 0xd320d86d2a519956u);
}

static void test_hash_is_siphash_1_3(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (size_t size = 0; size < 300; size++) {
        unsigned char *data = malloc(size + 1);
        assert_non_null(data);
        for (size_t i = 0; i < size; i++) {
            data[i] = (unsigned char)random_next(&random);
        }
        uint64_t seed = random_next(&random);
        uint64_t expected = reference(1, 3, seed, seed ^ 0x9E3779B97F4A7C15u, data, size);
        assert_true(jsv_hash((struct jsv_str){(char *)data, size}, seed) == expected);
        free(data);
    }
    assert_true(jsv_hash((struct jsv_str){NULL, 0}, 1) == jsv_hash(JSV_STR(""), 1));
}

/* Of 64 bits about 32 change, whichever bit of the text or of the seed does. */
static void test_every_bit_counts(void **state)
{
    (void)state;
    unsigned char data[24] = "the quick brown fox jump";
    struct jsv_str text = {(const char *)data, sizeof data};
    const uint64_t before = jsv_hash(text, 7);
    unsigned total = 0;
    for (size_t bit = 0; bit < sizeof data * 8; bit++) {
        data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        unsigned changed = (unsigned)__builtin_popcountll(jsv_hash(text, 7) ^ before);
        data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_in_range(changed, 10, 54);
        total += changed;
    }
    assert_in_range(total / (sizeof data * 8), 30, 34);
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t changed = jsv_hash(text, 7 ^ UINT64_C(1) << bit) ^ before;
        assert_in_range(__builtin_popcountll(changed), 10, 54);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_gives_the_published_values),
        cmocka_unit_test(test_hash_is_siphash_1_3),
        cmocka_unit_test(test_every_bit_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
