/*
 * The schemas of envelopes, compiled and as published text.
 *
 * They are embedded (envelope/embedded.h) and refer to each other by file name,
 * so they share one registry. They are compiled at the start and read-only
 * afterwards, so threads may share them.
 */
#pragma once

#include <jsv/schema.h>

enum envelope_schema {
#define ENVELOPE_SCHEMA(name, file, assert_format) ENVELOPE_SCHEMA_##name,
#include "envelope/schemas.def"
#undef ENVELOPE_SCHEMA
    ENVELOPE_SCHEMAS,
};

struct envelope_schemas;

/**
 * Compile all of them.
 *
 * @param allocator   Copied; NULL means malloc.
 * @param ret_schemas Free with envelope_schemas_free().
 * @return 0 or -ENOMEM.
 */
int envelope_schemas_new(
    const struct jsv_allocator *allocator, struct envelope_schemas **ret_schemas);
void envelope_schemas_free(struct envelope_schemas *schemas);

const struct jsv_schema *
envelope_schemas_get(const struct envelope_schemas *schemas, enum envelope_schema which);

/** A published schema by its file name; data is NULL when there is none of that name. */
struct jsv_str envelope_schemas_text(struct jsv_str file);
