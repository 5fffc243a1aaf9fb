/*
 * The definitions of the Model Context Protocol, part of the program: verdicts
 * as the official schemas give, none of their prose. Written in schemas/mcp/,
 * one file a version, each with what differs from the version before it.
 */
#pragma once

#include "jsv/base/embedded.h"

/* All of them, as "<version>.json", oldest first. */
extern const struct jsv_embedded mcp_embedded[];
