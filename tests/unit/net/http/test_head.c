#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/base/ascii.h"
#include "net/http/head.h"
#include "net/http/writer.h"
#include "support/http_lines.h"

static void first_lines(void **state)
{
    (void)state;
    struct net_http_head head;
    assert_int_equal(http_lines_read(&head, "DELETE /mcp?a=1?b HTTP/1.1|Host: a"), NET_HTTP_FINE);
    assert_int_equal(head.method, NET_HTTP_DELETE);
    assert_true(jsv_str_equal(head.target, JSV_STR("/mcp?a=1?b")));
    assert_true(jsv_str_equal(head.path, JSV_STR("/mcp")));
    assert_true(jsv_str_equal(head.host, JSV_STR("a")));
    assert_int_equal(head.minor, 1);

    assert_int_equal(http_lines_read(&head, "GET /? HTTP/1.0"), NET_HTTP_FINE);
    assert_true(jsv_str_equal(head.path, JSV_STR("/")));
    assert_int_equal(head.minor, 0);
}

static void methods(void **state)
{
    (void)state;
    static const struct {
        const char *lines;
        enum net_http_method method;
    } cases[] = {
        {"GET / HTTP/1.0", NET_HTTP_GET},
        {"HEAD / HTTP/1.0", NET_HTTP_HEAD},
        {"POST / HTTP/1.0|Content-Length: 0", NET_HTTP_POST},
        {"DELETE / HTTP/1.0", NET_HTTP_DELETE},
        {"PUT / HTTP/1.0", NET_HTTP_OTHER},
        {"get / HTTP/1.0", NET_HTTP_OTHER},
        {"OPTIONS * HTTP/1.0", NET_HTTP_OPTIONS},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct net_http_head head;
        assert_int_equal(http_lines_read(&head, cases[i].lines), NET_HTTP_FINE);
        assert_int_equal(head.method, cases[i].method);
    }
}

/* Which refusal; the table of tests/cases tells their statuses. */
static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *lines;
        enum net_http_refusal refusal;
    } cases[] = {
        {"GET / HTTP/2.0", NET_HTTP_REFUSAL_VERSION},
        {"GET / FTP/1.1", NET_HTTP_REFUSAL_REQUEST_LINE},
        {"GET /%4 HTTP/1.1", NET_HTTP_REFUSAL_TARGET},
        {"GET http:///x HTTP/1.1", NET_HTTP_REFUSAL_TARGET},
        {"GET http://a/%x HTTP/1.1", NET_HTTP_REFUSAL_TARGET},
        {"CONNECT a:1 HTTP/1.1", NET_HTTP_REFUSAL_METHOD},
        {"GET / HTTP/1.1| a: b", NET_HTTP_REFUSAL_FIELD_FOLD},
        {"GET / HTTP/1.1|a : b", NET_HTTP_REFUSAL_FIELD_NAME},
        {"GET / HTTP/1.1|: b", NET_HTTP_REFUSAL_FIELD_NAME},
        {"GET / HTTP/1.1|\ta", NET_HTTP_REFUSAL_FIELD_FOLD},
        {"GET / HTTP/1.1|a", NET_HTTP_REFUSAL_FIELD_NAME},
        {"GET / HTTP/1.1|content\rlength: 1", NET_HTTP_REFUSAL_FIELD_NAME},
        {"GET / HTTP/1.1|a\x01: \x01", NET_HTTP_REFUSAL_FIELD_NAME},
        {"GET / HTTP/1.1|a: \x1f", NET_HTTP_REFUSAL_FIELD_VALUE},
        {"GET / HTTP/1.1", NET_HTTP_REFUSAL_HOST},
        {"GET http://a/ HTTP/1.1|Host: b", NET_HTTP_REFUSAL_HOST},
        {"POST / HTTP/1.1|Host: a|Content-Length: x", NET_HTTP_REFUSAL_CONTENT_LENGTH},
        {"POST / HTTP/1.1|Host: a|Transfer-Encoding: x", NET_HTTP_REFUSAL_TRANSFER_ENCODING},
        {"POST / HTTP/1.0|Host: a|Transfer-Encoding: chunked", NET_HTTP_REFUSAL_TRANSFER_ENCODING},
        {"POST / HTTP/1.1|Host: a|Transfer-Encoding: chunked|Content-Length: 1",
         NET_HTTP_REFUSAL_TWO_FRAMINGS},
        {"POST / HTTP/1.1|Host: a", NET_HTTP_REFUSAL_NO_LENGTH},
        {"GET / HTTP/1.1|Host: a|Expect: x", NET_HTTP_REFUSAL_EXPECT},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct net_http_head head;
        assert_int_equal(http_lines_read(&head, cases[i].lines), cases[i].refusal);
    }
}

