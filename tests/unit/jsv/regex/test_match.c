#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/regex/match.h"
#include "support/regex_ask.h"
#include "support/slowness.h"
#include "support/torture.h"

/* ---- patterns with exponential time ---- */

static const char *const evil_patterns[] = {
    /* Harmless with a table. */
    "(a+)+$",
    "(a|a)*$",
    "(a*)*b",
    "(.*)*x",
    "(a|aa)+$",
    "([a-z]+)*1",
    "(\\w+\\s?)*$",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(x+x+)+y",
    "(.*a){20}b",
    /* Nested repetition. */
    "\\b(a+)+\\b!",
    "(?=(a+)+b)",
    "(?!(a+)+b)a*$x",
    "\\b(a*)*b",
    "\\b(\\w+\\s?)*!",
    "\\b(x+x+)+y",
    "\\b(.*a){20}b",
    "\\B(a+)+\\B!",
    "(\\p{L}+)+\\d",
    "(?:\\p{L}+\\p{M}*)+\\d",
    "(?:(?:(?:a*)*)*)*(?!a)b",
    "((a{1,100}){1,100})(?!a)b",
    "(?!x)(?:a{0,200}){0,200}b",
    "(?!x)(?:a{0,1000}b?){0,50}c",
    "(?!x)(?:a+){10}b",
    "(?!x)([^,]*,)*z",
    "\\b(?:\\w+\\b.?)+!",
    "(?!x)((a+)+)+(?!a)b",
    /* Branches that overlap. */
    "\\b(a|a)*b",
    "\\b(a|aa)+!",
    "(?:\\p{L}|\\p{Ll})*\\d",
    "(?!x)(?:[ab]|[bc]|[cd])*?e",
    "(?<!x)(?:[^\"\\\\]|\\\\.)*\"",
    "(?!x)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)b",
    "(?!x)(?:a|a){30}b",
    "(?!x)a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?b",
    "(?:a?){30}a{30}(?!a)b",
    /* Repetitions that meet. */
    "(?!x)[ab]*[ab]*[ab]*[cd]",
    "(?!x).*.*.*.*=.*",
    "(?!x)(?:.*?,){11}P",
    "(?!x)a*?a*?a*?a*?a*?b",
    "(?!x)[^]*[^]*[^]*y",
    "(?!x)a{0,65535}a{0,65535}b",
    /* No choice, but many characters to read at every position. */
    "(?:\\b|a)[ab]*c",
    "(?<=a)[ab]*[cd]",
    "(?=[ab]*)(?=[ab]*)(?=[ab]*)(?=[ab]*)[ab]*[cd]",
    "(?!x)[ab]{60000}[cd]",
    "(?!x)[ab]{1000}[cd]",
    "(?!x)[ab]{1000,}[cd]",
    "(?<=[ab]{200})[cd]",
    "(?<![ab]{200}c)(?<![ab]{200}d)(?<![ab]{200}e)[cd]",
    "\\p{L}*\\d",
    "[\\p{L}\\p{N}\\p{P}\\p{S}\\p{Script=Greek}\\p{Emoji}]*\\d",
    "(?=.*b)(?=.*c)(?=.*d)a*x",
    "(?:(?!aab).)*c",
    "(?=.*c)(\\1)$",
    "(?!x)((?!\\p{L}{10,}|([é-ü])+((?:a|aa)[^c]){1,50}[é-ü])){20}!",
    /* References. */
    "(a*)\\1b",
    "(a*)\\1*b",
    "(a+)\\1+b",
    "(a*)(a*)(a*)\\1\\2\\3b",
    "^(a+)+\\1$b",
    "(.+)\\1",
    "(.*)(.*)(.*)\\1x",
    "(.*)\\1{2,}y",
    "(.{1,100})\\1{100}y",
    "((a)\\2)+b",
    "(?=(a*))\\1b",
    "(?!.*(.).*\\1)[a-z]+$",
    "(?=[ab])(?:(a)\\1{3,7}|\\1{0,300}\\S{10,}|é\\1[ab])(?:\\1{0,1000})*c",
};

#define SUBJECT_SIZE  65536
#define SUBJECT_COUNT 6

static char evil_subjects[SUBJECT_COUNT][SUBJECT_SIZE];

static void fill(char *subject, const char *text)
{
    size_t size = strlen(text);
    for (size_t i = 0; i < SUBJECT_SIZE; i++) {
        subject[i] = text[i % size];
    }
}

