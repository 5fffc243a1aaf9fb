/*
 * The methods of the protocol as tables (methods.def, answers.def): sender,
 * versions, and the definitions of message and answer. The definition of a
 * message includes its params.
 */
#pragma once

#include <stdint.h>

#include "mcp/versions.h"

enum mcp_method_id {
#define MCP_METHOD(constant, ...) MCP_METHOD_##constant,
#include "mcp/methods.def"
#undef MCP_METHOD
    MCP_METHOD_COUNT,
};

enum mcp_method_kind {
    MCP_METHOD_KIND_REQUEST,
    MCP_METHOD_KIND_NOTIFICATION,
};

/* The sender of a message. */
enum mcp_sender {
    MCP_SENDER_CLIENT = 1 << 0,
    MCP_SENDER_SERVER = 1 << 1,
    MCP_SENDER_BOTH = MCP_SENDER_CLIENT | MCP_SENDER_SERVER,
};

struct mcp_method {
    enum mcp_method_id id;
    struct jsv_str name;
    enum mcp_method_kind kind;
    enum mcp_sender sender;
    enum mcp_version first;
    enum mcp_version last;
    const char *message; /* definition */
    const char *result;  /* definition; NULL: a notification */
};

const struct mcp_method *mcp_method(enum mcp_method_id id);
/** Find by name, in any version. @return NULL: there is none. */
const struct mcp_method *mcp_method_find(struct jsv_str name);
bool mcp_method_is_in(const struct mcp_method *method, enum mcp_version version);

enum mcp_alternative_id {
#define MCP_ALTERNATIVE(constant, ...) MCP_ALTERNATIVE_##constant,
#define MCP_ERROR(...)
#include "mcp/answers.def"
#undef MCP_ERROR
#undef MCP_ALTERNATIVE
    MCP_ALTERNATIVE_COUNT,
};

/** A second kind of result. */
struct mcp_alternative {
    enum mcp_alternative_id id;
    enum mcp_method_id method;
    enum mcp_version version;
    const char *definition;
    struct jsv_str member; /* a result of this kind has it … */
    const char *value;     /* … with this string; NULL: with any value */
};

const struct mcp_alternative *mcp_alternative(enum mcp_alternative_id id);
/** @return NULL: all results of the method are of one kind. */
const struct mcp_alternative *
mcp_alternative_of(enum mcp_method_id method, enum mcp_version version);

enum mcp_error_id {
#define MCP_ALTERNATIVE(...)
#define MCP_ERROR(constant, ...) MCP_ERROR_##constant,
#include "mcp/answers.def"
#undef MCP_ERROR
#undef MCP_ALTERNATIVE
    MCP_ERROR_COUNT,
};

enum mcp_error_part {
    MCP_ERROR_PART_MESSAGE,
    MCP_ERROR_PART_ERROR,
};

/** An error with a definition of its own. */
struct mcp_error {
    enum mcp_error_id id;
    int64_t code;
    enum mcp_version version;
    const char *definition;
    enum mcp_error_part part; /* that the definition describes */
};

const struct mcp_error *mcp_error(enum mcp_error_id id);
/** @return NULL: errors with that code have no definition of their own. */
const struct mcp_error *mcp_error_of(int64_t code, enum mcp_version version);
