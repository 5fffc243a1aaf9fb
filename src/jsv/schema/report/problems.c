/*
 * The list of problems: made from findings, sorted by path and message, without
 * duplicates, cut to the limit; and written as JSON. The locations of keywords
 * are computed here, for reported problems only.
 */
#include <errno.h>
#include <stdio.h>

#include <jsv/json.h>
#include <jsv/problem.h>

#include "jsv/base/percent.h"
#include "jsv/base/utf8.h"
#include "jsv/json/sort.h"
#include "jsv/schema/report/findings.h"
#include "jsv/schema/report/message.h"

/* ---- locations ---- */

/*
 * Write the evaluation path: the pointer from the root schema to a node of the
 * finding's schema, in which each reference that was followed is a token.
 */
static void write_evaluation_path(
    struct jsv_findings *findings,
    const struct jsv_finding *f,
    const struct jsv_node *node,
    struct jsv_buf *path)
{
    size_t count = 0;
    for (const struct jsv_ref_link *ref = f->refs; ref; ref = ref->outer) {
        count++;
    }
    const struct jsv_ref_link **refs = jsv_findings_alloc(findings, (count + 1) * sizeof(*refs));
    if (!refs) {
        return;
    }
    size_t at = count;
    for (const struct jsv_ref_link *ref = f->refs; ref; ref = ref->outer) {
        refs[--at] = ref;
    }
    const struct jsv_node *from = findings->schema->root->node;
    for (; at < count; at++) {
        const struct jsv_document *document = refs[at]->schema->resource->source->document;
        jsv_node_pointer_append(path, document, from, refs[at]->use->key);
        from = refs[at]->target->node;
    }
    jsv_node_pointer_append(path, f->schema->resource->source->document, from, node);
}

/* Copy the text in a buffer, and clear the buffer. */
static struct jsv_str take_text(struct jsv_findings *findings, struct jsv_buf *buf)
{
    if (buf->error) {
        findings->validator->error = -ENOMEM;
        return (struct jsv_str){"", 0};
    }
    struct jsv_str text = jsv_findings_copy(findings, buf->data ? buf->data : "", buf->size);
    jsv_buf_reset(buf);
    return text;
}

/* Set the locations of the keyword, or of the schema if it is `false`. */
static void set_locations(
    struct jsv_findings *findings,
    const struct jsv_finding *f,
    struct jsv_buf *scratch,
    struct jsv_problem *problem)
{
    const struct jsv_node *node = f->use ? f->use->key : f->schema->node;
    const struct jsv_subschema *root = findings->schema->root;
    const struct jsv_resource *resource = f->schema->resource;
    const struct jsv_source *source = resource->source;
    const struct jsv_node *top = jsv_document_nodes(source->document);
    if (source != root->resource->source) {
        jsv_buf_append_str(scratch, source->uri);
        jsv_buf_append_byte(scratch, '#');
    }
    size_t uri_size = scratch->size;
    jsv_node_pointer_append(scratch, source->document, top, node);
    problem->schema_path = take_text(findings, scratch);
    struct jsv_str pointer = problem->schema_path;
    if (pointer.size) {
        pointer = (struct jsv_str){pointer.data + uri_size, pointer.size - uri_size};
    }
    problem->evaluation_path = pointer;
    if (f->refs || root->node != top) {
        write_evaluation_path(findings, f, node, scratch);
        problem->evaluation_path = take_text(findings, scratch);
    }
    problem->resource_uri = resource->uri;
    problem->resource_path = pointer;
    if (resource->root != top) {
        jsv_node_pointer_append(scratch, source->document, resource->root, node);
        problem->resource_path = take_text(findings, scratch);
    }
}

/* ---- the list ---- */

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
        const struct jsv_finding *finding = jsv_finding_at(findings, i);
        uint64_t prefix = jsv_prefix(finding->path.data, finding->path.size);
        items[i] = (struct jsv_sort_item){jsv_sort_word(prefix), finding};
    }
    jsv_sort(items, items + count, count, compare_findings, NULL);
    return items;
}

static const enum jsv_problem_kind kinds[JSV_KEYWORD_COUNT] = {
#define EXPLAIN(keyword, function, type, kind) [JSV_KEYWORD_##keyword] = JSV_PROBLEM_##kind,
#include "jsv/schema/report/explain.def"
#undef EXPLAIN
};

static enum jsv_problem_kind kind_of(const struct jsv_finding *f)
{
    if (jsv_finding_has_expected(f)) {
        return f->expected.list_count ? JSV_PROBLEM_VALUE : JSV_PROBLEM_TYPE;
    }
    return f->use ? kinds[f->use->keyword] : JSV_PROBLEM_FALSE_SCHEMA;
}

