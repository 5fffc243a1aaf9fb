#define _GNU_SOURCE /* memrchr() */
#include "cli/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "jsv/base/utf8.h"
#include "os/sys.h"

/* ---- messages ---- */

static void put(struct cli_message *message, const char *data, size_t size)
{
    size_t room = CLI_MESSAGE_SIZE_MAX - message->size;
    size = size < room ? size : room;
    memcpy(message->data + message->size, data, size);
    message->size += size;
}

void cli_message_init(struct cli_message *message, bool colour)
{
    message->size = 0;
    message->colour = colour;
}

void cli_message_put(struct cli_message *message, const char *string)
{
    put(message, string, strlen(string));
}

void cli_message_printf(struct cli_message *message, const char *format, ...)
{
    size_t room = sizeof(message->data) - message->size;
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(message->data + message->size, room, format, arguments);
    va_end(arguments);
    if (size > 0) {
        message->size += (size_t)size < room ? (size_t)size : room - 1;
    }
}

void cli_message_put_colour(struct cli_message *message, const char *sequence)
{
    if (message->colour) {
        cli_message_put(message, sequence);
    }
}

/* C0, DEL and C1, which terminals obey even when it is encoded as UTF-8. */
static bool is_control(uint32_t code_point)
{
    return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
}

/* @return columns taken */
static size_t put_escaped(struct cli_message *message, const char *bytes, size_t size)
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

/* Append the first character of a text, which has this many bytes. @return columns taken */
static size_t put_character(struct cli_message *message, struct jsv_str text, size_t size)
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

size_t cli_message_put_text(struct cli_message *message, struct jsv_str text)
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

/*
 * The start of the character at an offset, so that a cut there splits none; the offset itself
 * where the text is not UTF-8.
 */
static size_t character_start(struct jsv_str text, size_t offset)
{
    for (size_t back = 0; back < JSV_UTF8_SIZE_MAX && back <= offset; back++) {
        if (!is_continuation(text.data[offset - back])) {
            return offset - back;
        }
    }
    return offset;
}

void cli_message_put_clipped(struct cli_message *message, struct jsv_str text, size_t size_max)
{
    if (text.size <= size_max) {
        cli_message_put_text(message, text);
        return;
    }
    cli_message_put_text(message, (struct jsv_str){text.data, character_start(text, size_max)});
    cli_message_put(message, "...");
}

const char *cli_message_text(struct cli_message *message)
{
    message->data[message->size] = '\0';
    return message->data;
}

/* ---- excerpts ---- */

/* Bytes shown on both sides of the place; together they fit a terminal. */
#define BEFORE_SIZE_MAX 44
#define AFTER_SIZE_MAX  28

#define INDENT   "  "
#define ELLIPSIS "..."

/* The part of a line around a place. */
struct excerpt {
    struct jsv_str before;
    struct jsv_str after;
    bool cut_before;
    bool cut_after;
};

/* Looks only at bytes that may be shown, because a line can be as long as the text. */
static struct excerpt excerpt_around(struct jsv_str text, size_t offset)
{
    const char *spot = text.data + offset;
    const char *start = text.data;
    const char *end = text.data + text.size;
    if (offset > BEFORE_SIZE_MAX) {
        start += character_start(text, offset - BEFORE_SIZE_MAX);
    }
    if (text.size - offset > AFTER_SIZE_MAX) {
        end = text.data + character_start(text, offset + AFTER_SIZE_MAX);
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
        end--; /* part of the line break */
    }
    return (struct excerpt){
        .before = {start, (size_t)(spot - start)},
        .after = {spot, (size_t)(end - spot)},
        .cut_before = cut_before,
        .cut_after = cut_after,
    };
}

