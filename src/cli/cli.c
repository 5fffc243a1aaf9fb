#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <jsv/jsv.h>

#include "app/content.h"
#include "cli/io.h"
#include "cli/report.h"
#include "jsv/base/similar.h"
#include "os/interrupt.h"
#include "os/sys.h"

/* ---- arguments ---- */

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0';
}

/* Whether a word is this option. @param ret_attached A value in the same word, or NULL. */
static bool matches(const struct cli_option *option, const char *word, const char **ret_attached)
{
    const char *rest = NULL;
    if (strncmp(word, "--", 2) == 0) {
        size_t size = strlen(option->name);
        if (strncmp(word + 2, option->name, size) == 0) {
            rest = word + 2 + size;
        }
        if (!rest || (*rest != '\0' && *rest != '=')) {
            return false;
        }
        *ret_attached = *rest == '=' ? rest + 1 : NULL;
        return true;
    }
    if (option->letter == '\0' || word[1] != option->letter) {
        return false;
    }
    *ret_attached = word[2] != '\0' ? word + 2 : NULL;
    return true;
}

static const struct cli_option *
find_option(const struct cli_command *command, const char *word, const char **ret_attached)
{
    for (const struct cli_option *option = command->options; option->name; option++) {
        if (matches(option, word, ret_attached)) {
            return option;
        }
    }
    return NULL;
}

/* Suggests the most similar option. */
static int refuse_unknown(struct cli *cli, const struct cli_command *command, const char *word)
{
    struct jsv_str name = jsv_str_from(word);
    bool is_long = strncmp(word, "--", 2) == 0;
    if (is_long) {
        name = (struct jsv_str){word + 2, strcspn(word + 2, "=")};
    }
    struct jsv_similar similar = jsv_similar_to(name);
    for (const struct cli_option *option = command->options; is_long && option->name; option++) {
        jsv_similar_try(&similar, jsv_str_from(option->name));
    }
    cli_report_unknown(cli, "unknown option", word, "--", similar.best);
    return -EINVAL;
}

/*
 * Parse one option.
 * @param next The next word, or NULL.
 * @return how many further words it took, 0 or 1; -EINVAL, reported.
 */
static int parse_option(
    struct cli *cli,
    const struct cli_command *command,
    const char *word,
    const char *next,
    struct cli_args *args)
{
    if (is_help(word)) {
        args->flags |= CLI_FLAG(HELP);
        return 0;
    }
    const char *attached;
    const struct cli_option *option = find_option(command, word, &attached);
    if (!option) {
        return refuse_unknown(cli, command, word);
    }
    const char *wrong = NULL;
    if (!option->value && attached) {
        wrong = "this option takes no value:";
    } else if (option->value && !attached && !next) {
        wrong = "this option needs a value:";
    } else if (option->value && args->value_count == CLI_VALUES_MAX) {
        wrong = "too many options with a value; the limit is 64, at";
    }
    if (wrong) {
        cli_report_usage(cli, wrong, word);
        return -EINVAL;
    }
    args->flags |= option->flag;
    if (!option->value) {
        return 0;
    }
    args->values[args->value_count++] =
        (struct cli_value){option->flag, attached ? attached : next};
    return !attached;
}

/* Options are parsed, operands moved to the front. */
static int
parse_words(struct cli *cli, const struct cli_command *command, int argc, struct cli_args *args)
{
    bool options_end = false;
    for (int i = 0; i < argc; i++) {
        char *word = args->operands[i];
        if (options_end || !is_option(word)) {
            args->operands[args->operand_count++] = word;
            continue;
        }
        if (strcmp(word, "--") == 0) {
            options_end = true;
            continue;
        }
        const char *next = i + 1 < argc ? args->operands[i + 1] : NULL;
        int taken = parse_option(cli, command, word, next, args);
        if (taken < 0) {
            return taken;
        }
        i += taken;
    }
    return 0;
}

static int
check_operands(struct cli *cli, const struct cli_command *command, const struct cli_args *args)
{
    if (args->operand_count < command->operand_min) {
        cli_report_usage(cli, "missing operand, expected", command->synopsis);
        return -EINVAL;
    }
    if (args->operand_count > command->operand_max) {
        cli_report_usage(cli, "unexpected operand", args->operands[command->operand_max]);
        return -EINVAL;
    }
    size_t dashes = 0;
    for (size_t i = 0; i < args->operand_count; i++) {
        dashes += strcmp(args->operands[i], "-") == 0;
    }
    if (dashes > 1) {
        cli_report_usage(
            cli, "standard input can be read only once; more than one operand is", "-");
        return -EINVAL;
    }
    return 0;
}

