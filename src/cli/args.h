/*
 * Reading a command's arguments: options anywhere, "--" ends them, "-" is an
 * operand and stands for standard input. An option's value is the next word,
 * or the rest of its own: "--format json", "--format=json", "-s FILE", "-sFILE".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct app_args;
struct app_cli;
struct app_command;

/** Set by --help and -h, which every command has; commands use the bits below. */
#define APP_FLAG_HELP (UINT64_C(1) << 63)

bool app_args_is_help(const char *word);

/**
 * @param argv     What follows the command's name; the operands are moved to its front.
 * @param ret_args Borrows argv. When it asks for help, operands and required options may be
 *                 missing.
 * @return 0; -EINVAL when the arguments make no sense, reported.
 */
int app_args_parse(
    struct app_cli *cli,
    const struct app_command *command,
    int argc,
    char **argv,
    struct app_args *ret_args);

/** The value an option was given, the last one if several times; NULL when it was not. */
const char *app_args_value(const struct app_args *args, uint64_t flag);

/**
 * The values of an option that may be repeated, in the order given.
 * @param position 0 at first.
 * @return the next value; NULL when there is none.
 */
const char *app_args_next_value(const struct app_args *args, uint64_t flag, size_t *position);
