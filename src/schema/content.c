#include "schema/content.h"

#include <errno.h>

#include <jsv/json.h>

#include "base/alloc.h"

static int digit_value(char digit)
{
    if (digit >= 'A' && digit <= 'Z') {
        return digit - 'A';
    }
    if (digit >= 'a' && digit <= 'z') {
        return digit - 'a' + 26;
    }
    if (digit >= '0' && digit <= '9') {
        return digit - '0' + 52;
    }
    return digit == '+' ? 62 : digit == '/' ? 63 : -1;
}

/* Decode base64 into out, which holds 3/4 of the text, or nowhere when NULL. SIZE_MAX: it is not.
 */
static size_t decode_base64(struct jsv_str text, char *out)
{
    size_t digits = text.size;
    while (digits > 0 && text.size - digits < 2 && text.data[digits - 1] == '=') {
        digits--;
    }
    if (text.size % 4 != 0 || digits % 4 == 1) {
        return SIZE_MAX;
    }
    uint32_t bits = 0;
    size_t size = 0;
    for (size_t i = 0; i < digits; i++) {
        int value = digit_value(text.data[i]);
        if (value < 0) {
            return SIZE_MAX;
        }
        bits = bits << 6 | (uint32_t)value;
        if (i % 4 != 0) {
            if (out) {
                out[size] = (char)(bits >> (2 * (3 - i % 4)));
            }
            size++;
        }
    }
    return size;
}

bool jsv_content_encoded(struct jsv_str encoding, struct jsv_str text)
{
    return !jsv_str_equal(encoding, JSV_STR("base64")) || decode_base64(text, NULL) != SIZE_MAX;
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
    if (decode_base64(text, NULL) == SIZE_MAX) {
        return 1; /* contentEncoding says so */
    }
    char *decoded = jsv_alloc(allocator, text.size + 1);
    if (!decoded) {
        return -ENOMEM;
    }
    int r = is_json((struct jsv_str){decoded, decode_base64(text, decoded)}, allocator);
    jsv_dealloc(allocator, decoded, text.size + 1);
    return r;
}
