#include "app/help.h"

#include <jsv/jsv.h>

#include "app/cli.h"

/* Where the explanations begin: two more than the longest name needs. */
#define COLUMN 14

static void put(struct jsv_buf *text, const char *string)
{
    jsv_buf_append_str(text, jsv_str_from(string));
}

/* "  name        explanation" */
static void put_row(struct jsv_buf *text, const char *dashes, const char *name, const char *help)
{
    size_t start = text->size;
    put(text, "  ");
    put(text, dashes);
    put(text, name);
    do {
        put(text, " ");
    } while (text->error == 0 && text->size < start + COLUMN);
    put(text, help);
    put(text, "\n");
}

void app_help_program(struct jsv_buf *text, const struct app_command *const *commands, size_t count)
{
    put(text,
        "Usage: mcpgate COMMAND [OPTION]... [OPERAND]...\n"
        "A gate for MCP messages, and tools for the JSON they are made of.\n"
        "\n"
        "Commands:\n");
    for (size_t i = 0; i < count; i++) {
        put_row(text, "", commands[i]->name, commands[i]->summary);
    }
    put(text, "\nOptions:\n");
    put_row(text, "--", "help", "Show this text; after a command, how it is used");
    put_row(text, "--", "version", "Show the version");
    put(text,
        "\n"
        "Exit status: 0 when all went well, 2 when something could not be read, understood\n"
        "or written. Messages are coloured on a terminal unless NO_COLOR is set.\n");
}

void app_help_command(struct jsv_buf *text, const struct app_command *command)
{
    put(text, "Usage: mcpgate ");
    put(text, command->name);
    put(text, " [OPTION]... ");
    put(text, command->synopsis);
    put(text, "\n");
    put(text, command->summary);
    put(text, "\n\n");
    put(text, command->details);
    put(text, "\nOptions:\n");
    for (const struct app_option *option = command->options; option->name; option++) {
        put_row(text, "--", option->name, option->help);
    }
    put_row(text, "--", "help", "Show this text");
}
