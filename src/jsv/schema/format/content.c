#include "jsv/schema/format/content.h"

#include <errno.h>

#include <jsv/json.h>

#include "jsv/base/alloc.h"
#include "jsv/base/base64.h"

bool jsv_content_encoded(struct jsv_str encoding, struct jsv_str text)
{
    return !jsv_str_equal(encoding, JSV_STR("base64")) || jsv_base64_decode(text, NULL) != SIZE_MAX;
}

static int is_json(struct jsv_str text, const struct jsv_allocator *allocator)
{
    struct jsv_reader *reader = jsv_reader_new(allocator, NULL);
    struct jsv_document *document = jsv_document_new(allocator);
    int r = -ENOMEM;
    if (reader && document) {
        r = jsv_read(reader, document, text, JSV_READ_LAST_WINS, NULL);
    }
    jsv_reader_free(reader);
    jsv_document_free(document);
    return r == -ENOMEM ? r : r == 0;
}

int jsv_content_is(
    struct jsv_str media_type,
    struct jsv_str encoding,
    struct jsv_str text,
    const struct jsv_allocator *allocator)
{
    if (!jsv_str_equal(media_type, JSV_STR("application/json"))) {
        return 1;
    }
    if (!jsv_str_equal(encoding, JSV_STR("base64"))) {
        return is_json(text, allocator);
    }
    if (jsv_base64_decode(text, NULL) == SIZE_MAX) {
        return 1; /* contentEncoding says so */
    }
    char *decoded = jsv_alloc(allocator, text.size + 1);
    if (!decoded) {
        return -ENOMEM;
    }
    int r = is_json((struct jsv_str){decoded, jsv_base64_decode(text, decoded)}, allocator);
    jsv_dealloc(allocator, decoded, text.size + 1);
    return r;
}
