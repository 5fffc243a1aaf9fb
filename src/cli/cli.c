#include "cli/cli.h"

#include <string.h>

#include <jsv/jsv.h>

#include "cli/args.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/report.h"
#include "jsv/base/similar.h"
#include "os/sys.h"

static const struct app_command *const commands[] = {
#define APP_COMMAND(name) &app_command_##name,
#include "cli/commands.def"
#undef APP_COMMAND
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static const struct app_command *command_find(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

/* Far more than the help texts, which are constants of the program. */
#define HELP_SIZE_MAX ((size_t)64 * 1024)

/* @param command NULL for the help of the program as a whole. */
static enum app_exit print_help(struct app_cli *cli, const struct app_command *command)
{
    struct jsv_buf text;
    jsv_buf_init(&text, os_allocator(), HELP_SIZE_MAX);
    if (command) {
        app_help_command(&text, command);
    } else {
        app_help_program(&text, commands, COMMAND_COUNT, app_command_serve.options);
    }
    int r = app_output_buf(cli, &text);
    jsv_buf_done(&text);
    return r < 0 ? APP_EXIT_TROUBLE : APP_EXIT_OK;
}

static enum app_exit print_version(struct app_cli *cli)
{
    int r = app_output_write(cli, JSV_STR("mcpgate " MCPGATE_VERSION "\n"));
    return r < 0 ? APP_EXIT_TROUBLE : APP_EXIT_OK;
}

static enum app_exit
command_run(struct app_cli *cli, const struct app_command *command, int argc, char **argv)
{
    struct app_args args;
    cli->command = command->name;
    if (app_args_parse(cli, command, argc, argv, &args) < 0) {
        return APP_EXIT_TROUBLE;
    }
    if (args.flags & APP_FLAG_HELP) {
        return print_help(cli, command);
    }
    return command->run(cli, &args);
}

static enum app_exit refuse_command(struct app_cli *cli, const char *word)
{
    struct jsv_similar similar = jsv_similar_to(jsv_str_from(word));
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        jsv_similar_try(&similar, jsv_str_from(commands[i]->name));
    }
    jsv_similar_try(&similar, JSV_STR("help"));
    app_report_unknown(cli, "unknown command", word, "", similar.best);
    return APP_EXIT_TROUBLE;
}

/* mcpgate help [COMMAND] @param word NULL: there is none. */
static enum app_exit show_help(struct app_cli *cli, const char *word)
{
    const struct app_command *command = word ? command_find(word) : NULL;
    return word && !command ? refuse_command(cli, word) : print_help(cli, command);
}

/* Without a command it serves, and then the first word is an option of the server. */
static enum app_exit choose(struct app_cli *cli, int argc, char **argv)
{
    if (argc < 2) {
        return command_run(cli, &app_command_serve, 0, argv);
    }
    const char *word = argv[1];
    if (app_args_is_help(word)) {
        return print_help(cli, NULL);
    }
    if (strcmp(word, "help") == 0) {
        return show_help(cli, argc > 2 ? argv[2] : NULL);
    }
    if (strcmp(word, "--version") == 0) {
        return print_version(cli);
    }
    if (word[0] == '-') {
        return command_run(cli, &app_command_serve, argc - 1, argv + 1);
    }
    const struct app_command *command = command_find(word);
    if (!command) {
        return refuse_command(cli, word);
    }
    return command_run(cli, command, argc - 2, argv + 2);
}

enum app_exit app_cli_run(struct app_cli *cli, int argc, char **argv)
{
    enum app_exit status = choose(cli, argc, argv);
    bool complete = status == APP_EXIT_OK || status == APP_EXIT_INVALID;
    if (complete && app_output_close(cli) < 0) {
        return APP_EXIT_TROUBLE;
    }
    return status;
}
