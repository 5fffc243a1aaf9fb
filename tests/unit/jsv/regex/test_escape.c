#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/regex_ask.h"

#define LETTER "a backslash before this letter has no meaning in ECMA-262"

/* Refused in either mode: to guess would be wrong. */
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
        {"\\p{}", 3, "there is no such Unicode property"},
        {"\\p{lu}", 3, "there is no such Unicode property"},
        {"[\\p{Script=Foo}]", 4, "there is no such Unicode property"},
    };
    REGEX_EXPECT_FAULTS(cases);
}

/* Wrong in unicode mode alone. */
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
        "unsupported: a Unicode property that PCRE2 does not know");
}

/* Every ASCII character in every spelling against itself and against its neighbour. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_legacy_only),
        cmocka_unit_test(test_unknown_to_pcre2),
        cmocka_unit_test(test_all_ascii),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
