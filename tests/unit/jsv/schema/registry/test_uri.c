#include <errno.h>
#include <string.h>

#include "jsv/schema/registry/uri.h"
#include "support/count_of.h"
#include "support/json_fixture.h"
#include "support/random.h"
#include "support/texts.h"
#include "support/torture.h"

static struct jsv_str
resolve(struct json_fixture *fixture, struct jsv_str base, struct jsv_str reference)
{
    struct jsv_str uri = {0};
    assert_int_equal(jsv_uri_resolve(&fixture->scratch, base, reference, &uri), 0);
    return uri;
}

static void
expect(struct json_fixture *fixture, const char *base, const char *reference, const char *expected)
{
    struct jsv_str uri = resolve(fixture, jsv_str_from(base), jsv_str_from(reference));
    assert_text(uri, expected);
    /* An absolute URI is unchanged, whatever the base. */
    assert_text(resolve(fixture, JSV_STR(""), uri), expected);
    if (strncmp(expected, "http:", 5) == 0) {
        assert_text(resolve(fixture, JSV_STR("ftp://other/base?with#all"), uri), expected);
    }
}

struct example {
    const char *reference;
    const char *expected;
};

static void expect_all(
    struct json_fixture *fixture, const char *base, const struct example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        expect(fixture, base, examples[i].reference, examples[i].expected);
    }
}

/* RFC 3986, section 5.4.1. */
static void normal_examples(void **state)
{
    static const struct example examples[] = {
        {"g:h", "g:h"},
        {"g", "http://a/b/c/g"},
        {"./g", "http://a/b/c/g"},
        {"g/", "http://a/b/c/g/"},
        {"/g", "http://a/g"},
        {"//g", "http://g"},
        {"?y", "http://a/b/c/d;p?y"},
        {"g?y", "http://a/b/c/g?y"},
        {"#s", "http://a/b/c/d;p?q#s"},
        {"g#s", "http://a/b/c/g#s"},
        {"g?y#s", "http://a/b/c/g?y#s"},
        {";x", "http://a/b/c/;x"},
        {"g;x", "http://a/b/c/g;x"},
        {"g;x?y#s", "http://a/b/c/g;x?y#s"},
        {"", "http://a/b/c/d;p?q"},
        {".", "http://a/b/c/"},
        {"./", "http://a/b/c/"},
        {"..", "http://a/b/"},
        {"../", "http://a/b/"},
        {"../g", "http://a/b/g"},
        {"../..", "http://a/"},
        {"../../", "http://a/"},
        {"../../g", "http://a/g"},
    };
    expect_all(*state, "http://a/b/c/d;p?q", examples, COUNT_OF(examples));
}

