/*
 * The command line: commands, their options and arguments.
 *
 * A command is a constant: its texts, its options and a function. Choosing a
 * command, parsing its arguments, --help and closing standard output are the
 * same for all of them and happen here.
 *
 * Functions of this folder whose failure a user should know about print the
 * reason to standard error themselves, once, and return a negative errno; their
 * headers say "a reported error".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/config.h"
#include "app/serve.h"

struct app_content;

/** The surroundings of a command. */
struct cli {
    const char *command; /* for messages; NULL before one is chosen */
    int in_fd;
    int out_fd;
    int err_fd;
    bool colour;     /* messages may be coloured */
    bool out_colour; /* results may be coloured */
    bool progress;   /* err_fd is a terminal that can redraw a line */
};

/* ---- options ---- */

/** Every option of options.def has a bit of its own; the settings of env.def follow. */
enum cli_option_id {
#define CLI_OPTION(id, ...) CLI_ID_##id,
#include "cli/options.def"
    CLI_ID_SETTINGS,
    CLI_ID_HELP = 63, /* --help and -h, which every command has */
};

_Static_assert(CLI_ID_SETTINGS + APP_SETTING_COUNT <= CLI_ID_HELP, "a bit for each option");

#define CLI_FLAG(id_)           (UINT64_C(1) << CLI_ID_##id_)
#define CLI_SETTING_FLAG(name_) (CLI_FLAG(SETTINGS) << APP_SETTING_##name_)

struct cli_option {
    const char *name;  /* without the dashes; NULL ends the list */
    char letter;       /* 's' for "-s"; 0: no short form */
    const char *value; /* name of its value for --help: "FILE"; NULL: it has none */
    uint64_t flag;     /* bit in cli_args.flags */
    const char *help;
    const char *variable;       /* environment variable with the same meaning; or NULL */
    const char *other_variable; /* a second one, or the same; or NULL */
    const char *fallback;       /* default, for --help; or NULL */
};

/** A row of options.def as an element of a command's options. */
#define CLI_OPTION_ROW(id_, name_, letter_, value_, help_)                                         \
    {(name_), (letter_), (value_), CLI_FLAG(id_), (help_), NULL, NULL, NULL},

/** A row of env.def as an element of a command's options. */
#define CLI_SETTING_ROW(id_, field_, kind_, variable_, name_, value_, fallback_, help_)            \
    {(name_),                                                                                      \
     0,                                                                                            \
     (value_),                                                                                     \
     CLI_SETTING_FLAG(id_),                                                                        \
     (help_),                                                                                      \
     APP_SETTING_VARIABLE(id_),                                                                    \
     (variable_),                                                                                  \
     (fallback_)},

/* ---- arguments ---- */

/* Values on one command line. Only --resolve is worth repeating, and each keeps a directory open.
 */
#define CLI_VALUES_MAX 64

struct cli_value {
    uint64_t flag;
    const char *value;
};

struct cli_args {
    uint64_t flags;
    char **operands;
    size_t operand_count;
    struct cli_value values[CLI_VALUES_MAX]; /* in the order given */
    size_t value_count;
};

struct cli_command {
    const char *name;
    const char *synopsis; /* its operands: "BASE NEW" */
    const char *summary;  /* one line */
    const char *details;  /* paragraphs for --help, ending with a newline */
    const struct cli_option *options;
    size_t operand_min;
    size_t operand_max;
    enum app_exit (*run)(struct cli *cli, const struct cli_args *args);
};

#define CLI_COMMAND(name) extern const struct cli_command cli_command_##name;
#include "cli/commands.def"
#undef CLI_COMMAND

/**
 * Parse the arguments of a command. Options may be anywhere, "--" ends them, "-" is an operand. An
 * option's value is the next word or the rest of its own: "--format json", "--format=json",
 * "-s FILE", "-sFILE".
 *
 * @param argv     The words after the command's name; operands are moved to its front.
 * @param ret_args Borrows argv. If help is asked for, operands may be missing.
 * @return 0; -EINVAL, a reported error.
 */
int cli_args_parse(
    struct cli *cli,
    const struct cli_command *command,
    int argc,
    char **argv,
    struct cli_args *ret_args);

/** The value of an option, the last one if it was repeated; NULL when it was not given. */
const char *cli_args_value(const struct cli_args *args, uint64_t flag);

/**
 * The values of a repeatable option, in the order given.
 * @param position 0 at first.
 * @return the next value; NULL at the end.
 */
const char *cli_args_next_value(const struct cli_args *args, uint64_t flag, size_t *position);

/**
 * The value of an option that takes one of several words.
 *
 * @param name  "--format", for the message.
 * @param words Ended by NULL; the first is the default.
 * @return the index of the word; -EINVAL, a reported error.
 */
int cli_args_choice(
    const struct cli *cli,
    const struct cli_args *args,
    uint64_t flag,
    const char *name,
    const char *const *words);

/** The first operand, or "-" for standard input when there is none. */
char *cli_args_input(const struct cli_args *args);

/* ---- help ---- */

/** Append the help of the program, or of one command. An error sticks to the buffer. */
void cli_help_program(
    struct jsv_buf *text,
    const struct cli_command *const *commands,
    size_t count,
    const struct cli_option *server_options);
void cli_help_command(struct jsv_buf *text, const struct cli_command *command);

/* ---- running ---- */

/**
 * Choose and run a command.
 *
 * @param cli  out_fd is closed after a success, because some write errors show only then.
 * @param argv As given to main(); operands are moved in it.
 */
enum app_exit cli_run(struct cli *cli, int argc, char **argv);

/** The settings among the arguments, in the form app_config_read() takes. */
struct app_config_args cli_config_args(const struct cli_args *args);

/** Read the settings. @return 0; -EINVAL, a reported error. */
int cli_config_read(struct cli *cli, const struct cli_args *args, struct app_config *ret_config);

/** Read the content into an initialised struct. @return 0, or a reported error. */
int cli_content_read(struct cli *cli, struct app_content *content);

/** Watch for signals during long work (os/interrupt.h). @return 0, or a reported error. */
int cli_interrupt_begin(const struct cli *cli);

/**
 * End it.
 * @param r Result of the work: 0 or a reported error. After -EINTR the signal stays noted, because
 *          main() dies of it.
 * @return APP_EXIT_OK when the command decides on the status.
 */
enum app_exit cli_interrupt_end(int r);