void cli_message_put_excerpt(struct cli_message *message, struct jsv_str text, size_t offset)
{
    if (text.size == 0) {
        return;
    }
    struct excerpt excerpt = excerpt_around(text, offset);
    if (excerpt.before.size + excerpt.after.size == 0) {
        return;
    }
    const char *lead = excerpt.cut_before ? INDENT ELLIPSIS : INDENT;
    cli_message_put(message, "\n");
    cli_message_put(message, lead);
    size_t columns = strlen(lead) + cli_message_put_text(message, excerpt.before);
    cli_message_put_text(message, excerpt.after);
    cli_message_put(message, excerpt.cut_after ? ELLIPSIS "\n" : "\n");
    for (size_t i = 0; i < columns; i++) {
        cli_message_put(message, " ");
    }
    cli_message_put_colour(message, CLI_COLOUR_CARET);
    cli_message_put(message, "^");
    cli_message_put_colour(message, CLI_COLOUR_OFF);
}

/* ---- reports ---- */

/* Bytes shown of untrusted text. */
#define NAME_SIZE_MAX    1024
#define TEXT_SIZE_MAX    512
#define POINTER_SIZE_MAX 256

/* "mcpgate: diff:" */
static void begin(struct cli_message *message, const struct cli *cli)
{
    cli_message_init(message, cli->colour);
    cli_message_put_colour(message, CLI_COLOUR_PLACE);
    cli_message_put(message, "mcpgate:");
    if (cli->command) {
        cli_message_printf(message, " %s:", cli->command);
    }
}

/* Ends the coloured part. */
static void end_place(struct cli_message *message)
{
    cli_message_put_colour(message, CLI_COLOUR_OFF);
    cli_message_put(message, " ");
}

/* One write, so that messages of two programs do not mix. Errors show in the exit status only. */
static void finish(struct cli_message *message, const struct cli *cli)
{
    cli_message_put(message, "\n");
    (void)os_write_all(cli->err_fd, message->data, message->size);
}

void cli_report_about(const struct cli *cli, const char *subject, const char *text)
{
    struct cli_message message;
    begin(&message, cli);
    if (subject) {
        cli_message_put(&message, " ");
        cli_message_put_clipped(&message, jsv_str_from(subject), NAME_SIZE_MAX);
        cli_message_put(&message, ":");
    }
    end_place(&message);
    cli_message_put(&message, text);
    finish(&message, cli);
}

void cli_report(const struct cli *cli, const char *text)
{
    cli_report_about(cli, NULL, text);
}

void cli_report_errno(const struct cli *cli, const char *subject, int error)
{
    cli_report_about(cli, subject, strerror(-error));
}

void cli_report_usage(const struct cli *cli, const char *text, const char *word)
{
    cli_report_unknown(cli, text, word, "", JSV_STR(""));
}

void cli_report_unknown(
    const struct cli *cli,
    const char *text,
    const char *word,
    const char *prefix,
    struct jsv_str suggestion)
{
    struct cli_message message;
    begin(&message, cli);
    end_place(&message);
    cli_message_printf(&message, "%s '", text);
    cli_message_put_clipped(&message, jsv_str_from(word), NAME_SIZE_MAX);
    if (suggestion.size > 0) {
        cli_message_printf(&message, "'; did you mean '%s", prefix);
        cli_message_put_clipped(&message, suggestion, NAME_SIZE_MAX);
        cli_message_put(&message, "'? Try 'mcpgate ");
    } else {
        cli_message_put(&message, "'; try 'mcpgate ");
    }
    cli_message_printf(
        &message, "%s%s--help'", cli->command ? cli->command : "", cli->command ? " " : "");
    finish(&message, cli);
}

