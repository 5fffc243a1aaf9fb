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
 */
#pragma once

#include <jsv/schema.h>

#include "envelope/policy.h"

struct backend;
struct catalog;
struct catalog_tool;
struct loop;
struct tool_call;
struct tools;

/** What the operator decides. */
struct tool_settings {
    size_t batch_max;        /* assets in one validate_many */
    size_t loops;            /* that share the machine; 0: one */
    const char *backend_url; /* NULL: there is no backend */
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
};

struct tool_call {
    /* Filled in by the caller; all of it lives until the call is over. */
    const struct catalog *catalog;
    const struct catalog_tool *tool;
    struct jsv_value arguments; /* an object that fits inputSchema */
    struct tools *tools;
    struct jsv_reader *reader;       /* not across a wait */
    struct jsv_validator *validator; /* not across a wait */
    struct jsv_arena *scratch;
    struct jsv_buf *out; /* the result, one JSON value on one line, is appended here */
    void (*finished)(struct tool_call *call);
    void *owner; /* the caller's */

    /* Filled in by the tool. */
    enum tool_verdict verdict;
    struct envelope_result result; /* what out was written from, byte for byte */
    struct envelope_issue failure; /* of a program: why it failed; code.data NULL: it did not */
    int error;                     /* after a wait: 0 or -errno, our fault */
    void *state;                   /* of a tool that waits */
};

/**
 * Run a call.
 * @return enum tool_step; -ENOENT: such a tool is declared and not built in; -errno: our fault.
 */
int tool_run(struct tool_call *call);
/** Give up a call that waits; finished() will not come. */
void tool_cancel(struct tool_call *call);

/** What tools need on one loop. @return 0 or -errno. */
int tools_new(struct loop *loop, const struct tool_settings *settings, struct tools **ret_tools);
/** Accepts NULL. */
void tools_free(struct tools *tools);

/** The descriptors of all built-in tools, for the catalog. */
const struct jsv_str *tools_descriptors(size_t *ret_count);
