#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/base/alloc.h"
#include "support/torture.h"

static void test_default_is_malloc(void **state)
{
    (void)state;
    struct jsv_allocator allocator = jsv_allocator_or_default(NULL);
    char *memory = jsv_alloc(&allocator, 8);
    assert_non_null(memory);
    memcpy(memory, "1234567", 8);
    memory = jsv_realloc(&allocator, memory, 8, 1 << 20);
    assert_non_null(memory);
    assert_string_equal(memory, "1234567");
    memory = jsv_realloc(&allocator, memory, 1 << 20, 8);
    assert_string_equal(memory, "1234567");
    jsv_dealloc(&allocator, memory, 8);
}

static void test_given_allocator_is_used(void **state)
{
    (void)state;
    struct torture torture;
    torture_init(&torture, 0);
    struct jsv_allocator allocator = jsv_allocator_or_default(&torture.allocator);
    void *memory = jsv_alloc(&allocator, 10);
    assert_int_equal(torture.live_bytes, 10);
    memory = jsv_realloc(&allocator, memory, 10, 30);
    assert_int_equal(torture.live_bytes, 30);
    assert_int_equal(torture.live_count, 1);
    jsv_dealloc(&allocator, memory, 30);
    assert_int_equal(torture.live_count, 0);
    assert_int_equal(torture.calls, 2);
    assert_int_equal(torture.peak_bytes, 40); /* both, while the contents move */
    torture_done(&torture);
}

static void test_dealloc_of_null_does_nothing(void **state)
{
    (void)state;
    struct jsv_allocator broken = {.resize = NULL};
    jsv_dealloc(&broken, NULL, 0);
}

/* Three allocations, one of them a growth; each must be seen failing once. */
static int three_allocations(const struct jsv_allocator *allocator, void *state)
{
    int *runs = state;
    ++*runs;
    int error = -ENOMEM;
    char *first = jsv_alloc(allocator, 16);
    size_t first_size = 16;
    char *second = first ? jsv_alloc(allocator, 16) : NULL;
    char *grown = second ? jsv_realloc(allocator, first, 16, 64) : NULL;
    if (grown) {
        first = grown;
        first_size = 64;
        error = 0;
    }
    jsv_dealloc(allocator, second, 16);
    jsv_dealloc(allocator, first, first_size);
    return error;
}

static void test_torture_fails_each_allocation_once(void **state)
{
    (void)state;
    int runs = 0;
    assert_int_equal(torture_run(three_allocations, &runs), 3);
    assert_int_equal(runs, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default_is_malloc),
        cmocka_unit_test(test_given_allocator_is_used),
        cmocka_unit_test(test_dealloc_of_null_does_nothing),
        cmocka_unit_test(test_torture_fails_each_allocation_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
