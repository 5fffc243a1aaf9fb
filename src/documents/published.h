/*
 * Documents served over HTTP: the catalog of tools, schemas, and the OpenAPI
 * document. Their paths name them, not a message.
 */
#pragma once

#include "dialect/dialect.h"

extern const struct dialect dialect_documents;

/** Whether an endpoint serves a document. @param http NULL: no. */
bool documents_serve(const struct rpc_http *http);

/** Append the OpenAPI document to the reply. @return 0 or -ENOMEM. */
int documents_write_openapi(struct dialect_req *req);
