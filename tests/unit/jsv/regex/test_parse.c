#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/regex/syntax.h"
#include "support/regex_ask.h"

/* Errors in unicode mode and in the legacy grammar. */
static void test_wrong_for_all(void **state)
{
    (void)state;
    static const struct regex_fault_case cases[] = {
        {"a(b", 1, "the parenthesis is not closed"},
        {"(?:a(?=b)", 0, "the parenthesis is not closed"},
        {"ab)", 2, "closing parenthesis without an opening one"},
        {"*a", 0, "nothing to repeat"},
        {"a|+", 2, "nothing to repeat"},
        {"a**", 2, "nothing to repeat"},
        {"a+++", 2, "nothing to repeat"},
        {"a???", 3, "nothing to repeat"},
        {"^*", 1, "nothing to repeat"},
        {"$?", 1, "nothing to repeat"},
        {"\\b+", 2, "nothing to repeat"},
        {"(?<=a)*", 6, "nothing to repeat"},
        {"(?<!a){2}", 6, "nothing to repeat"},
        {"{1}", 0, "nothing to repeat"},
        {"a{1}{2,}", 4, "nothing to repeat"},
        {"a{2,1}", 1, "the numbers of the quantifier are out of order"},
        {"(?a)", 0, "ECMA-262 has no such kind of group"},
        {"x(?i)", 1, "ECMA-262 has no such kind of group"},
        {"(?P<n>a)", 0, "ECMA-262 has no such kind of group"},
        {"(?>a)", 0, "ECMA-262 has no such kind of group"},
        {"(?#a)", 0, "ECMA-262 has no such kind of group"},
        {"(?", 0, "ECMA-262 has no such kind of group"},
        {"(?i:a)", 0, "ECMA-262 has no such kind of group"},
        {"(?<n>a)(?<n>b)", 10, "two groups have the same name"},
        {"(?<n>a)\\k<m>", 7, "no group has this name"},
        {"\\k<m>", 0, "no group has this name"},
        {"a\xff", 1, "the pattern is not valid UTF-8"},
        {"\xed\xa0\x80", 0, "the pattern is not valid UTF-8"},
    };
    REGEX_EXPECT_FAULTS(cases);
}

/* Accepted by the legacy grammar; test_regex.c has their meaning. */
static void test_wrong_in_unicode_mode(void **state)
{
    (void)state;
    const char *message = "a literal bracket must be escaped";
    regex_expect_fault(true, "a]", -EINVAL, 1, message);
    regex_expect_fault(true, "}", -EINVAL, 0, message);
    regex_expect_fault(true, "a{", -EINVAL, 1, message);
    regex_expect_fault(true, "a{,2}", -EINVAL, 1, message);
    regex_expect_fault(true, "a{1,b}", -EINVAL, 1, message);
    regex_expect_fault(true, "(?=a)*", -EINVAL, 5, "nothing to repeat");
    regex_expect_fault(true, "(?!a){2}", -EINVAL, 5, "nothing to repeat");
}

/* Errors, although the legacy grammar gives them a meaning. */
static void test_posix_classes(void **state)
{
    (void)state;
    const char *message = "ECMA-262 has no POSIX classes";
    regex_expect_fault(false, "[[:alpha:]]", -EINVAL, 1, message);
    regex_expect_fault(false, "^[a-f[:digit:]_]+$", -EINVAL, 5, message);
    assert_int_equal(regex_ask("^[[:alpha:]$", ":"), 1);
    assert_int_equal(regex_ask("^[[:alpha:]+$", "[alph:"), 1);
    assert_int_equal(regex_ask("^[[:a1:]]$", "1]"), 1);
    assert_int_equal(regex_ask("^[[:]]$", ":]"), 1);
    assert_int_equal(regex_ask("^[[:a]]$", "a]"), 1);
    assert_int_equal(regex_ask("^[[::]]$", ":]"), 1);
    assert_int_equal(regex_ask("^[[:a:x]]$", "x]"), 1);
}

