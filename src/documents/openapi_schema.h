/*
 * Schemas as components of the OpenAPI document.
 */
#pragma once

#include <jsv/json.h>

struct openapi_component {
    struct jsv_str name;
    struct jsv_str file; /* of the envelope's schema it is */
};

/** NULL after the last. */
const struct openapi_component *openapi_component_at(size_t index);

/**
 * Write a schema as the component of a name.
 *
 * References within a schema begin at its own root, and in another document
 * that is somewhere else: "#/$defs/a" becomes "#/components/schemas/<name>/$defs/a". One to an
 * envelope's file becomes one to its component. A schema that has an $id of
 * its own to go by is written as it is, unless it is an envelope's.
 */
void openapi_schema_write(
    struct jsv_writer *writer, struct jsv_value schema, struct jsv_str component, bool is_envelope);
