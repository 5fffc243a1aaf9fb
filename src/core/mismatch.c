#include "core/mismatch.h"

#include <string.h>

#include "dialect/dialect.h"

/* Where they would be: the message has none, or they were read anew, without what is not theirs. */
static struct jsv_str usual_place(const struct dialect_request *asked)
{
    bool is_route = asked->http && asked->http->endpoint == RPC_ENDPOINT_TOOL;
    bool are_params = asked->dialect == &dialect_syn || asked->dialect == &dialect_policy;
    return is_route     ? JSV_STR("/arguments")
           : are_params ? JSV_STR("/params")
                        : JSV_STR("/params/arguments");
}

/* Where in a message its arguments are. */
static struct jsv_str place_of_arguments(const struct dialect_request *asked)
{
    static const struct jsv_str places[] = {
        JSV_STR("/params/arguments"), /* official, ENV */
        JSV_STR("/params/input"),     /* ENV */
        JSV_STR("/params"),           /* SYN, POLICY */
        JSV_STR("/payload"),          /* REF */
        JSV_STR("/arguments"),        /* an endpoint of its own */
        JSV_STR("/input"),
    };
    for (size_t i = 0; asked->arguments.node && i < sizeof(places) / sizeof(places[0]); i++) {
        struct jsv_value value;
        if (jsv_pointer_get(asked->message.root, places[i], &value) == 0 &&
            value.node == asked->arguments.node) {
            return places[i];
        }
    }
    return usual_place(asked);
}

/* Two texts as one. data NULL when memory ran out. */
static struct jsv_str join(struct jsv_arena *scratch, struct jsv_str first, struct jsv_str second)
{
    char *both = jsv_arena_alloc(scratch, first.size + second.size + 1);
    if (!both) {
        return (struct jsv_str){NULL, 0};
    }
    memcpy(both, first.data, first.size);
    if (second.size > 0) {
        memcpy(both + first.size, second.data, second.size);
    }
    return (struct jsv_str){both, first.size + second.size};
}

struct core_mismatch
core_mismatch_of(const struct dialect_request *asked, const struct jsv_problem *problem)
{
    return (struct core_mismatch){
        .pointer = join(asked->scratch, place_of_arguments(asked), problem->path),
        .schema_path = join(asked->scratch, JSV_STR(""), problem->schema_path),
        .message = join(asked->scratch, JSV_STR(""), problem->message),
    };
}
