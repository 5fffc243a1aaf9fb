/*
 * subscriptions/listen: a request that stays open until the client or the
 * server ends it. Every message of the subscription has its id.
 *
 * It may stay open for days, so it keeps little memory: its id, the filter
 * without duplicates, and the short members of _meta, which are logged at the end.
 */
#include <errno.h>
#include <string.h>

#include "dialect/mcp/mcp.h"
#include "jsv/base/hash.h"
#include "os/sys.h"

#define META_SUBSCRIPTION "io.modelcontextprotocol/subscriptionId"

/* Bytes of the id, because thousands of messages may repeat it. A UUID has 36. */
#define ID_SIZE_MAX 256

/* Bytes of a kept member of _meta (a W3C tracestate has up to 512), and of all of them. */
#define META_MEMBER_MAX 600
#define META_SIZE_MAX   4096

void mcp_write_subscription(struct jsv_writer *writer, struct jsv_value id)
{
    jsv_write_member_object_begin(writer, JSV_STR("_meta"));
    mcp_write_member(writer, JSV_STR(META_SUBSCRIPTION), id);
    jsv_write_object_end(writer);
}

static struct jsv_value filter_of(const struct dialect_req *req)
{
    return jsv_value_get(req->message.params, JSV_STR("notifications"));
}

/* ---- URIs without duplicates ---- */

/* At most half of the slots are used, so a free one is found soon. */
#define SET_SIZE 2048
_Static_assert(SET_SIZE >= 2 * DIALECT_SUBSCRIPTIONS_MAX, "half of the slots stay free");

struct uri_set {
    struct jsv_str slots[SET_SIZE];
    size_t bytes; /* of all URIs in it */
};

/* @return whether it was not in the set. */
static bool add_uri(struct uri_set *set, struct jsv_str uri)
{
    size_t slot = (size_t)jsv_hash(uri, (uint64_t)(uintptr_t)set) % SET_SIZE;
    while (set->slots[slot].data) {
        if (jsv_str_equal(set->slots[slot], uri)) {
            return false;
        }
        slot = (slot + 1) % SET_SIZE;
    }
    set->slots[slot] = uri;
    set->bytes += uri.size;
    return true;
}

/* @param uris At most DIALECT_SUBSCRIPTIONS_MAX. */
static void write_uris(struct jsv_writer *writer, struct jsv_value uris, struct uri_set *set)
{
    if (jsv_value_type(uris) == JSV_TYPE_NONE) {
        return;
    }
    jsv_write_member_array_begin(writer, JSV_STR("resourceSubscriptions"));
    struct jsv_iter iter = jsv_value_iter(uris);
    while (jsv_iter_next(&iter)) {
        if (add_uri(set, jsv_value_text(iter.value))) {
            jsv_write_value(writer, iter.value);
        }
    }
    jsv_write_array_end(writer);
}

/* ---- the short message ---- */

/* The supported members of the filter. */
static void write_filter(struct jsv_writer *writer, struct jsv_value filter, struct uri_set *set)
{
    static const struct jsv_str names[] = {
        JSV_STR("toolsListChanged"),
        JSV_STR("resourcesListChanged"),
        JSV_STR("promptsListChanged"),
    };
    jsv_write_member_object_begin(writer, JSV_STR("notifications"));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (jsv_value_bool(jsv_value_get(filter, names[i]))) {
            jsv_write_member_bool(writer, names[i], true);
        }
    }
    write_uris(writer, jsv_value_get(filter, JSV_STR("resourceSubscriptions")), set);
    jsv_write_object_end(writer);
}

static void write_short_meta(struct jsv_writer *writer, struct jsv_value meta)
{
    size_t size = 0;
    jsv_write_member_object_begin(writer, JSV_STR("_meta"));
    struct jsv_iter iter = jsv_value_iter(meta);
    while (jsv_iter_next(&iter)) {
        size_t member = jsv_value_text(iter.key).size + jsv_value_span(iter.value).size;
        if (member <= META_MEMBER_MAX && size + member <= META_SIZE_MAX) {
            mcp_write_member(writer, jsv_value_text(iter.key), iter.value);
            size += member;
        }
    }
    jsv_write_object_end(writer);
}

