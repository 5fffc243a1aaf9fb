/*
 * A walk over a schema with the names seen so far. Where it may find one is a
 * matter of depth: properties of the schema itself are 1 deep, theirs 2, and
 * whatever is reached by another keyword is as good as too deep.
 */
#include "catalog/headers.h"

#include <string.h>

#include "jsv/base/ascii.h"
#include "jsv/base/literal.h"

#define TOO_DEEP (CATALOG_PROPERTY_DEPTH_MAX + 1)

struct walk {
    struct jsv_buf *pointer;
    struct jsv_str names[CATALOG_HEADERS_MAX];
    size_t count;
};

/* ---- one of them ---- */

/* As RFC 9110 has it, section 5.6.2. */
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
_Static_assert(CATALOG_HEADERS_MAX == 64, "as check_header() says");

static const char *
check_header(struct walk *walk, struct jsv_value property, struct jsv_value header, unsigned depth)
{
    struct jsv_str name = jsv_value_text(header);
    if (depth == 0 || depth == TOO_DEEP) {
        return "only properties, and theirs up to 8 deep, can have an \"x-mcp-header\"";
    }
    if (!is_token(name) || name.size > CATALOG_HEADER_NAME_MAX) {
        return "\"x-mcp-header\" must be 1 to 128 of A-Z a-z 0-9 ! # $ % & ' * + - . ^ _ ` | ~";
    }
    if (!is_primitive(property)) {
        return "what has an \"x-mcp-header\" must be of type string, integer or boolean";
    }
    if (is_taken(walk, name)) {
        return "there is an \"x-mcp-header\" of this name already";
    }
    if (walk->count == CATALOG_HEADERS_MAX) {
        return "a tool can have 64 \"x-mcp-header\" and no more";
    }
    walk->names[walk->count++] = name;
    return NULL;
}

/* ---- the walk ---- */

/* Back to where the pointer was, unless it leads to what is wrong. */
static void rise(struct walk *walk, size_t before, const char *wrong)
{
    if (!wrong) {
        walk->pointer->size = before;
    }
}

static const char *check_schema(struct walk *walk, struct jsv_value schema, unsigned depth);

/* Schemas in an array, or by names that are no keywords. */
static const char *check_schemas(struct walk *walk, struct jsv_value schemas, unsigned depth)
{
    const char *wrong = NULL;
    struct jsv_iter iter = jsv_value_iter(schemas);
    for (size_t i = 0; !wrong && jsv_iter_next(&iter); i++) {
        size_t before = walk->pointer->size;
        if (jsv_value_type(schemas) == JSV_TYPE_OBJECT) {
            jsv_pointer_push(walk->pointer, jsv_value_text(iter.key));
        } else {
            jsv_pointer_push_index(walk->pointer, i);
        }
        wrong = check_schema(walk, iter.value, depth);
        rise(walk, before, wrong);
    }
    return wrong;
}

/* What holds values or names, and no schema. */
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

/* Recursion goes as deep as the text, and no text deeper than the reader's limit was read. */
static const char *check_schema(struct walk *walk, struct jsv_value schema, unsigned depth)
{
    const char *wrong = NULL;
    struct jsv_iter iter = jsv_value_iter(schema);
    while (jsv_value_type(schema) == JSV_TYPE_OBJECT && !wrong && jsv_iter_next(&iter)) {
        size_t before = walk->pointer->size;
        jsv_pointer_push(walk->pointer, jsv_value_text(iter.key));
        wrong = check_keyword(walk, schema, &iter, depth);
        rise(walk, before, wrong);
    }
    return wrong;
}

const char *
catalog_headers_check(struct jsv_value input_schema, struct jsv_buf *pointer, size_t *ret_count)
{
    struct walk walk = {.pointer = pointer};
    size_t before = pointer->size;
    jsv_pointer_push(pointer, JSV_STR("inputSchema"));
    const char *wrong = check_schema(&walk, input_schema, 0);
    rise(&walk, before, wrong);
    *ret_count = walk.count;
    return wrong;
}
