/*
 * Escapes, names of groups, and classes.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/regex_ask.h"

#define LETTER "ECMA-262 has no such escape"

/* Errors in both modes. */
static void test_refused(void **state)
{
    (void)state;
    static const struct regex_fault_case cases[] = {
        {"ab\\", 2, "the pattern ends in a backslash"},
        {"[\\", 1, "the pattern ends in a backslash"},
        {"a\\Z", 1, LETTER},
        {"\\A", 0, LETTER},
        {"\\z", 0, LETTER},
        {"\\a", 0, LETTER},
        {"\\e", 0, LETTER},
        {"\\h", 0, LETTER},
        {"\\Q", 0, LETTER},
        {"[\\B]", 1, LETTER},
        {"[\\k]", 1, LETTER},
        {"[\\X]", 1, LETTER},
        {"a\\x4", 1, "\\x must be followed by two hex digits"},
        {"\\xg0", 0, "\\x must be followed by two hex digits"},
        {"[\\x]", 1, "\\x must be followed by two hex digits"},
        {"\\u12", 0, "\\u must be followed by four hex digits or {...}"},
        {"\\u004g", 0, "\\u must be followed by four hex digits or {...}"},
        {"a\\u{}", 1, "\\u{...} must hold hex digits up to 10FFFF"},
        {"\\u{110000}", 0, "\\u{...} must hold hex digits up to 10FFFF"},
        {"\\u{61", 0, "\\u{...} must hold hex digits up to 10FFFF"},
        {"\\u{g}", 0, "\\u{...} must hold hex digits up to 10FFFF"},
        {"\\c", 0, "\\c must be followed by a letter"},
        {"\\c1", 0, "\\c must be followed by a letter"},
        {"\\c_", 0, "\\c must be followed by a letter"},
        {"[\\c]", 1, "\\c must be followed by a letter"},
        {"\\k", 0, "\\k must be followed by <name>"},
        {"\\ka", 0, "\\k must be followed by <name>"},
        {"\\pL", 0, "\\p must be followed by a property in braces"},
        {"a\\P{L", 1, "\\p must be followed by a property in braces"},
        {"\\p", 0, "\\p must be followed by a property in braces"},
        {"\\p{}", 3, "unknown Unicode property"},
        {"\\p{lu}", 3, "unknown Unicode property"},
        {"[\\p{Script=Foo}]", 4, "unknown Unicode property"},
    };
    REGEX_EXPECT_FAULTS(cases);
}

