/*
 * Results and errors of the official protocol, and the results of tools.
 */
#include <stdio.h>

#include "dialect/mcp/mcp.h"
#include "dialect/write.h"
#include "jsv/base/text.h"
#include "jsv/base/utf8.h"
#include "tools/result.h"

/* Clients may cache lists for so long, because the catalog only changes by a reload. */
#define TTL_MS 10000

/* Every modern result has this, so it is written in one piece. */
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

/* ---- results ---- */

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
        jsv_put(writer.out, type.data, type.size); /* needs no escapes */
        JSV_PUT(writer.out, "\"," META);
    }
    return writer;
}

void mcp_result_end(struct jsv_writer *writer)
{
    JSV_PUT(writer->out, "}");
    rpc_write_result_end(writer);
}

enum dialect_step mcp_answer_empty(struct dialect_req *req)
{
    struct jsv_writer writer = mcp_result_begin(req);
    mcp_result_end(&writer);
    return DIALECT_DONE;
}

static void write_hints(
    struct jsv_writer *writer, enum mcp_version version, int64_t ttl_ms, struct jsv_str scope)
{
    if (mcp_version_has(version, MCP_TRAIT_RESULT_TYPE)) {
        jsv_write_member_int64(writer, JSV_STR("ttlMs"), ttl_ms);
        jsv_write_member_string(writer, JSV_STR("cacheScope"), scope);
    }
}

void mcp_write_cache_hints(struct jsv_writer *writer, const struct mcp_exchange *exchange)
{
    struct jsv_str scope = exchange->req->is_private ? JSV_STR("private") : JSV_STR("public");
    write_hints(writer, exchange->version, TTL_MS, scope);
}

void mcp_write_live_hints(struct jsv_writer *writer, enum mcp_version version)
{
    write_hints(writer, version, 0, JSV_STR("private"));
}

/* ---- lists in pages ---- */

/* Items on a page: some hundred kilobytes of resources. */
#define PAGE_SIZE 1000

/* Digits of an index. A cursor is the index of the next page's first item. */
#define DIGITS_MAX 9

/* @return whether a text is an index as mcp_answer_list() writes it. */
static bool read_index(struct jsv_str text, size_t *ret_index)
{
    size_t index = 0;
    if (text.size == 0 || text.size > DIGITS_MAX || text.data[0] == '0') {
        return false;
    }
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
        index = index * 10 + (size_t)(text.data[i] - '0');
    }
    *ret_index = index;
    return true;
}

enum dialect_step mcp_answer_list(
    const struct mcp_exchange *exchange, struct jsv_str name, size_t count, mcp_write_item *item)
{
    static const struct rpc_fault unknown_cursor = {
        .details = JSV_STR("unknown cursor"),
        .suggestion = JSV_STR("Pass a nextCursor as it was returned, or none"),
        .cause = JSV_STR("/params/cursor"),
    };
    struct dialect_req *req = exchange->req;
    struct jsv_value cursor = jsv_value_get(exchange->params, JSV_STR("cursor"));
    size_t first = 0;
    if (jsv_value_type(cursor) != JSV_TYPE_NONE &&
        !(read_index(jsv_value_text(cursor), &first) && first % PAGE_SIZE == 0 && first < count)) {
        return mcp_answer_fault(req, RPC_ERROR_INVALID_PARAMS, &unknown_cursor);
    }
    size_t end = count - first > PAGE_SIZE ? first + PAGE_SIZE : count;
    struct jsv_writer writer = mcp_result_begin(req);
    jsv_write_member_array_begin(&writer, name);
    for (size_t i = first; i < end; i++) {
        item(exchange, i, &writer);
    }
    jsv_write_array_end(&writer);
    if (end < count) {
        char next[DIGITS_MAX + 16];
        int size = snprintf(next, sizeof(next), "%zu", end);
        struct jsv_str text = {next, (size_t)size};
        jsv_write_member_string(&writer, JSV_STR("nextCursor"), text);
    }
    mcp_write_cache_hints(&writer, exchange);
    mcp_result_end(&writer);
    return DIALECT_DONE;
}

/* ---- errors ---- */

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

/* ---- results of tools ---- */

#define TEXT_BLOCK "{\"type\":\"text\",\"text\":"

void mcp_write_text_block(struct jsv_writer *writer, struct jsv_str text)
{
    jsv_write_span(writer, JSV_STR(TEXT_BLOCK));
    jsv_write_string(writer, text);
    JSV_PUT(writer->out, "}");
}

