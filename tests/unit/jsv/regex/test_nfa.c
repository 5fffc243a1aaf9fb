#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "jsv/regex/nfa.h"

static int build(const char *pattern, struct jsv_arena *arena, struct jsv_nfa *ret_nfa)
{
    struct jsv_regex_syntax syntax;
    struct jsv_regex_fault fault;
    assert_int_equal(jsv_regex_parse(jsv_str_from(pattern), false, arena, &syntax, &fault), 0);
    return jsv_nfa_build(&syntax, arena, ret_nfa);
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

static void test_no_memory(void **state)
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
    assert_int_equal(jsv_nfa_build(&syntax, &none, &nfa), -ENOMEM);
    jsv_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
