/*
 * Reading the shape of a JSON-RPC message, and writing answers.
 *
 * The id stays a value of its document and is written back byte for byte. An
 * error in the shape says what is wrong, what to do and where.
 */
#pragma once

#include <jsv/json.h>

enum rpc_kind {
    RPC_REQUEST,
    RPC_NOTIFICATION,
    RPC_RESULT, /* the answer to a request of ours */
    RPC_ERROR_ANSWER,
    RPC_BATCH,   /* an array; the dialect decides whether it is allowed */
    RPC_FOREIGN, /* an object without "jsonrpc", such as an envelope */
};

/** The members of JSON-RPC; of type NONE where absent. */
struct rpc_members {
    struct jsv_value version; /* "jsonrpc" */
    struct jsv_value id;
    struct jsv_value method;
    struct jsv_value params;
    struct jsv_value result;
    struct jsv_value error;
};

/** Find them in one pass. @param root An object; anything else has none. */
void rpc_members_find(struct jsv_value root, struct rpc_members *ret_members);

struct rpc_message {
    enum rpc_kind kind;
    struct jsv_value root;
    struct rpc_members members;
    struct jsv_value id; /* a string or a number, else NONE */
    bool omits_id;       /* an answer without an id leaves it out; else it is null */
    struct jsv_str method;
    struct jsv_value params; /* NONE when absent */
};

/** The texts of a syntax or shape error, for people. */
struct rpc_fault {
    struct jsv_str message;    /* of the error; empty: its standard text and the details */
    struct jsv_str details;    /* what is wrong: "id must be a string or a number" */
    struct jsv_str suggestion; /* what to do */
    struct jsv_str cause;      /* where: a JSON Pointer, or a place in the text */
};

/**
 * Read a document's shape.
 *
 * @param ret_message  Also set when the shape is wrong, as far as it could be read.
 * @param reterr_fault Of static texts.
 * @return whether it is a message, a batch, or foreign. A foreign one sets the fault, too, in
 *         case no dialect recognises it.
 */
bool rpc_message_read(
    struct jsv_value root, struct rpc_message *ret_message, struct rpc_fault *reterr_fault);

enum rpc_error {
#define RPC_ERROR(name, code, status, message) RPC_ERROR_##name,
#include "rpc/errors.def"
#undef RPC_ERROR
};

int rpc_error_code(enum rpc_error error);
unsigned rpc_error_status(enum rpc_error error);
struct jsv_str rpc_error_message(enum rpc_error error);

/* ---- answers to a message ---- */

/** {"jsonrpc":"2.0","id":…,"result": and the caller writes the result, then rpc_write_result_end().
 */
struct jsv_writer rpc_write_result(struct jsv_buf *out, const struct rpc_message *message);
/** {"jsonrpc":"2.0","id":…,"error":{"code":…,"message":… and further members of the error. */
struct jsv_writer rpc_write_error(
    struct jsv_buf *out, const struct rpc_message *message, int code, struct jsv_str text);
/** End an error begun by rpc_write_error(). */
void rpc_write_error_end(struct jsv_writer *writer);
/** End an answer begun by rpc_write_result(). */
void rpc_write_result_end(struct jsv_writer *writer);

/** Whether an answer that the functions above made for a message is an error. */
bool rpc_is_error(struct jsv_str answer, const struct rpc_message *message);

/** The object {details, suggestion, cause}. */
void rpc_write_fault_data(struct jsv_writer *writer, const struct rpc_fault *fault);
/**
 * A whole error answer with data {details, suggestion, cause}. Many clients show only the message,
 * so it includes the details; the messages of a parse error and an invalid request are fixed.
 */
void rpc_write_fault(
    struct jsv_buf *out,
    const struct rpc_message *message,
    enum rpc_error error,
    const struct rpc_fault *fault);
