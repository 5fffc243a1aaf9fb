#include "jsv/schema/format/format.h"

#include "jsv/json/pointer.h"
#include "jsv/schema/format/check.h"

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

/* Host names, also those in addresses, go through tables of Unicode, and patterns are parsed. */
uint64_t jsv_format_steps(enum jsv_format format, struct jsv_str text)
{
    bool dear = format == JSV_FORMAT_HOSTNAME || format == JSV_FORMAT_IDN_HOSTNAME ||
                format == JSV_FORMAT_EMAIL || format == JSV_FORMAT_IDN_EMAIL ||
                format == JSV_FORMAT_REGEX;
    return dear ? 8 + 4 * (uint64_t)text.size : 2 + text.size / 8;
}
