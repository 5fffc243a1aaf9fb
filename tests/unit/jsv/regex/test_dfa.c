#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/base/alloc.h"
#include "jsv/regex/dfa.h"
#include "support/random.h"
#include "support/regex_ask.h"

static int build(const char *pattern, struct jsv_dfa **ret_dfa)
{
    struct jsv_allocator allocator = jsv_allocator_or_default(NULL);
    struct jsv_arena arena;
    struct jsv_regex_syntax syntax;
    struct jsv_regex_fault fault;
    jsv_arena_init(&arena, NULL, SIZE_MAX);
    assert_int_equal(jsv_regex_parse(jsv_str_from(pattern), false, &arena, &syntax, &fault), 0);
    assert_true(syntax.regular);
    int error = jsv_dfa_build(&syntax, &arena, &allocator, ret_dfa);
    jsv_arena_done(&arena);
    return error;
}

static void drop(struct jsv_dfa *dfa)
{
    struct jsv_allocator allocator = jsv_allocator_or_default(NULL);
    jsv_dfa_free(dfa, &allocator);
}

static void test_limits(void **state)
{
    (void)state;
    static const char *const small[] = {
        "^.{0,5000}$",
        "^[a-z]{1,8000}$",
        "^(?:[a-z]{1,63}\\.){1,8}[a-z]{2,63}$",
        "[ab]*a[ab]{7}c",
        "^(?:a{0,40}b{0,40}){3}$",
    };
    static const char *const large[] = {
        "^.{0,16000}$",            /* rows */
        "[ab]*a[ab]{20}c",         /* states, exponentially many */
        "(?:a|b)*a(?:a|b){30}",    /* the same with a final state */
        "^(?:a?){400}[ab]{400}x$", /* work: each state holds hundreds of nodes */
        "a{20000}",                /* nodes */
    };
    struct jsv_dfa *dfa;
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++) {
        assert_int_equal(build(small[i], &dfa), 0);
        drop(dfa);
    }
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        if (build(large[i], &dfa) != -E2BIG) {
            fail_msg("%s", large[i]);
        }
    }
    drop(NULL);
}

/* Counts at their limits, in bytes and in characters. */
static void test_counts(void **state)
{
    (void)state;
    enum {
        MAX = 5000
    };
    struct jsv_dfa *dfa;
    char *subject = malloc(2 * (MAX + 1));
    for (size_t i = 0; i <= MAX; i++) {
        memcpy(subject + 2 * i, "é", 2);
    }
    assert_int_equal(build("^.{3,5000}$", &dfa), 0);
    for (size_t count = 0; count <= MAX + 1; count++) {
        bool expected = count >= 3 && count <= MAX;
        assert_int_equal(jsv_dfa_search(dfa, (struct jsv_str){subject, 2 * count}), expected);
    }
    drop(dfa);
    free(subject);
}

/* Every code point against a pattern with many bounds. */
static void test_all_code_points(void **state)
{
    (void)state;
    struct jsv_dfa *dfa;
    assert_int_equal(
        build("^[^\\x10-\\x7f\\u0400-\\u04ff\\ud7ff\\ue000-\\uffff\\u{1f600}-\\u{10fffe}]$", &dfa),
        0);
    for (uint32_t code = 0; code <= JSV_CODE_POINT_MAX; code++) {
        if (jsv_is_surrogate(code)) {
            continue;
        }
        bool inside = (code >= 0x10 && code <= 0x7F) || (code >= 0x400 && code <= 0x4FF) ||
                      code == 0xD7FF || (code >= 0xE000 && code <= 0xFFFF) ||
                      (code >= 0x1F600 && code <= 0x10FFFE);
        char text[4];
        size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
        for (size_t i = size - 1; i > 0; i--) {
            text[i] = (char)(0x80 | (code >> 6 * (size - 1 - i) & 0x3F));
        }
        text[0] = (char)(size == 1 ? code : leads[size] | code >> 6 * (size - 1));
        assert_int_equal(jsv_dfa_search(dfa, (struct jsv_str){text, size}), !inside);
    }
    drop(dfa);
}

