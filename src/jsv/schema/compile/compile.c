/*
 * From a schema's JSON to subschemas (subschema.h).
 *
 * A list of pending schemas replaces recursion: parsing one requests others by
 * their node, which are created empty and parsed later. So circular references
 * need no special care.
 */
#include "jsv/schema/compile/compile.h"

#include <errno.h>
#include <string.h>

#include "jsv/base/alloc.h"
#include "jsv/base/options.h"
#include "jsv/schema/program/program.h"

/*
 * Memory limit in proportion to the size of the texts, so that with documents
 * and meta-schemas it stays below 64 times the size and 256 KiB: half for the
 * schema itself, half for working memory, which compiling and making the
 * program (program.c) use one after the other.
 */
#define MEMORY_PER_BYTE 48
#define MEMORY_MIN      ((size_t)192 << 10)

/* Set the memory limits by the size of the texts that have been loaded so far. */
static void set_limits(struct jsv_compile *compile)
{
    size_t limit = MEMORY_PER_BYTE * compile->registry->text_size + MEMORY_MIN;
    compile->schema->arena.budget = limit / 2;
    compile->scratch.budget = limit / 2;
}

/* ---- subschemas by node ---- */

static size_t slot_of(const struct jsv_compile *compile, const struct jsv_node *node)
{
    uint64_t mixed = (uint64_t)(uintptr_t)node * 0x9E3779B97F4A7C15ull;
    size_t at = (size_t)(mixed >> 32) & (compile->slot_count - 1);
    while (compile->slots[at] && compile->slots[at]->node != node) {
        at = (at + 1) & (compile->slot_count - 1);
    }
    return at;
}

static int grow_slots(struct jsv_compile *compile)
{
    size_t count = compile->slot_count ? 2 * compile->slot_count : 64;
    struct jsv_subschema **slots = jsv_arena_array(&compile->scratch, count, sizeof(*slots));
    if (!slots) {
        return -ENOMEM;
    }
    memset(slots, 0, count * sizeof(*slots));
    compile->slots = slots;
    compile->slot_count = count;
    for (struct jsv_subschema *s = compile->schema->subschemas; s; s = s->next) {
        slots[slot_of(compile, s->node)] = s;
    }
    return 0;
}

/* Whether a schema is {} or true; all of these share one subschema. */
static bool is_always(const struct jsv_node *node)
{
    return (jsv_node_type(node) == JSV_TYPE_OBJECT && jsv_node_skip(node) == 1) ||
           (jsv_node_type(node) == JSV_TYPE_BOOLEAN && node->body);
}

int jsv_compile_subschema(
    struct jsv_compile *compile,
    const struct jsv_node *node,
    const struct jsv_resource *resource,
    struct jsv_subschema **ret_subschema)
{
    struct jsv_schema *schema = compile->schema;
    if (2 * ((size_t)schema->subschema_count + 1) > compile->slot_count) {
        int r = grow_slots(compile);
        if (r < 0) {
            return r;
        }
    }
    if (is_always(node)) {
        node = compile->always ? compile->always : node;
        compile->always = node;
    }
    size_t slot = slot_of(compile, node);
    if (!compile->slots[slot]) {
        struct jsv_resource *own = jsv_registry_resource_at(compile->registry, node);
        struct jsv_subschema *subschema = jsv_compile_take(compile, 1, sizeof(*subschema));
        struct jsv_subschema **pending = jsv_stack_push(&compile->pending, 1);
        if (!subschema || !pending) {
            return -ENOMEM;
        }
        *subschema = (struct jsv_subschema){
            .next = schema->subschemas,
            .node = node,
            .resource = own ? own : resource,
            .index = schema->subschema_count++,
        };
        schema->subschemas = subschema;
        compile->slots[slot] = subschema;
        *pending = subschema;
    }
    *ret_subschema = compile->slots[slot];
    return 0;
}

/* ---- schemas ---- */

