#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/base/alloc.h"
#include "jsv/regex/row.h"
#include "support/count_of.h"
#include "support/random.h"
#include "support/regex_ask.h"

/* @return NULL when the pattern is no row. */
static struct jsv_row *build(const char *pattern)
{
    struct jsv_allocator allocator = jsv_allocator_or_default(NULL);
    struct jsv_arena arena;
    struct jsv_regex_syntax syntax;
    struct jsv_regex_fault fault;
    struct jsv_row *row;
    jsv_arena_init(&arena, NULL, SIZE_MAX);
    assert_int_equal(jsv_regex_parse(jsv_str_from(pattern), false, &arena, &syntax, &fault), 0);
    assert_int_equal(jsv_row_build(&syntax, &allocator, &row), 0);
    jsv_arena_done(&arena);
    return row;
}

static void drop(struct jsv_row *row)
{
    struct jsv_allocator allocator = jsv_allocator_or_default(NULL);
    jsv_row_free(row, &allocator);
}

static void expect_row(const char *pattern, bool expected)
{
    struct jsv_row *row = build(pattern);
    if ((row != NULL) != expected) {
        fail_msg("%s is %s row", pattern, row ? "a" : "no");
    }
    drop(row);
}

static void test_what_is_a_row(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "^",
        "^^",
        "^$",
        "$^",
        "^$$",
        "^a",
        "(^a)(b$)",
        "^a{0}$",
        "^[]$",
        "^[a-z][a-z0-9-]*$",
        "^[a-z]+?[0-9]*?$",
        "^a*a$",    /* a+ */
        "^a?a?a?$", /* a{0,3} */
        "^[^a][^a]*$",
        "^[^@ ]+@[^@ ]+$",
        "^[^]*$",
        "^a?b?c?$",
        "^(?:-[0-9a-f]{4}){3}$",
        "^(?:(?:a{0}){1000}){1000}b$",
        "^(?:){1000}a",
        "^a{65534}$",
        "^[^a]{1,}",
        "^ab*c*", /* ab* and whatever follows */
        "^a*b*",
    };
    static const char *const others[] = {
        "",
        "a",
        "$",
        "a^b",
        "^a^b",
        "^a$b",
        "^a|b",
        "^(?:a|b)$",
        "^(?:ab)*$",
        "^(?:ab)?$",
        "(?:^)?a",
        "^[a-z]*z$",
        "^[a-z]*[0-9]?z$",
        "^[a-z]{1,2}[a-z0-9]$",
        "^[^a]*é$",
        "^[^a]*[^b]*$",
        "^[^a]$",
        "^[^a]{2,}$",
        "^[^a]{0,5}$",
        "^.*$",
        "^é$",
        "^[a-é]*$",
        "^[\\u{80}-\\u{10fffe}]*$",
        "^a{65535}$",
        "^a{0,65535}$",
        "^a{40000}a{40000}$",
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect_row(rows[i], true);
    }
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        expect_row(others[i], false);
    }
    drop(NULL);
}

/* The row of ^ and so many times a piece, in which # stands for a letter, another each time. */
static struct jsv_row *build_repeated(const char *piece, size_t count)
{
    struct jsv_buf pattern;
    jsv_buf_init(&pattern, NULL, SIZE_MAX);
    jsv_buf_append_str(&pattern, JSV_STR("^"));
    for (size_t i = 0; i < count; i++) {
        for (const char *at = piece; *at; at++) {
            char letter = *at == '#' ? (char)('A' + i % 26) : *at;
            jsv_buf_append_str(&pattern, (struct jsv_str){&letter, 1});
        }
    }
    jsv_buf_append_str(&pattern, (struct jsv_str){"", 1});
    struct jsv_row *row = build(pattern.data);
    jsv_buf_done(&pattern);
    return row;
}

static void test_limits(void **state)
{
    (void)state;
    static const struct {
        const char *piece;
        size_t most;
    } cases[] = {
        {"#", 64},            /* terms */
        {"#{60}", 12},        /* steps: 90 of 8 bytes, and the end */
        {"[#0]+-", 7},        /* sets: as many, and the - */
        {"(?:a{1}){2}", 128}, /* terms that are looked at */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct jsv_row *fits = build_repeated(cases[i].piece, cases[i].most);
        struct jsv_row *large = build_repeated(cases[i].piece, cases[i].most + 1);
        if (!fits || large) {
            fail_msg("%s: %s", cases[i].piece, large ? "more than expected" : "too large");
        }
        drop(fits);
    }
}

