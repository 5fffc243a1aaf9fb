/*
 * Progress is sent when the request has a token for it, log messages when they
 * are important enough. A legacy client sets that level by logging/setLevel, a
 * modern one in each request.
 */
#include "dialect/mcp/notifications.h"

#include "dialect/mcp/provider.h"
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

/* Bytes of a progress token, because every notification repeats it. Longer ones get none, which the
   protocol allows. */
#define PROGRESS_TOKEN_MAX 256

/* A notification of a tool: a few numbers and a text. */
#define MESSAGE_SIZE_MAX ((size_t)1 << 20)

struct jsv_writer mcp_notification_begin(struct jsv_buf *out, struct jsv_str method)
{
    struct jsv_writer writer = jsv_writer_on(out);
    jsv_write_object_begin(&writer);
    jsv_write_member_string(&writer, JSV_STR("jsonrpc"), JSV_STR("2.0"));
    jsv_write_member_string(&writer, JSV_STR("method"), method);
    jsv_write_member_object_begin(&writer, JSV_STR("params"));
    return writer;
}

void mcp_notification_end(struct jsv_writer *writer)
{
    jsv_write_object_end(writer);
    jsv_write_object_end(writer);
}

/* ---- of a request in flight ---- */

static struct jsv_value meta_of(const struct dialect_req *req)
{
    return jsv_value_get(req->message.params, JSV_STR("_meta"));
}

/* A message that cannot be written is not sent, because no client waits for it. */
static void send_and_free(struct dialect_req *req, struct jsv_writer *writer)
{
    mcp_notification_end(writer);
    if (writer->out->error == 0) {
        req->host->push(req, jsv_buf_str(writer->out));
    }
    jsv_buf_done(writer->out);
}

static void send_progress(struct dialect_req *req, uint64_t done, uint64_t total)
{
    struct jsv_value token = jsv_value_get(meta_of(req), JSV_STR("progressToken"));
    size_t size = jsv_value_span(token).size;
    if (size == 0 || size > PROGRESS_TOKEN_MAX) {
        return;
    }
    struct jsv_buf text;
    jsv_buf_init(&text, os_allocator(), MESSAGE_SIZE_MAX);
    struct jsv_writer writer = mcp_notification_begin(&text, JSV_STR("notifications/progress"));
    mcp_write_member(&writer, JSV_STR("progressToken"), token);
    jsv_write_member_uint64(&writer, JSV_STR("progress"), done);
    jsv_write_member_uint64(&writer, JSV_STR("total"), total);
    send_and_free(req, &writer);
}

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

static bool wants_level(const struct dialect_req *req, enum tool_level level)
{
    struct dialect_session *session = *req->session;
    enum tool_level least;
    if (!mcp_is_modern(req)) {
        return session && level >= atomic_load(&session->level);
    }
    struct jsv_value wanted = jsv_value_get(meta_of(req), JSV_STR(META_LEVEL));
    return find_level(jsv_value_text(wanted), &least) && level >= least;
}

static void send_log(struct dialect_req *req, enum tool_level level, struct jsv_str data)
{
    if (!wants_level(req, level)) {
        return;
    }
    struct jsv_buf text;
    jsv_buf_init(&text, os_allocator(), MESSAGE_SIZE_MAX);
    struct jsv_writer writer = mcp_notification_begin(&text, JSV_STR("notifications/message"));
    jsv_write_member_string(&writer, JSV_STR("level"), level_names[level]);
    jsv_write_member_string(&writer, JSV_STR("logger"), req->tool->name);
    jsv_write_member_string(&writer, JSV_STR("data"), data);
    send_and_free(req, &writer);
}

enum dialect_step mcp_handle_set_level(struct mcp_exchange *exchange)
{
    struct dialect_session *session = *exchange->req->session;
    struct jsv_value name = jsv_value_get(exchange->params, JSV_STR("level"));
    enum tool_level level;
    if (session && find_level(jsv_value_text(name), &level)) {
        atomic_store(&session->level, level);
    }
    return mcp_answer_empty(exchange->req);
}

const struct dialect_client_ops mcp_notifications = {
    .progress = send_progress,
    .log = send_log,
    .offers = mcp_offers,
    .ask = mcp_ask,
    .give_up = mcp_give_up,
};

/* ---- what changed ---- */

static bool are_tools_equal(const struct catalog *before, const struct catalog *after)
{
    size_t count = catalog_tool_count(before);
    bool are_equal = count == catalog_tool_count(after);
    for (size_t i = 0; are_equal && i < count; i++) {
        are_equal = jsv_str_equal(
            catalog_tool_at(before, i)->descriptor, catalog_tool_at(after, i)->descriptor);
    }
    return are_equal;
}

