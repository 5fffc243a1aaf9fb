/*
 * Strings with escapes. The scan has listed every escape, so decoding is
 * copying the runs between them and writing one character for each.
 */
#include <errno.h>
#include <string.h>

#include "jsv/base/ascii.h"
#include "jsv/base/utf8.h"
#include "jsv/json/reader.h"

/* The character of a backslash and a letter; 0 when it is not an escape, or \u. */
static const char simple[256] = {
    ['"'] = '"',
    ['\\'] = '\\',
    ['/'] = '/',
    ['b'] = '\b',
    ['f'] = '\f',
    ['n'] = '\n',
    ['r'] = '\r',
    ['t'] = '\t',
};

/* The value of the \uXXXX at `at`; -1 when it is malformed. */
static int32_t code_unit(struct jsv_str text, size_t at)
{
    if (text.size - at < 6 || text.data[at + 1] != 'u') {
        return -1;
    }
    int32_t unit = 0;
    for (size_t i = at + 2; i < at + 6; i++) {
        int digit = jsv_hex_value(text.data[i]);
        if (digit < 0) {
            return -1;
        }
        unit = unit << 4 | digit;
    }
    return unit;
}

/* Decode \uXXXX or a pair of them. Returns the characters used, 0 on a fault. */
static size_t
read_unicode(struct jsv_str text, size_t at, char **out, enum jsv_error_code *reterr_code)
{
    int32_t unit = code_unit(text, at);
    if (unit < 0) {
        *reterr_code = JSV_ERROR_INVALID_ESCAPE;
        return 0;
    }
    uint32_t code_point = (uint32_t)unit;
    size_t used = 6;
    if (unit >= 0xD800 && unit <= 0xDFFF) {
        int32_t low = -1;
        if (unit <= 0xDBFF && text.size - at > 6 && text.data[at + 6] == '\\') {
            low = code_unit(text, at + 6);
        }
        if (low < 0xDC00 || low > 0xDFFF) {
            *reterr_code = JSV_ERROR_LONE_SURROGATE;
            return 0;
        }
        code_point = 0x10000 + (((uint32_t)unit - 0xD800) << 10) + ((uint32_t)low - 0xDC00);
        used = 12;
    }
    *out += jsv_utf8_encode(code_point, *out);
    return used;
}

/* Move the decoded text, now that its size is known, to the end of the block; lay down its node. */
static int place(struct jsv_reader *reader, size_t node_count, struct jsv_decoded origin)
{
    struct jsv_str decoded = jsv_buf_str(&reader->decoding);
    /* a node's start has 32 bits */
    if (sizeof(origin) + decoded.size > UINT32_MAX - reader->decoded_size) {
        return -ENOMEM;
    }
    int r = jsv_document_grow(reader, node_count, sizeof(origin) + decoded.size);
    if (r < 0) {
        return r;
    }
    struct jsv_document *document = reader->document;
    reader->decoded_size += decoded.size;
    size_t start = reader->decoded_size;
    char *data = document->block + document->block_size - start;
    memcpy(data, decoded.data, decoded.size);
    memcpy(data - sizeof(origin), &origin, sizeof(origin));
    reader->decoded_size += sizeof(origin);
    jsv_node_set_string(
        (struct jsv_node *)(void *)document->block + node_count,
        JSV_NODE_ESCAPED,
        (uint32_t)start,
        (uint32_t)decoded.size,
        jsv_prefix(decoded.data, decoded.size));
    return 0;
}

/* Append the text from `from` to the escape at `at`, and the escaped character. */
static enum jsv_error_code
decode_escape(struct jsv_buf *out, struct jsv_str text, size_t *from, size_t at)
{
    memcpy(out->data + out->size, text.data + *from, at - *from);
    char *end = out->data + out->size + (at - *from);
    enum jsv_error_code code = JSV_ERROR_INVALID_ESCAPE;
    size_t used = 2;
    char character = text.size - at > 1 ? simple[(unsigned char)text.data[at + 1]] : '\0';
    if (character) {
        *end++ = character;
    } else {
        used = read_unicode(text, at, &end, &code);
    }
    out->size = (size_t)(end - out->data);
    *from = at + used;
    return used ? JSV_ERROR_NONE : code;
}

/*
 * Decode into reader->decoding, which is enlarged once per window: decoding
 * never makes text longer, and the window ends at the scan's position.
 */
static enum jsv_error_code decode(struct jsv_reader *reader, size_t from, size_t *ret_at)
{
    struct jsv_str text = {reader->scan.text, reader->scan.size};
    struct jsv_buf *out = &reader->decoding;
    jsv_buf_reset(out);
    size_t memory_max = jsv_reader_memory_max(reader, out->capacity);
    out->size_max = memory_max > out->capacity ? memory_max : out->capacity;
    size_t room_until = 0;
    for (;;) {
        if (reader->next == reader->index_end && !jsv_reader_refill(reader, 1)) {
            *ret_at = from;
            return JSV_ERROR_UNTERMINATED_STRING;
        }
        if (room_until < reader->scan.position) {
            room_until = reader->scan.position;
            if (jsv_buf_reserve(out, room_until - from + JSV_UTF8_SIZE_MAX) < 0) {
                *ret_at = from;
                return JSV_ERROR_MEMORY;
            }
        }
        size_t at = *reader->next++;
        *ret_at = at;
        if (at < from) {
            continue; /* the second half of a pair, used with the first */
        }
        if (text.data[at] == '"') {
            jsv_buf_append(out, text.data + from, at - from);
            return JSV_ERROR_NONE;
        }
        enum jsv_error_code code = decode_escape(out, text, &from, at);
        if (code) {
            return code;
        }
    }
}

enum jsv_error_code
jsv_read_escaped(struct jsv_reader *reader, size_t node_count, size_t *ret_end, size_t *reterr_at)
{
    size_t start = *reader->next++ + 1;
    size_t at;
    enum jsv_error_code code = decode(reader, start, &at);
    if (code == JSV_ERROR_NONE) {
        struct jsv_decoded origin = {(uint32_t)start, (uint32_t)at};
        code = place(reader, node_count, origin) < 0 ? JSV_ERROR_MEMORY : JSV_ERROR_NONE;
    }
    if (code == JSV_ERROR_UNTERMINATED_STRING) {
        at = start - 1;
    }
    if (code) {
        *reterr_at = at;
    } else {
        *ret_end = at + 1;
    }
    return code;
}