/* A repeated text between two others. */
static char *repeat(const char *before, const char *text, size_t count, const char *after)
{
    size_t size = strlen(text);
    char *out = malloc(strlen(before) + count * size + strlen(after) + 1);
    assert_non_null(out);
    memcpy(out, before, strlen(before) + 1);
    char *end = out + strlen(before);
    for (size_t i = 0; i < count; i++) {
        memcpy(end, text, size);
        end += size;
    }
    memcpy(end, after, strlen(after) + 1);
    return out;
}

static int compile(const char *pattern)
{
    struct jsv_regex *regex = NULL;
    int error = jsv_regex_compile(jsv_str_from(pattern), NULL, &regex, NULL);
    jsv_regex_free(regex);
    return error;
}

static void test_size_limit(void **state)
{
    (void)state;
    char *pattern = repeat("", "a", JSV_REGEX_PATTERN_SIZE_MAX, "");
    assert_int_equal(jsv_regex_check(jsv_str_from(pattern), NULL, NULL), 0);
    free(pattern);
    pattern = repeat("", "a", JSV_REGEX_PATTERN_SIZE_MAX + 1, "");
    regex_expect_fault(
        true, pattern, -E2BIG, JSV_REGEX_PATTERN_SIZE_MAX, "the pattern is longer than 64 KiB");
    free(pattern);
}

static char *nested(const char *open, size_t depth, const char *inner)
{
    char *half = repeat("", open, depth, inner);
    char *whole = repeat(half, ")", depth, "");
    free(half);
    return whole;
}

static void test_depth_limit(void **state)
{
    (void)state;
    static const char *const opens[] = {"(", "(?:", "(?:a|", "(?=", "(?<!", "(?:x*", "(?!b|"};
    for (size_t i = 0; i < sizeof opens / sizeof opens[0]; i++) {
        char *pattern = nested(opens[i], JSV_REGEX_DEPTH_MAX, "z");
        assert_int_equal(jsv_regex_check(jsv_str_from(pattern), NULL, NULL), 0);
        assert_int_equal(compile(pattern), 0);
        free(pattern);
        pattern = nested(opens[i], JSV_REGEX_DEPTH_MAX + 1, "z");
        regex_expect_fault(
            false,
            pattern,
            -E2BIG,
            strlen(opens[i]) * JSV_REGEX_DEPTH_MAX,
            "parentheses are nested more than 250 deep");
        free(pattern);
    }
}

static void test_group_limit(void **state)
{
    (void)state;
    char *pattern = repeat("", "()", JSV_REGEX_GROUPS_MAX, "\\1000$");
    assert_int_equal(compile(pattern), 0);
    free(pattern);
    pattern = repeat("", "()", JSV_REGEX_GROUPS_MAX + 1, "");
    regex_expect_fault(false, pattern, -E2BIG, 0, "there are more than 1,000 capturing groups");
    free(pattern);
    /* Not groups, or not capturing. */
    pattern = repeat("(?:[(]\\((?=", "(?:)[(]\\(", JSV_REGEX_GROUPS_MAX, "))(?<=x)(?<!y)");
    assert_int_equal(compile(pattern), 0);
    free(pattern);
}

/* The root of the tree. */
static struct jsv_regex_syntax parse(const char *pattern, struct jsv_arena *arena)
{
    struct jsv_regex_syntax syntax;
    struct jsv_regex_fault fault;
    assert_int_equal(jsv_regex_parse(jsv_str_from(pattern), false, arena, &syntax, &fault), 0);
    return syntax;
}

static void test_widths(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        uint32_t min;
        uint32_t max;
    } cases[] = {
        {"", 0, 0},
        {"abc", 3, 3},
        {"a|bcd", 1, 3},
        {"a?b", 1, 2},
        {"(?:ab|c){2,3}", 2, 6},
        {"a*", 0, JSV_REGEX_UNBOUNDED},
        {"(?:a*){0}", 0, 0},
        {"(?:)*", 0, 0},
        {"^(?=abc)\\b$", 0, 0},
        {"(a)\\1", 1, JSV_REGEX_UNBOUNDED},
        {"(?:a{65536}){65536}", JSV_REGEX_UNBOUNDED, JSV_REGEX_UNBOUNDED},
        {"a{99999999999}", JSV_REGEX_UNBOUNDED - 1, JSV_REGEX_UNBOUNDED - 1},
        {"a{4294967294}aaa", JSV_REGEX_UNBOUNDED, JSV_REGEX_UNBOUNDED},
    };
    struct jsv_arena arena;
    jsv_arena_init(&arena, NULL, SIZE_MAX);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct jsv_regex_syntax syntax = parse(cases[i].pattern, &arena);
        assert_int_equal(syntax.root->width.min, cases[i].min);
        assert_int_equal(syntax.root->width.max, cases[i].max);
    }
    jsv_arena_done(&arena);
}

