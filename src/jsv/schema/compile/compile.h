/*
 * What the parts of compiling share.
 *
 * A struct jsv_compile is one schema in the making. compile.c keeps the list
 * of subschemas and goes through their keywords; what stands in these is read
 * in compile_operand.c, references are followed in compile_reference.c,
 * compile_dynamic.c sees to the ones that are known only while evaluating, and
 * compile_notes.c collects what is wrong.
 *
 * A keyword with a fault of its own is left out, and compiling goes on to find
 * the others. Functions return 1 then.
 */
#pragma once

#include "jsv/json/stack.h"
#include "jsv/json/value.h"
#include "jsv/schema/compile/subschema.h"

struct jsv_compile {
    struct jsv_registry *registry;
    struct jsv_schema_options options;
    struct jsv_schema *schema;
    struct jsv_schema_fault *reterr_fault;
    struct jsv_arena scratch;
    struct jsv_arena uris;        /* of one reference */
    struct jsv_str uri;           /* the last reference, resolved */
    size_t uris_size;             /* of all references */
    struct jsv_stack pending;     /* struct jsv_subschema *: made, not taken apart yet */
    struct jsv_subschema **slots; /* by node; open addressing, a power of two */
    size_t slot_count;
    const struct jsv_node *always; /* the first schema that is {} or true */
    struct jsv_table members;      /* struct member: of large objects that pointers lead through */
    struct jsv_table arrays;       /* struct elements: of large arrays that pointers lead through */
    struct jsv_table regexes;      /* struct jsv_regex_list */
    size_t pattern_size;           /* of those that are simulated */
    struct jsv_table reached;      /* struct reached */
    struct jsv_table absent;       /* struct absent: what was looked for in vain */
    struct jsv_stack notes;        /* compile_notes.c's */
    size_t fault_count;            /* of them */
    jsv_schema_listener *listener; /* NULL: nobody is told */
    bool dynamic;                  /* some reference is dynamic */
};

/* What a reference leads to. */
struct jsv_target {
    const struct jsv_node *node;
    const struct jsv_resource *resource;
    const struct jsv_anchor *anchor; /* when it was named by one */
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

/* The value of another keyword of the same schema; its node is NULL when there is none. */
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
    struct jsv_schema_fault *reterr_fault);

/* The subschema at a node, which stands in a resource; made when it is new. */
int jsv_compile_subschema(
    struct jsv_compile *compile,
    const struct jsv_node *node,
    const struct jsv_resource *resource,
    struct jsv_subschema **ret_subschema);
/* Take apart what was asked for, and what that asks for. */
int jsv_compile_pending(struct jsv_compile *compile);

/* ---- compile_reference.c ---- */

/*
 * Find what a URI reference refers to; base NULL when it is absolute.
 * @param ret_target On -ENOENT its resource says in which there is no such place; NULL: there is no
 *                   such resource.
 */
int jsv_compile_target(
    struct jsv_compile *compile,
    struct jsv_str reference,
    const struct jsv_resource *base,
    struct jsv_target *ret_target);
/* Read the operand of a keyword that refers to another schema. */
int jsv_compile_reference(
    struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    struct jsv_value value);

/* ---- compile_operand.c ---- */

/* Whether a keyword decides anything where it stands; of a format, which it is. */
bool jsv_compile_is_used(
    const struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    struct jsv_value value);
/* Read the value of a keyword. */
int jsv_compile_operand(
    struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    struct jsv_value value);

/* ---- compile_notes.c ---- */

void jsv_compile_notes_init(struct jsv_compile *compile);
/*
 * Note a fault at a node.
 * @param missing URI of a schema that could not be found; may be empty.
 * @return 1: leave the keyword out; -ENOMEM.
 */
int jsv_compile_refuse(
    struct jsv_compile *compile,
    const struct jsv_resource *resource,
    const struct jsv_node *node,
    struct jsv_str missing,
    const char *format,
    ...) __attribute__((format(printf, 5, 6)));
/* The same for a fault elsewhere that a node leads to. */
int jsv_compile_refuse_for(
    struct jsv_compile *compile,
    const struct jsv_resource *resource,
    const struct jsv_node *node,
    const struct jsv_schema_fault *fault);
/* Warn of a member of a schema if it is a keyword that has no effect. @return 0 or -ENOMEM. */
int jsv_compile_warn_unused(
    struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_value key,
    bool beside_ref);
/*
 * Tell the listener what was noted, in the order of the text: the faults if
 * there are any, else the warnings. @return 0; -EBADMSG with the first fault; -ENOMEM.
 */
int jsv_compile_tell(struct jsv_compile *compile);

/* ---- compile_dynamic.c ---- */

/* Make the schemas that dynamic references may lead to. */
int jsv_compile_dynamic(struct jsv_compile *compile);
