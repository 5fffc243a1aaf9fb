/*
 * Checking schemas against their meta-schemas.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "jsv/json/node.h"
#include "jsv/json/sort.h"
#include "jsv/schema/compile/compile.h"
#include "jsv/schema/report/message.h"

/* Bytes for the problems after the first; a message has at most 1,024. */
#define OTHERS_MAX 700

struct check {
    struct jsv_registry *registry;
    struct jsv_error *reterr_fault;
};

/* Make room for the compiled meta-schema with an index. */
static int grow_meta(struct jsv_registry *registry, size_t index)
{
    if (index < registry->meta_count) {
        return 0;
    }
    size_t count = 2 * index + 16;
    struct jsv_schema **table = jsv_arena_array(&registry->arena, count, sizeof(*table));
    if (!table) {
        return -ENOMEM;
    }
    memset(table, 0, count * sizeof(*table));
    if (registry->meta_count) {
        memcpy(table, registry->meta, registry->meta_count * sizeof(*table));
    }
    registry->meta = table;
    registry->meta_count = count;
    return 0;
}

/* The compiled meta-schema of a resource. */
static int
get_meta(struct check *check, const struct jsv_resource *resource, struct jsv_schema **ret_meta)
{
    struct jsv_registry *registry = check->registry;
    struct jsv_resource *meta;
    enum jsv_draft draft;
    if (registry->meta_registry && jsv_draft_find(resource->meta, &draft)) {
        registry = registry->meta_registry;
    }
    int r = jsv_registry_find_meta(registry, resource, &meta, check->reterr_fault);
    if (r == -ENOENT) {
        return jsv_registry_fault(
            registry,
            resource,
            resource->root,
            check->reterr_fault,
            "unknown meta-schema %.*s",
            JSV_TEXT(resource->meta));
    }
    if (r == 0) {
        r = grow_meta(registry, meta->index);
    }
    if (r == 0 && !registry->meta[meta->index]) {
        /* meta-schemas are not checked themselves: the embedded ones are right, others trusted */
        struct jsv_schema_options options = {.skip_meta = true};
        r = jsv_schema_compile_resource(
            registry, meta, &options, &registry->meta[meta->index], check->reterr_fault);
    }
    if (r == 0) {
        *ret_meta = registry->meta[meta->index];
    }
    return r;
}

/* Write all problems but the first, as "; at /path: message", and the number of those that do not
 * fit.
 */
static size_t write_others(const struct jsv_problems *problems, char *text, size_t capacity)
{
    const size_t reserved = sizeof("; and 18446744073709551615 more");
    size_t size = 0;
    size_t left = problems->count - 1 + problems->more;
    for (size_t i = 1; i < problems->count; i++, left--) {
        const struct jsv_problem *problem = &problems->items[i];
        size_t needed = problem->path.size + problem->message.size + sizeof("; at : ");
        if (needed + reserved > capacity - size) {
            break;
        }
        size += (size_t)snprintf(
            text + size,
            capacity - size,
            "; %s%.*s%s%.*s",
            problem->path.size ? "at " : "",
            JSV_TEXT(problem->path),
            problem->path.size ? ": " : "",
            JSV_TEXT(problem->message));
    }
    if (left > 0) {
        size += (size_t)snprintf(text + size, capacity - size, "; and %zu more", left);
    }
    return size;
}

/* Convert a problem found by a meta-schema; its path begins at the resource. */
static int fault_from_problem(
    struct check *check, const struct jsv_resource *resource, const struct jsv_problems *problems)
{
    const struct jsv_problem *problem = &problems->items[0];
    char others[OTHERS_MAX];
    size_t others_size = write_others(problems, others, sizeof(others));
    int r = jsv_registry_fault(
        check->registry,
        resource,
        resource->root,
        check->reterr_fault,
        "%.*s%.*s",
        JSV_TEXT(problem->message),
        (int)others_size,
        others);
    struct jsv_error *fault = check->reterr_fault;
    if (r != -EBADMSG || !fault || problem->path.size == 0) {
        return r;
    }
    size_t size = fault->pointer.size + problem->path.size;
    char *pointer = jsv_arena_alloc(&check->registry->arena, size);
    if (!pointer) {
        return -ENOMEM;
    }
    memcpy(pointer, fault->pointer.data, fault->pointer.size);
    memcpy(pointer + fault->pointer.size, problem->path.data, problem->path.size);
    fault->pointer = (struct jsv_str){pointer, size};
    struct jsv_value value = {resource->source->document, resource->root};
    if (jsv_pointer_get(value, problem->path, &value) == 0) {
        jsv_source_locate(resource->source, jsv_value_offset(value), fault);
    }
    return r;
}

