/*
 * A dialect is one kind of message. It recognises its messages, decides what to
 * do with them (answer at once, or call a tool), and renders the result. It does
 * not read bytes, run tools or validate arguments: core's pipeline does that in
 * the same way for all dialects.
 */
#pragma once

#include "catalog/catalog.h"
#include "rpc/http.h"
#include "rpc/message.h"
#include "tools/tool.h"

struct dialect;
struct dialect_req;
struct dialect_question;
struct dialect_session;
struct mcp_method;
struct mcp_provider;
struct envelope_schemas;
struct mcp_definitions;

/** What core does for a dialect. */
struct dialect_host {
    /* Cancel the request in flight that has this id; it is not answered. */
    void (*cancel)(struct dialect_req *req, struct jsv_value id);
    /* Send a message that belongs to the request, before its answer. */
    void (*push)(struct dialect_req *req, struct jsv_str message);
    /* Whether the connection may have one more request that listens. */
    bool (*may_listen)(const struct dialect_req *req);
    /*
     * HTTP only: register *req->session under a new id. @return 0; -ENOSPC: there are too many
     * sessions, and retry_after_s is set; -errno.
     */
    int (*keep_session)(struct dialect_req *req);
    /* HTTP only: find a session and make it *req->session. @return whether there is one. */
    bool (*find_session)(struct dialect_req *req, struct jsv_str id);
    /*
     * Replace the message by a shorter one with the same id and method, which is copied: for a
     * request that stays open. @return 0; -ENOMEM, and nothing has changed.
     */
    int (*shorten)(struct dialect_req *req, struct jsv_str message);
    /*
     * Read a JSON text. The text must live as long as the request; the value read before becomes
     * invalid. @return 0; -EBADMSG: it is not JSON; -ENOMEM.
     */
    int (*read)(struct dialect_req *req, struct jsv_str text, struct jsv_value *ret_root);
    /*
     * Register a question to the client. When all are answered, the answers, by key, become
     * req->inputs. @return 0 with the id of the question; -ENOTCONN: nothing can be sent to the
     * client; -ENOMEM.
     */
    int (*ask)(
        struct dialect_req *req,
        struct jsv_str key,
        const struct mcp_method *method,
        uint64_t *ret_id);
    /* The client answered a question. @param result NONE: it answered with an error. */
    void (*answer)(
        struct dialect_req *req, struct dialect_question *question, struct jsv_value result);
};

struct dialect_req {
    /* Set by core. */
    struct rpc_message message;
    const struct dialect_host *host;
    const struct rpc_http *http;      /* NULL: the message came in a line */
    struct dialect_session **session; /* of the connection; *session is NULL before there is one */
    const struct catalog *catalog;
    const struct mcp_provider *provider; /* of MCP resources and prompts */
    struct mcp_definitions *definitions;
    const struct envelope_schemas *envelopes;
    struct log *log;   /* NULL: messages are not logged */
    bool is_private;   /* shared caches must not keep answers */
    uint64_t began_us; /* os_now_us(), plus the time it waited for other requests */
    struct jsv_reader *reader;
    struct jsv_validator *validator;
    struct jsv_arena *scratch;
    struct jsv_value empty_object; /* {}, for arguments that were left out */
    struct jsv_buf *reply;         /* the answer is written here; empty: there is none */
    const struct tool_call *call;  /* the finished call, for render() and render_failure() */

    /* Set by the dialect. */
    const struct dialect *dialect;
    const struct catalog_tool *tool; /* to call */
    struct jsv_value arguments;      /* an object */
    struct jsv_value inputs;         /* answers of the client, by key; NONE: it was not asked */
    struct jsv_str state_in;         /* what the tool kept when it asked */
    bool has_output_max;             /* output_max limits the bytes of the result */
    uint64_t output_max;
    unsigned variant;                /* private to the dialect: its version */
    const void *state;               /* private to the dialect, in scratch */
    const struct mcp_method *method; /* of a valid MCP message */
    unsigned http_status;            /* 200 by default */
    unsigned retry_after_s;          /* the Retry-After header; 0: none */
};

