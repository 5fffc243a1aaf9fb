#include <errno.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <jsv/jsv.h>

#include "support/random.h"
#include "support/torture.h"

#define PLENTY (64u << 20)

static void test_pointers_are_aligned_and_apart(void **state)
{
    (void)state;
    struct torture torture;
    torture_init(&torture, 0);
    struct jsv_arena arena;
    jsv_arena_init(&arena, &torture.allocator, PLENTY);
    assert_int_equal(torture.calls, 0);

    enum {
        COUNT = 2000
    };
    unsigned char *pieces[COUNT];
    uint64_t seed = 1;
    for (size_t i = 0; i < COUNT; i++) {
        size_t size = i % 100;
        pieces[i] = jsv_arena_alloc(&arena, size);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
        memset(pieces[i], (int)(random_next(&seed) & 0xFF), size);
    }
    seed = 1;
    for (size_t i = 0; i < COUNT; i++) {
        unsigned char expected = (unsigned char)random_next(&seed);
        for (size_t j = 0; j < i % 100; j++) {
            assert_int_equal(pieces[i][j], expected);
        }
        assert_true(i == 0 || pieces[i] != pieces[i - 1]);
    }
    assert_int_equal(arena.held, torture.live_bytes);
    jsv_arena_done(&arena);
    assert_int_equal(arena.held, 0);
    torture_done(&torture);
}

static void test_blocks_are_few(void **state)
{
    (void)state;
    struct torture torture;
    torture_init(&torture, 0);
    struct jsv_arena arena;
    jsv_arena_init(&arena, &torture.allocator, PLENTY);
    for (size_t i = 0; i < 100000; i++) {
        assert_non_null(jsv_arena_alloc(&arena, 64));
    }
    assert_in_range(torture.calls, 2, 12);
    assert_in_range(arena.held, 6400000, 4 * 6400000);
    jsv_arena_done(&arena);
    torture_done(&torture);
}

static void test_reset_keeps_the_largest_block(void **state)
{
    (void)state;
    struct torture torture;
    torture_init(&torture, 0);
    struct jsv_arena arena;
    jsv_arena_init(&arena, &torture.allocator, 300000);
    assert_non_null(jsv_arena_alloc(&arena, 10));
    assert_non_null(jsv_arena_alloc(&arena, 200000));
    size_t largest = torture.live[1].size;
    /* The budget makes the newest block smaller than the one before. */
    assert_non_null(jsv_arena_alloc(&arena, 50000));
    assert_int_equal(torture.live_count, 3);
    assert_true(torture.live[2].size < largest);

    jsv_arena_reset(&arena);
    assert_int_equal(torture.live_count, 1);
    assert_int_equal(torture.live_bytes, largest);
    assert_int_equal(arena.held, largest);
    size_t calls = torture.calls;
    assert_non_null(jsv_arena_alloc(&arena, 200000));
    assert_int_equal(torture.calls, calls);
    jsv_arena_done(&arena);
    torture_done(&torture);
}

static void test_steady_state_never_allocates(void **state)
{
    (void)state;
    for (size_t pieces = 1; pieces <= 4096; pieces *= 2) {
        struct torture torture;
        torture_init(&torture, 0);
        struct jsv_arena arena;
        jsv_arena_init(&arena, &torture.allocator, PLENTY);
        size_t warm = 0;
        for (int round = 0; round < 10; round++) {
            for (size_t i = 0; i < pieces; i++) {
                assert_non_null(jsv_arena_alloc(&arena, 1 + i % 333));
            }
            jsv_arena_reset(&arena);
            warm = round == 2 ? torture.calls : warm;
        }
        assert_int_equal(torture.calls, warm);
        jsv_arena_done(&arena);
        torture_done(&torture);
    }
}

static void test_budget_is_never_exceeded(void **state)
{
    (void)state;
    static const size_t budgets[] = {0, 1, 31, 32, 48, 100, 4095, 4096, 4097, 10000, 1 << 20};
    for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
        struct torture torture;
        torture_init(&torture, 0);
        struct jsv_arena arena;
        jsv_arena_init(&arena, &torture.allocator, budgets[i]);
        size_t got = 0;
        while (jsv_arena_alloc(&arena, 16)) {
            got += 16;
        }
        assert_true(torture.peak_bytes <= budgets[i]);
        assert_int_equal(arena.held, torture.live_bytes);
        /* Not refused too early either: headers and ends of blocks take little. */
        assert_true(budgets[i] < 64 || got + 32 * torture.calls >= budgets[i]);
        assert_in_range(torture.calls, 0, 12);
        /* Refusing changes nothing. */
        assert_null(jsv_arena_alloc(&arena, 16));
        assert_int_equal(arena.held, torture.live_bytes);
        jsv_arena_done(&arena);
        torture_done(&torture);
    }
}

/* A block begins with two words of its own. */
#define HEADER_SIZE (2 * sizeof(void *))

static void test_one_piece_may_take_the_whole_budget(void **state)
{
    (void)state;
    struct jsv_arena arena;
    jsv_arena_init(&arena, NULL, 100000);
    assert_null(jsv_arena_alloc(&arena, 100000 - HEADER_SIZE + 1));
    assert_int_equal(arena.held, 0);
    assert_non_null(jsv_arena_alloc(&arena, 100000 - HEADER_SIZE));
    assert_int_equal(arena.held, 100000);
    jsv_arena_done(&arena);
}

