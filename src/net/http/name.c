/*
 * Size and first letter leave one candidate, with which the text is compared.
 * They make the place of a name in a table; where two names share one, the
 * compiler complains about a member that is initialised twice.
 */
#include "net/http/name.h"

#include <string.h>

#include "jsv/base/word.h"

#define SLOTS             64
#define SLOT(first, size) (((first) + 24 * (size)) % SLOTS)

static const struct jsv_str names[NET_HTTP_NAME_COUNT] = {
#define NAME(constant, first, text) [NET_HTTP_NAME_##constant] = {text, sizeof(text) - 1},
#include "net/http/names.def"
#undef NAME
};

static const unsigned char slots[SLOTS] = {
#define NAME(constant, first, text) [SLOT(first, sizeof(text) - 1)] = NET_HTTP_NAME_##constant,
#include "net/http/names.def"
#undef NAME
};

/* Bytes of our shortest name, and what is enough for the longest: three words. */
#define NAME_MIN 4
#define NAME_MAX (3 * sizeof(uint64_t))

_Static_assert(
#define NAME(constant, first, text) sizeof(text) - 1 >= NAME_MIN && sizeof(text) - 1 <= NAME_MAX &&
#include "net/http/names.def"
#undef NAME
    true, "is_name() compares all of a name");

/* The beginning and the end of a text that is shorter than a word. */
static uint64_t short_word(const char *data, size_t size)
{
    uint32_t halves[2];
    memcpy(&halves[0], data, sizeof(halves[0]));
    memcpy(&halves[1], data + size - sizeof(halves[1]), sizeof(halves[1]));
    return (uint64_t)halves[1] << 32 | halves[0];
}

/*
 * As net_http_equal() for words, the second of a name of ours. Its bytes are
 * small letters and hyphens. Letters alone have the bit 0x40; where it is set,
 * the bit 0x20, half of it, may be different.
 */
static bool is_same(uint64_t text, uint64_t name)
{
    return ((text ^ name) & ~(name >> 1 & UINT64_C(0x2020202020202020))) == 0;
}

static bool is_same_at(const char *text, const char *name, size_t at)
{
    return is_same(jsv_load_word(text + at), jsv_load_word(name + at));
}

/* Words that overlap cover a name of any size. */
static bool is_name(const char *text, const char *name, size_t size)
{
    if (size < sizeof(uint64_t)) {
        return is_same(short_word(text, size), short_word(name, size));
    }
    return is_same_at(text, name, 0) && is_same_at(text, name, size - sizeof(uint64_t)) &&
           (size <= 2 * sizeof(uint64_t) || is_same_at(text, name, sizeof(uint64_t)));
}

enum net_http_name net_http_name_of(struct jsv_str text)
{
    if (text.size < NAME_MIN) {
        return NET_HTTP_NAME_OTHER;
    }
    /* Makes letters small, and of other bytes something that the comparison finds out. */
    size_t first = (unsigned char)text.data[0] | 0x20;
    enum net_http_name candidate = (enum net_http_name)slots[SLOT(first, text.size)];
    struct jsv_str name = names[candidate];
    bool is_it = text.size == name.size && is_name(text.data, name.data, name.size);
    return is_it ? candidate : NET_HTTP_NAME_OTHER;
}

struct jsv_str net_http_name_text(enum net_http_name name)
{
    return names[name];
}
