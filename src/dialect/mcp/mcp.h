/*
 * The official protocol: what the files of this folder share.
 *
 * mcp.c decides which version a message uses and checks it against that
 * version's definition. A handler per method (handlers.def) answers it or names
 * the tool to call. answer.c writes the parts that all answers have.
 */
#pragma once

#include "dialect/dialect.h"
#include "dialect/session.h"
#include "mcp/methods.h"
#include "mcp/versions.h"

/** Members that the params of several methods have, found in one walk. NONE where absent. */
struct mcp_params {
    struct jsv_value meta; /* "_meta" */
    struct jsv_value name;
    struct jsv_value uri;
    struct jsv_value arguments;
    struct jsv_value request_state;
    struct jsv_value input_responses;
};

/** @param params An object; anything else has none of the members. */
struct mcp_params mcp_params_find(struct jsv_value params);

/** A request that matches its definition. */
struct mcp_exchange {
    struct dialect_req *req;
    enum mcp_version version;
    struct jsv_value params; /* an object; empty when the message has none */
    const struct mcp_params *parts;
};

typedef enum dialect_step mcp_handler(struct mcp_exchange *exchange);

#define MCP_HANDLER(method, handler) mcp_handler mcp_handle_##handler;
#include "dialect/mcp/handlers.def"
#undef MCP_HANDLER

/** The version of a request, once open() has decided on it. */
enum mcp_version mcp_version_of(const struct dialect_req *req);
bool mcp_is_modern(const struct dialect_req *req);

/* ---- answer.c: results and errors ---- */

/** {"jsonrpc":…,"id":…,"result":{ with the members that every result has. More may follow. */
struct jsv_writer mcp_result_begin(struct dialect_req *req);
/** The same with another resultType than "complete", where the version has it. */
struct jsv_writer mcp_result_begin_as(struct dialect_req *req, struct jsv_str type);
void mcp_result_end(struct jsv_writer *writer);
/** A result without members of its own. @return DIALECT_DONE. */
enum dialect_step mcp_answer_empty(struct dialect_req *req);

/** Write one item of a list. */
typedef void
mcp_write_item(const struct mcp_exchange *exchange, size_t index, struct jsv_writer *writer);
/**
 * Answer with the page of a list that the request's cursor names. @return DIALECT_DONE.
 * @param name Of the member, such as "tools".
 */
enum dialect_step mcp_answer_list(
    const struct mcp_exchange *exchange, struct jsv_str name, size_t count, mcp_write_item *item);

/** How long a result may be cached, and by whom, where the version has that. */
void mcp_write_cache_hints(struct jsv_writer *writer, const struct mcp_exchange *exchange);
/** The same for a result that must not be cached. */
void mcp_write_live_hints(struct jsv_writer *writer, enum mcp_version version);
/** "name":{"name":"mcpgate","version":…} */
void mcp_write_server_info(struct jsv_writer *writer, struct jsv_str name);

/** An error without data. @return DIALECT_DONE, for handlers. */
enum dialect_step
mcp_answer_error(struct dialect_req *req, enum rpc_error error, struct jsv_str message);
/** An error with the data {details, suggestion, cause}. @return DIALECT_DONE. */
enum dialect_step
mcp_answer_fault(struct dialect_req *req, enum rpc_error error, const struct rpc_fault *fault);
/**
 * An error for a message or arguments that do not match: the first problem and the list.
 * @param prefix Put before each path.
 * @return DIALECT_DONE.
 */
enum dialect_step mcp_answer_problems(
    struct dialect_req *req,
    enum rpc_error error,
    struct jsv_str prefix,
    const struct jsv_problems *problems);

/** "name": value, unless that is NONE. */
void mcp_write_member(struct jsv_writer *writer, struct jsv_str name, struct jsv_value value);
/** {"type":"text","text":…} */
void mcp_write_text_block(struct jsv_writer *writer, struct jsv_str text);
/** A tool's result that is only a text. */
void mcp_answer_text(struct dialect_req *req, struct jsv_str text, bool is_error);

/* The outcome of a tool; see struct dialect. */
void mcp_refuse(struct dialect_req *req, const struct jsv_problems *problems);
void mcp_render(struct dialect_req *req, struct jsv_str result, enum tool_verdict verdict);
void mcp_render_failure(struct dialect_req *req);

/* ---- ask.c: questions to the client ---- */

/** The operations of struct dialect_client_ops that ask. */
bool mcp_ask(struct dialect_req *req, struct jsv_value questions, struct jsv_str tool_state);
void mcp_give_up(struct dialect_req *req, struct jsv_str details);
bool mcp_offers(const struct dialect_req *req, struct jsv_str capability);

/** Take the answers that a request carries. @return whether it may continue; else it is answered.
 */
bool mcp_take_inputs(struct mcp_exchange *exchange);
/** Handle a message that may answer a question. */
enum dialect_step mcp_take_answer(struct dialect_req *req);
/** What the client of a legacy session can be asked for: enum dialect_capability. */
unsigned mcp_capabilities_of(struct jsv_value capabilities, enum mcp_version version);

/* ---- http.c: headers and statuses ---- */

/** Whether a request came to the MCP endpoint. */
bool mcp_is_endpoint(const struct dialect_req *req);
/** Set the HTTP status of an error. */
void mcp_set_status(struct dialect_req *req, enum rpc_error error);

/** The header MCP-Protocol-Version. */
struct mcp_version_header {
    enum rpc_header found;
    bool is_known; /* it names a version of enum mcp_version */
    enum mcp_version version;
};

struct mcp_version_header mcp_version_header(const struct rpc_http *http);
/** Whether it makes a request modern. */
bool mcp_header_is_modern(const struct mcp_version_header *named);

/* Each of these returns whether the request may continue; else it is answered. */

/** Find the session of a legacy request. */
bool mcp_find_session(struct dialect_req *req, const struct mcp_version_header *named);
/** Compare the version in the header with that of the body. */
bool mcp_check_version_header(struct dialect_req *req, struct jsv_str version);
/** Compare the headers for method and name with the body. */
bool mcp_check_name_headers(struct dialect_req *req, const struct mcp_params *params);
/** Compare the headers for arguments of a tool with the arguments. */
bool mcp_check_argument_headers(
    struct dialect_req *req, const struct catalog_tool *tool, struct jsv_value arguments);

/* ---- notifications.c, listen.c ---- */

/** {"jsonrpc":"2.0","method":…,"params":{ : the members of params are next. */
struct jsv_writer mcp_notification_begin(struct jsv_buf *out, struct jsv_str method);
void mcp_notification_end(struct jsv_writer *writer);

/** "_meta" with the id that every message of a subscription has. */
void mcp_write_subscription(struct jsv_writer *writer, struct jsv_value id);
/** Answer a request that listens, which ends it. */
void mcp_end_listening(struct dialect_req *req);