/* Errors in unicode mode only. */
static void test_legacy_only(void **state)
{
    (void)state;
    static const struct regex_fault_case cases[] = {
        {"a\\-", 1, "this character must not be escaped"},
        {"\\_", 0, "this character must not be escaped"},
        {"\\é", 0, "this character must not be escaped"},
        {"[\\_]", 1, "this character must not be escaped"},
        {"\\1", 0, "reference to a group that does not exist"},
        {"(a)\\2", 3, "reference to a group that does not exist"},
        {"\\99999999999", 0, "reference to a group that does not exist"},
        {"\\00", 0, "octal escapes are legacy syntax"},
        {"[\\1]", 1, "octal escapes are legacy syntax"},
        {"[\\8]", 1, "octal escapes are legacy syntax"},
        {"[\\00]", 1, "octal escapes are legacy syntax"},
        {"[\\c1]", 1, "\\c must be followed by a letter"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        regex_expect_fault(true, cases[i].pattern, -EINVAL, cases[i].offset, cases[i].message);
        assert_true(regex_ask(cases[i].pattern, "") >= 0);
    }
}

static void test_unknown_to_pcre2(void **state)
{
    (void)state;
    assert_int_equal(jsv_regex_check(JSV_STR("\\p{CWKCF}"), NULL, NULL), 0);
    assert_int_equal(jsv_regex_check(JSV_STR("[^\\P{Bidi_M}]"), NULL, NULL), 0);
    regex_expect_fault(
        false,
        "a\\P{Bidi_Mirrored}",
        -EINVAL,
        4,
        "unsupported: PCRE2 does not have this Unicode property");
}

/* Every ASCII character in every notation, matched with itself and its neighbour. */
static void test_all_ascii(void **state)
{
    (void)state;
    for (unsigned code = 0; code < 128; code++) {
        char patterns[5][32];
        char subjects[2] = {(char)code, (char)(code ^ 1)};
        snprintf(patterns[0], sizeof patterns[0], "^\\x%02x$", code);
        snprintf(patterns[1], sizeof patterns[1], "^\\u%04X$", code);
        snprintf(patterns[2], sizeof patterns[2], "^\\u{%x}$", code);
        snprintf(patterns[3], sizeof patterns[3], "^[\\x%02X]$", code);
        snprintf(patterns[4], sizeof patterns[4], "^\\%03o$", code);
        for (size_t i = 0; i < 5; i++) {
            struct jsv_str pattern = jsv_str_from(patterns[i]);
            assert_int_equal(regex_ask_str(pattern, (struct jsv_str){subjects, 1}), 1);
            assert_int_equal(regex_ask_str(pattern, (struct jsv_str){subjects + 1, 1}), 0);
        }
    }
}

static void test_names(void **state)
{
    (void)state;
    static const char *const patterns[] = {
        "^(?<a>x)\\k<a>$",
        "^(?<$>x)\\k<$>$",
        "^(?<_9Z>x)\\k<_9Z>$",
        "^(?<été>x)\\k<été>$",
        "^(?<a>x)\\k<\\u0061>$",
        "^(?<\\u{61}>x)\\k<a>$",
        "^(?<\\u{1d49c}>x)\\k<𝒜>$",
        "^(?<\\uD835\\uDC9C>x)\\k<𝒜>$",
        "^(?<𝒜>x)\\k<\\uD835\\uDC9C>$",
        "^(?<a\\u200c>x)\\k<a\\u200c>$",
        "^(?<名前>x)\\k<名前>$",
        "^\\k<a>(?<a>xx)$",
    };
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        if (regex_ask(patterns[i], "xx") != 1) {
            fail_msg("%s", patterns[i]);
        }
        assert_int_equal(jsv_regex_check(jsv_str_from(patterns[i]), NULL, NULL), 0);
    }
}

static void wrong_names(void **state)
{
    (void)state;
    static const struct regex_fault_case cases[] = {
        {"(?<a", 3, "a group name must end with >"},
        {"(?<", 3, "a group name must end with >"},
        {"(?<a)", 3, "a group name must end with >"},
        {"(?<a>x)\\k<a", 10, "a group name must end with >"},
        {"(?<>x)", 3, "a group name must be an identifier"},
        {"(?<1>x)", 3, "a group name must be an identifier"},
        {"(?<a-b>x)", 3, "a group name must be an identifier"},
        {"(?<a b>x)", 3, "a group name must be an identifier"},
        {"(?<€>x)", 3, "a group name must be an identifier"},
        {"(?<😀>x)", 3, "a group name must be an identifier"},
        {"(?<\\u0031>x)", 3, "a group name must be an identifier"},
        {"(?<é\\u{20}>x)", 3, "a group name must be an identifier"},
        {"(?<a\\x62>x)", 4, "the only escape in a group name is \\u"},
        {"(?<a\\ud83d>x)", 4, "half a surrogate pair in a group name"},
        {"(?<\\u{110000}>x)", 3, "\\u{...} must hold hex digits up to 10FFFF"},
        {"(?<\\u6>x)", 3, "\\u must be followed by four hex digits or {...}"},
        {"(?<\\u{61>x)", 3, "\\u{...} must hold hex digits up to 10FFFF"},
    };
    REGEX_EXPECT_FAULTS(cases);
}

/* Which of these characters a class matches. */
static void expect_members(const char *pattern, const char *members)
{
    static const char *const all[] = {"a", "b",  "c", "d", "x",  "0",  "5", "-", "]", "[",
                                      "^", "\\", "_", " ", "\n", "\b", "é", "Ω", "😀", "😁"};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        int expected = strstr(members, all[i]) != NULL;
        if (regex_ask(pattern, all[i]) != expected) {
            fail_msg("%s on \"%s\"", pattern, all[i]);
        }
    }
}

