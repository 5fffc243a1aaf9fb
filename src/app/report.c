#define _GNU_SOURCE /* memrchr() */
#include "app/report.h"

#include <string.h>

#include "app/cli.h"
#include "app/message.h"
#include "os/sys.h"

/* Bytes shown of a text from outside. */
#define NAME_SIZE_MAX    1024
#define POINTER_SIZE_MAX 256
/* Bytes of a line shown on both sides of the spot; together they fit a terminal. */
#define BEFORE_SIZE_MAX 44
#define AFTER_SIZE_MAX  28

#define INDENT   "  "
#define ELLIPSIS "..."

/* ---- what all messages share ---- */

/* "mcpgate: diff:" */
static void begin(struct app_message *message, const struct app_cli *cli)
{
    app_message_init(message, cli->colour);
    app_message_put_colour(message, APP_COLOUR_PLACE);
    app_message_put(message, "mcpgate:");
    if (cli->command) {
        app_message_put(message, " ");
        app_message_put(message, cli->command);
        app_message_put(message, ":");
    }
}

/* Between the place, which is coloured, and what is said about it. */
static void end_place(struct app_message *message)
{
    app_message_put_colour(message, APP_COLOUR_OFF);
    app_message_put(message, " ");
}

/* In one piece, lest messages of two programs mix. If it fails, the exit status still tells. */
static void finish(struct app_message *message, const struct app_cli *cli)
{
    app_message_put(message, "\n");
    (void)os_write_all(cli->err_fd, message->data, message->size);
}

/* ---- messages of one line ---- */

void app_report(const struct app_cli *cli, const char *text)
{
    struct app_message message;
    begin(&message, cli);
    end_place(&message);
    app_message_put(&message, text);
    finish(&message, cli);
}

void app_report_about(const struct app_cli *cli, const char *subject, const char *text)
{
    struct app_message message;
    begin(&message, cli);
    app_message_put(&message, " ");
    app_message_put_clipped(&message, jsv_str_from(subject), NAME_SIZE_MAX);
    app_message_put(&message, ":");
    end_place(&message);
    app_message_put(&message, text);
    finish(&message, cli);
}

void app_report_errno(const struct app_cli *cli, const char *subject, int error)
{
    app_report_about(cli, subject, strerror(-error));
}

void app_report_usage(const struct app_cli *cli, const char *text, const char *word)
{
    struct app_message message;
    begin(&message, cli);
    end_place(&message);
    app_message_put(&message, text);
    app_message_put(&message, " '");
    app_message_put_clipped(&message, jsv_str_from(word), NAME_SIZE_MAX);
    app_message_put(&message, "'; try 'mcpgate ");
    if (cli->command) {
        app_message_put(&message, cli->command);
        app_message_put(&message, " ");
    }
    app_message_put(&message, "--help'");
    finish(&message, cli);
}

/* ---- a place in a text ---- */

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

/* The line, and below it a caret at the spot. Nothing when the line is empty. */
static void put_excerpt(struct app_message *message, struct jsv_str text, size_t offset)
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

void app_report_spot(const struct app_cli *cli, const struct app_spot *spot, const char *text)
{
    struct app_message message;
    begin(&message, cli);
    app_message_put(&message, " ");
    app_message_put_clipped(&message, jsv_str_from(spot->name), NAME_SIZE_MAX);
    app_message_put(&message, ":");
    app_message_put_number(&message, spot->line);
    app_message_put(&message, ":");
    app_message_put_number(&message, spot->column);
    app_message_put(&message, ":");
    end_place(&message);
    app_message_put(&message, text);
    if (spot->pointer.size > 0) {
        app_message_put(&message, " (at ");
        app_message_put_clipped(&message, spot->pointer, POINTER_SIZE_MAX);
        app_message_put(&message, ")");
    }
    put_excerpt(&message, spot->text, spot->offset);
    finish(&message, cli);
}