/* Each refusal has a status that can be answered with, and a text. */
static void refusals_are_answered(void **state)
{
    (void)state;
    for (int i = NET_HTTP_FINE + 1; i <= NET_HTTP_REFUSAL_TRAILER_SIZE; i++) {
        unsigned status = net_http_refusal_status((enum net_http_refusal)i);
        assert_true(status >= 400 && status <= 505);
        assert_non_null(net_http_status_line(status).data);
        assert_true(strlen(net_http_refusal_text((enum net_http_refusal)i)) > 0);
    }
    assert_int_equal(net_http_refusal_status(NET_HTTP_FINE), 200);
}

static void lengths(void **state)
{
    (void)state;
    static const struct {
        const char *lines;
        uint64_t length;
    } cases[] = {
        {"POST / HTTP/1.0|Content-Length: 0", 0},
        {"POST / HTTP/1.0|Content-Length: 1048576", 1048576},
        {"POST / HTTP/1.0|Content-Length: 18446744073709551614", UINT64_MAX - 1},
        {"POST / HTTP/1.0|Content-Length: 18446744073709551615", UINT64_MAX},
        {"POST / HTTP/1.0|Content-Length: 18446744073709551616", UINT64_MAX},
        {"POST / HTTP/1.0|Content-Length: 99999999999999999999999", UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct net_http_head head;
        assert_int_equal(http_lines_read(&head, cases[i].lines), NET_HTTP_FINE);
        assert_int_equal(head.content_length, cases[i].length);
        assert_false(head.chunked);
    }
}

static void connections(void **state)
{
    (void)state;
    static const struct {
        const char *lines;
        bool keep_alive;
        bool expect_continue;
    } cases[] = {
        {"GET / HTTP/1.1|Host: a", true, false},
        {"GET / HTTP/1.1|Host: a|Connection: x, CLOSE", false, false},
        {"GET / HTTP/1.1|Host: a|Connection: keep-alive|Connection: close", false, false},
        {"GET / HTTP/1.1|Host: a|Connection: closed", true, false},
        {"GET / HTTP/1.0", false, false},
        {"GET / HTTP/1.0|Connection: keep-alive", true, false},
        {"GET / HTTP/1.0|Connection: keep-alive, close", false, false},
        {"GET / HTTP/1.1|Host: a|Expect: 100-CONTINUE", true, true},
        {"GET / HTTP/1.0|Expect: 100-continue", false, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct net_http_head head;
        assert_int_equal(http_lines_read(&head, cases[i].lines), NET_HTTP_FINE);
        assert_int_equal(head.keep_alive, cases[i].keep_alive);
        assert_int_equal(head.expect_continue, cases[i].expect_continue);
    }
}

static void look_up(void **state)
{
    (void)state;
    struct net_http_head head;
    const char *lines = "GET / HTTP/1.0|Mcp-Name:  a b |x: 1|X: 1|y: 1|Y: 2|empty:";
    assert_int_equal(http_lines_read(&head, lines), NET_HTTP_FINE);
    struct jsv_str value = JSV_STR("untouched");
    assert_int_equal(net_http_head_find(&head, JSV_STR("z"), &value), NET_HTTP_ABSENT);
    assert_int_equal(net_http_head_find(&head, JSV_STR("Y"), &value), NET_HTTP_CONFLICT);
    assert_true(jsv_str_equal(value, JSV_STR("untouched")));
    assert_int_equal(net_http_head_find(&head, JSV_STR("MCP-NAME"), &value), NET_HTTP_FOUND);
    assert_true(jsv_str_equal(value, JSV_STR("a b")));
    assert_int_equal(net_http_head_find(&head, JSV_STR("x"), &value), NET_HTTP_FOUND);
    assert_true(jsv_str_equal(value, JSV_STR("1")));
    assert_int_equal(net_http_head_find(&head, JSV_STR("Empty"), &value), NET_HTTP_FOUND);
    assert_int_equal(value.size, 0);

    size_t position = 0;
    const struct net_http_field *field = net_http_head_next(&head, JSV_STR("y"), &position);
    assert_true(jsv_str_equal(field->value, JSV_STR("1")));
    field = net_http_head_next(&head, JSV_STR("y"), &position);
    assert_true(jsv_str_equal(field->name, JSV_STR("Y")));
    assert_true(jsv_str_equal(field->value, JSV_STR("2")));
    assert_null(net_http_head_next(&head, JSV_STR("y"), &position));
}

/* Names that are asked for are found without looking, unless they came more than once. */
static void look_up_known(void **state)
{
    (void)state;
    struct net_http_head head;
    const char *lines = "GET / HTTP/1.0|ORIGIN: a|Accept: b|accept: b|Mcp-Name: c|mcp-name: d"
                        "|User-Agen: e|tracestate:";
    assert_int_equal(http_lines_read(&head, lines), NET_HTTP_FINE);
    static const struct {
        enum net_http_name name;
        enum net_http_found found;
        struct jsv_str value;
    } cases[] = {
        {NET_HTTP_NAME_ORIGIN, NET_HTTP_FOUND, {"a", 1}},
        {NET_HTTP_NAME_ACCEPT, NET_HTTP_FOUND, {"b", 1}},
        {NET_HTTP_NAME_MCP_NAME, NET_HTTP_CONFLICT, {"untouched", 9}},
        {NET_HTTP_NAME_USER_AGENT, NET_HTTP_ABSENT, {"untouched", 9}},
        {NET_HTTP_NAME_TRACESTATE, NET_HTTP_FOUND, {"", 0}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct jsv_str value = JSV_STR("untouched");
        assert_int_equal(net_http_head_get(&head, cases[i].name, &value), cases[i].found);
        assert_true(jsv_str_equal(value, cases[i].value));
        value = JSV_STR("untouched");
        struct jsv_str name = net_http_name_text(cases[i].name);
        assert_int_equal(net_http_head_find(&head, name, &value), cases[i].found);
        assert_true(jsv_str_equal(value, cases[i].value));
    }
}

/* Nothing of one request is left in the next one. */
static void reset(void **state)
{
    (void)state;
    static struct net_http_head head;
    static const struct net_http_head zero;
    memset(&head, 0xff, sizeof(head));
    net_http_head_reset(&head);
    memset(head.fields, 0, sizeof(head.fields));
    assert_memory_equal(&head, &zero, sizeof(head));
}

static void trailers(void **state)
{
    (void)state;
    assert_int_equal(net_http_trailer_check(JSV_STR("Digest: x")), NET_HTTP_FINE);
    assert_int_equal(net_http_trailer_check(JSV_STR("Hostess: x")), NET_HTTP_FINE);
    assert_int_equal(net_http_trailer_check(JSV_STR("HOST: x")), NET_HTTP_REFUSAL_TRAILER);
    assert_int_equal(net_http_trailer_check(JSV_STR("expect: x")), NET_HTTP_REFUSAL_TRAILER);
    assert_int_equal(net_http_trailer_check(JSV_STR("x")), NET_HTTP_REFUSAL_FIELD_NAME);
}

#define NAME_SIZE_MAX 32

static const struct {
    enum net_http_name name;
    const char *text;
} name_cases[] = {
#define NAME(constant, first, text) {NET_HTTP_NAME_##constant, text},
#include "net/http/names.def"
#undef NAME
};
#define NAMES (sizeof(name_cases) / sizeof(name_cases[0]))

static void expect_name(const char *data, size_t size, enum net_http_name expected)
{
    assert_int_equal(net_http_name_of((struct jsv_str){data, size}), expected);
}

/* Names ignore case; the table has them in lower case. */
static void names(void **state)
{
    (void)state;
    assert_int_equal(NAMES, NET_HTTP_NAME_COUNT - 1);
    for (size_t i = 0; i < NAMES; i++) {
        char upper[NAME_SIZE_MAX];
        size_t size = strlen(name_cases[i].text);
        assert_true(jsv_str_equal(
            net_http_name_text(name_cases[i].name), (struct jsv_str){name_cases[i].text, size}));
        for (size_t at = 0; at < size; at++) {
            char c = name_cases[i].text[at];
            assert_true((c >= 'a' && c <= 'z') || c == '-');
            upper[at] = c == '-' ? c : (char)(c - 'a' + 'A');
        }
        expect_name(name_cases[i].text, size, name_cases[i].name);
        expect_name(upper, size, name_cases[i].name);
    }
}

/* A name with one byte changed is another name. */
static void no_other_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        char text[NAME_SIZE_MAX];
        size_t size = strlen(name_cases[i].text);
        memcpy(text, name_cases[i].text, size);
        for (size_t at = 0; at < size; at++) {
            for (int byte = 0; byte < 256; byte++) {
                bool same = jsv_to_lower((char)byte) == name_cases[i].text[at];
                text[at] = (char)byte;
                expect_name(text, size, same ? name_cases[i].name : NET_HTTP_NAME_OTHER);
            }
            text[at] = name_cases[i].text[at];
        }
    }
}

static void no_other_size(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        char text[NAME_SIZE_MAX] = "";
        size_t size = strlen(name_cases[i].text);
        memcpy(text, name_cases[i].text, size);
        for (size_t other = 0; other < sizeof(text); other++) {
            expect_name(text, other, other == size ? name_cases[i].name : NET_HTTP_NAME_OTHER);
        }
    }
    expect_name(NULL, 0, NET_HTTP_NAME_OTHER);
    expect_name("x-forwarded-for", 15, NET_HTTP_NAME_OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_lines),
        cmocka_unit_test(methods),
        cmocka_unit_test(refusals),
        cmocka_unit_test(refusals_are_answered),
        cmocka_unit_test(lengths),
        cmocka_unit_test(connections),
        cmocka_unit_test(look_up),
        cmocka_unit_test(look_up_known),
        cmocka_unit_test(reset),
        cmocka_unit_test(trailers),
        cmocka_unit_test(names),
        cmocka_unit_test(no_other_byte),
        cmocka_unit_test(no_other_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
