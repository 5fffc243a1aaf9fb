#include "cli/check_version.h"

#include "cli/check_pending.h"
#include "mcp/methods.h"

static bool is_legacy(enum mcp_version version)
{
    return mcp_version_facts(version)->era == MCP_ERA_LEGACY;
}

static bool has_version(struct jsv_value value, struct jsv_str name, enum mcp_version *ret_version)
{
    struct jsv_str text = jsv_value_text(jsv_value_get(value, name));
    return text.size > 0 && mcp_version_from_name(text, ret_version) == 0;
}

static enum mcp_version open_session(struct check_session *session, enum mcp_version version)
{
    *session = (struct check_session){.is_open = true, .version = version};
    return version;
}

/* What the client asks for; a server would answer an unknown version with its newest. */
static enum mcp_version on_initialize(struct check_session *session, struct jsv_value params)
{
    enum mcp_version asked;
    bool is_known = has_version(params, JSV_STR("protocolVersion"), &asked) && is_legacy(asked);
    return open_session(session, is_known ? asked : MCP_VERSION_NEWEST_LEGACY);
}

static enum mcp_version on_answer(
    struct check_session *session,
    const struct mcp_method *method,
    enum mcp_version version,
    struct jsv_value message)
{
    enum mcp_version settled;
    struct jsv_value result = jsv_value_get(message, JSV_STR("result"));
    bool opens = jsv_str_equal(method->name, JSV_STR("initialize")) &&
                 has_version(result, JSV_STR("protocolVersion"), &settled) && is_legacy(settled);
    return opens ? open_session(session, settled) : version;
}

enum mcp_version check_version_find(
    struct check_session *session, const struct check_pending *pending, struct jsv_value message)
{
    struct jsv_value name = jsv_value_get(message, JSV_STR("method"));
    struct jsv_value params = jsv_value_get(message, JSV_STR("params"));
    struct jsv_value id = jsv_value_get(message, JSV_STR("id"));
    enum mcp_version version = session->is_open ? session->version : MCP_VERSION_NEWEST;
    const struct mcp_method *method;
    if (jsv_value_type(name) == JSV_TYPE_NONE) {
        method = check_pending_find(pending, id, &version);
        return method ? on_answer(session, method, version, message) : version;
    }
    if (has_version(
            jsv_value_get(params, JSV_STR("_meta")),
            JSV_STR("io.modelcontextprotocol/protocolVersion"),
            &version)) {
        return version;
    }
    bool opens = jsv_str_equal(jsv_value_text(name), JSV_STR("initialize"));
    return opens ? on_initialize(session, params) : version;
}
