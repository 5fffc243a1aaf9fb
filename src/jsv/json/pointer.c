/*
 * JSON Pointer (RFC 6901), strictly: a malformed pointer is refused
 * before the first step.
 */
#include "jsv/json/pointer.h"

#include <errno.h>

#include "jsv/json/node.h"
#include "jsv/json/write.h"

bool jsv_pointer_is_valid(struct jsv_str text)
{
    if (text.size > 0 && text.data[0] != '/') {
        return false;
    }
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '~') {
            char code = i + 1 < text.size ? text.data[i + 1] : '\0';
            if (code != '0' && code != '1') {
                return false;
            }
        }
    }
    return true;
}

/* Cut the first token off a valid pointer that is not empty. */
static struct jsv_str take_token(struct jsv_str *pointer)
{
    const char *start = pointer->data + 1;
    size_t rest = pointer->size - 1;
    const char *slash = memchr(start, '/', rest);
    size_t size = slash ? (size_t)(slash - start) : rest;
    *pointer = (struct jsv_str){start + size, rest - size};
    return (struct jsv_str){start, size};
}

/* Cut the first byte off a valid token that is not empty, unescaped. */
static char take_character(struct jsv_str *token)
{
    char c = token->data[0];
    size_t used = 1;
    if (c == '~') {
        c = token->data[1] == '0' ? '~' : '/';
        used = 2;
    }
    *token = (struct jsv_str){token->data + used, token->size - used};
    return c;
}

/* Whether an escaped token is a name. */
static bool token_is_name(struct jsv_str token, struct jsv_str name)
{
    size_t at = 0;
    while (token.size > 0) {
        if (at == name.size || take_character(&token) != name.data[at++]) {
            return false;
        }
    }
    return at == name.size;
}

static struct jsv_value find_member(struct jsv_value object, struct jsv_str token)
{
    if (!memchr(token.data, '~', token.size)) {
        return jsv_value_get(object, token);
    }
    struct jsv_iter iter = jsv_value_iter(object);
    while (jsv_iter_next(&iter) && !token_is_name(token, jsv_value_text(iter.key))) {
    }
    return iter.value;
}

size_t jsv_pointer_index(struct jsv_str token)
{
    if (token.size == 0 || (token.size > 1 && token.data[0] == '0')) {
        return SIZE_MAX;
    }
    size_t index = 0;
    for (size_t i = 0; i < token.size; i++) {
        char c = token.data[i];
        if (c < '0' || c > '9' || __builtin_mul_overflow(index, 10, &index) ||
            __builtin_add_overflow(index, (size_t)(c - '0'), &index)) {
            return SIZE_MAX;
        }
    }
    return index;
}

int jsv_pointer_get(struct jsv_value value, struct jsv_str pointer, struct jsv_value *ret_value)
{
    if (!jsv_pointer_is_valid(pointer)) {
        return -EINVAL;
    }
    while (pointer.size > 0) {
        struct jsv_str token = take_token(&pointer);
        value = jsv_value_type(value) == JSV_TYPE_ARRAY
                    ? jsv_value_at(value, jsv_pointer_index(token))
                    : find_member(value, token);
    }
    if (!value.node) {
        return -ENOENT;
    }
    *ret_value = value;
    return 0;
}

size_t jsv_pointer_escaped_size(struct jsv_str name)
{
    size_t size = name.size;
    for (size_t i = 0; i < name.size; i++) {
        size += name.data[i] == '~' || name.data[i] == '/';
    }
    return size;
}

char *jsv_pointer_escape(struct jsv_str name, char *out)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        if (c == '~' || c == '/') {
            *out++ = '~';
            c = c == '~' ? '0' : '1';
        }
        *out++ = c;
    }
    return out;
}

char *jsv_pointer_unescape(struct jsv_str token, char *out)
{
    while (token.size > 0) {
        *out++ = take_character(&token);
    }
    return out;
}

int jsv_pointer_push(struct jsv_buf *pointer, struct jsv_str token)
{
    size_t size = 1 + jsv_pointer_escaped_size(token);
    int error = jsv_buf_reserve(pointer, size);
    if (error) {
        return error;
    }
    char *out = pointer->data + pointer->size;
    *out++ = '/';
    if (size == 1 + token.size && token.size > 0) {
        memcpy(out, token.data, token.size); /* nearly always */
    } else {
        jsv_pointer_escape(token, out);
    }
    pointer->size += size;
    return 0;
}

int jsv_pointer_push_index(struct jsv_buf *pointer, size_t index)
{
    char text[1 + JSV_DIGITS_MAX];
    char *end = text + sizeof(text);
    char *start = jsv_digits_before(end, index);
    *--start = '/';
    return jsv_buf_append(pointer, start, (size_t)(end - start));
}
