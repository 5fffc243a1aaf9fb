/*
 * The command line: what a command is, and how one is chosen and run.
 *
 * A command is a constant: its texts, its options and a function. Choosing it,
 * reading its arguments, `--help` and the final look at standard output are
 * the same for all and happen outside of it.
 *
 * Functions of this room that can fail for a reason the user should know
 * report it on standard error themselves, once, and return a negative errno.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit status. What went wrong is for standard error to say. */
enum app_exit {
    APP_EXIT_OK = 0,
    APP_EXIT_INVALID = 1,     /* all could be read, and some of it is not valid */
    APP_EXIT_FAILED = 1,      /* of the server: something failed while it served */
    APP_EXIT_TROUBLE = 2,     /* wrong usage, unreadable or refused input, failed output */
    APP_EXIT_INTERRUPTED = 3, /* never a status: the process is to die of os_interrupt_signal() */
};

/** The world as a command sees it. */
struct app_cli {
    const char *command; /* for messages; NULL before one is chosen */
    int in_fd;
    int out_fd;
    int err_fd;
    bool colour;     /* messages may be coloured */
    bool out_colour; /* results may be */
    bool progress;   /* err_fd is a terminal on which a line can be drawn again and again */
};

/** An option of a command. */
struct app_option {
    const char *name; /* without the dashes; NULL ends the list */
    uint64_t flag;    /* bit in app_args.flags; names it for app_args_value() */
    const char *help;
    const char *value; /* what its value is, for --help: "FILE"; NULL: it has none */
    char letter;       /* 's' for "-s"; '\0': there is no short form */
    bool required;
    const char *variable;       /* of the environment, with the same meaning; NULL: there is none */
    const char *other_variable; /* another one, or the same; NULL: there is none */
    const char *fallback;       /* what holds without either; for --help; NULL or empty: nothing */
};

/*
 * Options with a value on one command line. Each --resolve, the only one that
 * is worth repeating, holds a directory open.
 */
#define APP_SETTINGS_MAX 64

struct app_setting {
    uint64_t flag;
    const char *value;
};

struct app_args {
    uint64_t flags;
    char **operands;
    size_t operand_count;
    struct app_setting settings[APP_SETTINGS_MAX]; /* in the order given */
    size_t setting_count;
};

struct app_command {
    const char *name;
    const char *synopsis; /* its operands: "BASE NEW" */
    const char *summary;  /* one line */
    const char *details;  /* paragraphs for its --help, ending with a newline */
    const struct app_option *options;
    size_t operand_min;
    size_t operand_max;
    enum app_exit (*run)(struct app_cli *cli, const struct app_args *args);
};

#define APP_COMMAND(name) extern const struct app_command app_command_##name;
#include "cli/commands.def"
#undef APP_COMMAND

/**
 * Choose and run a command.
 *
 * @param cli  Its out_fd is closed when a command succeeded: some errors of
 *             writing show only then.
 * @param argv As given to main(); operands are moved together in it.
 */
enum app_exit app_cli_run(struct app_cli *cli, int argc, char **argv);
