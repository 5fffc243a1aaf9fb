#include "dialect/prompts.h"

#include <string.h>

#include "dialect/mcp/mcp.h"

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

/* The name in "{name}" at the beginning of a text; data NULL when it does not begin so. */
static struct jsv_str field_at(struct jsv_str text)
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
        struct jsv_str name = field_at(rest);
        struct jsv_value value = jsv_value_get(arguments, name);
        size_t used = 1;
        if (name.data && jsv_value_type(value) == JSV_TYPE_STRING) {
            jsv_buf_append_str(out, jsv_value_text(value));
            used = name.size + 2;
        } else {
            jsv_buf_append_byte(out, rest.data[0]);
        }
        rest = (struct jsv_str){rest.data + used, rest.size - used};
    }
    return out->error;
}

/* ---- descriptions ---- */

void dialect_write_prompt_arguments(struct jsv_writer *writer, const struct dialect_prompt *prompt)
{
    const struct dialect_prompt_argument *argument;
    jsv_write_member_array_begin(writer, JSV_STR("arguments"));
    for (size_t i = 0; (argument = dialect_prompt_argument_at(prompt, i)) != NULL; i++) {
        jsv_write_object_begin(writer);
        jsv_write_member_string(writer, JSV_STR("name"), argument->name);
        jsv_write_member_string(writer, JSV_STR("description"), argument->description);
        jsv_write_member_bool(writer, JSV_STR("required"), argument->is_required);
        jsv_write_object_end(writer);
    }
    jsv_write_array_end(writer);
}

void dialect_write_prompts(struct jsv_writer *writer)
{
    const struct dialect_prompt *prompt;
    jsv_write_member_array_begin(writer, JSV_STR("prompts"));
    for (size_t i = 0; (prompt = dialect_prompt_at(i)) != NULL; i++) {
        jsv_write_object_begin(writer);
        jsv_write_member_string(writer, JSV_STR("promptId"), prompt->id);
        jsv_write_member_string(writer, JSV_STR("title"), prompt->title);
        jsv_write_member_string(writer, JSV_STR("description"), prompt->description);
        dialect_write_prompt_arguments(writer, prompt);
        jsv_write_object_end(writer);
    }
    jsv_write_array_end(writer);
}

void dialect_write_user_message(struct jsv_writer *writer, struct jsv_str text)
{
    jsv_write_array_begin(writer);
    jsv_write_object_begin(writer);
    jsv_write_member_string(writer, JSV_STR("role"), JSV_STR("user"));
    jsv_write_member_object_begin(writer, JSV_STR("content"));
    jsv_write_member_string(writer, JSV_STR("type"), JSV_STR("text"));
    jsv_write_member_string(writer, JSV_STR("text"), text);
    jsv_write_object_end(writer);
    jsv_write_object_end(writer);
    jsv_write_array_end(writer);
}
