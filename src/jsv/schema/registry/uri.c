/*
 * A reference has five parts, all but the path optional:
 *
 *     scheme ":" "//" authority path "?" query "#" fragment
 *
 * Resolving takes the first part the reference has, and all parts after it,
 * from the reference, and those before it from the base; only where the first
 * is a relative path are the two paths merged. An absent part has data NULL,
 * which is not the same as an empty one: "?" asks for the empty query.
 *
 * Normalising never makes a text longer, so the result is written once, into
 * memory of a size known beforehand.
 */
#include "jsv/schema/registry/uri.h"

#include <errno.h>
#include <string.h>

#include "jsv/base/percent.h"
#include "jsv/base/utf8.h"
#include "jsv/schema/format/take.h"

/* ---- taking apart ---- */

/* Bytes before the first one of the set; all when there is none. */
static size_t span_before(struct jsv_str text, const char *set)
{
    size_t size = text.size;
    for (; *set && size > 0; set++) {
        const char *found = memchr(text.data, *set, size);
        size = found ? (size_t)(found - text.data) : size;
    }
    return size;
}

/* Cut the part up to one of the set off the text. */
static struct jsv_str take_before(struct jsv_str *text, const char *set)
{
    struct jsv_str part = {text->data, span_before(*text, set)};
    *text = jsv_skip(*text, part.size);
    return part;
}

/* Cut off what a mark introduces, without the mark; absent when the text does not start with it. */
static struct jsv_str take_marked(struct jsv_str *text, const char *mark, const char *set)
{
    size_t size = strlen(mark);
    if (text->size < size || memcmp(text->data, mark, size) != 0) {
        return (struct jsv_str){0};
    }
    *text = jsv_skip(*text, size);
    return take_before(text, set);
}

static struct jsv_str take_scheme(struct jsv_str *text)
{
    size_t size = 0;
    while (size < text->size &&
           (jsv_is_alpha(text->data[size]) ||
            (size > 0 && (jsv_is_digit(text->data[size]) || memchr("+-.", text->data[size], 3))))) {
        size++;
    }
    if (size == 0 || size == text->size || text->data[size] != ':') {
        return (struct jsv_str){0};
    }
    struct jsv_str scheme = {text->data, size};
    *text = jsv_skip(*text, size + 1);
    return scheme;
}

struct jsv_uri_parts jsv_uri_take_apart(struct jsv_str text)
{
    struct jsv_uri_parts parts;
    parts.scheme = take_scheme(&text);
    parts.authority = take_marked(&text, "//", "/?#");
    parts.path = take_before(&text, "?#");
    parts.query = take_marked(&text, "?", "#");
    parts.fragment = take_marked(&text, "#", "");
    return parts;
}

struct jsv_uri jsv_uri_split(struct jsv_str text)
{
    struct jsv_uri uri;
    uri.absolute = take_before(&text, "#");
    uri.fragment = take_marked(&text, "#", "");
    return uri;
}

/* ---- percent-encoding ---- */

/* The byte that a "%XX" at the start of a text encodes, or -1. The text is not empty. */
static int encoded_byte(struct jsv_str text)
{
    char byte;
    return text.data[0] == '%' && jsv_percent_byte(text, &byte) ? (unsigned char)byte : -1;
}

static bool is_unreserved(int byte)
{
    return byte > 0 && byte < 0x80 && (jsv_is_alnum((char)byte) || memchr("-._~", byte, 4));
}

int jsv_uri_decode(struct jsv_arena *arena, struct jsv_str text, struct jsv_str *ret_text)
{
    if (text.size == 0 || !memchr(text.data, '%', text.size)) {
        *ret_text = text;
        return 0;
    }
    char *data = jsv_arena_alloc(arena, text.size);
    if (!data) {
        return -ENOMEM;
    }
    struct jsv_str decoded = {data, 0};
    while (text.size > 0) {
        size_t used = jsv_percent_byte(text, &data[decoded.size]);
        if (used == 0) {
            return -EINVAL;
        }
        decoded.size++;
        text = jsv_skip(text, used);
    }
    if (jsv_utf8_valid_prefix(decoded) < decoded.size) {
        return -EINVAL;
    }
    *ret_text = decoded;
    return 0;
}

/* ---- writing ---- */

struct output {
    char *data;
    size_t size;
};

static void put(struct output *out, char c)
{
    out->data[out->size++] = c;
}

/*
 * Write a part: what need not be encoded decoded, the rest in upper case; all
 * letters lower if told. From a '%' on that encodes nothing, the rest of the
 * segment stays as it is: decoding what follows could make it encode something.
 */
