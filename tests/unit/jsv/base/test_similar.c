#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/base/similar.h"

static const char *const names[] = {
    "validate",
    "check",
    "diff",
    "digest",
    "schemas-dir",
    "examples-dir",
    "tools",
    "a",
};

static struct jsv_str suggest(const char *word)
{
    struct jsv_similar similar = jsv_similar_to(jsv_str_from(word));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        jsv_similar_try(&similar, jsv_str_from(names[i]));
    }
    return similar.best;
}

static void assert_suggested(const char *word, const char *expected)
{
    struct jsv_str best = suggest(word);
    assert_int_equal(best.size, strlen(expected));
    assert_memory_equal(best.data, expected, best.size);
}

static void misspelt_words_have_a_suggestion(void **state)
{
    (void)state;
    assert_suggested("chek", "check");
    assert_suggested("checkk", "check");
    assert_suggested("chrck", "check");
    assert_suggested("cehck", "check");
    assert_suggested("DIFF", "diff");
    assert_suggested("schema-dir", "schemas-dir");
    assert_suggested("SCHEMAS_DIR", "schemas-dir");
    assert_suggested("validaet", "validate");
    assert_suggested("vlaidte", "validate");
}

static void words_like_no_name_have_none(void **state)
{
    (void)state;
    assert_suggested("", "");
    assert_suggested("b", "");
    assert_suggested("ship", "");
    assert_suggested("frobnicate", "");
    assert_suggested("chxxk", "");
}

static void the_first_of_equally_near_names_is_kept(void **state)
{
    (void)state;
    struct jsv_similar similar = jsv_similar_to(JSV_STR("cat"));
    jsv_similar_try(&similar, JSV_STR("bat"));
    jsv_similar_try(&similar, JSV_STR("rat"));
    assert_memory_equal(similar.best.data, "bat", 3);
    jsv_similar_try(&similar, JSV_STR("cat"));
    assert_memory_equal(similar.best.data, "cat", 3);
    assert_int_equal(similar.distance, 0);
}

static void long_names_are_not_compared(void **state)
{
    (void)state;
    static char word[JSV_SIMILAR_SIZE_MAX + 2];
    memset(word, 'x', sizeof(word) - 1);
    struct jsv_similar similar = jsv_similar_to(jsv_str_from(word));
    jsv_similar_try(&similar, jsv_str_from(word));
    assert_int_equal(similar.best.size, 0);
    word[JSV_SIMILAR_SIZE_MAX] = '\0';
    similar = jsv_similar_to(jsv_str_from(word));
    jsv_similar_try(&similar, jsv_str_from(word));
    assert_int_equal(similar.best.size, JSV_SIMILAR_SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(misspelt_words_have_a_suggestion),
        cmocka_unit_test(words_like_no_name_have_none),
        cmocka_unit_test(the_first_of_equally_near_names_is_kept),
        cmocka_unit_test(long_names_are_not_compared),
    };
    return cmocka_run_group_tests_name("base/similar", tests, NULL, NULL);
}
