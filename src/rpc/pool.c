#include "rpc/pool.h"

#include "os/sys.h"
#include "rpc/frame.h"

/* A round reads for many and then answers them all; requests are handled one at a time. */
static const size_t spares_max[RPC_POOL_USES] = {
    [RPC_POOL_INPUT] = RPC_POOL_SPARES_MAX,
    [RPC_POOL_HEAD] = 1,
    [RPC_POOL_BODY] = 1,
    [RPC_POOL_OUTPUT] = RPC_POOL_SPARES_MAX,
};

void rpc_pool_init(struct rpc_pool *pool)
{
    pool->chunk_count = 0;
    for (size_t i = 0; i < RPC_POOL_USES; i++) {
        pool->shelves[i].count = 0;
    }
}

void rpc_pool_done(struct rpc_pool *pool)
{
    while (pool->chunk_count > 0) {
        rpc_chunk_release(pool->chunks[--pool->chunk_count]);
    }
    for (size_t i = 0; i < RPC_POOL_USES; i++) {
        struct rpc_pool_shelf *shelf = &pool->shelves[i];
        while (shelf->count > 0) {
            jsv_buf_done(&shelf->spares[--shelf->count]);
        }
    }
}

/* To a buffer without memory; sizes and limits are not moved. */
static void move_memory(struct jsv_buf *from, struct jsv_buf *to)
{
    to->data = from->data;
    to->capacity = from->capacity;
    from->data = NULL;
    from->capacity = 0;
}

void rpc_pool_lend(struct rpc_pool *pool, enum rpc_pool_use use, struct jsv_buf *buf)
{
    struct rpc_pool_shelf *shelf = &pool->shelves[use];
    if (!buf->data && shelf->count > 0) {
        move_memory(&shelf->spares[--shelf->count], buf);
    }
}

void rpc_pool_take_back(struct rpc_pool *pool, enum rpc_pool_use use, struct jsv_buf *buf)
{
    struct rpc_pool_shelf *shelf = &pool->shelves[use];
    jsv_buf_reset(buf);
    if (buf->capacity > RPC_POOL_KEPT_MAX || shelf->count == spares_max[use]) {
        jsv_buf_done(buf);
    } else if (buf->data) {
        struct jsv_buf *spare = &shelf->spares[shelf->count++];
        jsv_buf_init(spare, os_allocator(), RPC_POOL_KEPT_MAX);
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
