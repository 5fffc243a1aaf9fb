/*
 * The shape of a JSON-RPC message, and answers in that shape.
 *
 * The id is kept as a value of the document it came in and is written back
 * byte for byte. What is wrong with a shape is told to whoever sent it: what,
 * what to do about it, and where.
 */
#pragma once

#include <jsv/json.h>

enum rpc_kind {
    RPC_REQUEST,
    RPC_NOTIFICATION,
    RPC_RESULT, /* an answer to something we asked */
    RPC_ERROR_ANSWER,
    RPC_BATCH,   /* an array; whether that is welcome is for the dialect to say */
    RPC_FOREIGN, /* an object without "jsonrpc": perhaps an envelope of another kind */
};

/** The members JSON-RPC knows, as they are; of type NONE where absent. */
struct rpc_members {
    struct jsv_value version; /* "jsonrpc" */
    struct jsv_value id;
    struct jsv_value method;
    struct jsv_value params;
    struct jsv_value result;
    struct jsv_value error;
};

/** Find them, in one walk. @param root An object; anything else has none. */
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

/** What a syntax or shape error says about itself; all for people. */
struct rpc_fault {
    struct jsv_str message;    /* of the error; empty: its standard text and the details */
    struct jsv_str details;    /* what is wrong: "id must be a string or a number" */
    struct jsv_str suggestion; /* what to do */
    struct jsv_str cause;      /* where: a JSON Pointer, or a place in the text */
};

/**
 * Look at a document's shape.
 *
 * @param ret_message Filled in also when the shape is wrong: as far as it goes, with the id.
 * @param reterr_fault Of static texts.
 * @return whether it is a message, a batch, or foreign. A foreign one has a fault, too, for
 *         when no dialect knows it.
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

/** {"jsonrpc":"2.0","id":…,"result": and the result is next; then rpc_write_result_end(). */
struct jsv_writer rpc_write_result(struct jsv_buf *out, const struct rpc_message *message);
/** {"jsonrpc":"2.0","id":…,"error":{"code":…,"message":… and further members of the error. */
struct jsv_writer rpc_write_error(
    struct jsv_buf *out, const struct rpc_message *message, int code, struct jsv_str text);
/** Ends what rpc_write_error() began. */
void rpc_write_error_end(struct jsv_writer *writer);
/** Ends what rpc_write_result() began. */
void rpc_write_result_end(struct jsv_writer *writer);

/** Whether an answer that the functions above made for a message is an error. */
bool rpc_is_error(struct jsv_str answer, const struct rpc_message *message);

/**
 * The result in an answer to a message, when all that stands around it, the message's own id
 * included, is as rpc_write_result() has it. @return data NULL: it is not, or there is none.
 */
struct jsv_str rpc_result_of(struct jsv_str answer, const struct rpc_message *message);

/** The object {details, suggestion, cause}. */
void rpc_write_fault_data(struct jsv_writer *writer, const struct rpc_fault *fault);
/**
 * A whole error answer with data {details, suggestion, cause}. Many clients show nothing but the
 * message, so it says what is wrong, too; that of a parse error and an invalid request is fixed.
 */
void rpc_write_fault(
    struct jsv_buf *out,
    const struct rpc_message *message,
    enum rpc_error error,
    const struct rpc_fault *fault);
