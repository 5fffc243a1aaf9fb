/*
 * Keywords about the value itself: type, allowed values, size, number, string.
 */
#include <inttypes.h>

#include "jsv/base/utf8.h"
#include "jsv/schema/format/format.h"
#include "jsv/schema/report/explain_call.h"
#include "jsv/schema/report/message.h"

/* The source text of the keyword's value, shortened for a message. @param ret_rest "…" or "". */
static struct jsv_str value_text(const struct jsv_keyword_call *call, const char **ret_rest)
{
    struct jsv_value value = {call->schema->resource->source->document, call->use->key + 1};
    struct jsv_str whole = jsv_value_span(value);
    struct jsv_str text = jsv_message_value(whole);
    *ret_rest = text.size < whole.size ? "…" : "";
    return text;
}

int jsv_explain_size(const struct jsv_keyword_call *call)
{
    static const struct {
        bool upper;
        const char *one;
        const char *many;
    } rules[JSV_KEYWORD_COUNT] = {
        [JSV_KEYWORD_MAX_LENGTH] = {true, "character", "characters"},
        [JSV_KEYWORD_MIN_LENGTH] = {false, "character", "characters"},
        [JSV_KEYWORD_MAX_ITEMS] = {true, "item", "items"},
        [JSV_KEYWORD_MIN_ITEMS] = {false, "item", "items"},
        [JSV_KEYWORD_MAX_PROPERTIES] = {true, "property", "properties"},
        [JSV_KEYWORD_MIN_PROPERTIES] = {false, "property", "properties"},
    };
    const struct jsv_node *node = call->place->node;
    uint64_t size = jsv_node_is_container(node)
                        ? jsv_node_count(node)
                        : jsv_utf8_count(jsv_string_text(call->x->document, node));
    uint64_t limit = call->use->size;
    bool upper = rules[call->use->keyword].upper;
    if (upper ? size <= limit : size >= limit) {
        return 1;
    }
    const char *unit = limit == 1 ? rules[call->use->keyword].one : rules[call->use->keyword].many;
    return NOTE(call, "must have at %s %" PRIu64 " %s", upper ? "most" : "least", limit, unit);
}

int jsv_explain_search(struct jsv_explain *x, const struct jsv_regex *regex, struct jsv_str text)
{
    int r = jsv_regex_search(regex, text, x->validator->regex);
    int charged = charge(x, jsv_steps_for_search(text.size, x->validator->regex_cost));
    return r < 0 && r != -ELOOP ? r : charged < 0 ? charged : r < 0 ? -ETIME : r;
}

/* ---- any type ---- */

static unsigned type_bits_of(const struct jsv_keyword_call *call)
{
    const struct jsv_node *node = call->place->node;
    unsigned bits = 1u << jsv_node_type(node);
    if (jsv_node_type(node) == JSV_TYPE_NUMBER) {
        bool integer = !(jsv_node_flags(node) & JSV_NODE_DECIMAL);
        if (!integer && call->schema->resource->draft > JSV_DRAFT_4) {
            struct jsv_number number =
                jsv_value_number((struct jsv_value){call->x->document, node});
            integer = jsv_number_is_integer(&number);
        }
        bits |= integer ? JSV_TYPE_BIT_INTEGER : 0;
    }
    return bits;
}

int jsv_explain_type(const struct jsv_keyword_call *call)
{
    if (type_bits_of(call) & call->use->types) {
        return 1;
    }
    struct jsv_expected expected = {.types = call->use->types};
    return jsv_finding_add_expected(call->x->findings, where(call), expected);
}

static struct jsv_number instance_number(const struct jsv_keyword_call *call)
{
    return jsv_value_number((struct jsv_value){call->x->document, call->place->node});
}

/* Whether the instance equals one of some values of the schema. @return 1, 0 or an error. */
static int
equals_one_of(const struct jsv_keyword_call *call, const struct jsv_expected_values *values)
{
    const struct jsv_node *expected = values->first;
    struct jsv_value instance = {call->x->document, call->place->node};
    enum jsv_type type = jsv_node_type(instance.node);
    struct jsv_number number = {0};
    int r = 0;
    if (type == JSV_TYPE_NUMBER) {
        r = charge(call->x, jsv_steps_for_number(instance.node));
    }
    if (type == JSV_TYPE_NUMBER && r == 0) {
        number = instance_number(call);
    }
    for (size_t i = 0; i < values->count && r == 0; i++, expected = jsv_node_next(expected)) {
        struct jsv_value other = {values->document, expected};
        if (jsv_node_type(expected) != type) {
            continue;
        }
        r = charge(call->x, jsv_steps_for_pair(instance.node, expected));
        if (r == 0 && type == JSV_TYPE_NUMBER) {
            struct jsv_number other_number = jsv_value_number(other);
            r = jsv_number_equal(&number, &other_number);
        } else if (r == 0) {
            r = jsv_equality_test(&call->x->validator->equality, instance, other);
        }
    }
    return r;
}

