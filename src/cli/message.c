#include "cli/message.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "jsv/base/utf8.h"

static void put(struct app_message *message, const char *data, size_t size)
{
    size_t room = sizeof(message->data) - message->size;
    size = size < room ? size : room;
    memcpy(message->data + message->size, data, size);
    message->size += size;
}

void app_message_init(struct app_message *message, bool colour)
{
    message->size = 0;
    message->colour = colour;
}

void app_message_put(struct app_message *message, const char *string)
{
    put(message, string, strlen(string));
}

void app_message_put_number(struct app_message *message, size_t number)
{
    char digits[24];
    int size = snprintf(digits, sizeof(digits), "%zu", number);
    put(message, digits, (size_t)size);
}

void app_message_put_colour(struct app_message *message, const char *sequence)
{
    if (message->colour) {
        app_message_put(message, sequence);
    }
}

/* ---- text from outside ---- */

/* C0, DEL and C1: terminals obey the last ones also when they come as UTF-8. */
static bool is_control(uint32_t code_point)
{
    return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
}

/* @return columns taken */
static size_t put_escaped(struct app_message *message, const char *bytes, size_t size)
{
    size_t columns = 0;
    for (size_t i = 0; i < size; i++) {
        char escape[8];
        int length = snprintf(escape, sizeof(escape), "\\x%02x", (unsigned char)bytes[i]);
        put(message, escape, (size_t)length);
        columns += (size_t)length;
    }
    return columns;
}

/* Show a character that begins a text and has this many bytes. @return columns taken */
static size_t put_character(struct app_message *message, struct jsv_str text, size_t size)
{
    uint32_t code_point;
    jsv_utf8_decode(text, &code_point);
    if (code_point == '\t') {
        put(message, " ", 1);
        return 1;
    }
    if (is_control(code_point)) {
        return put_escaped(message, text.data, size);
    }
    put(message, text.data, size);
    return 1;
}

size_t app_message_put_text(struct app_message *message, struct jsv_str text)
{
    size_t columns = 0;
    while (text.size > 0) {
        size_t size = jsv_utf8_sequence(text);
        if (size > 0) {
            columns += put_character(message, text, size);
        } else {
            size = 1;
            columns += put_escaped(message, text.data, size);
        }
        text.data += size;
        text.size -= size;
    }
    return columns;
}

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

size_t app_message_cut(struct jsv_str text, size_t offset)
{
    for (size_t back = 0; back < JSV_UTF8_SIZE_MAX && back <= offset; back++) {
        if (!is_continuation(text.data[offset - back])) {
            return offset - back;
        }
    }
    return offset;
}

void app_message_put_clipped(struct app_message *message, struct jsv_str text, size_t size_max)
{
    if (text.size <= size_max) {
        app_message_put_text(message, text);
        return;
    }
    app_message_put_text(message, (struct jsv_str){text.data, app_message_cut(text, size_max)});
    app_message_put(message, "...");
}
