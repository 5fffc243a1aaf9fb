/*
 * URI references (RFC 3986) as names of schemas: resolving one against
 * another, and telling whether two name the same.
 *
 * Every text is accepted as a reference. Characters outside the grammar of RFC
 * 3986, such as spaces or letters beyond ASCII, are kept.
 */
#pragma once

#include <jsv/jsv.h>

struct jsv_uri {
    struct jsv_str absolute; /* up to the '#' */
    struct jsv_str fragment; /* what follows it; data NULL when there is no '#' */
};

/* Cut at the first '#'; both parts are borrowed from the text. */
struct jsv_uri jsv_uri_split(struct jsv_str text);

/* The five parts, all but the path optional; an absent one has data NULL. */
struct jsv_uri_parts {
    struct jsv_str scheme;
    struct jsv_str authority;
    struct jsv_str path;
    struct jsv_str query;
    struct jsv_str fragment;
};

/* Take apart as appendix B does, but for a scheme only what can be one. Borrowed from the text. */
struct jsv_uri_parts jsv_uri_take_apart(struct jsv_str text);

/*
 * Resolve a reference as section 5.2.2 does, strictly, and normalise as
 * section 6.2.2 does: scheme and host in lower case, percent-encoding in upper
 * case and only where it is needed, no dot segments. So two names are the same
 * when their resolved texts are. The base may be empty, or itself relative.
 *
 * @param arena   The result is allocated here.
 * @param ret_uri With the reference's fragment, if it has one.
 * @return 0 or -ENOMEM.
 */
int jsv_uri_resolve(
    struct jsv_arena *arena,
    struct jsv_str base,
    struct jsv_str reference,
    struct jsv_str *ret_uri);

/*
 * Undo percent-encoding, as a fragment must be before it is a JSON Pointer.
 *
 * @param ret_text In the arena, or the text itself when nothing is encoded.
 * @return 0; -EINVAL when a '%' is not followed by two digits or the outcome is
 *         not UTF-8; -ENOMEM.
 */
int jsv_uri_decode(struct jsv_arena *arena, struct jsv_str text, struct jsv_str *ret_text);
