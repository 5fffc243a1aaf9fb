/*
 * The definitions of the protocol's messages, compiled on first use.
 *
 * A version is assembled from the embedded files on first use, and a definition
 * is compiled on first use, so that a process starts fast and compiles only
 * what it needs. Getting a compiled definition is one atomic load; any number
 * of threads may do so.
 *
 * An operator may provide the official schema of a version. It replaces the
 * embedded definitions of that version, and is checked as a whole at the start.
 */
#pragma once

#include <jsv/schema.h>

#include "mcp/methods.h"
#include "os/digest.h"

struct mcp_definitions;

/* Definitions that checks need. */
enum mcp_slot {
    MCP_SLOT_MESSAGE = 0,                                                /* + method id */
    MCP_SLOT_RESULT = MCP_SLOT_MESSAGE + MCP_METHOD_COUNT,               /* + method id */
    MCP_SLOT_ALTERNATIVE = MCP_SLOT_RESULT + MCP_METHOD_COUNT,           /* + alternative id */
    MCP_SLOT_TYPED_ERROR = MCP_SLOT_ALTERNATIVE + MCP_ALTERNATIVE_COUNT, /* + error id */
    MCP_SLOT_ANY_RESPONSE = MCP_SLOT_TYPED_ERROR + MCP_ERROR_COUNT,
    MCP_SLOT_ANY_ERROR,
    MCP_SLOT_COUNT,
};

/** The name of the definition; NULL when the version does not have it. */
const char *mcp_slot_name(enum mcp_version version, unsigned slot);

/** An official schema. */
struct mcp_official {
    struct jsv_str text;      /* copied */
    enum mcp_version version; /* MCP_VERSION_COUNT: the newest whose definitions it has */
};

/* Room for a pointer and a sentence. */
#define MCP_FAULT_SIZE_MAX 512

/** Why a schema cannot be used. */
struct mcp_fault {
    char text[MCP_FAULT_SIZE_MAX];
};

/**
 * @param official   NULL: the embedded definitions for all versions.
 * @return 0; -EBADMSG with the fault when the official schema is broken or lacks a definition;
 *         -ENOMEM.
 */
int mcp_definitions_new(
    const struct mcp_official *official,
    struct mcp_definitions **ret_definitions,
    struct mcp_fault *reterr_fault);
void mcp_definitions_free(struct mcp_definitions *definitions);

/**
 * The schema of a slot.
 *
 * @param slot       One that has a name in this version.
 * @param ret_schema Lives as long as the definitions.
 * @return 0; -ENOMEM.
 */
int mcp_definitions_get(
    struct mcp_definitions *definitions,
    enum mcp_version version,
    unsigned slot,
    const struct jsv_schema **ret_schema);

/**
 * The schema of a definition named by a user. Slow: call it once per name.
 *
 * @return 0; -ENOENT when the version has no definition of that name; -ENOMEM; -EBADMSG when an
 *         operator's schema is broken there.
 */
int mcp_definitions_find(
    struct mcp_definitions *definitions,
    enum mcp_version version,
    struct jsv_str name,
    const struct jsv_schema **ret_schema);

/**
 * SHA-256 of the schema in use for a version: of the operator's text, or of the assembled one.
 * @return 0 or -ENOMEM.
 */
int mcp_definitions_digest(
    struct mcp_definitions *definitions,
    enum mcp_version version,
    char ret_hex[static OS_DIGEST_HEX_SIZE + 1]);

/** Whether the operator provided the schema of a version. */
bool mcp_definitions_is_operators(
    const struct mcp_definitions *definitions, enum mcp_version version);

/**
 * Write the schemas used so far: an array of
 * {"version":…,"source":"embedded" or "operator","sha256":…}. Any thread.
 */
void mcp_definitions_describe(struct mcp_definitions *definitions, struct jsv_writer *writer);