static void make_subjects(void)
{
    fill(evil_subjects[0], "a");
    fill(evil_subjects[1], "a");
    evil_subjects[1][SUBJECT_SIZE - 1] = '!';
    fill(evil_subjects[2], "ab");
    fill(evil_subjects[3], "é");
    fill(evil_subjects[4], "a");
    evil_subjects[4][59999] = '!';
    fill(evil_subjects[5], "aab, xx\"a.b");
}

#define MS_MAX (50 * SLOWNESS)
/* Fewer searches for slow builds. */
#define SUBJECT_STEP (SLOWNESS > 1 ? 3 : 1)

/*
 * Search within the time limit. Every search takes the same steps, so the
 * fastest of several counts; the others may be delayed by other processes.
 * @return the result.
 */
static int search_in_time(
    const struct jsv_regex *regex,
    const char *pattern,
    const char *subject,
    struct jsv_regex_scratch *scratch)
{
    double quickest = 0;
    for (int attempt = 0; attempt < 8; attempt++) {
        double start = cpu_seconds();
        int answer = jsv_regex_search(regex, (struct jsv_str){subject, SUBJECT_SIZE}, scratch);
        double took = (cpu_seconds() - start) * 1e3;
        if (took <= MS_MAX) {
            return answer;
        }
        quickest = attempt == 0 || took < quickest ? took : quickest;
    }
    fail_msg("%s: %.1f ms", pattern, quickest);
    return 0;
}

/* One pattern, one engine, all subjects. Results must agree. @return the number of -ELOOP. */
static size_t search_all(
    enum jsv_regex_engine engine,
    const char *pattern,
    int verdicts[static SUBJECT_COUNT],
    struct jsv_regex_scratch *scratch)
{
    struct jsv_regex *regex;
    size_t given_up = 0;
    assert_int_equal(jsv_regex_compile_for(engine, jsv_str_from(pattern), NULL, &regex, NULL), 0);
    for (size_t k = 0; k < SUBJECT_COUNT; k += SUBJECT_STEP) {
        int answer = search_in_time(regex, pattern, evil_subjects[k], scratch);
        if (answer == -ELOOP) {
            assert_true(jsv_regex_engine_of(regex) > JSV_REGEX_TABLE);
            given_up++;
        } else {
            assert_true(answer == 0 || answer == 1);
            assert_true(verdicts[k] == -ELOOP || answer == verdicts[k]);
            verdicts[k] = answer;
        }
    }
    jsv_regex_free(regex);
    return given_up;
}

static void test_evil_patterns(void **state)
{
    (void)state;
    const size_t count = sizeof evil_patterns / sizeof evil_patterns[0];
    assert_true(count >= 50);
    make_subjects();
    struct jsv_regex_scratch *scratch = jsv_regex_scratch_new(NULL);
    size_t given_up = 0;
    for (size_t i = 0; i < count; i++) {
        int verdicts[SUBJECT_COUNT] = {-ELOOP, -ELOOP, -ELOOP, -ELOOP, -ELOOP, -ELOOP};
        given_up += search_all(JSV_REGEX_TABLE, evil_patterns[i], verdicts, scratch);
        given_up += search_all(JSV_REGEX_SIMULATION, evil_patterns[i], verdicts, scratch);
        given_up += search_all(JSV_REGEX_INTERPRETER, evil_patterns[i], verdicts, scratch);
    }
    assert_true(given_up > 50);
    jsv_regex_scratch_free(scratch);
}

/* Other patterns get a result, on long subjects too. */
static void test_benign_patterns(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        int expected;
    } cases[] = {
        {"^(?=.*\\d)(?=.*[A-Z]).+$", 0},
        {"\\bfox\\b", 0},
        {"(?<!a)b(?=c)", 0},
        {"(?<![ab])!", 0},
        {"^(?!.*\\.\\.).*$", 1},
        {"\\p{Lu}", 0},
        {"^[\\p{L}\\p{N}, .\"]+$", 1},
        {"^(?:(?!fox).)*$", 1},
        {"^(a)\\1b", 1},
        {"^.{0,1000000}$", 1},
    };
    enum {
        SIZE = 1 << 20
    };
    char *subject = malloc(SIZE);
    assert_non_null(subject);
    for (size_t i = 0; i < SIZE; i++) {
        subject[i] = "aab, xx\"a.b"[i % 11];
    }
    struct jsv_regex_scratch *scratch = jsv_regex_scratch_new(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct jsv_regex *regex;
        struct jsv_str pattern = jsv_str_from(cases[i].pattern);
        assert_int_equal(
            jsv_regex_compile_for(JSV_REGEX_MACHINE_CODE, pattern, NULL, &regex, NULL), 0);
        int answer = jsv_regex_search(regex, (struct jsv_str){subject, 65536}, scratch);
        if (answer != cases[i].expected) {
            fail_msg("%s: %d", cases[i].pattern, answer);
        }
        jsv_regex_free(regex);
    }
    /* One attempt at every position of 1 MiB. */
    struct jsv_regex *regex;
    assert_int_equal(jsv_regex_compile(JSV_STR("(?<!x)z"), NULL, &regex, NULL), 0);
    assert_int_equal(jsv_regex_search(regex, (struct jsv_str){subject, SIZE}, scratch), 0);
    jsv_regex_free(regex);
    jsv_regex_scratch_free(scratch);
    free(subject);
}