/* Whether a keyword's schemas are for the same value. */
static bool combines(enum jsv_keyword keyword)
{
    return keyword <= JSV_KEYWORD_RECURSIVE_REF || keyword == JSV_KEYWORD_DEPENDENCIES ||
           keyword == JSV_KEYWORD_DEPENDENT_SCHEMAS ||
           (keyword >= JSV_KEYWORD_ALL_OF && keyword <= JSV_KEYWORD_ELSE);
}

/* Insert in the order of evaluation. */
static uint32_t insert_use(struct jsv_keyword_use *uses, uint32_t count, struct jsv_keyword_use use)
{
    uint32_t at = count;
    for (; at > 0 && uses[at - 1].keyword > use.keyword; at--) {
        uses[at] = uses[at - 1];
    }
    uses[at] = use;
    return count + 1;
}

/* Compile unused definitions if the options say so. */
static int parse_definitions(
    struct jsv_compile *compile, const struct jsv_subschema *schema, struct jsv_value definitions)
{
    int r = 0;
    if (!compile->options.compile_unused || jsv_value_type(definitions) != JSV_TYPE_OBJECT) {
        return r;
    }
    struct jsv_iter iter = jsv_value_iter(definitions);
    while (r == 0 && jsv_iter_next(&iter)) {
        struct jsv_subschema *definition;
        if (jsv_node_is_schema(iter.value.node)) {
            r = jsv_compile_subschema(compile, iter.value.node, schema->resource, &definition);
        }
    }
    return r;
}

/* @return 0 when the keyword is used, 1 when it has no effect or a fault, or an error. */
static int parse_keyword(
    struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    const struct jsv_iter *member,
    bool only_ref)
{
    bool is_other = only_ref && use->keyword != JSV_KEYWORD_REF;
    if (use->keyword == JSV_KEYWORD_COUNT || is_other) {
        int r = jsv_compile_warn_unused(compile, schema, member->key, is_other);
        if (r < 0) {
            return r;
        }
    }
    if (use->keyword == JSV_KEYWORD_DEFS || use->keyword == JSV_KEYWORD_DEFINITIONS) {
        int r = parse_definitions(compile, schema, member->value);
        return r < 0 ? r : 1;
    }
    if (use->keyword == JSV_KEYWORD_COUNT || is_other ||
        !jsv_compile_is_used(compile, schema, use, member->value)) {
        return 1;
    }
    return use->keyword == JSV_KEYWORD_FORMAT
               ? 0
               : jsv_compile_operand(compile, schema, use, member->value);
}

static int parse_schema(struct jsv_compile *compile, struct jsv_subschema *schema)
{
    const struct jsv_document *document = schema->resource->source->document;
    struct jsv_value object = {document, schema->node};
    if (jsv_value_type(object) != JSV_TYPE_OBJECT) {
        schema->never = jsv_value_type(object) == JSV_TYPE_BOOLEAN && !jsv_value_bool(object);
        return 0;
    }
    enum jsv_draft draft = schema->resource->draft;
    bool only_ref =
        draft < JSV_DRAFT_2019_09 &&
        jsv_value_type(jsv_subschema_sibling(schema, JSV_STR("$ref"))) == JSV_TYPE_STRING;
    struct jsv_keyword_use uses[JSV_KEYWORD_COUNT];
    uint32_t count = 0;
    struct jsv_iter iter = jsv_value_iter(object);
    while (jsv_iter_next(&iter)) {
        struct jsv_keyword_use use = {
            .keyword =
                jsv_keyword_find(&compile->registry->keywords, document, iter.key.node, draft),
            .weight = (uint32_t)jsv_value_count(iter.value),
            .key = iter.key.node,
        };
        int r = parse_keyword(compile, schema, &use, &iter, only_ref);
        if (r < 0) {
            return r;
        }
        if (r > 0) {
            continue;
        }
        schema->wants_marks |= use.keyword >= JSV_KEYWORD_UNEVALUATED_ITEMS;
        schema->combines |= combines(use.keyword);
        count = insert_use(uses, count, use);
    }
    if (count == 0) {
        return 0;
    }
    schema->uses = jsv_compile_take(compile, count, sizeof(*uses));
    if (!schema->uses) {
        return -ENOMEM;
    }
    memcpy(schema->uses, uses, count * sizeof(*uses));
    schema->use_count = count;
    return 0;
}

