#include "jsv/schema/registry/meta.h"

const struct jsv_embedded *jsv_meta_find(struct jsv_str uri)
{
    if (uri.size > 0 && uri.data[uri.size - 1] == '#') {
        uri.size--;
    }
    for (const struct jsv_embedded *schema = jsv_meta_schemas; schema->name; schema++) {
        if (jsv_str_equal(jsv_str_from(schema->name), uri)) {
            return schema;
        }
    }
    return NULL;
}