/* Search a copy of just the text's size, so that the sanitizers see what reads beyond it. */
static bool search(const struct jsv_row *row, const char *text, size_t size)
{
    char *copy = malloc(size > 0 ? size : 1);
    memcpy(copy, text, size);
    bool found = jsv_row_search(row, (struct jsv_str){copy, size});
    free(copy);
    return found;
}

/* Every byte at every place of a stretch, which needs three words. */
static void test_stretch(void **state)
{
    (void)state;
    static const char right[] = "ab-2026-11-16T08:25:00Z";
    static const char low[] = "ab-0000-00-00T00:00:00Z";
    static const char high[] = "ab-9999-99-99T99:99:99Z";
    const size_t size = sizeof right - 1;
    struct jsv_row *row = build("^ab-\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d\\d:\\d{2}Z$");
    char text[sizeof right + 1];
    for (size_t at = 0; at < size; at++) {
        for (int byte = 0; byte < 256; byte++) {
            memcpy(text, right, sizeof right);
            text[at] = (char)byte;
            bool expected = byte >= low[at] && byte <= high[at];
            assert_int_equal(search(row, text, size), expected);
        }
    }
    memset(text, 'Z', sizeof text);
    memcpy(text, right, size);
    for (size_t part = 0; part <= sizeof text; part++) {
        assert_int_equal(search(row, text, part), part == size);
    }
    drop(row);
}

/* A stretch of each size, as all of the text and at its beginning. */
static void test_stretch_sizes(void **state)
{
    (void)state;
    static const char letters[] = "abcdefghijklmnopqrst";
    for (size_t size = 0; size < sizeof letters; size++) {
        char pattern[32];
        snprintf(pattern, sizeof pattern, "^%.*s", (int)size, letters);
        struct jsv_row *begins = build(pattern);
        snprintf(pattern, sizeof pattern, "^%.*s$", (int)size, letters);
        struct jsv_row *equals = build(pattern);
        for (size_t part = 0; part < sizeof letters; part++) {
            assert_int_equal(search(begins, letters, part), part >= size);
            assert_int_equal(search(equals, letters, part), part == size);
        }
        drop(begins);
        drop(equals);
    }
}

/* Counts at their edges. */
static void test_runs(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        size_t min;
        size_t max;
    } cases[] = {
        {"^[ab]*$", 0, SIZE_MAX},
        {"^[ab]+$", 1, SIZE_MAX},
        {"^[ab]?$", 0, 1},
        {"^[ab]$", 1, 1},
        {"^[ab]{3}$", 3, 3},
        {"^[ab]{2,9}$", 2, 9},
        {"^[ab]{65,}$", 65, SIZE_MAX},
        {"^a{65}$", 65, 65},
        {"^a{64}$", 64, 64},
        {"^[ab]{70}", 70, SIZE_MAX},
        {"^[ab]{2,9}", 2, SIZE_MAX},
    };
    char text[80];
    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct jsv_row *row = build(cases[i].pattern);
        for (size_t size = 0; size <= sizeof text; size++) {
            bool expected = size >= cases[i].min && size <= cases[i].max;
            if (search(row, text, size) != expected) {
                fail_msg("%s and %zu", cases[i].pattern, size);
            }
        }
        drop(row);
    }
}

