#include "mcp/versions.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

/* A version is named by its date. */
#define NAME_SIZE (sizeof("2024-11-05") - 1)

#define MCP_VERSION(constant, name, ...) static_assert(sizeof(name) - 1 == NAME_SIZE, name);
#include "mcp/versions.def"
#undef MCP_VERSION

static const struct mcp_version_facts facts[] = {
#define MCP_VERSION(constant, name_, era_, response_, error_, marker_, unknown_resource_, traits_) \
    [MCP_VERSION_##constant] = {                                                                   \
        .name = name_,                                                                             \
        .era = MCP_ERA_##era_,                                                                     \
        .response = response_,                                                                     \
        .error = error_,                                                                           \
        .marker = marker_,                                                                         \
        .unknown_resource = unknown_resource_,                                                     \
        .traits = traits_,                                                                         \
    },
#include "mcp/versions.def"
#undef MCP_VERSION
};

const struct mcp_version_facts *mcp_version_facts(enum mcp_version version)
{
    return &facts[version];
}

bool mcp_version_has(enum mcp_version version, enum mcp_trait trait)
{
    return facts[version].traits & trait;
}

const char *mcp_version_name(enum mcp_version version)
{
    return facts[version].name;
}

int mcp_version_from_name(struct jsv_str name, enum mcp_version *ret_version)
{
    if (name.size != NAME_SIZE) {
        return -ENOENT;
    }
    /* Most clients use the newest. */
    for (enum mcp_version version = MCP_VERSION_COUNT; version-- > 0;) {
        if (memcmp(name.data, facts[version].name, NAME_SIZE) == 0) {
            *ret_version = version;
            return 0;
        }
    }
    return -ENOENT;
}