static void test_members(void **state)
{
    (void)state;
    expect_members("[]", "");
    expect_members("[^]", "abcdx05-][^\\_ \n\béΩ😀😁");
    expect_members("[abc]", "abc");
    expect_members("[a-c]", "abc");
    expect_members("[^a-c]", "dx05-][^\\_ \n\béΩ😀😁");
    expect_members("[a-cb-d]", "abcd");
    expect_members("[c-dab]", "abcd");
    expect_members("[-a]", "-a");
    expect_members("[a-]", "-a");
    expect_members("[a-c-x]", "abc-x");
    expect_members("[--0]", "-0");
    expect_members("[a^]", "a^");
    expect_members("[\\^a]", "a^");
    expect_members("[\\]]", "]");
    expect_members("[\\-a]", "-a");
    expect_members("[a\\-c]", "ac-");
    expect_members("[[]", "[");
    expect_members("[\\\\]", "\\");
    expect_members("[\\b]", "\b");
    expect_members("[.$]", "");
    expect_members("[\\d]", "05");
    expect_members("[\\D]", "abcdx-][^\\_ \n\béΩ😀😁");
    expect_members("[\\w]", "abcdx05_");
    expect_members("[^\\w]", "-][^\\ \n\béΩ😀😁");
    expect_members("[\\s\\d]", "05 \n");
    expect_members("[^\\S]", " \n");
    expect_members("[\\w\\W]", "abcdx05-][^\\_ \n\béΩ😀😁");
    expect_members("[^\\w\\W]", "");
    expect_members("[\\d-]", "05-");
    expect_members("[à-ü]", "é");
    expect_members("[^à-ü]", "abcdx05-][^\\_ \n\bΩ😀😁");
    expect_members("[é-Ω]", "éΩ");
    expect_members("[😀]", "😀");
    expect_members("[^😀]", "abcdx05-][^\\_ \n\béΩ😁");
    expect_members("[😀-😁]", "😀😁");
    expect_members("[\\uD83D\\uDE00-\\uD83D\\uDE01]", "😀😁");
    expect_members("[\\uD83D]", "");
    expect_members("[^\\uD800-\\uDFFF]", "abcdx05-][^\\_ \n\béΩ😀😁");
    expect_members("[\\u0000-\\u{10ffff}]", "abcdx05-][^\\_ \n\béΩ😀😁");
    expect_members("[\\x61\\u0062\\u{63}\\cJ]", "abc\n");
    expect_members("[\\p{Lu}]", "Ω");
    expect_members("[\\p{Lu}a-c\\d]", "Ωabc05");
    expect_members("[^\\p{Lu}a-c\\d]", "dx-][^\\_ \n\bé😀😁");
    expect_members("[\\P{L}]", "05-][^\\_ \n\b😀😁");
    expect_members("[^\\P{L}]", "abcdxéΩ");
}

static void wrong_classes(void **state)
{
    (void)state;
    static const struct regex_fault_case cases[] = {
        {"a[b", 1, "the class is not closed"},
        {"[", 0, "the class is not closed"},
        {"[^", 0, "the class is not closed"},
        {"[a-", 0, "the class is not closed"},
        {"[\\]", 0, "the class is not closed"},
        {"[xb-a]", 2, "the range is out of order"},
        {"[a--]", 1, "the range is out of order"},
        {"[\\u{1F601}-😀]", 1, "the range is out of order"},
    };
    REGEX_EXPECT_FAULTS(cases);
    const char *message = "a range cannot begin or end with a set";
    regex_expect_fault(true, "[a\\d-x]", -EINVAL, 2, message);
    regex_expect_fault(true, "[a-\\d]", -EINVAL, 1, message);
    regex_expect_fault(true, "[\\s-\\d]", -EINVAL, 1, message);
    regex_expect_fault(true, "[\\p{L}-x]", -EINVAL, 1, message);
}

static void test_legacy_ranges(void **state)
{
    (void)state;
    expect_members("[\\d-x]", "05-x");
    expect_members("[a-\\d]", "a-05");
    expect_members("[\\s-\\d]", " \n-05");
    expect_members("[\\p{Lu}-x]", "Ω-x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_legacy_only),
        cmocka_unit_test(test_unknown_to_pcre2),
        cmocka_unit_test(test_all_ascii),
        cmocka_unit_test(test_names),
        cmocka_unit_test(wrong_names),
        cmocka_unit_test(test_members),
        cmocka_unit_test(wrong_classes),
        cmocka_unit_test(test_legacy_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
