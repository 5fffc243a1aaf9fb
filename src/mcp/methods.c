#include "mcp/methods.h"

#include "jsv/base/text.h"

static const struct mcp_method methods[] = {
#define MCP_METHOD(constant, name_, kind_, sender_, first_, last_, message_, result_)              \
    [MCP_METHOD_##constant] = {                                                                    \
        .id = MCP_METHOD_##constant,                                                               \
        .name = {name_, sizeof(name_) - 1},                                                        \
        .kind = MCP_METHOD_KIND_##kind_,                                                           \
        .sender = MCP_SENDER_##sender_,                                                            \
        .first = MCP_VERSION_##first_,                                                             \
        .last = MCP_VERSION_##last_,                                                               \
        .message = message_,                                                                       \
        .result = result_,                                                                         \
    },
#include "mcp/methods.def"
#undef MCP_METHOD
};

static const struct mcp_alternative alternatives[] = {
#define MCP_ERROR(...)
#define MCP_ALTERNATIVE(constant, method_, version_, definition_, member_, value_)                 \
    [MCP_ALTERNATIVE_##constant] = {                                                               \
        .id = MCP_ALTERNATIVE_##constant,                                                          \
        .method = MCP_METHOD_##method_,                                                            \
        .version = MCP_VERSION_##version_,                                                         \
        .definition = definition_,                                                                 \
        .member = {member_, sizeof(member_) - 1},                                                  \
        .value = value_,                                                                           \
    },
#include "mcp/answers.def"
#undef MCP_ALTERNATIVE
#undef MCP_ERROR
};

static const struct mcp_error errors[] = {
#define MCP_ALTERNATIVE(...)
#define MCP_ERROR(constant, code_, version_, definition_, part_)                                   \
    [MCP_ERROR_##constant] = {                                                                     \
        .id = MCP_ERROR_##constant,                                                                \
        .code = code_,                                                                             \
        .version = MCP_VERSION_##version_,                                                         \
        .definition = definition_,                                                                 \
        .part = MCP_ERROR_PART_##part_,                                                            \
    },
#include "mcp/answers.def"
#undef MCP_ERROR
#undef MCP_ALTERNATIVE
};

const struct mcp_method *mcp_method(enum mcp_method_id id)
{
    return &methods[id];
}

const struct mcp_method *mcp_method_find(struct jsv_str name)
{
#define MCP_METHOD(constant, literal, ...)                                                         \
    if (JSV_IS(name, literal)) {                                                                   \
        return &methods[MCP_METHOD_##constant];                                                    \
    }
#include "mcp/methods.def"
#undef MCP_METHOD
    return NULL;
}

bool mcp_method_is_in(const struct mcp_method *method, enum mcp_version version)
{
    return method->first <= version && version <= method->last;
}

const struct mcp_alternative *mcp_alternative(enum mcp_alternative_id id)
{
    return &alternatives[id];
}

const struct mcp_alternative *
mcp_alternative_of(enum mcp_method_id method, enum mcp_version version)
{
    for (size_t i = 0; i < MCP_ALTERNATIVE_COUNT; i++) {
        if (alternatives[i].method == method && alternatives[i].version == version) {
            return &alternatives[i];
        }
    }
    return NULL;
}

const struct mcp_error *mcp_error(enum mcp_error_id id)
{
    return &errors[id];
}

const struct mcp_error *mcp_error_of(int64_t code, enum mcp_version version)
{
    for (size_t i = 0; i < MCP_ERROR_COUNT; i++) {
        if (errors[i].code == code && errors[i].version == version) {
            return &errors[i];
        }
    }
    return NULL;
}