static void put_part(struct output *out, struct jsv_str part, bool lower)
{
    bool sound = true;
    while (part.size > 0) {
        int byte = sound ? encoded_byte(part) : -1;
        if (byte >= 0 && !is_unreserved(byte)) {
            jsv_percent_spell((unsigned char)byte, out->data + out->size);
            out->size += 3;
        } else {
            char c = byte < 0 ? part.data[0] : (char)byte;
            sound = c == '/' || (sound && c != '%');
            put(out, lower ? jsv_to_lower(c) : c);
        }
        part = jsv_skip(part, byte < 0 ? 1 : 3);
    }
}

/* Only the host does without case; a user's name before it may not. */
static void put_authority(struct output *out, struct jsv_str authority)
{
    size_t user = authority.size;
    while (user > 0 && authority.data[user - 1] != '@') {
        user--;
    }
    put_part(out, (struct jsv_str){authority.data, user}, false);
    put_part(out, jsv_skip(authority, user), true);
}

/*
 * Section 5.2.4, in place: segment by segment, a segment being a slash and
 * what follows it. @return the new size.
 */
static size_t remove_dot_segments(char *path, size_t size)
{
    size_t in = 0;
    size_t out = 0;
    while (in < size) {
        size_t slash = path[in] == '/';
        size_t end = in + slash;
        while (end < size && path[end] != '/') {
            end++;
        }
        size_t dots = end - in - slash;
        bool dotted = (dots == 1 || dots == 2) && memcmp(path + in + slash, "..", dots) == 0;
        if (!dotted) {
            memmove(path + out, path + in, end - in);
            out += end - in;
            in = end;
            continue;
        }
        while (dots == 2 && out > 0 && path[--out] != '/') {
        }
        if (slash && end == size) {
            path[out++] = '/';
        }
        /* At the very start there is no slash before the dots; the one behind them is removed
         * instead. */
        in = slash || end == size ? end : end + 1;
    }
    return out;
}

/*
 * Some paths would be read as something else than a path: one with two slashes
 * in front as an authority, one with a colon in its first segment as a scheme.
 */
static const char *path_guard(const struct jsv_uri_parts *target, struct jsv_str path)
{
    if (target->authority.data || path.size == 0) {
        return "";
    }
    if (path.size > 1 && path.data[0] == '/' && path.data[1] == '/') {
        return "/.";
    }
    size_t colon = span_before(path, ":/");
    return !target->scheme.data && colon < path.size && path.data[colon] == ':' ? "./" : "";
}

/* The base's path up to and with its last slash: what a relative path is appended to. */
static struct jsv_str directory_of(const struct jsv_uri_parts *base)
{
    if (base->authority.data && base->path.size == 0) {
        return JSV_STR("/");
    }
    struct jsv_str directory = base->path;
    while (directory.size > 0 && directory.data[directory.size - 1] != '/') {
        directory.size--;
    }
    return directory;
}

static void
put_path(struct output *out, const struct jsv_uri_parts *target, struct jsv_str directory)
{
    size_t start = out->size;
    put_part(out, directory, false);
    put_part(out, target->path, false);
    char *path = out->data + start;
    size_t size = remove_dot_segments(path, out->size - start);
    const char *guard = path_guard(target, (struct jsv_str){path, size});
    size_t guard_size = strlen(guard);
    memmove(path + guard_size, path, size);
    memcpy(path, guard, guard_size);
    out->size = start + guard_size + size;
}

/* Bytes a result may have beyond those of base and reference: a slash between the two, a guard. */
#define RESULT_EXTRA 3

int jsv_uri_resolve(
    struct jsv_arena *arena, struct jsv_str base, struct jsv_str reference, struct jsv_str *ret_uri)
{
    struct jsv_uri_parts from = jsv_uri_take_apart(base);
    struct jsv_uri_parts target = jsv_uri_take_apart(reference);
    struct jsv_str directory = {0};
    if (!target.scheme.data) {
        target.scheme = from.scheme;
        if (!target.authority.data) {
            target.authority = from.authority;
            if (target.path.size == 0) {
                target.path = from.path;
                target.query = target.query.data ? target.query : from.query;
            } else if (target.path.data[0] != '/') {
                directory = directory_of(&from);
            }
        }
    }

    struct output out = {jsv_arena_alloc(arena, base.size + reference.size + RESULT_EXTRA), 0};
    if (!out.data) {
        return -ENOMEM;
    }
    if (target.scheme.data) {
        put_part(&out, target.scheme, true);
        put(&out, ':');
    }
    if (target.authority.data) {
        put(&out, '/');
        put(&out, '/');
        put_authority(&out, target.authority);
    }
    put_path(&out, &target, directory);
    if (target.query.data) {
        put(&out, '?');
        put_part(&out, target.query, false);
    }
    if (target.fragment.data) {
        put(&out, '#');
        put_part(&out, target.fragment, false);
    }
    *ret_uri = (struct jsv_str){out.data, out.size};
    return 0;
}
