#include "cli/report.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/excerpt.h"
#include "cli/message.h"
#include "os/sys.h"

/* Bytes shown of a text from outside. */
#define NAME_SIZE_MAX    1024
#define TEXT_SIZE_MAX    512
#define POINTER_SIZE_MAX 256

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
    app_report_unknown(cli, text, word, "", JSV_STR(""));
}

void app_report_unknown(
    const struct app_cli *cli,
    const char *text,
    const char *word,
    const char *prefix,
    struct jsv_str suggestion)
{
    struct app_message message;
    begin(&message, cli);
    end_place(&message);
    app_message_put(&message, text);
    app_message_put(&message, " '");
    app_message_put_clipped(&message, jsv_str_from(word), NAME_SIZE_MAX);
    if (suggestion.size > 0) {
        app_message_put(&message, "'; did you mean '");
        app_message_put(&message, prefix);
        app_message_put_clipped(&message, suggestion, NAME_SIZE_MAX);
        app_message_put(&message, "'? Try 'mcpgate ");
    } else {
        app_message_put(&message, "'; try 'mcpgate ");
    }
    if (cli->command) {
        app_message_put(&message, cli->command);
        app_message_put(&message, " ");
    }
    app_message_put(&message, "--help'");
    finish(&message, cli);
}

/* ---- a place in a text ---- */

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
    app_message_put_clipped(&message, jsv_str_from(text), TEXT_SIZE_MAX);
    if (spot->pointer.size > 0) {
        app_message_put(&message, " (at ");
        app_message_put_clipped(&message, spot->pointer, POINTER_SIZE_MAX);
        app_message_put(&message, ")");
    }
    app_excerpt_put(&message, spot->text, spot->offset);
    finish(&message, cli);
}