void cli_report_spot(const struct cli *cli, const struct cli_spot *spot, const char *text)
{
    struct cli_message message;
    begin(&message, cli);
    cli_message_put(&message, " ");
    cli_message_put_clipped(&message, jsv_str_from(spot->name), NAME_SIZE_MAX);
    cli_message_printf(&message, ":%zu:%zu:", spot->line, spot->column);
    end_place(&message);
    cli_message_put_clipped(&message, jsv_str_from(text), TEXT_SIZE_MAX);
    if (spot->pointer.size > 0) {
        cli_message_put(&message, " (at ");
        cli_message_put_clipped(&message, spot->pointer, POINTER_SIZE_MAX);
        cli_message_put(&message, ")");
    }
    cli_message_put_excerpt(&message, spot->text, spot->offset);
    finish(&message, cli);
}

/* ---- progress ---- */

/* A run that ends sooner needs no progress; more updates cannot be read. */
#define FIRST_MS 200
#define EVERY_MS 100

#define BAR_CELLS 20

#define ERASE_TO_END "\033[K"

/* The longest line: the bar and four numbers of 20 digits. */
#define LINE_SIZE_MAX 256

void cli_progress_init(struct cli_progress *progress, int fd, uint64_t total)
{
    uint64_t now = os_now_ms();
    *progress = (struct cli_progress){
        .fd = fd,
        .total = total,
        .start_ms = now,
        .next_ms = now + FIRST_MS,
    };
}

/* "[####....]  40%  " */
static int put_bar(char *line, size_t size, double part)
{
    char cells[BAR_CELLS + 1];
    for (int i = 0; i < BAR_CELLS; i++) {
        cells[i] = i < (int)(part * BAR_CELLS) ? '#' : '.';
    }
    cells[BAR_CELLS] = '\0';
    return snprintf(line, size, "[%s] %3d%%  ", cells, (int)(part * 100));
}

/* "  1:05 left" */
static int put_remaining(char *line, size_t size, double part, uint64_t elapsed_ms)
{
    uint64_t seconds = (uint64_t)((double)elapsed_ms * (1 - part) / part / 1000);
    uint64_t hours = seconds / 3600;
    uint64_t minutes = seconds / 60 % 60;
    seconds %= 60;
    return hours > 0 ? snprintf(
                           line,
                           size,
                           "  %" PRIu64 ":%02" PRIu64 ":%02" PRIu64 " left",
                           hours,
                           minutes,
                           seconds)
                     : snprintf(line, size, "  %" PRIu64 ":%02" PRIu64 " left", minutes, seconds);
}

static void draw(struct cli_progress *progress, uint64_t documents, uint64_t done, uint64_t now)
{
    char line[LINE_SIZE_MAX];
    size_t size = 1;
    uint64_t elapsed_ms = now - progress->start_ms;
    double part = progress->total > 0 ? (double)done / (double)progress->total : 0;
    part = part < 1 ? part : 1; /* a file may have grown */
    line[0] = '\r';
    if (part > 0) {
        size += (size_t)put_bar(line + size, sizeof(line) - size, part);
    }
    size += (size_t)snprintf(
        line + size,
        sizeof(line) - size,
        "%" PRIu64 " documents  %" PRIu64 "/s",
        documents,
        documents * 1000 / elapsed_ms);
    if (part > 0) {
        size += (size_t)put_remaining(line + size, sizeof(line) - size, part, elapsed_ms);
    }
    size += (size_t)snprintf(line + size, sizeof(line) - size, ERASE_TO_END);
    /* An error only means that nothing is drawn. */
    (void)os_write_all(progress->fd, line, size);
    progress->drawn = true;
    progress->next_ms = now + EVERY_MS;
}

void cli_progress_update(struct cli_progress *progress, uint64_t documents, uint64_t done)
{
    if (progress->fd < 0) {
        return;
    }
    uint64_t now = os_now_ms();
    if (now >= progress->next_ms) {
        draw(progress, documents, done, now);
    }
}

void cli_progress_hide(struct cli_progress *progress)
{
    static const char erase[] = "\r" ERASE_TO_END;
    if (progress->drawn) {
        (void)os_write_all(progress->fd, erase, sizeof(erase) - 1);
        progress->drawn = false;
    }
}