static void test_tree(void **state)
{
    (void)state;
    struct jsv_arena arena;
    jsv_arena_init(&arena, NULL, SIZE_MAX);
    struct jsv_regex_syntax syntax = parse("a{2,}?(?<n>b|)|(?<!c)\\k<n>", &arena);
    assert_false(syntax.regular);
    assert_false(syntax.empty_loop);

    const struct jsv_regex_branch *branch = syntax.root->group.first;
    const struct jsv_regex_node *node = branch->first;
    assert_int_equal(node->kind, JSV_REGEX_SET);
    assert_int_equal(node->min, 2);
    assert_int_equal(node->max, JSV_REGEX_UNBOUNDED);
    assert_true(node->lazy);
    assert_null(node->previous);
    assert_ptr_equal(node->parent, syntax.root);

    const struct jsv_regex_node *group = node->next;
    assert_int_equal(group->kind, JSV_REGEX_GROUP);
    assert_int_equal(group->offset, 6);
    assert_int_equal(group->group.end, 13);
    assert_int_equal(group->group.index, 1);
    assert_int_equal(group->group.depth, 1);
    assert_true(group->group.referenced);
    assert_true(jsv_str_equal(group->group.name, JSV_STR("n")));
    assert_ptr_equal(group->previous, node);
    assert_ptr_equal(branch->last, group);
    assert_null(group->group.first->next->first);

    const struct jsv_regex_node *look = branch->next->first;
    assert_int_equal(look->kind, JSV_REGEX_LOOK);
    assert_true(look->group.behind && look->group.negative);
    assert_ptr_equal(syntax.look_behinds, look);
    assert_int_equal(look->next->kind, JSV_REGEX_REFERENCE);
    assert_ptr_equal(look->next->reference.group, group);
    assert_ptr_equal(syntax.references, look->next);
    assert_null(branch->next->next);

    assert_true(parse("^(?:a|b)*$", &arena).regular);
    assert_true(parse("(?:a?)*", &arena).empty_loop);
    assert_false(parse("(?:a?){3}", &arena).empty_loop);
    /* A group that refers to itself is not closed yet. */
    assert_null(parse("(a\\1)", &arena).references->reference.group);
    assert_null(parse("\\1(a)", &arena).references->reference.group);
    jsv_arena_done(&arena);
}

/* An arena that is full at any point. */
static void test_starving(void **state)
{
    (void)state;
    static const char pattern[] =
        "^(?:a[^b-d\\W]\\D|.)+(?<nam\\u00e9>x{2,3}?)\\k<namé>|(?!\\p{L})\\b$";
    int error;
    size_t failures = 0;
    for (size_t budget = 0;; budget += 16) {
        struct jsv_arena arena;
        struct jsv_regex_syntax syntax;
        struct jsv_regex_fault fault = {1, "untouched"};
        jsv_arena_init(&arena, NULL, budget);
        error = jsv_regex_parse(jsv_str_from(pattern), false, &arena, &syntax, &fault);
        assert_string_equal(fault.message, "untouched");
        jsv_arena_done(&arena);
        if (error == 0) {
            break;
        }
        assert_int_equal(error, -ENOMEM);
        failures++;
    }
    assert_true(failures > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_for_all),
        cmocka_unit_test(test_wrong_in_unicode_mode),
        cmocka_unit_test(test_posix_classes),
        cmocka_unit_test(test_size_limit),
        cmocka_unit_test(test_depth_limit),
        cmocka_unit_test(test_group_limit),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_starving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
