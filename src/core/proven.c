#include "core/proven.h"

#include <string.h>

#include "os/sys.h"

void core_proven_init(struct core_proven *proven)
{
    *proven = (struct core_proven){0};
    for (size_t i = 0; i < CORE_PROVEN_COUNT; i++) {
        jsv_buf_init(&proven->items[i].text, os_allocator(), CORE_PROVEN_SIZE_MAX);
    }
}

void core_proven_done(struct core_proven *proven)
{
    for (size_t i = 0; i < CORE_PROVEN_COUNT; i++) {
        jsv_buf_done(&proven->items[i].text);
    }
}

void core_proven_forget(struct core_proven *proven)
{
    for (size_t i = 0; i < CORE_PROVEN_COUNT; i++) {
        proven->items[i].key = (struct core_proven_key){0};
    }
}

static bool is_same(const struct core_proven_key *a, const struct core_proven_key *b)
{
    return a->schema == b->schema && a->variant == b->variant && a->id_type == b->id_type;
}

bool core_proven_has(
    const struct core_proven *proven, const struct core_proven_key *key, struct jsv_str text)
{
    for (size_t i = 0; i < CORE_PROVEN_COUNT && key->schema; i++) {
        struct jsv_str known = jsv_buf_str(&proven->items[i].text);
        if (is_same(&proven->items[i].key, key) && known.size == text.size &&
            memcmp(known.data, text.data, text.size) == 0) {
            return true;
        }
    }
    return false;
}

/* One that cannot be kept is checked again the next time. */
void core_proven_add(
    struct core_proven *proven, const struct core_proven_key *key, struct jsv_str text)
{
    if (!key->schema || text.size == 0 || text.size > CORE_PROVEN_SIZE_MAX) {
        return;
    }
    size_t place = proven->oldest;
    struct jsv_buf *kept = &proven->items[place].text;
    jsv_buf_reset(kept);
    bool is_kept = jsv_buf_append_str(kept, text) == 0;
    proven->items[place].key = is_kept ? *key : (struct core_proven_key){0};
    proven->oldest = (place + 1) % CORE_PROVEN_COUNT;
}
