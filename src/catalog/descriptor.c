#include "catalog/descriptor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "catalog/headers.h"
#include "jsv/base/ascii.h"
#include "jsv/base/similar.h"
#include "jsv/base/utf8.h"

/* Of a member's name in a message: enough to find it. */
#define NAME_SHOWN_MAX 64

/* A message with two names. */
#define MESSAGE_SIZE 256

/* ---- kinds of values ---- */

static bool is_name(struct jsv_value value)
{
    struct jsv_str name = jsv_value_text(value);
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        if (!jsv_is_alnum(c) && c != '_' && c != '-' && c != '.') {
            return false;
        }
    }
    return name.size > 0 && name.size <= CATALOG_TOOL_NAME_MAX;
}

static bool is_text(struct jsv_value value)
{
    return jsv_value_type(value) == JSV_TYPE_STRING;
}

static bool is_object(struct jsv_value value)
{
    return jsv_value_type(value) == JSV_TYPE_OBJECT;
}

static bool is_boolean(struct jsv_value value)
{
    return jsv_value_type(value) == JSV_TYPE_BOOLEAN;
}

static bool is_positive(struct jsv_value value)
{
    int64_t number;
    return jsv_value_int64(value, &number) == 0 && number > 0;
}

/* A text that a program can be given: the kernel's end with a NUL. */
static bool is_plain(struct jsv_value value)
{
    struct jsv_str text = jsv_value_text(value);
    return text.data && (text.size == 0 || !memchr(text.data, 0, text.size));
}

static bool are_plain(struct jsv_value array)
{
    struct jsv_iter iter = jsv_value_iter(array);
    bool plain = jsv_value_type(array) == JSV_TYPE_ARRAY;
    while (plain && jsv_iter_next(&iter)) {
        plain = is_plain(iter.value);
    }
    return plain;
}

static bool is_command(struct jsv_value command)
{
    return are_plain(command) && jsv_value_text(jsv_value_at(command, 0)).size > 0;
}

/* Texts, and groups of texts. */
static bool is_template(struct jsv_value template)
{
    struct jsv_iter iter = jsv_value_iter(template);
    bool fits = jsv_value_type(template) == JSV_TYPE_ARRAY;
    while (fits && jsv_iter_next(&iter)) {
        fits = is_plain(iter.value) || are_plain(iter.value);
    }
    return fits;
}

static bool is_output(struct jsv_value output)
{
    struct jsv_str kind = jsv_value_text(output);
    return jsv_str_equal(kind, JSV_STR("json")) || jsv_str_equal(kind, JSV_STR("text")) ||
           jsv_str_equal(kind, JSV_STR("envelope"));
}

/* ---- members ---- */

static const struct member {
    const char *name;
    bool is_required;
    bool (*fits)(struct jsv_value value);
    const char *expected;
} members[] = {
    {"name", true, is_name, "1 to 128 of A-Z a-z 0-9 _ - ."},
    {"description", true, is_text, "a string"},
    {"title", false, is_text, "a string"},
    {"inputSchema", true, is_object, "an object"},
    {"outputSchema", false, is_object, "an object"},
    {"annotations", false, is_object, "an object"},
    {"version", false, is_text, "a string"},
    {"command", true, is_command, "an array of strings, and not empty"},
    {"arguments", false, is_template, "an array of strings, and arrays of strings"},
    {"environment", false, are_plain, "an array of strings"},
    {"working_directory", false, is_plain, "a string"},
    {"output", false, is_output, "json, text or envelope"},
    {"timeout_ms", false, is_positive, "a positive integer"},
    {"max_output_bytes", false, is_positive, "a positive integer"},
    {"new_privileges", false, is_boolean, "true or false"},
};

#define MEMBER_COUNT (sizeof(members) / sizeof(members[0]))

static const char *make_message(struct jsv_arena *arena, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = jsv_arena_alloc(arena, size);
    return copy ? memcpy(copy, text, size) : "out of memory";
}

static const char *check_members(struct jsv_value descriptor, struct jsv_arena *arena)
{
    char text[MESSAGE_SIZE];
    for (size_t i = 0; i < MEMBER_COUNT; i++) {
        const struct member *member = &members[i];
        struct jsv_value value = jsv_value_get(descriptor, jsv_str_from(member->name));
        bool is_missing = jsv_value_type(value) == JSV_TYPE_NONE;
        if (is_missing ? !member->is_required : member->fits(value)) {
            continue;
        }
        snprintf(
            text,
            sizeof(text),
            "\"%s\" %s%s",
            member->name,
            is_missing ? "is missing" : "must be ",
            is_missing ? "" : member->expected);
        return make_message(arena, text);
    }
    return NULL;
}

/* Whether a name is for others: "$schema", "$comment", "_note", "x-owner". */
static bool is_for_others(struct jsv_str name)
{
    return jsv_str_equal(name, JSV_STR("$schema")) || jsv_str_equal(name, JSV_STR("$comment")) ||
           (name.size > 0 && name.data[0] == '_') ||
           (name.size > 1 && name.data[0] == 'x' && name.data[1] == '-');
}

static bool is_known(struct jsv_str name)
{
    bool known = is_for_others(name);
    for (size_t i = 0; i < MEMBER_COUNT && !known; i++) {
        known = jsv_str_equal(name, jsv_str_from(members[i].name));
    }
    return known;
}

/* 'unknown member "timout_ms"; did you mean "timeout_ms"?' */
static const char *refuse_member(struct jsv_str name, struct jsv_arena *arena)
{
    struct jsv_similar similar = jsv_similar_to(name);
    for (size_t i = 0; i < MEMBER_COUNT; i++) {
        jsv_similar_try(&similar, jsv_str_from(members[i].name));
    }
    struct jsv_str shown = {name.data, name.size < NAME_SHOWN_MAX ? name.size : NAME_SHOWN_MAX};
    char text[MESSAGE_SIZE];
    snprintf(
        text,
        sizeof(text),
        "unknown member \"%.*s\"%s%.*s%s",
        (int)jsv_utf8_valid_prefix(shown),
        shown.size > 0 ? shown.data : "",
        similar.best.size > 0 ? "; did you mean \"" : "",
        (int)similar.best.size,
        similar.best.size > 0 ? similar.best.data : "",
        similar.best.size > 0 ? "\"?" : "");
    return make_message(arena, text);
}

static const char *check_names(struct jsv_value descriptor, struct jsv_arena *arena)
{
    struct jsv_iter iter = jsv_value_iter(descriptor);
    while (jsv_iter_next(&iter)) {
        if (!is_known(jsv_value_text(iter.key))) {
            return refuse_member(jsv_value_text(iter.key), arena);
        }
    }
    return NULL;
}

/* ---- descriptors ---- */

const char *catalog_descriptor_check_headers(struct catalog_tool *tool, struct jsv_buf *pointer)
{
    size_t count;
    const char *wrong = catalog_headers_check(tool->input_schema, pointer, &count);
    tool->has_headers = count > 0;
    return wrong;
}

const char *catalog_descriptor_check(
    struct catalog_tool *tool, struct jsv_arena *arena, struct jsv_buf *pointer)
{
    if (!is_object(tool->value)) {
        return "it must be an object";
    }
    const char *wrong = check_names(tool->value, arena);
    wrong = wrong ? wrong : check_members(tool->value, arena);
    return wrong ? wrong : catalog_descriptor_check_headers(tool, pointer);
}
