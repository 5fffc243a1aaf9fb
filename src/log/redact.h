/*
 * Keeping secrets out of the log.
 */
#pragma once

#include "log/event.h"

/** What stands in the place of a secret, as JSON. */
#define LOG_REDACTED "\"[redacted]\""

/** Whether a text holds the server's token. */
bool log_holds_token(struct jsv_str text, const struct log_secrets *secrets);

/**
 * Append a value without white space; members with secret names, and strings that hold the token,
 * are replaced. NONE is null. What comes below LOG_REDACT_DEPTH_MAX containers is replaced, too.
 */
void log_redact_write(
    struct jsv_value value, const struct log_secrets *secrets, struct jsv_buf *out);

/* An error's details are flat; deeper ones are a tool's, and nobody reads them in a log. */
#define LOG_REDACT_DEPTH_MAX 16
