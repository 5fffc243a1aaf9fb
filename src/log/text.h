/*
 * Messages to operators on standard error while the program serves, one line
 * per event:
 *
 *     mcp:ready mode=socket path=/tmp/mcp.sock schemas_dir=… timestamp=2026-01-02T03:04:05Z
 *     mcp:warning reason=deprecated_alias method=validate
 *
 * Values with blanks, quotes or control characters are quoted like JSON
 * strings, so that a line stays one line. When standard error is not read,
 * lines are dropped and answers are not delayed; the number of lost lines is
 * reported as soon as there is space again. Any thread may call.
 */
#pragma once

#include <jsv/jsv.h>

struct log_field {
    const char *name;
    struct jsv_str value;
};

/** "mcp:<event> name=value …" with the fields in order. */
void log_text(const char *event, const struct log_field *fields, size_t count);

/** "mcp:warning reason=<reason> <name>=<value>" */
void log_text_warning(const char *reason, const char *name, struct jsv_str value);
/** "mcp:error reason=<reason> detail=<detail>" */
void log_text_error(const char *reason, struct jsv_str detail);

/** Characters of "2026-01-02T03:04:05Z" and its terminator. */
#define LOG_TIMESTAMP_SIZE 21
/** The time now, UTC. */
void log_timestamp(char ret_text[static LOG_TIMESTAMP_SIZE]);
