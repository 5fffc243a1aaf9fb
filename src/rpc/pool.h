/*
 * Memory that the connections of one loop lend each other.
 *
 * Between two messages a connection usually has nothing to keep, and a loop
 * reads from a few before it works on what they said, one after the other. So
 * what one has read and answered is given to the next that reads, and what its
 * answer was written in to the next that is answered: it is warm, and a
 * thousand idle connections take no more of it than those few. Whoever has
 * something left over keeps what it lives in.
 */
#pragma once

#include <jsv/jsv.h>

/* What memory is for: each purpose has a size of its own. */
enum rpc_pool_use {
    RPC_POOL_INPUT,
    RPC_POOL_HEAD,
    RPC_POOL_BODY,
    RPC_POOL_OUTPUT,
    RPC_POOL_USES,
};

/* More than this is given back: most messages are far smaller. */
#define RPC_POOL_KEPT_MAX ((size_t)32 * 1024)

/* As many as are read before anything is worked on, and so the most kept for one purpose. */
#define RPC_POOL_SPARES_MAX 32

struct rpc_chunk;

struct rpc_pool_shelf {
    struct jsv_buf spares[RPC_POOL_SPARES_MAX];
    size_t count;
};

struct rpc_pool {
    struct rpc_chunk *chunks[RPC_POOL_SPARES_MAX]; /* that no frame is in */
    size_t chunk_count;
    struct rpc_pool_shelf shelves[RPC_POOL_USES];
};

void rpc_pool_init(struct rpc_pool *pool);
void rpc_pool_done(struct rpc_pool *pool);

/** Give memory to a buffer of os_allocator() that has none, if there is any. */
void rpc_pool_lend(struct rpc_pool *pool, enum rpc_pool_use use, struct jsv_buf *buf);
/** Empty a buffer and take its memory, for the next. */
void rpc_pool_take_back(struct rpc_pool *pool, enum rpc_pool_use use, struct jsv_buf *buf);
/** Let two buffers of os_allocator() have each other's memory; sizes and limits stay. */
void rpc_pool_exchange(struct jsv_buf *a, struct jsv_buf *b);
