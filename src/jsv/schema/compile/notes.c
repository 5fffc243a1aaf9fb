/*
 * Faults and warnings about a schema, each at a place in its text.
 *
 * Schemas are not compiled in the order of their text, so notes are collected
 * and reported at the end, sorted. The pointer of a note is made only when it
 * is reported, because finding it takes a walk from the root: without a
 * listener that is done for the first fault alone.
 */
#include <errno.h>
#include <stdarg.h>

#include "jsv/json/sort.h"
#include "jsv/schema/compile/compile.h"
#include "jsv/schema/report/message.h"

#define MESSAGE_MAX 1024

struct note {
    enum jsv_note_kind kind;
    uint64_t order;                      /* of the place in the text */
    const struct jsv_resource *resource; /* NULL: the fault has its place already */
    const struct jsv_node *node;
    struct jsv_error fault;
};

void jsv_compile_notes_init(struct jsv_compile *compile)
{
    compile->notes = jsv_stack_on(&compile->scratch, sizeof(struct note));
}

/* By source in the order of reading, then by place in its text; notes without a place come last. */
static uint64_t order_of(const struct jsv_resource *resource, const struct jsv_node *node)
{
    if (!resource) {
        return UINT64_MAX;
    }
    const struct jsv_node *top = jsv_document_nodes(resource->source->document);
    return (uint64_t)resource->source->index << 32 | (uint64_t)(node - top);
}

/* @return 0 or -ENOMEM. */
static int add_note(struct jsv_compile *compile, struct note note)
{
    struct note *place = jsv_stack_push(&compile->notes, 1);
    if (!place) {
        return -ENOMEM;
    }
    *place = note;
    compile->fault_count += note.kind == JSV_NOTE_FAULT;
    return 0;
}

/* The message lives in the registry. */
__attribute__((format(printf, 6, 0))) static int add_message(
    struct jsv_compile *compile,
    enum jsv_note_kind kind,
    const struct jsv_resource *resource,
    const struct jsv_node *node,
    struct jsv_str missing,
    const char *format,
    va_list arguments)
{
    char text[MESSAGE_MAX];
    struct jsv_str message = {text, jsv_message_print(text, sizeof(text), format, arguments)};
    struct note note = {
        .kind = kind,
        .order = order_of(resource, node),
        .resource = resource,
        .node = node,
        .fault.message = jsv_registry_copy(compile->registry, message),
        .fault.missing = jsv_registry_copy(compile->registry, missing),
    };
    bool is_complete = note.fault.message.data && note.fault.missing.data;
    return is_complete ? add_note(compile, note) : -ENOMEM;
}

int jsv_compile_refuse(
    struct jsv_compile *compile,
    const struct jsv_resource *resource,
    const struct jsv_node *node,
    struct jsv_str missing,
    const char *format,
    ...)
{
    va_list arguments;
    va_start(arguments, format);
    int r = add_message(compile, JSV_NOTE_FAULT, resource, node, missing, format, arguments);
    va_end(arguments);
    return r < 0 ? r : 1;
}

int jsv_compile_refuse_for(
    struct jsv_compile *compile,
    const struct jsv_resource *resource,
    const struct jsv_node *node,
    const struct jsv_error *fault)
{
    struct note note = {
        .kind = JSV_NOTE_FAULT,
        .order = order_of(resource, node),
        .fault = *fault,
    };
    int r = add_note(compile, note);
    return r < 0 ? r : 1;
}

__attribute__((format(printf, 4, 5))) static int warn(
    struct jsv_compile *compile,
    const struct jsv_resource *resource,
    const struct jsv_node *node,
    const char *format,
    ...)
{
    va_list arguments;
    va_start(arguments, format);
    int r = add_message(
        compile, JSV_NOTE_WARNING, resource, node, (struct jsv_str){0}, format, arguments);
    va_end(arguments);
    return r;
}

/* ---- keywords without effect ---- */

/* Drafts in which a keyword has an effect. */
struct drafts {
    enum jsv_draft first;
    enum jsv_draft last;
};

/* Keywords that decide no verdict by themselves, so they are not in keywords.def. */
static const struct {
    struct jsv_str name;
    enum jsv_type type; /* of its value; with another type it is not the keyword */
    struct drafts drafts;
} others[] = {
    {{"id", 2}, JSV_TYPE_STRING, {JSV_DRAFT_4, JSV_DRAFT_4}},
    {{"$id", 3}, JSV_TYPE_STRING, {JSV_DRAFT_6, JSV_DRAFT_2020_12}},
    {{"$anchor", 7}, JSV_TYPE_STRING, {JSV_DRAFT_2019_09, JSV_DRAFT_2020_12}},
    {{"$recursiveAnchor", 16}, JSV_TYPE_BOOLEAN, {JSV_DRAFT_2019_09, JSV_DRAFT_2019_09}},
    {{"$dynamicAnchor", 14}, JSV_TYPE_STRING, {JSV_DRAFT_2020_12, JSV_DRAFT_2020_12}},
    {{"minContains", 11}, JSV_TYPE_NUMBER, {JSV_DRAFT_2019_09, JSV_DRAFT_2020_12}},
    {{"maxContains", 11}, JSV_TYPE_NUMBER, {JSV_DRAFT_2019_09, JSV_DRAFT_2020_12}},
};