/* const and enum */
int jsv_explain_enum(const struct jsv_keyword_call *call)
{
    const struct jsv_node *value = call->use->value;
    bool is_enum = call->use->keyword == JSV_KEYWORD_ENUM;
    struct jsv_expected_values values = {
        call->schema->resource->source->document,
        value + is_enum,
        is_enum ? jsv_node_count(value) : 1,
    };
    int r = equals_one_of(call, &values);
    if (r != 0) {
        return r;
    }
    struct jsv_expected expected = {.lists = &values, .list_count = 1, .tag = values.count == 1};
    return jsv_finding_add_expected(call->x->findings, where(call), expected);
}

/* ---- numbers ---- */

int jsv_explain_bound(const struct jsv_keyword_call *call)
{
    struct jsv_number number = instance_number(call);
    int order = jsv_number_compare(&number, &call->use->bound.value);
    enum jsv_keyword keyword = call->use->keyword;
    bool upper = keyword == JSV_KEYWORD_MAXIMUM || keyword == JSV_KEYWORD_EXCLUSIVE_MAXIMUM;
    bool exclusive = call->use->bound.exclusive || keyword == JSV_KEYWORD_EXCLUSIVE_MAXIMUM ||
                     keyword == JSV_KEYWORD_EXCLUSIVE_MINIMUM;
    bool holds = order == 0 ? !exclusive : upper == (order < 0);
    if (holds) {
        return 1;
    }
    const char *rest;
    struct jsv_str text = value_text(call, &rest);
    const char *relation =
        upper ? (exclusive ? "less than" : "at most") : (exclusive ? "more than" : "at least");
    return NOTE(call, "must be %s %.*s%s", relation, JSV_TEXT(text), rest);
}

int jsv_explain_multiple_of(const struct jsv_keyword_call *call)
{
    struct jsv_number number = instance_number(call);
    int r = charge(call->x, jsv_steps_for_division(&number, &call->use->bound.value));
    if (r < 0) {
        return r;
    }
    if (jsv_number_is_zero(&call->use->bound.value) ||
        jsv_number_multiple_of(&number, &call->use->bound.value)) {
        return 1;
    }
    const char *rest;
    struct jsv_str text = value_text(call, &rest);
    return NOTE(call, "must be a multiple of %.*s%s", JSV_TEXT(text), rest);
}

/* ---- strings ---- */

static struct jsv_str instance_text(const struct jsv_keyword_call *call)
{
    return jsv_string_text(call->x->document, call->place->node);
}

int jsv_explain_pattern(const struct jsv_keyword_call *call)
{
    int r = jsv_explain_search(call->x, call->use->regex, instance_text(call));
    if (r != 0) {
        return r;
    }
    const char *rest;
    struct jsv_str text = value_text(call, &rest);
    return NOTE(call, "does not match pattern %.*s%s", JSV_TEXT(text), rest);
}

int jsv_explain_format(const struct jsv_keyword_call *call)
{
    struct jsv_str text = instance_text(call);
    int r = charge(call->x, jsv_format_steps(call->use->format, text));
    if (r == 0) {
        r = jsv_format_valid(call->use->format, text);
    }
    if (r != 0) {
        return r;
    }
    struct jsv_value format = {call->schema->resource->source->document, call->use->key + 1};
    struct jsv_str name = jsv_value_text(format);
    return NOTE(call, "not a valid %.*s", JSV_TEXT(name));
}

int jsv_explain_content_encoding(const struct jsv_keyword_call *call)
{
    struct jsv_value name = {call->schema->resource->source->document, call->use->value};
    if (jsv_content_encoded(jsv_value_text(name), instance_text(call))) {
        return 1;
    }
    return NOTE(call, "not encoded as %.*s", JSV_TEXT(jsv_value_text(name)));
}

int jsv_explain_content_media_type(const struct jsv_keyword_call *call)
{
    const struct jsv_document *schemas = call->schema->resource->source->document;
    const struct jsv_keyword_use *encoding =
        jsv_subschema_use(call->schema, JSV_KEYWORD_CONTENT_ENCODING);
    struct jsv_value name = {schemas, call->use->value};
    struct jsv_str encoded = {"", 0};
    if (encoding) {
        encoded = jsv_value_text((struct jsv_value){schemas, encoding->value});
    }
    struct jsv_str text = instance_text(call);
    int r = charge(call->x, jsv_steps_for_content(text.size));
    if (r == 0) {
        r = jsv_content_is(jsv_value_text(name), encoded, text, &call->x->validator->allocator);
    }
    if (r != 0) {
        return r;
    }
    return NOTE(call, "not of media type %.*s", JSV_TEXT(jsv_value_text(name)));
}
