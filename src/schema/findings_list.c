/*
 * Findings as problems, for whoever asked: sorted by place and message, each
 * once, cut to the limit. Only now are the places named, in the three ways
 * there are: where in the schema's source, by which way evaluation came there,
 * and where in its resource.
 */
#include <errno.h>
#include <string.h>

#include "json/sort.h"
#include "schema/findings_parts.h"
#include "schema/node_pointer.h"

/* Where a keyword (without one, a schema) stands: a pointer, after the URI of a foreign source. */
static struct jsv_str
schema_path_of(struct jsv_findings *findings, const struct jsv_finding *finding)
{
    const struct jsv_node *node = finding->use ? finding->use->key : finding->schema->node;
    const struct jsv_source *source = finding->schema->resource->source;
    struct jsv_str pointer = jsv_node_pointer(&findings->validator->arena, source->document, node);
    if (!pointer.data) {
        findings->validator->error = -ENOMEM;
    }
    if (!pointer.data || source == findings->schema->root->resource->source) {
        return pointer;
    }
    struct jsv_str uri = source->uri;
    char *joined = jsv_findings_take(findings, uri.size + 1 + pointer.size);
    if (!joined) {
        return pointer;
    }
    memcpy(joined, uri.data, uri.size);
    joined[uri.size] = '#';
    memcpy(joined + uri.size + 1, pointer.data, pointer.size);
    return (struct jsv_str){joined, uri.size + 1 + pointer.size};
}

static int compare_findings(const void *context, const void *a, const void *b)
{
    (void)context;
    const struct jsv_finding *p = a;
    const struct jsv_finding *q = b;
    int order = jsv_str_compare(p->path, q->path);
    return order ? order : jsv_str_compare(p->message, q->message);
}

static struct jsv_sort_item *sort_findings(struct jsv_findings *findings, size_t count)
{
    struct jsv_sort_item *items =
        jsv_arena_array(&findings->validator->arena, 2 * count, sizeof(*items));
    if (!items) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const struct jsv_finding *finding = item_at(findings, i);
        uint64_t prefix = jsv_prefix(finding->path.data, finding->path.size);
        items[i] = (struct jsv_sort_item){jsv_sort_word(prefix), finding};
    }
    jsv_sort(items, items + count, count, compare_findings, NULL);
    return items;
}

/* Name the place of a problem as the specification's output does. */
static void
name_place(struct jsv_findings *findings, const struct jsv_finding *f, struct jsv_problem *problem)
{
    struct jsv_validator *validator = findings->validator;
    const struct jsv_resource *resource = f->schema->resource;
    const struct jsv_node *node = f->use ? f->use->key : f->schema->node;
    struct jsv_buf path;
    jsv_buf_init(&path, &validator->allocator, validator->limits.memory_max);
    int r = jsv_trail_write(
        f->trail, findings->schema->root, f->schema, node, &validator->arena, &path);
    size_t split = path.size;
    jsv_node_pointer_append(&path, resource->source->document, resource->root, node);
    struct jsv_str both = {"", 0};
    if (r == 0 && path.error == 0) {
        both = jsv_findings_keep(findings, path.data ? path.data : "", path.size);
    } else {
        validator->error = -ENOMEM;
    }
    split = split < both.size ? split : both.size;
    problem->evaluation_path = (struct jsv_str){both.data, split};
    problem->resource_uri = resource->uri;
    problem->resource_path = (struct jsv_str){both.data + split, both.size - split};
    jsv_buf_done(&path);
}

static struct jsv_problem problem_from(struct jsv_findings *findings, const struct jsv_finding *f)
{
    struct jsv_problem problem = {
        .path = f->path,
        .message = f->message,
        .keyword = f->use ? jsv_use_name(f->schema, f->use) : (struct jsv_str){"", 0},
        .member = f->member,
        .schema_path = schema_path_of(findings, f),
    };
    name_place(findings, f, &problem);
    return problem;
}

int jsv_findings_list(struct jsv_findings *findings, struct jsv_problems *ret_problems)
{
    struct jsv_validator *validator = findings->validator;
    size_t count = findings->items.count;
    size_t max = validator->limits.problems_max;
    struct jsv_sort_item *sorted = sort_findings(findings, count);
    struct jsv_problem *problems =
        jsv_arena_array(&validator->arena, count < max ? count : max, sizeof(*problems));
    if (!sorted || !problems) {
        return -ENOMEM;
    }
    struct jsv_problems list = {.items = problems, .more = findings->dropped};
    for (size_t i = 0; i < count; i++) {
        if (i && compare_findings(NULL, sorted[i - 1].item, sorted[i].item) == 0) {
            continue;
        }
        if (list.count == max) {
            list.more++;
        } else {
            problems[list.count++] = problem_from(findings, sorted[i].item);
        }
    }
    if (validator->error) {
        return validator->error;
    }
    *ret_problems = list;
    return 0;
}
