#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "jsv/json/reader.h"
#include "support/count_of.h"
#include "support/random.h"
#include "support/reading.h"

/* ---- refused ---- */

/* Ways to write the name of member i; names of one style are all different. */
enum style {
    STYLE_SHORT,       /* fits a node */
    STYLE_SAME_PREFIX, /* the same first bytes and the same size */
    STYLE_SAME_START,  /* the same first bytes, all sizes */
    STYLE_ESCAPED,     /* short, its last character as \uXXXX */
    STYLE_COUNT,
};

static void append_name(struct jsv_buf *text, enum style style, size_t i)
{
    char name[128];
    int size = 0;
    switch (style) {
    case STYLE_SAME_PREFIX:
        size = snprintf(name, sizeof(name), "the same beginning %06zu", i);
        break;
    case STYLE_SAME_START:
        size = snprintf(name, sizeof(name), "%0*d%zu", (int)(9 + i % 90), 0, i);
        break;
    case STYLE_ESCAPED:
        size = snprintf(name, sizeof(name), "%zu\\u006b", i);
        break;
    case STYLE_SHORT:
    case STYLE_COUNT:
        size = snprintf(name, sizeof(name), "%zuk", i);
        break;
    }
    jsv_buf_append(text, name, (size_t)size);
}

/* An object of count members, of which number second has the name of number first. */
static size_t append_object(
    struct jsv_buf *text,
    size_t count,
    enum style style,
    size_t first,
    size_t second,
    enum style again)
{
    size_t offset = 0;
    jsv_buf_append_byte(text, '{');
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            jsv_buf_append_byte(text, ',');
        }
        if (i == second) {
            offset = text->size;
        }
        jsv_buf_append_byte(text, '"');
        append_name(text, i == second ? again : style, i == second ? first : i);
        jsv_buf_append_str(text, i % 3 ? JSV_STR("\":1") : JSV_STR("\":[{\"0k\":\"\\n\"}]"));
    }
    jsv_buf_append_byte(text, '}');
    return offset;
}

static void expect_duplicate(
    struct reading *reading,
    size_t count,
    enum style style,
    size_t first,
    size_t second,
    enum style again)
{
    struct jsv_buf text;
    struct jsv_buf pointer;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    jsv_buf_init(&pointer, NULL, SIZE_MAX);
    jsv_buf_append_str(&text, JSV_STR("[0,{\"x\":"));
    size_t offset = append_object(&text, count, style, first, second, again);
    jsv_buf_append_str(&text, JSV_STR("}]"));
    jsv_buf_append_str(&pointer, JSV_STR("/1/x/"));
    append_name(&pointer, style == STYLE_ESCAPED ? STYLE_SHORT : style, first);
    jsv_buf_append_byte(&pointer, '\0');

    assert_int_equal(reading_read(reading, jsv_buf_str(&text), 0), -EBADMSG);
    reading_expect(reading, JSV_ERROR_DUPLICATE_MEMBER, offset, pointer.data);
    struct jsv_value root = reading_root(reading, jsv_buf_str(&text), JSV_READ_LAST_WINS);
    struct jsv_value object = jsv_value_get(jsv_value_at(root, 1), JSV_STR("x"));
    assert_int_equal(jsv_value_count(object), count - 1);
    jsv_buf_done(&text);
    jsv_buf_done(&pointer);
}

/* Pairs of places, in objects below and above the size from which the table is a large one. */
static void every_pair_of_places(void **state)
{
    static const size_t counts[] = {2, 3, 7, 33, 64, 65, 255, 256, 257, 513};
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        size_t step = 1 + counts[i] / 8;
        for (size_t second = 1; second < counts[i]; second += 1 + counts[i] / 50) {
            for (size_t first = 0; first < second; first += step) {
                enum style style = (enum style)(second % STYLE_COUNT);
                expect_duplicate(*state, counts[i], style, first, second, style);
            }
        }
    }
}

static void every_style_in_every_size(void **state)
{
    for (size_t count = 2; count < 300; count += 1 + count / 8) {
        for (enum style style = STYLE_SHORT; style < STYLE_COUNT; style++) {
            expect_duplicate(*state, count, style, 0, count - 1, style);
            expect_duplicate(*state, count, style, (count - 1) / 2, count - 1, style);
        }
        expect_duplicate(*state, count, STYLE_SHORT, 0, count - 1, STYLE_ESCAPED);
        expect_duplicate(*state, count, STYLE_ESCAPED, 0, count - 1, STYLE_SHORT);
    }
}

