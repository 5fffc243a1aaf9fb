/*
 * What `mcpgate validate` says about a document, in four forms:
 *
 *     text     for people: "a.json:3:8: /x: expected number", the line, a caret;
 *              nothing about a document that is valid
 *     json     a line for each document: {"file","line","ok","errors"}
 *     basic    a line for each document: the specification's basic output
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

/** A document that has been checked. */
struct validate_verdict {
    const char *name; /* of its file */
    size_t line;      /* it begins in */
    struct jsv_str text;
    struct jsv_problems problems; /* empty: valid */
    /* Where the problems are: */
    const struct jsv_document *document; /* at the values their paths lead to; NULL: it is no … */
    size_t offset;                       /* … JSON, and this is the place */
};

/** Append what is to be said. Failure sticks to the buffer. @param colour For text. */
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