/* Section 5.4.2, and as strictly as it may be. */
static void abnormal_examples(void **state)
{
    static const struct example examples[] = {
        {"../../../g", "http://a/g"},
        {"../../../../g", "http://a/g"},
        {"/./g", "http://a/g"},
        {"/../g", "http://a/g"},
        {"g.", "http://a/b/c/g."},
        {".g", "http://a/b/c/.g"},
        {"g..", "http://a/b/c/g.."},
        {"..g", "http://a/b/c/..g"},
        {"./../g", "http://a/b/g"},
        {"./g/.", "http://a/b/c/g/"},
        {"g/./h", "http://a/b/c/g/h"},
        {"g/../h", "http://a/b/c/h"},
        {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
        {"g;x=1/../y", "http://a/b/c/y"},
        {"g?y/./x", "http://a/b/c/g?y/./x"},
        {"g?y/../x", "http://a/b/c/g?y/../x"},
        {"g#s/./x", "http://a/b/c/g#s/./x"},
        {"g#s/../x", "http://a/b/c/g#s/../x"},
        {"http:g", "http:g"},
    };
    expect_all(*state, "http://a/b/c/d;p?q", examples, COUNT_OF(examples));
}

static void other_bases(void **state)
{
    static const struct {
        const char *base;
        struct example example;
    } examples[] = {
        /* no authority, no slashes */
        {"urn:example:schema", {"", "urn:example:schema"}},
        {"urn:example:schema", {"#/a", "urn:example:schema#/a"}},
        {"urn:example:schema", {"?x#y", "urn:example:schema?x#y"}},
        {"urn:example:schema", {"other", "urn:other"}},
        {"urn:example:a/b", {"c", "urn:example:a/c"}},
        {"urn:example:a/b", {"../c", "urn:/c"}},
        {"urn:example:schema", {"urn:Example:Other#x", "urn:Example:Other#x"}},
        {"URN:uuid:DEADBEEF", {"#a", "urn:uuid:DEADBEEF#a"}},
        {"tag:example.com,2024:schemas/a", {"#b", "tag:example.com,2024:schemas/a#b"}},
        {"tag:example.com,2024:schemas/a", {"b", "tag:example.com,2024:schemas/b"}},
        /* nothing, or not much, to start from */
        {"", {"", ""}},
        {"", {"#", "#"}},
        {"", {"#/definitions/a", "#/definitions/a"}},
        {"", {"a.json#b", "a.json#b"}},
        {"", {"/a", "/a"}},
        {"", {"//h", "//h"}},
        {"", {"../a", "a"}},
        {"", {"./../../a", "a"}},
        {"", {"..", ""}},
        {"", {".", ""}},
        {"", {"http://a", "http://a"}},
        {"dir/a.json", {"b.json", "dir/b.json"}},
        {"dir/a.json?q", {"#x", "dir/a.json?q#x"}},
        {"/dir/a.json", {"../../b.json", "/b.json"}},
        {"//host", {"a", "//host/a"}},
        {"//host/", {"a", "//host/a"}},
        /* an authority without a path gets one */
        {"http://a", {"b", "http://a/b"}},
        {"http://a?q", {"b", "http://a/b"}},
        {"http://a", {"", "http://a"}},
        {"http://a", {"?", "http://a?"}},
        {"http://a#old", {"", "http://a"}},
        {"http://a#old", {"#", "http://a#"}},
        {"http://a/b/", {"c/", "http://a/b/c/"}},
        {"file:///etc/a", {"b", "file:///etc/b"}},
        /* a base's own dots go as well */
        {"http://a/b/../c/./d", {"#x", "http://a/c/d#x"}},
        {"http://a/..", {"", "http://a/"}},
    };
    for (size_t i = 0; i < COUNT_OF(examples); i++) {
        expect(
            *state, examples[i].base, examples[i].example.reference, examples[i].example.expected);
    }
}

/* Equal URIs are spelled the same. */
static void normalises(void **state)
{
    static const struct example examples[] = {
        {"HTTP://Example.COM/Path?Query#Fragment", "http://example.com/Path?Query#Fragment"},
        {"http://User@HOST:80/", "http://User@host:80/"},
        {"http://a@b@HOST/", "http://a@b@host/"},
        {"http://%41%2d%7E%5f/", "http://a-~_/"},
        {"http://h/%7euser/%41%2e%2e%2f", "http://h/~user/A..%2F"},
        {"http://h/%e2%82%ac?%aa#%bb", "http://h/%E2%82%AC?%AA#%BB"},
        {"http://h/a/%2E%2e/b", "http://h/b"},
        {"http://h/%00%20%25%7f", "http://h/%00%20%25%7F"},
        {"http://h/\u00e9", "http://h/\u00e9"},
        {"http://h/a b", "http://h/a b"},
        {"g+1.-:x", "g+1.-:x"},
        /* a '%' that encodes nothing, and what follows it in the segment */
        {"http://h/%61%zz%61", "http://h/a%zz%61"},
        {"http://h/%%36%31", "http://h/%%36%31"},
        {"http://h/%", "http://h/%"},
        {"http://h/%4", "http://h/%4"},
        {"http://h/%4?%41", "http://h/%4?A"},
        {"http://h/%4/%41", "http://h/%4/A"},
        {"http://h/%4/../%41", "http://h/A"},
    };
    expect_all(*state, "", examples, COUNT_OF(examples));
}

/* A prefix that is not a scheme is part of a path. */
static void keeps_paths_apart(void **state)
{
    static const struct example examples[] = {
        {"1a:b", "./1a:b"},
        {"a_b:c", "./a_b:c"},
        {":b", "./:b"},
        {"./a:b", "./a:b"},
        {"x/../a:b", "/a:b"},
        {"a/b:c", "a/b:c"},
        {"x:/.//y", "x:/.//y"},
        {"x:/a/..//y", "x:/.//y"},
        {"/.//y", "/.//y"},
        {"x://h/..//y", "x://h//y"},
        {"x:", "x:"},
        {"x:?", "x:?"},
        {"x:a:b", "x:a:b"},
        {"?a:b", "?a:b"},
    };
    expect_all(*state, "", examples, COUNT_OF(examples));
    expect(*state, "http://a/b", "1:c", "http://a/1:c");
}

static void takes_null_and_nul(void **state)
{
    struct jsv_str none = {0};
    assert_text(resolve(*state, none, none), "");
    assert_text(resolve(*state, none, JSV_STR("a")), "a");
    assert_text(resolve(*state, JSV_STR("http://h/a"), none), "http://h/a");
    struct jsv_str uri = resolve(*state, JSV_STR("http://h/a"), JSV_STR("b\0c?\0#\0"));
    assert_true(jsv_str_equal(uri, JSV_STR("http://h/b\0c?\0#\0")));
}

static void splits(void **state)
{
    (void)state;
    struct jsv_uri uri = jsv_uri_split(JSV_STR("http://a/b?c#/d#e"));
    assert_text(uri.absolute, "http://a/b?c");
    assert_text(uri.fragment, "/d#e");
    uri = jsv_uri_split(JSV_STR("a#"));
    assert_text(uri.absolute, "a");
    assert_non_null(uri.fragment.data);
    assert_int_equal(uri.fragment.size, 0);
    uri = jsv_uri_split(JSV_STR("a"));
    assert_text(uri.absolute, "a");
    assert_null(uri.fragment.data);
    uri = jsv_uri_split(JSV_STR("#a"));
    assert_text(uri.absolute, "");
    assert_text(uri.fragment, "a");
    uri = jsv_uri_split((struct jsv_str){0});
    assert_int_equal(uri.absolute.size, 0);
    assert_null(uri.fragment.data);
}

static void takes_apart(void **state)
{
    (void)state;
    struct jsv_uri_parts parts = jsv_uri_take_apart(JSV_STR("s://a:b@c:d/e?f?g#h?i#"));
    assert_text(parts.scheme, "s");
    assert_text(parts.authority, "a:b@c:d");
    assert_text(parts.path, "/e");
    assert_text(parts.query, "f?g");
    assert_text(parts.fragment, "h?i#");
    parts = jsv_uri_take_apart(JSV_STR("//?#"));
    assert_null(parts.scheme.data);
    assert_non_null(parts.authority.data);
    assert_int_equal(parts.authority.size, 0);
    assert_int_equal(parts.path.size, 0);
    assert_non_null(parts.query.data);
    assert_non_null(parts.fragment.data);
    parts = jsv_uri_take_apart(JSV_STR("a/b"));
    assert_null(parts.authority.data);
    assert_null(parts.query.data);
    assert_null(parts.fragment.data);
    assert_text(parts.path, "a/b");
}

static void decodes(void **state)
{
    struct json_fixture *fixture = *state;
    static const struct example examples[] = {
        {"", ""},
        {"/a/b", "/a/b"},
        {"/%25%22%5E", "/%\"^"},
        {"%2Fa%2fb", "/a/b"},
        {"/~0~1%7e1", "/~0~1~1"},
        {"%E2%82%AC", "\u20ac"},
        {"\u00e9%C3%A9", "\u00e9\u00e9"},
    };
    for (size_t i = 0; i < COUNT_OF(examples); i++) {
        struct jsv_str text = jsv_str_from(examples[i].reference);
        struct jsv_str decoded = {0};
        assert_int_equal(jsv_uri_decode(&fixture->scratch, text, &decoded), 0);
        assert_text(decoded, examples[i].expected);
        assert_true((decoded.data == text.data) == !strchr(examples[i].reference, '%'));
    }
    struct jsv_str decoded = {0};
    assert_int_equal(jsv_uri_decode(&fixture->scratch, JSV_STR("a%00b"), &decoded), 0);
    assert_true(jsv_str_equal(decoded, JSV_STR("a\0b")));
    assert_int_equal(jsv_uri_decode(&fixture->scratch, (struct jsv_str){0}, &decoded), 0);
    assert_int_equal(decoded.size, 0);

    static const char *const refused[] = {
        "%", "%4", "a%", "%zz", "%4z", "%z4", "%%41", "%80", "%C3", "%C3%28", "%ED%A0%80", "%FF"};
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        decoded = JSV_STR("untouched");
        int r = jsv_uri_decode(&fixture->scratch, jsv_str_from(refused[i]), &decoded);
        assert_int_equal(r, -EINVAL);
        assert_text(decoded, "untouched");
    }
}

