/*
 * The file, arguments and environment of a program.
 *
 * There is no shell. Without an "arguments" member in the descriptor the call's
 * arguments go to standard input as one JSON object, byte for byte. With it
 * they become program arguments by a template:
 *
 *     "arguments": ["--verbose", ["--name={name}"], "--", "{files}"]
 *
 * A name in braces is replaced by the call's argument of that name: a string as
 * it is, a number or boolean as it was written, anything else as JSON. Other
 * braces are ordinary text. A text whose argument is missing or null is left
 * out, and with it the whole group (array) it is in. A text that is only a name
 * becomes one argument for each element of an array. Where a text begins with a
 * value, or with dashes and then a value, that value must not begin with "-",
 * because it could be taken for an option. It may do so after a text of the
 * template that is "--" and was not left out; a "--" in "command" or from a
 * value does not count.
 */
#pragma once

#include "envelope/issue.h"
#include "os/sys.h"

struct tool_call;

/* Arguments of one program: more than needed, less than the limit of Linux. */
#define COMMAND_ARGUMENTS_MAX 1024

struct command_line {
    struct os_spawn program; /* in the call's scratch memory; without fds */
    struct jsv_str input;    /* for standard input */
};

/**
 * @param reterr_failure When it is the descriptor's or the values' fault.
 * @return 0; 1 when the failure says why it cannot be started; -ENOMEM.
 */
int command_line_make(
    const struct tool_call *call,
    struct command_line *ret_line,
    struct envelope_issue *reterr_failure);

/** "{name}" at the beginning of a text. @return its length; 0 when there is none. */
size_t command_line_placeholder(struct jsv_str text, struct jsv_str *ret_name);
