/*
 * Schema resources by URI.
 *
 * Each text added is a source; its document lives as long as the registry.
 * Every object with an identifier of its own begins a resource, and the first
 * resource of a source is its root. A resource knows its draft and
 * vocabularies (from its meta-schema) and its anchors.
 *
 * The compiler looks resources up by URI on behalf of the source that refers
 * to them: first in that source, then among everything added, then among the
 * embedded meta-schemas, then through the caller's resolver.
 *
 * Several sources may hold the same schema under the same URI if the texts are
 * equal as JSON. Only a copy of an embedded meta-schema may differ, because the
 * embedded ones lack the prose; it is used only within its own source.
 *
 * registry.c reads and stores sources and finds resources, scan.c finds the
 * resources and anchors in a source, draft.c knows the drafts, their
 * vocabularies and the embedded meta-schemas.
 */
#pragma once

#include <jsv/schema.h>

#include "jsv/base/embedded.h"
#include "jsv/schema/registry/keyword.h"
#include "jsv/schema/registry/table.h"

/* Limit on all sources of a registry together; more than any published bundle needs. */
#define JSV_REGISTRY_MEMORY_MAX ((size_t)1 << 32)

/*
 * Limit on the resolved URIs of schemas of a given size: short references below
 * a long base would otherwise take far more memory than their text.
 */
#define JSV_URIS_SIZE_MAX(text_size) (16 * (text_size) + 65536)

struct jsv_source {
    struct jsv_source *next;
    uint32_t index; /* in the order of reading */
    struct jsv_document *document;
    struct jsv_str text;
    struct jsv_position position;   /* of the last fault in it: they come roughly in order */
    struct jsv_str uri;             /* the one it was added under */
    struct jsv_resource *resources; /* newest first: the root is the last */
    bool embedded;                  /* one of the library's meta-schemas */
    bool resolved;                  /* supplied by the resolver */
    bool checked;                   /* valid against its meta-schemas */
};

struct jsv_anchor {
    struct jsv_table_key key; /* the resource and the name */
    struct jsv_anchor *next;
    const struct jsv_node *node;
    bool dynamic;
};

struct jsv_resource {
    struct jsv_table_key key;  /* the node it begins at */
    struct jsv_resource *next; /* in its source */
    struct jsv_str uri;        /* absolute, without fragment */
    struct jsv_source *source;
    const struct jsv_node *root;
    struct jsv_anchor *anchors;
    struct jsv_str meta; /* URI of its meta-schema */
    uint32_t index;
    enum jsv_draft draft;
    unsigned vocabularies; /* of enum jsv_vocabulary */
    bool recursive_anchor;
};

/*
 * A URI of a resource; a resource may have two. The key's owner is the scope of
 * the URI: NULL for all sources, a source for its own references only,
 * jsv_meta_schemas for an embedded meta-schema.
 */
struct jsv_resource_name {
    struct jsv_table_key key;
    struct jsv_resource *resource;
};

struct jsv_registry {
    struct jsv_allocator allocator;
    struct jsv_registry_options options;
    struct jsv_arena arena;
    struct jsv_reader *reader;
    struct jsv_keyword_index keywords;
    struct jsv_source *sources; /* newest first */
    uint32_t source_count;      /* ever read, rejected ones included */
    size_t text_size;           /* of all sources */
    uint32_t resource_count;
    struct jsv_table names;   /* struct jsv_resource_name */
    struct jsv_table roots;   /* struct jsv_resource, by its node */
    struct jsv_table anchors; /* struct jsv_anchor */
    /* compiled meta-schemas by resource index, NULL until needed: */
    struct jsv_schema **meta;
    size_t meta_count;
    struct jsv_validator *meta_validator;
    /* Compiles the drafts' meta-schemas for this one, if not NULL. Both are used by one thread, and
       it outlives all compiling here. Set it before the first schema is compiled. */
    struct jsv_registry *meta_registry;
    unsigned nesting; /* resources being loaded, each needed by the one before */
};

/*
 * Free what only adding and compiling need, which is most of a small registry's
 * memory. Compiled schemas stay valid; nothing may be added or compiled any more.
 */
void jsv_registry_close(struct jsv_registry *registry);

/*
 * Find or load the resource of an absolute URI without fragment.
 *
 * @param from The source that refers to it, or NULL.
 * @return 0; -ENOENT; -EBADMSG with the fault; -ENOMEM; or the resolver's error.
 */