static int
check_value(struct check *check, const struct jsv_resource *resource, struct jsv_value value)
{
    struct jsv_schema *meta = NULL;
    int r = get_meta(check, resource, &meta);
    if (r < 0) {
        return r;
    }
    struct jsv_validator *validator = check->registry->meta_validator;
    struct jsv_problems problems;
    r = jsv_validate_report(validator, meta, value, &problems);
    if (r == 0) {
        return fault_from_problem(check, resource, &problems);
    }
    if (r < 0 && r != -ENOMEM) {
        return jsv_registry_fault(
            check->registry,
            resource,
            resource->root,
            check->reterr_fault,
            "too large to check against its meta-schema");
    }
    return r < 0 ? r : 0;
}

/* Resources in the order of the text: nested ones follow the one they are in. */
static const struct jsv_sort_item *
sort_resources(struct jsv_arena *arena, const struct jsv_source *source, size_t *ret_count)
{
    size_t count = 0;
    for (const struct jsv_resource *r = source->resources; r; r = r->next) {
        count++;
    }
    struct jsv_sort_item *items = jsv_arena_array(arena, 2 * count, sizeof(*items));
    if (!items) {
        return NULL;
    }
    size_t at = 0;
    for (const struct jsv_resource *r = source->resources; r; r = r->next) {
        items[at++] = (struct jsv_sort_item){(uint64_t)(uintptr_t)r->root, r};
    }
    jsv_sort(items, items + count, count, NULL, NULL);
    *ret_count = count;
    return items;
}

/* Write the text of the first resource with {} in place of each nested one. */
static int
write_without_embedded(struct jsv_buf *out, const struct jsv_sort_item *resources, size_t count)
{
    const struct jsv_resource *first = resources[0].item;
    struct jsv_str text = jsv_node_span(first->source->document, first->root);
    const char *from = text.data;
    const struct jsv_node *end = first->root + 1;
    for (size_t i = 1; i < count; i++) {
        const struct jsv_resource *inner = resources[i].item;
        if (inner->root >= jsv_node_next(first->root)) {
            break;
        }
        if (inner->root < end) {
            continue; /* inside one that was replaced */
        }
        struct jsv_str span = jsv_node_span(inner->source->document, inner->root);
        jsv_buf_append(out, from, (size_t)(span.data - from));
        jsv_buf_append_str(out, JSV_STR("{}"));
        from = span.data + span.size;
        end = jsv_node_next(inner->root);
    }
    return jsv_buf_append(out, from, (size_t)(text.data + text.size - from));
}

/* Check the first resource without the nested ones, which may have another draft. */
static int check_first(
    struct check *check,
    const struct jsv_sort_item *resources,
    size_t count,
    struct jsv_buf *text,
    struct jsv_document *document)
{
    jsv_buf_reset(text);
    int r = write_without_embedded(text, resources, count);
    if (r == 0) {
        unsigned flags = check->registry->options.allow_duplicates ? JSV_READ_LAST_WINS : 0;
        r = jsv_read(check->registry->reader, document, jsv_buf_str(text), flags, NULL);
    }
    return r < 0 ? r : check_value(check, resources[0].item, jsv_document_root(document));
}

static int check_several(struct check *check, struct jsv_source *source)
{
    const struct jsv_allocator *allocator = &check->registry->allocator;
    struct jsv_arena scratch;
    jsv_arena_init(&scratch, allocator, SIZE_MAX);
    size_t count = 0;
    const struct jsv_sort_item *resources = sort_resources(&scratch, source, &count);
    struct jsv_document *document = jsv_document_new(allocator);
    struct jsv_buf text;
    jsv_buf_init(&text, allocator, SIZE_MAX);
    int r = resources && document ? 0 : -ENOMEM;
    for (size_t i = 0; r == 0 && i < count; i++) {
        r = check_first(check, resources + i, count - i, &text, document);
    }
    jsv_buf_done(&text);
    jsv_document_free(document);
    jsv_arena_done(&scratch);
    return r;
}

int jsv_source_check(
    struct jsv_registry *registry, struct jsv_source *source, struct jsv_error *reterr_fault)
{
    if (source->checked) {
        return 0;
    }
    if (!registry->meta_validator) {
        registry->meta_validator = jsv_validator_new(&registry->allocator, NULL);
        if (!registry->meta_validator) {
            return -ENOMEM;
        }
    }
    struct check check = {registry, reterr_fault};
    const struct jsv_resource *root = source->resources;
    int r = root->next ? check_several(&check, source)
                       : check_value(&check, root, jsv_document_root(source->document));
    source->checked = r == 0;
    return r;
}