/* List the values that would have been right. */
static void list_expected(
    struct jsv_findings *findings, const struct jsv_expected *expected, struct jsv_problem *problem)
{
    size_t count = 0;
    for (size_t i = 0; i < expected->list_count && count < JSV_EXPECTED_MAX; i++) {
        count += expected->lists[i].count;
    }
    count = count < JSV_EXPECTED_MAX ? count : JSV_EXPECTED_MAX;
    struct jsv_value *values = count ? jsv_findings_alloc(findings, count * sizeof(*values)) : NULL;
    for (size_t i = 0, listed = 0; values && listed < count; i++) {
        const struct jsv_expected_values *list = &expected->lists[i];
        const struct jsv_node *node = list->first;
        for (size_t k = 0; k < list->count && listed < count; k++, node = jsv_node_next(node)) {
            values[listed++] = (struct jsv_value){list->document, node};
        }
    }
    problem->expected = values;
    problem->expected_count = values ? count : 0;
    problem->expected_types = expected->types;
}

/* What programs need: the value, the keyword's value, and what was expected. */
static void set_operands(
    struct jsv_findings *findings, const struct jsv_finding *f, struct jsv_problem *problem)
{
    const struct jsv_document *document = findings->document;
    bool is_member = f->about_name && f->member.data; /* else the name itself was checked */
    problem->kind = kind_of(f);
    problem->value = (struct jsv_value){document, f->node};
    problem->offset = jsv_value_offset((struct jsv_value){document, f->node - is_member});
    if (f->use) {
        const struct jsv_document *source = f->schema->resource->source->document;
        problem->limit = (struct jsv_value){source, f->use->key + 1};
    }
    bool is_length =
        problem->kind == JSV_PROBLEM_TOO_SHORT || problem->kind == JSV_PROBLEM_TOO_LONG;
    problem->size = is_length ? jsv_utf8_count(jsv_value_text(problem->value))
                              : jsv_value_count(problem->value);
    list_expected(findings, &f->expected, problem);
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
        .found = f->expected.types ? jsv_str_from(jsv_type_name(jsv_node_type(f->node)))
                                   : (struct jsv_str){"", 0},
        .others = f->others,
    };
    set_operands(findings, f, &problem);
    set_locations(findings, f, scratch, &problem);
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

/* ---- as JSON ---- */

int jsv_problems_write_json(const struct jsv_problems *problems, struct jsv_buf *out)
{
    struct jsv_writer writer = jsv_writer_on(out);
    jsv_write_array_begin(&writer);
    for (size_t i = 0; i < problems->count; i++) {
        const struct jsv_problem *problem = &problems->items[i];
        jsv_write_object_begin(&writer);
        jsv_write_member_string(&writer, JSV_STR("path"), problem->path);
        jsv_write_member_string(&writer, JSV_STR("msg"), problem->message);
        jsv_write_member_string(&writer, JSV_STR("keyword"), problem->keyword);
        jsv_write_member_string(&writer, JSV_STR("schemaPath"), problem->schema_path);
        jsv_write_object_end(&writer);
    }
    jsv_write_array_end(&writer);
    return out->error;
}

/* The URI of the resource with the pointer in it as fragment. */
static void write_absolute_location(struct jsv_writer *writer, const struct jsv_problem *problem)
{
    struct jsv_buf uri;
    jsv_buf_init(&uri, &writer->out->allocator, writer->out->size_max);
    jsv_buf_append_str(&uri, problem->resource_uri);
    jsv_buf_append_byte(&uri, '#');
    jsv_percent_append(&uri, problem->resource_path, JSV_PERCENT_FRAGMENT);
    if (uri.error) {
        writer->out->error = uri.error;
    } else {
        jsv_write_member_string(writer, JSV_STR("absoluteKeywordLocation"), jsv_buf_str(&uri));
    }
    jsv_buf_done(&uri);
}

static void write_output_unit(struct jsv_writer *writer, const struct jsv_problem *problem)
{
    jsv_write_object_begin(writer);
    jsv_write_member_string(writer, JSV_STR("keywordLocation"), problem->evaluation_path);
    if (problem->resource_uri.size > 0) {
        write_absolute_location(writer, problem);
    }
    jsv_write_member_string(writer, JSV_STR("instanceLocation"), problem->path);
    jsv_write_member_string(writer, JSV_STR("error"), problem->message);
    jsv_write_object_end(writer);
}

/* The "basic" output format (2020-12 core, section 12). */
int jsv_problems_write_basic(const struct jsv_problems *problems, struct jsv_buf *out)
{
    struct jsv_writer writer = jsv_writer_on(out);
    bool valid = problems->count + problems->more == 0;
    jsv_write_object_begin(&writer);
    jsv_write_member_bool(&writer, JSV_STR("valid"), valid);
    if (!valid) {
        jsv_write_member_array_begin(&writer, JSV_STR("errors"));
        for (size_t i = 0; i < problems->count; i++) {
            write_output_unit(&writer, &problems->items[i]);
        }
        if (problems->more > 0) {
            char text[64];
            int size = snprintf(text, sizeof(text), "and %zu more", problems->more);
            write_output_unit(&writer, &(struct jsv_problem){.message = {text, (size_t)size}});
        }
        jsv_write_array_end(&writer);
    }
    jsv_write_object_end(&writer);
    return out->error;
}
