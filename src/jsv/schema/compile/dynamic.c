/*
 * Dynamic references. Where one leads depends on the resources that are being
 * evaluated when it is met, the outermost with its anchor first. So the schemas
 * at all such anchors are made, and found by resource and name.
 */
#include <errno.h>

#include "jsv/schema/compile/compile.h"

struct jsv_subschema *jsv_schema_dynamic_target(
    const struct jsv_schema *schema, const struct jsv_resource *resource, struct jsv_str anchor)
{
    const struct jsv_dynamic_target *target =
        jsv_table_find(&schema->dynamic_targets, resource, anchor);
    return target ? target->schema : NULL;
}

uint32_t jsv_schema_dynamic_count(const struct jsv_schema *schema, struct jsv_str anchor)
{
    const struct jsv_dynamic_target *first = jsv_table_find(&schema->dynamic_targets, NULL, anchor);
    return first ? first->count : 0;
}

static struct jsv_dynamic_target *
new_dynamic_target(struct jsv_compile *compile, const void *owner, struct jsv_str anchor)
{
    struct jsv_dynamic_target *target = jsv_compile_take(compile, 1, sizeof(*target));
    if (!target) {
        return NULL;
    }
    *target = (struct jsv_dynamic_target){.key = {owner, anchor}};
    return jsv_table_add(&compile->schema->dynamic_targets, &target->key) < 0 ? NULL : target;
}

static int add_dynamic_target(
    struct jsv_compile *compile,
    const struct jsv_resource *resource,
    struct jsv_str anchor,
    const struct jsv_node *node)
{
    struct jsv_dynamic_target *all =
        jsv_table_find(&compile->schema->dynamic_targets, NULL, anchor);
    all = all ? all : new_dynamic_target(compile, NULL, anchor);
    struct jsv_dynamic_target *target = new_dynamic_target(compile, resource, anchor);
    if (!all || !target) {
        return -ENOMEM;
    }
    all->count++;
    return jsv_compile_subschema(compile, node, resource, &target->schema);
}

/* A resource whose dynamic anchors are targets already. */
struct reached {
    struct jsv_table_key key;
};

static int reach_resource(struct jsv_compile *compile, const struct jsv_resource *resource)
{
    if (jsv_table_find(&compile->reached, resource, (struct jsv_str){0})) {
        return 0;
    }
    struct reached *reached = jsv_arena_alloc(&compile->scratch, sizeof(*reached));
    if (!reached) {
        return -ENOMEM;
    }
    *reached = (struct reached){{resource, {0}}};
    int r = jsv_table_add(&compile->reached, &reached->key);
    if (r == 0 && resource->recursive_anchor) {
        r = add_dynamic_target(compile, resource, (struct jsv_str){"", 0}, resource->root);
    }
    for (const struct jsv_anchor *a = resource->anchors; a && r == 0; a = a->next) {
        if (a->dynamic) {
            r = add_dynamic_target(compile, resource, a->key.text, a->node);
        }
    }
    return r;
}

/*
 * A dynamic reference may lead to any resource that is being evaluated when
 * it is met: make the targets of all the resources that are reached. Those may
 * reach further ones, so until nothing is new.
 */
int jsv_compile_dynamic(struct jsv_compile *compile)
{
    const struct jsv_subschema *done = NULL;
    int r = 0;
    while (r == 0 && compile->schema->subschemas != done) {
        const struct jsv_subschema *newest = compile->schema->subschemas;
        for (const struct jsv_subschema *s = newest; s != done && r == 0; s = s->next) {
            r = reach_resource(compile, s->resource);
        }
        done = newest;
        if (r == 0) {
            r = jsv_compile_pending(compile);
        }
    }
    return r;
}
