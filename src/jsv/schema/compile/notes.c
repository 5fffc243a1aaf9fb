/*
 * What compiling has to say about a schema: faults and warnings, each at a
 * place. They are collected, since schemas are taken apart in another order
 * than they are written in, and told at the end in the order of the text.
 *
 * A note is small until it is told: its pointer is made then, and without a
 * listener only that of the first fault.
 */
#include <errno.h>
#include <stdarg.h>

#include "jsv/json/sort.h"
#include "jsv/schema/compile/compile.h"
#include "jsv/schema/report/message.h"

#define MESSAGE_MAX 1024

/* Something to be told. */
struct note {
    enum jsv_note_kind kind;
    const struct jsv_resource *resource; /* NULL: the fault is complete */
    const struct jsv_node *node;
    struct jsv_str message;
    struct jsv_str missing;
    const struct jsv_schema_fault *fault;
    uint64_t order; /* of the place in the text */
};

void jsv_compile_notes_init(struct jsv_compile *compile)
{
    compile->notes = jsv_stack_on(&compile->scratch, sizeof(struct note));
}

static struct jsv_str keep(struct jsv_compile *compile, struct jsv_str text)
{
    char *copy = jsv_arena_alloc(&compile->scratch, text.size + 1);
    if (copy && text.size) {
        memcpy(copy, text.data, text.size);
    }
    return (struct jsv_str){copy, text.size};
}

/* By source, in the order they were read, then by place; last what has none. */
static uint64_t order_of(const struct jsv_resource *resource, const struct jsv_node *node)
{
    if (!resource) {
        return UINT64_MAX;
    }
    const struct jsv_node *top = jsv_document_nodes(resource->source->document);
    return (uint64_t)resource->source->index << 32 | (uint64_t)(node - top);
}

static struct note *add_note(
    struct jsv_compile *compile, const struct jsv_resource *resource, const struct jsv_node *node)
{
    struct note *note = jsv_stack_push(&compile->notes, 1);
    if (note) {
        *note = (struct note){
            .kind = JSV_NOTE_FAULT,
            .resource = resource,
            .node = node,
            .order = order_of(resource, node),
        };
    }
    return note;
}

__attribute__((format(printf, 3, 0))) static int
add_message(struct jsv_compile *compile, struct note *note, const char *format, va_list arguments)
{
    char text[MESSAGE_MAX];
    size_t size = jsv_message_print(text, sizeof(text), format, arguments);
    note->message = keep(compile, (struct jsv_str){text, size});
    return note->message.data ? 0 : -ENOMEM;
}

int jsv_compile_refuse(
    struct jsv_compile *compile,
    const struct jsv_resource *resource,
    const struct jsv_node *node,
    struct jsv_str missing,
    const char *format,
    ...)
{
    struct note *note = add_note(compile, resource, node);
    if (!note) {
        return -ENOMEM;
    }
    va_list arguments;
    va_start(arguments, format);
    int r = add_message(compile, note, format, arguments);
    va_end(arguments);
    if (r == 0 && missing.size) {
        note->missing = keep(compile, missing);
        r = note->missing.data ? 0 : -ENOMEM;
    }
    compile->fault_count++;
    return r < 0 ? r : 1;
}

int jsv_compile_refuse_for(
    struct jsv_compile *compile,
    const struct jsv_resource *resource,
    const struct jsv_node *node,
    const struct jsv_schema_fault *fault)
{
    struct note *note = add_note(compile, resource, node);
    struct jsv_schema_fault *copy = jsv_arena_alloc(&compile->scratch, sizeof(*copy));
    if (!note || !copy) {
        return -ENOMEM;
    }
    *copy = *fault;
    note->fault = copy;
    compile->fault_count++;
    return 1;
}

static int warn(
    struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    const struct jsv_node *key,
    const char *format,
    ...) __attribute__((format(printf, 4, 5)));

static int warn(
    struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    const struct jsv_node *key,
    const char *format,
    ...)
{
    struct note *note = add_note(compile, schema->resource, key);
    if (!note) {
        return -ENOMEM;
    }
    note->kind = JSV_NOTE_WARNING;
    va_list arguments;
    va_start(arguments, format);
    int r = add_message(compile, note, format, arguments);
    va_end(arguments);
    return r;
}

/* ---- keywords without effect ---- */

/* Keywords that decide no verdict by themselves, and the drafts that have them. */
static const struct {
    struct jsv_str name;
    enum jsv_type type; /* of its value: another is not meant as the keyword */
    enum jsv_draft first;
    enum jsv_draft last;
} others[] = {
    {{"id", 2}, JSV_TYPE_STRING, JSV_DRAFT_4, JSV_DRAFT_4},
    {{"$id", 3}, JSV_TYPE_STRING, JSV_DRAFT_6, JSV_DRAFT_2020_12},
    {{"$anchor", 7}, JSV_TYPE_STRING, JSV_DRAFT_2019_09, JSV_DRAFT_2020_12},
    {{"$recursiveAnchor", 16}, JSV_TYPE_BOOLEAN, JSV_DRAFT_2019_09, JSV_DRAFT_2019_09},
    {{"$dynamicAnchor", 14}, JSV_TYPE_STRING, JSV_DRAFT_2020_12, JSV_DRAFT_2020_12},
    {{"minContains", 11}, JSV_TYPE_NUMBER, JSV_DRAFT_2019_09, JSV_DRAFT_2020_12},
    {{"maxContains", 11}, JSV_TYPE_NUMBER, JSV_DRAFT_2019_09, JSV_DRAFT_2020_12},
};

/* The drafts a keyword belongs to. */
struct drafts {
    enum jsv_draft first;
    enum jsv_draft last;
};

