/*
 * Base64, whole groups and padded ones. More invalid texts are listed with
 * the folder that needed it first (tests/unit/jsv/schema/format/test_content.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jsv/base/base64.h"

static void decodes(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"YQ==", "a"},
        {"YWI=", "ab"},
        {"YWJj", "abc"},
        {"4pyT", "\xE2\x9C\x93"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char out[8];
        struct jsv_str expected = jsv_str_from(cases[i][1]);
        size_t size = jsv_base64_decode(jsv_str_from(cases[i][0]), out);
        assert_true(jsv_str_equal((struct jsv_str){out, size}, expected));
        assert_int_equal(jsv_base64_decode(jsv_str_from(cases[i][0]), NULL), expected.size);
    }
}

static void refuses(void **state)
{
    (void)state;
    static const char *const cases[] = {"Y", "YQ", "YQ=", "Y===", "YW-_", "YQ==YQ==", "=YWJ"};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_true(jsv_base64_decode(jsv_str_from(cases[i]), NULL) == SIZE_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(decodes), cmocka_unit_test(refuses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
