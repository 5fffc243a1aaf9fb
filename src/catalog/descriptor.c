#include "catalog/descriptor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "jsv/base/ascii.h"
#include "jsv/base/similar.h"
#include "jsv/base/text.h"
#include "jsv/base/utf8.h"

/* Bytes of a member's name in a message. */
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

/* A text that can be passed to a program, which ends at the first NUL. */
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

/* Names that are ignored here: "$schema", "$comment", "_note", "x-owner". */
static bool is_ignored(struct jsv_str name)
{
    return jsv_str_equal(name, JSV_STR("$schema")) || jsv_str_equal(name, JSV_STR("$comment")) ||
           (name.size > 0 && name.data[0] == '_') ||
           (name.size > 1 && name.data[0] == 'x' && name.data[1] == '-');
}

static bool is_known(struct jsv_str name)
{
    bool known = is_ignored(name);
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

/* ---- headers ----
 *
 * Clients repeat arguments in HTTP headers, for proxies to read: a property of
 * a tool's input schema asks for that with "x-mcp-header". Clients silently
 * drop a tool that breaks the protocol's rules for it, so it is refused here,
 * where the operator sees the reason.
 *
 * Properties of the schema itself are 1 deep, their properties 2, and a schema
 * reached by any other keyword counts as too deep.
 */

/* Of one tool. A request may have 100 headers, those of the protocol included. */
#define HEADERS_MAX 64

#define TOO_DEEP (CATALOG_PROPERTY_DEPTH_MAX + 1)

struct walk {
    struct jsv_buf *pointer;
    struct jsv_str names[HEADERS_MAX];
    size_t count;
};

/* RFC 9110, section 5.6.2. */
static bool is_token(struct jsv_str text)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (!jsv_is_alnum(c) && (c == '\0' || !strchr("!#$%&'*+-.^_`|~", c))) {
            return false;
        }
    }
    return text.size > 0;
}

static bool is_primitive(struct jsv_value property)
{
    struct jsv_str type = jsv_value_text(jsv_value_get(property, JSV_STR("type")));
    return JSV_IS(type, "string") || JSV_IS(type, "integer") || JSV_IS(type, "boolean");
}

static bool is_same_name(struct jsv_str a, struct jsv_str b)
{
    size_t i = 0;
    while (i < a.size && a.size == b.size && jsv_to_lower(a.data[i]) == jsv_to_lower(b.data[i])) {
        i++;
    }
    return i == a.size && i == b.size;
}

static bool is_taken(const struct walk *walk, struct jsv_str name)
{
    for (size_t i = 0; i < walk->count; i++) {
        if (is_same_name(walk->names[i], name)) {
            return true;
        }
    }
    return false;
}

_Static_assert(CATALOG_PROPERTY_DEPTH_MAX == 8, "as check_header() says");
_Static_assert(CATALOG_HEADER_NAME_MAX == 128, "as check_header() says");
_Static_assert(HEADERS_MAX == 64, "as check_header() says");

static const char *
check_header(struct walk *walk, struct jsv_value property, struct jsv_value header, unsigned depth)
{
    struct jsv_str name = jsv_value_text(header);
    if (depth == 0 || depth == TOO_DEEP) {
        return "\"x-mcp-header\" is allowed only in properties, at most 8 levels deep";
    }
    if (!is_token(name) || name.size > CATALOG_HEADER_NAME_MAX) {
        return "\"x-mcp-header\" must be 1 to 128 of A-Z a-z 0-9 ! # $ % & ' * + - . ^ _ ` | ~";
    }
    if (!is_primitive(property)) {
        return "a property with \"x-mcp-header\" must be of type string, integer or boolean";
    }
    if (is_taken(walk, name)) {
        return "duplicate \"x-mcp-header\"";
    }
    if (walk->count == HEADERS_MAX) {
        return "more than 64 \"x-mcp-header\" in one tool";
    }
    walk->names[walk->count++] = name;
    return NULL;
}