static void different_names_are_accepted(void **state)
{
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    for (size_t count = 1; count < 2000; count += 1 + count / 8) {
        for (enum style style = STYLE_SHORT; style < STYLE_COUNT; style++) {
            jsv_buf_reset(&text);
            append_object(&text, count, style, SIZE_MAX, SIZE_MAX, style);
            for (unsigned flags = 0; flags <= JSV_READ_LAST_WINS; flags++) {
                struct jsv_value root = reading_root(*state, jsv_buf_str(&text), flags);
                assert_int_equal(jsv_value_count(root), count);
            }
        }
    }
    jsv_buf_done(&text);
}

/* Names whose nodes have much in common. */
static void nearly_equal_names(void **state)
{
    static const char *const texts[] = {
        "{\"\":0,\"\\u0000\":1,\"\\u0000\\u0000\":2}",
        "{\"a\":0,\"a\\u0000\":1,\"A\":2,\"a \":3}",
        "{\"12345678\":0,\"123456789\":1,\"12345678\\u0000\":2,\"12345678a\":3}",
        "{\"\xC3\xA9\":0,\"e\xCC\x81\":1}",
        "{\"a\":{\"a\":{\"a\":[{\"a\":1},{\"a\":1}]}},\"b\":{\"a\":1}}",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        reading_root(*state, jsv_str_from(texts[i]), 0);
        reading_root(*state, jsv_str_from(texts[i]), JSV_READ_LAST_WINS);
    }
}

/* Names too long for a node to hold their size; a pair of each, equal and different. */
static void long_names(void **state)
{
    for (size_t size = 65534; size <= 65537; size++) {
        struct jsv_buf text;
        jsv_buf_init(&text, NULL, SIZE_MAX);
        jsv_buf_append_str(&text, JSV_STR("{\""));
        reading_fill(&text, 'n', size);
        jsv_buf_append_str(&text, JSV_STR("\":1,\"\\u006e"));
        reading_fill(&text, 'n', size - 1);
        jsv_buf_append_str(&text, JSV_STR("\":2,\""));
        reading_fill(&text, 'n', size + 1);
        jsv_buf_append_str(&text, JSV_STR("\":3}"));
        assert_int_equal(reading_read(*state, jsv_buf_str(&text), 0), -EBADMSG);
        reading_expect(*state, JSV_ERROR_DUPLICATE_MEMBER, size + 6, NULL);
        struct jsv_value root = reading_root(*state, jsv_buf_str(&text), JSV_READ_LAST_WINS);
        assert_int_equal(jsv_value_count(root), 2);

        text.data[size + 10 + size] = 'm';
        assert_int_equal(jsv_value_count(reading_root(*state, jsv_buf_str(&text), 0)), 3);
        jsv_buf_done(&text);
    }
}

/* The first name, in the order of the text, that is a duplicate. */
static void first_of_several(void **state)
{
    struct reading *reading = *state;
    struct jsv_str text = JSV_STR("{\"a\":1,\"b\":2,\"b\":3,\"a\":4}");
    assert_int_equal(reading_read(reading, text, 0), -EBADMSG);
    reading_expect(reading, JSV_ERROR_DUPLICATE_MEMBER, 13, "/b");

    struct jsv_buf large;
    jsv_buf_init(&large, NULL, SIZE_MAX);
    jsv_buf_append_byte(&large, '{');
    for (size_t i = 0; i < 100; i++) {
        char member[32];
        int size = snprintf(member, sizeof(member), "\"%zu\":0,", i % 60);
        jsv_buf_append(&large, member, (size_t)size);
    }
    large.data[large.size - 1] = '}';
    assert_int_equal(reading_read(reading, jsv_buf_str(&large), 0), -EBADMSG);
    reading_expect(reading, JSV_ERROR_DUPLICATE_MEMBER, 1 + 10 * 6 + 50 * 7, "/0");
    jsv_buf_done(&large);
}

/* Names are compared when their object closes: what is wrong before that is reported first. */
static void other_faults_come_first(void **state)
{
    struct reading *reading = *state;
    assert_int_equal(reading_read(reading, JSV_STR("{\"a\":1,\"a\":2,x}"), 0), -EBADMSG);
    reading_expect(reading, JSV_ERROR_EXPECTED_KEY, 13, "");
    assert_int_equal(reading_read(reading, JSV_STR("{\"a\":1,\"a\":2"), 0), -EBADMSG);
    reading_expect(reading, JSV_ERROR_UNEXPECTED_END, 12, "");
    assert_int_equal(
        reading_read(reading, JSV_STR("{\"a\":1,\"a\":{\"b\":1,\"b\":2}}"), 0), -EBADMSG);
    reading_expect(reading, JSV_ERROR_DUPLICATE_MEMBER, 18, "/a/b");
}

