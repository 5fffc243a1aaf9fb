/* Problems with a fixed text, as constants. */
#pragma once

#include <jsv/problem.h>

/* An initialiser for a struct jsv_str. */
#define MCP_TEXT(literal)                                                                          \
    {                                                                                              \
        (literal), sizeof(literal) - 1                                                             \
    }

#define MCP_PROBLEM(constant, path_, keyword_, message_)                                           \
    static const struct jsv_problem constant = {                                                   \
        .path = MCP_TEXT(path_),                                                                   \
        .message = MCP_TEXT(message_),                                                             \
        .keyword = MCP_TEXT(keyword_),                                                             \
    }
