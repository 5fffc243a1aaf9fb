/*
 * Text for people on a terminal: messages, excerpts of documents, progress.
 *
 *     mcpgate: diff: a.json:1:14: expected ':' after the member name (at /b)
 *       {"a": 1, "b" 2}
 *                    ^
 *
 * Reporting allocates nothing and cannot fail, so it also works without memory.
 */
#pragma once

#include <jsv/jsv.h>

struct cli;

/* ---- reports on standard error ---- */

/** "mcpgate: diff: <text>" */
void cli_report(const struct cli *cli, const char *text);

/** "mcpgate: diff: <subject>: <text>" */
void cli_report_about(const struct cli *cli, const char *subject, const char *text);

/** "mcpgate: diff: <subject>: <strerror>" @param error Negative errno. */
void cli_report_errno(const struct cli *cli, const char *subject, int error);

/** "mcpgate: diff: <text> '<word>'; try 'mcpgate diff --help'" */
void cli_report_usage(const struct cli *cli, const char *text, const char *word);

/**
 * "mcpgate: diff: <text> '<word>'; did you mean '<prefix><suggestion>'? Try 'mcpgate diff --help'"
 * @param suggestion Empty: as cli_report_usage().
 */
void cli_report_unknown(
    const struct cli *cli,
    const char *text,
    const char *word,
    const char *prefix,
    struct jsv_str suggestion);

/** A place in a text. */
struct cli_spot {
    const char *name; /* of the file */
    struct jsv_str text;
    size_t offset;
    size_t line;
    size_t column;
    struct jsv_str pointer; /* empty: not shown */
};

/**
 * "mcpgate: diff: a.json:3:14: <text> (at /a/b)", then the line and a caret below the place.
 * @param text May quote a document.
 */
void cli_report_spot(const struct cli *cli, const struct cli_spot *spot, const char *text);

/* ---- messages in fixed memory ---- */

/* Room for a name, a text, a pointer and a line at the lengths they are cut to, all as \xNN. */
#define CLI_MESSAGE_SIZE_MAX 8192

#define CLI_COLOUR_PLACE "\033[1m"
#define CLI_COLOUR_CARET "\033[1;31m"
#define CLI_COLOUR_OFF   "\033[0m"

struct cli_message {
    char data[CLI_MESSAGE_SIZE_MAX + 1]; /* with room for a terminator */
    size_t size;
    bool colour; /* false leaves colours out */
};

/** Text that does not fit is left out. */
void cli_message_init(struct cli_message *message, bool colour);
/** Append trusted text unchanged. */
void cli_message_put(struct cli_message *message, const char *string);
/** Append trusted text, formatted as by printf(). */
__attribute__((format(printf, 2, 3))) void
cli_message_printf(struct cli_message *message, const char *format, ...);
void cli_message_put_colour(struct cli_message *message, const char *sequence);
/**
 * Append untrusted text: control characters and bytes that are not UTF-8 are shown as \xNN, a tab
 * as a blank. @return columns taken, each character counted as one.
 */
size_t cli_message_put_text(struct cli_message *message, struct jsv_str text);
/** The same; a text of more than size_max bytes is cut and ends with "...". */
void cli_message_put_clipped(struct cli_message *message, struct jsv_str text, size_t size_max);
/** The message with a terminator. */
const char *cli_message_text(struct cli_message *message);

/**
 * Append a line break, the line around an offset, cut if it is long, and a caret below the offset.
 * Appends nothing for an empty line. @param offset At most text.size.
 */
void cli_message_put_excerpt(struct cli_message *message, struct jsv_str text, size_t offset);

/* ---- progress ---- */

/**
 * One line on the terminal that is redrawn, and erased at the end:
 *
 *     [########............]  40%  123456 documents  41152/s  0:05 left
 */
struct cli_progress {
    int fd; /* -1: nothing is drawn */
    uint64_t total;
    uint64_t start_ms;
    uint64_t next_ms; /* earliest time to draw */
    bool drawn;
};

/** @param fd A terminal, or -1. @param total Bytes of input; 0: unknown. */
void cli_progress_init(struct cli_progress *progress, int fd, uint64_t total);

/** Draw the line, unless it was drawn a moment ago. */
void cli_progress_update(struct cli_progress *progress, uint64_t documents, uint64_t done);

/** Erase the line until the next update; needed before anything else is written there. */
void cli_progress_hide(struct cli_progress *progress);
