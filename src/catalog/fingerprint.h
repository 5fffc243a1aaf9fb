/*
 * A tool's schemas as one, and its fingerprint, by which clients and operators
 * see whether they have changed. The same tool with the same schemas, however they are spelled,
 * has the same fingerprint; the digest command prints the same for the text.
 */
#pragma once

#include <jsv/json.h>

#include "os/digest.h"

/**
 * Append the schema of {tool, input, output}, the tool's id filled in: `tool`
 * must equal it, `input` and `output` must be objects that fit the tool's own.
 *
 * @param tool_id Valid UTF-8.
 * @param input   The tool's schema of its arguments; NONE: any object.
 * @param output  The tool's schema of its results; NONE: any object.
 * @return 0, or the buffer's sticky error.
 */
int catalog_tool_io_write(
    struct jsv_str tool_id, struct jsv_value input, struct jsv_value output, struct jsv_buf *out);

/**
 * The SHA-256 of a schema's canonical form.
 * @return 0; -ERANGE when a number in it has none; or -ENOMEM.
 */
int catalog_fingerprint(
    struct jsv_value schema,
    struct jsv_arena *scratch,
    char ret_hex[static OS_DIGEST_HEX_SIZE + 1]);
