/*
 * Memory that goes from one connection to the next.
 */
#include <errno.h>

#include "os/sys.h"
#include "rpc/frame.h"
#include "rpc/pool.h"
#include "support/json_fixture.h"

static void returned_memory_is_reused(void **state)
{
    (void)state;
    struct rpc_pool pool;
    struct jsv_buf first;
    struct jsv_buf second;
    rpc_pool_init(&pool);
    jsv_buf_init(&first, os_allocator(), 1000);
    jsv_buf_init(&second, os_allocator(), 2000);
    rpc_pool_lend(&pool, RPC_POOL_HEAD, &first); /* there is none yet */
    assert_null(first.data);
    jsv_buf_append_str(&first, JSV_STR("text"));
    const char *memory = first.data;
    rpc_pool_take_back(&pool, RPC_POOL_HEAD, &first);
    assert_null(first.data);
    assert_int_equal(first.size, 0);
    assert_int_equal(first.capacity, 0);
    rpc_pool_lend(&pool, RPC_POOL_INPUT, &second); /* another purpose */
    assert_null(second.data);
    rpc_pool_lend(&pool, RPC_POOL_HEAD, &second);
    assert_ptr_equal(second.data, memory);
    assert_int_equal(second.size, 0);
    assert_int_equal(second.size_max, 2000);
    jsv_buf_done(&second);
    rpc_pool_done(&pool);
}

static void buffers_with_memory_keep_it(void **state)
{
    (void)state;
    struct rpc_pool pool;
    struct jsv_buf first;
    struct jsv_buf second;
    rpc_pool_init(&pool);
    jsv_buf_init(&first, os_allocator(), 1000);
    jsv_buf_init(&second, os_allocator(), 1000);
    jsv_buf_append_str(&first, JSV_STR("first"));
    jsv_buf_append_str(&second, JSV_STR("second"));
    const char *memory = first.data;
    rpc_pool_take_back(&pool, RPC_POOL_BODY, &first);
    rpc_pool_lend(&pool, RPC_POOL_BODY, &second);
    assert_true(jsv_str_equal(jsv_buf_str(&second), JSV_STR("second")));
    rpc_pool_take_back(&pool, RPC_POOL_BODY, &second); /* there is some: it is given back */
    assert_null(second.data);
    assert_int_equal(pool.shelves[RPC_POOL_BODY].count, 1);
    assert_ptr_equal(pool.shelves[RPC_POOL_BODY].spares[0].data, memory);
    rpc_pool_done(&pool);
}

static void input_is_kept_for_all_readers_of_a_round(void **state)
{
    (void)state;
    struct rpc_pool pool;
    struct jsv_buf readers[RPC_POOL_SPARES_MAX + 1];
    rpc_pool_init(&pool);
    for (size_t i = 0; i < RPC_POOL_SPARES_MAX + 1; i++) {
        jsv_buf_init(&readers[i], os_allocator(), 1000);
        jsv_buf_append_str(&readers[i], JSV_STR("text"));
    }
    rpc_pool_take_back(&pool, RPC_POOL_INPUT, &readers[0]);
    rpc_pool_take_back(&pool, RPC_POOL_INPUT, &readers[0]); /* it has none any more */
    assert_int_equal(pool.shelves[RPC_POOL_INPUT].count, 1);
    for (size_t i = 1; i < RPC_POOL_SPARES_MAX + 1; i++) {
        rpc_pool_take_back(&pool, RPC_POOL_INPUT, &readers[i]);
        assert_null(readers[i].data);
    }
    assert_int_equal(pool.shelves[RPC_POOL_INPUT].count, RPC_POOL_SPARES_MAX);
    rpc_pool_done(&pool);
}

static void much_memory_is_given_back(void **state)
{
    (void)state;
    struct rpc_pool pool;
    struct jsv_buf buf;
    rpc_pool_init(&pool);
    jsv_buf_init(&buf, os_allocator(), SIZE_MAX);
    assert_int_equal(jsv_buf_reserve(&buf, RPC_POOL_KEPT_MAX + 1), 0);
    rpc_pool_take_back(&pool, RPC_POOL_HEAD, &buf);
    assert_null(buf.data);
    assert_int_equal(pool.shelves[RPC_POOL_HEAD].count, 0);
    rpc_pool_done(&pool);
}

static void two_exchange_memory(void **state)
{
    (void)state;
    struct jsv_buf first;
    struct jsv_buf second;
    jsv_buf_init(&first, os_allocator(), 1000);
    jsv_buf_init(&second, os_allocator(), 2000);
    jsv_buf_append_str(&first, JSV_STR("first"));
    char *memory = first.data;
    size_t capacity = first.capacity;
    rpc_pool_exchange(&first, &second);
    assert_null(first.data);
    assert_int_equal(first.capacity, 0);
    assert_int_equal(first.size_max, 1000);
    assert_ptr_equal(second.data, memory);
    assert_int_equal(second.capacity, capacity);
    assert_int_equal(second.size_max, 2000);
    assert_int_equal(second.size, 0);
    jsv_buf_done(&first);
    jsv_buf_done(&second);
}

static void an_error_is_forgotten(void **state)
{
    (void)state;
    struct rpc_pool pool;
    struct jsv_buf buf;
    rpc_pool_init(&pool);
    jsv_buf_init(&buf, os_allocator(), 1);
    assert_int_equal(jsv_buf_append_str(&buf, JSV_STR("long")), -ENOBUFS);
    rpc_pool_take_back(&pool, RPC_POOL_HEAD, &buf);
    assert_int_equal(buf.error, 0);
    rpc_pool_done(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(returned_memory_is_reused),
        cmocka_unit_test(buffers_with_memory_keep_it),
        cmocka_unit_test(input_is_kept_for_all_readers_of_a_round),
        cmocka_unit_test(much_memory_is_given_back),
        cmocka_unit_test(two_exchange_memory),
        cmocka_unit_test(an_error_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
