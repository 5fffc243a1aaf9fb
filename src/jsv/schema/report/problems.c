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
 * Append the evaluation path: the pointer from the root schema to a node of
 * `schema`, in which each reference that was followed is a token.
 * @return 0; -ENOMEM; or the buffer's error.
 */
static int write_evaluation_path(
    struct jsv_findings *findings,
    const struct jsv_finding *f,
    const struct jsv_node *node,
    struct jsv_buf *path)
{
    size_t count = 0;
    for (const struct jsv_ref_link *ref = f->refs; ref; ref = ref->outer) {
        count++;
    }
    const struct jsv_ref_link **refs =
        jsv_arena_array(&findings->validator->arena, count + 1, sizeof(*refs));
    if (!refs) {
        return -ENOMEM;
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
    return path->error;
}

/* A part of a text that is still being written. */
struct piece {
    size_t start;
    size_t end;
};

static struct jsv_str text_of(struct jsv_str all, struct piece piece)
{
    return (struct jsv_str){all.data + piece.start, piece.end - piece.start};
}

/* The locations of a keyword, or of a schema if no keyword is involved. */
struct locations {
    struct piece schema_path; /* a pointer, after the URI if it is in another source */
    struct piece evaluation_path;
    struct piece resource_path;
};

/* Write the locations one after the other; equal ones are written once. */
static int write_locations(
    struct jsv_findings *findings,
    const struct jsv_finding *f,
    struct jsv_buf *out,
    struct locations *ret_locations)
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
    struct locations locations = {{0, pointer.end}, pointer, pointer};
    int r = 0;
    if (f->refs || root->node != top) {
        locations.evaluation_path.start = out->size;
        r = write_evaluation_path(findings, f, node, out);
        locations.evaluation_path.end = out->size;
    }
    if (resource->root != top) {
        locations.resource_path.start = out->size;
        jsv_node_pointer_append(out, source->document, resource->root, node);
        locations.resource_path.end = out->size;
    }
    *ret_locations = locations;
    return r < 0 ? r : out->error;
}

/* Set the locations of a problem; `out` is scratch. */
static void set_locations(
    struct jsv_findings *findings,
    const struct jsv_finding *f,
    struct jsv_buf *out,
    struct jsv_problem *problem)
{
    struct locations locations;
    jsv_buf_reset(out);
    if (write_locations(findings, f, out, &locations) < 0) {
        findings->validator->error = -ENOMEM;
        return;
    }
    struct jsv_str all = jsv_findings_copy(findings, out->data ? out->data : "", out->size);
    if (all.size < out->size) {
        return;
    }
    problem->schema_path = text_of(all, locations.schema_path);
    problem->evaluation_path = text_of(all, locations.evaluation_path);
    problem->resource_uri = f->schema->resource->uri;
    problem->resource_path = text_of(all, locations.resource_path);
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

/* The kind by the keyword; what only applies other schemas has no problems of its own. */
static const enum jsv_problem_kind kinds[JSV_KEYWORD_COUNT] = {
    [JSV_KEYWORD_TYPE] = JSV_PROBLEM_TYPE,
    [JSV_KEYWORD_CONST] = JSV_PROBLEM_VALUE,
    [JSV_KEYWORD_ENUM] = JSV_PROBLEM_VALUE,
    [JSV_KEYWORD_MULTIPLE_OF] = JSV_PROBLEM_NOT_MULTIPLE,
    [JSV_KEYWORD_MAXIMUM] = JSV_PROBLEM_TOO_LARGE,
    [JSV_KEYWORD_EXCLUSIVE_MAXIMUM] = JSV_PROBLEM_TOO_LARGE,
    [JSV_KEYWORD_MINIMUM] = JSV_PROBLEM_TOO_SMALL,
    [JSV_KEYWORD_EXCLUSIVE_MINIMUM] = JSV_PROBLEM_TOO_SMALL,
    [JSV_KEYWORD_MAX_LENGTH] = JSV_PROBLEM_TOO_LONG,
    [JSV_KEYWORD_MIN_LENGTH] = JSV_PROBLEM_TOO_SHORT,
    [JSV_KEYWORD_PATTERN] = JSV_PROBLEM_PATTERN,
    [JSV_KEYWORD_FORMAT] = JSV_PROBLEM_FORMAT,
    [JSV_KEYWORD_CONTENT_ENCODING] = JSV_PROBLEM_CONTENT,
    [JSV_KEYWORD_CONTENT_MEDIA_TYPE] = JSV_PROBLEM_CONTENT,
    [JSV_KEYWORD_MAX_ITEMS] = JSV_PROBLEM_TOO_MANY_ITEMS,
    [JSV_KEYWORD_MIN_ITEMS] = JSV_PROBLEM_TOO_FEW_ITEMS,
    [JSV_KEYWORD_UNIQUE_ITEMS] = JSV_PROBLEM_NOT_UNIQUE,
    [JSV_KEYWORD_ITEMS] = JSV_PROBLEM_UNEXPECTED_ITEM,
    [JSV_KEYWORD_ADDITIONAL_ITEMS] = JSV_PROBLEM_UNEXPECTED_ITEM,
    [JSV_KEYWORD_UNEVALUATED_ITEMS] = JSV_PROBLEM_UNEXPECTED_ITEM,
    [JSV_KEYWORD_CONTAINS] = JSV_PROBLEM_CONTAINS,
    [JSV_KEYWORD_MAX_PROPERTIES] = JSV_PROBLEM_TOO_MANY_PROPERTIES,
    [JSV_KEYWORD_MIN_PROPERTIES] = JSV_PROBLEM_TOO_FEW_PROPERTIES,
    [JSV_KEYWORD_REQUIRED] = JSV_PROBLEM_MISSING_PROPERTY,
    [JSV_KEYWORD_DEPENDENT_REQUIRED] = JSV_PROBLEM_MISSING_PROPERTY,
    [JSV_KEYWORD_DEPENDENCIES] = JSV_PROBLEM_MISSING_PROPERTY,
    [JSV_KEYWORD_ADDITIONAL_PROPERTIES] = JSV_PROBLEM_UNEXPECTED_PROPERTY,
    [JSV_KEYWORD_UNEVALUATED_PROPERTIES] = JSV_PROBLEM_UNEXPECTED_PROPERTY,
    [JSV_KEYWORD_ANY_OF] = JSV_PROBLEM_ALTERNATIVES,
    [JSV_KEYWORD_ONE_OF] = JSV_PROBLEM_ALTERNATIVES,
    [JSV_KEYWORD_NOT] = JSV_PROBLEM_NOT,
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
