#include "rpc/pool.h"

#include "os/sys.h"
#include "rpc/frame.h"

void rpc_pool_init(struct rpc_pool *pool)
{
    pool->chunk = NULL;
    for (size_t i = 0; i < RPC_POOL_USES; i++) {
        jsv_buf_init(&pool->spare[i], os_allocator(), RPC_POOL_KEPT_MAX);
    }
}

void rpc_pool_done(struct rpc_pool *pool)
{
    rpc_chunk_release(pool->chunk);
    for (size_t i = 0; i < RPC_POOL_USES; i++) {
        jsv_buf_done(&pool->spare[i]);
    }
}

/* To a buffer without memory; sizes and limits are the buffers' own. */
static void move_memory(struct jsv_buf *from, struct jsv_buf *to)
{
    to->data = from->data;
    to->capacity = from->capacity;
    from->data = NULL;
    from->capacity = 0;
}

void rpc_pool_lend(struct rpc_pool *pool, enum rpc_pool_use use, struct jsv_buf *buf)
{
    if (!buf->data) {
        move_memory(&pool->spare[use], buf);
    }
}

void rpc_pool_take_back(struct rpc_pool *pool, enum rpc_pool_use use, struct jsv_buf *buf)
{
    struct jsv_buf *spare = &pool->spare[use];
    jsv_buf_reset(buf);
    if (spare->data || buf->capacity > RPC_POOL_KEPT_MAX) {
        jsv_buf_done(buf);
    } else {
        move_memory(buf, spare);
    }
}

void rpc_pool_exchange(struct jsv_buf *a, struct jsv_buf *b)
{
    struct jsv_buf memory = *a;
    a->data = b->data;
    a->capacity = b->capacity;
    b->data = memory.data;
    b->capacity = memory.capacity;
}
