/*
 * Patterns that only simulation can match: those whose table would be too large,
 * and those with look-aheads at the start. All other tests of this folder compare
 * simulation with the other engines.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/regex/simulate.h"
#include "support/slowness.h"
#include "support/torture.h"

#define LABEL "([a-z]|[0-9])((([a-z]|[0-9])|-){0,61}([a-z]|[0-9]))?"
#define NAME  LABEL "(\\." LABEL ")+"
#define TAG                                                                                        \
    "([a-zA-Z]{2,3}(-[a-zA-Z]{3}){0,2}|[a-zA-Z]{4,8})(-[a-zA-Z]{4})?(-([a-zA-Z]{2}|[0-9]{3}))?"
/* Reversed host names with extensions, as in CERT/CC SSVC. */
#define NAMESPACE                                                                                  \
    "(x_" NAME "#" NAME "|[a-z]+)((/|/" TAG ")((/(" TAG "|\\." NAME "#" NAME "|\\." NAME "\\$" TAG \
    "))+)?)?"

static const struct {
    const char *pattern;
    const char *text;
    int expected;
} cases[] = {
    {"^((a|b){0,61}c){0,67}$", "", 1},
    {"^((a|b){0,61}c){0,67}$", "abc", 1},
    {"^((a|b){0,61}c){0,67}$", "abcccbac", 1},
    {"^((a|b){0,61}c){0,67}$", "abcd", 0},
    {"^((a|b){0,61}c){0,67}$", "ab", 0},
    {"^([0-9a-zA-Z]{1,255}(\\.[0-9a-zA-Z_-]{0,63}){0,20}){1,9}$", "a.b.c", 1},
    {"^([0-9a-zA-Z]{1,255}(\\.[0-9a-zA-Z_-]{0,63}){0,20}){1,9}$", "a.b.c!", 0},
    {"^([^!]{1,900}[a-z\xC3\xA0-\xC3\xBC]{1,900}){1,90}$", "abc\xC3\xA9", 1},
    {"^([^!]{1,900}[a-z\xC3\xA0-\xC3\xBC]{1,900}){1,90}$", "abc!\xC3\xA9", 0},
    {"([ab]{1,300}c){1,300}d", "xxabcabcd", 1},
    {"([ab]{1,300}c){1,300}d", "xxabcabd", 0},
    {"(?:x[ab]{200}|y[cd]{0,300}){0,200}$", "no matter", 1},
    {"^(?=.{3,1000}$)" NAMESPACE "$", "x_example.test#te.st/de-DE/.example.test#na.me", 1},
    {"^(?=.{3,1000}$)" NAMESPACE "$", "cisa//en", 1},
    {"^(?=.{3,1000}$)" NAMESPACE "$", "ab", 0},
    {"^(?=.{3,1000}$)" NAMESPACE "$", "x_example#test", 0},
    {"^(?!.*--)(?!-)(?=.*[0-9])((a|b|[0-9-]){0,61}c){1,67}$", "a1-bc", 1},
    {"^(?!.*--)(?!-)(?=.*[0-9])((a|b|[0-9-]){0,61}c){1,67}$", "a1--bc", 0},
    {"^(?!.*--)(?!-)(?=.*[0-9])((a|b|[0-9-]){0,61}c){1,67}$", "-1bc", 0},
    {"^(?!.*--)(?!-)(?=.*[0-9])((a|b|[0-9-]){0,61}c){1,67}$", "abc", 0},
    {"^(?=$)((a|b){0,61}c){0,67}", "", 1},
    {"^(?!$)((a|b){0,61}c){0,67}", "", 0},
};

static void large_patterns_match(void **state)
{
    (void)state;
    struct jsv_regex_scratch *scratch = jsv_regex_scratch_new(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int engine = JSV_REGEX_TABLE; engine <= JSV_REGEX_SIMULATION; engine++) {
            struct jsv_regex *regex;
            struct jsv_regex_fault fault = {0};
            struct jsv_str pattern = jsv_str_from(cases[i].pattern);
            if (jsv_regex_compile_for(
                    (enum jsv_regex_engine)engine, pattern, NULL, &regex, &fault)) {
                fail_msg("%s: %s", cases[i].pattern, fault.message);
            }
            int answer = jsv_regex_search(regex, jsv_str_from(cases[i].text), scratch);
            if (answer != cases[i].expected) {
                fail_msg("%s on %s: %d", cases[i].pattern, cases[i].text, answer);
            }
            jsv_regex_free(regex);
        }
    }
    jsv_regex_scratch_free(scratch);
}

static void repetitions_are_exact(void **state)
{
    (void)state;
    struct jsv_regex *regex;
    struct jsv_regex_scratch *scratch = jsv_regex_scratch_new(NULL);
    static char text[67 * 62 + 2];
    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < 68; i++) {
        text[i * 62 + 61 < sizeof text ? i * 62 + 61 : sizeof text - 1] = 'c';
    }
    assert_int_equal(
        jsv_regex_compile_for(
            JSV_REGEX_SIMULATION, JSV_STR("^((a|b){0,61}c){0,67}$"), NULL, &regex, NULL),
        0);
    assert_int_equal(jsv_regex_engine_of(regex), JSV_REGEX_SIMULATION);
    assert_int_equal(jsv_regex_search(regex, (struct jsv_str){text, 67 * 62}, scratch), 1);
    assert_int_equal(jsv_regex_search(regex, (struct jsv_str){text, 67 * 62 - 1}, scratch), 0);
    assert_int_equal(jsv_regex_search(regex, (struct jsv_str){text, sizeof text}, scratch), 0);
    jsv_regex_free(regex);
    jsv_regex_scratch_free(scratch);
}