int jsv_registry_find(
    struct jsv_registry *registry,
    const struct jsv_source *from,
    struct jsv_str uri,
    struct jsv_resource **ret_resource,
    struct jsv_error *reterr_fault);

/*
 * Find or load the meta-schema of a resource; for a draft's own meta-schema
 * always the embedded one. @return as jsv_registry_find.
 */
int jsv_registry_find_meta(
    struct jsv_registry *registry,
    const struct jsv_resource *resource,
    struct jsv_resource **ret_meta,
    struct jsv_error *reterr_fault);

/* The resource that begins at a node, or NULL. */
struct jsv_resource *
jsv_registry_resource_at(const struct jsv_registry *registry, const struct jsv_node *node);

/* The anchor of that name, or NULL. */
static inline const struct jsv_anchor *jsv_resource_anchor(
    const struct jsv_registry *registry, const struct jsv_resource *resource, struct jsv_str name)
{
    return jsv_table_find(&registry->anchors, resource, name);
}

/* A copy that lives as long as the registry; data is NULL when out of memory. */
struct jsv_str jsv_registry_copy(struct jsv_registry *registry, struct jsv_str text);

/* Set the offset, line and column of a fault. */
void jsv_source_locate(struct jsv_source *source, size_t offset, struct jsv_error *fault);
/* Set the URI, pointer (in the arena) and place of a fault at a node. @return 0 or -ENOMEM. */
int jsv_resource_locate(
    const struct jsv_resource *resource,
    const struct jsv_node *node,
    struct jsv_arena *arena,
    struct jsv_error *fault);

/*
 * Fill in a fault at a node; the formatted message is stored in the registry.
 * @return -EBADMSG, or -ENOMEM when there is no memory for it.
 */
int jsv_registry_fault(
    struct jsv_registry *registry,
    const struct jsv_resource *resource,
    const struct jsv_node *node,
    struct jsv_error *reterr_fault,
    const char *format,
    ...) __attribute__((format(printf, 5, 6)));

/*
 * Give a resource a URI.
 *
 * @param ret_twin The equal resource that has the URI already, or NULL.
 * @return 0; -EEXIST with the fault when a different resource has it; -ENOMEM.
 */
int jsv_registry_name(
    struct jsv_registry *registry,
    struct jsv_str uri,
    struct jsv_resource *resource,
    const struct jsv_resource **ret_twin,
    struct jsv_error *reterr_fault);

/* Fill in the fault that another resource has the URI already. @return -EEXIST or -ENOMEM. */
int jsv_registry_refuse_name(
    struct jsv_registry *registry,
    struct jsv_str uri,
    const struct jsv_resource *resource,
    const struct jsv_resource *other,
    struct jsv_error *reterr_fault);

/* ---- scan.c ---- */

/*
 * Find all resources and anchors in a source that has been read.
 * @param ret_resource Its root.
 * @return 0; -EEXIST or -EBADMSG with the fault; -ENOMEM; or the resolver's error.
 */
int jsv_source_scan(
    struct jsv_registry *registry,
    struct jsv_source *source,
    struct jsv_resource **ret_resource,
    struct jsv_error *reterr_fault);

/* ---- draft.c ---- */

/*
 * The drafts' meta-schemas by URI, absolute and without fragment. They give the
 * same verdicts as the published ones but lack the prose. Written in
 * schemas/json-schema/, embedded by cmake/embed.cmake.
 */
extern const struct jsv_embedded jsv_meta_schemas[];

/* The embedded meta-schema of a URI, which may end in an empty fragment; or NULL. */
const struct jsv_embedded *jsv_meta_find(struct jsv_str uri);

/* Whether a URI is that of a draft's own meta-schema. */
bool jsv_draft_find(struct jsv_str uri, enum jsv_draft *ret_draft);
void jsv_resource_use_draft(struct jsv_resource *resource, enum jsv_draft draft);

/*
 * Set a resource's draft and vocabularies by its $schema, or else as in the
 * resource around it. @return 0; -EBADMSG with the fault; or the result of
 * finding its meta-schema.
 */
int jsv_resource_settle_draft(
    struct jsv_registry *registry,
    struct jsv_resource *resource,
    const struct jsv_resource *outer,
    struct jsv_error *reterr_fault);
