/*
 * Messages for people, on standard error:
 *
 *     mcpgate: diff: a.json:1:14: expected ':' after the member name (at /b)
 *       {"a": 1, "b" 2}
 *                    ^
 *
 * Reporting allocates nothing and cannot fail, so it works also when memory
 * has run out. Names, pointers and lines are shown safely and cut when long.
 */
#pragma once

#include <jsv/jsv.h>

struct app_cli;

/** "mcpgate: diff: <text>" */
void app_report(const struct app_cli *cli, const char *text);

/** "mcpgate: diff: <subject>: <text>" */
void app_report_about(const struct app_cli *cli, const char *subject, const char *text);

/** "mcpgate: diff: <subject>: <what the error means>" @param error Negative errno. */
void app_report_errno(const struct app_cli *cli, const char *subject, int error);

/** "mcpgate: diff: <text> '<word>'; try 'mcpgate diff --help'" */
void app_report_usage(const struct app_cli *cli, const char *text, const char *word);

/**
 * "mcpgate: diff: <text> '<word>'; did you mean '<prefix><suggestion>'? Try 'mcpgate diff --help'"
 * @param suggestion Empty: as app_report_usage().
 */
void app_report_unknown(
    const struct app_cli *cli,
    const char *text,
    const char *word,
    const char *prefix,
    struct jsv_str suggestion);

/** A place in a text. */
struct app_spot {
    const char *name; /* of the file */
    struct jsv_str text;
    size_t offset;
    size_t line;
    size_t column;
    struct jsv_str pointer; /* empty: not shown */
};

/**
 * "mcpgate: diff: a.json:3:14: <text> (at /a/b)", then the line and a caret below the spot.
 * @param text May quote a document.
 */
void app_report_spot(const struct app_cli *cli, const struct app_spot *spot, const char *text);
