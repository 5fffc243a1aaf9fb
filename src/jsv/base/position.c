#define _GNU_SOURCE /* memrchr() */

#include <string.h>

#include <jsv/jsv.h>

#include "jsv/base/utf8.h"

static size_t count_newlines(const char *from, const char *to)
{
    size_t count = 0;
    while ((from = memchr(from, '\n', (size_t)(to - from))) != NULL) {
        from++;
        count++;
    }
    return count;
}

static size_t count_characters(const char *from, const char *to)
{
    return jsv_utf8_count((struct jsv_str){from, (size_t)(to - from)});
}

struct jsv_position jsv_position_in(struct jsv_str text, size_t line)
{
    return (struct jsv_position){.text = text, .line = line, .column = 1};
}

void jsv_position_move(struct jsv_position *position, size_t offset)
{
    const char *text = position->text.data;
    bool back = offset < position->offset;
    const char *from = text + (back ? offset : position->offset);
    const char *to = text + (back ? position->offset : offset);
    if (from == to) {
        return;
    }
    size_t lines = count_newlines(from, to);
    position->line += back ? -lines : lines;
    if (lines > 0) {
        const char *newline = memrchr(text, '\n', offset);
        const char *start = newline ? newline + 1 : text;
        position->column = 1 + count_characters(start, text + offset);
    } else {
        size_t characters = count_characters(from, to);
        position->column += back ? -characters : characters;
    }
    position->offset = offset;
}
