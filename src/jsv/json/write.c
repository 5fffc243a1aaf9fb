/*
 * The writer has no state: the last byte written decides whether a comma is
 * due. None is due at the start, behind an opening bracket, a colon or a comma;
 * behind anything else a value has just ended.
 */
#include "jsv/json/write.h"

#include "jsv/base/ascii.h"
#include "jsv/base/number.h"
#include "jsv/base/text.h"
#include "jsv/base/utf8.h"
#include "jsv/json/node.h"

#define EVERY_BYTE(byte) (0x0101010101010101u * (byte))

/* Whether any of eight bytes is below limit, which must be at most 128. */
static inline uint64_t any_below(uint64_t word, uint64_t limit)
{
    return (word - EVERY_BYTE(limit)) & ~word & EVERY_BYTE(0x80);
}

static inline uint64_t any_equal(uint64_t word, uint64_t byte)
{
    return any_below(word ^ EVERY_BYTE(byte), 1);
}

/* By byte: the first form of strings that escapes it. */
#define ALWAYS 1 /* JSV_ESCAPE_MINIMAL and JSV_ESCAPE_ASCII */
#define ASCII  2 /* JSV_ESCAPE_ASCII */
static const unsigned char escaped_by[256] = {
    [0 ... 0x1F] = ALWAYS,
    ['"'] = ALWAYS,
    ['\\'] = ALWAYS,
    [0x7F ... 0xFF] = ASCII,
};

static bool must_escape(char byte, enum jsv_escape how)
{
    unsigned forms = how == JSV_ESCAPE_ASCII ? ALWAYS | ASCII : ALWAYS;
    return escaped_by[(unsigned char)byte] & forms;
}

/* Whether any of eight bytes must be escaped. */
static inline uint64_t any_escaped(uint64_t word, enum jsv_escape how)
{
    uint64_t high_bits = how == JSV_ESCAPE_ASCII ? EVERY_BYTE(0x80) : 0;
    return any_below(word, 0x20) | any_equal(word, '"') | any_equal(word, '\\') |
           ((word | any_equal(word, 0x7F)) & high_bits);
}

/* All of a text of one to seven bytes, some of them twice. */
static uint64_t load_short(struct jsv_str text)
{
    uint32_t first;
    uint32_t last;
    if (text.size < sizeof(first)) {
        const unsigned char *bytes = (const unsigned char *)text.data;
        return (EVERY_BYTE(' ') << 24) | bytes[0] | (uint64_t)bytes[text.size / 2] << 8 |
               (uint64_t)bytes[text.size - 1] << 16;
    }
    memcpy(&first, text.data, sizeof(first));
    memcpy(&last, text.data + text.size - sizeof(last), sizeof(last));
    return (uint64_t)first << 32 | last;
}

/* Bytes from the start that need no escape; looks at eight at a time. */
static size_t plain_run(struct jsv_str text, enum jsv_escape how)
{
    size_t at = 0;
    while (text.size - at >= sizeof(uint64_t)) {
        if (any_escaped(jsv_load_word(text.data + at), how)) {
            break;
        }
        at += sizeof(uint64_t);
    }
    size_t left = text.size - at;
    if (left > 0 && left < sizeof(uint64_t)) {
        uint64_t rest =
            at > 0 ? jsv_load_word(text.data + text.size - sizeof(uint64_t)) : load_short(text);
        at = any_escaped(rest, how) ? at : text.size;
    }
    while (at < text.size && !must_escape(text.data[at], how)) {
        at++;
    }
    return at;
}

static void append_code_unit(struct jsv_buf *out, uint32_t unit)
{
    char escape[] = {
        '\\',
        'u',
        jsv_hex_digit(unit >> 12),
        jsv_hex_digit(unit >> 8),
        jsv_hex_digit(unit >> 4),
        jsv_hex_digit(unit),
    };
    jsv_put(out, escape, sizeof(escape));
}

static void append_code_point(struct jsv_buf *out, uint32_t code_point)
{
    if (code_point < 0x10000) {
        append_code_unit(out, code_point);
        return;
    }
    append_code_unit(out, 0xD800 + ((code_point - 0x10000) >> 10));
    append_code_unit(out, 0xDC00 + ((code_point - 0x10000) & 0x3FF));
}

/* Append the escape of the character at the start of text. @return its size in text. */
static size_t append_escape(struct jsv_buf *out, struct jsv_str text)
{
    static const char letters[256] = {
        ['"'] = '"',
        ['\\'] = '\\',
        ['\b'] = 'b',
        ['\f'] = 'f',
        ['\n'] = 'n',
        ['\r'] = 'r',
        ['\t'] = 't',
    };
    char letter = letters[(unsigned char)text.data[0]];
    if (letter) {
        char escape[] = {'\\', letter};
        jsv_put(out, escape, sizeof(escape));
        return 1;
    }
    uint32_t code_point;
    size_t size = jsv_utf8_decode(text, &code_point);
    append_code_point(out, code_point);
    return size;
}

