/*
 * HTTP headers and statuses at the MCP endpoint.
 *
 * Intermediaries read headers and servers read bodies, so the protocol demands
 * that both agree. A modern request repeats its version, method and name in
 * headers, and is refused when they differ (-32020).
 */
#include <assert.h>
#include <string.h>

#include "dialect/mcp/mcp.h"
#include "jsv/base/base64.h"
#include "jsv/base/text.h"
#include "jsv/base/utf8.h"
#include "os/sys.h"

#define VERSION_HEADER "MCP-Protocol-Version"
#define SESSION_HEADER "Mcp-Session-Id"
#define PARAM_PREFIX   "Mcp-Param-"

bool mcp_is_endpoint(const struct dialect_req *req)
{
    return req->http && req->http->endpoint == RPC_ENDPOINT_MCP;
}

/* ---- statuses ---- */

void mcp_set_status(struct dialect_req *req, enum rpc_error error)
{
    req->http_status = rpc_error_status(error);
    if (!mcp_is_endpoint(req)) {
        return;
    }
    bool is_ok = error == RPC_ERROR_INVALID_PARAMS || error == RPC_ERROR_RESOURCE_NOT_FOUND ||
                 (error == RPC_ERROR_METHOD_NOT_FOUND && !mcp_is_modern(req));
    if (is_ok) {
        req->http_status = 200;
    }
}

/* ---- headers ---- */

static enum rpc_header
header(const struct dialect_req *req, struct jsv_str name, struct jsv_str *ret_value)
{
    *ret_value = (struct jsv_str){NULL, 0};
    return req->http->header(req->http, name, ret_value);
}

struct mcp_version_header mcp_version_header(const struct rpc_http *http)
{
    struct jsv_str name;
    struct mcp_version_header named = {
        .found = http->header(http, JSV_STR(VERSION_HEADER), &name),
    };
    named.is_known =
        named.found == RPC_HEADER_FOUND && mcp_version_from_name(name, &named.version) == 0;
    return named;
}

bool mcp_header_is_modern(const struct mcp_version_header *named)
{
    bool is_legacy = named->is_known && mcp_version_facts(named->version)->era == MCP_ERA_LEGACY;
    return named->found != RPC_HEADER_ABSENT && !is_legacy;
}

bool dialect_omits_id(const struct rpc_http *http, const struct dialect_session *session)
{
    if (!http || http->endpoint != RPC_ENDPOINT_MCP) {
        return false;
    }
    if (session) {
        return mcp_version_has(session->version, MCP_TRAIT_ERROR_WITHOUT_ID);
    }
    struct mcp_version_header named = mcp_version_header(http);
    return !named.is_known || mcp_version_has(named.version, MCP_TRAIT_ERROR_WITHOUT_ID);
}

/* ---- sessions ---- */

static bool refuse_session(struct dialect_req *req, unsigned status, const struct rpc_fault *fault)
{
    mcp_answer_fault(req, RPC_ERROR_INVALID_REQUEST, fault);
    req->http_status = status;
    return false;
}

static bool refuse_header_version(struct dialect_req *req)
{
    static const struct rpc_fault fault = {
        .details = JSV_STR("the protocol version in the header is not that of the session"),
        .suggestion = JSV_STR("Send the version that initialize returned"),
        .cause = {VERSION_HEADER, sizeof(VERSION_HEADER) - 1},
    };
    return refuse_session(req, 400, &fault);
}

/* A header that names a version must name the session's. */
static bool check_session_version(struct dialect_req *req, const struct mcp_version_header *named)
{
    bool fits = named->found == RPC_HEADER_ABSENT ||
                (named->is_known && named->version == (*req->session)->version);
    return fits || refuse_header_version(req);
}

bool mcp_find_session(struct dialect_req *req, const struct mcp_version_header *named)
{
    static const struct rpc_fault missing = {
        .details = JSV_STR("missing session id"),
        .suggestion = JSV_STR("Send initialize first, then " SESSION_HEADER " with every request"),
        .cause = {SESSION_HEADER, sizeof(SESSION_HEADER) - 1},
    };
    static const struct rpc_fault unknown = {
        .details = JSV_STR("unknown session"),
        .suggestion = JSV_STR("Send initialize again"),
        .cause = {SESSION_HEADER, sizeof(SESSION_HEADER) - 1},
    };
    struct jsv_str id;
    enum rpc_header found = header(req, JSV_STR(SESSION_HEADER), &id);
    if (JSV_IS(req->message.method, "initialize")) {
        if (found == RPC_HEADER_FOUND) {
            req->host->find_session(req, id); /* initialize in a live session is refused */
        }
        return true;
    }
    if (found != RPC_HEADER_FOUND) {
        return refuse_session(req, 400, &missing);
    }
    if (!req->host->find_session(req, id)) {
        return refuse_session(req, 404, &unknown);
    }
    return check_session_version(req, named);
}

/* ---- modern requests ---- */

static bool refuse_header(struct dialect_req *req, struct jsv_str name)
{
    const struct rpc_fault fault = {
        .details = JSV_STR("a header is missing, malformed or different from the body"),
        .suggestion = JSV_STR("Send the header with the same value as in the body"),
        .cause = name,
    };
    mcp_answer_fault(req, RPC_ERROR_HEADER_MISMATCH, &fault);
    return false;
}

static bool check_plain(struct dialect_req *req, struct jsv_str name, struct jsv_str expected)
{
    struct jsv_str value;
    enum rpc_header found = header(req, name, &value);
    bool fits = found == RPC_HEADER_FOUND && jsv_str_equal(value, expected);
    return fits || refuse_header(req, name);
}

bool mcp_check_version_header(struct dialect_req *req, struct jsv_str version)
{
    return check_plain(req, JSV_STR(VERSION_HEADER), version);
}

