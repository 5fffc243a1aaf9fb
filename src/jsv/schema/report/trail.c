#include "jsv/schema/report/trail.h"

#include <errno.h>

#include "jsv/schema/report/node_pointer.h"

int jsv_trail_keep(
    struct jsv_jump *innermost, struct jsv_arena *arena, const struct jsv_jump **ret_kept)
{
    struct jsv_jump *first = NULL;
    struct jsv_jump **link = &first;
    for (struct jsv_jump *jump = innermost; jump; jump = jump->outer) {
        if (jump->kept) {
            *link = jump->kept;
            break;
        }
        struct jsv_jump *copy = jsv_arena_alloc(arena, sizeof(*copy));
        if (!copy) {
            return -ENOMEM;
        }
        *copy = *jump;
        copy->outer = NULL;
        jump->kept = copy;
        *link = copy;
        link = &copy->outer;
    }
    *ret_kept = first;
    return 0;
}

static size_t count_jumps(const struct jsv_jump *jump)
{
    size_t count = 0;
    for (; jump; jump = jump->outer) {
        count++;
    }
    return count;
}

int jsv_trail_write(
    const struct jsv_jump *innermost,
    const struct jsv_subschema *root,
    const struct jsv_subschema *schema,
    const struct jsv_node *node,
    struct jsv_arena *scratch,
    struct jsv_buf *path)
{
    size_t count = count_jumps(innermost);
    const struct jsv_jump **jumps = jsv_arena_array(scratch, count + 1, sizeof(*jumps));
    if (!jumps) {
        return -ENOMEM;
    }
    size_t at = count;
    for (const struct jsv_jump *jump = innermost; jump; jump = jump->outer) {
        jumps[--at] = jump;
    }
    const struct jsv_subschema *from = root;
    for (; at < count; at++) {
        const struct jsv_jump *jump = jumps[at];
        jsv_node_pointer_append(
            path, jump->schema->resource->source->document, from->node, jump->use->key);
        from = jump->target;
    }
    jsv_node_pointer_append(path, schema->resource->source->document, from->node, node);
    return path->error;
}
