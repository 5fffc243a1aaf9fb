#include "json_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "count_of.h"
#include "jsv/base/utf8.h"
#include "random.h"

/* How one text is made. */
struct maker {
    struct jsv_buf *out;
    uint64_t *random;
    unsigned values; /* how many more it may have */
    unsigned depth;  /* how much deeper it may go */
    unsigned space;  /* of 8 places between tokens, how many have white space */
    unsigned escape; /* of 8 pieces of a string, how many are escaped */
    unsigned twice;  /* of 64 names, how many come from a small stock */
};

static uint64_t below(const struct maker *maker, uint64_t bound)
{
    return random_below(maker->random, bound);
}

static bool chance(const struct maker *maker, unsigned of, unsigned all)
{
    return below(maker, all) < of;
}

static void put(const struct maker *maker, const char *text)
{
    jsv_buf_append_str(maker->out, jsv_str_from(text));
}

static void put_space(const struct maker *maker)
{
    while (chance(maker, maker->space, 8)) {
        jsv_buf_append_byte(maker->out, " \t\r\n"[below(maker, 4)]);
    }
}

/* A code point of any size, and none of the surrogates. */
static uint32_t code_point(const struct maker *maker)
{
    static const uint32_t bounds[] = {0x20, 0x80, 0x80, 0x800, 0xD800, 0x10000, 0x110000};
    uint32_t chosen = (uint32_t)below(maker, bounds[below(maker, COUNT_OF(bounds))]);
    return chosen >= 0xD800 && chosen < 0xE000 ? chosen - 0x800 : chosen;
}

static void put_unit(const struct maker *maker, uint32_t unit)
{
    char text[8];
    bool upper = chance(maker, 1, 2);
    snprintf(text, sizeof(text), upper ? "\\u%04X" : "\\u%04x", (unsigned)(unit & 0xFFFF));
    put(maker, text);
}

static void put_escaped(const struct maker *maker, uint32_t character)
{
    static const char letters[] = "\"\\/bfnrt";
    if (chance(maker, 1, 2)) {
        char text[] = {'\\', letters[below(maker, sizeof(letters) - 1)], '\0'};
        put(maker, text);
    } else if (character < 0x10000) {
        put_unit(maker, character);
    } else {
        put_unit(maker, 0xD800 + ((character - 0x10000) >> 10));
        put_unit(maker, 0xDC00 + (character & 0x3FF));
    }
}

static void put_character(const struct maker *maker)
{
    uint32_t character = code_point(maker);
    if (character < 0x20 || character == '"' || character == '\\' ||
        chance(maker, maker->escape, 8)) {
        put_escaped(maker, character);
        return;
    }
    char bytes[JSV_UTF8_SIZE_MAX];
    jsv_buf_append(maker->out, bytes, jsv_utf8_encode(character, bytes));
}

static void put_string(const struct maker *maker)
{
    static const size_t sizes[] = {2, 4, 10, 30, 100};
    size_t size = below(maker, sizes[below(maker, COUNT_OF(sizes))]);
    bool plain = chance(maker, 1, 2);
    jsv_buf_append_byte(maker->out, '"');
    for (size_t i = 0; i < size; i++) {
        if (plain) {
            jsv_buf_append_byte(maker->out, (char)('a' + below(maker, 26)));
        } else {
            put_character(maker);
        }
    }
    jsv_buf_append_byte(maker->out, '"');
}

static void put_name(const struct maker *maker)
{
    static const char *const stock[] = {
        "\"a\"",
        "\"\\u0061\"",
        "\"\"",
        "\"name\"",
        "\"n\\u0061me\"",
        "\"\\n\"",
        "\"a longer name\""};
    if (chance(maker, maker->twice, 64)) {
        put(maker, stock[below(maker, COUNT_OF(stock))]);
    } else {
        put_string(maker);
    }
}

static void put_digits(const struct maker *maker, size_t count)
{
    while (count-- > 0) {
        jsv_buf_append_byte(maker->out, (char)('0' + below(maker, 10)));
    }
}

static size_t digit_count(const struct maker *maker)
{
    static const size_t bounds[] = {2, 4, 10, 20, 40};
    return below(maker, bounds[below(maker, COUNT_OF(bounds))]);
}

static void put_number(const struct maker *maker)
{
    if (chance(maker, 1, 3)) {
        jsv_buf_append_byte(maker->out, '-');
    }
    if (chance(maker, 1, 4)) {
        jsv_buf_append_byte(maker->out, '0');
    } else {
        jsv_buf_append_byte(maker->out, (char)('1' + below(maker, 9)));
        put_digits(maker, digit_count(maker));
    }
    if (chance(maker, 1, 3)) {
        jsv_buf_append_byte(maker->out, '.');
        put_digits(maker, 1 + digit_count(maker));
    }
    if (chance(maker, 1, 4)) {
        static const char *const marks[] = {"e", "E", "e+", "E+", "e-", "E-"};
        put(maker, marks[below(maker, COUNT_OF(marks))]);
        put_digits(maker, 1 + below(maker, chance(maker, 1, 8) ? 12 : 2));
    }
}

