#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "log/trace.h"

static bool reads(const char *text)
{
    struct log_trace trace;
    return log_trace_read(jsv_str_from(text), &trace);
}

static void test_valid(void **state)
{
    (void)state;
    struct log_trace trace;
    const char *text = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    assert_true(log_trace_read(jsv_str_from(text), &trace));
    assert_true(jsv_str_equal(trace.trace_id, JSV_STR("0af7651916cd43dd8448eb211c80319c")));
    assert_true(jsv_str_equal(trace.span_id, JSV_STR("b7ad6b7169203331")));
    assert_true(reads("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more"));
}

static void test_invalid(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
        "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01more",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_false(reads(texts[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid),
        cmocka_unit_test(test_invalid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