/* ---- encoded values ---- */

/* @return the text in scratch; data NULL: it is not base64 of UTF-8. */
static struct jsv_str decode(struct jsv_arena *scratch, struct jsv_str text)
{
    char *out = jsv_arena_alloc(scratch, text.size + 1);
    size_t size = out ? jsv_base64_decode(text, out) : SIZE_MAX;
    struct jsv_str decoded = {out, size};
    bool is_text = size != SIZE_MAX && jsv_utf8_valid_prefix(decoded) == size;
    return is_text ? decoded : (struct jsv_str){NULL, 0};
}

#define ENCODED_BEGIN "=?base64?"
#define ENCODED_END   "?="

/* Decode a value that may be base64. @return data NULL: it is not valid base64. */
static struct jsv_str unwrap(struct jsv_arena *scratch, struct jsv_str value)
{
    size_t begin = strlen(ENCODED_BEGIN);
    size_t end = strlen(ENCODED_END);
    bool is_wrapped = value.size >= begin + end && memcmp(value.data, ENCODED_BEGIN, begin) == 0 &&
                      memcmp(value.data + value.size - end, ENCODED_END, end) == 0;
    if (!is_wrapped) {
        return value;
    }
    return decode(scratch, (struct jsv_str){value.data + begin, value.size - begin - end});
}

static bool check_encoded(struct dialect_req *req, struct jsv_str name, struct jsv_str expected)
{
    struct jsv_str value;
    enum rpc_header found = header(req, name, &value);
    if (found != RPC_HEADER_FOUND) {
        return refuse_header(req, name);
    }
    struct jsv_str plain = unwrap(req->scratch, value);
    return (plain.data && jsv_str_equal(plain, expected)) || refuse_header(req, name);
}

/* The member of params that Mcp-Name repeats, or NONE. */
static struct jsv_value named_member(struct jsv_str method, const struct mcp_params *params)
{
    if (JSV_IS(method, "tools/call") || JSV_IS(method, "prompts/get")) {
        return params->name;
    }
    return JSV_IS(method, "resources/read") ? params->uri : (struct jsv_value){0};
}

bool mcp_check_name_headers(struct dialect_req *req, const struct mcp_params *params)
{
    const struct rpc_message *message = &req->message;
    if (message->kind != RPC_REQUEST) {
        return true;
    }
    if (!check_plain(req, JSV_STR("Mcp-Method"), message->method)) {
        return false;
    }
    struct jsv_value name = named_member(message->method, params);
    bool is_named = jsv_value_type(name) == JSV_TYPE_STRING;
    return !is_named || check_encoded(req, JSV_STR("Mcp-Name"), jsv_value_text(name));
}

/* ---- arguments in headers ---- */

static bool fits_argument(struct dialect_req *req, struct jsv_value argument, struct jsv_str value)
{
    switch (jsv_value_type(argument)) {
    case JSV_TYPE_STRING:
        return jsv_str_equal(value, jsv_value_text(argument));
    case JSV_TYPE_BOOLEAN:
        return jsv_str_equal(value, jsv_value_bool(argument) ? JSV_STR("true") : JSV_STR("false"));
    case JSV_TYPE_NUMBER: {
        struct jsv_document *document = jsv_document_new(os_allocator());
        struct jsv_error error;
        bool fits = document && jsv_read(req->reader, document, value, 0, &error) == 0 &&
                    jsv_value_equal(jsv_document_root(document), argument, req->scratch) == 1;
        jsv_document_free(document);
        return fits;
    }
    case JSV_TYPE_NONE:
    case JSV_TYPE_NULL:
    case JSV_TYPE_ARRAY:
    case JSV_TYPE_OBJECT:
        break;
    }
    return false;
}

static bool
check_argument(struct dialect_req *req, struct jsv_str suffix, struct jsv_value argument)
{
    char name[sizeof(PARAM_PREFIX) + CATALOG_HEADER_NAME_MAX] = PARAM_PREFIX;
    size_t prefix = strlen(PARAM_PREFIX);
    enum jsv_type type = jsv_value_type(argument);
    if (type == JSV_TYPE_NONE || type == JSV_TYPE_NULL) {
        return true;
    }
    assert(suffix.size <= CATALOG_HEADER_NAME_MAX); /* the catalog refuses longer ones */
    memcpy(name + prefix, suffix.data, suffix.size);
    struct jsv_str whole = {name, prefix + suffix.size};
    struct jsv_str value;
    if (header(req, whole, &value) != RPC_HEADER_FOUND) {
        return refuse_header(req, suffix);
    }
    struct jsv_str plain = unwrap(req->scratch, value);
    return (plain.data && fits_argument(req, argument, plain)) || refuse_header(req, suffix);
}

static bool check_properties(
    struct dialect_req *req, struct jsv_value schema, struct jsv_value object, unsigned depth)
{
    struct jsv_iter iter = jsv_value_iter(jsv_value_get(schema, JSV_STR("properties")));
    while (jsv_iter_next(&iter)) {
        struct jsv_value argument = jsv_value_get(object, jsv_value_text(iter.key));
        struct jsv_value suffix = jsv_value_get(iter.value, JSV_STR("x-mcp-header"));
        if (jsv_value_type(suffix) == JSV_TYPE_STRING &&
            !check_argument(req, jsv_value_text(suffix), argument)) {
            return false;
        }
        if (depth < CATALOG_PROPERTY_DEPTH_MAX &&
            !check_properties(req, iter.value, argument, depth + 1)) {
            return false;
        }
    }
    return true;
}

bool mcp_check_argument_headers(
    struct dialect_req *req, const struct catalog_tool *tool, struct jsv_value arguments)
{
    return !tool->has_headers || check_properties(req, tool->input_schema, arguments, 1);
}
