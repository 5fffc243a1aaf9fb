/*
 * The Unicode properties of \p{…}, with exactly the names that ECMA-262 has.
 * PCRE2 knows which characters have them (Unicode 14 in version 10.42).
 */

#include <string.h>

#include "jsv/regex/charset.h"

#define NAMES_MAX 3

/* All names of a property; the first is PCRE2's, unused ones are empty. */
struct names {
    const char *names[NAMES_MAX];
};

#define GENERAL_CATEGORY(...) {{__VA_ARGS__}},
static const struct names general_categories[] = {
#include "jsv/regex/property.def"
};

#define BINARY_PROPERTY(...) {{__VA_ARGS__}},
static const struct names binary_properties[] = {
#include "jsv/regex/property.def"
};

#define SCRIPT(...) {{__VA_ARGS__}},
static const struct names scripts[] = {
#include "jsv/regex/property.def"
};

#define UNKNOWN_PROPERTY(...) {{__VA_ARGS__}},
static const struct names unknown_properties[] = {
#include "jsv/regex/property.def"
};

#define UNKNOWN_SCRIPT(...) {{__VA_ARGS__}},
static const struct names unknown_scripts[] = {
#include "jsv/regex/property.def"
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* A table with the keys that may, or must, precede "=". */
struct table {
    const char *keys[2];
    bool key_needed;
    bool known;
    const char *prefix;
    const struct names *rows;
    size_t count;
};

#define ROWS(array) .rows = (array), .count = COUNT_OF(array)

/* Without prefix PCRE2 would use Script_Extensions. */
static const struct table tables[] = {
    {{"General_Category", "gc"}, false, true, "", ROWS(general_categories)},
    {{"", ""}, false, true, "", ROWS(binary_properties)},
    {{"Script", "sc"}, true, true, "sc:", ROWS(scripts)},
    {{"Script_Extensions", "scx"}, true, true, "scx:", ROWS(scripts)},
    {{"", ""}, false, false, "", ROWS(unknown_properties)},
    {{"Script", "sc"}, true, false, "", ROWS(unknown_scripts)},
    {{"Script_Extensions", "scx"}, true, false, "", ROWS(unknown_scripts)},
};

static bool is(struct jsv_str text, const char *name)
{
    return jsv_str_equal(text, jsv_str_from(name));
}

static const char *find_name(const struct table *table, struct jsv_str name)
{
    for (size_t row = 0; row < table->count; row++) {
        for (size_t i = 0; i < NAMES_MAX; i++) {
            if (is(name, table->rows[row].names[i])) {
                return table->rows[row].names[0];
            }
        }
    }
    return NULL;
}

static bool serves(const struct table *table, struct jsv_str key)
{
    if (key.size == 0) {
        return !table->key_needed;
    }
    return is(key, table->keys[0]) || is(key, table->keys[1]);
}

bool jsv_property_find(struct jsv_str text, struct jsv_property *ret_property)
{
    const char *equals = memchr(text.data, '=', text.size);
    struct jsv_str key = {text.data, equals ? (size_t)(equals - text.data) : 0};
    struct jsv_str name = text;
    if (equals) {
        name = (struct jsv_str){equals + 1, text.size - key.size - 1};
    }
    /* An empty name would match unused names, and an empty key is not a key. */
    if (name.size == 0 || (equals && key.size == 0)) {
        return false;
    }
    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        const char *found = serves(&tables[i], key) ? find_name(&tables[i], name) : NULL;
        if (found) {
            *ret_property = (struct jsv_property){tables[i].prefix, found, tables[i].known};
            return true;
        }
    }
    return false;
}
