#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include <jsv/jsv.h>

static void test_version_is_its_parts(void **state)
{
    (void)state;
    char text[32];
    snprintf(
        text, sizeof text, "%d.%d.%d", JSV_VERSION_MAJOR, JSV_VERSION_MINOR, JSV_VERSION_PATCH);
    assert_string_equal(JSV_VERSION, text);
    assert_string_equal(jsv_version(), JSV_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version_is_its_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
