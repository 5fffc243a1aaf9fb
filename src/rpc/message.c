/*
 * One pass over the members finds those of JSON-RPC. Then the shape is checked
 * in the order most useful to the sender: "jsonrpc", the id, then the method or
 * the answer.
 */
#include "rpc/message.h"

#include <string.h>

#include "jsv/base/text.h"
#include "jsv/json/node.h"

#define FAULT(details_text, suggestion_text, cause_text)                                           \
    (struct rpc_fault)                                                                             \
    {                                                                                              \
        .details = JSV_STR(details_text), .suggestion = JSV_STR(suggestion_text),                  \
        .cause = JSV_STR(cause_text)                                                               \
    }

static bool is_there(struct jsv_value value)
{
    return jsv_value_type(value) != JSV_TYPE_NONE;
}

/* ---- members ---- */

/* Where to store a member's value; NULL for other members. */
static struct jsv_value *place_of(struct rpc_members *members, struct jsv_str name)
{
    switch (name.size) {
    case sizeof("id") - 1:
        return JSV_IS(name, "id") ? &members->id : NULL;
    case sizeof("error") - 1:
        return JSV_IS(name, "error") ? &members->error : NULL;
    case sizeof("method") - 1:
        if (JSV_IS(name, "method")) {
            return &members->method;
        }
        if (JSV_IS(name, "params")) {
            return &members->params;
        }
        return JSV_IS(name, "result") ? &members->result : NULL;
    case sizeof("jsonrpc") - 1:
        return JSV_IS(name, "jsonrpc") ? &members->version : NULL;
    default:
        return NULL;
    }
}

/* This runs for every message, so it walks the nodes itself. */
void rpc_members_find(struct jsv_value root, struct rpc_members *ret_members)
{
    *ret_members = (struct rpc_members){0};
    if (jsv_value_type(root) != JSV_TYPE_OBJECT) {
        return;
    }
    const struct jsv_node *end = jsv_node_next(root.node);
    for (const struct jsv_node *key = root.node + 1; key < end; key = jsv_node_next(key + 1)) {
        struct jsv_value *place = place_of(ret_members, jsv_string_text(root.document, key));
        if (place) {
            *place = (struct jsv_value){root.document, key + 1};
        }
    }
}

/* ---- the shape ---- */

static bool is_identifier(struct jsv_value id)
{
    enum jsv_type type = jsv_value_type(id);
    return type == JSV_TYPE_STRING || type == JSV_TYPE_NUMBER;
}

/* A message without a method: an answer, or invalid. */
static bool read_answer(struct rpc_message *message, struct rpc_fault *reterr_fault)
{
    const struct rpc_members *members = &message->members;
    bool has_result = is_there(members->result);
    bool has_error = is_there(members->error);
    if (!has_result && !has_error) {
        *reterr_fault = FAULT(
            "neither a method nor a result nor an error",
            "Give the message a \"method\" member",
            "/method");
        return false;
    }
    if (has_result && has_error) {
        *reterr_fault =
            FAULT("both a result and an error", "An answer has one of the two", "/error");
        return false;
    }
    message->kind = has_result ? RPC_RESULT : RPC_ERROR_ANSWER;
    return true;
}

static bool read_object(struct rpc_message *message, struct rpc_fault *reterr_fault)
{
    const struct rpc_members *members = &message->members;
    if (!is_there(members->version)) {
        message->kind = RPC_FOREIGN;
        *reterr_fault = FAULT(
            "member \"jsonrpc\" is missing", "Add \"jsonrpc\":\"2.0\" to the message", "/jsonrpc");
        return true;
    }
    if (!JSV_IS(jsv_value_text(members->version), "2.0")) {
        *reterr_fault =
            FAULT("jsonrpc must be the string \"2.0\"", "Write \"jsonrpc\":\"2.0\"", "/jsonrpc");
        return false;
    }
    if (is_there(members->id) && !is_identifier(members->id)) {
        *reterr_fault = FAULT(
            "id must be a string or a number",
            "Use a string or a number, or leave the id out for a notification",
            "/id");
        return false;
    }
    if (!is_there(members->method)) {
        return read_answer(message, reterr_fault);
    }
    if (message->method.size == 0) {
        *reterr_fault =
            FAULT("method must be a string that is not empty", "Name the method", "/method");
        return false;
    }
    message->kind = is_there(members->id) ? RPC_REQUEST : RPC_NOTIFICATION;
    return true;
}

bool rpc_message_read(
    struct jsv_value root, struct rpc_message *ret_message, struct rpc_fault *reterr_fault)
{
    *ret_message = (struct rpc_message){.kind = RPC_FOREIGN, .root = root};
    if (jsv_value_type(root) == JSV_TYPE_ARRAY) {
        ret_message->kind = RPC_BATCH;
        *reterr_fault = FAULT(
            "batches are not supported here", "Send one message at a time, an object each", "");
        return true;
    }
    if (jsv_value_type(root) != JSV_TYPE_OBJECT) {
        *reterr_fault = FAULT(
            "a message is an object", "Send {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"...\"}", "");
        return false;
    }
    struct rpc_members *members = &ret_message->members;
    rpc_members_find(root, members);
    ret_message->params = members->params;
    ret_message->method = jsv_value_text(members->method);
    if (is_identifier(members->id)) {
        ret_message->id = members->id;
    }
    return read_object(ret_message, reterr_fault);
}

