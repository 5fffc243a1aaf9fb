#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "jsv/regex/support.h"
#include "support/regex_ask.h"

#define SKIP  "unsupported: reference to a group that a repetition can skip"
#define EMPTY "unsupported: reference to a group in a repetition of the empty string"
#define LOOK                                                                                       \
    "unsupported: reference to a group in a look-around together with a repetition of the empty "  \
    "string"

static void test_unsupported(void **state)
{
    (void)state;
    static const struct regex_fault_case cases[] = {
        {"(?:(a)|b)*\\1", 10, SKIP},
        {"(?:(a)?b)+\\1", 10, SKIP},
        {"(?:(a){0,2}b\\1)+", 12, SKIP},
        {"(?:(?:x(a)|y)z)*\\1", 16, SKIP},
        {"(?:(?:(a)b)?c){2}\\1", 17, SKIP},
        {"(?<n>(a)|b)+\\2", 12, SKIP},
        {"(a*)*\\1", 5, EMPTY},
        {"(a?)?\\1", 5, EMPTY},
        {"(?:(?=(a)))?\\1", 12, LOOK},
        {"(?:(a)?)+\\1", 9, SKIP},
        {"(?=(a))*\\1", 8, LOOK},
        {"(?<=([ab]){2})\\1", 14, "unsupported: reference to a repeated group in a look-behind"},
        {"(?<=(?:([ab])c){2})\\1",
         19,
         "unsupported: reference to a repeated group in a look-behind"},
        {"(?=((?:|a)*))\\1", 13, LOOK},
        {"(a)(?<=\\1)b", 7, "unsupported: reference in a look-behind"},
        {"(?<=\\1(a))b", 4, "unsupported: reference in a look-behind"},
        {"(a)(?<!(?=\\1)x)b", 10, "unsupported: reference in a look-behind"},
        {"a(?<=a+)b", 1, "unsupported: look-behind of variable length"},
        {"(?<!a?)", 0, "unsupported: look-behind of variable length"},
        {"(?<=x(?:a|bc))", 0, "unsupported: look-behind of variable length"},
        {"(?<=x|y(?:z|a*))", 0, "unsupported: look-behind of variable length"},
        {"(?<=a{256})", 0, "unsupported: look-behind of more than 255 characters"},
        {"(?<=a{256}|b)", 0, "unsupported: look-behind of more than 255 characters"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        regex_expect_fault(false, cases[i].pattern, -EINVAL, cases[i].offset, cases[i].message);
    }
}

/* Near the above, and matched as ECMA-262 says. */
static void test_supported(void **state)
{
    (void)state;
    static const struct regex_case cases[] = {
        {"^(?:(a)|b)\\1$", "aa", 1},
        {"^(?:(a)|b)\\1$", "b", 1},
        {"^(?:(a)b)*\\1$", "aba", 1},
        {"^(?:(a)b)*\\1$", "", 1},
        {"^(?:(a)b)*\\1$", "abb", 0},
        {"^(?:(a|b)c\\1)+$", "acabcb", 1},
        {"^(?:(a|b)c\\1)+$", "acabca", 0},
        {"^(?:(?:(a)|b)c)?\\1$", "bc", 1},
        {"^(a)*\\1$", "aa", 1},
        {"^(a*)\\1(?:b*)*$", "aabb", 1},
        {"^(a*){1}\\1$", "aa", 1},
        {"^(?:(a)?){2}$", "aa", 1},
        {"^(?:(a*)*)$", "aa", 1},
        {"(?<=(a)b)\\1", "aba", 1},
        {"(?<=([ab])c)\\1", "bca", 0},
        {"(?<=a{255})b", "ab", 0},
        {"(?<=a|bc|def)x", "defx", 1},
        {"(?<=(?:a|b)c)x", "bcx", 1},
        {"(?<=(?:ab){2}(?=c))c", "ababc", 1},
        {"(?<=(?:){5}a)b", "ab", 1},
        {"(?<=(?:^){0,5}a)b", "ab", 1},
    };
    REGEX_EXPECT_CASES(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unsupported),
        cmocka_unit_test(test_supported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
