/*
 * The state of compiling one schema, shared by the files of this folder.
 *
 * compile.c keeps the list of subschemas and parses their keywords, operand.c
 * the keywords' values; reference.c resolves references; notes.c collects
 * faults and warnings; check.c validates schemas against their meta-schemas.
 *
 * A keyword with a fault is left out, and compiling continues to find further
 * faults. Functions return 1 then.
 */
#pragma once

#include "jsv/json/node.h"
#include "jsv/json/stack.h"
#include "jsv/schema/compile/subschema.h"

struct jsv_compile {
    struct jsv_registry *registry;
    struct jsv_schema_options options;
    struct jsv_schema *schema;
    struct jsv_error *reterr_fault;
    struct jsv_arena scratch;
    struct jsv_arena uris;        /* of one reference */
    struct jsv_str uri;           /* the last reference, resolved */
    size_t uris_size;             /* of all references */
    struct jsv_stack pending;     /* struct jsv_subschema *: created, not parsed yet */
    struct jsv_subschema **slots; /* by node; open addressing, a power of two */
    size_t slot_count;
    const struct jsv_node *always; /* the first schema that is {} or true */
    struct jsv_table members;      /* struct member: of large objects that pointers lead through */
    struct jsv_table arrays;       /* struct elements: of large arrays that pointers lead through */
    struct jsv_table regexes;      /* struct jsv_regex_list */
    size_t pattern_size;           /* of those that are simulated */
    struct jsv_table reached;      /* resources whose dynamic anchors are targets */
    struct jsv_table absent;       /* struct absent: URIs without a resource */
    struct jsv_stack notes;        /* struct note, in notes.c */
    size_t fault_count;            /* of the notes */
    jsv_schema_listener *listener; /* may be NULL */
    bool dynamic;                  /* some reference is dynamic */
};

/* The target of a reference. */
struct jsv_target {
    const struct jsv_node *node;
    const struct jsv_resource *resource;
    const struct jsv_anchor *anchor; /* NULL: not named by one */
};

/* Memory that lives as long as the schema; never NULL for a count of 0. */
static inline void *jsv_compile_take(struct jsv_compile *compile, size_t count, size_t size)
{
    return jsv_arena_array(&compile->schema->arena, count ? count : 1, size);
}

static inline bool jsv_node_is_schema(const struct jsv_node *node)
{
    return jsv_node_type(node) == JSV_TYPE_OBJECT || jsv_node_type(node) == JSV_TYPE_BOOLEAN;
}

/* The value of another keyword of the same schema; its node is NULL when it is missing. */
static inline struct jsv_value
jsv_subschema_sibling(const struct jsv_subschema *schema, struct jsv_str name)
{
    struct jsv_value object = {schema->resource->source->document, schema->node};
    return jsv_value_get(object, name);
}

/* ---- compile.c ---- */

/* As jsv_schema_compile, for a resource that was found. */
int jsv_schema_compile_resource(
    struct jsv_registry *registry,
    const struct jsv_resource *resource,
    const struct jsv_schema_options *options,
    struct jsv_schema **ret_schema,
    struct jsv_error *reterr_fault);

/* Get the subschema at a node of a resource; a new one is created and parsed later. */
int jsv_compile_subschema(
    struct jsv_compile *compile,
    const struct jsv_node *node,
    const struct jsv_resource *resource,
    struct jsv_subschema **ret_subschema);

/* ---- reference.c ---- */

/*
 * Find the target of a URI reference.
 * @param base       NULL: the reference is absolute.
 * @param ret_target On -ENOENT its resource is the one that lacks the place, or NULL if there is
 *                   no such resource.
 */
int jsv_compile_target(
    struct jsv_compile *compile,
    struct jsv_str reference,
    const struct jsv_resource *base,
    struct jsv_target *ret_target);
/* Parse the value of a keyword that refers to another schema. */
int jsv_compile_reference(
    struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    struct jsv_value value);

/* ---- operand.c ---- */

/* Whether a keyword has an effect; sets use->format. */
bool jsv_compile_is_used(
    const struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    struct jsv_value value);
/* Parse the value of a keyword. */
int jsv_compile_operand(
    struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    struct jsv_value value);

/* ---- notes.c ---- */

void jsv_compile_notes_init(struct jsv_compile *compile);
/*
 * Note a fault at a node.
 * @param missing URI of a schema that could not be found; may be empty.
 * @return 1 or -ENOMEM.
 */
int jsv_compile_refuse(
    struct jsv_compile *compile,
    const struct jsv_resource *resource,
    const struct jsv_node *node,
    struct jsv_str missing,
    const char *format,
    ...) __attribute__((format(printf, 5, 6)));
/* Note a fault of another schema that a node refers to. @return 1 or -ENOMEM. */
int jsv_compile_refuse_for(
    struct jsv_compile *compile,
    const struct jsv_resource *resource,
    const struct jsv_node *node,
    const struct jsv_error *fault);
/* Note a warning if a member of a schema is a keyword without effect. @return 0 or -ENOMEM. */
int jsv_compile_warn_unused(
    struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_value key,
    bool beside_ref);
/*
 * Report the notes in the order of the text: the faults if there are any, else
 * the warnings. @return 0; -EBADMSG with the first fault; -ENOMEM.
 */
int jsv_compile_report(struct jsv_compile *compile);

/* ---- check.c ---- */

/*
 * Check each resource of a source against its own meta-schema, unless that has
 * succeeded before. @return 0; -EBADMSG with the fault; -ENOMEM; or the
 * resolver's error.
 */
int jsv_source_check(
    struct jsv_registry *registry, struct jsv_source *source, struct jsv_error *reterr_fault);
