/*
 * The help texts, made from the tables of commands and options.
 */
#pragma once

#include <stddef.h>

struct app_command;
struct app_option;
struct jsv_buf;

/**
 * Append what the program is, which commands it has, and how it serves.
 * Failure sticks to the buffer.
 */
void app_help_program(
    struct jsv_buf *text,
    const struct app_command *const *commands,
    size_t count,
    const struct app_option *server_options);

/** Append how one command is used. Failure sticks to the buffer. */
void app_help_command(struct jsv_buf *text, const struct app_command *command);
