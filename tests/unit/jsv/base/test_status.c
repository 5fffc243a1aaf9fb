#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include <jsv/jsv.h>

#include "support/count_of.h"

static void test_version_is_its_parts(void **state)
{
    (void)state;
    char text[32];
    snprintf(
        text, sizeof text, "%d.%d.%d", JSV_VERSION_MAJOR, JSV_VERSION_MINOR, JSV_VERSION_PATCH);
    assert_string_equal(JSV_VERSION, text);
    assert_string_equal(jsv_version(), JSV_VERSION);
}

static void test_every_status_has_its_own_text(void **state)
{
    (void)state;
    static const int statuses[] = {
        JSV_OK,
        JSV_BAD_TEXT,
        JSV_NO_MEMORY,
        JSV_NOT_FOUND,
        JSV_CONFLICT,
        JSV_TOO_COMPLEX,
        JSV_STEP_LIMIT,
        JSV_PATTERN_LIMIT,
        JSV_BAD_ARGUMENT,
        JSV_OUT_OF_RANGE,
        JSV_BUFFER_FULL,
        -EPIPE,
    };
    for (size_t i = 0; i < COUNT_OF(statuses); i++) {
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(jsv_status_text(statuses[i]), jsv_status_text(statuses[k]));
        }
    }
    assert_string_equal(jsv_status_text(JSV_NO_MEMORY), "out of memory");
    assert_string_equal(jsv_status_text(-EPIPE), "unknown status");
    assert_string_equal(jsv_status_text(1), "unknown status");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version_is_its_parts),
        cmocka_unit_test(test_every_status_has_its_own_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
