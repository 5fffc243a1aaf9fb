/*
 * The definitions of the Model Context Protocol, embedded in the program. They
 * accept and refuse the same messages as the official schemas, without their
 * prose. schemas/mcp/ has one file per version, with the changes since the
 * version before.
 */
#pragma once

#include "jsv/base/embedded.h"

/* All of them, as "<version>.json", oldest first. */
extern const struct jsv_embedded mcp_embedded[];