/* ---- PCRE2 itself ---- */

struct bench {
    struct torture torture;
    struct jsv_regex_scratch *scratch;
};

static int setup(void **state)
{
    struct bench *bench = malloc(sizeof *bench);
    assert_non_null(bench);
    torture_init(&bench->torture, 0);
    bench->scratch = jsv_regex_scratch_new(&bench->torture.allocator);
    assert_non_null(bench->scratch);
    *state = bench;
    return 0;
}

static int teardown(void **state)
{
    struct bench *bench = *state;
    jsv_regex_scratch_free(bench->scratch);
    torture_done(&bench->torture);
    free(bench);
    return 0;
}

static struct jsv_match *
compile(struct bench *bench, const char *text, uint32_t weight, bool interpret)
{
    struct jsv_match *match;
    assert_int_equal(
        jsv_match_compile(jsv_str_from(text), weight, interpret, &bench->torture.allocator, &match),
        0);
    return match;
}

/* Without checkpoints PCRE2's own limits apply, of steps and of memory. */
static void test_last_resort(void **state)
{
    struct bench *bench = *state;
    static const char *const texts[] = {"(?:a|a)*b", "\\A(?:a|b)*\\z"};
    enum {
        SIZE = 1 << 20
    };
    char *subject = malloc(SIZE);
    assert_non_null(subject);
    memset(subject, 'a', SIZE);
    for (size_t i = 0; i < 4; i++) {
        struct jsv_match *match = compile(bench, texts[i % 2], 1, i < 2);
        struct jsv_str evil = {subject, i % 2 ? SIZE : 100};
        assert_int_equal(jsv_match_search(match, evil, bench->scratch), -ELOOP);
        assert_int_equal(jsv_match_search(match, JSV_STR("ab"), bench->scratch), 1);
        jsv_match_free(match);
    }
    assert_true(bench->torture.peak_bytes < 40 << 20);
    free(subject);
}

/* A checkpoint costs 8 and 2 to the power of its number; the interpreter has a third. */
static void test_budget(void **state)
{
    struct bench *bench = *state;
    static const struct {
        const char *text;
        uint32_t weight;
        bool interpret;
        int expected;
    } cases[] = {
        {"(?C22)x", 1, false, 0},
        {"(?C22)x", 2, false, -ELOOP},
        {"(?C23)x", 1, false, -ELOOP},
        {"(?C21)x", 1, true, 0},
        {"(?C22)x", 1, true, -ELOOP},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct jsv_match *match =
            compile(bench, cases[i].text, cases[i].weight, cases[i].interpret);
        assert_int_equal(jsv_match_search(match, JSV_STR(""), bench->scratch), cases[i].expected);
        jsv_match_free(match);
    }
}

/* The scratch adds up the cost of searches. */
static void test_cost(void **state)
{
    struct bench *bench = *state;
    struct jsv_match *match = compile(bench, "(?C10)a", 1, false);
    uint64_t *cost = jsv_regex_scratch_cost(bench->scratch);
    assert_int_equal(*cost, 0);
    assert_int_equal(jsv_match_search(match, JSV_STR("a"), bench->scratch), 1);
    assert_int_equal(*cost, 1024 + 8);
    assert_int_equal(jsv_match_search(match, JSV_STR("ba"), bench->scratch), 1);
    assert_int_equal(*cost, 3 * (1024 + 8) + 1);
    jsv_match_free(match);
}

