/*
 * Which version of the protocol a message of a stream is in, when the user
 * does not say:
 *
 *     a message with params._meta of 2026-07-28    the version named there
 *     initialize                                   the version it asks for
 *     an answer                                    that of its request; to initialize: the
 *                                                  version it settles
 *     anything else                                what initialize settled last, else the newest
 */
#pragma once

#include <jsv/json.h>

#include "mcp/versions.h"

struct check_pending;

/** The version a stream is in; begins as {0}. */
struct check_session {
    bool is_open;
    enum mcp_version version;
};

/** @param pending Requests before this message, with their versions. */
enum mcp_version check_version_find(
    struct check_session *session, const struct check_pending *pending, struct jsv_value message);