void jsv_escape_append(struct jsv_buf *out, struct jsv_str text, enum jsv_escape how)
{
    JSV_PUT(out, "\"");
    while (text.size > 0) {
        size_t used = plain_run(text, how);
        if (used > 0) {
            jsv_put(out, text.data, used);
        } else {
            used = append_escape(out, text);
        }
        text = (struct jsv_str){text.data + used, text.size - used};
    }
    JSV_PUT(out, "\"");
}

struct jsv_writer jsv_writer_on(struct jsv_buf *out)
{
    return (struct jsv_writer){.out = out, .start = out->size};
}

void jsv_write_separator(struct jsv_writer *writer)
{
    const struct jsv_buf *out = writer->out;
    if (out->size == writer->start) {
        return;
    }
    char last = out->data[out->size - 1];
    if (last != '{' && last != '[' && last != ':' && last != ',') {
        jsv_buf_append_byte(writer->out, ',');
    }
}

void jsv_write_span(struct jsv_writer *writer, struct jsv_str json)
{
    jsv_write_separator(writer);
    jsv_buf_append_str(writer->out, json);
}

void jsv_write_object_begin(struct jsv_writer *writer)
{
    jsv_write_span(writer, JSV_STR("{"));
}

void jsv_write_object_end(struct jsv_writer *writer)
{
    jsv_buf_append_byte(writer->out, '}');
}

void jsv_write_array_begin(struct jsv_writer *writer)
{
    jsv_write_span(writer, JSV_STR("["));
}

void jsv_write_array_end(struct jsv_writer *writer)
{
    jsv_buf_append_byte(writer->out, ']');
}

void jsv_write_key(struct jsv_writer *writer, struct jsv_str name)
{
    jsv_write_string(writer, name);
    jsv_buf_append_byte(writer->out, ':');
}

void jsv_write_string(struct jsv_writer *writer, struct jsv_str text)
{
    jsv_write_separator(writer);
    jsv_escape_append(writer->out, text, JSV_ESCAPE_MINIMAL);
}

char *jsv_digits_before(char *end, uint64_t integer)
{
    do {
        *--end = (char)('0' + integer % 10);
        integer /= 10;
    } while (integer > 0);
    return end;
}

static void write_integer(struct jsv_writer *writer, bool negative, uint64_t magnitude)
{
    char text[1 + JSV_DIGITS_MAX];
    char *end = text + sizeof(text);
    char *start = jsv_digits_before(end, magnitude);
    if (negative) {
        *--start = '-';
    }
    jsv_write_span(writer, (struct jsv_str){start, (size_t)(end - start)});
}

void jsv_write_int64(struct jsv_writer *writer, int64_t integer)
{
    write_integer(writer, integer < 0, integer < 0 ? 0 - (uint64_t)integer : (uint64_t)integer);
}

void jsv_write_uint64(struct jsv_writer *writer, uint64_t integer)
{
    write_integer(writer, false, integer);
}

void jsv_write_double(struct jsv_writer *writer, double number)
{
    if (!__builtin_isfinite(number)) {
        jsv_write_null(writer);
        return;
    }
    char text[JSV_NUMBER_PRINT_MAX];
    size_t size = jsv_number_print(number, text);
    jsv_write_span(writer, (struct jsv_str){text, size});
}

void jsv_write_bool(struct jsv_writer *writer, bool boolean)
{
    jsv_write_span(writer, boolean ? JSV_STR("true") : JSV_STR("false"));
}

void jsv_write_null(struct jsv_writer *writer)
{
    jsv_write_span(writer, JSV_STR("null"));
}

#define DEFINE_BARE_MEMBER(kind)                                                                   \
    void jsv_write_member_##kind(struct jsv_writer *writer, struct jsv_str name)                   \
    {                                                                                              \
        jsv_write_key(writer, name);                                                               \
        jsv_write_##kind(writer);                                                                  \
    }

#define DEFINE_MEMBER(kind, type)                                                                  \
    void jsv_write_member_##kind(struct jsv_writer *writer, struct jsv_str name, type value)       \
    {                                                                                              \
        jsv_write_key(writer, name);                                                               \
        jsv_write_##kind(writer, value);                                                           \
    }

DEFINE_BARE_MEMBER(object_begin)
DEFINE_BARE_MEMBER(array_begin)
DEFINE_BARE_MEMBER(null)
DEFINE_MEMBER(string, struct jsv_str)
DEFINE_MEMBER(int64, int64_t)
DEFINE_MEMBER(uint64, uint64_t)
DEFINE_MEMBER(double, double)
DEFINE_MEMBER(bool, bool)
DEFINE_MEMBER(span, struct jsv_str)
DEFINE_MEMBER(value, struct jsv_value)
