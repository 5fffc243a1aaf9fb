/*
 * The built-in prompts (prompts.def), for all dialects.
 */
#pragma once

#include <jsv/json.h>

struct dialect_prompt {
    struct jsv_str name; /* "repair_asset" */
    struct jsv_str id;   /* with its version: "repair_asset@1" */
    struct jsv_str title;
    struct jsv_str description;
    struct jsv_str text; /* with {fields} for arguments */
};

struct dialect_prompt_argument {
    size_t prompt; /* index of the prompt it belongs to */
    struct jsv_str name;
    struct jsv_str description;
    bool is_required;
};

/** NULL after the last. */
const struct dialect_prompt *dialect_prompt_at(size_t index);
/** By name or id, or NULL. */
const struct dialect_prompt *dialect_prompt_find(struct jsv_str name);
/** NULL after the last. */
const struct dialect_prompt_argument *
dialect_prompt_argument_at(const struct dialect_prompt *prompt, size_t index);

/**
 * Append the text with {fields} replaced by arguments.
 *
 * @param arguments An object of strings, or NONE. A field without an argument stays as it
 *                  is: {schema}.
 * @return 0, or the buffer's sticky error.
 */
int dialect_prompt_write(
    const struct dialect_prompt *prompt, struct jsv_value arguments, struct jsv_buf *out);

/** "arguments":[{name, description, required}] */
void dialect_write_prompt_arguments(struct jsv_writer *writer, const struct dialect_prompt *prompt);
/** "prompts":[{promptId, title, description, arguments}] */
void dialect_write_prompts(struct jsv_writer *writer);
/** The array of messages [{"role":"user","content":{"type":"text","text":…}}]. */
void dialect_write_user_message(struct jsv_writer *writer, struct jsv_str text);
