/*
 * Members that the params of several methods share. A request is asked for
 * them again and again on its way: for its version, by its headers, by its
 * method.
 */
#pragma once

#include <jsv/json.h>

/** As they are; of type NONE where absent. */
struct mcp_params {
    struct jsv_value meta; /* "_meta" */
    struct jsv_value name;
    struct jsv_value uri;
    struct jsv_value arguments;
    struct jsv_value request_state;
    struct jsv_value input_responses;
};

/** Find them, in one walk. @param params An object; anything else has none. */
struct mcp_params mcp_params_find(struct jsv_value params);