/* ---- errors ---- */

static const struct {
    int code;
    unsigned status;
    struct jsv_str message;
} errors[] = {
#define RPC_ERROR(name, code, status, message) {code, status, {message, sizeof(message) - 1}},
#include "rpc/errors.def"
#undef RPC_ERROR
};

int rpc_error_code(enum rpc_error error)
{
    return errors[error].code;
}

unsigned rpc_error_status(enum rpc_error error)
{
    return errors[error].status;
}

struct jsv_str rpc_error_message(enum rpc_error error)
{
    return errors[error].message;
}

/* ---- answers ---- */

/* Part of every answer; appended as constants they cost a tenth of using a writer. */
#define HEAD   "{\"jsonrpc\":\"2.0\""
#define ID     ",\"id\":"
#define RESULT ",\"result\":"
#define ERROR  ",\"error\":"

/* As it was spelled. */
static struct jsv_str id_text(const struct rpc_message *message)
{
    return is_there(message->id) ? jsv_value_span(message->id) : JSV_STR("null");
}

static struct jsv_writer write_head(struct jsv_buf *out, const struct rpc_message *message)
{
    struct jsv_writer writer = jsv_writer_on(out);
    if (is_there(message->id) || !message->omits_id) {
        struct jsv_str id = id_text(message);
        JSV_PUT(out, HEAD ID);
        jsv_put(out, id.data, id.size);
    } else {
        JSV_PUT(out, HEAD);
    }
    return writer;
}

struct jsv_writer rpc_write_result(struct jsv_buf *out, const struct rpc_message *message)
{
    struct jsv_writer writer = write_head(out, message);
    JSV_PUT(out, RESULT);
    return writer;
}

void rpc_write_result_end(struct jsv_writer *writer)
{
    JSV_PUT(writer->out, "}");
}

struct jsv_writer rpc_write_error(
    struct jsv_buf *out, const struct rpc_message *message, int code, struct jsv_str text)
{
    struct jsv_writer writer = write_head(out, message);
    JSV_PUT(out, ERROR);
    jsv_write_object_begin(&writer);
    jsv_write_member_int64(&writer, JSV_STR("code"), code);
    jsv_write_member_string(&writer, JSV_STR("message"), text);
    return writer;
}

void rpc_write_error_end(struct jsv_writer *writer)
{
    jsv_write_object_end(writer);
    jsv_write_object_end(writer);
}

static bool skip(struct jsv_str *text, struct jsv_str prefix)
{
    bool begins = text->size >= prefix.size && memcmp(text->data, prefix.data, prefix.size) == 0;
    if (begins) {
        text->data += prefix.size;
        text->size -= prefix.size;
    }
    return begins;
}

/* Skip the text that write_head() writes. */
static bool skip_head(struct jsv_str *answer, const struct rpc_message *message)
{
    return skip(answer, JSV_STR(HEAD ID)) ? skip(answer, id_text(message))
                                          : skip(answer, JSV_STR(HEAD));
}

bool rpc_is_error(struct jsv_str answer, const struct rpc_message *message)
{
    return skip_head(&answer, message) && skip(&answer, JSV_STR(ERROR));
}

void rpc_write_fault_data(struct jsv_writer *writer, const struct rpc_fault *fault)
{
    jsv_write_object_begin(writer);
    jsv_write_member_string(writer, JSV_STR("details"), fault->details);
    jsv_write_member_string(writer, JSV_STR("suggestion"), fault->suggestion);
    jsv_write_member_string(writer, JSV_STR("cause"), fault->cause);
    jsv_write_object_end(writer);
}

/* An error text with details; a longer one falls back to the standard text. */
#define MESSAGE_SIZE_MAX 1024

/* @param memory For the text; freed by the caller. */
static struct jsv_str
message_of(enum rpc_error error, const struct rpc_fault *fault, struct jsv_buf *memory)
{
    struct jsv_str standard = rpc_error_message(error);
    if (error == RPC_ERROR_PARSE || error == RPC_ERROR_INVALID_REQUEST) {
        return standard;
    }
    if (fault->message.size > 0) {
        return fault->message;
    }
    jsv_buf_append_str(memory, standard);
    jsv_buf_append_str(memory, JSV_STR(": "));
    jsv_buf_append_str(memory, fault->details);
    return memory->error == 0 ? jsv_buf_str(memory) : standard;
}

void rpc_write_fault(
    struct jsv_buf *out,
    const struct rpc_message *message,
    enum rpc_error error,
    const struct rpc_fault *fault)
{
    struct jsv_buf memory;
    jsv_buf_init(&memory, &out->allocator, MESSAGE_SIZE_MAX);
    struct jsv_str text = message_of(error, fault, &memory);
    struct jsv_writer writer = rpc_write_error(out, message, rpc_error_code(error), text);
    jsv_buf_done(&memory);
    jsv_write_key(&writer, JSV_STR("data"));
    rpc_write_fault_data(&writer, fault);
    rpc_write_error_end(&writer);
}
