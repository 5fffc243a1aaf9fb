/*
 * The interface of tools.
 *
 * A tool is a JSON descriptor (src/tools/<name>.json: name, title, description,
 * inputSchema, outputSchema, annotations) and a function. The pipeline checks
 * arguments against inputSchema before the function is called; output of
 * external programs is checked against outputSchema afterwards. A tool does not
 * depend on dialects, transports or ids.
 *
 * A descriptor's "absent" member gives the error for a parameter that is
 * missing, null or empty: {"absent": {"/schema": "schema param is required"}}.
 * It is reported alone, before any other check.
 *
 * "needs" names what the tool works on: "schemas", "examples", "assets" (either
 * of the two) or "backend". The official protocol lists the tool only where
 * that is configured.
 */
#pragma once

#include <jsv/schema.h>

#include "envelope/policy.h"
#include "log/trace.h"

struct backend;
struct catalog;
struct catalog_tool;
struct envelope_schemas;
struct log_counters;
struct loop;
struct tool_call;
struct tool_set;
struct tools;

/** Settings of the operator. */
struct tool_settings {
    const struct tool_set *set; /* NULL: the built-in tools */
    size_t batch_max;           /* assets in one validate_many */
    size_t loops;               /* that share the machine; 0: one */
    const char *backend_url;    /* NULL: none */
    const char *backend_assets_path;
    uint64_t backend_timeout_ms;
    size_t backend_reply_max;
};

/** The outcome, for dialects that distinguish a failure from a negative verdict. */
enum tool_verdict {
    TOOL_VERDICT_OK,       /* ok: true */
    TOOL_VERDICT_NEGATIVE, /* ok: false as the answer, such as an invalid asset */
    TOOL_VERDICT_FAILED,   /* ok: false because the tool failed */
};

enum tool_step {
    TOOL_DONE, /* the result is written */
    TOOL_WAIT, /* call->finished is called later, unless the call is cancelled */
    /*
     * Ask the client first: out is {key: {"method": …, "params": …}, …} as in the official
     * protocol. Then the tool is run again, with the answers in call->inputs.
     */
    TOOL_ASK,
};

/** The levels of syslog. */
enum tool_level {
    TOOL_LEVEL_DEBUG,
    TOOL_LEVEL_INFO,
    TOOL_LEVEL_NOTICE,
    TOOL_LEVEL_WARNING,
    TOOL_LEVEL_ERROR,
    TOOL_LEVEL_CRITICAL,
    TOOL_LEVEL_ALERT,
    TOOL_LEVEL_EMERGENCY,
};

/** Messages to the client while a call runs; dropped unless the client wants them. */
struct tool_client {
    void (*progress)(struct tool_call *call, uint64_t done, uint64_t total);
    void (*log)(struct tool_call *call, enum tool_level level, struct jsv_str text);
    /* Whether the client has a capability ("sampling", "elicitation", "roots"). */
    bool (*offers)(const struct tool_call *call, struct jsv_str capability);
    /* The trace of the call, for backends and programs; borrowed. */
    struct log_trace_context (*trace)(const struct tool_call *call);
};

struct tool_call {
    /* Set by the caller; all of it lives until the call is over. */
    const struct catalog *catalog;
    const struct catalog_tool *tool;
    struct jsv_value arguments; /* an object that matches inputSchema */
    struct tools *tools;
    struct loop *loop;         /* it runs on */
    const void *connection;    /* it came from: waiting calls are started fairly by connection */
    struct jsv_reader *reader; /* not across a wait */
    struct jsv_validator *validator;          /* not across a wait */
    const struct envelope_schemas *envelopes; /* to check a program's envelopes */
    struct jsv_arena *scratch;
    struct jsv_buf *out; /* the result, one JSON value on one line, is appended here */
    void (*finished)(struct tool_call *call);
    void *owner;                      /* for the caller */
    const struct tool_client *client; /* NULL: none */
    struct jsv_value inputs;          /* answers of the client, by key; NONE before */
    struct jsv_str state_in;          /* the state_out of the run before; empty at first */
    bool has_output_max;              /* output_max is set by the client */
    uint64_t output_max;

    /* Set by the tool. */
    enum tool_verdict verdict;
    struct jsv_str state_out;      /* with TOOL_ASK; valid UTF-8, lives until the call is over */
    struct envelope_result result; /* the source of out */
    struct envelope_issue failure; /* of a program; code.data NULL: it did not fail */
    uint64_t queued_us;            /* it waited to start a program or to send to the backend */
    int error;                     /* after a wait: 0 or -errno of this server */
    void *state;                   /* of a tool that waits */
};

/** Other tools instead of the built-in ones: their descriptors are in the catalog. */
struct tool_set {
    /* As tool_run(). */
    int (*run)(struct tool_call *call);
    void (*cancel)(struct tool_call *call);
};

/**
 * Run a call.
 * @return enum tool_step; -errno of this server.
 */
int tool_run(struct tool_call *call);
/** Cancel a waiting call; finished() will not be called. */
void tool_cancel(struct tool_call *call);

/** The trace of a call; empty when unknown. */
struct log_trace_context tool_trace(const struct tool_call *call);

/** The state of tools on one loop. @return 0 or -errno. */
int tools_new(struct loop *loop, const struct tool_settings *settings, struct tools **ret_tools);
/** Count programs from now on; the counters must outlive the tools. */
void tools_count(struct tools *tools, struct log_counters *counters);
/** Accepts NULL. */
void tools_free(struct tools *tools);

/** The descriptors of all built-in tools, for the catalog. */
const struct jsv_str *tools_descriptors(size_t *ret_count);
