#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/regex_ask.h"

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

static void test_faults(void **state)
{
    (void)state;
    static const struct regex_fault_case cases[] = {
        {"(?<a", 3, "the name of a group must end in >"},
        {"(?<", 3, "the name of a group must end in >"},
        {"(?<a)", 3, "the name of a group must end in >"},
        {"(?<a>x)\\k<a", 10, "the name of a group must end in >"},
        {"(?<>x)", 3, "the name of a group must be an identifier"},
        {"(?<1>x)", 3, "the name of a group must be an identifier"},
        {"(?<a-b>x)", 3, "the name of a group must be an identifier"},
        {"(?<a b>x)", 3, "the name of a group must be an identifier"},
        {"(?<€>x)", 3, "the name of a group must be an identifier"},
        {"(?<😀>x)", 3, "the name of a group must be an identifier"},
        {"(?<\\u0031>x)", 3, "the name of a group must be an identifier"},
        {"(?<é\\u{20}>x)", 3, "the name of a group must be an identifier"},
        {"(?<a\\x62>x)", 4, "in the name of a group only \\u is an escape"},
        {"(?<a\\ud83d>x)", 4, "half a surrogate pair in the name of a group"},
        {"(?<\\u{110000}>x)", 3, "\\u{...} must hold hex digits up to 10FFFF"},
        {"(?<\\u6>x)", 3, "\\u must be followed by four hex digits or {...}"},
        {"(?<\\u{61>x)", 3, "\\u{...} must hold hex digits up to 10FFFF"},
    };
    REGEX_EXPECT_FAULTS(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
