/* The versions of the Model Context Protocol. */
#pragma once

#include <jsv/jsv.h>

enum mcp_version {
#define MCP_VERSION(constant, ...) MCP_VERSION_##constant,
#include "mcp/versions.def"
#undef MCP_VERSION
    MCP_VERSION_COUNT,
};

#define MCP_VERSION_OLDEST        ((enum mcp_version)0)
#define MCP_VERSION_NEWEST        ((enum mcp_version)(MCP_VERSION_COUNT - 1))
#define MCP_VERSION_NEWEST_LEGACY MCP_VERSION_2025_11_25

enum mcp_era {
    MCP_ERA_LEGACY, /* a session that begins with initialize */
    MCP_ERA_MODERN, /* stateless: every request has its version */
};

enum mcp_trait {
    MCP_TRAIT_BATCH = 1 << 0,                     /* an array of messages is a message */
    MCP_TRAIT_ERROR_WITHOUT_ID = 1 << 1,          /* an error may leave its id out */
    MCP_TRAIT_BAD_ARGUMENTS_ARE_RESULTS = 1 << 2, /* isError instead of an error response */
    MCP_TRAIT_RESULT_TYPE = 1 << 3,               /* every result has a resultType */
    MCP_TRAIT_DISCONNECT_CANCELS = 1 << 4,        /* closing the stream cancels the request */
};

struct mcp_version_facts {
    const char *name;
    enum mcp_era era;
    const char *response; /* definition of any response with a result */
    const char *error;    /* definition of any response with an error */
    const char *marker;   /* a definition that no earlier version has */
    int unknown_resource; /* code of the error */
    unsigned traits;      /* of enum mcp_trait */
};

/** Static. */
const struct mcp_version_facts *mcp_version_facts(enum mcp_version version);
bool mcp_version_has(enum mcp_version version, enum mcp_trait trait);
const char *mcp_version_name(enum mcp_version version);
/** Find by name. @return 0, or -ENOENT. */
int mcp_version_from_name(struct jsv_str name, enum mcp_version *ret_version);
