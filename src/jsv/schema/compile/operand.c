/*
 * The values of keywords, converted into what evaluation needs: numbers, sizes,
 * names, types as bits, compiled patterns, other schemas. keywords.def names the
 * kind of operand of each keyword. A keyword is ignored if its value has another
 * type, or if the keyword it depends on is missing.
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

/* Limit on all simulated patterns of a schema together: a few of the largest, many usual ones. */
#define PATTERN_SIZE_MAX (32 << 20)

/* Each distinct pattern is compiled once. */
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
            r == -E2BIG ? "pattern exceeds a limit at offset %zu: %s"
                        : "invalid pattern at offset %zu: %s",
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
            "the patterns of this schema exceed the limit of %d MiB",
            PATTERN_SIZE_MAX >> 20);
    }
    *ret_regex = entry->regex;
    return jsv_table_add(&compile->regexes, &entry->key);
}

/* The members of an object of schemas, with what the kind of operand adds to each. */
static int parse_map(
    struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    struct jsv_value map,
    enum jsv_operand operand)
{
    use->map.items = jsv_compile_take(compile, jsv_value_count(map), sizeof(*use->map.items));
    if (!use->map.items) {
        return -ENOMEM;
    }
    use->map.count = 0;
    bool has_fault = false;
    struct jsv_iter iter = jsv_value_iter(map);
    while (jsv_iter_next(&iter)) {
        struct jsv_property *property = &use->map.items[use->map.count++];
        *property = (struct jsv_property){.key = jsv_key_from(jsv_value_text(iter.key))};
        int r = 0;
        if (operand == JSV_OPERAND_PATTERN_MAP) {
            r = get_regex(compile, schema, iter.key, &property->regex);
            has_fault |= r == 1;
        }
        if (operand == JSV_OPERAND_DEPENDENCIES && jsv_value_type(iter.value) == JSV_TYPE_ARRAY) {
            r = parse_names(compile, iter.value, &property->names);
        } else if (r >= 0) {
            r = jsv_compile_subschema(
                compile, iter.value.node, schema->resource, &property->schema);
        }
        if (r < 0) {
            return r;
        }
    }
    return has_fault;
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

/* What the sibling keywords say about a keyword with a single schema. */
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

/* The types of value that an operand can be read from. */
static const unsigned operand_types[] = {
    [JSV_OPERAND_REFERENCE] = JSV_TYPE_BIT_STRING,
    [JSV_OPERAND_SCHEMA] = JSV_TYPE_BIT_OBJECT | JSV_TYPE_BIT_BOOLEAN,
    [JSV_OPERAND_SCHEMA_UNUSED] = 0,
    [JSV_OPERAND_SCHEMA_LIST] = JSV_TYPE_BIT_ARRAY,
    [JSV_OPERAND_SCHEMA_OR_LIST] = JSV_TYPE_BIT_OBJECT | JSV_TYPE_BIT_BOOLEAN | JSV_TYPE_BIT_ARRAY,
    [JSV_OPERAND_SCHEMA_MAP] = JSV_TYPE_BIT_OBJECT,
    [JSV_OPERAND_PATTERN_MAP] = JSV_TYPE_BIT_OBJECT,
    [JSV_OPERAND_DEPENDENCIES] = JSV_TYPE_BIT_OBJECT,
    [JSV_OPERAND_TYPES] = JSV_TYPE_BIT_STRING | JSV_TYPE_BIT_ARRAY,
    [JSV_OPERAND_VALUE] = ~0u,
    [JSV_OPERAND_NUMBER] = JSV_TYPE_BIT_NUMBER,
    [JSV_OPERAND_SIZE] = JSV_TYPE_BIT_NUMBER,
    [JSV_OPERAND_PATTERN] = JSV_TYPE_BIT_STRING,
    [JSV_OPERAND_FORMAT] = JSV_TYPE_BIT_STRING,
    [JSV_OPERAND_FLAG] = JSV_TYPE_BIT_BOOLEAN,
    [JSV_OPERAND_NAMES] = JSV_TYPE_BIT_ARRAY,
};

int jsv_compile_operand(
    struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    struct jsv_value value)
{
    enum jsv_operand operand = compile->registry->keywords.infos[use->keyword].operand;
    switch (operand) {
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
    case JSV_OPERAND_PATTERN_MAP:
    case JSV_OPERAND_DEPENDENCIES:
        return parse_map(compile, schema, use, value, operand);
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

bool jsv_compile_is_used(
    const struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    struct jsv_value value)
{
    const struct jsv_resource *resource = schema->resource;
    const struct jsv_keyword_info *info = &compile->registry->keywords.infos[use->keyword];
    if (!(resource->vocabularies & info->vocabulary) ||
        !(operand_types[info->operand] & 1u << jsv_value_type(value))) {
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
