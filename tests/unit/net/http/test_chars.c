#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/base/ascii.h"
#include "net/http/chars.h"

/* Each kind as the RFCs spell it out, against the table, for all bytes. */
static void kinds(void **state)
{
    (void)state;
    static const char alnum[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (int byte = 0; byte < 256; byte++) {
        bool is_alnum = byte != 0 && strchr(alnum, byte);
        bool token = byte != 0 && strchr("!#$%&'*+-.^_`|~", byte);
        bool target = byte != 0 && strchr("-._~!$&'()*+,;=:@/?%", byte);
        bool host = byte != 0 && strchr("-._", byte);
        bool value = byte == '\t' || (byte >= 0x20 && byte != 0x7f);
        char c = (char)byte;
        assert_int_equal(net_http_char_is(c, NET_HTTP_CHAR_TOKEN), is_alnum || token);
        assert_int_equal(net_http_char_is(c, NET_HTTP_CHAR_TARGET), is_alnum || target);
        assert_int_equal(net_http_char_is(c, NET_HTTP_CHAR_HOST), is_alnum || host);
        bool plain = (is_alnum || target) && byte != '%' && byte != '?';
        assert_int_equal(net_http_char_is(c, NET_HTTP_CHAR_PLAIN), plain);
        assert_int_equal(net_http_char_is(c, NET_HTTP_CHAR_VALUE), value);
    }
}

static void span(void **state)
{
    (void)state;
    assert_int_equal(net_http_span(JSV_STR("Content-Length: 1"), NET_HTTP_CHAR_TOKEN), 14);
    assert_int_equal(net_http_span(JSV_STR("abc"), NET_HTTP_CHAR_TOKEN), 3);
    assert_int_equal(net_http_span(JSV_STR(" a"), NET_HTTP_CHAR_TOKEN), 0);
    assert_int_equal(net_http_span((struct jsv_str){NULL, 0}, NET_HTTP_CHAR_TOKEN), 0);
}

/* Every byte at every place of texts of up to more than two blocks, among others. */
static void expect_values(char other)
{
    char text[35];
    for (size_t size = 0; size <= sizeof(text); size++) {
        memset(text, other, sizeof(text));
        assert_true(net_http_is_value((struct jsv_str){text, size}));
        for (size_t i = 0; i < size; i++) {
            for (int byte = 0; byte < 256; byte++) {
                text[i] = (char)byte;
                bool expected = net_http_char_is((char)byte, NET_HTTP_CHAR_VALUE);
                assert_int_equal(net_http_is_value((struct jsv_str){text, size}), expected);
            }
            text[i] = other;
        }
    }
}

static void values(void **state)
{
    (void)state;
    expect_values('x');
    expect_values('\x80');
    expect_values('\t');
}

static void trim(void **state)
{
    (void)state;
    assert_true(jsv_str_equal(net_http_trim(JSV_STR(" \t a b\t ")), JSV_STR("a b")));
    assert_true(jsv_str_equal(net_http_trim(JSV_STR("a")), JSV_STR("a")));
    assert_int_equal(net_http_trim(JSV_STR(" \t ")).size, 0);
    assert_int_equal(net_http_trim((struct jsv_str){NULL, 0}).size, 0);
    /* Other white space is none in HTTP. */
    assert_int_equal(net_http_trim(JSV_STR("\x0b\xa0")).size, 2);
}

static void compare(void **state)
{
    (void)state;
    assert_true(net_http_equal(JSV_STR("Host"), JSV_STR("hOST")));
    assert_true(net_http_equal(JSV_STR(""), JSV_STR("")));
    assert_false(net_http_equal(JSV_STR("Host"), JSV_STR("Hosts")));
    assert_false(net_http_equal(JSV_STR("Host"), JSV_STR("Hos")));
    assert_false(net_http_equal(JSV_STR("Host"), JSV_STR("Hose")));
    /* Bytes that differ only in the bit that tells cases apart are not letters. */
    assert_false(net_http_equal(JSV_STR("@"), JSV_STR("`")));
    assert_false(net_http_equal(JSV_STR("\r"), JSV_STR("-")));
    assert_true(net_http_begins(JSV_STR("BEARER x"), JSV_STR("bearer ")));
    assert_false(net_http_begins(JSV_STR("Bear"), JSV_STR("bearer ")));
    assert_false(net_http_begins(JSV_STR("Basic xyz"), JSV_STR("bearer ")));
}

/* Any two bytes, at any place: names are compared eight bytes at a time. */
static void compare_everywhere(void **state)
{
    (void)state;
    for (unsigned a = 0; a < 256; a++) {
        for (unsigned b = 0; b < 256; b++) {
            char first[] = "Content-Length";
            char second[] = "cONTENT-lENGTH";
            size_t place = (a + b) % (sizeof(first) - 1);
            first[place] = (char)a;
            second[place] = (char)b;
            bool expected = jsv_to_lower((char)a) == jsv_to_lower((char)b);
            assert_int_equal(
                net_http_equal(
                    (struct jsv_str){first, sizeof(first) - 1},
                    (struct jsv_str){second, sizeof(second) - 1}),
                expected);
        }
    }
}

static void expect_list(struct jsv_str list, const char *expected)
{
    char joined[256] = "";
    size_t size = 0;
    struct jsv_str element;
    while (net_http_list_next(&list, &element)) {
        memcpy(joined + size, element.data, element.size);
        size += element.size;
        joined[size++] = '|';
    }
    assert_int_equal(list.size, 0);
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(joined, expected, size);
}

static void lists(void **state)
{
    (void)state;
    expect_list(JSV_STR(""), "");
    expect_list((struct jsv_str){NULL, 0}, "");
    expect_list(JSV_STR(" , ,, "), "");
    expect_list(JSV_STR("a"), "a|");
    expect_list(JSV_STR("a,b"), "a|b|");
    expect_list(JSV_STR(" a ,\tb c, "), "a|b c|");
    expect_list(JSV_STR("a;x=\",\",b"), "a;x=\",\"|b|");
    expect_list(JSV_STR("\"a\\\",b\",c"), "\"a\\\",b\"|c|");
    expect_list(JSV_STR("\"a,b"), "\"a,b|");
    expect_list(JSV_STR("\"a\\"), "\"a\\|");
    /* Outside quotes a backslash is a character like others. */
    expect_list(JSV_STR("a\\,b"), "a\\|b|");
}

static void authorities_are_taken_apart(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *host;
        const char *port;
    } cases[] = {
        {"localhost", "localhost", ""},
        {"localhost:1", "localhost", "1"},
        {"a-b.example_c.com:65535", "a-b.example_c.com", "65535"},
        {"127.0.0.1:8787", "127.0.0.1", "8787"},
        {"[::1]", "[::1]", ""},
        {"[::FFFF:1.2.3.4]:80", "[::FFFF:1.2.3.4]", "80"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct net_http_authority authority;
        assert_true(net_http_authority_parse(jsv_str_from(cases[i].text), &authority));
        assert_true(jsv_str_equal(authority.host, jsv_str_from(cases[i].host)));
        assert_true(jsv_str_equal(authority.port, jsv_str_from(cases[i].port)));
    }
}

static void other_authorities_are_refused(void **state)
{
    (void)state;
    static const struct jsv_str cases[] = {
        {NULL, 0},      {"", 0},         {":80", 3},
        {"a:", 2},      {"a:b", 3},      {"a:8b", 4},
        {"a:-1", 4},    {"a:123456", 8}, {"a:80:80", 7},
        {"a b", 3},     {"a@b", 3},      {"a%41", 4},
        {"a/", 2},      {"a\0b", 3},     {"::1", 3},
        {"[", 1},       {"[]", 2},       {"[::1", 4},
        {"[::1]x", 6},  {"[::1]:", 6},   {"[::1%25eth0]", 12},
        {"[:\0:1]", 6}, {"[v1.a]", 6},   {"caf\xc3\xa9", 5},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct net_http_authority authority = {.host = JSV_STR("untouched")};
        assert_false(net_http_authority_parse(cases[i], &authority));
        assert_true(jsv_str_equal(authority.host, JSV_STR("untouched")));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),
        cmocka_unit_test(span),
        cmocka_unit_test(values),
        cmocka_unit_test(trim),
        cmocka_unit_test(compare),
        cmocka_unit_test(compare_everywhere),
        cmocka_unit_test(lists),
        cmocka_unit_test(authorities_are_taken_apart),
        cmocka_unit_test(other_authorities_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
