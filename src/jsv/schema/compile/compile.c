/*
 * From a schema's JSON to subschemas (subschema.h).
 *
 * A list of schemas to take apart stands in for recursion: taking one apart
 * asks for others by their node, and whoever is asked for first is made then
 * and filled in later. So circles of references need no care.
 */
#include "jsv/schema/compile/compile.h"

#include <errno.h>
#include <string.h>

#include "jsv/base/alloc.h"
#include "jsv/schema/compile/check.h"
#include "jsv/schema/program/program.h"

/* A schema's own memory, which is in proportion to its text; this stops what was overlooked. */
#define SCHEMA_MEMORY_MAX ((size_t)1 << 30)

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

/* Whether a schema is {} or true, which need not be told apart. */
static bool is_always(const struct jsv_node *node)
{
    return (jsv_node_type(node) == JSV_TYPE_OBJECT && jsv_node_skip(node) == 1) ||
           (jsv_node_type(node) == JSV_TYPE_BOOLEAN && node->body);
}

/* The subschema at a node, which stands in a resource; made when it is new. */
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

/* In the order of evaluation. */
static uint32_t insert_use(struct jsv_keyword_use *uses, uint32_t count, struct jsv_keyword_use use)
{
    uint32_t at = count;
    for (; at > 0 && uses[at - 1].keyword > use.keyword; at--) {
        uses[at] = uses[at - 1];
    }
    uses[at] = use;
    return count + 1;
}

static int keep_uses(
    struct jsv_compile *compile,
    struct jsv_subschema *schema,
    const struct jsv_keyword_use *uses,
    uint32_t count)
{
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

/* Compile definitions, which decide nothing themselves, if all of them are wanted. */
static int take_definitions(
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

/* Read a keyword. @return 1: it decides nothing; 0: it is used; or a failure. */
static int take_keyword(
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
        int r = take_definitions(compile, schema, member->value);
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

static int take_apart(struct jsv_compile *compile, struct jsv_subschema *schema)
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
        int r = take_keyword(compile, schema, &use, &iter, only_ref);
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
    return keep_uses(compile, schema, uses, count);
}

int jsv_compile_pending(struct jsv_compile *compile)
{
    while (compile->pending.count) {
        struct jsv_subschema *schema = *(struct jsv_subschema **)jsv_stack_pop(&compile->pending);
        int r = compile->options.skip_meta
                    ? 0
                    : jsv_source_check(
                          compile->registry, schema->resource->source, compile->reterr_fault);
        if (r == 0) {
            r = take_apart(compile, schema);
        }
        if (r < 0) {
            return r;
        }
    }
    return 0;
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
        r = jsv_compile_pending(compile);
    }
    if (r == 0 && compile->dynamic) {
        r = jsv_compile_dynamic(compile);
    }
    return r;
}

/* Say what there is to say. @param r What compiling returned: 0, or -EBADMSG with the fault. */
static int finish(struct jsv_compile *compile, int r)
{
    if (r == -EBADMSG) {
        struct jsv_schema_fault last = *compile->reterr_fault;
        r = jsv_compile_refuse_for(compile, NULL, NULL, &last);
    }
    return r < 0 ? r : jsv_compile_tell(compile);
}

/*
 * @param resource NULL: that of the URI.
 * @param listener Is told what there is to say; NULL: nobody is.
 */
static int compile_any(
    struct jsv_registry *registry,
    struct jsv_str uri,
    const struct jsv_resource *resource,
    const struct jsv_schema_options *options,
    jsv_schema_listener *listener,
    struct jsv_schema **ret_schema,
    struct jsv_schema_fault *reterr_fault)
{
    struct jsv_schema *schema = jsv_alloc(&registry->allocator, sizeof(*schema));
    if (!schema) {
        return -ENOMEM;
    }
    *schema = (struct jsv_schema){.allocator = registry->allocator};
    jsv_arena_init(&schema->arena, &registry->allocator, SCHEMA_MEMORY_MAX);
    schema->dynamic_targets = jsv_table_on(&schema->arena);
    struct jsv_schema_fault fault = {0};
    struct jsv_compile compile = {
        .registry = registry,
        .options = options ? *options : (struct jsv_schema_options){0},
        .schema = schema,
        .reterr_fault = &fault,
        .listener = listener,
    };
    jsv_arena_init(&compile.scratch, &registry->allocator, SCHEMA_MEMORY_MAX);
    jsv_arena_init(&compile.uris, &registry->allocator, SCHEMA_MEMORY_MAX);
    compile.pending = jsv_stack_on(&compile.scratch, sizeof(struct jsv_subschema *));
    compile.members = jsv_table_on(&compile.scratch);
    compile.arrays = jsv_table_on(&compile.scratch);
    compile.regexes = jsv_table_on(&compile.scratch);
    compile.reached = jsv_table_on(&compile.scratch);
    compile.absent = jsv_table_on(&compile.scratch);
    jsv_compile_notes_init(&compile);
    struct jsv_target target = {.resource = resource, .node = resource ? resource->root : NULL};
    int r = resource ? 0 : find_uri(&compile, uri, &target);
    if (r == 0) {
        r = compile_target(&compile, &target);
    }
    if (r == 0 || r == -EBADMSG) {
        r = finish(&compile, r);
    }
    if (r == -ENOMEM &&
        (schema->arena.refused || compile.scratch.refused || compile.uris.refused)) {
        r = -EFBIG;
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
    struct jsv_schema_fault *reterr_fault)
{
    return compile_any(
        registry, uri, NULL, options, registry->options.listener, ret_schema, reterr_fault);
}

int jsv_schema_compile_resource(
    struct jsv_registry *registry,
    const struct jsv_resource *resource,
    const struct jsv_schema_options *options,
    struct jsv_schema **ret_schema,
    struct jsv_schema_fault *reterr_fault)
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
