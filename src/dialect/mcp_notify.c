#include "dialect/mcp.h"
#include "dialect/mcp_provider.h"
#include "dialect/mcp_resource.h"
#include "dialect/notify.h"

#define META_SUBSCRIPTION "io.modelcontextprotocol/subscriptionId"

/* ---- what changed ---- */

static bool are_tools_equal(const struct catalog *before, const struct catalog *after)
{
    size_t count = catalog_tool_count(before);
    if (count != catalog_tool_count(after)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!jsv_str_equal(
                catalog_tool_at(before, i)->descriptor, catalog_tool_at(after, i)->descriptor)) {
            return false;
        }
    }
    return true;
}

static bool are_lists_equal(const struct catalog *before, const struct catalog *after)
{
    size_t count = mcp_resource_count(before);
    if (count != mcp_resource_count(after)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        struct mcp_resource old = mcp_resource_at(before, i);
        struct mcp_resource new = mcp_resource_at(after, i);
        if (!jsv_str_equal(old.name, new.name) || old.text.size != new.text.size) {
            return false;
        }
    }
    return true;
}

struct dialect_change dialect_change_between(
    const struct mcp_provider *provider, const struct catalog *before, const struct catalog *after)
{
    return (struct dialect_change){
        .before = before,
        .after = after,
        .tools = !are_tools_equal(before, after),
        .resources = !are_lists_equal(before, after),
        .prompts = provider->prompt_count(before) != provider->prompt_count(after),
    };
}

struct dialect_change dialect_change_of_diagnostics(void)
{
    return (struct dialect_change){0};
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

/* ---- messages ---- */

/* A notification about lists, or about the resource of that URI. @param id NONE: no subscription.
 */
static struct jsv_str
render(struct jsv_buf *out, struct jsv_str method, struct jsv_value id, struct jsv_str uri)
{
    jsv_buf_reset(out);
    struct jsv_writer writer = jsv_writer_on(out);
    jsv_write_object_begin(&writer);
    mcp_write_text(&writer, JSV_STR("jsonrpc"), JSV_STR("2.0"));
    mcp_write_text(&writer, JSV_STR("method"), method);
    jsv_write_key(&writer, JSV_STR("params"));
    jsv_write_object_begin(&writer);
    if (jsv_value_type(id) != JSV_TYPE_NONE) {
        jsv_write_key(&writer, JSV_STR("_meta"));
        jsv_write_object_begin(&writer);
        mcp_write_member(&writer, JSV_STR(META_SUBSCRIPTION), id);
        jsv_write_object_end(&writer);
    }
    if (uri.data) {
        mcp_write_text(&writer, JSV_STR("uri"), uri);
    }
    jsv_write_object_end(&writer);
    jsv_write_object_end(&writer);
    return out->error == 0 ? jsv_buf_str(out) : (struct jsv_str){NULL, 0};
}

/* Who is told, and in which name. */
struct listener {
    struct jsv_value id;
    struct jsv_buf *text;
    dialect_push *push;
    void *owner;
};

static void tell(const struct listener *listener, struct jsv_str method, struct jsv_str uri)
{
    struct jsv_str message = render(listener->text, method, listener->id, uri);
    if (message.data) {
        listener->push(listener->owner, message);
    }
}

static void tell_of_lists(const struct listener *listener, bool tools, bool resources, bool prompts)
{
    struct jsv_str none = {NULL, 0};
    if (tools) {
        tell(listener, JSV_STR("notifications/tools/list_changed"), none);
    }
    if (resources) {
        tell(listener, JSV_STR("notifications/resources/list_changed"), none);
    }
    if (prompts) {
        tell(listener, JSV_STR("notifications/prompts/list_changed"), none);
    }
}

static void tell_of_resource(
    const struct listener *listener, const struct dialect_change *change, struct jsv_str uri)
{
    struct jsv_arena scratch;
    jsv_arena_init(&scratch, &listener->text->allocator, listener->text->size_max);
    if (is_updated(change, &scratch, uri)) {
        tell(listener, JSV_STR("notifications/resources/updated"), uri);
    }
    jsv_arena_done(&scratch);
}

/* ---- legacy ---- */

void dialect_notify_session(
    struct dialect_session *session,
    const struct dialect_change *change,
    struct jsv_buf *scratch,
    dialect_push *push,
    void *owner)
{
    const struct listener listener = {.text = scratch, .push = push, .owner = owner};
    if (!atomic_load(&session->is_initialized)) {
        return;
    }
    tell_of_lists(&listener, change->tools, change->resources, change->prompts);
    dialect_session_lock(session);
    for (const struct dialect_subscription *item = session->subscriptions; item;
         item = item->next) {
        tell_of_resource(&listener, change, (struct jsv_str){item->uri, item->size});
    }
    dialect_session_unlock(session);
}

/* ---- modern ---- */

static bool wants(struct jsv_value wishes, struct jsv_str name)
{
    return jsv_value_bool(jsv_value_get(wishes, name));
}

static struct jsv_value wishes_of(const struct dialect_request *request)
{
    return jsv_value_get(request->message.params, JSV_STR("notifications"));
}

void dialect_notify_listener(
    const struct dialect_request *request,
    const struct dialect_change *change,
    struct jsv_buf *scratch,
    dialect_push *push,
    void *owner)
{
    const struct listener listener = {
        .id = request->message.id, .text = scratch, .push = push, .owner = owner};
    struct jsv_value wishes = wishes_of(request);
    tell_of_lists(
        &listener,
        change->tools && wants(wishes, JSV_STR("toolsListChanged")),
        change->resources && wants(wishes, JSV_STR("resourcesListChanged")),
        change->prompts && wants(wishes, JSV_STR("promptsListChanged")));
    struct jsv_iter iter = jsv_value_iter(jsv_value_get(wishes, JSV_STR("resourceSubscriptions")));
    while (jsv_iter_next(&iter)) {
        tell_of_resource(&listener, change, jsv_value_text(iter.value));
    }
}

/* What we honour of what a client wants to hear of. */
static void write_honoured(struct jsv_writer *writer, struct jsv_value wishes)
{
    static const struct jsv_str names[] = {
        JSV_STR("toolsListChanged"),
        JSV_STR("resourcesListChanged"),
        JSV_STR("promptsListChanged"),
    };
    jsv_write_key(writer, JSV_STR("notifications"));
    jsv_write_object_begin(writer);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (wants(wishes, names[i])) {
            jsv_write_key(writer, names[i]);
            jsv_write_bool(writer, true);
        }
    }
    struct jsv_value uris = jsv_value_get(wishes, JSV_STR("resourceSubscriptions"));
    mcp_write_member(writer, JSV_STR("resourceSubscriptions"), uris);
    jsv_write_object_end(writer);
}