int cli_args_parse(
    struct cli *cli,
    const struct cli_command *command,
    int argc,
    char **argv,
    struct cli_args *ret_args)
{
    struct cli_args args = {.operands = argv};
    int r = parse_words(cli, command, argc, &args);
    if (r == 0 && !(args.flags & CLI_FLAG(HELP))) {
        r = check_operands(cli, command, &args);
    }
    if (r == 0) {
        *ret_args = args;
    }
    return r;
}

const char *cli_args_next_value(const struct cli_args *args, uint64_t flag, size_t *position)
{
    while (*position < args->value_count) {
        const struct cli_value *given = &args->values[(*position)++];
        if (given->flag == flag) {
            return given->value;
        }
    }
    return NULL;
}

const char *cli_args_value(const struct cli_args *args, uint64_t flag)
{
    const char *last = NULL;
    const char *value;
    size_t position = 0;
    while ((value = cli_args_next_value(args, flag, &position)) != NULL) {
        last = value;
    }
    return last;
}

int cli_args_choice(
    const struct cli *cli,
    const struct cli_args *args,
    uint64_t flag,
    const char *name,
    const char *const *words)
{
    const char *value = cli_args_value(args, flag);
    for (int i = 0; words[i]; i++) {
        if (!value || strcmp(value, words[i]) == 0) {
            return i;
        }
    }
    struct cli_message message;
    cli_message_init(&message, false);
    cli_message_printf(&message, "%s: expected ", name);
    for (size_t i = 0; words[i]; i++) { /* "text, json, basic or github" */
        cli_message_printf(&message, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
    }
    cli_message_put(&message, ", not");
    cli_report_usage(cli, cli_message_text(&message), value);
    return -EINVAL;
}

char *cli_args_input(const struct cli_args *args)
{
    static char standard_input[] = "-";
    return args->operand_count > 0 ? args->operands[0] : standard_input;
}

/* ---- help ---- */

/* Minimum width of the column of names. */
#define COLUMN_MIN 14

static void put(struct jsv_buf *text, const char *string)
{
    jsv_buf_append_str(text, jsv_str_from(string));
}

/* Pad the row that began at start to a column, with one blank at least; append the help. */
static void put_help(struct jsv_buf *text, size_t start, size_t column, const char *help)
{
    do {
        put(text, " ");
    } while (text->error == 0 && text->size < start + column);
    put(text, help);
    put(text, "\n");
}

/* "  name        help" */
static void put_command(struct jsv_buf *text, const struct cli_command *command)
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
static void put_variable(struct jsv_buf *text, const struct cli_option *option, size_t column)
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

/* "  -s, --schema FILE  help" */
static void put_option(struct jsv_buf *text, const struct cli_option *option, size_t column)
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

/* The column of the help texts: two blanks after the longest option. */
static size_t option_column(const struct cli_option *options)
{
    size_t column = COLUMN_MIN;
    for (const struct cli_option *option = options; option->name; option++) {
        size_t width = strlen("  --  ") + strlen(option->name);
        width += option->letter ? strlen("-s, ") : 0;
        width += option->value ? 1 + strlen(option->value) : 0;
        column = width > column ? width : column;
    }
    return column;
}

static void put_options(struct jsv_buf *text, const struct cli_option *options, size_t column)
{
    for (const struct cli_option *option = options; option->name; option++) {
        put_option(text, option, column);
    }
}

void cli_help_program(
    struct jsv_buf *text,
    const struct cli_command *const *commands,
    size_t count,
    const struct cli_option *server_options)
{
    static const struct cli_option options[] = {
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
        "\nServer options, with the environment variables that mean the same (an option wins):\n");
    put_options(text, server_options, option_column(server_options));
    put(text,
        "\nExit status:\n"
#define APP_EXIT(name, value, meaning) "  " #value "  " meaning "\n"
#include "app/exit.def"
#undef APP_EXIT
        "Messages are coloured on a terminal unless NO_COLOR is set.\n");
}

void cli_help_command(struct jsv_buf *text, const struct cli_command *command)
{
    static const struct cli_option help[] = {
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

/* ---- settings, content, signals ---- */

struct app_config_args cli_config_args(const struct cli_args *args)
{
    struct app_config_args config_args = {
        .socket = cli_args_value(args, CLI_FLAG(SERVE_SOCKET)),
        .http = cli_args_value(args, CLI_FLAG(SERVE_HTTP)),
        .stdio = args->flags & CLI_FLAG(SERVE_STDIO),
        .watch = args->flags & CLI_FLAG(SERVE_WATCH),
        .insecure = args->flags & CLI_FLAG(SERVE_INSECURE),
        .random_ids = args->flags & CLI_FLAG(SERVE_RANDOM_IDS),
        .assert_format = args->flags & CLI_FLAG(SERVE_ASSERT_FORMAT),
    };
    for (size_t i = 0; i < APP_SETTING_COUNT; i++) {
        config_args.values[i] = cli_args_value(args, CLI_FLAG(SETTINGS) << i);
    }
    return config_args;
}

int cli_config_read(struct cli *cli, const struct cli_args *args, struct app_config *ret_config)
{
    const struct app_config_args config_args = cli_config_args(args);
    struct app_config_error error;
    int r = app_config_read(&config_args, ret_config, &error);
    if (r < 0) {
        cli_report(cli, error.text);
    }
    return r;
}

int cli_content_read(struct cli *cli, struct app_content *content)
{
    char error[APP_CONTENT_ERROR_SIZE];
    int r = app_content_read(content, error);
    if (r < 0) {
        cli_report(cli, error);
    }
    return r;
}

int cli_interrupt_begin(const struct cli *cli)
{
    int r = os_interrupt_watch();
    if (r < 0) {
        cli_report_errno(cli, "cannot watch for signals", r);
    }
    return r;
}

enum app_exit cli_interrupt_end(int r)
{
    if (r == -EINTR) {
        return APP_EXIT_INTERRUPTED;
    }
    os_interrupt_unwatch();
    return r < 0 ? APP_EXIT_TROUBLE : APP_EXIT_OK;
}

/* ---- commands ---- */

static const struct cli_command *const commands[] = {
#define CLI_COMMAND(name) &cli_command_##name,
#include "cli/commands.def"
#undef CLI_COMMAND
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static const struct cli_command *command_find(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

/* Far more than the longest help text. */
#define HELP_SIZE_MAX ((size_t)64 * 1024)

/* @param command NULL for the help of the program as a whole. */
static enum app_exit print_help(struct cli *cli, const struct cli_command *command)
{
    struct jsv_buf text;
    jsv_buf_init(&text, os_allocator(), HELP_SIZE_MAX);
    if (command) {
        cli_help_command(&text, command);
    } else {
        cli_help_program(&text, commands, COMMAND_COUNT, cli_command_serve.options);
    }
    int r = cli_output_buf(cli, &text);
    jsv_buf_done(&text);
    return r < 0 ? APP_EXIT_TROUBLE : APP_EXIT_OK;
}

static enum app_exit
command_run(struct cli *cli, const struct cli_command *command, int argc, char **argv)
{
    struct cli_args args = {0};
    cli->command = command->name;
    if (cli_args_parse(cli, command, argc, argv, &args) != 0) {
        return APP_EXIT_TROUBLE;
    }
    if (args.flags & CLI_FLAG(HELP)) {
        return print_help(cli, command);
    }
    return command->run(cli, &args);
}

static enum app_exit refuse_command(struct cli *cli, const char *word)
{
    struct jsv_similar similar = jsv_similar_to(jsv_str_from(word));
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        jsv_similar_try(&similar, jsv_str_from(commands[i]->name));
    }
    jsv_similar_try(&similar, JSV_STR("help"));
    cli_report_unknown(cli, "unknown command", word, "", similar.best);
    return APP_EXIT_TROUBLE;
}

/* Without a command, the words are options of serve. */
static enum app_exit choose(struct cli *cli, int argc, char **argv)
{
    if (argc < 2) {
        return command_run(cli, &cli_command_serve, 0, argv);
    }
    const char *word = argv[1];
    if (is_help(word)) {
        return print_help(cli, NULL);
    }
    if (strcmp(word, "help") == 0) {
        const struct cli_command *about = argc > 2 ? command_find(argv[2]) : NULL;
        return argc > 2 && !about ? refuse_command(cli, argv[2]) : print_help(cli, about);
    }
    if (strcmp(word, "--version") == 0) {
        int r = cli_output_write(cli, JSV_STR("mcpgate " MCPGATE_VERSION "\n"));
        return r < 0 ? APP_EXIT_TROUBLE : APP_EXIT_OK;
    }
    if (word[0] == '-') {
        return command_run(cli, &cli_command_serve, argc - 1, argv + 1);
    }
    const struct cli_command *command = command_find(word);
    if (!command) {
        return refuse_command(cli, word);
    }
    return command_run(cli, command, argc - 2, argv + 2);
}

enum app_exit cli_run(struct cli *cli, int argc, char **argv)
{
    enum app_exit status = choose(cli, argc, argv);
    bool complete = status == APP_EXIT_OK || status == APP_EXIT_INVALID;
    if (complete && cli_output_close(cli) < 0) {
        return APP_EXIT_TROUBLE;
    }
    return status;
}
