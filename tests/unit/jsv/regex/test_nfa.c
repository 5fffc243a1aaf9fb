/*
 * Automata and their alphabets.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "jsv/regex/nfa.h"
#include "support/random.h"

static int
build_whole(const struct jsv_regex_syntax *syntax, struct jsv_arena *arena, struct jsv_nfa *ret_nfa)
{
    struct jsv_nfa_part whole = {&syntax->root->group, NULL};
    return jsv_nfa_build(syntax, whole, arena, ret_nfa);
}

static int build(const char *pattern, struct jsv_arena *arena, struct jsv_nfa *ret_nfa)
{
    struct jsv_regex_syntax syntax;
    struct jsv_regex_fault fault;
    assert_int_equal(jsv_regex_parse(jsv_str_from(pattern), false, arena, &syntax, &fault), 0);
    return build_whole(&syntax, arena, ret_nfa);
}

static void test_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        size_t nodes; /* the end of the pattern is one */
        size_t sets;
    } cases[] = {
        {"", 1, 0},
        {"abc", 4, 3},
        {"a|b", 4, 2},
        {"a*", 3, 1},
        {"a+", 4, 1},
        {"a?", 3, 1},
        {"a{5}", 6, 1},
        {"a{2,5}", 9, 1},
        {"a{0}", 1, 1},
        {"(?:ab){3}", 7, 2},
        {"^a$", 4, 1},
        {"(?:){1000}", 1, 0},
        {"(?:^){1000}", 2, 0},
        {"(?:^)*", 3, 0},
        {"(?:(?:(?:a{0}){1000}){1000}){1000}", 1, 1},
    };
    struct jsv_arena arena;
    jsv_arena_init(&arena, NULL, SIZE_MAX);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct jsv_nfa nfa;
        assert_int_equal(build(cases[i].pattern, &arena, &nfa), 0);
        assert_int_equal(nfa.node_count, cases[i].nodes);
        assert_int_equal(nfa.set_count, cases[i].sets);
        assert_true(nfa.entry < nfa.node_count);
        for (size_t k = 0; k < nfa.node_count; k++) {
            assert_true(nfa.nodes[k].next < nfa.node_count);
            assert_true(nfa.nodes[k].other < nfa.node_count);
            assert_true(nfa.nodes[k].set <= nfa.set_count);
        }
    }
    jsv_arena_done(&arena);
}

static void test_loop(void **state)
{
    (void)state;
    struct jsv_arena arena;
    struct jsv_nfa nfa;
    jsv_arena_init(&arena, NULL, SIZE_MAX);
    assert_int_equal(build("a*", &arena, &nfa), 0);
    const struct jsv_nfa_node *split = &nfa.nodes[nfa.entry];
    assert_int_equal(split->kind, JSV_NFA_SPLIT);
    assert_int_equal(nfa.nodes[split->next].kind, JSV_NFA_SET);
    assert_int_equal(nfa.nodes[split->next].next, nfa.entry);
    assert_int_equal(nfa.nodes[split->other].kind, JSV_NFA_MATCH);
    jsv_arena_done(&arena);
}

static void test_limit(void **state)
{
    (void)state;
    static const char *const large[] = {
        "a{262144}",
        "a{99999999999}",
        "(?:a{1000}){1000}",
        "(?:a{1000}){1000}b",
        "(?:(?:a*b?){0,900}|x){900}",
        "a{0,4000000000}",
        "(?:a{140000}|b{140000})c",
        "a{262143}(?:b|c*)",
    };
    struct jsv_arena arena;
    struct jsv_nfa nfa;
    jsv_arena_init(&arena, NULL, SIZE_MAX);
    assert_int_equal(build("a{262143}", &arena, &nfa), 0);
    assert_int_equal(nfa.node_count, JSV_NFA_NODES_MAX);
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        assert_int_equal(build(large[i], &arena, &nfa), -E2BIG);
    }
    jsv_arena_done(&arena);
}

static void nfa_without_memory(void **state)
{
    (void)state;
    struct jsv_arena arena;
    struct jsv_arena none;
    struct jsv_regex_syntax syntax;
    struct jsv_regex_fault fault;
    struct jsv_nfa nfa;
    jsv_arena_init(&arena, NULL, SIZE_MAX);
    jsv_arena_init(&none, NULL, 0);
    assert_int_equal(jsv_regex_parse(JSV_STR("ab"), false, &arena, &syntax, &fault), 0);
    assert_int_equal(build_whole(&syntax, &none, &nfa), -ENOMEM);
    jsv_arena_done(&arena);
}

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

/* An automaton of sets only. */
static struct jsv_nfa nfa_of(struct jsv_str pattern, struct jsv_arena *arena)
{
    struct jsv_regex_syntax syntax;
    struct jsv_regex_fault fault;
    struct jsv_nfa nfa;
    assert_int_equal(jsv_regex_parse(pattern, false, arena, &syntax, &fault), 0);
    assert_int_equal(build_whole(&syntax, arena, &nfa), 0);
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

/* Characters are of the same kind if and only if they are in the same sets. */
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

/* Build the alphabet of a pattern and free the pattern. */
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

    /* Kinds: all characters that are not in the pattern are one. */
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

static void alphabet_without_memory(void **state)
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
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(nfa_without_memory),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_random_sets),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(alphabet_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