enum dialect_step {
    DIALECT_CALL,   /* call req->tool with req->arguments */
    DIALECT_DONE,   /* the answer is written, or none is due */
    DIALECT_LISTEN, /* the request stays open and its client is notified of changes */
    DIALECT_BATCH,  /* each element is a message; one array answers all */
};

/** Messages to the client of a request in flight. */
struct dialect_client_ops {
    void (*progress)(struct dialect_req *req, uint64_t done, uint64_t total);
    void (*log)(struct dialect_req *req, enum tool_level level, struct jsv_str text);
    bool (*offers)(const struct dialect_req *req, struct jsv_str capability);
    /*
     * Ask the client: questions as with TOOL_ASK, and the state the tool wants back.
     * @return whether answers are awaited (host->ask); else the request is answered.
     */
    bool (*ask)(struct dialect_req *req, struct jsv_value questions, struct jsv_str tool_state);
    /* Answer the request: there will be no answers from the client. */
    void (*give_up)(struct dialect_req *req, struct jsv_str details);
};

struct dialect {
    const char *name;
    const struct dialect_client_ops *client; /* NULL: it cannot notify or ask clients */
    bool serial;   /* messages of one connection run in order, one at a time */
    bool wants_id; /* a message without an id is not a notification but an error, and is answered */
    bool (*recognise)(const struct dialect_req *req);
    /* Whether a malformed message belongs to the dialect. NULL: none does. */
    bool (*owns_malformed)(const struct dialect_req *req);
    /*
     * Refuse a malformed message: too long, not JSON, or of the wrong shape. http_status is set.
     * NULL: a JSON-RPC error.
     */
    void (*malformed)(struct dialect_req *req, const struct rpc_fault *fault);
    enum dialect_step (*open)(struct dialect_req *req);
    /* The arguments do not match the tool's input schema; paths start at the arguments. */
    void (*refuse)(struct dialect_req *req, const struct jsv_problems *problems);
    /* Write the tool's result. */
    void (*render)(struct dialect_req *req, struct jsv_str result, enum tool_verdict verdict);
    /*
     * Write the failure of an external program: call->failure, and in call->result what it wrote
     * before. NULL: fail() with the failure's message.
     */
    void (*render_failure)(struct dialect_req *req);
    /* Write the answer that ends a request that listens. NULL: there are none. */
    void (*end_listening)(struct dialect_req *req);
    /* Write an internal error. The reply is empty. */
    void (*fail)(struct dialect_req *req, struct jsv_str details);
};

#define DIALECT(name) extern const struct dialect dialect_##name;
#include "dialect/dialects.def"
#undef DIALECT

/**
 * Whether an error without an id omits the member, as MCP does since 2025-11-25.
 * @param session NULL: not known yet, the headers decide.
 */
bool dialect_omits_id(const struct rpc_http *http, const struct dialect_session *session);

/** The dialect of a message, or NULL. */
const struct dialect *dialect_recognise(const struct dialect_req *req);
/** The dialect of an HTTP endpoint that serves only one; NULL: the message decides. */
const struct dialect *dialect_of_endpoint(const struct rpc_http *http);
/** Refuse a malformed message in the format of the dialect it belongs to. */
void dialect_refuse_message(
    struct dialect_req *req, enum rpc_error error, const struct rpc_fault *fault);

/** Whether the request came in a line or at /rpc, where the message decides on the dialect. */
bool dialect_is_open(const struct dialect_req *req);

/**
 * Make params the arguments, without their _meta, which tools do not see.
 * @param params An object. @return 0 or -ENOMEM.
 */
int dialect_take_arguments(struct dialect_req *req, struct jsv_value params);

/** The prefix of tool ids. */
#define DIALECT_TOOL_ID_PREFIX CATALOG_TOOL_ID_PREFIX
/** A tool by its name or its id "mcp.tool:<name>", or NULL. */
const struct catalog_tool *dialect_find_tool(const struct dialect_req *req, struct jsv_str id);
