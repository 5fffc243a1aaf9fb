#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "jsv/regex/alphabet.h"
#include "support/random.h"

static void __attribute__((format(printf, 2, 3)))
print(struct jsv_buf *buf, const char *format, ...)
{
    char text[100];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    assert_int_equal(jsv_buf_append_str(buf, jsv_str_from(text)), 0);
}

/* An automaton of sets and nothing else. */
static struct jsv_nfa nfa_of(struct jsv_str pattern, struct jsv_arena *arena)
{
    struct jsv_regex_syntax syntax;
    struct jsv_regex_fault fault;
    struct jsv_nfa nfa;
    assert_int_equal(jsv_regex_parse(pattern, false, arena, &syntax, &fault), 0);
    assert_int_equal(jsv_nfa_build(&syntax, arena, &nfa), 0);
    return nfa;
}

static unsigned kind_of(const struct jsv_alphabet *alphabet, uint32_t code_point)
{
    size_t segment = 0;
    while (segment + 1 < alphabet->segment_count && alphabet->starts[segment + 1] <= code_point) {
        segment++;
    }
    return alphabet->kind_of[segment];
}

static bool is_in(const struct jsv_charset *set, uint32_t code_point)
{
    for (size_t i = 0; i < set->count; i++) {
        if (code_point >= set->ranges[i].first && code_point <= set->ranges[i].last) {
            return true;
        }
    }
    return false;
}

static void test_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        unsigned kinds;
    } cases[] = {
        {"", 1},
        {"a", 2},
        {"[a-z]+@", 3},
        {"[a-z][a-f]", 3},
        {"[a-f][d-z]", 4},
        {"[^]", 1},
        {"[]", 1},
        {".", 2},
        {".\\s", 3},
        {"\\d\\w\\s", 4},
        {"[aeiou][aeiou]", 2},
        {"[a-z][^a-z]", 2},
        {"\\w\\W", 2},
    };
    struct jsv_arena arena;
    jsv_arena_init(&arena, NULL, SIZE_MAX);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct jsv_nfa nfa = nfa_of(jsv_str_from(cases[i].pattern), &arena);
        struct jsv_alphabet alphabet;
        assert_int_equal(jsv_alphabet_build(&nfa, &arena, &alphabet), 0);
        assert_int_equal(alphabet.kinds, cases[i].kinds);
        assert_int_equal(alphabet.starts[0], 0);
    }
    jsv_arena_done(&arena);
}

/* Characters are in the same sets when they are of the same kind, and only then. */
static void test_random_sets(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int round = 0; round < 100; round++) {
        struct jsv_arena arena;
        jsv_arena_init(&arena, NULL, SIZE_MAX);
        struct jsv_buf pattern;
        jsv_buf_init(&pattern, NULL, SIZE_MAX);
        for (uint64_t sets = 1 + random_below(&random, 6); sets > 0; sets--) {
            print(&pattern, random_below(&random, 3) ? "[" : "[^");
            for (uint64_t ranges = random_below(&random, 6); ranges > 0; ranges--) {
                unsigned first = (unsigned)random_below(&random, 60);
                unsigned last = first + (unsigned)random_below(&random, 60 - first);
                print(&pattern, "\\u{%x}-\\u{%x}", first, last);
            }
            print(&pattern, "]");
        }
        struct jsv_nfa nfa = nfa_of(jsv_buf_str(&pattern), &arena);
        struct jsv_alphabet alphabet;
        assert_int_equal(jsv_alphabet_build(&nfa, &arena, &alphabet), 0);
        for (uint32_t a = 0; a < 64; a++) {
            for (size_t set = 0; set < nfa.set_count; set++) {
                assert_int_equal(
                    jsv_alphabet_contains(&alphabet, set, kind_of(&alphabet, a)),
                    is_in(nfa.sets[set], a));
            }
            for (uint32_t b = 0; b < a; b++) {
                bool same = true;
                for (size_t set = 0; set < nfa.set_count; set++) {
                    same = same && is_in(nfa.sets[set], a) == is_in(nfa.sets[set], b);
                }
                assert_int_equal(same, kind_of(&alphabet, a) == kind_of(&alphabet, b));
            }
        }
        jsv_buf_done(&pattern);
        jsv_arena_done(&arena);
    }
}

/* What building says about a pattern, which is used up. */
static int build_and_free(struct jsv_buf *pattern)
{
    struct jsv_arena arena;
    struct jsv_alphabet alphabet;
    jsv_arena_init(&arena, NULL, SIZE_MAX);
    struct jsv_nfa nfa = nfa_of(jsv_buf_str(pattern), &arena);
    int error = jsv_alphabet_build(&nfa, &arena, &alphabet);
    jsv_arena_done(&arena);
    jsv_buf_done(pattern);
    return error;
}

static void test_limits(void **state)
{
    (void)state;
    struct jsv_buf pattern;
    jsv_buf_init(&pattern, NULL, SIZE_MAX);

    /* Kinds: all characters but those in the pattern are one. */
    for (unsigned kinds = JSV_ALPHABET_KINDS_MAX; kinds <= JSV_ALPHABET_KINDS_MAX + 1; kinds++) {
        for (unsigned i = 1; i < kinds; i++) {
            print(&pattern, "\\u%04x", 0x1000 + i);
        }
        assert_int_equal(build_and_free(&pattern), kinds > JSV_ALPHABET_KINDS_MAX ? -E2BIG : 0);
    }

    /* Ranges: a class of every other character. */
    for (unsigned ranges = 16384; ranges <= 16385; ranges++) {
        print(&pattern, "[");
        for (unsigned i = 0; i < ranges; i++) {
            unsigned code = 0x1000 + 2 * i;
            print(
                &pattern,
                "%c%c%c",
                0xE0 | code >> 12,
                0x80 | (code >> 6 & 0x3F),
                0x80 | (code & 0x3F));
        }
        print(&pattern, "]");
        assert_int_equal(build_and_free(&pattern), ranges > 16384 ? -E2BIG : 0);
    }

    /* Work: many sets of many segments. */
    print(&pattern, "[");
    for (unsigned i = 0; i < 500; i++) {
        print(&pattern, "\\u%04x", 0x1000 + 2 * i);
    }
    print(&pattern, "]");
    for (unsigned i = 0; i < 1200; i++) {
        print(&pattern, "[^a]");
    }
    assert_int_equal(build_and_free(&pattern), -E2BIG);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct jsv_arena arena;
    struct jsv_alphabet alphabet;
    jsv_arena_init(&arena, NULL, SIZE_MAX);
    struct jsv_nfa nfa = nfa_of(JSV_STR("[a-z]b"), &arena);
    struct jsv_arena none;
    jsv_arena_init(&none, NULL, 0);
    assert_int_equal(jsv_alphabet_build(&nfa, &none, &alphabet), -ENOMEM);
    jsv_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_random_sets),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
