/*
 * initialize and initialized of the legacy era, server/discover of the modern one,
 * ping and cancelled of both.
 */
#include <errno.h>

#include "dialect/mcp/mcp.h"

static const char instructions[] =
    "Serves JSON schemas and examples, validates and compares assets. Call validate_asset with an "
    "asset and the name of its schema; list_schemas lists the names.";

static void write_capabilities(struct jsv_writer *writer, enum mcp_version version)
{
    jsv_write_member_object_begin(writer, JSV_STR("capabilities"));
    jsv_write_member_span(writer, JSV_STR("tools"), JSV_STR("{\"listChanged\":true}"));
    jsv_write_member_span(
        writer, JSV_STR("resources"), JSV_STR("{\"subscribe\":true,\"listChanged\":true}"));
    jsv_write_member_span(writer, JSV_STR("prompts"), JSV_STR("{\"listChanged\":true}"));
    jsv_write_member_span(writer, JSV_STR("logging"), JSV_STR("{}"));
    if (version >= MCP_VERSION_2025_03_26) {
        jsv_write_member_span(writer, JSV_STR("completions"), JSV_STR("{}"));
    }
    jsv_write_object_end(writer);
}

/* The requested version if it is a legacy one, else the newest legacy version. */
static enum mcp_version negotiate(struct jsv_str wanted)
{
    enum mcp_version version;
    bool known = mcp_version_from_name(wanted, &version) == 0;
    bool legacy = known && mcp_version_facts(version)->era == MCP_ERA_LEGACY;
    return legacy ? version : MCP_VERSION_NEWEST_LEGACY;
}

/* Begin a session. @return 0; -ENOSPC: there are too many; -errno. */
static int begin_session(struct dialect_req *req, enum mcp_version version)
{
    struct dialect_session *session = dialect_session_new(version);
    if (!session) {
        return -ENOMEM;
    }
    *req->session = session;
    int r = req->http ? req->host->keep_session(req) : 0;
    if (r < 0) {
        *req->session = NULL;
        dialect_session_release(session);
    }
    return r;
}

enum dialect_step mcp_handle_initialize(struct mcp_exchange *exchange)
{
    static const struct rpc_fault again = {
        .details = JSV_STR("already initialized"),
        .suggestion = JSV_STR("Open a new connection, or leave the session's id out"),
        .cause = JSV_STR("/method"),
    };
    static const struct rpc_fault busy = {
        .details = JSV_STR("the server has as many sessions as it may have, and none is idle"),
        .suggestion = JSV_STR("Try again after the time in Retry-After; end sessions with DELETE "
                              "when they are no longer needed"),
        .cause = JSV_STR("/method"),
    };
    struct dialect_req *req = exchange->req;
    if (*req->session) {
        return mcp_answer_fault(req, RPC_ERROR_INVALID_REQUEST, &again);
    }
    struct jsv_value wanted = jsv_value_get(exchange->params, JSV_STR("protocolVersion"));
    enum mcp_version version = negotiate(jsv_value_text(wanted));
    int r = begin_session(req, version);
    if (r == -ENOSPC) {
        return mcp_answer_fault(req, RPC_ERROR_BUSY, &busy);
    }
    if (r < 0) {
        return mcp_answer_error(req, RPC_ERROR_INTERNAL, JSV_STR("no session can be made"));
    }
    struct jsv_value capabilities = jsv_value_get(exchange->params, JSV_STR("capabilities"));
    (*req->session)->capabilities = mcp_capabilities_of(capabilities, version);
    req->variant = version;
    struct jsv_writer writer = mcp_result_begin(req);
    jsv_write_member_string(
        &writer, JSV_STR("protocolVersion"), jsv_str_from(mcp_version_name(version)));
    write_capabilities(&writer, version);
    mcp_write_server_info(&writer, JSV_STR("serverInfo"));
    jsv_write_member_string(&writer, JSV_STR("instructions"), JSV_STR(instructions));
    mcp_result_end(&writer);
    return DIALECT_DONE;
}

enum dialect_step mcp_handle_initialized(struct mcp_exchange *exchange)
{
    if (*exchange->req->session) {
        (*exchange->req->session)->is_initialized = true;
    }
    return DIALECT_DONE;
}

enum dialect_step mcp_handle_discover(struct mcp_exchange *exchange)
{
    struct jsv_writer writer = mcp_result_begin(exchange->req);
    jsv_write_member_array_begin(&writer, JSV_STR("supportedVersions"));
    for (unsigned i = MCP_VERSION_COUNT; i > 0; i--) {
        jsv_write_string(&writer, jsv_str_from(mcp_version_name((enum mcp_version)(i - 1))));
    }
    jsv_write_array_end(&writer);
    write_capabilities(&writer, exchange->version);
    jsv_write_member_string(&writer, JSV_STR("instructions"), JSV_STR(instructions));
    mcp_write_cache_hints(&writer, exchange);
    mcp_result_end(&writer);
    return DIALECT_DONE;
}

enum dialect_step mcp_handle_ping(struct mcp_exchange *exchange)
{
    return mcp_answer_empty(exchange->req);
}

enum dialect_step mcp_handle_cancelled(struct mcp_exchange *exchange)
{
    struct dialect_req *req = exchange->req;
    struct jsv_value id = jsv_value_get(exchange->params, JSV_STR("requestId"));
    if (jsv_value_type(id) != JSV_TYPE_NONE) {
        req->host->cancel(req, id);
    }
    return DIALECT_DONE;
}