/*
 * Whether a member of a schema is a keyword with an effect in some draft. Not
 * so: definitions, because pointers find them anywhere; content keywords, which
 * are annotations unless asked for. Draft 4 has exclusive bounds as flags.
 */
static bool
find_drafts(const struct jsv_compile *compile, struct jsv_value key, struct drafts *ret_drafts)
{
    struct jsv_str name = jsv_value_text(key);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        if (jsv_str_equal(name, others[i].name)) {
            *ret_drafts = others[i].drafts;
            return jsv_node_type(key.node + 1) == others[i].type;
        }
    }
    const struct jsv_keyword_index *keywords = &compile->registry->keywords;
    enum jsv_keyword keyword = jsv_keyword_find_any(keywords, key.document, key.node);
    if (keyword == JSV_KEYWORD_COUNT || keyword == JSV_KEYWORD_REF || keyword == JSV_KEYWORD_DEFS ||
        keyword == JSV_KEYWORD_DEFINITIONS || keyword == JSV_KEYWORD_CONTENT_SCHEMA) {
        return false;
    }
    const struct jsv_keyword_info *info = &keywords->infos[keyword];
    bool is_bound =
        keyword == JSV_KEYWORD_EXCLUSIVE_MAXIMUM || keyword == JSV_KEYWORD_EXCLUSIVE_MINIMUM;
    *ret_drafts = (struct drafts){is_bound ? JSV_DRAFT_4 : info->first, info->last};
    return info->vocabulary != JSV_VOCABULARY_CONTENT || compile->options.assert_content;
}

int jsv_compile_warn_unused(
    struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_value key,
    bool beside_ref)
{
    enum jsv_draft draft = schema->resource->draft;
    struct drafts drafts;
    if (!compile->listener || !find_drafts(compile, key, &drafts) ||
        (!beside_ref && draft >= drafts.first && draft <= drafts.last)) {
        return 0;
    }
    bool is_early = draft < drafts.first;
    const char *hint = is_early ? "; it is new in draft " : "; the last to have it is draft ";
    return warn(
        compile,
        schema->resource,
        key.node,
        "\"%.*s\" has no effect%s in draft %s%s%s",
        JSV_TEXT(jsv_value_text(key)),
        beside_ref ? " beside \"$ref\"" : "",
        jsv_draft_name(draft),
        beside_ref ? "" : hint,
        beside_ref ? "" : jsv_draft_name(is_early ? drafts.first : drafts.last));
}

/* ---- reporting ---- */

static const struct jsv_sort_item *sort_notes(struct jsv_compile *compile)
{
    size_t count = compile->notes.count;
    struct jsv_sort_item *items = jsv_arena_array(&compile->scratch, 2 * count, sizeof(*items));
    for (size_t i = 0; items && i < count; i++) {
        const struct note *note = jsv_stack_item(&compile->notes, i);
        items[i] = (struct jsv_sort_item){note->order, note};
    }
    if (items) {
        jsv_sort(items, items + count, count, NULL, NULL);
    }
    return items;
}

int jsv_compile_report(struct jsv_compile *compile)
{
    if (compile->notes.count == 0) {
        return 0;
    }
    struct jsv_registry *registry = compile->registry;
    enum jsv_note_kind kind = compile->fault_count ? JSV_NOTE_FAULT : JSV_NOTE_WARNING;
    const struct jsv_sort_item *sorted = sort_notes(compile);
    int r = sorted ? 0 : -ENOMEM;
    bool is_first = true;
    for (size_t i = 0; r == 0 && i < compile->notes.count && (compile->listener || is_first); i++) {
        const struct note *note = sorted[i].item;
        if (note->kind != kind) {
            continue;
        }
        struct jsv_error fault = note->fault;
        /* the caller gets the first fault, which lives as long as the registry */
        struct jsv_arena *arena = is_first ? &registry->arena : &compile->uris;
        jsv_arena_reset(&compile->uris);
        if (note->resource) {
            r = jsv_resource_locate(note->resource, note->node, arena, &fault);
        }
        if (r == 0 && compile->listener) {
            compile->listener(registry->options.listener_context, kind, &fault);
        }
        if (is_first && kind == JSV_NOTE_FAULT) {
            *compile->reterr_fault = fault;
        }
        is_first = false;
    }
    return r < 0 ? r : compile->fault_count ? -EBADMSG : 0;
}
