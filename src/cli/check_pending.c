/*
 * A ring of entries in the order they came, which says whom to forget, and a
 * hash table of chains through it. The newest entry of a chain is its first.
 */
#include "cli/check_pending.h"

#include <string.h>

#include "jsv/base/alloc.h"
#include "jsv/base/hash.h"
#include "os/sys.h"

#define CHAIN_COUNT ((size_t)2 * CHECK_PENDING_MAX)

/* Ends a chain. */
#define NOBODY UINT32_MAX

/* Ids are equal when these bytes are: a letter for the type, then text or number. */
struct key {
    char data[CHECK_ID_SIZE_MAX + 1];
    uint8_t size;
};

struct entry {
    const struct mcp_method *method; /* NULL: free */
    enum mcp_version version;
    uint32_t chain;
    uint32_t newer; /* in the chain */
    uint32_t older;
    struct key key;
};

struct check_pending {
    uint64_t seed;
    uint32_t oldest; /* where the next one goes */
    uint32_t chains[CHAIN_COUNT];
    struct entry entries[CHECK_PENDING_MAX];
};

struct check_pending *check_pending_new(void)
{
    struct check_pending *pending = jsv_alloc(os_allocator(), sizeof(*pending));
    if (pending) {
        memset(pending, 0, sizeof(*pending));
        memset(pending->chains, 0xff, sizeof(pending->chains));
        pending->seed = (uint64_t)(uintptr_t)pending; /* not known to who writes the ids */
    }
    return pending;
}

void check_pending_free(struct check_pending *pending)
{
    if (pending) {
        jsv_dealloc(os_allocator(), pending, sizeof(*pending));
    }
}

/* ---- keys ---- */

static bool make_key(struct jsv_value id, struct key *ret_key)
{
    int64_t integer;
    struct jsv_str text;
    if (jsv_value_type(id) == JSV_TYPE_STRING) {
        ret_key->data[0] = 's';
        text = jsv_value_text(id);
    } else if (jsv_value_int64(id, &integer) == 0) {
        ret_key->data[0] = 'i';
        text = (struct jsv_str){(const char *)&integer, sizeof(integer)};
    } else {
        ret_key->data[0] = 'n'; /* beyond 64 bits: as it is spelled */
        text = jsv_value_span(id);
    }
    if (text.size > CHECK_ID_SIZE_MAX) {
        return false;
    }
    memcpy(ret_key->data + 1, text.data, text.size);
    ret_key->size = (uint8_t)(text.size + 1);
    return true;
}

static uint32_t chain_of(const struct check_pending *pending, const struct key *key)
{
    uint64_t hash = jsv_hash((struct jsv_str){key->data, key->size}, pending->seed);
    return (uint32_t)(hash % CHAIN_COUNT);
}

static bool has_key(const struct entry *entry, const struct key *key)
{
    return entry->key.size == key->size && memcmp(entry->key.data, key->data, key->size) == 0;
}

/* ---- entries ---- */

static void append(struct check_pending *pending, uint32_t index)
{
    struct entry *entry = &pending->entries[index];
    entry->chain = chain_of(pending, &entry->key);
    entry->newer = NOBODY;
    entry->older = pending->chains[entry->chain];
    if (entry->older != NOBODY) {
        pending->entries[entry->older].newer = index;
    }
    pending->chains[entry->chain] = index;
}

static void forget(struct check_pending *pending, uint32_t index)
{
    struct entry *entry = &pending->entries[index];
    if (entry->older != NOBODY) {
        pending->entries[entry->older].newer = entry->newer;
    }
    if (entry->newer != NOBODY) {
        pending->entries[entry->newer].older = entry->older;
    } else {
        pending->chains[entry->chain] = entry->older;
    }
    entry->method = NULL;
}

void check_pending_put(
    struct check_pending *pending,
    struct jsv_value id,
    const struct mcp_method *method,
    enum mcp_version version)
{
    uint32_t index = pending->oldest;
    struct entry *entry = &pending->entries[index];
    if (entry->method) {
        forget(pending, index);
    }
    if (!make_key(id, &entry->key)) {
        return;
    }
    entry->method = method;
    entry->version = version;
    append(pending, index);
    pending->oldest = (index + 1) % CHECK_PENDING_MAX;
}

/* @return NOBODY when there is none. */
static uint32_t find(const struct check_pending *pending, struct jsv_value id)
{
    struct key key;
    if (!make_key(id, &key)) {
        return NOBODY;
    }
    uint32_t index = pending->chains[chain_of(pending, &key)];
    while (index != NOBODY && !has_key(&pending->entries[index], &key)) {
        index = pending->entries[index].older;
    }
    return index;
}

const struct mcp_method *check_pending_find(
    const struct check_pending *pending, struct jsv_value id, enum mcp_version *ret_version)
{
    enum jsv_type type = jsv_value_type(id);
    bool is_id = type == JSV_TYPE_STRING || type == JSV_TYPE_NUMBER;
    uint32_t index = is_id ? find(pending, id) : NOBODY;
    if (index == NOBODY) {
        return NULL;
    }
    *ret_version = pending->entries[index].version;
    return pending->entries[index].method;
}

const struct mcp_method *check_pending_take(struct check_pending *pending, struct jsv_value id)
{
    uint32_t index = find(pending, id);
    if (index == NOBODY) {
        return NULL;
    }
    const struct mcp_method *method = pending->entries[index].method;
    forget(pending, index);
    return method;
}
