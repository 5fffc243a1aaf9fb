/*
 * The arguments of a tool from words of the command line:
 *
 *     name=value     JSON if the tool's input schema allows its type, else a string
 *     name:=JSON     always JSON
 *     {"name": …}    all arguments as one object, as the only word
 */
#pragma once

#include <jsv/json.h>

/** A wrong word. */
struct call_error {
    const char *word;
    char why[160];
};

/**
 * Find the first word whose name the schema does not have, while it has a similar one.
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
 * @return 0; -EINVAL with an error; -ENOMEM.
 */
int call_arguments_write(
    char *const *words,
    size_t count,
    struct jsv_value schema,
    struct jsv_buf *out,
    struct call_error *reterr_error);