/* Parse the requested schemas and those they request. */
static int compile_pending(struct jsv_compile *compile)
{
    while (compile->pending.count) {
        set_limits(compile);
        struct jsv_subschema *schema = *(struct jsv_subschema **)jsv_stack_pop(&compile->pending);
        int r = compile->options.skip_meta
                    ? 0
                    : jsv_source_check(
                          compile->registry, schema->resource->source, compile->reterr_fault);
        if (r == 0) {
            r = parse_schema(compile, schema);
        }
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

/* ---- dynamic references ---- */

/*
 * A dynamic reference leads to the outermost resource, among those being
 * evaluated, that has its anchor. So the schemas at all dynamic anchors that
 * can be reached are compiled, and found by resource and name.
 */
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

/* Make the dynamic anchors of a resource targets, once. */
static int reach_resource(struct jsv_compile *compile, const struct jsv_resource *resource)
{
    if (jsv_table_find(&compile->reached, resource, (struct jsv_str){0})) {
        return 0;
    }
    struct jsv_table_key *reached = jsv_arena_alloc(&compile->scratch, sizeof(*reached));
    if (!reached) {
        return -ENOMEM;
    }
    *reached = (struct jsv_table_key){resource, {0}};
    int r = jsv_table_add(&compile->reached, reached);
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

/* Compiling the targets may reach further resources, so repeat until nothing is new. */
static int compile_dynamic(struct jsv_compile *compile)
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
            r = compile_pending(compile);
        }
    }
    return r;
}

/* ---- the whole ---- */

static int find_uri(struct jsv_compile *compile, struct jsv_str uri, struct jsv_target *ret_target)
{
    int r = jsv_compile_target(compile, uri, NULL, ret_target);
    if (r == 0 && !jsv_node_is_schema(ret_target->node) &&
        ret_target->node != ret_target->resource->root) {
        r = -ENOENT;
    }
    return r;
}

static int compile_target(struct jsv_compile *compile, const struct jsv_target *target)
{
    int r = jsv_compile_subschema(compile, target->node, target->resource, &compile->schema->root);
    if (r == 0) {
        r = compile_pending(compile);
    }
    if (r == 0 && compile->dynamic) {
        r = compile_dynamic(compile);
    }
    return r;
}

/* Report faults and warnings. @param r What compiling returned: 0, or -EBADMSG with the fault. */
static int finish(struct jsv_compile *compile, int r)
{
    if (r == -EBADMSG) {
        struct jsv_error last = *compile->reterr_fault;
        r = jsv_compile_refuse_for(compile, NULL, NULL, &last);
    }
    return r < 0 ? r : jsv_compile_report(compile);
}

/*
 * @param resource NULL: the one the URI names.
 * @param listener Gets all faults or warnings; may be NULL.
 */
