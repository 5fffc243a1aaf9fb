/*
 * Shared by the built-in tools: their functions, their state on a loop, and
 * common results.
 */
#pragma once

#include <errno.h>

#include "catalog/catalog.h"
#include "tools/command.h"
#include "tools/result.h"
#include "tools/tool.h"

/** A built-in tool. @return enum tool_step or -errno, as tool_run(). */
typedef int tool_function(struct tool_call *call);

#define TOOL(name) tool_function tool_##name;
#include "tools/tools.def"
#undef TOOL

struct tools {
    struct tool_settings settings;
    struct backend *backend; /* NULL: none */
    struct commands commands;
    struct jsv_reader *reader;     /* for replies of a backend or program */
    struct jsv_document *document; /* read with either reader */
    struct jsv_buf text;           /* the text of the document */
};

/** Cancel a waiting populate_backend. */
void tool_populate_backend_cancel(struct tool_call *call);

/** An argument by name; NONE when it is missing. */
struct jsv_value tool_argument(const struct tool_call *call, struct jsv_str name);

/* ---- common results ---- */

/** {"ok":false,"reason":"not_found"} */
int tool_not_found(struct tool_call *call);
/** {"ok":false,"reason":"unsupported","detail":…} */
int tool_unsupported(struct tool_call *call, struct jsv_str detail);
/** {"ok":false,"reason":"validation_failed","errors":[{"path":…,"msg":…}]}; not a verdict. */
int tool_refuse(struct tool_call *call, struct jsv_str path, struct jsv_str message);

/** {"ok":… and the caller writes more members, then calls tool_end(). */
struct jsv_writer tool_begin(struct tool_call *call, bool ok);
/** The same with a reason. */
struct jsv_writer tool_begin_failure(struct tool_call *call, struct jsv_str reason);
int tool_end(struct tool_call *call, struct jsv_writer *writer, enum tool_verdict verdict);

/* ---- validating assets ---- */

/**
 * The compiled schema for a name that came from a client or an asset.
 *
 * @return 0; 1 when there is none that could be used, and the result, which says so, is
 *         written; -errno.
 */
int tool_schema(struct tool_call *call, struct jsv_str name, const struct jsv_schema **ret_schema);

/**
 * Validate an asset; its top-level $schemaRef is as if it were not there.
 *
 * @param ret_problems Not empty when it is not valid; until the validator's next use.
 * @return 1 valid, 0 not; -ELOOP, -ETIME when a limit was hit; -errno.
 */
int tool_validate(
    struct tool_call *call,
    const struct jsv_schema *schema,
    struct jsv_value asset,
    struct jsv_problems *ret_problems);

/** The message for a validation that hit a limit; data NULL for other errors. */
struct jsv_str tool_limit_message(int error);

/**
 * Validate, and write the result unless the asset is valid.
 *
 * @param negative The verdict when it is not.
 * @return 0 when it is valid; 1 when the result is written; -errno.
 */
int tool_check(
    struct tool_call *call,
    const struct jsv_schema *schema,
    struct jsv_value asset,
    enum tool_verdict negative);
