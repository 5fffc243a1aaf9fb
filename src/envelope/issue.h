/*
 * Errors and warnings of an envelope: {code, message, details}.
 *
 * An issue borrows its texts. Issues made here come from the table failures.def
 * or from a validator's problems; texts they need are allocated in the arena.
 */
#pragma once

#include <jsv/json.h>
#include <jsv/problem.h>

/* The limit of mcp.envelope.v0.1 on a message, in bytes; a longer one is cut. */
#define ENVELOPE_MESSAGE_MAX 2000
/* Enough for a problem: its path and keyword. */
#define ENVELOPE_DETAILS_MAX 2

struct envelope_detail {
    const char *name;
    struct jsv_str text; /* data NULL: the number */
    int64_t number;
};

struct envelope_issue {
    struct jsv_str code;
    struct jsv_str message;
    struct envelope_detail details[ENVELOPE_DETAILS_MAX];
    size_t detail_count;
};

struct envelope_issues {
    const struct envelope_issue *items;
    size_t count;
};

enum envelope_failure {
#define ENVELOPE_FAILURE(name, code, before, after, detail) ENVELOPE_FAILURE_##name,
#include "envelope/failures.def"
#undef ENVELOPE_FAILURE
};

/**
 * An error with a number: EXIT, SIGNAL, TIMEOUT, TOO_LARGE.
 * @return 0 or -ENOMEM.
 */
int envelope_failure_number(
    enum envelope_failure failure,
    int64_t number,
    struct jsv_arena *arena,
    struct envelope_issue *ret_issue);

/** All other errors; text.data NULL: without a text. */
struct envelope_issue envelope_failure_text(enum envelope_failure failure, struct jsv_str text);

/**
 * An error whose text is the first of some problems: "/n: expected integer".
 * @return 0 or -ENOMEM.
 */
int envelope_failure_problem(
    enum envelope_failure failure,
    const struct jsv_problems *problems,
    struct jsv_arena *arena,
    struct envelope_issue *ret_issue);

/** The code of an error. */
struct jsv_str envelope_failure_code(enum envelope_failure failure);

/**
 * One issue for each problem listed, with its path and keyword as details.
 *
 * @param code       Of all of them.
 * @param problems   Must outlive the issues.
 * @param ret_issues In the arena.
 * @return 0 or -ENOMEM.
 */
int envelope_issues_from_problems(
    struct jsv_str code,
    const struct jsv_problems *problems,
    struct jsv_arena *arena,
    struct envelope_issues *ret_issues);

/** Write the array; details go into a member of that name, if there are any. */
void envelope_issues_write(
    const struct envelope_issues *issues, const char *details_name, struct jsv_writer *writer);
/** Write one of them. */
void envelope_issue_write(
    const struct envelope_issue *issue, const char *details_name, struct jsv_writer *writer);
