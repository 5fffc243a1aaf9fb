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

#define PARENT "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

static struct log_trace_context context_of(const char *parent, const char *vendors)
{
    return log_trace_context_of(jsv_str_from(parent), jsv_str_from(vendors));
}

static void test_valid_contexts_are_passed_on(void **state)
{
    (void)state;
    struct log_trace_context context = context_of(PARENT, "a=1,b=2");
    assert_true(jsv_str_equal(context.parent, JSV_STR(PARENT)));
    assert_true(jsv_str_equal(context.state, JSV_STR("a=1,b=2")));
    context = log_trace_context_of(JSV_STR(PARENT), (struct jsv_str){NULL, 0});
    assert_non_null(context.parent.data);
    assert_null(context.state.data);
    assert_non_null(context_of(
                        "01"
                        "-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
                        "")
                        .parent.data);
}

/* Nothing that could end a header or an entry of an environment, and nothing that is long. */
static void test_invalid_contexts_are_not_passed_on(void **state)
{
    (void)state;
    static const char *const states[] = {"", "a\nb", "a\rb", "\x7F", "\xC3\xA9", "\t"};
    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        struct log_trace_context context = context_of(PARENT, states[i]);
        assert_non_null(context.parent.data);
        assert_null(context.state.data);
    }
    static char text[LOG_TRACE_STATE_MAX + 2];
    memset(text, 'a', LOG_TRACE_STATE_MAX + 1);
    assert_null(context_of(PARENT, text).state.data);
    assert_non_null(context_of(PARENT, text + 1).state.data);
    struct log_trace_context context = context_of("nonsense", "a=1");
    assert_null(context.parent.data);
    assert_null(context.state.data);
    assert_null(context_of(
                    "01"
                    "-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-a\nb",
                    "")
                    .parent.data);
    memcpy(text, "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-", 56);
    text[LOG_TRACE_PARENT_MAX] = '\0';
    assert_non_null(context_of(text, "").parent.data);
    text[LOG_TRACE_PARENT_MAX] = 'a';
    text[LOG_TRACE_PARENT_MAX + 1] = '\0';
    assert_null(context_of(text, "").parent.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid),
        cmocka_unit_test(test_invalid),
        cmocka_unit_test(test_valid_contexts_are_passed_on),
        cmocka_unit_test(test_invalid_contexts_are_not_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