/* Checks are numbered, and the numbers come round: what an old check left behind must not count. */
static void expect_numbers_come_round(struct reading *reading, size_t count, uint32_t before)
{
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    append_object(&text, count, STYLE_SHORT, SIZE_MAX, SIZE_MAX, STYLE_SHORT);
    reading->reader->checks = 0;
    reading_root(reading, jsv_buf_str(&text), 0);
    assert_int_equal(reading->reader->checks, 1);
    reading->reader->checks = UINT32_MAX - before;
    for (unsigned i = 0; i < 4; i++) {
        reading_root(reading, jsv_buf_str(&text), 0);
    }
    assert_true(reading->reader->checks < 5);
    jsv_buf_done(&text);
}

static void numbers_of_checks_come_round(void **state)
{
    for (uint32_t before = 0; before < 3; before++) {
        expect_numbers_come_round(*state, 100, before);
        expect_numbers_come_round(*state, 1000, before);
    }
}

/* ---- the last one wins ---- */

static void expect_kept(struct reading *reading, struct jsv_str text, struct jsv_str expected)
{
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, SIZE_MAX);
    struct jsv_value root = reading_root(reading, text, JSV_READ_LAST_WINS);
    assert_int_equal(root.document->node_count, jsv_node_skip(root.node));
    struct jsv_writer writer = jsv_writer_on(&out);
    jsv_write_value(&writer, root);
    assert_int_equal(out.size, expected.size);
    assert_memory_equal(out.data, expected.data, expected.size);

    /* the tape itself, not only what is written of it */
    struct reading other;
    struct jsv_arena scratch;
    reading_init(&other, NULL);
    jsv_arena_init(&scratch, NULL, SIZE_MAX);
    struct jsv_value wanted = reading_root(&other, expected, 0);
    assert_int_equal(wanted.document->node_count, root.document->node_count);
    assert_int_equal(jsv_value_equal(root, wanted, &scratch), 1);
    jsv_arena_done(&scratch);
    reading_done(&other);
    jsv_buf_done(&out);
}