/* Any text at all: an outcome that stays, and has no room beyond what was promised. */
static void settles(void **state)
{
    struct json_fixture *fixture = *state;
    static const char alphabet[] = ":/?#.%@ax24E\0";
    uint64_t random = 1;
    for (int i = 0; i < 200000; i++) {
        char text[2][12];
        struct jsv_str pair[2];
        for (int k = 0; k < 2; k++) {
            pair[k] = (struct jsv_str){text[k], random_below(&random, sizeof(text[k]) + 1)};
            for (size_t c = 0; c < pair[k].size; c++) {
                text[k][c] = alphabet[random_below(&random, sizeof(alphabet))];
            }
        }
        jsv_arena_reset(&fixture->scratch);
        struct jsv_str once = resolve(fixture, pair[0], pair[1]);
        assert_true(once.size <= pair[0].size + pair[1].size + 3);
        struct jsv_str twice = resolve(fixture, JSV_STR(""), once);
        if (!jsv_str_equal(once, twice)) {
            fail_msg(
                "\"%.*s\" becomes \"%.*s\"",
                (int)once.size,
                once.data,
                (int)twice.size,
                twice.data);
        }
        /* The base's part of the name is the same, whether taken raw or resolved. */
        struct jsv_str base = resolve(fixture, JSV_STR(""), pair[0]);
        assert_true(jsv_str_equal(
            resolve(fixture, base, JSV_STR("#x")), resolve(fixture, pair[0], JSV_STR("#x"))));
    }
}

