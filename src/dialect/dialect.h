/*
 * The kinds of message the gate speaks. A dialect recognises its messages,
 * says what to do (answer at once, or call a tool), and renders the outcome.
 * It never reads bytes, runs tools or validates arguments: the corridor does
 * that, the same way for all of them.
 */
#pragma once

#include "catalog/catalog.h"
#include "rpc/http.h"
#include "rpc/message.h"
#include "tools/tool.h"

struct dialect;
struct dialect_request;
struct dialect_question;
struct dialect_session;
struct mcp_method;
struct mcp_provider;
struct envelope_schemas;
struct mcp_definitions;

/** What a dialect may ask of the connection a request came in on. */
struct dialect_host {
    /* Give up a request in flight that has this id; it is not answered. */
    void (*cancel)(struct dialect_request *request, struct jsv_value id);
    /* Send a message that belongs to the request, before its answer. */
    void (*push)(struct dialect_request *request, struct jsv_str message);
    /* Whether the connection may have one more request that listens. */
    bool (*may_listen)(const struct dialect_request *request);
    /*
     * Of HTTP clients: keep *request->session under an id of its own. @return 0; -ENOSPC: there are
     * too many, and retry_after_s is set; -errno.
     */
    int (*keep_session)(struct dialect_request *request);
    /* Of HTTP clients: find a session and make it *request->session. @return whether there is. */
    bool (*find_session)(struct dialect_request *request, struct jsv_str id);
    /*
     * Go on with a shorter message, which is copied, in place of the one that came: for a request
     * that stays open. It has the same id and method. @return 0; -ENOMEM, and nothing has changed.
     */
    int (*shorten)(struct dialect_request *request, struct jsv_str message);
    /*
     * Read a JSON text that lives as long as the request, in place of the one read before.
     * @return 0; -EBADMSG when it is none; -ENOMEM.
     */
    int (*read)(struct dialect_request *request, struct jsv_str text, struct jsv_value *ret_root);
    /*
     * Wait for an answer of the client's; all that are waited for, by key, become
     * request->inputs. @return 0 with the id to ask under; -ENOTCONN when the client would not
     * hear the question; -ENOMEM.
     */
    int (*ask)(
        struct dialect_request *request,
        struct jsv_str key,
        const struct mcp_method *method,
        uint64_t *ret_id);
    /* An answer came in as a message. @param result NONE: the client could not answer. */
    void (*answer)(
        struct dialect_request *request,
        struct dialect_question *question,
        struct jsv_value result);
};

struct dialect_request {
    /* Given by the corridor. */
    struct rpc_message message;
    const struct dialect_host *host;
    const struct rpc_http *http;      /* NULL: it came in a line */
    struct dialect_session **session; /* of the connection; *session is NULL before there is one */
    const struct catalog *catalog;
    const struct mcp_provider *provider; /* what the official protocol shows besides tools */
    struct mcp_definitions *definitions;
    const struct envelope_schemas *envelopes;
    struct log *log;   /* what is kept of messages; NULL: nothing is */
    bool is_private;   /* what is served is not for everybody */
    uint64_t began_us; /* by os_now_us(), moved by the time it waited for others: so its own time */
    struct jsv_reader *reader;
    struct jsv_validator *validator;
    struct jsv_arena *scratch;
    struct jsv_value nothing;     /* {}: for arguments that were left out */
    struct jsv_buf *reply;        /* the answer goes here; empty: there is none */
    const struct tool_call *call; /* the one that is over, when its outcome is rendered */

    /* Filled in by the dialect. */
    const struct dialect *dialect;
    const struct catalog_tool *tool; /* to be called */
    struct jsv_value arguments;      /* for it; an object */
    struct jsv_value inputs;         /* what the client was asked for; NONE: it was not */
    struct jsv_str memory;           /* what the tool wanted to remember then */
    bool has_output_max;             /* the tool may put out so many bytes, and no more */
    uint64_t output_max;
    unsigned variant;                /* the dialect's own: which of its versions is spoken */
    const void *state;               /* the dialect's own, in scratch */
    bool is_valid;                   /* the message is as defined: the answer has to be, too */
    const struct mcp_method *method; /* of a valid message of the official protocol */
    unsigned http_status;            /* 200 unless it says otherwise */
    unsigned retry_after_s;          /* when to try again, for HTTP; 0: nothing is said of that */
};

