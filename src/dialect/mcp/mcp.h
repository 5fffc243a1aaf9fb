/*
 * The official protocol, inside: what its files share.
 *
 * mcp.c decides which version a message speaks and checks it against that
 * version's definition; a handler per method (mcp_handlers.def) answers it or
 * names the tool to call. mcp_answer.c writes what all answers have in common.
 */
#pragma once

#include "dialect/dialect.h"
#include "dialect/mcp/params.h"
#include "dialect/session.h"
#include "mcp/methods.h"
#include "mcp/versions.h"

/** A request that fits its definition. */
struct mcp_exchange {
    struct dialect_req *req;
    enum mcp_version version;
    struct jsv_value params;        /* an object; empty when the message has none */
    const struct mcp_params *parts; /* of them */
};

typedef enum dialect_step mcp_handler(struct mcp_exchange *exchange);

#define MCP_HANDLER(method, handler) mcp_handler mcp_handle_##handler;
#include "dialect/mcp/handlers.def"
#undef MCP_HANDLER

/** The version a request speaks, once open() has found it out. */
enum mcp_version mcp_version_of(const struct dialect_req *req);

/** "_meta" with the id that every message of a subscription has. */
void mcp_write_subscription(struct jsv_writer *writer, struct jsv_value id);
/** The answer to a request that has listened: it is over. */
void mcp_end_listening(struct dialect_req *req);

/* ---- answers ---- */

/** {"jsonrpc":…,"id":…,"result":{ with what every result of the version has; members follow. */
struct jsv_writer mcp_result_begin(struct dialect_req *req);
/** The same for a result that is not "complete", where the version has that. */
struct jsv_writer mcp_result_begin_as(struct dialect_req *req, struct jsv_str type);
void mcp_result_end(struct jsv_writer *writer);
/** How long a result may be kept, and by whom, where the version has that. */
void mcp_write_cache_hints(struct jsv_writer *writer, const struct mcp_exchange *exchange);
/** The same for what is not to be kept, nor passed on to others. */
void mcp_write_live_hints(struct jsv_writer *writer, enum mcp_version version);
/** "name":{"name":"mcpgate","version":…} */
void mcp_write_server_info(struct jsv_writer *writer, struct jsv_str name);

/** An error without data. @return DIALECT_DONE, for handlers. */
enum dialect_step
mcp_answer_error(struct dialect_req *req, enum rpc_error error, struct jsv_str message);
/** An error whose data says {details, suggestion, cause}. @return DIALECT_DONE. */
enum dialect_step
mcp_answer_fault(struct dialect_req *req, enum rpc_error error, const struct rpc_fault *fault);
/**
 * A message or the arguments in it do not fit: data with the first problem and the list.
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
/** "content": one such block */
void mcp_write_text_content(struct jsv_writer *writer, struct jsv_str text);
