#include "dialect/notify.h"

#include "dialect/mcp/mcp.h"
#include "dialect/mcp/provider.h"
#include "dialect/mcp/resource.h"

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
    jsv_write_member_string(&writer, JSV_STR("jsonrpc"), JSV_STR("2.0"));
    jsv_write_member_string(&writer, JSV_STR("method"), method);
    jsv_write_member_object_begin(&writer, JSV_STR("params"));
    if (jsv_value_type(id) != JSV_TYPE_NONE) {
        mcp_write_subscription(&writer, id);
    }
    if (uri.data) {
        jsv_write_member_string(&writer, JSV_STR("uri"), uri);
    }
    jsv_write_object_end(&writer);
    jsv_write_object_end(&writer);
    return out->error == 0 ? jsv_buf_str(out) : (struct jsv_str){NULL, 0};
}

struct listener {
    struct jsv_value id; /* of its subscription; NONE: a session has none */
    struct jsv_buf *text;
    dialect_push *push;
    void *owner;
    bool is_lost; /* nothing more can be pushed, so nothing is written */
};

static void tell(struct listener *listener, struct jsv_str method, struct jsv_str uri)
{
    if (listener->is_lost) {
        return;
    }
    struct jsv_str message = render(listener->text, method, listener->id, uri);
    if (message.data) {
        listener->is_lost = !listener->push(listener->owner, message);
    }
}

static void tell_of_lists(struct listener *listener, bool tools, bool resources, bool prompts)
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

static void
tell_of_resource(struct listener *listener, const struct dialect_change *change, struct jsv_str uri)
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
    struct listener listener = {.text = scratch, .push = push, .owner = owner};
    if (!atomic_load(&session->is_initialized)) {
        return;
    }
    tell_of_lists(&listener, change->tools, change->resources, change->prompts);
    dialect_session_lock(session);
    for (const struct dialect_subscription *item = session->subscriptions;
         item && !listener.is_lost;
         item = item->next) {
        tell_of_resource(&listener, change, (struct jsv_str){item->uri, item->size});
    }
    dialect_session_unlock(session);
}

/* ---- modern ---- */

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
    tell_of_lists(
        &listener,
        change->tools && wants(filter, JSV_STR("toolsListChanged")),
        change->resources && wants(filter, JSV_STR("resourcesListChanged")),
        change->prompts && wants(filter, JSV_STR("promptsListChanged")));
    struct jsv_iter iter = jsv_value_iter(jsv_value_get(filter, JSV_STR("resourceSubscriptions")));
    while (!listener.is_lost && jsv_iter_next(&iter)) {
        tell_of_resource(&listener, change, jsv_value_text(iter.value));
    }
}