/* ---- random patterns, against the interpreter ---- */

static void append(struct jsv_buf *buf, const char *text)
{
    jsv_buf_append_str(buf, jsv_str_from(text));
}

#define PICK(random, list) ((list)[random_below(random, sizeof(list) / sizeof((list)[0]))])

static void make_pattern(struct jsv_buf *out, uint64_t *random, int depth);

static void make_term(struct jsv_buf *out, uint64_t *random, int depth)
{
    static const char *const atoms[] = {
        "a", "b", "a", "b", "é", "😀", "[ab]", "[^a]", ".", "\\w", "[^]", "[]", "[a-cé]", "\\s"};
    static const char *const counts[] = {
        "*", "+", "?", "{2}", "{0,2}", "{1,3}", "{2,}", "{0}", "*?", "+?", "??", "{1,2}?"};
    if (depth > 0 && random_below(random, 4) == 0) {
        append(out, random_below(random, 2) ? "(" : "(?:");
        make_pattern(out, random, depth - 1);
        append(out, ")");
    } else {
        append(out, PICK(random, atoms));
    }
    if (random_below(random, 3) == 0) {
        append(out, PICK(random, counts));
    }
}

static void make_pattern(struct jsv_buf *out, uint64_t *random, int depth)
{
    do {
        append(out, random_below(random, 4) ? "" : "^");
        for (uint64_t terms = random_below(random, 5); terms > 0; terms--) {
            make_term(out, random, depth);
        }
        append(out, random_below(random, 4) ? "" : "$");
        append(out, random_below(random, 4) ? "" : "|");
    } while (random_below(random, 4) == 0);
}

static void make_subject(struct jsv_buf *out, uint64_t *random)
{
    static const char *const characters[] = {
        "a", "b", "a", "b", "c", "é", "😀", "\n", " ", "\u2028"};
    for (uint64_t size = random_below(random, 9); size > 0; size--) {
        append(out, PICK(random, characters));
    }
}

static void test_random_patterns(void **state)
{
    (void)state;
    uint64_t random = 4;
    struct jsv_regex_scratch *scratch = jsv_regex_scratch_new(NULL);
    struct jsv_buf pattern;
    struct jsv_buf subject;
    jsv_buf_init(&pattern, NULL, SIZE_MAX);
    jsv_buf_init(&subject, NULL, SIZE_MAX);
    size_t tables = 0;
    size_t found = 0;
    for (int round = 0; round < 3000; round++) {
        struct jsv_regex *table;
        struct jsv_regex *other;
        jsv_buf_reset(&pattern);
        make_pattern(&pattern, &random, 3);
        struct jsv_str text = jsv_buf_str(&pattern);
        assert_int_equal(jsv_regex_compile_for(JSV_REGEX_TABLE, text, NULL, &table, NULL), 0);
        assert_int_equal(jsv_regex_compile_for(JSV_REGEX_INTERPRETER, text, NULL, &other, NULL), 0);
        tables += jsv_regex_engine_of(table) == JSV_REGEX_TABLE;
        assert_int_equal(jsv_regex_engine_of(other), JSV_REGEX_MACHINE_CODE);
        for (int i = 0; i < 20; i++) {
            jsv_buf_reset(&subject);
            make_subject(&subject, &random);
            int expected = jsv_regex_search(other, jsv_buf_str(&subject), scratch);
            if (jsv_regex_search(table, jsv_buf_str(&subject), scratch) != expected) {
                fail_msg(
                    "%.*s on \"%.*s\": not %d",
                    (int)text.size,
                    text.data,
                    (int)subject.size,
                    subject.data,
                    expected);
            }
            found += expected == 1;
        }
        jsv_regex_free(table);
        jsv_regex_free(other);
    }
    /* Few patterns are too large, and both answers are frequent. */
    assert_in_range(tables, 2950, 3000);
    assert_in_range(found, 6000, 54000);
    jsv_buf_done(&pattern);
    jsv_buf_done(&subject);
    jsv_regex_scratch_free(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_all_code_points),
        cmocka_unit_test(test_random_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