/* After the first search, searching allocates nothing. */
static void test_steady_state(void **state)
{
    struct bench *bench = *state;
    struct jsv_match *matches[] = {
        compile(bench, "\\A(?:(?C0)a|(?C0)b)*\\z", 1, false),
        compile(bench, "\\A(?:(?C0)a|(?C0)b)*\\z", 1, true),
        compile(bench, "(a|b)(?C255)\\g{1}", 1, false),
    };
    size_t calls = 0;
    for (int round = 0; round < 5; round++) {
        for (size_t i = 0; i < 3; i++) {
            struct jsv_str subject = JSV_STR("abababababababababababababababababababababababb");
            assert_int_equal(jsv_match_search(matches[i], subject, bench->scratch), 1);
        }
        assert_true(round == 0 || calls == bench->torture.calls);
        calls = bench->torture.calls;
    }
    for (size_t i = 0; i < 3; i++) {
        jsv_match_free(matches[i]);
    }
    jsv_match_free(NULL);
}

/* The first search allocates the scratch, even if it fails. */
static void test_scratch_after_failure(void **state)
{
    struct bench *bench = *state;
    struct jsv_match *slow = compile(bench, "(?C0)a", 1, true);
    struct jsv_match *fast = compile(bench, "(?C0)a", 1, false);
    struct jsv_match *order[] = {slow, fast};
    for (size_t first = 0; first < 2; first++) {
        for (size_t fail_at = 2;; fail_at++) {
            struct torture torture;
            torture_init(&torture, fail_at);
            struct jsv_regex_scratch *scratch = jsv_regex_scratch_new(&torture.allocator);
            assert_non_null(scratch);
            int answer = jsv_match_search(order[first], JSV_STR("ba"), scratch);
            int other = jsv_match_search(order[1 - first], JSV_STR("ba"), scratch);
            bool failed = torture_has_failed(&torture);
            assert_true(answer == 1 || (failed && answer == -ENOMEM));
            assert_true(other == 1 || (failed && answer == 1 && other == -ENOMEM));
            assert_int_equal(jsv_match_search(order[first], JSV_STR("ba"), scratch), 1);
            jsv_regex_scratch_free(scratch);
            torture_done(&torture);
            if (!failed) {
                break;
            }
        }
    }
    jsv_match_free(slow);
    jsv_match_free(fast);
}

/* Machine code gets its stack even if the interpreter was used first. */
static void test_stack_comes_late(void **state)
{
    struct bench *bench = *state;
    struct jsv_match *slow = compile(bench, "a", 1, true);
    struct jsv_match *fast = compile(bench, "\\A(?:(?C0)a|(?C0)b)*\\z", 1, false);
    char subject[10000];
    memset(subject, 'a', sizeof subject);
    assert_int_equal(jsv_match_search(slow, JSV_STR("a"), bench->scratch), 1);
    struct jsv_str text = {subject, sizeof subject};
    assert_int_equal(jsv_match_search(fast, text, bench->scratch), 1);
    jsv_match_free(slow);
    jsv_match_free(fast);
}

static void test_too_large(void **state)
{
    struct bench *bench = *state;
    struct jsv_match *match;
    assert_int_equal(
        jsv_match_compile(JSV_STR("(?:ab){60000}"), 1, false, &bench->torture.allocator, &match),
        -E2BIG);
}

static void test_identifiers(void **state)
{
    struct bench *bench = *state;
    static const struct {
        const char *text;
        int expected;
    } cases[] = {
        {"", 0},   {"a", 1},  {"Z", 1},   {"_", 1},   {"$", 1},       {"a1", 1},      {"1", 0},
        {"a-", 0}, {"é", 1},  {"aé", 1},  {"1é", 0},  {"𝒜", 1},       {"a\u200d", 1}, {"\u200d", 0},
        {"€", 0},  {"a😀", 0}, {"a\n", 0}, {"é\n", 0}, {"a\u0301", 1}, {"\u0301", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct jsv_str text = jsv_str_from(cases[i].text);
        assert_int_equal(
            jsv_match_is_identifier(text, &bench->torture.allocator), cases[i].expected);
    }
}

#define MATCH_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_evil_patterns),
        cmocka_unit_test(test_benign_patterns),
        MATCH_TEST(test_last_resort),
        MATCH_TEST(test_budget),
        MATCH_TEST(test_cost),
        MATCH_TEST(test_steady_state),
        MATCH_TEST(test_scratch_after_failure),
        MATCH_TEST(test_stack_comes_late),
        MATCH_TEST(test_too_large),
        MATCH_TEST(test_identifiers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