enum dialect_step {
    DIALECT_CALL,   /* request->tool is to be called with request->arguments */
    DIALECT_DONE,   /* the answer is written, or there is none */
    DIALECT_LISTEN, /* it stays open: the client is told of changes until it ends */
    DIALECT_BATCH,  /* each element is a message of its own; one answer for all */
};

/** A conversation with the client while its request is in flight. */
struct dialect_talk {
    void (*progress)(struct dialect_request *request, uint64_t done, uint64_t total);
    void (*log)(struct dialect_request *request, enum tool_level level, struct jsv_str text);
    bool (*offers)(const struct dialect_request *request, struct jsv_str capability);
    /*
     * The tool wants answers: questions as TOOL_ASK has them, and what it wants to remember.
     * @return whether they are on their way (host->ask); else the request is answered.
     */
    bool (*ask)(struct dialect_request *request, struct jsv_value questions, struct jsv_str memory);
    /* There will be no answers. */
    void (*give_up)(struct dialect_request *request, struct jsv_str details);
};

struct dialect {
    const char *name;
    const struct dialect_talk *talk; /* NULL: it has no words for that */
    bool in_turn;                    /* messages of one connection run one after another */
    bool wants_id; /* a message without an id is no notification: it is answered, with a refusal */
    bool (*recognise)(const struct dialect_request *request);
    /* Whether a message whose shape is wrong is meant for it. NULL: none is. */
    bool (*is_meant)(const struct dialect_request *request);
    /*
     * What was sent is no message at all: too long, no JSON, not of the right shape. The status
     * is set. NULL: the error of JSON-RPC.
     */
    void (*malformed)(struct dialect_request *request, const struct rpc_fault *fault);
    enum dialect_step (*open)(struct dialect_request *request);
    /* The arguments do not fit the tool's input schema; paths are below them. */
    void (*refuse)(struct dialect_request *request, const struct jsv_problems *problems);
    /* The tool's result. */
    void (*render)(
        struct dialect_request *request, struct jsv_str result, enum tool_verdict verdict);
    /*
     * The tool is a program that failed: call->failure says how, call->result is what it had put
     * out by then. NULL: fail() with the failure's message.
     */
    void (*render_failure)(struct dialect_request *request);
    /*
     * Whether the answer to a valid message is one of the dialect's, which depends on its method
     * and variant. NULL: it always is. @return 1; 0; -ENOMEM when that could not be found out.
     */
    int (*is_sound)(struct dialect_request *request, struct jsv_value answer);
    /* Write the answer to a request that has listened. NULL: there are none. */
    void (*end_listening)(struct dialect_request *request);
    /* We failed. The reply is empty again. */
    void (*fail)(struct dialect_request *request, struct jsv_str details);
};

#define DIALECT(name) extern const struct dialect dialect_##name;
#include "dialect/dialects.def"
#undef DIALECT

/**
 * Whether answers without an id leave it out, as the protocol has it since 2025-11-25.
 * @param session NULL: it is not known yet; the headers tell.
 */
bool dialect_omits_id(const struct rpc_http *http, const struct dialect_session *session);

/** The dialect of a message; NULL when nobody knows it. */
const struct dialect *dialect_recognise(const struct dialect_request *request);
/** The dialect of an endpoint that has one of its own; NULL: the message decides. */
const struct dialect *dialect_of_endpoint(const struct rpc_http *http);
/** Refuse what is no message, in the words of whoever it was meant for. */
void dialect_refuse_message(
    struct dialect_request *request, enum rpc_error error, const struct rpc_fault *fault);

/** Whether a request may be of any dialect, and its shape decides. */
bool dialect_is_open(const struct dialect_request *request);

/**
 * Make params the arguments, without their _meta: that is for the server and not for tools.
 * @param params An object. @return 0 or -ENOMEM.
 */
int dialect_take_arguments(struct dialect_request *request, struct jsv_value params);

/** What an id of a tool has before the tool's name. */
#define DIALECT_TOOL_ID_PREFIX CATALOG_TOOL_ID_PREFIX
/** A tool by its name, or by its id "mcp.tool:<name>"; NULL when there is none. */
const struct catalog_tool *
dialect_find_tool(const struct dialect_request *request, struct jsv_str id);