/* Sets that are all of what is beyond ASCII, or nothing of it. */
static void test_beyond_ascii(void **state)
{
    (void)state;
    static const struct regex_case cases[] = {
        {"^[^@ ]+@[^@ ]+$", "é@😀", 1},
        {"^[^@ ]+@[^@ ]+$", "@😀", 0},
        {"^[^@ ]+@[^@ ]+$", "é@", 0},
        {"^[^@ ]+@[^@ ]+$", "é@b ", 0},
        {"^[^@ ]+@[^@ ]+$", "é@b@", 0},
        {"^a[^a]+", "aé", 1},
        {"^a[^a]+", "aa", 0},
        {"^[a-z]+$", "é", 0},
        {"^[a-z]+$", "aé", 0},
        {"^[a-z]+", "aé", 1},
        {"^abcdefgh", "abcdéfgh", 0},
        {"^abcd", "abcdé", 1},
        {"^[\\0-\\x7f]{8}$", "abcdéfg", 0},
        {"^[\\0-\\x7f]{8}$", "abcd\x7f\x01gh", 1},
        {"^[^]*$", "\xf4\x8f\xbf\xbf", 1},
        {"^[]", "a", 0},
        {"^[]*$", "", 1},
        {"^[]*$", "a", 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        expect_row(cases[i].pattern, true);
    }
    REGEX_EXPECT_CASES(cases);
}

/* ---- random rows, against all other ways ---- */

static void
append_one_of(struct jsv_buf *out, uint64_t *random, const char *const *texts, size_t count)
{
    jsv_buf_append_str(out, jsv_str_from(texts[random_below(random, count)]));
}

static void make_pattern(struct jsv_buf *out, uint64_t *random)
{
    static const char *const atoms[] = {
        "a", "b", "-", "ab", "[ab]", "[0-9]", "[a-c]", "[^a]", "[^-b]", "\\w", "(?:a-)", "[-a0]"};
    static const char *const counts[] = {
        "", "", "", "*", "+", "?", "{3}", "{0,2}", "{2,}", "{7}", "+?", "{9,12}"};
    jsv_buf_append_str(out, JSV_STR("^"));
    for (uint64_t terms = random_below(random, 6); terms > 0; terms--) {
        append_one_of(out, random, atoms, COUNT_OF(atoms));
        append_one_of(out, random, counts, COUNT_OF(counts));
    }
    if (random_below(random, 3) > 0) {
        jsv_buf_append_str(out, JSV_STR("$"));
    }
}

static void make_subject(struct jsv_buf *out, uint64_t *random)
{
    static const char *const texts[] = {
        "a", "b", "-", "0", "a", "b", "aaa", "0000000", "ab", "é", "c"};
    for (uint64_t size = random_below(random, 9); size > 0; size--) {
        append_one_of(out, random, texts, COUNT_OF(texts));
    }
}

static void test_random_rows(void **state)
{
    (void)state;
    uint64_t random = 5;
    struct jsv_regex_scratch *scratch = jsv_regex_scratch_new(NULL);
    struct jsv_buf pattern;
    struct jsv_buf subject;
    jsv_buf_init(&pattern, NULL, SIZE_MAX);
    jsv_buf_init(&subject, NULL, SIZE_MAX);
    size_t rows = 0;
    size_t found = 0;
    for (int round = 0; round < 4000; round++) {
        struct jsv_regex *row;
        struct jsv_regex *table;
        jsv_buf_reset(&pattern);
        make_pattern(&pattern, &random);
        struct jsv_str text = jsv_buf_str(&pattern);
        assert_int_equal(jsv_regex_compile(text, NULL, &row, NULL), 0);
        assert_int_equal(jsv_regex_compile_for(JSV_REGEX_TABLE, text, NULL, &table, NULL), 0);
        bool is_row = jsv_regex_engine_of(row) == JSV_REGEX_ROW;
        rows += is_row;
        for (int i = 0; i < 30 && is_row; i++) {
            jsv_buf_reset(&subject);
            make_subject(&subject, &random);
            struct jsv_str on = jsv_buf_str(&subject);
            int expected = jsv_regex_search(table, on, scratch);
            if (jsv_regex_search(row, on, scratch) != expected) {
                fail_msg(
                    "%.*s on \"%.*s\": not %d",
                    (int)text.size,
                    text.data,
                    (int)on.size,
                    on.data,
                    expected);
            }
            found += expected == 1;
        }
        jsv_regex_free(row);
        jsv_regex_free(table);
    }
    /* Enough are rows, and both answers occur often. */
    print_message("%zu rows, %zu matches\n", rows, found);
    assert_true(rows > 1000);
    assert_in_range(found, 1000, rows * 30 - 1000);
    jsv_buf_done(&pattern);
    jsv_buf_done(&subject);
    jsv_regex_scratch_free(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_a_row),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_stretch),
        cmocka_unit_test(test_stretch_sizes),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_beyond_ascii),
        cmocka_unit_test(test_random_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
