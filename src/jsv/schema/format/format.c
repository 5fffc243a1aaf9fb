#include "jsv/schema/format/format.h"

#include <errno.h>

#include <jsv/json.h>

#include "jsv/base/alloc.h"
#include "jsv/base/base64.h"
#include "jsv/json/pointer.h"
#include "jsv/regex/regex.h"
#include "jsv/schema/format/take.h"

/* ---- small formats: JSON Pointers, UUIDs, patterns ---- */

/* "0", or digits without a zero in front. */
static bool take_integer(struct jsv_str *text)
{
    bool leading_zero = text->size > 0 && text->data[0] == '0';
    size_t digits = jsv_take_digits(text);
    return digits == 1 || (digits > 1 && !leading_zero);
}

static bool is_pointer_or_hash(struct jsv_str text)
{
    return (text.size == 1 && text.data[0] == '#') || jsv_pointer_is_valid(text);
}

int jsv_format_json_pointer(struct jsv_str text)
{
    return jsv_pointer_is_valid(text);
}

int jsv_format_relative_pointer_plain(struct jsv_str text)
{
    return take_integer(&text) && is_pointer_or_hash(text);
}

/* The same with an index adjustment in between: "0-1". */
int jsv_format_relative_pointer(struct jsv_str text)
{
    if (!take_integer(&text)) {
        return false;
    }
    if ((jsv_take_char(&text, '+') || jsv_take_char(&text, '-')) && !take_integer(&text)) {
        return false;
    }
    return is_pointer_or_hash(text);
}

int jsv_format_uuid(struct jsv_str text)
{
    if (text.size != 36) {
        return false;
    }
    for (size_t i = 0; i < text.size; i++) {
        bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;
        if (hyphen ? text.data[i] != '-' : jsv_hex_value(text.data[i]) < 0) {
            return false;
        }
    }
    return true;
}

/* A pattern beyond a limit of the regex folder cannot be used here and is not accepted. */
int jsv_format_regex(struct jsv_str text)
{
    int r = jsv_regex_check(text, NULL, NULL);
    return r == -ENOMEM ? r : r == 0;
}

/* ---- the table ---- */

static const struct {
    struct jsv_str name;
    enum jsv_draft first;
    enum jsv_draft last;
} formats[] = {
#define FORMAT(constant, name, first, last, check)                                                 \
    [JSV_FORMAT_##constant] = {{name, sizeof(name) - 1}, JSV_DRAFT_##first, JSV_DRAFT_##last},
#include "jsv/schema/format/formats.def"
#undef FORMAT
};

bool jsv_format_find(struct jsv_str name, enum jsv_draft draft, enum jsv_format *ret_format)
{
    for (unsigned i = 0; i < JSV_FORMAT_COUNT; i++) {
        if (draft >= formats[i].first && draft <= formats[i].last &&
            jsv_str_equal(name, formats[i].name)) {
            *ret_format = (enum jsv_format)i;
            return true;
        }
    }
    return false;
}

int jsv_format_valid(enum jsv_format format, struct jsv_str text)
{
    switch (format) {
#define FORMAT(constant, name, first, last, check)                                                 \
    case JSV_FORMAT_##constant:                                                                    \
        return check(text);
#include "jsv/schema/format/formats.def"
#undef FORMAT
    case JSV_FORMAT_COUNT:
        break;
    }
    __builtin_unreachable();
}

/* Host names, also in mail addresses, need Unicode tables, and patterns are parsed. */
uint64_t jsv_format_steps(enum jsv_format format, struct jsv_str text)
{
    bool is_slow = format == JSV_FORMAT_HOSTNAME || format == JSV_FORMAT_IDN_HOSTNAME ||
                   format == JSV_FORMAT_EMAIL || format == JSV_FORMAT_IDN_EMAIL ||
                   format == JSV_FORMAT_REGEX;
    return is_slow ? 8 + 4 * (uint64_t)text.size : 2 + text.size / 8;
}

/* ---- contentEncoding, contentMediaType ---- */

bool jsv_content_encoded(struct jsv_str encoding, struct jsv_str text)
{
    return !jsv_str_equal(encoding, JSV_STR("base64")) || jsv_base64_decode(text, NULL) != SIZE_MAX;
}

static int is_json(struct jsv_str text, const struct jsv_allocator *allocator)
{
    struct jsv_reader *reader = jsv_reader_new(allocator, NULL);
    struct jsv_document *document = jsv_document_new(allocator);
    int r = -ENOMEM;
    if (reader && document) {
        r = jsv_read(reader, document, text, JSV_READ_LAST_WINS, NULL);
    }
    jsv_reader_free(reader);
    jsv_document_free(document);
    return r == -ENOMEM ? r : r == 0;
}

int jsv_content_is(
    struct jsv_str media_type,
    struct jsv_str encoding,
    struct jsv_str text,
    const struct jsv_allocator *allocator)
{
    if (!jsv_str_equal(media_type, JSV_STR("application/json"))) {
        return 1;
    }
    if (!jsv_str_equal(encoding, JSV_STR("base64"))) {
        return is_json(text, allocator);
    }
    if (jsv_base64_decode(text, NULL) == SIZE_MAX) {
        return 1; /* reported by contentEncoding */
    }
    char *decoded = jsv_alloc(allocator, text.size + 1);
    if (!decoded) {
        return -ENOMEM;
    }
    int r = is_json((struct jsv_str){decoded, jsv_base64_decode(text, decoded)}, allocator);
    jsv_dealloc(allocator, decoded, text.size + 1);
    return r;
}
