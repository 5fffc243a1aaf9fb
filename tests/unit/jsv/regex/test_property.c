#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/regex/charset.h"
#include "support/regex_ask.h"

static void expect(const char *text, const char *prefix, const char *name)
{
    struct jsv_property property;
    if (!jsv_property_find(jsv_str_from(text), &property)) {
        fail_msg("%s is not found", text);
    }
    assert_string_equal(property.prefix, prefix);
    assert_string_equal(property.name, name);
    assert_true(property.known);
}

static void test_found(void **state)
{
    (void)state;
    expect("Lu", "", "Lu");
    expect("Uppercase_Letter", "", "Lu");
    expect("gc=Lu", "", "Lu");
    expect("General_Category=Uppercase_Letter", "", "Lu");
    expect("digit", "", "Nd");
    expect("gc=punct", "", "P");
    expect("Alpha", "", "Alphabetic");
    expect("space", "", "White_Space");
    expect("Script=Greek", "sc:", "Greek");
    expect("sc=Grek", "sc:", "Greek");
    expect("Script_Extensions=Grek", "scx:", "Greek");
    expect("scx=Qaai", "scx:", "Inherited");
}

/* ECMA-262 requires the exact name, and each key with its own values. */
static void test_not_found(void **state)
{
    (void)state;
    static const char *const names[] = {
        "",
        "lu",
        "LU",
        "L&",
        "Lu ",
        " Lu",
        "IsLu",
        "Greek",
        "Grek",
        "Script",
        "Script=",
        "=Greek",
        "=",
        "sc=greek",
        "SC=Greek",
        "Script=Lu",
        "gc=Greek",
        "gc=Alpha",
        "Alphabetic=Y",
        "Hyphen",
        "Block=Latin",
        "Script=Hrkt",
        "gc=",
        "uppercase_letter",
        "White Space",
        "Any=Any",
        "scx=Foo",
        "Changes_When_NFKC_Casefolded=Y",
        "Script==Greek",
        "Script=Greek=",
        "Lu\n",
        "InBasicLatin",
    };
    struct jsv_property property;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (jsv_property_find(jsv_str_from(names[i]), &property)) {
            fail_msg("%s is found", names[i]);
        }
    }
}

static void test_unknown_to_pcre2(void **state)
{
    (void)state;
    static const char *const names[] = {"CWKCF", "Bidi_Mirrored", "Script=Kawi", "scx=Nagm"};
    struct jsv_property property;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_true(jsv_property_find(jsv_str_from(names[i]), &property));
        assert_false(property.known);
    }
    assert_false(jsv_property_find(JSV_STR("gc=CWKCF"), &property));
    assert_false(jsv_property_find(JSV_STR("Kawi"), &property));
}

static const char *const names[][3] = {
#define GENERAL_CATEGORY(...) {__VA_ARGS__},
#define BINARY_PROPERTY(...)  {__VA_ARGS__},
#include "jsv/regex/property.def"
};

static const char *const scripts[][3] = {
#define SCRIPT(...) {__VA_ARGS__},
#include "jsv/regex/property.def"
};

static void compiles(const char *prefix, const char *name)
{
    char pattern[100];
    snprintf(pattern, sizeof pattern, "^[^\\P{%s%s}]\\p{%s%s}", prefix, name, prefix, name);
    if (regex_ask(pattern, "ab") < 0) {
        fail_msg("%s", pattern);
    }
}

/* PCRE2 has all of them. */
static void test_all_compile(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (size_t k = 0; k < 3 && names[i][k][0]; k++) {
            compiles("", names[i][k]);
        }
    }
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        for (size_t k = 0; k < 3 && scripts[i][k][0]; k++) {
            compiles("Script=", scripts[i][k]);
            compiles("scx=", scripts[i][k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found),
        cmocka_unit_test(test_not_found),
        cmocka_unit_test(test_unknown_to_pcre2),
        cmocka_unit_test(test_all_compile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
