/*
 * What a client and we agreed on by initialize. Over lines it is the
 * connection's; over HTTP it has an id, outlives connections and may be used
 * by several loops at once.
 */
#pragma once

#include <stdatomic.h>

#include "mcp/versions.h"

/* 128 random bits, as hexadecimal digits. */
#define DIALECT_SESSION_ID_SIZE 32

struct dialect_session {
    atomic_uint references;
    enum mcp_version version;
    atomic_bool is_initialized;           /* the client has said so: it may be notified */
    char id[DIALECT_SESSION_ID_SIZE + 1]; /* empty: it has none */
    struct dialect_session *next;         /* in the directory */
    uint64_t used_ms;                     /* when it was last asked for */
};

/** A session with one reference. @return NULL when memory ran out. */
struct dialect_session *dialect_session_new(enum mcp_version version);
struct dialect_session *dialect_session_retain(struct dialect_session *session);
/** Accepts NULL. */
void dialect_session_release(struct dialect_session *session);
