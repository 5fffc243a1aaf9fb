/*
 * What a tool is to the corridor.
 *
 * A tool is a JSON descriptor (src/tools/<name>.json: name, title, description,
 * inputSchema, outputSchema, annotations) and a function. Arguments have been
 * checked against inputSchema before the function is called, and what it
 * writes is checked against outputSchema after it: the tool itself checks
 * neither. It knows nothing of dialects, doors or ids.
 *
 * A descriptor's "absent" member gives the text for a parameter that is
 * missing, null or empty: {"absent": {"/schema": "schema param is required"}}.
 * It is said alone, before anything else is looked at.
 *
 * "needs" names what the tool works on: "schemas", "examples", "assets" (either of the two) or
 * "backend". The official protocol lists the tool only where that is configured.
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

/** What the operator decides. */
struct tool_settings {
    const struct tool_set *set; /* NULL: the built-in tools */
    size_t batch_max;           /* assets in one validate_many */
    size_t loops;               /* that share the machine; 0: one */
    const char *backend_url;    /* NULL: there is no backend */
    const char *backend_assets_path;
    uint64_t backend_timeout_ms;
    size_t backend_reply_max;
};

/** What the answer is, for dialects that tell failure apart from a negative verdict. */
enum tool_verdict {
    TOOL_VERDICT_OK,       /* ok: true */
    TOOL_VERDICT_NEGATIVE, /* ok: false, and that is the answer that was asked for */
    TOOL_VERDICT_FAILED,   /* ok: false, the tool could not do its work */
};

enum tool_step {
    TOOL_DONE, /* the result is written */
    TOOL_WAIT, /* call->finished comes later, unless the call is cancelled */
    /*
     * The client is to be asked first: out is {key: {"method": …, "params": …}, …} in the words
     * of the official protocol. Then the tool is run again, with the answers in call->inputs.
     */
    TOOL_ASK,
};

/** How much a message matters; the names of syslog. */
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

/** What a call may say to its client while it runs; said only to those who want to hear it. */
struct tool_client {
    void (*progress)(struct tool_call *call, uint64_t done, uint64_t total);
    void (*log)(struct tool_call *call, enum tool_level level, struct jsv_str text);
    /* Whether the client can be asked by such a means ("sampling", "elicitation", "roots"). */
    bool (*offers)(const struct tool_call *call, struct jsv_str capability);
    /* The trace the call belongs to, for those it is passed on to; borrowed. */
    struct log_trace_context (*trace)(const struct tool_call *call);
};

struct tool_call {
    /* Filled in by the caller; all of it lives until the call is over. */
    const struct catalog *catalog;
    const struct catalog_tool *tool;
    struct jsv_value arguments; /* an object that fits inputSchema */
    struct tools *tools;
    struct loop *loop;               /* it runs on */
    const void *connection;          /* it came in on: those that wait are served in turn */
    struct jsv_reader *reader;       /* not across a wait */
    struct jsv_validator *validator; /* not across a wait */
    const struct envelope_schemas *envelopes; /* what a program's envelopes are checked by */
    struct jsv_arena *scratch;
    struct jsv_buf *out; /* the result, one JSON value on one line, is appended here */
    void (*finished)(struct tool_call *call);
    void *owner;                      /* the caller's */
    const struct tool_client *client; /* NULL: nobody listens */
    struct jsv_value inputs;          /* what was asked for, by key; NONE before */
    struct jsv_str state_in;          /* what was to be remembered then; empty before */
    bool has_output_max;              /* the client wants no more than so many bytes */
    uint64_t output_max;

    /* Filled in by the tool. */
    enum tool_verdict verdict;
    struct jsv_str state_out;      /* with TOOL_ASK; valid UTF-8, lives until the call is over */
    struct envelope_result result; /* what out was written from, byte for byte */
    struct envelope_issue failure; /* of a program: why it failed; code.data NULL: it did not */
    uint64_t queued_us;            /* it waited to start a program or to send to the backend */
    int error;                     /* after a wait: 0 or -errno, our fault */
    void *state;                   /* of a tool that waits */
};

/** Tools that somebody else brings: their descriptors are in the catalog. */
struct tool_set {
    /* As tool_run(). */
    int (*run)(struct tool_call *call);
    void (*cancel)(struct tool_call *call);
};

/**
 * Run a call.
 * @return enum tool_step; -errno: our fault.
 */
int tool_run(struct tool_call *call);
/** Give up a call that waits; finished() will not come. */
void tool_cancel(struct tool_call *call);

/** The trace a call belongs to; nothing where nobody says. */
struct log_trace_context tool_trace(const struct tool_call *call);

/** What tools need on one loop. @return 0 or -errno. */
int tools_new(struct loop *loop, const struct tool_settings *settings, struct tools **ret_tools);
/** Count programs from now on; the counters must outlive the tools. */
void tools_count(struct tools *tools, struct log_counters *counters);
/** Accepts NULL. */
void tools_free(struct tools *tools);

/** The descriptors of all built-in tools, for the catalog. */
const struct jsv_str *tools_descriptors(size_t *ret_count);
