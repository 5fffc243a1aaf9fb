/*
 * Patterns in PCRE2's language, and those PCRE2 does not support.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/regex/translate.h"
#include "support/regex_ask.h"

static int translate(
    const char *pattern,
    size_t size_max,
    struct jsv_buf *out,
    uint32_t *ret_weight,
    struct jsv_regex_fault *reterr_fault)
{
    struct jsv_arena arena;
    struct jsv_regex_syntax syntax;
    jsv_arena_init(&arena, NULL, SIZE_MAX);
    jsv_buf_init(out, NULL, size_max);
    assert_int_equal(
        jsv_regex_parse(jsv_str_from(pattern), false, &arena, &syntax, reterr_fault), 0);
    int error = jsv_regex_translate(&syntax, &arena, out, ret_weight, reterr_fault);
    jsv_arena_done(&arena);
    return error;
}

static void expect(const char *pattern, const char *expected, uint32_t expected_weight)
{
    struct jsv_buf out;
    struct jsv_regex_fault fault;
    uint32_t weight;
    assert_int_equal(translate(pattern, SIZE_MAX, &out, &weight, &fault), 0);
    jsv_buf_append_byte(&out, '\0');
    assert_string_equal(out.data, expected);
    assert_int_equal(weight, expected_weight);
    jsv_buf_done(&out);
}

static void test_characters(void **state)
{
    (void)state;
    expect("", "(?C0)", 1);
    expect("aZ9", "(?C0)aZ9", 1);
    expect("_-é😀", "(?C0)\\x{5f}\\x{2d}\\x{e9}\\x{1f600}", 1);
    expect("^$\\b\\B", "(?C0)\\A\\z\\b\\B(?C0)", 1);
    expect(".", "(?C0)[^\\x{a}\\x{d}\\x{2028}-\\x{2029}]", 2);
    expect("[^]", "(?C0).", 1);
    expect("[]", "(?C0)[^\\x{0}-\\x{10ffff}]", 2);
    expect("\\uD800", "(?C0)[^\\x{0}-\\x{10ffff}]", 2);
    expect("\\w", "(?C0)[0-9A-Z\\x{5f}a-z]", 1);
    expect("\\W", "(?C0)[^0-9A-Z\\x{5f}a-z]", 1);
    expect("[a-z]", "(?C0)[a-z]", 1);
    expect("[^/]", "(?C0)[^\\x{2f}]", 1);
    expect("[\\u{100}-\\u{10ffff}]", "(?C0)[\\x{100}-\\x{10ffff}]", 2);
    expect("\\p{L}", "(?C0)[\\p{L}]", 2);
    expect("[^\\P{sc=Greek}a]", "(?C0)[^a\\P{sc:Greek}]", 2);
}

static void test_counts(void **state)
{
    (void)state;
    expect("a*", "(?C0)a{0,}(?C0)", 1);
    expect("a+?", "(?C0)a{1,}?(?C0)", 1);
    expect("a{2}b", "(?C0)a{2,2}(?C0)b", 1);
    expect("a{0}b", "(?C0)b", 1);
    expect("(?:)*b", "(?C0)b", 1);
    expect("(?=x){3}b", "(?C0)(?=(?C0)x)(?C0)b", 1);
    expect("a{63}", "(?C0)a{63,63}(?C0)", 1);
    expect("a{64}", "(?C0)(?C7)a{64,64}(?C0)", 1);
    expect("a{65536}", "(?C0)(?C17)a{65535,65535}a(?C0)", 1);
    expect("a{65536,}", "(?C0)(?C17)a{65535,65535}a{1,}(?C0)", 1);
    expect("a{1,70000}?", "(?C0)a{1,65535}?a{0,4465}?(?C0)", 1);
    expect("(?:ab){2,9}", "(?C0)(?:(?C0)ab){2,9}(?C3)", 1);
}

static void test_groups(void **state)
{
    (void)state;
    expect("(a)(?:b)(?<n>)", "(?C0)(?:a)(?:b)(?:)", 1);
    expect("(a)(b)\\2", "(?C0)(?:a)(b)(?:(?C255)\\g{1})", 1);
    expect("(?<n>a)\\k<n>{2}", "(?C0)(a)(?:(?C255)\\g{1}){2,2}(?C0)", 1);
    expect("\\1(a)", "(?C0)(?:a)", 1);
    expect("(a){0}\\1b", "(?C0)b", 1);
    expect("a|b", "(?C0)a|(?C0)b", 1);
    expect("(?:a|b)c", "(?C0)(?:(?C0)a|(?C0)b)(?C0)c", 1);
    expect("(?!a)b", "(?C0)(?!a)(?C0)b", 1);
    expect("(?<=a)(?<!b)", "(?C0)(?<=a)(?C0)(?<!b)(?C0)", 1);
    expect("(?<=a{70}|b)", "(?C0)(?C7)(?<=(?C0)(?C7)a{70,70}(?C0)|(?C0)b)(?C0)", 1);
}

/* From one checkpoint to the next it is never far. */
static void test_stretches(void **state)
{
    (void)state;
    expect("abcdefghijkl", "(?C0)abcdefghi(?C0)jkl", 1);
    static const char *const opens[] = {"(?:", "(?:a(?=b|c)|"};
    for (size_t i = 0; i < 2; i++) {
        struct jsv_buf pattern;
        struct jsv_buf out;
        struct jsv_regex_fault fault;
        uint32_t weight;
        jsv_buf_init(&pattern, NULL, SIZE_MAX);
        for (int k = 0; k < 100; k++) {
            jsv_buf_append_str(&pattern, jsv_str_from(opens[i]));
        }
        for (int k = 0; k < 100; k++) {
            jsv_buf_append_byte(&pattern, ')');
        }
        jsv_buf_append_byte(&pattern, '\0');
        assert_int_equal(translate(pattern.data, SIZE_MAX, &out, &weight, &fault), 0);
        jsv_buf_append_byte(&out, '\0');
        const char *at = out.data;
        while (at) {
            const char *next = strstr(at + 1, "(?C");
            size_t size = next ? (size_t)(next - at) : strlen(at);
            assert_true(size <= strlen("(?C0)") + 9 * strlen("(?:"));
            at = next;
        }
        jsv_buf_done(&out);
        jsv_buf_done(&pattern);
    }
}

