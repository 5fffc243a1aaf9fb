#include "envelope/canonical.h"

#include <errno.h>

static const struct envelope_canonical_error table[ENVELOPE_CANONICALS] = {
#define ENVELOPE_CANONICAL(name, http, rpc, message) {JSV_STR(#name), http, rpc, JSV_STR(message)},
#include "envelope/canonical.def"
#undef ENVELOPE_CANONICAL
};

const struct envelope_canonical_error *envelope_canonical_get(enum envelope_canonical error)
{
    return &table[error];
}

int envelope_canonical_find(struct jsv_str name, const struct envelope_canonical_error **ret_error)
{
    for (size_t i = 0; i < ENVELOPE_CANONICALS; i++) {
        if (jsv_str_equal(table[i].name, name)) {
            *ret_error = &table[i];
            return 0;
        }
    }
    return -ENOENT;
}

int envelope_canonical_write_http(
    const struct envelope_canonical_error *error, struct jsv_str details, struct jsv_buf *out)
{
    struct jsv_writer writer = jsv_writer_on(out);
    jsv_write_object_begin(&writer);
    jsv_write_member_object_begin(&writer, JSV_STR("error"));
    jsv_write_member_string(&writer, JSV_STR("code"), error->name);
    jsv_write_member_string(&writer, JSV_STR("message"), error->message);
    jsv_write_member_span(&writer, JSV_STR("details"), details.size > 0 ? details : JSV_STR("{}"));
    jsv_write_object_end(&writer);
    jsv_write_object_end(&writer);
    return out->error;
}
