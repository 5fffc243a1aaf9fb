/*
 * The prompts the server offers (prompts.def), whatever dialect asks for them.
 */
#pragma once

#include <jsv/json.h>

struct dialect_prompt {
    struct jsv_str name; /* "repair_asset" */
    struct jsv_str id;   /* with its version: "repair_asset@1" */
    struct jsv_str title;
    struct jsv_str description;
    struct jsv_str text; /* with {places} for arguments */
};

struct dialect_prompt_argument {
    size_t prompt; /* index of the prompt it belongs to */
    struct jsv_str name;
    struct jsv_str description;
    bool is_required;
};

/** NULL after the last. */
const struct dialect_prompt *dialect_prompt_at(size_t index);
/** By name or id; NULL when there is none. */
const struct dialect_prompt *dialect_prompt_find(struct jsv_str name);
/** NULL after the last. */
const struct dialect_prompt_argument *
dialect_prompt_argument_at(const struct dialect_prompt *prompt, size_t index);

/**
 * Append the text with the arguments put in.
 *
 * @param arguments An object of strings, or NONE. A place whose argument is not there stays as
 *                  it is: {schema}.
 * @return 0, or the buffer's sticky error.
 */
int dialect_prompt_write(
    const struct dialect_prompt *prompt, struct jsv_value arguments, struct jsv_buf *out);