static void test_too_large(void **state)
{
    (void)state;
    regex_expect_fault(
        false, "(?=x)a{1048561}", -E2BIG, 5, "a repetition count is beyond PCRE2's limit");
    regex_expect_fault(
        false, "(?=x)a{1048561,}", -E2BIG, 5, "a repetition count is beyond PCRE2's limit");
    regex_expect_fault(
        false, "(?=x)(?:ab){65536}", -E2BIG, 5, "a repetition count is beyond PCRE2's limit");
    regex_expect_fault(
        false, "(?=x)(?:ab){2,65536}", -E2BIG, 5, "a repetition count is beyond PCRE2's limit");
    regex_expect_fault(
        false, "(?=x)(?:ab){65536,}", -E2BIG, 5, "a repetition count is beyond PCRE2's limit");
    regex_expect_fault(false, "(?=x)(?:ab){65535}", -E2BIG, 0, JSV_REGEX_TOO_LARGE);
    assert_int_equal(regex_ask("(?=x)a{1048560}", "x"), 0);
    assert_int_equal(regex_ask("(?=x)a{1048560,}", "x"), 0);
    assert_int_equal(regex_ask("(?!x)a{0,1048560}", "x"), 1);

    struct jsv_buf out;
    struct jsv_regex_fault fault = {0};
    uint32_t weight;
    assert_int_equal(translate("abcdef", 9, &out, &weight, &fault), -E2BIG);
    assert_string_equal(fault.message, JSV_REGEX_TOO_LARGE);
    jsv_buf_done(&out);
}

