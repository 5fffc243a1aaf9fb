/*
 * What a client is told while its request is in flight: progress, if it gave a
 * token for it; messages, if they matter enough. A legacy client says by
 * logging/setLevel what matters to it, a modern one in each request.
 */
#include "dialect/mcp/talk.h"

#include "dialect/mcp/ask.h"
#include "os/sys.h"

#define META_LEVEL "io.modelcontextprotocol/logLevel"

static const struct jsv_str level_names[] = {
    [TOOL_LEVEL_DEBUG] = JSV_STR("debug"),
    [TOOL_LEVEL_INFO] = JSV_STR("info"),
    [TOOL_LEVEL_NOTICE] = JSV_STR("notice"),
    [TOOL_LEVEL_WARNING] = JSV_STR("warning"),
    [TOOL_LEVEL_ERROR] = JSV_STR("error"),
    [TOOL_LEVEL_CRITICAL] = JSV_STR("critical"),
    [TOOL_LEVEL_ALERT] = JSV_STR("alert"),
    [TOOL_LEVEL_EMERGENCY] = JSV_STR("emergency"),
};

#define LEVEL_COUNT (sizeof(level_names) / sizeof(level_names[0]))

/* Bytes of a progress token: every notification repeats it. The protocol lets us send none. */
#define PROGRESS_TOKEN_MAX 256

/* A notification without what every one of them has: a few numbers and a text. */
#define MESSAGE_SIZE_MAX ((size_t)1 << 20)

static struct jsv_value meta_of(const struct dialect_req *req)
{
    return jsv_value_get(req->message.params, JSV_STR("_meta"));
}

static struct jsv_writer begin(struct jsv_buf *text, struct jsv_str method)
{
    jsv_buf_init(text, os_allocator(), MESSAGE_SIZE_MAX);
    struct jsv_writer writer = jsv_writer_on(text);
    jsv_write_object_begin(&writer);
    jsv_write_member_string(&writer, JSV_STR("jsonrpc"), JSV_STR("2.0"));
    jsv_write_member_string(&writer, JSV_STR("method"), method);
    jsv_write_member_object_begin(&writer, JSV_STR("params"));
    return writer;
}

/* A message that cannot be written is not sent: nobody waits for it. */
static void send_off(struct dialect_req *req, struct jsv_writer *writer)
{
    jsv_write_object_end(writer);
    jsv_write_object_end(writer);
    if (writer->out->error == 0) {
        req->host->push(req, jsv_buf_str(writer->out));
    }
    jsv_buf_done(writer->out);
}

static void say_progress(struct dialect_req *req, uint64_t done, uint64_t total)
{
    struct jsv_value token = jsv_value_get(meta_of(req), JSV_STR("progressToken"));
    size_t size = jsv_value_span(token).size;
    if (size == 0 || size > PROGRESS_TOKEN_MAX) {
        return;
    }
    struct jsv_buf text;
    struct jsv_writer writer = begin(&text, JSV_STR("notifications/progress"));
    mcp_write_member(&writer, JSV_STR("progressToken"), token);
    jsv_write_member_uint64(&writer, JSV_STR("progress"), done);
    jsv_write_member_uint64(&writer, JSV_STR("total"), total);
    send_off(req, &writer);
}

/* ---- messages ---- */

/* @return whether there is such a level. */
static bool find_level(struct jsv_str name, enum tool_level *ret_level)
{
    for (size_t i = 0; i < LEVEL_COUNT; i++) {
        if (jsv_str_equal(level_names[i], name)) {
            *ret_level = (enum tool_level)i;
            return true;
        }
    }
    return false;
}

static bool matters(const struct dialect_req *req, enum tool_level level)
{
    struct dialect_session *session = *req->session;
    enum tool_level least;
    if (mcp_version_facts(mcp_version_of(req))->era == MCP_ERA_LEGACY) {
        return session && level >= atomic_load(&session->level);
    }
    struct jsv_value wanted = jsv_value_get(meta_of(req), JSV_STR(META_LEVEL));
    return find_level(jsv_value_text(wanted), &least) && level >= least;
}

static void say_log(struct dialect_req *req, enum tool_level level, struct jsv_str data)
{
    if (!matters(req, level)) {
        return;
    }
    struct jsv_buf text;
    struct jsv_writer writer = begin(&text, JSV_STR("notifications/message"));
    jsv_write_member_string(&writer, JSV_STR("level"), level_names[level]);
    jsv_write_member_string(&writer, JSV_STR("logger"), req->tool->name);
    jsv_write_member_string(&writer, JSV_STR("data"), data);
    send_off(req, &writer);
}

enum dialect_step mcp_handle_set_level(struct mcp_exchange *exchange)
{
    struct dialect_req *req = exchange->req;
    struct jsv_value name = jsv_value_get(exchange->params, JSV_STR("level"));
    enum tool_level level;
    if (*req->session && find_level(jsv_value_text(name), &level)) {
        atomic_store(&(*req->session)->level, level);
    }
    struct jsv_writer writer = mcp_result_begin(req);
    mcp_result_end(&writer);
    return DIALECT_DONE;
}

const struct dialect_client_ops mcp_notifications = {
    .progress = say_progress,
    .log = say_log,
    .offers = mcp_offers,
    .ask = mcp_ask,
    .give_up = mcp_give_up,
};
