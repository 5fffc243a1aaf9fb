#define _GNU_SOURCE /* memrchr() */
#include "cli/excerpt.h"

#include <string.h>

#include "cli/message.h"

/* Bytes of a line shown on both sides of the spot; together they fit a terminal. */
#define BEFORE_SIZE_MAX 44
#define AFTER_SIZE_MAX  28

#define INDENT   "  "
#define ELLIPSIS "..."

/* The part of a line around a spot. */
struct excerpt {
    struct jsv_str before;
    struct jsv_str after;
    bool cut_before;
    bool cut_after;
};

/* Looks only at the bytes that may be shown: a line can be as long as the text. */
static struct excerpt excerpt_around(struct jsv_str text, size_t offset)
{
    const char *spot = text.data + offset;
    const char *start = text.data;
    const char *end = text.data + text.size;
    if (offset > BEFORE_SIZE_MAX) {
        start += app_message_cut(text, offset - BEFORE_SIZE_MAX);
    }
    if (text.size - offset > AFTER_SIZE_MAX) {
        end = text.data + app_message_cut(text, offset + AFTER_SIZE_MAX);
    }
    const char *newline_before = memrchr(start, '\n', (size_t)(spot - start));
    const char *newline_after = memchr(spot, '\n', (size_t)(end - spot));
    if (newline_before) {
        start = newline_before + 1;
    }
    if (newline_after) {
        end = newline_after;
    }
    bool cut_before = start > text.data && start[-1] != '\n';
    bool cut_after = end < text.data + text.size && *end != '\n';
    if (end > spot && end[-1] == '\r' && !cut_after) {
        end--; /* part of the line's end */
    }
    return (struct excerpt){
        .before = {start, (size_t)(spot - start)},
        .after = {spot, (size_t)(end - spot)},
        .cut_before = cut_before,
        .cut_after = cut_after,
    };
}

void app_excerpt_put(struct app_message *message, struct jsv_str text, size_t offset)
{
    if (text.size == 0) {
        return;
    }
    struct excerpt excerpt = excerpt_around(text, offset);
    if (excerpt.before.size + excerpt.after.size == 0) {
        return;
    }
    const char *lead = excerpt.cut_before ? INDENT ELLIPSIS : INDENT;
    app_message_put(message, "\n");
    app_message_put(message, lead);
    size_t columns = strlen(lead) + app_message_put_text(message, excerpt.before);
    app_message_put_text(message, excerpt.after);
    app_message_put(message, excerpt.cut_after ? ELLIPSIS "\n" : "\n");
    for (size_t i = 0; i < columns; i++) {
        app_message_put(message, " ");
    }
    app_message_put_colour(message, APP_COLOUR_CARET);
    app_message_put(message, "^");
    app_message_put_colour(message, APP_COLOUR_OFF);
}
