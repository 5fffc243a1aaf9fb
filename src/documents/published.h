/*
 * Documents that are published over HTTP: the catalog of tools, schemas, and
 * the OpenAPI document. They are asked for by their paths, never by a message.
 */
#pragma once

#include "dialect/dialect.h"

extern const struct dialect dialect_published;

/** Append the OpenAPI document. @return 0 or -ENOMEM. */
int openapi_write(struct dialect_request *request);