/* The caller can tell its limit from a lack of memory. */
static void test_the_budget_says_when_it_refuses(void **state)
{
    (void)state;
    struct torture torture;
    torture_init(&torture, 1);
    struct jsv_arena arena;
    jsv_arena_init(&arena, &torture.allocator, 10000);
    assert_null(jsv_arena_alloc(&arena, 16));
    assert_false(arena.refused);
    assert_non_null(jsv_arena_alloc(&arena, 16));
    assert_null(jsv_arena_alloc(&arena, 10000));
    assert_true(arena.refused);
    assert_non_null(jsv_arena_alloc(&arena, 16));
    assert_true(arena.refused);
    jsv_arena_reset(&arena);
    assert_false(arena.refused);
    jsv_arena_done(&arena);
    /* also when it had nothing to begin with */
    assert_null(jsv_arena_alloc(&arena, 10000));
    assert_true(arena.refused);
    jsv_arena_reset(&arena);
    assert_false(arena.refused);
    assert_null(jsv_arena_alloc(&arena, 10000));
    jsv_arena_done(&arena);
    assert_false(arena.refused);
    torture_done(&torture);
}

/* Sizes about as large as the block they are put into: all of a piece must lie inside. */
static void test_pieces_lie_inside_their_block(void **state)
{
    (void)state;
    for (size_t size = 3900; size < 8400; size++) {
        struct torture torture;
        torture_init(&torture, 0);
        struct jsv_arena arena;
        jsv_arena_init(&arena, &torture.allocator, PLENTY);
        for (int i = 0; i < 2; i++) {
            char *piece = jsv_arena_alloc(&arena, size);
            assert_non_null(piece);
            const struct torture_block *block = &torture.live[torture.live_count - 1];
            assert_true(piece >= (char *)block->memory);
            assert_true(piece + size <= (char *)block->memory + block->size);
        }
        jsv_arena_done(&arena);
        torture_done(&torture);
    }
}

static void test_sizes_do_not_overflow(void **state)
{
    (void)state;
    struct torture torture;
    torture_init(&torture, 0);
    struct jsv_arena arena;
    jsv_arena_init(&arena, &torture.allocator, SIZE_MAX);
    assert_null(jsv_arena_alloc(&arena, SIZE_MAX));
    assert_null(jsv_arena_alloc(&arena, SIZE_MAX - 15));
    assert_null(jsv_arena_alloc(&arena, SIZE_MAX - 64));
    assert_null(jsv_arena_array(&arena, SIZE_MAX / 2 + 1, 2));
    assert_null(jsv_arena_array(&arena, 1ull << 32, 1ull << 32));
    assert_null(jsv_arena_array(&arena, 3, SIZE_MAX / 2));
    assert_int_equal(arena.held, 0);
    jsv_arena_done(&arena);
    torture_done(&torture);
}

static void test_array(void **state)
{
    (void)state;
    struct jsv_arena arena;
    jsv_arena_init(&arena, NULL, PLENTY);
    uint64_t *numbers = jsv_arena_array(&arena, 1000, sizeof *numbers);
    assert_non_null(numbers);
    memset(numbers, 1, 1000 * sizeof *numbers);
    assert_non_null(jsv_arena_array(&arena, 0, 8));
    assert_non_null(jsv_arena_array(&arena, 8, 0));
    jsv_arena_done(&arena);
}

static void test_null_and_reuse(void **state)
{
    (void)state;
    jsv_arena_reset(NULL);
    jsv_arena_done(NULL);
    struct jsv_arena arena;
    jsv_arena_init(&arena, NULL, PLENTY);
    jsv_arena_reset(&arena);
    jsv_arena_done(&arena);
    assert_non_null(jsv_arena_alloc(&arena, 5));
    jsv_arena_done(&arena);
    jsv_arena_done(&arena);
}

static int fill_and_reset(const struct jsv_allocator *allocator, void *state)
{
    (void)state;
    struct jsv_arena arena;
    jsv_arena_init(&arena, allocator, PLENTY);
    int error = 0;
    for (int round = 0; round < 2 && !error; round++) {
        for (int i = 0; i < 100 && !error; i++) {
            size_t held = arena.held;
            error = jsv_arena_alloc(&arena, 1000) ? 0 : -ENOMEM;
            if (error) {
                assert_int_equal(arena.held, held);
            }
        }
        jsv_arena_reset(&arena);
    }
    jsv_arena_done(&arena);
    return error;
}

static void test_torture(void **state)
{
    (void)state;
    assert_in_range(torture_run(fill_and_reset, NULL), 4, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pointers_are_aligned_and_apart),
        cmocka_unit_test(test_blocks_are_few),
        cmocka_unit_test(test_reset_keeps_the_largest_block),
        cmocka_unit_test(test_steady_state_never_allocates),
        cmocka_unit_test(test_budget_is_never_exceeded),
        cmocka_unit_test(test_one_piece_may_take_the_whole_budget),
        cmocka_unit_test(test_the_budget_says_when_it_refuses),
        cmocka_unit_test(test_pieces_lie_inside_their_block),
        cmocka_unit_test(test_sizes_do_not_overflow),
        cmocka_unit_test(test_array),
        cmocka_unit_test(test_null_and_reuse),
        cmocka_unit_test(test_torture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
