/*
 * Input: a base, a line feed, a reference. Whatever they are, resolving gives
 * a name that resolves to itself, against any base, if it is absolute; taking
 * apart loses nothing.
 */
#include <errno.h>

#include "fuzz.h"
#include "jsv/schema/registry/uri.h"

static struct jsv_str
resolve(struct jsv_arena *arena, struct jsv_str base, struct jsv_str reference)
{
    struct jsv_str uri = {0};
    FUZZ_CHECK(jsv_uri_resolve(arena, base, reference, &uri) == 0);
    FUZZ_CHECK(uri.data && uri.size <= base.size + reference.size + 3);
    return uri;
}

/* The parts and their marks, in order, are the text. */
static void check_parts(struct jsv_str text)
{
    struct jsv_uri_parts parts = jsv_uri_take_apart(text);
    size_t size = parts.scheme.size + (parts.scheme.data != NULL) + parts.authority.size +
                  (parts.authority.data ? 2 : 0) + parts.path.size + parts.query.size +
                  (parts.query.data != NULL) + parts.fragment.size + (parts.fragment.data != NULL);
    FUZZ_CHECK(size == text.size);
    struct jsv_uri uri = jsv_uri_split(text);
    FUZZ_CHECK(uri.absolute.size + uri.fragment.size + (uri.fragment.data != NULL) == text.size);
    FUZZ_CHECK(jsv_str_equal(uri.fragment, parts.fragment));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jsv_str reference = {(const char *)data, size};
    struct jsv_str base = fuzz_take(&reference, '\n');

    struct jsv_arena arena;
    jsv_arena_init(&arena, NULL, SIZE_MAX);
    check_parts(base);
    check_parts(reference);
    struct jsv_str uri = resolve(&arena, base, reference);
    check_parts(uri);
    FUZZ_CHECK(jsv_str_equal(resolve(&arena, JSV_STR(""), uri), uri));
    if (jsv_uri_take_apart(uri).scheme.data) {
        FUZZ_CHECK(jsv_str_equal(resolve(&arena, base, uri), uri));
    }
    /* A name is the same whether its base was resolved before or not. */
    struct jsv_str resolved = resolve(&arena, JSV_STR(""), base);
    FUZZ_CHECK(jsv_str_equal(
        resolve(&arena, resolved, JSV_STR("#x")), resolve(&arena, base, JSV_STR("#x"))));

    struct jsv_str decoded;
    int r = jsv_uri_decode(&arena, jsv_uri_split(uri).fragment, &decoded);
    FUZZ_CHECK(r == 0 || r == -EINVAL);
    jsv_arena_done(&arena);
    return 0;
}
