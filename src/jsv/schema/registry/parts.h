/*
 * What the parts of the registry share.
 *
 * registry.c keeps sources and finds resources, registry_read.c reads their
 * texts, registry_scan.c finds the resources and anchors in a source,
 * registry_draft.c knows the drafts and their vocabularies. They need each other: a resource that
 * is found has a meta-schema, which is a resource to be found.
 */
#pragma once

#include "jsv/schema/registry/registry.h"

/* Sources a registry holds at most, all together: enough for every published bundle. */
#define JSV_REGISTRY_MEMORY_MAX ((size_t)1 << 32)

/* ---- registry.c ---- */

/*
 * Let a URI lead to a resource.
 *
 * @param ret_twin The equal resource that has the URI already; NULL when there is none.
 * @return 0; -EEXIST with the fault when a different resource has it; -ENOMEM.
 */
int jsv_registry_name(
    struct jsv_registry *registry,
    struct jsv_str uri,
    struct jsv_resource *resource,
    const struct jsv_resource **ret_twin,
    struct jsv_schema_fault *reterr_fault);
/* Fill in that a URI names another resource already. @return -EEXIST or -ENOMEM. */
int jsv_registry_refuse_name(
    struct jsv_registry *registry,
    struct jsv_str uri,
    const struct jsv_resource *resource,
    const struct jsv_resource *other,
    struct jsv_schema_fault *reterr_fault);

/* ---- registry_read.c ---- */

/* Read the text of a source into its document. @return 0; -EBADMSG with the fault; -ENOMEM. */
int jsv_source_read(
    struct jsv_registry *registry,
    struct jsv_source *source,
    struct jsv_schema_fault *reterr_fault);

/* ---- registry_draft.c ---- */

/* Whether a URI is that of one of the drafts' own meta-schemas. */
bool jsv_draft_find(struct jsv_str uri, enum jsv_draft *ret_draft);
void jsv_resource_use_draft(struct jsv_resource *resource, enum jsv_draft draft);
/*
 * Draft and vocabularies by the resource's own $schema; as its surroundings
 * without one. @return 0; -EBADMSG with the fault; or what finding its
 * meta-schema returns.
 */
int jsv_resource_settle_draft(
    struct jsv_registry *registry,
    struct jsv_resource *resource,
    const struct jsv_resource *outer,
    struct jsv_schema_fault *reterr_fault);

/* ---- registry_scan.c ---- */

/*
 * Find all resources and anchors in a source that has been read.
 * @param ret_resource Its root.
 * @return 0; -EEXIST or -EBADMSG with the fault; -ENOMEM; or the resolver's error.
 */
int jsv_source_scan(
    struct jsv_registry *registry,
    struct jsv_source *source,
    struct jsv_resource **ret_resource,
    struct jsv_schema_fault *reterr_fault);