/* What a program wrote, as text. */
static void write_output_block(struct jsv_writer *writer, const struct tool_call *call)
{
    if (call->result.kind == ENVELOPE_RESULT_JSON) {
        mcp_write_text_block(writer, jsv_buf_str(call->out));
        return;
    }
    struct jsv_buf text;
    jsv_buf_init(&text, &writer->out->allocator, writer->out->size_max);
    if (jsv_utf8_append_repaired(&text, call->result.bytes) == 0) {
        mcp_write_text_block(writer, jsv_buf_str(&text));
    } else if (writer->out->error == 0) {
        writer->out->error = text.error;
    }
    jsv_buf_done(&text);
}

static void end_call_result(struct jsv_writer *writer, bool is_error)
{
    if (is_error) {
        JSV_PUT(writer->out, ",\"isError\":true");
    } else {
        JSV_PUT(writer->out, ",\"isError\":false");
    }
    mcp_result_end(writer);
}

/* @param structured Also written as "structuredContent" where the version has it; data NULL: none.
 */
static void write_call_result(
    struct dialect_req *req, struct jsv_str text, struct jsv_str structured, bool is_error)
{
    struct jsv_writer writer = mcp_result_begin(req);
    jsv_write_span(&writer, JSV_STR("\"content\":[" TEXT_BLOCK));
    jsv_write_string(&writer, text);
    JSV_PUT(writer.out, "}]");
    if (structured.data && mcp_version_of(req) >= MCP_VERSION_2025_06_18) {
        JSV_PUT(writer.out, ",\"structuredContent\":");
        jsv_put(writer.out, structured.data, structured.size);
    }
    end_call_result(&writer, is_error);
}

void mcp_answer_text(struct dialect_req *req, struct jsv_str text, bool is_error)
{
    write_call_result(req, text, (struct jsv_str){NULL, 0}, is_error);
}

void mcp_render(struct dialect_req *req, struct jsv_str result, enum tool_verdict verdict)
{
    bool is_error = verdict == TOOL_VERDICT_FAILED;
    if (!req->tool->is_content && result.size > 0 && result.data[0] == '{') {
        write_call_result(req, result, result, is_error);
        return;
    }
    struct jsv_writer writer = mcp_result_begin(req);
    if (req->tool->is_content) { /* the tool writes the blocks itself */
        jsv_write_member_span(&writer, JSV_STR("content"), result);
    } else { /* only an object can be structured content */
        jsv_write_member_array_begin(&writer, JSV_STR("content"));
        write_output_block(&writer, req->call);
        jsv_write_array_end(&writer);
    }
    end_call_result(&writer, is_error);
}

/* The failure, then what the program wrote before. It is not structured, because it need not match
   the tool's output schema. */
void mcp_render_failure(struct dialect_req *req)
{
    const struct tool_call *call = req->call;
    struct jsv_writer writer = mcp_result_begin(req);
    jsv_write_member_array_begin(&writer, JSV_STR("content"));
    if (!tool_tells_errors(call)) {
        mcp_write_text_block(&writer, call->failure.message);
    }
    if (call->result.kind != ENVELOPE_RESULT_NONE) {
        write_output_block(&writer, call);
    }
    jsv_write_array_end(&writer);
    end_call_result(&writer, true);
}

/*
 * Refused arguments as a result, in the format of the tool's own failures. It is not structured,
 * because clients would check it against the tool's output schema.
 */
static void refuse_by_result(struct dialect_req *req, const struct jsv_problems *problems)
{
    struct jsv_buf text;
    jsv_buf_init(&text, &req->reply->allocator, req->reply->size_max);
    struct jsv_writer writer = jsv_writer_on(&text);
    tool_write_invalid(&writer, problems);
    if (text.error == 0) {
        mcp_answer_text(req, jsv_buf_str(&text), true);
    } else {
        mcp_answer_error(req, RPC_ERROR_INTERNAL, JSV_STR("out of memory"));
    }
    jsv_buf_done(&text);
}

void mcp_refuse(struct dialect_req *req, const struct jsv_problems *problems)
{
    if (mcp_version_has(mcp_version_of(req), MCP_TRAIT_BAD_ARGUMENTS_ARE_RESULTS)) {
        refuse_by_result(req, problems);
    } else {
        mcp_answer_problems(req, RPC_ERROR_INVALID_PARAMS, JSV_STR("/params/arguments"), problems);
    }
}
