#include "jsv/json/stack.h"
#include "support/json_fixture.h"

static void grows_and_keeps_its_items(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_stack stack = jsv_stack_on(&fixture->scratch, sizeof(int));
    for (int i = 0; i < 1000; i++) {
        int *item = jsv_stack_push(&stack, 1);
        assert_non_null(item);
        *item = i;
        assert_ptr_equal(item, jsv_stack_top(&stack));
    }
    int *many = jsv_stack_push(&stack, 5000);
    assert_non_null(many);
    many[4999] = -1;
    assert_int_equal(stack.count, 6000);
    assert_int_equal(*(int *)jsv_stack_pop(&stack), -1);
    stack.count = 1000;
    for (int i = 999; i >= 0; i--) {
        assert_int_equal(*(int *)jsv_stack_item(&stack, (size_t)i), i);
        assert_int_equal(*(int *)jsv_stack_pop(&stack), i);
    }
    assert_int_equal(stack.count, 0);
}

static void says_when_memory_runs_out(void **state)
{
    (void)state;
    struct jsv_arena small;
    jsv_arena_init(&small, NULL, 1024);
    struct jsv_stack stack = jsv_stack_on(&small, sizeof(int));
    assert_null(jsv_stack_push(&stack, 1024));
    assert_null(jsv_stack_push(&stack, SIZE_MAX / sizeof(int)));
    assert_int_equal(stack.count, 0);
    int *item = jsv_stack_push(&stack, 1);
    assert_non_null(item);
    *item = 7;
    assert_null(jsv_stack_push(&stack, 1024));
    assert_int_equal(stack.count, 1);
    assert_int_equal(*(int *)jsv_stack_pop(&stack), 7);
    jsv_arena_done(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(grows_and_keeps_its_items),
        JSON_TEST(says_when_memory_runs_out),
    };
    return cmocka_run_group_tests_name("json/stack", tests, NULL, NULL);
}