static void last_wins(void **state)
{
    static const char *const cases[][2] = {
        {"{\"a\":1,\"a\":2}", "{\"a\":2}"},
        {"{\"a\":1,\"a\":2,\"a\":3}", "{\"a\":3}"},
        {"{\"a\":1,\"b\":2,\"a\":3}", "{\"b\":2,\"a\":3}"},
        {"{\"a\":1,\"b\":2,\"a\":3,\"b\":4,\"c\":5}", "{\"a\":3,\"b\":4,\"c\":5}"},
        {"{\"a\":[1,[2,{\"x\":3}]],\"b\":{},\"a\":[]}", "{\"b\":{},\"a\":[]}"},
        {"{\"a\":1,\"b\":[1,2],\"a\":{\"b\":[3]}}", "{\"b\":[1,2],\"a\":{\"b\":[3]}}"},
        {"[{\"a\":1,\"a\":2},{\"a\":1,\"a\":2}]", "[{\"a\":2},{\"a\":2}]"},
        {"{\"o\":{\"a\":1,\"a\":{\"b\":1,\"b\":[{}]}},\"o\":{\"a\":1,\"a\":{\"b\":1,\"b\":[]}}}",
         "{\"o\":{\"a\":{\"b\":[]}}}"},
        {"{\"a\":\"]}\",\"a\":\"[{\",\"\":[\"\\\"\"],\"\":0}", "{\"a\":\"[{\",\"\":0}"},
        {"{\"\\u0061\":\"\\n\",\"a\":\"\\t\"}", "{\"a\":\"\\t\"}"},
        {"{\"a\":1,\"\\u0061\":\"\\t\",\"b\":\"\\r\"}", "{\"\\u0061\":\"\\t\",\"b\":\"\\r\"}"},
        {"[1,{\"a\":1 , \"a\" : 2 } , 3]", "[1,{\"a\":2},3]"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        expect_kept(*state, jsv_str_from(cases[i][0]), jsv_str_from(cases[i][1]));
    }
}

static void last_wins_in_large_objects(void **state)
{
    struct jsv_buf text;
    struct jsv_buf expected;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    jsv_buf_init(&expected, NULL, SIZE_MAX);
    for (size_t names = 1; names < 2000; names += 1 + names / 3) {
        jsv_buf_reset(&text);
        jsv_buf_reset(&expected);
        jsv_buf_append_byte(&text, '{');
        jsv_buf_append_byte(&expected, '{');
        for (size_t i = 0; i < 3 * names; i++) {
            char member[64];
            int size = snprintf(
                member, sizeof(member), "\"name %zu\":[%zu,{\"a\":\"\\n\"}],", i % names, i);
            jsv_buf_append(&text, member, (size_t)size);
            if (i >= 2 * names) {
                jsv_buf_append(&expected, member, (size_t)size);
            }
        }
        text.data[text.size - 1] = '}';
        expected.data[expected.size - 1] = '}';
        expect_kept(*state, jsv_buf_str(&text), jsv_buf_str(&expected));
    }
    jsv_buf_done(&text);
    jsv_buf_done(&expected);
}

/* ---- chance ---- */

/* A random value, as it is written with duplicates and as it must come out. */
static void
append_random(struct jsv_buf *text, struct jsv_buf *kept, unsigned depth, uint64_t *seed);

static void
append_random_object(struct jsv_buf *text, struct jsv_buf *kept, unsigned depth, uint64_t *seed)
{
    enum {
        NAMES = 6,
        MEMBERS_MAX = 10
    };
    size_t count = random_below(seed, MEMBERS_MAX);
    size_t names[MEMBERS_MAX];
    struct jsv_buf values[MEMBERS_MAX];
    jsv_buf_append_byte(text, '{');
    for (size_t i = 0; i < count; i++) {
        char key[16];
        names[i] = random_below(seed, NAMES);
        int size = snprintf(key, sizeof(key), "%s\"%zu\":", i ? "," : "", names[i]);
        jsv_buf_append(text, key, (size_t)size);
        jsv_buf_init(&values[i], NULL, SIZE_MAX);
        append_random(text, &values[i], depth + 1, seed);
    }
    jsv_buf_append_byte(text, '}');
    jsv_buf_append_byte(kept, '{');
    bool first = true;
    for (size_t i = 0; i < count; i++) {
        bool last = true;
        for (size_t j = i + 1; j < count; j++) {
            last &= names[i] != names[j];
        }
        if (last) {
            char key[16];
            int size = snprintf(key, sizeof(key), "%s\"%zu\":", first ? "" : ",", names[i]);
            jsv_buf_append(kept, key, (size_t)size);
            jsv_buf_append_str(kept, jsv_buf_str(&values[i]));
            first = false;
        }
        jsv_buf_done(&values[i]);
    }
    jsv_buf_append_byte(kept, '}');
}

static void
append_random(struct jsv_buf *text, struct jsv_buf *kept, unsigned depth, uint64_t *seed)
{
    static const char *const scalars[] = {"1", "\"\\n\"", "\"}]\"", "null", "[]", "{}"};
    unsigned kind = (unsigned)random_below(seed, depth < 5 ? 3 : 1);
    if (kind == 1) {
        append_random_object(text, kept, depth, seed);
        return;
    }
    if (kind == 0) {
        struct jsv_str scalar = jsv_str_from(scalars[random_below(seed, COUNT_OF(scalars))]);
        jsv_buf_append_str(text, scalar);
        jsv_buf_append_str(kept, scalar);
        return;
    }
    size_t count = random_below(seed, 4);
    jsv_buf_append_byte(text, '[');
    jsv_buf_append_byte(kept, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            jsv_buf_append_byte(text, ',');
            jsv_buf_append_byte(kept, ',');
        }
        append_random(text, kept, depth + 1, seed);
    }
    jsv_buf_append_byte(text, ']');
    jsv_buf_append_byte(kept, ']');
}

static void last_wins_in_random_documents(void **state)
{
    struct jsv_buf text;
    struct jsv_buf kept;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    jsv_buf_init(&kept, NULL, SIZE_MAX);
    uint64_t seed = 8;
    for (size_t round = 0; round < 2000; round++) {
        jsv_buf_reset(&text);
        jsv_buf_reset(&kept);
        append_random(&text, &kept, 0, &seed);
        expect_kept(*state, jsv_buf_str(&text), jsv_buf_str(&kept));
        bool any = text.size != kept.size;
        assert_int_equal(reading_read(*state, jsv_buf_str(&text), 0), any ? -EBADMSG : 0);
    }
    jsv_buf_done(&text);
    jsv_buf_done(&kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        READING_TEST(every_pair_of_places),
        READING_TEST(every_style_in_every_size),
        READING_TEST(different_names_are_accepted),
        READING_TEST(nearly_equal_names),
        READING_TEST(long_names),
        READING_TEST(first_of_several),
        READING_TEST(other_faults_come_first),
        READING_TEST(numbers_of_checks_come_round),
        READING_TEST(last_wins),
        READING_TEST(last_wins_in_large_objects),
        READING_TEST(last_wins_in_random_documents),
    };
    return cmocka_run_group_tests_name("json/duplicate", tests, NULL, NULL);
}
