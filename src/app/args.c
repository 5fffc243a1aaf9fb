#include "app/args.h"

#include <errno.h>
#include <string.h>

#include "app/cli.h"
#include "app/report.h"

bool app_args_is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0';
}

/* The bit of a flag; 0 when the command has no such flag. */
static unsigned flag_of(const struct app_command *command, const char *word)
{
    if (app_args_is_help(word)) {
        return APP_FLAG_HELP;
    }
    if (strncmp(word, "--", 2) != 0) {
        return 0;
    }
    for (const struct app_option *option = command->options; option->name; option++) {
        if (strcmp(word + 2, option->name) == 0) {
            return option->flag;
        }
    }
    return 0;
}

/* Sort the words into flags and operands. */
static int
sort_words(struct app_cli *cli, const struct app_command *command, int argc, struct app_args *args)
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
        unsigned flag = flag_of(command, word);
        if (flag == 0) {
            app_report_usage(cli, "unknown option", word);
            return -EINVAL;
        }
        args->flags |= flag;
    }
    return 0;
}

static int
check_operands(struct app_cli *cli, const struct app_command *command, const struct app_args *args)
{
    if (args->operand_count < command->operand_min) {
        app_report_usage(cli, "missing operand, expected", command->synopsis);
        return -EINVAL;
    }
    if (args->operand_count > command->operand_max) {
        app_report_usage(cli, "unexpected operand", args->operands[command->operand_max]);
        return -EINVAL;
    }
    size_t dashes = 0;
    for (size_t i = 0; i < args->operand_count; i++) {
        dashes += strcmp(args->operands[i], "-") == 0;
    }
    if (dashes > 1) {
        app_report_usage(cli, "standard input can be read only once, but there is another", "-");
        return -EINVAL;
    }
    return 0;
}

int app_args_parse(
    struct app_cli *cli,
    const struct app_command *command,
    int argc,
    char **argv,
    struct app_args *ret_args)
{
    struct app_args args = {.operands = argv};
    int r = sort_words(cli, command, argc, &args);
    if (r == 0 && !(args.flags & APP_FLAG_HELP)) {
        r = check_operands(cli, command, &args);
    }
    if (r == 0) {
        *ret_args = args;
    }
    return r;
}
