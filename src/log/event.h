/*
 * One line of the structured log: the outcome of a message, as a JSON object
 * on one physical line, whatever the message contains.
 *
 * Texts of other programs are cut at LOG_TEXT_MAX bytes. A text that contains
 * the server's own token, and members of an error's details whose names are on
 * the list of secrets, are replaced by "[redacted]".
 */
#pragma once

#include <jsv/json.h>

/* Bytes of another program's text that are kept: more than any method or tool name has. */
#define LOG_TEXT_MAX 256

/* Bytes of an error's details; of larger ones only the size is written. */
#define LOG_DETAILS_MAX 4096

/* Room for any line: ten texts with each byte escaped, the details, and our own members. */
#define LOG_LINE_MAX 32768

/* The ids of a message, and the characters of one that is filled in later: a UUID. */
enum log_id {
    LOG_ID_TRACE,
    LOG_ID_SPAN,
    LOG_ID_REQUEST,
    LOG_IDS,
};
#define LOG_ID_SIZE 36

/** Must not be written. */
struct log_secrets {
    struct jsv_str token;        /* empty: there is none */
    const struct jsv_str *names; /* of members, in any case */
    size_t name_count;
};

struct log_event {
    int64_t wall_ms; /* since 1970, when it ended */
    /* The client's strings or numbers; anything else is null. */
    struct jsv_value agent_id;
    struct jsv_value task_id;
    struct jsv_value step_id;
    struct jsv_str transport; /* ours, as is route: not escaped */
    struct jsv_str route;
    struct jsv_str method;       /* data NULL: null, as for those that follow */
    struct jsv_str ids[LOG_IDS]; /* data NULL: not known yet; left blank */
    struct jsv_str status;       /* "ok", or the error's code in lower case */
    uint64_t duration_us;        /* its own */
    uint64_t queued_us;          /* it waited for others before; 0: left out */
    uint64_t attempt;
    size_t input_bytes;
    size_t output_bytes;
    bool deterministic;
    struct jsv_str schema_version;
    struct jsv_str tool_id;
    struct jsv_str prompt_id;
    struct jsv_str error_code; /* data NULL: there was no error */
    struct jsv_str error_message;
    struct jsv_value error_details;
    struct jsv_str stage;
};

/**
 * Append the line with its end.
 *
 * @param ret_blanks Where in the line an id of LOG_ID_SIZE characters is to be filled in; 0: it is
 *                   there.
 * @return 0, or the buffer's sticky error, with no half line.
 */
int log_event_write(
    const struct log_event *event,
    const struct log_secrets *secrets,
    struct jsv_buf *out,
    uint32_t ret_blanks[static LOG_IDS]);

/** Whether a text contains the server's token. */
bool log_holds_token(struct jsv_str text, const struct log_secrets *secrets);

/** At most LOG_TEXT_MAX bytes of a text, without half a character. */
struct jsv_str log_clip(struct jsv_str text);

/** Characters of "2026-01-02T03:04:05.678Z" and its terminator. */
#define LOG_TIME_SIZE 25
void log_time_format(int64_t wall_ms, char ret_text[static LOG_TIME_SIZE]);
