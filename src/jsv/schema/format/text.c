/*
 * Relative JSON Pointers and UUIDs.
 */
#include "jsv/json/pointer.h"
#include "jsv/schema/format/check.h"
#include "jsv/schema/format/take.h"

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

bool jsv_format_relative_pointer_plain(struct jsv_str text)
{
    return take_integer(&text) && is_pointer_or_hash(text);
}

/* As above, with a step along the array in between: "0-1". */
bool jsv_format_relative_pointer(struct jsv_str text)
{
    if (!take_integer(&text)) {
        return false;
    }
    if ((jsv_take_char(&text, '+') || jsv_take_char(&text, '-')) && !take_integer(&text)) {
        return false;
    }
    return is_pointer_or_hash(text);
}

bool jsv_format_uuid(struct jsv_str text)
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
