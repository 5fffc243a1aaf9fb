/*
 * A sequence is valid when its lead byte, its length and its second byte fit
 * together; all further bytes are plain continuations (10xxxxxx). The second
 * byte's range excludes the forbidden forms:
 *
 *   lead     length  second byte
 *   00-7F    1
 *   C2-DF    2       80-BF         (C0, C1 would be overlong)
 *   E0       3       A0-BF         (below: overlong)
 *   E1-EC    3       80-BF
 *   ED       3       80-9F         (above: surrogates)
 *   EE-EF    3       80-BF
 *   F0       4       90-BF         (below: overlong)
 *   F1-F3    4       80-BF
 *   F4       4       80-8F         (above: past U+10FFFF)
 */
#include "jsv/base/utf8.h"

#include <string.h>

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

static size_t sequence_size(unsigned char lead)
{
    if (lead < 0x80) {
        return 1;
    }
    if (lead < 0xC2 || lead > 0xF4) {
        return 0;
    }
    return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

static bool second_fits(unsigned char lead, unsigned char second)
{
    switch (lead) {
    case 0xE0:
        return second >= 0xA0 && second <= 0xBF;
    case 0xED:
        return second >= 0x80 && second <= 0x9F;
    case 0xF0:
        return second >= 0x90 && second <= 0xBF;
    case 0xF4:
        return second >= 0x80 && second <= 0x8F;
    default:
        return is_continuation(second);
    }
}

size_t jsv_utf8_sequence(struct jsv_str text)
{
    const unsigned char *bytes = (const unsigned char *)text.data;
    size_t size = text.size > 0 ? sequence_size(bytes[0]) : 0;
    if (size > text.size) {
        return 0;
    }
    if (size > 1 && !second_fits(bytes[0], bytes[1])) {
        return 0;
    }
    for (size_t i = 2; i < size; i++) {
        if (!is_continuation(bytes[i])) {
            return 0;
        }
    }
    return size;
}

/* Bytes at the start of text that are ASCII for certain, a whole number of words. */
static size_t ascii_words(struct jsv_str text)
{
    const uint64_t high_bits = 0x8080808080808080u;
    size_t size = 0;
    uint64_t word;
    while (text.size - size >= sizeof word) {
        memcpy(&word, text.data + size, sizeof word);
        if (word & high_bits) {
            break;
        }
        size += sizeof word;
    }
    return size;
}

size_t jsv_utf8_valid_prefix(struct jsv_str text)
{
    size_t offset = 0;
    while (offset < text.size) {
        struct jsv_str rest = {text.data + offset, text.size - offset};
        size_t size = ascii_words(rest);
        if (size == 0) {
            size = jsv_utf8_sequence(rest);
        }
        if (size == 0) {
            break;
        }
        offset += size;
    }
    return offset;
}

size_t jsv_utf8_count(struct jsv_str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.size; i++) {
        count += !is_continuation((unsigned char)text.data[i]);
    }
    return count;
}

size_t jsv_utf8_decode(struct jsv_str text, uint32_t *ret_code_point)
{
    const unsigned char *bytes = (const unsigned char *)text.data;
    size_t size = sequence_size(bytes[0]);
    /* A lead byte of n > 1 bytes starts with n ones and a zero. */
    uint32_t code_point = size == 1 ? bytes[0] : bytes[0] & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++) {
        code_point = code_point << 6 | (bytes[i] & 0x3Fu);
    }
    *ret_code_point = code_point;
    return size;
}

size_t jsv_utf8_encode(uint32_t code_point, char out[static JSV_UTF8_SIZE_MAX])
{
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    size_t size = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code_point & 0x3F));
        code_point >>= 6;
    }
    out[0] = (char)((0xF00u >> size & 0xF0) | code_point);
    return size;
}

int jsv_utf8_append_repaired(struct jsv_buf *out, struct jsv_str text)
{
    while (text.size > 0) {
        size_t good = jsv_utf8_valid_prefix(text);
        jsv_buf_append(out, text.data, good);
        if (good < text.size) {
            jsv_buf_append_str(out, JSV_STR("\xEF\xBF\xBD"));
            good++;
        }
        text = (struct jsv_str){text.data + good, text.size - good};
    }
    return out->error;
}
