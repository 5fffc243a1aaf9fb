/*
 * Reading a command's arguments: flags anywhere, "--" ends them, "-" is an
 * operand and stands for standard input.
 */
#pragma once

#include <stdbool.h>

struct app_args;
struct app_cli;
struct app_command;

/** Set by --help and -h, which every command has; commands use the bits below. */
#define APP_FLAG_HELP (1u << 31)

bool app_args_is_help(const char *word);

/**
 * @param argv     What follows the command's name; the operands are moved to its front.
 * @param ret_args Borrows argv. When it asks for help, operands may be missing.
 * @return 0; -EINVAL when the arguments make no sense, reported.
 */
int app_args_parse(
    struct app_cli *cli,
    const struct app_command *command,
    int argc,
    char **argv,
    struct app_args *ret_args);
