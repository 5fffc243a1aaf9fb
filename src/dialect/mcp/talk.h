/*
 * The official protocol's words for talking to a client in the middle of its
 * request.
 */
#pragma once

#include "dialect/mcp/mcp.h"

extern const struct dialect_client_ops mcp_notifications;
