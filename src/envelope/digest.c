#include "envelope/digest.h"

#include <errno.h>

#include "jsv/base/ascii.h"

/* Hexadecimal digits by algorithm. */
static const struct {
    struct jsv_str alg;
    size_t size;
} algorithms[] = {
    {JSV_STR("sha256"), OS_DIGEST_HEX_SIZE},
    {JSV_STR("sha512"), 128},
    {JSV_STR("blake3"), 64},
};

int envelope_digest_json(
    struct jsv_value value,
    struct jsv_arena *scratch,
    struct envelope_digest *ret_digest,
    struct jsv_value *reterr_fault)
{
    /* The value was read within limits, and canonical numbers are at most a few times longer. */
    struct jsv_buf canonical;
    jsv_buf_init(&canonical, &scratch->allocator, SIZE_MAX);
    struct envelope_digest digest;
    int r = jsv_canon_write(value, JSV_CANON_UTF8, scratch, &canonical, reterr_fault);
    if (r == 0) {
        digest.size = canonical.size;
        os_digest(jsv_buf_str(&canonical), digest.hex);
    }
    jsv_buf_done(&canonical);
    if (r == 0) {
        *ret_digest = digest;
    }
    return r;
}

int envelope_digest_text(
    struct jsv_str json, struct jsv_arena *arena, struct envelope_digest *ret_digest)
{
    struct jsv_reader *reader = jsv_reader_new(&arena->allocator, NULL);
    struct jsv_document *document = jsv_document_new(&arena->allocator);
    int r = reader && document ? jsv_read(reader, document, json, 0, NULL) : -ENOMEM;
    if (r == 0) {
        r = envelope_digest_json(jsv_document_root(document), arena, ret_digest, NULL);
    }
    jsv_document_free(document);
    jsv_reader_free(reader);
    return r;
}

void envelope_digest_write(const char *hex, struct jsv_writer *writer)
{
    jsv_write_object_begin(writer);
    jsv_write_member_string(writer, JSV_STR("alg"), JSV_STR("sha256"));
    jsv_write_member_string(writer, JSV_STR("value"), jsv_str_from(hex));
    jsv_write_object_end(writer);
}

static bool is_lower_hex(struct jsv_str text)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (!jsv_is_digit(c) && !(c >= 'a' && c <= 'f')) {
            return false;
        }
    }
    return true;
}

bool envelope_digest_is_sha256(struct jsv_str hex)
{
    return hex.size == OS_DIGEST_HEX_SIZE && is_lower_hex(hex);
}

bool envelope_digest_is_sound(struct jsv_value digest)
{
    struct jsv_str alg = jsv_value_text(jsv_value_get(digest, JSV_STR("alg")));
    struct jsv_str value = jsv_value_text(jsv_value_get(digest, JSV_STR("value")));
    for (size_t i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++) {
        if (jsv_str_equal(algorithms[i].alg, alg)) {
            return value.size == algorithms[i].size && is_lower_hex(value);
        }
    }
    return false;
}
