#include "dialect/mcp/http.h"
#include "dialect/write.h"
#include "jsv/base/append.h"

/* The snapshot changes only by a reload, which is rare; a client may keep lists for a while. */
#define TTL_MS 10000

/* Who we are; in every result of a modern version, and so in one piece. */
#define SERVER_INFO "{\"name\":\"mcpgate\",\"version\":\"" MCPGATE_VERSION "\"}"
#define META        "\"_meta\":{\"io.modelcontextprotocol/serverInfo\":" SERVER_INFO "}"

void mcp_write_member(struct jsv_writer *writer, struct jsv_str name, struct jsv_value value)
{
    if (jsv_value_type(value) != JSV_TYPE_NONE) {
        jsv_write_member_value(writer, name, value);
    }
}

void mcp_write_server_info(struct jsv_writer *writer, struct jsv_str name)
{
    jsv_write_member_span(writer, name, JSV_STR(SERVER_INFO));
}

#define TEXT_BLOCK "{\"type\":\"text\",\"text\":"

void mcp_write_text_block(struct jsv_writer *writer, struct jsv_str text)
{
    jsv_write_span(writer, JSV_STR(TEXT_BLOCK));
    jsv_write_string(writer, text);
    JSV_PUT(writer->out, "}");
}

void mcp_write_text_content(struct jsv_writer *writer, struct jsv_str text)
{
    jsv_write_span(writer, JSV_STR("\"content\":[" TEXT_BLOCK));
    jsv_write_string(writer, text);
    JSV_PUT(writer->out, "}]");
}

struct jsv_writer mcp_result_begin(struct dialect_req *req)
{
    return mcp_result_begin_as(req, JSV_STR("complete"));
}

struct jsv_writer mcp_result_begin_as(struct dialect_req *req, struct jsv_str type)
{
    struct jsv_writer writer = rpc_write_result(req->reply, &req->message);
    JSV_PUT(writer.out, "{");
    if (mcp_version_has(mcp_version_of(req), MCP_TRAIT_RESULT_TYPE)) {
        JSV_PUT(writer.out, "\"resultType\":\"");
        jsv_put(writer.out, type.data, type.size); /* a word of ours */
        JSV_PUT(writer.out, "\"," META);
    }
    return writer;
}

void mcp_result_end(struct jsv_writer *writer)
{
    JSV_PUT(writer->out, "}");
    rpc_write_result_end(writer);
}

static void write_hints(
    struct jsv_writer *writer, enum mcp_version version, int64_t ttl_ms, struct jsv_str scope)
{
    if (!mcp_version_has(version, MCP_TRAIT_RESULT_TYPE)) {
        return;
    }
    jsv_write_member_int64(writer, JSV_STR("ttlMs"), ttl_ms);
    jsv_write_member_string(writer, JSV_STR("cacheScope"), scope);
}

void mcp_write_cache_hints(struct jsv_writer *writer, const struct mcp_exchange *exchange)
{
    bool is_private = exchange->req->is_private;
    write_hints(
        writer, exchange->version, TTL_MS, is_private ? JSV_STR("private") : JSV_STR("public"));
}

void mcp_write_live_hints(struct jsv_writer *writer, enum mcp_version version)
{
    write_hints(writer, version, 0, JSV_STR("private"));
}

enum dialect_step
mcp_answer_error(struct dialect_req *req, enum rpc_error error, struct jsv_str message)
{
    mcp_set_status(req, error);
    struct jsv_writer writer =
        rpc_write_error(req->reply, &req->message, rpc_error_code(error), message);
    rpc_write_error_end(&writer);
    return DIALECT_DONE;
}

enum dialect_step
mcp_answer_fault(struct dialect_req *req, enum rpc_error error, const struct rpc_fault *fault)
{
    mcp_set_status(req, error);
    rpc_write_fault(req->reply, &req->message, error, fault);
    return DIALECT_DONE;
}

enum dialect_step mcp_answer_problems(
    struct dialect_req *req,
    enum rpc_error error,
    struct jsv_str prefix,
    const struct jsv_problems *problems)
{
    struct jsv_str text = rpc_error_message(error);
    if (error != RPC_ERROR_INVALID_REQUEST) {
        text = dialect_problem_message(req->scratch, text, prefix, &problems->items[0]);
    }
    mcp_set_status(req, error);
    struct jsv_writer writer =
        rpc_write_error(req->reply, &req->message, rpc_error_code(error), text);
    jsv_write_key(&writer, JSV_STR("data"));
    dialect_write_problems(&writer, prefix, problems);
    rpc_write_error_end(&writer);
    return DIALECT_DONE;
}
