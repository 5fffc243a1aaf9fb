/*
 * The Unicode properties that \p{…} can name, spelled as ECMA-262 wants them:
 * exactly. Which characters have them is PCRE2's knowledge (Unicode 14 in
 * 10.42), so the tables hold names alone.
 */
#pragma once

#include <jsv/jsv.h>

/* A property as PCRE2 spells it: \p{<prefix><name>}. */
struct jsv_property {
    const char *prefix;
    const char *name;
    bool known; /* to PCRE2; else it is a valid name and no more */
};

/* Look up what stands between the braces: "Lu", "Script=Greek", "Emoji". */
bool jsv_property_find(struct jsv_str text, struct jsv_property *ret_property);
