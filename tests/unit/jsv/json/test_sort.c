#include <errno.h>
#include <stdlib.h>

#include "jsv/json/sort.h"
#include "support/json_fixture.h"

struct thing {
    uint64_t word;
    unsigned rank; /* decides between equal words */
    size_t place;  /* its index before sorting */
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

static void expect_order(
    struct json_fixture *fixture,
    struct jsv_value object,
    const struct jsv_str *names,
    size_t count)
{
    struct jsv_members members = jsv_members_on(&fixture->scratch);
    assert_int_equal(jsv_members_push(&members, object), 0);
    assert_int_equal(members.sorted.count, count);
    for (size_t i = 0; i < count; i++) {
        struct jsv_str name = jsv_string_text(object.document, jsv_members_key(&members, i));
        assert_true(jsv_str_equal(name, names[i]));
    }
}

static void by_code_point(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value object = json_fixture_read(
        fixture,
        "{\"\\ud83d\\ude00\":0,\"\\uffff\":0,\"b\":0,\"a\":0,\"\\u00e9\":0,\"\":0,\"aa\":0,"
        "\"A\":0,\"a\\u0000\":0,\"12345678b\":0,\"12345678a\":0,\"12345678\":0}");
    const struct jsv_str names[] = {
        JSV_STR(""),
        JSV_STR("12345678"),
        JSV_STR("12345678a"),
        JSV_STR("12345678b"),
        JSV_STR("A"),
        JSV_STR("a"),
        JSV_STR("a\0"),
        JSV_STR("aa"),
        JSV_STR("b"),
        JSV_STR("\xc3\xa9"),
        JSV_STR("\xef\xbf\xbf"),
        JSV_STR("\xf0\x9f\x98\x80"),
    };
    expect_order(fixture, object, names, sizeof(names) / sizeof(names[0]));
}

/* A long name's node holds its size instead of its first bytes. */
static void long_names(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_buf *text = json_fixture_buf(fixture);
    struct jsv_buf *name = json_fixture_buf(fixture);
    for (size_t i = 0; i <= JSV_STRING_SHORT_MAX; i++) {
        jsv_buf_append_byte(name, 'm');
    }
    json_fixture_print(text, "{\"z\":0,\"");
    jsv_buf_append_str(text, jsv_buf_str(name));
    json_fixture_print(text, "\":0,\"mmmmmmmmm\":0,\"a\":0}");
    const struct jsv_str names[] = {
        JSV_STR("a"), JSV_STR("mmmmmmmmm"), jsv_buf_str(name), JSV_STR("z")};
    expect_order(fixture, json_fixture_read_str(fixture, jsv_buf_str(text), 0), names, 4);
}

static void several_objects_lie_above_each_other(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value first = json_fixture_read(fixture, "{\"b\":0,\"a\":0}");
    struct jsv_value second = json_fixture_read(fixture, "{\"y\":0,\"x\":0}");
    struct jsv_value none = {0};
    struct jsv_members members = jsv_members_on(&fixture->scratch);
    assert_int_equal(jsv_members_push(&members, first), 0);
    assert_int_equal(jsv_members_push(&members, none), 0);
    assert_int_equal(jsv_members_push(&members, second), 0);
    assert_int_equal(members.sorted.count, 4);
    assert_memory_equal(&jsv_members_key(&members, 0)->body, "a", 2);
    assert_memory_equal(&jsv_members_key(&members, 1)->body, "b", 2);
    assert_memory_equal(&jsv_members_key(&members, 2)->body, "x", 2);
    assert_memory_equal(&jsv_members_key(&members, 3)->body, "y", 2);
}

static int push_members(struct json_fixture *fixture, struct jsv_arena *scratch, void *data)
{
    (void)fixture;
    struct jsv_members members = jsv_members_on(scratch);
    return jsv_members_push(&members, *(const struct jsv_value *)data);
}

static void memory_runs_out(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value object = json_fixture_read(fixture, "{\"b\":0,\"a\":0}");
    assert_int_equal(json_fixture_starve(fixture, push_members, &object), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_small_sizes),
        cmocka_unit_test(large_inputs_stay_cheap),
        cmocka_unit_test(words_order_as_texts_do),
        JSON_TEST(by_code_point),
        JSON_TEST(long_names),
        JSON_TEST(several_objects_lie_above_each_other),
        JSON_TEST(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
