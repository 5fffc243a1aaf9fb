/*
 * The results of mcpgate validate, in four formats:
 *
 *     text     for people: "a.json:3:8: /x: expected number", the line, a caret;
 *              nothing for a valid document
 *     json     one line per document: {"file","line","ok","errors"}
 *     basic    one line per document: the specification's basic output
 *     github   a workflow command for each problem, which annotates the file
 */
#pragma once

#include <jsv/json.h>
#include <jsv/problem.h>

struct cli_message;

enum validate_format {
    VALIDATE_TEXT,
    VALIDATE_JSON,
    VALIDATE_BASIC,
    VALIDATE_GITHUB,
};

/** The result of checking a document. */
struct validate_verdict {
    const char *name; /* of its file */
    size_t line;      /* where the document starts */
    struct jsv_str text;
    bool is_json;
    struct jsv_problems problems; /* empty: valid */
};

/** Append a result. An error sticks to the buffer. @param colour For text. */
void validate_output_write(
    const struct validate_verdict *verdict,
    enum validate_format format,
    bool colour,
    struct jsv_buf *out);

/**
 * Append why the schema false or "not" applies to a value; nothing for any other problem:
 *
 *     : the schema at /allOf/0/then/properties/b is false, which applies because "if" at
 *     /allOf/0/if matches
 */
void validate_reason_put(struct cli_message *message, const struct jsv_problem *problem);
