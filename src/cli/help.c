#include "cli/help.h"

#include <string.h>

#include <jsv/jsv.h>

#include "cli/cli.h"

/* Columns a name takes at least, with the blanks around it. */
#define COLUMN_MIN 14

static void put(struct jsv_buf *text, const char *string)
{
    jsv_buf_append_str(text, jsv_str_from(string));
}

/* Fill a row that began at start up to a column, with one blank at least; then explain. */
static void put_help(struct jsv_buf *text, size_t start, size_t column, const char *help)
{
    do {
        put(text, " ");
    } while (text->error == 0 && text->size < start + column);
    put(text, help);
    put(text, "\n");
}

/* "  name        explanation" */
static void put_command(struct jsv_buf *text, const struct app_command *command)
{
    size_t start = text->size;
    put(text, "  ");
    put(text, command->name);
    put_help(text, start, COLUMN_MIN, command->summary);
}

static void put_blanks(struct jsv_buf *text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        put(text, " ");
    }
}

/* "                     VARIABLE or", "                     OTHER=default" */
static void put_variable(struct jsv_buf *text, const struct app_option *option, size_t column)
{
    bool has_fallback = option->fallback && option->fallback[0] != '\0';
    put_blanks(text, column);
    put(text, option->variable);
    if (option->other_variable && strcmp(option->other_variable, option->variable) != 0) {
        put(text, " or\n");
        put_blanks(text, column);
        put(text, option->other_variable);
    }
    put(text, has_fallback ? "=" : "");
    put(text, has_fallback ? option->fallback : "");
    put(text, "\n");
}

/* "  -s, --schema FILE  explanation" */
static void put_option(struct jsv_buf *text, const struct app_option *option, size_t column)
{
    const char letter[] = {'-', option->letter, ',', ' ', '\0'};
    size_t start = text->size;
    put(text, "  ");
    put(text, option->letter ? letter : "");
    put(text, "--");
    put(text, option->name);
    put(text, option->value ? " " : "");
    put(text, option->value ? option->value : "");
    put_help(text, start, column, option->help);
    if (option->variable) {
        put_variable(text, option, column);
    }
}

/* Where the explanations of options begin: two behind the longest of them. */
static size_t option_column(const struct app_option *options)
{
    size_t column = COLUMN_MIN;
    for (const struct app_option *option = options; option->name; option++) {
        size_t width = strlen("  --  ") + strlen(option->name);
        width += option->letter ? strlen("-s, ") : 0;
        width += option->value ? 1 + strlen(option->value) : 0;
        column = width > column ? width : column;
    }
    return column;
}

static void put_options(struct jsv_buf *text, const struct app_option *options, size_t column)
{
    for (const struct app_option *option = options; option->name; option++) {
        put_option(text, option, column);
    }
}

void app_help_program(
    struct jsv_buf *text,
    const struct app_command *const *commands,
    size_t count,
    const struct app_option *server_options)
{
    static const struct app_option options[] = {
        {.name = "help", .help = "Show this text; \"mcpgate help COMMAND\" explains a command"},
        {.name = "version", .help = "Show the version"},
        {0},
    };
    put(text,
        "Usage: mcpgate COMMAND [OPTION]... [OPERAND]...\n"
        "       mcpgate [SERVER OPTION]...\n"
        "Checks MCP messages and JSON documents against their schemas, and serves tools.\n"
        "\n"
        "Commands:\n");
    for (size_t i = 0; i < count; i++) {
        put_command(text, commands[i]);
    }
    put(text, "\nOptions:\n");
    put_options(text, options, COLUMN_MIN);
    put(text,
        "\nServer options, and the environment variables that mean the same (an option wins):\n");
    put_options(text, server_options, option_column(server_options));
    put(text,
        "\n"
        "Exit status: 0 success; 1 a document is not valid, or a tool failed; 2 wrong usage, or\n"
        "something could not be read or written. Messages are coloured on a terminal unless\n"
        "NO_COLOR is set.\n");
}

void app_help_command(struct jsv_buf *text, const struct app_command *command)
{
    static const struct app_option help[] = {
        {.name = "help", .help = "Show this text"},
        {0},
    };
    size_t column = option_column(command->options);
    put(text, "Usage: mcpgate ");
    put(text, command->name);
    put(text, " [OPTION]... ");
    put(text, command->synopsis);
    put(text, "\n");
    put(text, command->summary);
    put(text, "\n\n");
    put(text, command->details);
    put(text, "\nOptions:\n");
    put_options(text, command->options, column);
    put_options(text, help, column);
}