static void write_subscription(struct jsv_writer *writer, struct jsv_value id)
{
    jsv_write_key(writer, JSV_STR("_meta"));
    jsv_write_object_begin(writer);
    mcp_write_member(writer, JSV_STR(META_SUBSCRIPTION), id);
    jsv_write_object_end(writer);
}

/* The first message of the stream; the reply's memory serves until the answer is due. */
enum dialect_step mcp_handle_listen(struct mcp_exchange *exchange)
{
    static const struct rpc_fault too_many = {
        .details = JSV_STR("too many resources to listen for"),
        .suggestion = JSV_STR("Listen for at most 1000, or in several requests"),
        .cause = JSV_STR("/params/notifications/resourceSubscriptions"),
    };
    static const struct rpc_fault too_many_listeners = {
        .details = JSV_STR("this connection has too many open subscriptions/listen requests"),
        .suggestion = JSV_STR("Cancel one with notifications/cancelled, or ask for several "
                              "notifications in one request"),
        .cause = JSV_STR(""),
    };
    struct dialect_request *request = exchange->request;
    if (!request->host->may_listen(request)) {
        return mcp_answer_fault(request, RPC_ERROR_INVALID_REQUEST, &too_many_listeners);
    }
    struct jsv_value uris = jsv_value_get(wishes_of(request), JSV_STR("resourceSubscriptions"));
    if (jsv_value_count(uris) > DIALECT_SUBSCRIPTIONS_MAX) {
        return mcp_answer_fault(request, RPC_ERROR_INVALID_PARAMS, &too_many);
    }
    struct jsv_writer writer = jsv_writer_on(request->reply);
    jsv_write_object_begin(&writer);
    mcp_write_text(&writer, JSV_STR("jsonrpc"), JSV_STR("2.0"));
    mcp_write_text(&writer, JSV_STR("method"), JSV_STR("notifications/subscriptions/acknowledged"));
    jsv_write_key(&writer, JSV_STR("params"));
    jsv_write_object_begin(&writer);
    write_subscription(&writer, request->message.id);
    write_honoured(&writer, wishes_of(request));
    jsv_write_object_end(&writer);
    jsv_write_object_end(&writer);
    if (request->reply->error < 0) {
        return DIALECT_DONE;
    }
    request->host->push(request, jsv_buf_str(request->reply));
    jsv_buf_reset(request->reply);
    return DIALECT_LISTEN;
}

void mcp_end_listening(struct dialect_request *request)
{
    struct jsv_writer writer = rpc_write_result(request->reply, &request->message);
    jsv_write_object_begin(&writer);
    mcp_write_text(&writer, JSV_STR("resultType"), JSV_STR("complete"));
    write_subscription(&writer, request->message.id);
    mcp_result_end(&writer);
}
