/*
 * The values of keywords, read into what evaluating needs: numbers, sizes,
 * names, types as bits, compiled patterns, other schemas. keywords.def says
 * which keyword has which kind of operand; a value of another type is no use
 * of the keyword, and neither is a keyword without what it works on beside it.
 */
#include <errno.h>

#include "jsv/schema/compile/compile.h"

static uint64_t parse_size(struct jsv_value value)
{
    int64_t size;
    int r = jsv_value_int64(value, &size);
    return r == 0 && size >= 0 ? (uint64_t)size : UINT64_MAX;
}

static int
parse_names(struct jsv_compile *compile, struct jsv_value list, struct jsv_names *ret_names)
{
    struct jsv_names names = {
        jsv_compile_take(compile, jsv_value_count(list), sizeof(*names.items)), 0};
    if (!names.items) {
        return -ENOMEM;
    }
    struct jsv_iter iter = jsv_value_iter(list);
    while (jsv_iter_next(&iter)) {
        if (jsv_value_type(iter.value) == JSV_TYPE_STRING) {
            names.items[names.count++] = jsv_key_from(jsv_value_text(iter.value));
        }
    }
    *ret_names = names;
    return 0;
}

static int parse_list(
    struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    struct jsv_value list)
{
    use->list.schemas =
        jsv_compile_take(compile, jsv_value_count(list), sizeof(*use->list.schemas));
    if (!use->list.schemas) {
        return -ENOMEM;
    }
    use->list.count = 0;
    struct jsv_iter iter = jsv_value_iter(list);
    while (jsv_iter_next(&iter)) {
        int r = jsv_compile_subschema(
            compile, iter.value.node, schema->resource, &use->list.schemas[use->list.count++]);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

static int parse_map(
    struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    struct jsv_value map)
{
    use->map.items = jsv_compile_take(compile, jsv_value_count(map), sizeof(*use->map.items));
    if (!use->map.items) {
        return -ENOMEM;
    }
    use->map.count = 0;
    struct jsv_iter iter = jsv_value_iter(map);
    while (jsv_iter_next(&iter)) {
        struct jsv_property *property = &use->map.items[use->map.count++];
        property->key = jsv_key_from(jsv_value_text(iter.key));
        int r =
            jsv_compile_subschema(compile, iter.value.node, schema->resource, &property->schema);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

/* For all patterns of a schema that are simulated: a few of the largest, many of those in use. */
#define PATTERN_SIZE_MAX (32 << 20)

/* A pattern compiled once, however often it is written. */
static int get_regex(
    struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_value pattern,
    struct jsv_regex **ret_regex)
{
    struct jsv_str text = jsv_value_text(pattern);
    struct jsv_regex_list *known = jsv_table_find(&compile->regexes, NULL, text);
    if (known) {
        *ret_regex = known->regex;
        return 0;
    }
    struct jsv_regex_list *entry = jsv_compile_take(compile, 1, sizeof(*entry));
    if (!entry) {
        return -ENOMEM;
    }
    struct jsv_regex_fault fault;
    int r = jsv_regex_compile(text, &compile->schema->allocator, &entry->regex, &fault);
    if (r == -ENOMEM) {
        return r;
    }
    if (r < 0) {
        return jsv_compile_refuse(
            compile,
            schema->resource,
            pattern.node,
            (struct jsv_str){0},
            r == -E2BIG ? "the pattern is beyond a limit at offset %zu: %s"
                        : "the pattern is wrong at offset %zu: %s",
            fault.offset,
            fault.message);
    }
    entry->key = (struct jsv_table_key){NULL, text};
    entry->next = compile->schema->regexes;
    compile->schema->regexes = entry;
    compile->pattern_size += jsv_regex_size(entry->regex);
    if (compile->pattern_size > PATTERN_SIZE_MAX) {
        return jsv_registry_fault(
            compile->registry,
            schema->resource,
            pattern.node,
            compile->reterr_fault,
            "the patterns of this schema are too large: together they take more than %d MiB",
            PATTERN_SIZE_MAX >> 20);
    }
    *ret_regex = entry->regex;
    return jsv_table_add(&compile->regexes, &entry->key);
}

static int parse_patterns(
    struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    struct jsv_value map)
{
    use->patterns.items =
        jsv_compile_take(compile, jsv_value_count(map), sizeof(*use->patterns.items));
    if (!use->patterns.items) {
        return -ENOMEM;
    }
    use->patterns.count = 0;
    bool has_fault = false;
    struct jsv_iter iter = jsv_value_iter(map);
    while (jsv_iter_next(&iter)) {
        struct jsv_pattern_property *property = &use->patterns.items[use->patterns.count++];
        int r = get_regex(compile, schema, iter.key, &property->regex);
        has_fault |= r == 1;
        if (r >= 0) {
            r = jsv_compile_subschema(
                compile, iter.value.node, schema->resource, &property->schema);
        }
        if (r < 0) {
            return r;
        }
    }
    return has_fault;
}

static int parse_dependencies(
    struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    struct jsv_value map)
{
    use->dependencies.items =
        jsv_compile_take(compile, jsv_value_count(map), sizeof(*use->dependencies.items));
    if (!use->dependencies.items) {
        return -ENOMEM;
    }
    use->dependencies.count = 0;
    struct jsv_iter iter = jsv_value_iter(map);
    while (jsv_iter_next(&iter)) {
        struct jsv_dependency *dependency = &use->dependencies.items[use->dependencies.count++];
        *dependency = (struct jsv_dependency){.key = jsv_key_from(jsv_value_text(iter.key))};
        int r = jsv_value_type(iter.value) == JSV_TYPE_ARRAY
                    ? parse_names(compile, iter.value, &dependency->names)
                    : jsv_compile_subschema(
                          compile, iter.value.node, schema->resource, &dependency->schema);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

static unsigned type_bit(struct jsv_str name)
{
    static const struct {
        struct jsv_str name;
        unsigned bit;
    } types[] = {
        {{"null", 4}, JSV_TYPE_BIT_NULL},
        {{"boolean", 7}, JSV_TYPE_BIT_BOOLEAN},
        {{"integer", 7}, JSV_TYPE_BIT_INTEGER},
        {{"number", 6}, JSV_TYPE_BIT_NUMBER},
        {{"string", 6}, JSV_TYPE_BIT_STRING},
        {{"array", 5}, JSV_TYPE_BIT_ARRAY},
        {{"object", 6}, JSV_TYPE_BIT_OBJECT},
    };
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        if (jsv_str_equal(name, types[i].name)) {
            return types[i].bit;
        }
    }
    return 0;
}

static unsigned parse_types(struct jsv_value value)
{
    if (jsv_value_type(value) == JSV_TYPE_STRING) {
        return type_bit(jsv_value_text(value));
    }
    unsigned bits = 0;
    struct jsv_iter iter = jsv_value_iter(value);
    while (jsv_iter_next(&iter)) {
        bits |= type_bit(jsv_value_text(iter.value));
    }
    return bits;
}

/* What a single schema needs to know of its siblings. */
static void parse_siblings(const struct jsv_subschema *schema, struct jsv_keyword_use *use)
{
    enum jsv_draft draft = schema->resource->draft;
    if (use->keyword == JSV_KEYWORD_ITEMS && draft == JSV_DRAFT_2020_12) {
        use->one.from = jsv_value_count(jsv_subschema_sibling(schema, JSV_STR("prefixItems")));
    } else if (use->keyword == JSV_KEYWORD_ADDITIONAL_ITEMS) {
        struct jsv_value items = jsv_subschema_sibling(schema, JSV_STR("items"));
        bool list = jsv_value_type(items) == JSV_TYPE_ARRAY;
        use->one.from = list ? jsv_value_count(items) : UINT64_MAX;
    } else if (use->keyword == JSV_KEYWORD_CONTAINS) {
        bool counted = draft >= JSV_DRAFT_2019_09 &&
                       schema->resource->vocabularies & JSV_VOCABULARY_VALIDATION;
        struct jsv_value min = jsv_subschema_sibling(schema, JSV_STR("minContains"));
        struct jsv_value max = jsv_subschema_sibling(schema, JSV_STR("maxContains"));
        use->one.contains_min = counted && min.node ? parse_size(min) : 1;
        use->one.contains_max = counted && max.node ? parse_size(max) : UINT64_MAX;
    }
}

static void
parse_bound(const struct jsv_subschema *schema, struct jsv_keyword_use *use, struct jsv_value value)
{
    use->bound.value = jsv_value_number(value);
    use->bound.exclusive = false;
    if (schema->resource->draft == JSV_DRAFT_4) {
        struct jsv_str name = use->keyword == JSV_KEYWORD_MAXIMUM ? JSV_STR("exclusiveMaximum")
                                                                  : JSV_STR("exclusiveMinimum");
        use->bound.exclusive = jsv_value_bool(jsv_subschema_sibling(schema, name));
    }
}

/* The type of value an operand is read from; a keyword with another is left out. */
static bool operand_fits(enum jsv_operand operand, enum jsv_type type)
{
    switch (operand) {
    case JSV_OPERAND_REFERENCE:
    case JSV_OPERAND_PATTERN:
    case JSV_OPERAND_FORMAT:
        return type == JSV_TYPE_STRING;
    case JSV_OPERAND_SCHEMA:
        return type == JSV_TYPE_OBJECT || type == JSV_TYPE_BOOLEAN;
    case JSV_OPERAND_SCHEMA_OR_LIST:
        return type == JSV_TYPE_OBJECT || type == JSV_TYPE_BOOLEAN || type == JSV_TYPE_ARRAY;
    case JSV_OPERAND_SCHEMA_LIST:
    case JSV_OPERAND_NAMES:
        return type == JSV_TYPE_ARRAY;
    case JSV_OPERAND_SCHEMA_MAP:
    case JSV_OPERAND_PATTERN_MAP:
    case JSV_OPERAND_DEPENDENCIES:
        return type == JSV_TYPE_OBJECT;
    case JSV_OPERAND_TYPES:
        return type == JSV_TYPE_STRING || type == JSV_TYPE_ARRAY;
    case JSV_OPERAND_NUMBER:
    case JSV_OPERAND_SIZE:
        return type == JSV_TYPE_NUMBER;
    case JSV_OPERAND_FLAG:
        return type == JSV_TYPE_BOOLEAN;
    case JSV_OPERAND_VALUE:
        return true;
    case JSV_OPERAND_SCHEMA_UNUSED:
        return false;
    }
    return false;
}

int jsv_compile_operand(
    struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    struct jsv_value value)
{
    switch (compile->registry->keywords.infos[use->keyword].operand) {
    case JSV_OPERAND_REFERENCE:
        return jsv_compile_reference(compile, schema, use, value);
    case JSV_OPERAND_SCHEMA_OR_LIST:
        if (jsv_value_type(value) == JSV_TYPE_ARRAY) {
            return parse_list(compile, schema, use, value);
        }
        __attribute__((fallthrough));
    case JSV_OPERAND_SCHEMA:
        parse_siblings(schema, use);
        return jsv_compile_subschema(compile, value.node, schema->resource, &use->one.schema);
    case JSV_OPERAND_SCHEMA_LIST:
        return parse_list(compile, schema, use, value);
    case JSV_OPERAND_SCHEMA_MAP:
        return parse_map(compile, schema, use, value);
    case JSV_OPERAND_PATTERN_MAP:
        return parse_patterns(compile, schema, use, value);
    case JSV_OPERAND_DEPENDENCIES:
        return parse_dependencies(compile, schema, use, value);
    case JSV_OPERAND_NAMES:
        return parse_names(compile, value, &use->names);
    case JSV_OPERAND_TYPES:
        use->types = parse_types(value);
        return 0;
    case JSV_OPERAND_NUMBER:
        parse_bound(schema, use, value);
        return 0;
    case JSV_OPERAND_SIZE:
        use->size = parse_size(value);
        return 0;
    case JSV_OPERAND_PATTERN:
        return get_regex(compile, schema, value, &use->regex);
    case JSV_OPERAND_FORMAT:
    case JSV_OPERAND_VALUE:
    case JSV_OPERAND_FLAG:
    case JSV_OPERAND_SCHEMA_UNUSED:
        use->value = value.node;
        return 0;
    }
    return 0;
}

/* Whether a keyword decides anything where it stands. */
bool jsv_compile_is_used(
    const struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    struct jsv_value value)
{
    const struct jsv_resource *resource = schema->resource;
    const struct jsv_keyword_info *info = &compile->registry->keywords.infos[use->keyword];
    if (!(resource->vocabularies & info->vocabulary) ||
        !operand_fits(info->operand, jsv_value_type(value))) {
        return false;
    }
    if (use->keyword == JSV_KEYWORD_ENUM) {
        return jsv_value_type(value) == JSV_TYPE_ARRAY;
    }
    if (use->keyword == JSV_KEYWORD_UNIQUE_ITEMS) {
        return jsv_value_bool(value);
    }
    if (use->keyword == JSV_KEYWORD_FORMAT) {
        bool asserted = compile->options.assert_format ||
                        resource->vocabularies & JSV_VOCABULARY_FORMAT_ASSERTION;
        return asserted && jsv_format_find(jsv_value_text(value), resource->draft, &use->format);
    }
    if (use->keyword == JSV_KEYWORD_CONTENT_ENCODING ||
        use->keyword == JSV_KEYWORD_CONTENT_MEDIA_TYPE) {
        return compile->options.assert_content && jsv_value_type(value) == JSV_TYPE_STRING;
    }
    if (use->keyword == JSV_KEYWORD_THEN || use->keyword == JSV_KEYWORD_ELSE) {
        return jsv_subschema_sibling(schema, JSV_STR("if")).node != NULL;
    }
    return true;
}