static int resolve_and_decode(const struct jsv_allocator *allocator, void *state)
{
    (void)state;
    struct jsv_arena arena;
    jsv_arena_init(&arena, allocator, SIZE_MAX);
    struct jsv_str text = JSV_STR("untouched");
    int r = jsv_uri_resolve(&arena, JSV_STR("http://a/b"), JSV_STR("c#%41"), &text);
    if (r == 0) {
        assert_text(text, "http://a/c#A");
        r = jsv_uri_decode(&arena, JSV_STR("%41"), &text);
    }
    if (r < 0) {
        assert_text(text, "untouched");
    }
    jsv_arena_done(&arena);
    return r;
}

static void survives_no_memory(void **state)
{
    assert_int_equal(torture_run(resolve_and_decode, *state), 1);
    /* A budget that the first one uses up. */
    struct jsv_arena arena;
    jsv_arena_init(&arena, NULL, 0);
    struct jsv_str text = JSV_STR("untouched");
    assert_int_equal(jsv_uri_resolve(&arena, text, text, &text), -ENOMEM);
    assert_int_equal(jsv_uri_decode(&arena, JSV_STR("%41"), &text), -ENOMEM);
    assert_text(text, "untouched");
    jsv_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(normal_examples),
        JSON_TEST(abnormal_examples),
        JSON_TEST(other_bases),
        JSON_TEST(normalises),
        JSON_TEST(keeps_paths_apart),
        JSON_TEST(takes_null_and_nul),
        JSON_TEST(splits),
        JSON_TEST(takes_apart),
        JSON_TEST(decodes),
        JSON_TEST(settles),
        JSON_TEST(survives_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
