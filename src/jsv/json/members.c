#include "jsv/json/members.h"

#include <errno.h>

#include "jsv/json/value.h"

struct jsv_members jsv_members_on(struct jsv_arena *scratch)
{
    return (struct jsv_members){
        .sorted = jsv_stack_on(scratch, sizeof(struct jsv_sort_item)),
        .spare = jsv_stack_on(scratch, sizeof(struct jsv_sort_item)),
    };
}

static int compare_keys(const void *context, const void *a, const void *b)
{
    const struct jsv_document *document = (const struct jsv_document *)context;
    return jsv_str_compare(
        jsv_string_text(document, (const struct jsv_node *)a),
        jsv_string_text(document, (const struct jsv_node *)b));
}

static uint64_t key_prefix(const struct jsv_document *document, const struct jsv_node *key)
{
    struct jsv_str text = jsv_string_text(document, key);
    return jsv_node_flags(key) & JSV_NODE_LONG ? jsv_prefix(text.data, text.size) : key->body;
}

int jsv_members_push(struct jsv_members *members, struct jsv_value object)
{
    size_t count = jsv_value_count(object);
    if (count == 0) {
        return 0;
    }
    struct jsv_sort_item *items = jsv_stack_push(&members->sorted, count);
    members->spare.count = 0;
    struct jsv_sort_item *spare = jsv_stack_push(&members->spare, count);
    if (!items || !spare) {
        return -ENOMEM;
    }
    size_t at = 0;
    struct jsv_iter iter = jsv_value_iter(object);
    while (jsv_iter_next(&iter)) {
        uint64_t prefix = key_prefix(object.document, iter.key.node);
        items[at++] = (struct jsv_sort_item){jsv_sort_word(prefix), iter.key.node};
    }
    jsv_sort(items, spare, count, compare_keys, object.document);
    return 0;
}
