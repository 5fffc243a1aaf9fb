/*
 * Findings as problems, for whoever asked: sorted by place and message, each
 * once, cut to the limit. Only now are the places named, in the three ways
 * there are: where in the schema's source, by which way evaluation came there,
 * and where in its resource.
 */
#include <errno.h>

#include "jsv/json/sort.h"
#include "jsv/schema/report/findings_parts.h"
#include "jsv/schema/report/node_pointer.h"

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

/* A piece of a text that is still being written. */
struct piece {
    size_t start;
    size_t end;
};

static struct jsv_str text_of(struct jsv_str all, struct piece piece)
{
    return (struct jsv_str){all.data + piece.start, piece.end - piece.start};
}

/* Where a keyword (without one, a schema) stands, in the three ways there are. */
struct place_names {
    struct piece schema_path; /* a pointer, after the URI of a foreign source */
    struct piece evaluation_path;
    struct piece resource_path;
};

/* Write the names of a place one behind the other; what is the same is written once. */
static int write_names(
    struct jsv_findings *findings,
    const struct jsv_finding *f,
    struct jsv_buf *out,
    struct place_names *ret_names)
{
    const struct jsv_node *node = f->use ? f->use->key : f->schema->node;
    const struct jsv_subschema *root = findings->schema->root;
    const struct jsv_resource *resource = f->schema->resource;
    const struct jsv_source *source = resource->source;
    const struct jsv_node *top = jsv_document_nodes(source->document);
    if (source != root->resource->source) {
        jsv_buf_append_str(out, source->uri);
        jsv_buf_append_byte(out, '#');
    }
    struct piece pointer = {.start = out->size};
    jsv_node_pointer_append(out, source->document, top, node);
    pointer.end = out->size;
    struct place_names names = {{0, pointer.end}, pointer, pointer};
    int r = 0;
    if (f->trail || root->node != top) {
        names.evaluation_path.start = out->size;
        r = jsv_trail_write(f->trail, root, f->schema, node, &findings->validator->arena, out);
        names.evaluation_path.end = out->size;
    }
    if (resource->root != top) {
        names.resource_path.start = out->size;
        jsv_node_pointer_append(out, source->document, resource->root, node);
        names.resource_path.end = out->size;
    }
    *ret_names = names;
    return r < 0 ? r : out->error;
}

/* Name the place of a problem; `out` is scratch. */
static void name_place(
    struct jsv_findings *findings,
    const struct jsv_finding *f,
    struct jsv_buf *out,
    struct jsv_problem *problem)
{
    struct place_names names;
    jsv_buf_reset(out);
    if (write_names(findings, f, out, &names) < 0) {
        findings->validator->error = -ENOMEM;
        return;
    }
    struct jsv_str all = jsv_findings_keep(findings, out->data ? out->data : "", out->size);
    if (all.size < out->size) {
        return;
    }
    problem->schema_path = text_of(all, names.schema_path);
    problem->evaluation_path = text_of(all, names.evaluation_path);
    problem->resource_uri = f->schema->resource->uri;
    problem->resource_path = text_of(all, names.resource_path);
}

static struct jsv_str type_name(enum jsv_type type)
{
    static const struct jsv_str names[] = {
        [JSV_TYPE_NONE] = {"", 0},
        [JSV_TYPE_NULL] = {"null", 4},
        [JSV_TYPE_BOOLEAN] = {"boolean", 7},
        [JSV_TYPE_NUMBER] = {"number", 6},
        [JSV_TYPE_STRING] = {"string", 6},
        [JSV_TYPE_ARRAY] = {"array", 5},
        [JSV_TYPE_OBJECT] = {"object", 6},
    };
    return names[type];
}

static struct jsv_problem
problem_from(struct jsv_findings *findings, const struct jsv_finding *f, struct jsv_buf *scratch)
{
    struct jsv_problem problem = {
        .path = f->path,
        .message = f->message,
        .keyword = f->use ? jsv_use_name(f->schema, f->use) : (struct jsv_str){"", 0},
        .member = f->member,
        .about_name = f->about_name,
        .found = f->expected.types ? type_name(f->found) : (struct jsv_str){"", 0},
        .others = f->others,
    };
    name_place(findings, f, scratch, &problem);
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
    struct jsv_buf scratch;
    jsv_buf_init(&scratch, &validator->allocator, validator->limits.memory_max);
    for (size_t i = 0; i < count; i++) {
        if (i && compare_findings(NULL, sorted[i - 1].item, sorted[i].item) == 0) {
            continue;
        }
        if (list.count == max) {
            list.more++;
        } else {
            problems[list.count++] = problem_from(findings, sorted[i].item, &scratch);
        }
    }
    jsv_buf_done(&scratch);
    if (validator->error) {
        return validator->error;
    }
    *ret_problems = list;
    return 0;
}
