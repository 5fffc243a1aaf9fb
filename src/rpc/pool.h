/*
 * Buffers shared by the connections of one loop.
 *
 * Between two messages a connection usually has nothing to keep, and a loop
 * reads from a few connections before it handles their messages one after the
 * other. So a connection returns its empty buffers to the pool for the next
 * one: they are warm in the cache, and a thousand idle connections take no more
 * memory than those few. A connection with unfinished data keeps its buffer.
 */
#pragma once

#include <jsv/jsv.h>

/* Each use has its own size of buffers. */
enum rpc_pool_use {
    RPC_POOL_INPUT,
    RPC_POOL_HEAD,
    RPC_POOL_BODY,
    RPC_POOL_OUTPUT,
    RPC_POOL_USES,
};

/* Larger buffers are freed: most messages are far smaller. */
#define RPC_POOL_KEPT_MAX ((size_t)32 * 1024)

/* Connections read before any message is handled: so many buffers are kept per use. */
#define RPC_POOL_SPARES_MAX 32

struct rpc_chunk;

struct rpc_pool_shelf {
    struct jsv_buf spares[RPC_POOL_SPARES_MAX];
    size_t count;
};

struct rpc_pool {
    struct rpc_chunk *chunks[RPC_POOL_SPARES_MAX]; /* without frames */
    size_t chunk_count;
    struct rpc_pool_shelf shelves[RPC_POOL_USES];
};

void rpc_pool_init(struct rpc_pool *pool);
void rpc_pool_done(struct rpc_pool *pool);

/** Give memory to a buffer of os_allocator() that has none, if the pool has any. */
void rpc_pool_lend(struct rpc_pool *pool, enum rpc_pool_use use, struct jsv_buf *buf);
/** Empty a buffer and take its memory. */
void rpc_pool_take_back(struct rpc_pool *pool, enum rpc_pool_use use, struct jsv_buf *buf);
/** Swap the memory of two buffers of os_allocator(); sizes and limits stay. */
void rpc_pool_exchange(struct jsv_buf *a, struct jsv_buf *b);