/*
 * Whether a member of a schema is a keyword that would have an effect somewhere.
 * Definitions are found by pointers wherever they are, and content keywords are
 * annotations unless asked for. Draft 4's exclusive bounds are part of others.
 */
static bool
find_drafts(const struct jsv_compile *compile, struct jsv_value key, struct drafts *ret_drafts)
{
    const struct jsv_keyword_index *keywords = &compile->registry->keywords;
    struct jsv_str name = jsv_value_text(key);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        if (jsv_str_equal(name, others[i].name)) {
            *ret_drafts = (struct drafts){others[i].first, others[i].last};
            return jsv_node_type(key.node + 1) == others[i].type;
        }
    }
    enum jsv_keyword keyword = jsv_keyword_find_any(keywords, key.document, key.node);
    if (keyword == JSV_KEYWORD_COUNT) {
        return false;
    }
    const struct jsv_keyword_info *info = &keywords->infos[keyword];
    bool is_bound =
        keyword == JSV_KEYWORD_EXCLUSIVE_MAXIMUM || keyword == JSV_KEYWORD_EXCLUSIVE_MINIMUM;
    if (keyword == JSV_KEYWORD_REF || keyword == JSV_KEYWORD_DEFS ||
        keyword == JSV_KEYWORD_DEFINITIONS || keyword == JSV_KEYWORD_CONTENT_SCHEMA ||
        (info->vocabulary == JSV_VOCABULARY_CONTENT && !compile->options.assert_content)) {
        return false;
    }
    enum jsv_draft first = is_bound ? JSV_DRAFT_4 : info->first;
    *ret_drafts = (struct drafts){first, info->last};
    return true;
}

int jsv_compile_warn_unused(
    struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_value key,
    bool beside_ref)
{
    enum jsv_draft draft = schema->resource->draft;
    struct drafts drafts;
    if (!compile->listener || !find_drafts(compile, key, &drafts)) {
        return 0;
    }
    struct jsv_str name = jsv_value_text(key);
    const char *own = jsv_draft_name(draft);
    if (beside_ref) {
        return warn(
            compile,
            schema,
            key.node,
            "\"%.*s\" has no effect beside \"$ref\" in draft %s",
            JSV_TEXT(name),
            own);
    }
    if (draft < drafts.first) {
        return warn(
            compile,
            schema,
            key.node,
            "\"%.*s\" has no effect in draft %s; it is new in draft %s",
            JSV_TEXT(name),
            own,
            jsv_draft_name(drafts.first));
    }
    if (draft > drafts.last) {
        return warn(
            compile,
            schema,
            key.node,
            "\"%.*s\" has no effect in draft %s; the last to have it is draft %s",
            JSV_TEXT(name),
            own,
            jsv_draft_name(drafts.last));
    }
    return 0;
}

/* ---- telling ---- */

static int compare_nothing(const void *context, const void *a, const void *b)
{
    (void)context;
    (void)a;
    (void)b;
    return 0;
}

static int sort_notes(struct jsv_compile *compile, const struct jsv_sort_item **ret_sorted)
{
    size_t count = compile->notes.count;
    struct jsv_sort_item *items = jsv_arena_array(&compile->scratch, 2 * count, sizeof(*items));
    if (!items) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        const struct note *note = jsv_stack_item(&compile->notes, i);
        items[i] = (struct jsv_sort_item){note->order, note};
    }
    jsv_sort(items, items + count, count, compare_nothing, NULL);
    *ret_sorted = items;
    return 0;
}

/* Make the fault of a note. @param arena Its texts live here. */
static int
make_fault(const struct note *note, struct jsv_arena *arena, struct jsv_schema_fault *ret_fault)
{
    if (note->fault) {
        *ret_fault = *note->fault;
        return 0;
    }
    *ret_fault = (struct jsv_schema_fault){.message = note->message, .missing = note->missing};
    return jsv_resource_place(note->resource, note->node, arena, ret_fault);
}

static int tell(struct jsv_compile *compile, const struct note *note)
{
    struct jsv_schema_fault fault;
    jsv_arena_reset(&compile->uris);
    int r = make_fault(note, &compile->uris, &fault);
    if (r == 0) {
        compile->listener(compile->registry->options.listener_context, note->kind, &fault);
    }
    return r;
}

/* The first fault, for the caller: its texts last as long as the registry. */
static int return_fault(struct jsv_compile *compile, const struct note *note)
{
    struct jsv_registry *registry = compile->registry;
    struct jsv_schema_fault fault;
    int r = make_fault(note, &registry->arena, &fault);
    if (r < 0) {
        return r;
    }
    if (!note->fault) {
        fault.message = jsv_registry_copy(registry, fault.message);
        fault.missing = jsv_registry_copy(registry, fault.missing);
        if (!fault.message.data || !fault.missing.data) {
            return -ENOMEM;
        }
    }
    *compile->reterr_fault = fault;
    return -EBADMSG;
}

int jsv_compile_tell(struct jsv_compile *compile)
{
    enum jsv_note_kind kind = compile->fault_count ? JSV_NOTE_FAULT : JSV_NOTE_WARNING;
    const struct jsv_sort_item *sorted = NULL;
    int r = compile->notes.count ? sort_notes(compile, &sorted) : 0;
    bool returned = false;
    for (size_t i = 0; r >= 0 && i < compile->notes.count; i++) {
        const struct note *note = sorted[i].item;
        if (note->kind != kind) {
            continue;
        }
        if (compile->listener) {
            r = tell(compile, note);
        }
        if (r == 0 && kind == JSV_NOTE_FAULT && !returned) {
            int refused = return_fault(compile, note);
            returned = true;
            r = refused == -EBADMSG ? 0 : refused;
        }
    }
    return r < 0 ? r : returned ? -EBADMSG : 0;
}
