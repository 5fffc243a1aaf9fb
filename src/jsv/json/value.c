/*
 * Access to values. A handle is a place on the tape (node.h), so everything
 * here is arithmetic on nodes: the next sibling is skip nodes further on, a
 * member's value follows its key.
 */
#include <errno.h>

#include "jsv/json/node.h"

static const char *const type_names[] = {
    [JSV_TYPE_NONE] = "none",
    [JSV_TYPE_NULL] = "null",
    [JSV_TYPE_BOOLEAN] = "boolean",
    [JSV_TYPE_NUMBER] = "number",
    [JSV_TYPE_STRING] = "string",
    [JSV_TYPE_ARRAY] = "array",
    [JSV_TYPE_OBJECT] = "object",
};

static struct jsv_value value_at_node(struct jsv_value any, const struct jsv_node *node)
{
    return (struct jsv_value){any.document, node};
}

enum jsv_type jsv_value_type(struct jsv_value value)
{
    return value.node ? jsv_node_type(value.node) : JSV_TYPE_NONE;
}

const char *jsv_type_name(enum jsv_type type)
{
    return type_names[type];
}

size_t jsv_node_count(const struct jsv_node *container)
{
    uint32_t stored = (uint32_t)(container->head >> JSV_NODE_COUNT_SHIFT) & JSV_COUNT_MANY;
    if (stored != JSV_COUNT_MANY) {
        return stored;
    }
    bool object = jsv_node_type(container) == JSV_TYPE_OBJECT;
    const struct jsv_node *end = jsv_node_next(container);
    size_t count = 0;
    for (const struct jsv_node *at = container + 1; at < end; at = jsv_node_next(at + object)) {
        count++;
    }
    return count;
}

size_t jsv_value_count(struct jsv_value value)
{
    return jsv_value_type(value) >= JSV_TYPE_ARRAY ? jsv_node_count(value.node) : 0;
}

struct jsv_value jsv_value_get(struct jsv_value object, struct jsv_str name)
{
    if (jsv_value_type(object) != JSV_TYPE_OBJECT) {
        return value_at_node(object, NULL);
    }
    struct jsv_key key = jsv_key_from(name.size > 0 ? name : JSV_STR(""));
    const struct jsv_node *end = jsv_node_next(object.node);
    for (const struct jsv_node *at = object.node + 1; at < end; at = jsv_node_next(at + 1)) {
        if (jsv_key_equals_node(&key, object.document, at)) {
            return value_at_node(object, at + 1);
        }
    }
    return value_at_node(object, NULL);
}

struct jsv_value jsv_value_at(struct jsv_value array, size_t index)
{
    if (jsv_value_type(array) != JSV_TYPE_ARRAY || index >= jsv_node_count(array.node)) {
        return value_at_node(array, NULL);
    }
    const struct jsv_node *at = array.node + 1;
    for (; index > 0; index--) {
        at = jsv_node_next(at);
    }
    return value_at_node(array, at);
}

bool jsv_value_bool(struct jsv_value value)
{
    return jsv_value_type(value) == JSV_TYPE_BOOLEAN && value.node->body;
}

struct jsv_str jsv_value_text(struct jsv_value value)
{
    return jsv_value_type(value) == JSV_TYPE_STRING ? jsv_string_text(value.document, value.node)
                                                    : (struct jsv_str){NULL, 0};
}

static struct jsv_str string_span(const struct jsv_document *document, const struct jsv_node *node)
{
    if (jsv_node_flags(node) & JSV_NODE_ESCAPED) {
        struct jsv_decoded origin;
        memcpy(&origin, jsv_string_data(document, node) - sizeof(origin), sizeof(origin));
        return (struct jsv_str){
            document->text + origin.start - 1, (size_t)origin.end - origin.start + 2};
    }
    struct jsv_str text = jsv_string_text(document, node);
    return (struct jsv_str){text.data - 1, text.size + 2};
}

static bool is_number_character(char c)
{
    return (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' || c == '-' || c == '+';
}

/* A node does not hold its number's length, but the reader has checked the grammar. */
static size_t number_size(const struct jsv_document *document, const struct jsv_node *node)
{
    if (jsv_node_flags(node) & JSV_NODE_BIG) {
        return node->body;
    }
    size_t start = jsv_node_start(node);
    size_t end = start + 1;
    while (end < document->text_size && is_number_character(document->text[end])) {
        end++;
    }
    return end - start;
}

static size_t literal_size(const struct jsv_node *node)
{
    bool is_false = jsv_node_type(node) == JSV_TYPE_BOOLEAN && !node->body;
    return is_false ? sizeof("false") - 1 : sizeof("true") - 1; /* null is as long as true */
}

struct jsv_str jsv_node_span(const struct jsv_document *document, const struct jsv_node *node)
{
    enum jsv_type type = jsv_node_type(node);
    if (type == JSV_TYPE_STRING) {
        return string_span(document, node);
    }
    uint32_t start = jsv_node_start(node);
    size_t size = type >= JSV_TYPE_ARRAY    ? jsv_node_end(node) - start
                  : type == JSV_TYPE_NUMBER ? number_size(document, node)
                                            : literal_size(node);
    return (struct jsv_str){document->text + start, size};
}

struct jsv_str jsv_value_span(struct jsv_value value)
{
    return value.node ? jsv_node_span(value.document, value.node) : (struct jsv_str){NULL, 0};
}

size_t jsv_value_offset(struct jsv_value value)
{
    return value.node ? (size_t)(jsv_value_span(value).data - value.document->text) : 0;
}

struct jsv_number jsv_value_number(struct jsv_value value)
{
    const struct jsv_node *node = value.node;
    unsigned flags = jsv_node_flags(node);
    if (flags & JSV_NODE_BIG) {
        return jsv_number_from(jsv_node_span(value.document, node));
    }
    return (struct jsv_number){
        .negative = flags & JSV_NODE_NEGATIVE,
        .significand = node->body,
        .exponent = jsv_number_exponent(node),
    };
}

int jsv_value_int64(struct jsv_value value, int64_t *ret_integer)
{
    if (jsv_value_type(value) != JSV_TYPE_NUMBER) {
        return -EINVAL;
    }
    struct jsv_number number = jsv_value_number(value);
    return jsv_number_int64(&number, ret_integer);
}

double jsv_value_double(struct jsv_value value)
{
    if (jsv_value_type(value) != JSV_TYPE_NUMBER) {
        return 0;
    }
    struct jsv_number number = jsv_value_number(value);
    return jsv_number_double(&number);
}

struct jsv_iter jsv_value_iter(struct jsv_value container)
{
    struct jsv_iter iter = {
        .value = value_at_node(container, NULL),
        .key = value_at_node(container, NULL),
        .object = jsv_value_type(container) == JSV_TYPE_OBJECT,
    };
    if (jsv_value_type(container) >= JSV_TYPE_ARRAY) {
        iter.next = container.node + 1;
        iter.end = jsv_node_next(container.node);
    }
    return iter;
}

bool jsv_iter_next(struct jsv_iter *iter)
{
    if (iter->next == iter->end) {
        iter->value.node = NULL;
        iter->key.node = NULL;
        return false;
    }
    if (iter->object) {
        iter->key.node = iter->next++;
    }
    iter->value.node = iter->next;
    iter->next = jsv_node_next(iter->next);
    return true;
}
