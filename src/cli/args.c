#include "cli/args.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/report.h"
#include "jsv/base/similar.h"

bool app_args_is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0';
}

/*
 * Whether a word is this option. What follows its name in the same word, an
 * "=" left out, goes to *ret_attached; NULL when nothing does.
 */
static bool is_this(const struct app_option *option, const char *word, const char **ret_attached)
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

static const struct app_option *
find_option(const struct app_command *command, const char *word, const char **ret_attached)
{
    for (const struct app_option *option = command->options; option->name; option++) {
        if (is_this(option, word, ret_attached)) {
            return option;
        }
    }
    return NULL;
}

/* Room for the longest name of an option, with its dashes. */
#define OPTION_SIZE_MAX 64

static int refuse(const struct app_cli *cli, const char *text, const struct app_option *option)
{
    char word[OPTION_SIZE_MAX];
    snprintf(word, sizeof(word), "--%s", option->name);
    app_report_usage(cli, text, word);
    return -EINVAL;
}

static int add_setting(
    struct app_cli *cli, struct app_args *args, const struct app_option *option, const char *value)
{
    if (args->setting_count == APP_SETTINGS_MAX) {
        return refuse(cli, "too many options; the limit is 64, refused:", option);
    }
    args->settings[args->setting_count++] = (struct app_setting){option->flag, value};
    return 0;
}

/* "--schema-dir=x": the name alone is what may be misspelt. */
static int refuse_unknown(struct app_cli *cli, const struct app_command *command, const char *word)
{
    struct jsv_str name = jsv_str_from(word);
    bool is_long = strncmp(word, "--", 2) == 0;
    if (is_long) {
        name = (struct jsv_str){word + 2, strcspn(word + 2, "=")};
    }
    struct jsv_similar similar = jsv_similar_to(name);
    for (const struct app_option *option = command->options; is_long && option->name; option++) {
        jsv_similar_try(&similar, jsv_str_from(option->name));
    }
    app_report_unknown(cli, "unknown option", word, "--", similar.best);
    return -EINVAL;
}

/*
 * Take an option.
 *
 * @param next What follows the word, NULL when nothing does.
 * @return words taken besides this one, 0 or 1; -EINVAL, reported.
 */
static int take_option(
    struct app_cli *cli,
    const struct app_command *command,
    const char *word,
    const char *next,
    struct app_args *args)
{
    if (app_args_is_help(word)) {
        args->flags |= APP_FLAG_HELP;
        return 0;
    }
    const char *attached;
    const struct app_option *option = find_option(command, word, &attached);
    if (!option) {
        return refuse_unknown(cli, command, word);
    }
    const char *wrong = NULL;
    if (!option->value && attached) {
        wrong = "this option takes no value:";
    } else if (option->value && !attached && !next) {
        wrong = "this option needs a value:";
    }
    if (wrong) {
        app_report_usage(cli, wrong, word);
        return -EINVAL;
    }
    args->flags |= option->flag;
    if (!option->value) {
        return 0;
    }
    int r = add_setting(cli, args, option, attached ? attached : next);
    return r < 0 ? r : !attached;
}

/* Sort the words into options and operands. */
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
        const char *next = i + 1 < argc ? args->operands[i + 1] : NULL;
        int taken = take_option(cli, command, word, next, args);
        if (taken < 0) {
            return taken;
        }
        i += taken;
    }
    return 0;
}

static int
check_options(struct app_cli *cli, const struct app_command *command, const struct app_args *args)
{
    for (const struct app_option *option = command->options; option->name; option++) {
        if (option->required && !(args->flags & option->flag)) {
            return refuse(cli, "missing option", option);
        }
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
        app_report_usage(
            cli, "standard input can be read only once; more than one operand is", "-");
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
        r = check_options(cli, command, &args);
        if (r == 0) {
            r = check_operands(cli, command, &args);
        }
    }
    if (r == 0) {
        *ret_args = args;
    }
    return r;
}

const char *app_args_next_value(const struct app_args *args, uint64_t flag, size_t *position)
{
    while (*position < args->setting_count) {
        const struct app_setting *setting = &args->settings[(*position)++];
        if (setting->flag == flag) {
            return setting->value;
        }
    }
    return NULL;
}

const char *app_args_value(const struct app_args *args, uint64_t flag)
{
    const char *last = NULL;
    const char *value;
    size_t position = 0;
    while ((value = app_args_next_value(args, flag, &position)) != NULL) {
        last = value;
    }
    return last;
}
