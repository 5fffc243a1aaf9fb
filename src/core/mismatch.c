#include "core/mismatch.h"

#include <string.h>

#include "dialect/dialect.h"

/* Where in a message its arguments are; "" when they are not part of it. */
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
    return JSV_STR("");
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
    };
}
