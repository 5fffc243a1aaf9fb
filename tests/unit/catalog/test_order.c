#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "catalog/order.h"
#include "support/torture.h"

static int compare_first(const void *context, const void *a, const void *b)
{
    assert_null(context);
    return *(const char *)a - *(const char *)b;
}

static void test_stable(void **state)
{
    (void)state;
    struct jsv_arena scratch;
    jsv_arena_init(&scratch, NULL, 1 << 16);
    const char *words[] = {"b1", "a1", "c1", "a2", "b2", "a3"};
    assert_int_equal(catalog_order(&scratch, (const void **)words, 6, compare_first), 0);
    const char *expected[] = {"a1", "a2", "a3", "b1", "b2", "c1"};
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(words[i], expected[i]);
    }
    assert_int_equal(catalog_order(&scratch, (const void **)words, 0, compare_first), 0);
    jsv_arena_done(&scratch);
}

static int order_some(const struct jsv_allocator *allocator, void *state)
{
    (void)state;
    struct jsv_arena scratch;
    const char *words[] = {"b", "a"};
    jsv_arena_init(&scratch, allocator, 1 << 16);
    int r = catalog_order(&scratch, (const void **)words, 2, compare_first);
    jsv_arena_done(&scratch);
    return r;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    assert_int_equal(torture_run(order_some, NULL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stable),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