/* Classes that PCRE2 would search for too long. */
static void test_large_classes(void **state)
{
    (void)state;
    for (unsigned ranges = 256; ranges <= 257; ranges++) {
        struct jsv_buf pattern;
        struct jsv_buf out;
        struct jsv_regex_fault fault;
        uint32_t weight = 0;
        jsv_buf_init(&pattern, NULL, SIZE_MAX);
        jsv_buf_append_str(&pattern, JSV_STR("(?=a)["));
        for (unsigned i = 0; i < ranges; i++) {
            unsigned code = 0x1000 + 2 * i;
            char text[3] = {
                (char)(0xE0 | code >> 12),
                (char)(0x80 | (code >> 6 & 0x3F)),
                (char)(0x80 | (code & 0x3F))};
            jsv_buf_append(&pattern, text, sizeof text);
        }
        jsv_buf_append(&pattern, "]", 2);
        int error = translate(pattern.data, SIZE_MAX, &out, &weight, &fault);
        if (ranges == 256) {
            assert_int_equal(error, 0);
            assert_int_equal(weight, 34);
        } else {
            assert_int_equal(error, -E2BIG);
            assert_int_equal(fault.offset, 5);
            assert_string_equal(fault.message, "a class has more than 256 ranges and properties");
        }
        jsv_buf_done(&out);
        jsv_buf_done(&pattern);
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    struct jsv_arena arena;
    struct jsv_arena none;
    struct jsv_regex_syntax syntax;
    struct jsv_regex_fault fault;
    struct jsv_buf out;
    uint32_t weight;
    jsv_arena_init(&arena, NULL, SIZE_MAX);
    jsv_arena_init(&none, NULL, 0);
    jsv_buf_init(&out, NULL, SIZE_MAX);
    assert_int_equal(jsv_regex_parse(JSV_STR("a.b"), false, &arena, &syntax, &fault), 0);
    assert_int_equal(jsv_regex_translate(&syntax, &none, &out, &weight, &fault), -ENOMEM);
    jsv_buf_done(&out);
    jsv_arena_done(&arena);
}

#define SKIP  "unsupported: reference to a group that a repetition can skip"
#define EMPTY "unsupported: reference to a group in a repetition of the empty string"
#define LOOK                                                                                       \
    "unsupported: reference to a group in a look-around together with a repetition of the empty "  \
    "string"

static void test_unsupported(void **state)
{
    (void)state;
    static const struct regex_fault_case cases[] = {
        {"(?:(a)|b)*\\1", 10, SKIP},
        {"(?:(a)?b)+\\1", 10, SKIP},
        {"(?:(a){0,2}b\\1)+", 12, SKIP},
        {"(?:(?:x(a)|y)z)*\\1", 16, SKIP},
        {"(?:(?:(a)b)?c){2}\\1", 17, SKIP},
        {"(?<n>(a)|b)+\\2", 12, SKIP},
        {"(a*)*\\1", 5, EMPTY},
        {"(a?)?\\1", 5, EMPTY},
        {"(?:(?=(a)))?\\1", 12, LOOK},
        {"(?:(a)?)+\\1", 9, SKIP},
        {"(?=(a))*\\1", 8, LOOK},
        {"(?<=([ab]){2})\\1", 14, "unsupported: reference to a repeated group in a look-behind"},
        {"(?<=(?:([ab])c){2})\\1",
         19,
         "unsupported: reference to a repeated group in a look-behind"},
        {"(?=((?:|a)*))\\1", 13, LOOK},
        {"(a)(?<=\\1)b", 7, "unsupported: reference in a look-behind"},
        {"(?<=\\1(a))b", 4, "unsupported: reference in a look-behind"},
        {"(a)(?<!(?=\\1)x)b", 10, "unsupported: reference in a look-behind"},
        {"a(?<=a+)b", 1, "unsupported: look-behind of variable length"},
        {"(?<!a?)", 0, "unsupported: look-behind of variable length"},
        {"(?<=x(?:a|bc))", 0, "unsupported: look-behind of variable length"},
        {"(?<=x|y(?:z|a*))", 0, "unsupported: look-behind of variable length"},
        {"(?<=a{256})", 0, "unsupported: look-behind of more than 255 characters"},
        {"(?<=a{256}|b)", 0, "unsupported: look-behind of more than 255 characters"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        regex_expect_fault(false, cases[i].pattern, -EINVAL, cases[i].offset, cases[i].message);
    }
}

/* Near the above, and matched as ECMA-262 says. */
static void test_supported(void **state)
{
    (void)state;
    static const struct regex_case cases[] = {
        {"^(?:(a)|b)\\1$", "aa", 1},
        {"^(?:(a)|b)\\1$", "b", 1},
        {"^(?:(a)b)*\\1$", "aba", 1},
        {"^(?:(a)b)*\\1$", "", 1},
        {"^(?:(a)b)*\\1$", "abb", 0},
        {"^(?:(a|b)c\\1)+$", "acabcb", 1},
        {"^(?:(a|b)c\\1)+$", "acabca", 0},
        {"^(?:(?:(a)|b)c)?\\1$", "bc", 1},
        {"^(a)*\\1$", "aa", 1},
        {"^(a*)\\1(?:b*)*$", "aabb", 1},
        {"^(a*){1}\\1$", "aa", 1},
        {"^(?:(a)?){2}$", "aa", 1},
        {"^(?:(a*)*)$", "aa", 1},
        {"(?<=(a)b)\\1", "aba", 1},
        {"(?<=([ab])c)\\1", "bca", 0},
        {"(?<=a{255})b", "ab", 0},
        {"(?<=a|bc|def)x", "defx", 1},
        {"(?<=(?:a|b)c)x", "bcx", 1},
        {"(?<=(?:ab){2}(?=c))c", "ababc", 1},
        {"(?<=(?:){5}a)b", "ab", 1},
        {"(?<=(?:^){0,5}a)b", "ab", 1},
    };
    REGEX_EXPECT_CASES(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_characters),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_stretches),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_large_classes),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_unsupported),
        cmocka_unit_test(test_supported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
