#include "dialect/prompts.h"

#include <string.h>

enum prompt_index {
#define PROMPT(constant, name, version, title, description, text) PROMPT_##constant,
#define PROMPT_ARGUMENT(constant, name, is_required, description)
#include "dialect/prompts.def"
#undef PROMPT
#undef PROMPT_ARGUMENT
    PROMPT_COUNT,
};

static const struct dialect_prompt prompts[PROMPT_COUNT] = {
#define PROMPT(constant, name, version, title, description, text)                                  \
    [PROMPT_##constant] = {                                                                        \
        JSV_STR(name),                                                                             \
        JSV_STR(name "@" version),                                                                 \
        JSV_STR(title),                                                                            \
        JSV_STR(description),                                                                      \
        JSV_STR(text)},
#define PROMPT_ARGUMENT(constant, name, is_required, description)
#include "dialect/prompts.def"
#undef PROMPT
#undef PROMPT_ARGUMENT
};

static const struct dialect_prompt_argument arguments_of[] = {
#define PROMPT(constant, name, version, title, description, text)
#define PROMPT_ARGUMENT(constant, name, is_required, description)                                  \
    {PROMPT_##constant, JSV_STR(name), JSV_STR(description), is_required},
#include "dialect/prompts.def"
#undef PROMPT
#undef PROMPT_ARGUMENT
};

const struct dialect_prompt *dialect_prompt_at(size_t index)
{
    return index < PROMPT_COUNT ? &prompts[index] : NULL;
}

const struct dialect_prompt *dialect_prompt_find(struct jsv_str name)
{
    for (size_t i = 0; i < PROMPT_COUNT; i++) {
        if (jsv_str_equal(prompts[i].name, name) || jsv_str_equal(prompts[i].id, name)) {
            return &prompts[i];
        }
    }
    return NULL;
}

const struct dialect_prompt_argument *
dialect_prompt_argument_at(const struct dialect_prompt *prompt, size_t index)
{
    for (size_t i = 0; i < sizeof(arguments_of) / sizeof(arguments_of[0]); i++) {
        if (&prompts[arguments_of[i].prompt] == prompt && index-- == 0) {
            return &arguments_of[i];
        }
    }
    return NULL;
}

/* The text between '{' and '}' at the beginning; empty when there is no such place. */
static struct jsv_str place_at(struct jsv_str text)
{
    const char *end =
        text.size > 0 && text.data[0] == '{' ? memchr(text.data, '}', text.size) : NULL;
    return end ? (struct jsv_str){text.data + 1, (size_t)(end - text.data - 1)}
               : (struct jsv_str){NULL, 0};
}

int dialect_prompt_write(
    const struct dialect_prompt *prompt, struct jsv_value arguments, struct jsv_buf *out)
{
    struct jsv_str rest = prompt->text;
    while (rest.size > 0) {
        struct jsv_str place = place_at(rest);
        struct jsv_value value = jsv_value_get(arguments, place);
        size_t used = 1;
        if (place.data && jsv_value_type(value) == JSV_TYPE_STRING) {
            jsv_buf_append_str(out, jsv_value_text(value));
            used = place.size + 2;
        } else {
            jsv_buf_append_byte(out, rest.data[0]);
        }
        rest = (struct jsv_str){rest.data + used, rest.size - used};
    }
    return out->error;
}