static void
write_short_message(struct jsv_buf *out, const struct rpc_message *message, struct uri_set *set)
{
    struct jsv_writer writer = jsv_writer_on(out);
    jsv_write_object_begin(&writer);
    jsv_write_member_string(&writer, JSV_STR("jsonrpc"), JSV_STR("2.0"));
    mcp_write_member(&writer, JSV_STR("id"), message->id);
    jsv_write_member_string(&writer, JSV_STR("method"), message->method);
    jsv_write_member_object_begin(&writer, JSV_STR("params"));
    write_short_meta(&writer, jsv_value_get(message->params, JSV_STR("_meta")));
    write_filter(&writer, jsv_value_get(message->params, JSV_STR("notifications")), set);
    jsv_write_object_end(&writer);
    jsv_write_object_end(&writer);
}

/* Replace the message by the short one. @return 0; -ENOSPC: too many bytes of URIs; -ENOMEM. */
static int shorten(struct dialect_req *req)
{
    struct uri_set *set = jsv_arena_alloc(req->scratch, sizeof(*set));
    if (!set) {
        return -ENOMEM;
    }
    memset(set, 0, sizeof(*set));
    struct jsv_buf text;
    jsv_buf_init(&text, os_allocator(), req->reply->size_max);
    write_short_message(&text, &req->message, set);
    int r = text.error;
    if (set->bytes > DIALECT_SUBSCRIPTION_BYTES_MAX) {
        r = -ENOSPC;
    }
    r = r < 0 ? r : req->host->shorten(req, jsv_buf_str(&text));
    jsv_buf_done(&text);
    return r;
}

/* ---- start and end ---- */

/* The first message of the subscription has the accepted filter. */
static void acknowledge(struct dialect_req *req)
{
    struct jsv_writer writer =
        mcp_notification_begin(req->reply, JSV_STR("notifications/subscriptions/acknowledged"));
    mcp_write_subscription(&writer, req->message.id);
    mcp_write_member(&writer, JSV_STR("notifications"), filter_of(req));
    mcp_notification_end(&writer);
}

enum dialect_step mcp_handle_listen(struct mcp_exchange *exchange)
{
    static const struct rpc_fault long_id = {
        .details = JSV_STR("the id of a request that listens has more than 256 bytes"),
        .suggestion = JSV_STR("Use a shorter id: every message of the subscription repeats it"),
        .cause = JSV_STR("/id"),
    };
    static const struct rpc_fault too_many = {
        .details = JSV_STR("more than 1000 resources, or more than 65536 bytes of URIs"),
        .suggestion = JSV_STR("Listen for fewer resources, or in several requests"),
        .cause = JSV_STR("/params/notifications/resourceSubscriptions"),
    };
    static const struct rpc_fault too_many_listeners = {
        .details = JSV_STR("this connection has too many open subscriptions/listen requests"),
        .suggestion = JSV_STR("Cancel one with notifications/cancelled, or ask for several "
                              "notifications in one request"),
        .cause = JSV_STR(""),
    };
    struct dialect_req *req = exchange->req;
    if (!req->host->may_listen(req)) {
        return mcp_answer_fault(req, RPC_ERROR_INVALID_REQUEST, &too_many_listeners);
    }
    struct jsv_value uris = jsv_value_get(filter_of(req), JSV_STR("resourceSubscriptions"));
    if (jsv_value_span(req->message.id).size > ID_SIZE_MAX) {
        return mcp_answer_fault(req, RPC_ERROR_INVALID_REQUEST, &long_id);
    }
    if (jsv_value_count(uris) > DIALECT_SUBSCRIPTIONS_MAX) {
        return mcp_answer_fault(req, RPC_ERROR_INVALID_PARAMS, &too_many);
    }
    int r = shorten(req);
    if (r == -ENOSPC) {
        return mcp_answer_fault(req, RPC_ERROR_INVALID_PARAMS, &too_many);
    }
    if (r < 0) {
        return mcp_answer_error(req, RPC_ERROR_INTERNAL, JSV_STR("out of memory"));
    }
    acknowledge(req);
    if (req->reply->error < 0) {
        return DIALECT_DONE;
    }
    req->host->push(req, jsv_buf_str(req->reply));
    jsv_buf_reset(req->reply);
    return DIALECT_LISTEN;
}

void mcp_end_listening(struct dialect_req *req)
{
    struct jsv_writer writer = rpc_write_result(req->reply, &req->message);
    jsv_write_object_begin(&writer);
    jsv_write_member_string(&writer, JSV_STR("resultType"), JSV_STR("complete"));
    mcp_write_subscription(&writer, req->message.id);
    mcp_result_end(&writer);
}