static void patterns_that_are_simulated(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        bool can;
    } kinds[] = {
        {"a*b", true},
        {"^(?=a)b", true},
        {"^(?=a)(?!b)c|d", false},
        {"(?=a)b", false},
        {"^(?<=a)b", false},
        {"^(?=a)*b", false},
        {"^(?=a\\b)b", false},
        {"^(?=a)b(?=c)", false},
        {"^(?=\\p{L})b", false},
        {"^(?=(a))\\1", false},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct jsv_regex *regex;
        struct jsv_str pattern = jsv_str_from(kinds[i].pattern);
        assert_int_equal(
            jsv_regex_compile_for(JSV_REGEX_SIMULATION, pattern, NULL, &regex, NULL), 0);
        if ((jsv_regex_engine_of(regex) == JSV_REGEX_SIMULATION) != kinds[i].can) {
            fail_msg("%s", kinds[i].pattern);
        }
        jsv_regex_free(regex);
    }
}

/* With many states, a search ends in time, with a result or -ELOOP. */
static void long_searches_end(void **state)
{
    (void)state;
    static const char *const patterns[] = {
        "^([ab]{0,300}[ab]{0,300}){0,300}$",
        "([ab]{0,500}){0,500}c",
        "(a|b|ab){0,20000}c",
        "^(?=.{0,60000}!)(?:a?){0,30000}(?:b?){0,30000}$",
    };
    enum {
        SIZE = 65536
    };
    char *text = malloc(SIZE);
    assert_non_null(text);
    for (size_t i = 0; i < SIZE; i++) {
        text[i] = "ab"[i % 2];
    }
    struct jsv_regex_scratch *scratch = jsv_regex_scratch_new(NULL);
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        struct jsv_regex *regex;
        struct jsv_str pattern = jsv_str_from(patterns[i]);
        assert_int_equal(
            jsv_regex_compile_for(JSV_REGEX_SIMULATION, pattern, NULL, &regex, NULL), 0);
        double quickest = 1;
        for (int attempt = 0; attempt < 8 && quickest > 0.05 * SLOWNESS; attempt++) {
            double start = cpu_seconds();
            int answer = jsv_regex_search(regex, (struct jsv_str){text, SIZE}, scratch);
            double seconds = cpu_seconds() - start;
            assert_true(answer == 0 || answer == 1 || answer == -ELOOP);
            quickest = seconds < quickest ? seconds : quickest;
        }
        if (quickest > 0.05 * SLOWNESS) {
            fail_msg("%s took %.1f ms", patterns[i], quickest * 1e3);
        }
        assert_true(*jsv_regex_scratch_cost(scratch) > 0);
        jsv_regex_free(regex);
    }
    /* limited by the caller's remaining steps */
    int64_t left = 0;
    struct jsv_regex *regex;
    jsv_regex_scratch_bound(scratch, &left, 25);
    assert_int_equal(
        jsv_regex_compile_for(JSV_REGEX_SIMULATION, JSV_STR("a*b"), NULL, &regex, NULL), 0);
    assert_int_equal(jsv_regex_search(regex, (struct jsv_str){text, SIZE}, scratch), -ELOOP);
    left = 1000;
    assert_int_equal(jsv_regex_search(regex, (struct jsv_str){text, SIZE}, scratch), 1);
    jsv_regex_free(regex);
    jsv_regex_scratch_free(scratch);
    free(text);
}

static void limits_are_named(void **state)
{
    (void)state;
    struct jsv_regex *regex;
    struct jsv_regex_fault fault;
    assert_int_equal(
        jsv_regex_compile(JSV_STR("^((a|b){0,999}c){0,999}$"), NULL, &regex, &fault), -E2BIG);
    assert_string_equal(
        fault.message,
        "the pattern is too large: with its repetitions written out it has more than 262,144 "
        "states");
    assert_int_equal(
        jsv_regex_compile(JSV_STR("\\b((a|b){0,999}c){0,999}$"), NULL, &regex, &fault), -E2BIG);
    assert_string_equal(
        fault.message,
        "the pattern is too large: compiled it takes more than 64 KiB, PCRE2's limit");
}

static int use_once(const struct jsv_allocator *allocator, void *state)
{
    struct jsv_regex *regex;
    struct jsv_regex_scratch *scratch = jsv_regex_scratch_new(allocator);
    if (!scratch) {
        return -ENOMEM;
    }
    int r =
        jsv_regex_compile_for(JSV_REGEX_SIMULATION, jsv_str_from(state), allocator, &regex, NULL);
    if (r == 0) {
        r = jsv_regex_search(regex, JSV_STR("abc"), scratch);
        jsv_regex_free(regex);
    }
    jsv_regex_scratch_free(scratch);
    return r < 0 ? r : 0;
}

static void memory_runs_out(void **state)
{
    (void)state;
    static char pattern[] = "^(?=.{3})(?!x)((a|b){0,61}c){0,67}$";
    assert_true(torture_run(use_once, pattern) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_patterns_match),
        cmocka_unit_test(repetitions_are_exact),
        cmocka_unit_test(patterns_that_are_simulated),
        cmocka_unit_test(long_searches_end),
        cmocka_unit_test(limits_are_named),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