static void put_value(struct maker *maker);

static void put_container(struct maker *maker)
{
    bool object = chance(maker, 1, 2);
    size_t count = below(maker, chance(maker, 1, 16) ? 60 : 8);
    jsv_buf_append_byte(maker->out, object ? '{' : '[');
    put_space(maker);
    maker->depth--;
    for (size_t i = 0; i < count && maker->values > 0; i++) {
        if (i > 0) {
            jsv_buf_append_byte(maker->out, ',');
            put_space(maker);
        }
        if (object) {
            put_name(maker);
            put_space(maker);
            jsv_buf_append_byte(maker->out, ':');
            put_space(maker);
        }
        put_value(maker);
        put_space(maker);
    }
    maker->depth++;
    jsv_buf_append_byte(maker->out, object ? '}' : ']');
}

static void put_value(struct maker *maker)
{
    static const char *const literals[] = {"true", "false", "null"};
    maker->values -= maker->values > 0;
    uint64_t kind = below(maker, maker->depth > 0 ? 8 : 5);
    if (kind < 2) {
        put_string(maker);
    } else if (kind < 4) {
        put_number(maker);
    } else if (kind == 4) {
        put(maker, literals[below(maker, COUNT_OF(literals))]);
    } else {
        put_container(maker);
    }
}

/* Brackets around brackets, about as deep as a reader may go. */
static void put_nested(const struct maker *maker)
{
    size_t depth = 500 + below(maker, 20);
    bool object = chance(maker, 1, 2);
    for (size_t i = 0; i < depth; i++) {
        put(maker, object ? "{\"a\":" : "[");
    }
    put(maker, "1");
    for (size_t i = 0; i < depth; i++) {
        put(maker, object ? "}" : "]");
    }
}

void json_random_text(struct jsv_buf *out, uint64_t *random)
{
    struct maker maker = {.out = out, .random = random};
    maker.values = 1 + (unsigned)below(&maker, chance(&maker, 1, 16) ? 200 : 20);
    maker.depth = (unsigned)below(&maker, 10);
    maker.space = chance(&maker, 1, 2) ? 0 : (unsigned)below(&maker, 6);
    maker.escape = (unsigned)below(&maker, 6);
    maker.twice = chance(&maker, 1, 4) ? 16 : 0;
    put_space(&maker);
    if (chance(&maker, 1, 256)) {
        put_nested(&maker);
    } else if (maker.depth > 0 && chance(&maker, 7, 8)) {
        put_container(&maker);
    } else {
        put_value(&maker);
    }
    put_space(&maker);
    assert_int_equal(out->error, 0);
}

/* Bytes that mean something to a reader. */
static char telling_byte(uint64_t *random)
{
    static const char bytes[] =
        "{}[]:,\"\\/ \t\n\r0123456789-+.eEtrufalsnx\x01\x1F\x7F\x80\xBF\xC0\xC3"
        "\xE0\xED\xEF\xF0\xF4\xF5\xFF";
    if (random_below(random, 4) == 0) {
        return (char)random_next(random);
    }
    return bytes[random_below(random, sizeof(bytes))];
}

/* Replace size bytes at offset by those of a text. */
static void splice(struct jsv_buf *text, size_t offset, size_t size, struct jsv_str by)
{
    assert_int_equal(jsv_buf_reserve(text, by.size), 0);
    size_t rest = text->size - offset - size;
    memmove(text->data + offset + by.size, text->data + offset + size, rest);
    if (by.size > 0) {
        memcpy(text->data + offset, by.data, by.size);
    }
    text->size = offset + by.size + rest;
}

static void mutate_once(struct jsv_buf *text, uint64_t *random)
{
    size_t at = random_below(random, text->size);
    size_t left = text->size - at;
    char byte = telling_byte(random);
    char piece[16];
    size_t size = random_below(random, left < sizeof(piece) ? left : sizeof(piece));
    memcpy(piece, text->data + at, size);
    switch (random_below(random, 6)) {
    case 0:
        text->data[at] = byte;
        break;
    case 1:
        text->data[at] = (char)(text->data[at] ^ 1 << random_below(random, 8));
        break;
    case 2:
        splice(text, at, 0, (struct jsv_str){&byte, 1});
        break;
    case 3:
        splice(text, at, 1, (struct jsv_str){NULL, 0});
        break;
    case 4:
        splice(text, random_below(random, text->size), 0, (struct jsv_str){piece, size});
        break;
    default:
        text->size = at;
        break;
    }
}

void json_random_mutate(struct jsv_buf *text, uint64_t *random)
{
    size_t times = 1 + random_below(random, 3);
    while (times-- > 0 && text->size > 0) {
        mutate_once(text, random);
    }
}
