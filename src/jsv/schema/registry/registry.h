/*
 * Schema resources by URI.
 *
 * A text that is added is a source: its document lives as long as the
 * registry. Every object in it with an identifier of its own begins a
 * resource; the first resource of a source is its root. A resource knows its
 * draft and vocabularies, from its meta-schema, and its anchors.
 *
 * Compiling asks for resources by URI, on behalf of the source that refers to
 * them. They are looked for in that source, then among all that was added, then
 * among the embedded meta-schemas, then with the caller's resolver.
 *
 * Several sources may hold the same schema, under the same URI: the texts must
 * be equal as JSON. Only a copy of one of the embedded meta-schemas may differ,
 * since ours lack the prose; it counts in the source that holds it.
 */
#pragma once

#include <jsv/schema.h>

#include "jsv/schema/registry/keyword.h"
#include "jsv/schema/registry/table.h"

/* What the URIs in schemas of a size may take together, once they are resolved. */
#define JSV_URIS_SIZE_MAX(text_size) (16 * (text_size) + 65536)

struct jsv_source {
    struct jsv_source *next;
    uint32_t index; /* in the order they were read */
    struct jsv_document *document;
    struct jsv_str text;
    struct jsv_str uri;             /* it was added under */
    struct jsv_resource *resources; /* newest first: the root is the last */
    bool embedded;                  /* it is one of the library's meta-schemas */
    bool resolved;                  /* the resolver handed it over */
    bool checked;                   /* against their meta-schemas, with good result */
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
 * A URI that leads to a resource; one may have two. The key's owner says for
 * whom: NULL for all, a source for its own references, jsv_meta_schemas for an
 * embedded meta-schema.
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
    uint32_t source_count;      /* read so far */
    size_t text_size;           /* of all that was added */
    uint32_t resource_count;
    struct jsv_table names;   /* struct jsv_resource_name */
    struct jsv_table roots;   /* struct jsv_resource, by its node */
    struct jsv_table anchors; /* struct jsv_anchor */
    /* compiled meta-schemas, by the resource's index; NULL until needed */
    struct jsv_schema **meta;
    size_t meta_count;
    struct jsv_validator *meta_validator;
    unsigned nesting; /* resources being loaded because others need them */
};

/*
 * Give back what only adding and compiling need, most of a small registry's memory. Schemas that
 * were compiled from it stay good; nothing may be added or compiled any more.
 */
void jsv_registry_close(struct jsv_registry *registry);

/*
 * Find or load the resource of an absolute URI without fragment.
 *
 * @param from The source that refers to it; NULL: none does.
 * @return 0; -ENOENT; -EBADMSG with the fault; -ENOMEM; or the resolver's error.
 */
int jsv_registry_find(
    struct jsv_registry *registry,
    const struct jsv_source *from,
    struct jsv_str uri,
    struct jsv_resource **ret_resource,
    struct jsv_schema_fault *reterr_fault);

/*
 * Find or load the meta-schema of a resource. That of a draft is always the
 * library's own. @return as jsv_registry_find.
 */
int jsv_registry_find_meta(
    struct jsv_registry *registry,
    const struct jsv_resource *resource,
    struct jsv_resource **ret_meta,
    struct jsv_schema_fault *reterr_fault);

/* The resource that begins at a node; NULL when none does. */
struct jsv_resource *
jsv_registry_resource_at(const struct jsv_registry *registry, const struct jsv_node *node);

/* The anchor of that name; NULL when there is none. */
const struct jsv_anchor *jsv_resource_anchor(
    const struct jsv_registry *registry, const struct jsv_resource *resource, struct jsv_str name);

/* A copy that lasts as long as the registry; data NULL when memory ran out. */
struct jsv_str jsv_registry_copy(struct jsv_registry *registry, struct jsv_str text);

/* Fill in where a node of a resource is; the pointer is put in the arena. @return 0 or -ENOMEM. */
int jsv_resource_place(
    const struct jsv_resource *resource,
    const struct jsv_node *node,
    struct jsv_arena *arena,
    struct jsv_schema_fault *fault);

/*
 * Fill in a fault at a node of a source; the message is formatted into the
 * registry. @return -EBADMSG, or -ENOMEM when there is no room for it.
 */
int jsv_registry_fault(
    struct jsv_registry *registry,
    const struct jsv_resource *resource,
    const struct jsv_node *node,
    struct jsv_schema_fault *reterr_fault,
    const char *format,
    ...) __attribute__((format(printf, 5, 6)));