/* Restore the pointer, unless it is the place of an error. */
static void rise(struct walk *walk, size_t before, const char *error)
{
    if (!error) {
        walk->pointer->size = before;
    }
}

static const char *check_schema(struct walk *walk, struct jsv_value schema, unsigned depth);

/* Schemas in an array, or by names that are not keywords. */
static const char *check_schemas(struct walk *walk, struct jsv_value schemas, unsigned depth)
{
    const char *error = NULL;
    struct jsv_iter iter = jsv_value_iter(schemas);
    for (size_t i = 0; !error && jsv_iter_next(&iter); i++) {
        size_t before = walk->pointer->size;
        if (jsv_value_type(schemas) == JSV_TYPE_OBJECT) {
            jsv_pointer_push(walk->pointer, jsv_value_text(iter.key));
        } else {
            jsv_pointer_push_index(walk->pointer, i);
        }
        error = check_schema(walk, iter.value, depth);
        rise(walk, before, error);
    }
    return error;
}

/* Keywords that hold values or names, not schemas. */
static bool is_data(struct jsv_str keyword)
{
    return JSV_IS(keyword, "const") || JSV_IS(keyword, "enum") || JSV_IS(keyword, "default") ||
           JSV_IS(keyword, "examples") || JSV_IS(keyword, "dependentRequired");
}

static bool has_names(struct jsv_str keyword)
{
    return JSV_IS(keyword, "$defs") || JSV_IS(keyword, "definitions") ||
           JSV_IS(keyword, "patternProperties") || JSV_IS(keyword, "dependentSchemas") ||
           JSV_IS(keyword, "dependencies");
}

static const char *check_keyword(
    struct walk *walk, struct jsv_value schema, const struct jsv_iter *member, unsigned depth)
{
    struct jsv_str keyword = jsv_value_text(member->key);
    if (JSV_IS(keyword, "x-mcp-header")) {
        return check_header(walk, schema, member->value, depth);
    }
    if (JSV_IS(keyword, "properties")) {
        return check_schemas(walk, member->value, depth < TOO_DEEP ? depth + 1 : TOO_DEEP);
    }
    if (is_data(keyword)) {
        return NULL;
    }
    bool is_array = jsv_value_type(member->value) == JSV_TYPE_ARRAY;
    return is_array || has_names(keyword) ? check_schemas(walk, member->value, TOO_DEEP)
                                          : check_schema(walk, member->value, TOO_DEEP);
}

/* Recursion is bounded by the reader's limit on depth. */
static const char *check_schema(struct walk *walk, struct jsv_value schema, unsigned depth)
{
    const char *error = NULL;
    struct jsv_iter iter = jsv_value_iter(schema);
    while (jsv_value_type(schema) == JSV_TYPE_OBJECT && !error && jsv_iter_next(&iter)) {
        size_t before = walk->pointer->size;
        jsv_pointer_push(walk->pointer, jsv_value_text(iter.key));
        error = check_keyword(walk, schema, &iter, depth);
        rise(walk, before, error);
    }
    return error;
}

const char *catalog_descriptor_check_headers(struct catalog_tool *tool, struct jsv_buf *pointer)
{
    struct walk walk = {.pointer = pointer};
    size_t before = pointer->size;
    jsv_pointer_push(pointer, JSV_STR("inputSchema"));
    const char *error = check_schema(&walk, tool->input_schema, 0);
    rise(&walk, before, error);
    tool->has_headers = walk.count > 0;
    return error;
}

/* ---- descriptors ---- */

const char *catalog_descriptor_check(
    struct catalog_tool *tool, struct jsv_arena *arena, struct jsv_buf *pointer)
{
    if (!is_object(tool->value)) {
        return "it must be an object";
    }
    const char *error = check_names(tool->value, arena);
    error = error ? error : check_members(tool->value, arena);
    return error ? error : catalog_descriptor_check_headers(tool, pointer);
}
