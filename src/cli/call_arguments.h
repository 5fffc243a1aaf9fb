/*
 * The arguments of a tool, put together from words of the command line:
 *
 *     name=value     JSON if the tool's input schema allows that, else a string
 *     name:=JSON     JSON, whatever the schema says
 *     {"name": …}    all of them, as one object; alone
 */
#pragma once

#include <jsv/json.h>

/** Which word is wrong, and why: for people. */
struct call_fault {
    const char *word;
    char why[160];
};

/**
 * A misspelt argument: the first word NAME=VALUE or NAME:=JSON whose name the schema does not
 * have, while it has a similar one.
 *
 * @param ret_name       The name in the word.
 * @param ret_suggestion The name in the schema.
 * @return whether there is one.
 */
bool call_arguments_misspelt(
    char *const *words,
    size_t count,
    struct jsv_value schema,
    struct jsv_str *ret_name,
    struct jsv_str *ret_suggestion);

/**
 * Append the arguments, a JSON object, to out.
 *
 * @param schema The tool's input schema; of type NONE when it is not known.
 * @return 0; -EINVAL with a fault; -ENOMEM.
 */
int call_arguments_write(
    char *const *words,
    size_t count,
    struct jsv_value schema,
    struct jsv_buf *out,
    struct call_fault *reterr_fault);
