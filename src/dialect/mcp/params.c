#include "dialect/mcp/params.h"

#include "jsv/base/literal.h"

/* Where a member's value belongs; NULL when it is none of these. */
static struct jsv_value *place_of(struct mcp_params *params, struct jsv_str name)
{
    return JSV_IS(name, "name")             ? &params->name
           : JSV_IS(name, "arguments")      ? &params->arguments
           : JSV_IS(name, "_meta")          ? &params->meta
           : JSV_IS(name, "uri")            ? &params->uri
           : JSV_IS(name, "requestState")   ? &params->request_state
           : JSV_IS(name, "inputResponses") ? &params->input_responses
                                            : NULL;
}

struct mcp_params mcp_params_find(struct jsv_value params)
{
    struct mcp_params found = {0};
    struct jsv_iter iter = jsv_value_iter(params);
    while (jsv_iter_next(&iter)) {
        struct jsv_value *place = place_of(&found, jsv_value_text(iter.key));
        if (place) {
            *place = iter.value;
        }
    }
    return found;
}
