/*
 * Sends an asset to the backend byte for byte and waits for the answer without
 * blocking. While it waits, call->state is the post.
 */
#define _GNU_SOURCE /* memrchr() */
#include <string.h>

#include "backend/backend.h"
#include "jsv/base/utf8.h"
#include "tools/builtin.h"

/* For assets that do not name their schema. */
#define DEFAULT_SCHEMA JSV_STR("synesthetic-asset")

/*
 * Of an error's text: an answer may contain it twice, as text and as structure,
 * with six characters for each escaped one, and must be within its limit.
 */
#define DETAIL_SIZE_MAX ((size_t)64 << 10)

/* ---- answers ---- */

/* A reply's "id" as text; empty when it has no usable one. */
static struct jsv_str reply_id(struct tools *tools, struct jsv_str body)
{
    if (jsv_read(tools->reader, tools->document, body, 0, NULL) < 0) {
        return JSV_STR(""); /* the backend accepted the asset; only the id is unknown */
    }
    struct jsv_value id = jsv_value_get(jsv_document_root(tools->document), JSV_STR("id"));
    switch (jsv_value_type(id)) {
    case JSV_TYPE_STRING:
        return jsv_value_text(id);
    case JSV_TYPE_NUMBER:
        return jsv_value_span(id);
    case JSV_TYPE_NONE:
    case JSV_TYPE_NULL:
    case JSV_TYPE_BOOLEAN:
    case JSV_TYPE_ARRAY:
    case JSV_TYPE_OBJECT:
        break;
    }
    return JSV_STR("");
}

/* The backend's URL without user and password, which clients must not see. */
static int shown_url(struct tools *tools, struct jsv_str *ret_url)
{
    const char *url = tools->settings.backend_url;
    const char *slashes = strstr(url, "://");
    const char *host = slashes ? slashes + 3 : url;
    const char *at = memrchr(host, '@', strcspn(host, "/?#"));
    jsv_buf_reset(&tools->text);
    jsv_buf_append(&tools->text, url, (size_t)(host - url));
    jsv_buf_append_str(&tools->text, jsv_str_from(at ? at + 1 : host));
    *ret_url = jsv_buf_str(&tools->text);
    return tools->text.error;
}

static int write_accepted(struct tool_call *call, struct jsv_str body)
{
    struct jsv_str url;
    int r = shown_url(call->tools, &url);
    if (r < 0) {
        return r;
    }
    struct jsv_writer writer = tool_begin(call, true);
    jsv_write_member_string(&writer, JSV_STR("asset_id"), reply_id(call->tools, body));
    jsv_write_member_string(&writer, JSV_STR("backend_url"), url);
    return tool_end(call, &writer, TOOL_VERDICT_OK);
}

static int write_refused(struct tool_call *call, unsigned status, struct jsv_str detail)
{
    struct jsv_writer writer = tool_begin_failure(call, JSV_STR("backend_error"));
    jsv_write_member_uint64(&writer, JSV_STR("status"), status);
    jsv_write_member_string(&writer, JSV_STR("detail"), detail);
    return tool_end(call, &writer, TOOL_VERDICT_FAILED);
}

/* Replace each byte that is not UTF-8 by U+FFFD, and cut a long text between characters. */
static int readable(struct jsv_buf *out, struct jsv_str text)
{
    jsv_buf_reset(out);
    while (text.size > 0 && out->size < DETAIL_SIZE_MAX) {
        size_t size = jsv_utf8_valid_prefix(text);
        size_t room = DETAIL_SIZE_MAX - out->size;
        if (size > room) {
            size = room;
            while (size > 0 && ((unsigned char)text.data[size] & 0xC0) == 0x80) {
                size--;
            }
            return jsv_buf_append(out, text.data, size);
        }
        jsv_buf_append(out, text.data, size);
        if (size < text.size) {
            jsv_buf_append_str(out, JSV_STR("\xEF\xBF\xBD"));
            size++;
        }
        text = (struct jsv_str){text.data + size, text.size - size};
    }
    return out->error;
}

static int write_busy(struct tool_call *call)
{
    return write_refused(call, 503, JSV_STR("backend_busy"));
}

static int write_reply(struct tool_call *call, const struct backend_reply *reply)
{
    if (reply->error == -EBUSY) {
        return write_busy(call);
    }
    if (reply->error < 0) {
        return reply->error == -ENOMEM ? reply->error
                                       : write_refused(call, 503, JSV_STR("network_unreachable"));
    }
    if (reply->status >= 200 && reply->status < 300) {
        return write_accepted(call, reply->body);
    }
    struct jsv_buf *detail = &call->tools->text;
    int r = readable(detail, reply->body);
    return r < 0 ? r : write_refused(call, reply->status, jsv_buf_str(detail));
}

static void replied(void *owner, const struct backend_reply *reply)
{
    struct tool_call *call = owner;
    call->state = NULL;
    call->queued_us = reply->queued_us;
    int r = write_reply(call, reply);
    call->error = r < 0 ? r : 0;
    call->finished(call);
}

/* ---- the call ---- */

/* @return 0 when it may be sent; 1 when the result is written; -errno. */
static int check_asset(struct tool_call *call, struct jsv_value asset)
{
    struct jsv_value first = tool_argument(call, JSV_STR("validate_first"));
    if (jsv_value_type(first) != JSV_TYPE_NONE && !jsv_value_bool(first)) {
        return 0;
    }
    struct jsv_str name = catalog_asset_schema_name(asset);
    const struct jsv_schema *schema;
    int r = tool_schema(call, name.size > 0 ? name : DEFAULT_SCHEMA, &schema);
    return r != 0 ? r : tool_check(call, schema, asset, TOOL_VERDICT_FAILED);
}

int tool_populate_backend(struct tool_call *call)
{
    struct backend *backend = call->tools->backend;
    if (!backend) {
        return tool_unsupported(call, JSV_STR("backend disabled"));
    }
    struct jsv_value asset = tool_argument(call, JSV_STR("asset"));
    int r = check_asset(call, asset);
    if (r != 0) {
        return r < 0 ? r : TOOL_DONE;
    }
    struct backend_post *post;
    const struct backend_message message = {
        .body = jsv_value_span(asset),
        .trace = tool_trace(call),
        .connection = call->connection,
    };
    r = backend_post_start(backend, &message, replied, call, &post);
    if (r < 0) {
        return r == -EBUSY ? write_busy(call) : r;
    }
    call->state = post;
    return TOOL_WAIT;
}

void tool_populate_backend_cancel(struct tool_call *call)
{
    if (call->state) {
        backend_post_cancel(call->state);
        call->state = NULL;
    }
}