static int compile_any(
    struct jsv_registry *registry,
    struct jsv_str uri,
    const struct jsv_resource *resource,
    const struct jsv_schema_options *options,
    jsv_schema_listener *listener,
    struct jsv_schema **ret_schema,
    struct jsv_error *reterr_fault)
{
    struct jsv_schema *schema = jsv_alloc(&registry->allocator, sizeof(*schema));
    if (!schema) {
        return -ENOMEM;
    }
    *schema = (struct jsv_schema){.allocator = registry->allocator};
    jsv_arena_init(&schema->arena, &registry->allocator, 0);
    schema->dynamic_targets = jsv_table_on(&schema->arena);
    struct jsv_error fault = {0};
    struct jsv_compile compile = {
        .registry = registry,
        .schema = schema,
        .reterr_fault = &fault,
        .listener = listener,
    };
    jsv_options_copy(&compile.options, sizeof(compile.options), options);
    jsv_arena_init(&compile.scratch, &registry->allocator, 0);
    jsv_arena_init(&compile.uris, &registry->allocator, JSV_REGISTRY_MEMORY_MAX);
    compile.pending = jsv_stack_on(&compile.scratch, sizeof(struct jsv_subschema *));
    compile.members = jsv_table_on(&compile.scratch);
    compile.arrays = jsv_table_on(&compile.scratch);
    compile.regexes = jsv_table_on(&compile.scratch);
    compile.reached = jsv_table_on(&compile.scratch);
    compile.absent = jsv_table_on(&compile.scratch);
    jsv_compile_notes_init(&compile);
    set_limits(&compile);
    struct jsv_target target = {.resource = resource, .node = resource ? resource->root : NULL};
    int r = resource ? 0 : find_uri(&compile, uri, &target);
    if (r == 0) {
        r = compile_target(&compile, &target);
    }
    if (r == 0 || r == -EBADMSG) {
        r = finish(&compile, r);
    }
    if (r == -ENOMEM && (schema->arena.refused || compile.scratch.refused)) {
        r = jsv_registry_fault(
            registry,
            target.resource,
            target.node,
            &fault,
            "the schema is too complex: compiling it takes more than %zu KiB of memory",
            (schema->arena.budget + compile.scratch.budget) >> 10);
        if (r == -EBADMSG && listener) {
            listener(registry->options.listener_context, JSV_NOTE_FAULT, &fault);
        }
        r = r == -EBADMSG ? -EFBIG : r;
    }
    jsv_arena_done(&compile.uris);
    jsv_arena_done(&compile.scratch);
    if (r == 0) {
        r = jsv_program_build(schema);
    }
    if (r < 0) {
        jsv_schema_free(schema);
        if (reterr_fault) {
            *reterr_fault = fault;
        }
        return r;
    }
    *ret_schema = schema;
    return 0;
}

int jsv_schema_compile(
    struct jsv_registry *registry,
    struct jsv_str uri,
    const struct jsv_schema_options *options,
    struct jsv_schema **ret_schema,
    struct jsv_error *reterr_fault)
{
    return compile_any(
        registry, uri, NULL, options, registry->options.listener, ret_schema, reterr_fault);
}

int jsv_schema_compile_resource(
    struct jsv_registry *registry,
    const struct jsv_resource *resource,
    const struct jsv_schema_options *options,
    struct jsv_schema **ret_schema,
    struct jsv_error *reterr_fault)
{
    return compile_any(registry, resource->uri, resource, options, NULL, ret_schema, reterr_fault);
}

void jsv_schema_free(struct jsv_schema *schema)
{
    if (!schema) {
        return;
    }
    struct jsv_allocator own = schema->allocator;
    jsv_program_done(schema);
    for (struct jsv_regex_list *entry = schema->regexes; entry; entry = entry->next) {
        jsv_regex_free(entry->regex);
    }
    jsv_arena_done(&schema->arena);
    jsv_dealloc(&own, schema, sizeof(*schema));
}

enum jsv_draft jsv_schema_draft(const struct jsv_schema *schema)
{
    return schema->root->resource->draft;
}

const struct jsv_keyword_use *
jsv_subschema_use(const struct jsv_subschema *schema, enum jsv_keyword keyword)
{
    for (uint32_t i = 0; i < schema->use_count; i++) {
        if (schema->uses[i].keyword == keyword) {
            return &schema->uses[i];
        }
    }
    return NULL;
}

struct jsv_str jsv_use_name(const struct jsv_subschema *schema, const struct jsv_keyword_use *use)
{
    return jsv_string_text(schema->resource->source->document, use->key);
}
