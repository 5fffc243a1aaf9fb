#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "jsv/json/sort.h"

struct thing {
    uint64_t word;
    unsigned rank; /* decides between equal words */
    size_t place;  /* where it stood before sorting */
};

static size_t comparisons;

static int compare_things(const void *context, const void *a, const void *b)
{
    assert_ptr_equal(context, &comparisons);
    comparisons++;
    unsigned rank_a = ((const struct thing *)a)->rank;
    unsigned rank_b = ((const struct thing *)b)->rank;
    return (rank_a > rank_b) - (rank_a < rank_b);
}

static void sort_and_check(const struct thing *things, size_t count)
{
    struct jsv_sort_item *items = malloc((2 * count + 1) * sizeof(*items));
    assert_non_null(items);
    for (size_t i = 0; i < count; i++) {
        items[i] = (struct jsv_sort_item){things[i].word, &things[i]};
    }
    jsv_sort(items, items + count, count, compare_things, &comparisons);
    size_t places = 0;
    for (size_t i = 0; i < count; i++) {
        const struct thing *thing = items[i].item;
        assert_true(items[i].word == thing->word);
        places += thing->place;
        if (i > 0) {
            const struct thing *before = items[i - 1].item;
            assert_true(before->word <= thing->word);
            if (before->word == thing->word) {
                assert_true(before->rank <= thing->rank);
                /* Equal ones stay in the order they had, so none is there twice either. */
                assert_true(before->rank < thing->rank || before->place < thing->place);
            }
        }
    }
    assert_int_equal(places, count * (count - (count > 0)) / 2);
    free(items);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void all_small_sizes(void **state)
{
    (void)state;
    struct thing things[140];
    uint64_t random = 1;
    for (size_t count = 0; count <= 140; count++) {
        for (uint64_t words = 1; words <= 1000; words *= 10) {
            for (size_t i = 0; i < count; i++) {
                uint64_t word = next_random(&random) % words;
                things[i] = (struct thing){word, (unsigned)(next_random(&random) % 3), i};
            }
            sort_and_check(things, count);
        }
    }
}

enum {
    LARGE = 100000,
    LARGE_LOG = 17,
};

/* However it lies: a tie on every word, so that every decision costs a comparison. */
static void large_inputs_stay_cheap(void **state)
{
    (void)state;
    struct thing *things = calloc(LARGE, sizeof(*things));
    assert_non_null(things);
    uint64_t random = 1;
    for (unsigned shape = 0; shape < 6; shape++) {
        for (unsigned i = 0; i < LARGE; i++) {
            unsigned ranks[] = {
                i,                              /* sorted */
                LARGE - i,                      /* reversed */
                (unsigned)next_random(&random), /* any */
                0,                              /* all equal */
                i < LARGE / 2 ? i : LARGE - i,  /* up and down */
                (i % 2 ? i : LARGE - i),        /* to and fro */
            };
            things[i] = (struct thing){7, ranks[shape], i};
        }
        comparisons = 0;
        sort_and_check(things, LARGE);
        assert_true(comparisons <= (size_t)LARGE * (LARGE_LOG + 1));
        if (shape == 0 || shape == 3) {
            assert_true(comparisons <= 2 * (size_t)LARGE);
        }
    }
    free(things);
}

static void words_order_as_texts_do(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "A", "Aa", "B", "\xc3\xa9", "\xf0\x9f\x98\x80"};
    for (size_t i = 1; i < sizeof(texts) / sizeof(texts[0]); i++) {
        uint64_t before = jsv_sort_word(jsv_prefix(texts[i - 1], jsv_str_from(texts[i - 1]).size));
        uint64_t after = jsv_sort_word(jsv_prefix(texts[i], jsv_str_from(texts[i]).size));
        assert_true(before < after);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_small_sizes),
        cmocka_unit_test(large_inputs_stay_cheap),
        cmocka_unit_test(words_order_as_texts_do),
    };
    return cmocka_run_group_tests_name("json/sort", tests, NULL, NULL);
}