/* Lists show the names and sizes of resources. */
static bool are_resources_equal(const struct catalog *before, const struct catalog *after)
{
    size_t count = mcp_resource_count(before);
    bool are_equal = count == mcp_resource_count(after);
    for (size_t i = 0; are_equal && i < count; i++) {
        struct mcp_resource old = mcp_resource_at(before, i);
        struct mcp_resource new = mcp_resource_at(after, i);
        are_equal = jsv_str_equal(old.name, new.name) && old.text.size == new.text.size;
    }
    return are_equal;
}

struct dialect_change dialect_change_between(
    const struct mcp_provider *provider, const struct catalog *before, const struct catalog *after)
{
    return (struct dialect_change){
        .before = before,
        .after = after,
        .tools = !are_tools_equal(before, after),
        .resources = !are_resources_equal(before, after),
        .prompts = provider->prompt_count(before) != provider->prompt_count(after),
    };
}

static bool
is_updated(const struct dialect_change *change, struct jsv_arena *scratch, struct jsv_str uri)
{
    if (!change->after) {
        return mcp_is_diagnostics(uri);
    }
    struct mcp_resource old = {0};
    struct mcp_resource new = {0};
    bool was = mcp_resource_find(change->before, scratch, uri, &old);
    bool is = mcp_resource_find(change->after, scratch, uri, &new);
    return was != is || !jsv_str_equal(old.text, new.text);
}

/* ---- of changes ---- */

struct listener {
    struct jsv_value id; /* of its subscription; NONE for a session */
    struct jsv_buf *text;
    dialect_push *push;
    void *owner;
    bool is_lost; /* nothing more can be sent */
};

/* @param uri data NULL: the notification is about a list. */
static void notify(struct listener *listener, struct jsv_str method, struct jsv_str uri)
{
    if (listener->is_lost) {
        return;
    }
    jsv_buf_reset(listener->text);
    struct jsv_writer writer = mcp_notification_begin(listener->text, method);
    if (jsv_value_type(listener->id) != JSV_TYPE_NONE) {
        mcp_write_subscription(&writer, listener->id);
    }
    if (uri.data) {
        jsv_write_member_string(&writer, JSV_STR("uri"), uri);
    }
    mcp_notification_end(&writer);
    if (listener->text->error == 0) {
        listener->is_lost = !listener->push(listener->owner, jsv_buf_str(listener->text));
    }
}

static void notify_of_lists(struct listener *listener, bool tools, bool resources, bool prompts)
{
    struct jsv_str none = {NULL, 0};
    if (tools) {
        notify(listener, JSV_STR("notifications/tools/list_changed"), none);
    }
    if (resources) {
        notify(listener, JSV_STR("notifications/resources/list_changed"), none);
    }
    if (prompts) {
        notify(listener, JSV_STR("notifications/prompts/list_changed"), none);
    }
}

static void notify_of_resource(
    struct listener *listener, const struct dialect_change *change, struct jsv_str uri)
{
    struct jsv_arena scratch;
    jsv_arena_init(&scratch, &listener->text->allocator, listener->text->size_max);
    if (is_updated(change, &scratch, uri)) {
        notify(listener, JSV_STR("notifications/resources/updated"), uri);
    }
    jsv_arena_done(&scratch);
}

void dialect_notify_session(
    struct dialect_session *session,
    const struct dialect_change *change,
    struct jsv_buf *scratch,
    dialect_push *push,
    void *owner)
{
    struct listener listener = {.text = scratch, .push = push, .owner = owner};
    if (!atomic_load(&session->is_initialized)) {
        return;
    }
    notify_of_lists(&listener, change->tools, change->resources, change->prompts);
    dialect_session_lock(session);
    for (const struct dialect_subscription *item = session->subscriptions;
         item && !listener.is_lost;
         item = item->next) {
        notify_of_resource(&listener, change, (struct jsv_str){item->uri, item->size});
    }
    dialect_session_unlock(session);
}

static bool wants(struct jsv_value filter, struct jsv_str name)
{
    return jsv_value_bool(jsv_value_get(filter, name));
}

void dialect_notify_listener(
    const struct dialect_req *req,
    const struct dialect_change *change,
    struct jsv_buf *scratch,
    dialect_push *push,
    void *owner)
{
    struct listener listener = {
        .id = req->message.id, .text = scratch, .push = push, .owner = owner};
    struct jsv_value filter = jsv_value_get(req->message.params, JSV_STR("notifications"));
    notify_of_lists(
        &listener,
        change->tools && wants(filter, JSV_STR("toolsListChanged")),
        change->resources && wants(filter, JSV_STR("resourcesListChanged")),
        change->prompts && wants(filter, JSV_STR("promptsListChanged")));
    struct jsv_iter iter = jsv_value_iter(jsv_value_get(filter, JSV_STR("resourceSubscriptions")));
    while (!listener.is_lost && jsv_iter_next(&iter)) {
        notify_of_resource(&listener, change, jsv_value_text(iter.value));
    }
}
