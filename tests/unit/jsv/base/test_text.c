#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jsv/base/text.h"

static void only_the_literal_itself_matches(void **state)
{
    (void)state;
    assert_true(JSV_IS(JSV_STR("word"), "word"));
    assert_true(JSV_IS(JSV_STR("a\0b"), "a\0b"));
    static const struct jsv_str others[] = {
        JSV_STR("Word"),
        JSV_STR("worD"),
        JSV_STR("wor"),
        JSV_STR("words"),
        JSV_STR("word\0"),
        JSV_STR(""),
        {NULL, 0},
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_false(JSV_IS(others[i], "word"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_literal_itself_matches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
