#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "net/http/guard.h"
#include "support/http_lines.h"

static const struct jsv_str hosts[] = {{"gate.example", 12}, {"Other.example:8443", 18}};
static const struct jsv_str origins[] = {{"https://app.example", 19}};
static const struct net_http_guard guard = {
    .hosts = hosts,
    .host_count = 2,
    .origins = origins,
    .origin_count = 1,
    .token = {"s3cret-token", 12},
};
static const struct net_http_guard no_guard;

/* A head with one header line, or without any. */
static void read_head(struct net_http_head *head, const char *field)
{
    static char lines[512];
    snprintf(lines, sizeof(lines), "GET / HTTP/1.0%s%s", field ? "|" : "", field ? field : "");
    assert_int_equal(http_lines_read(head, lines), NET_HTTP_FINE);
}

struct verdict {
    const char *field;
    unsigned expected;
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static void host(void **state)
{
    (void)state;
    static const struct verdict cases[] = {
        {NULL, false},
        {"Host: localhost", true},
        {"Host: LOCALHOST:1", true},
        {"Host: 127.0.0.1:8787", true},
        {"Host: [::1]", true},
        {"Host: [::1]:99", true},
        {"Host: localhost.", false},
        {"Host: localhost.evil.example", false},
        {"Host: 127.0.0.2", false},
        {"Host: 127.1", false},
        {"Host: 0.0.0.0", false},
        {"Host: [::2]", false},
        {"Host: gate.example", true},
        {"Host: Gate.Example:1", true},
        {"Host: gate.example.evil", false},
        {"Host: xgate.example", false},
        {"Host: other.example:8443", true},
        {"Host: other.example:8444", false},
        {"Host: other.example", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct net_http_head head;
        read_head(&head, cases[i].field);
        assert_int_equal(net_http_guard_host(&guard, &head), cases[i].expected);
    }
    struct net_http_head head;
    read_head(&head, "Host: localhost");
    assert_true(net_http_guard_host(&no_guard, &head));
    read_head(&head, "Host: gate.example");
    assert_false(net_http_guard_host(&no_guard, &head));
}

static void origin(void **state)
{
    (void)state;
    static const struct verdict cases[] = {
        {NULL, true},
        {"Origin: http://localhost", true},
        {"Origin: HTTP://localhost:3000", true},
        {"Origin: https://127.0.0.1:3000", true},
        {"Origin: http://[::1]:3000", true},
        {"Origin: https://gate.example", true},
        {"Origin: https://app.example", true},
        {"Origin: https://APP.example", true},
        {"Origin: http://app.example", false},
        {"Origin: https://app.example:444", false},
        {"Origin: https://evil.example", false},
        {"Origin: http://localhost.evil.example", false},
        {"Origin: http://localhost@evil.example", false},
        {"Origin: http://evil.example/localhost", false},
        {"Origin: http://localhost/", false},
        {"Origin: null", false},
        {"Origin:", false},
        {"Origin: localhost", false},
        {"Origin: file://", false},
        {"Origin: chrome-extension://localhost", false},
        {"Origin: http://localhost http://evil.example", false},
        {"Origin: http://localhost|Origin: http://evil.example", false},
        {"Origin: http://localhost|Origin: http://localhost", true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct net_http_head head;
        read_head(&head, cases[i].field);
        assert_int_equal(net_http_guard_origin(&guard, &head), cases[i].expected);
    }
}

static void auth(void **state)
{
    (void)state;
    static const struct verdict cases[] = {
        {NULL, NET_HTTP_AUTH_MISSING},
        {"Authorization: Bearer s3cret-token", NET_HTTP_AUTH_OK},
        {"authorization: bEARER   s3cret-token", NET_HTTP_AUTH_OK},
        {"Authorization: Bearer S3cret-token", NET_HTTP_AUTH_INVALID},
        {"Authorization: Bearer s3cret-toke", NET_HTTP_AUTH_INVALID},
        {"Authorization: Bearer s3cret-tokens", NET_HTTP_AUTH_INVALID},
        {"Authorization: Bearer s3cret-tokens3cret-token", NET_HTTP_AUTH_INVALID},
        {"Authorization: Bearer x", NET_HTTP_AUTH_INVALID},
        {"Authorization: Bearer", NET_HTTP_AUTH_MISSING},
        {"Authorization: Bearers3cret-token", NET_HTTP_AUTH_MISSING},
        {"Authorization: Basic s3cret-token", NET_HTTP_AUTH_MISSING},
        {"Authorization: s3cret-token", NET_HTTP_AUTH_MISSING},
        {"Authorization: Bearer x|Authorization: Bearer s3cret-token", NET_HTTP_AUTH_INVALID},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct net_http_head head;
        read_head(&head, cases[i].field);
        assert_int_equal(net_http_guard_auth(&guard, &head), cases[i].expected);
        assert_int_equal(net_http_guard_auth(&no_guard, &head), NET_HTTP_AUTH_OK);
    }
}

static void challenge(void **state)
{
    (void)state;
    static const struct {
        enum net_http_auth auth;
        const char *expected;
    } cases[] = {
        {NET_HTTP_AUTH_MISSING,
         "Bearer resource_metadata=\"http://a:1/.well-known/oauth-protected-resource\""},
        {NET_HTTP_AUTH_INVALID,
         "Bearer error=\"invalid_token\", "
         "resource_metadata=\"http://a:1/.well-known/oauth-protected-resource\""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct jsv_buf out;
        jsv_buf_init(&out, NULL, 512);
        net_http_guard_challenge(&out, cases[i].auth, JSV_STR("http://a:1"));
        assert_int_equal(out.error, 0);
        assert_true(jsv_str_equal(jsv_buf_str(&out), jsv_str_from(cases[i].expected)));
        jsv_buf_done(&out);
    }
}

static void content_type(void **state)
{
    (void)state;
    static const struct verdict cases[] = {
        {NULL, false},
        {"Content-Type: application/json", true},
        {"Content-Type: Application/JSON", true},
        {"Content-Type: application/json;charset=utf-8", true},
        {"Content-Type: application/json ; charset=utf-8", true},
        {"Content-Type: application/json;", true},
        {"Content-Type:", false},
        {"Content-Type: ;", false},
        {"Content-Type: text/plain", false},
        {"Content-Type: text/plain; application/json", false},
        {"Content-Type: application/jsonp", false},
        {"Content-Type: application/json-rpc", false},
        {"Content-Type: application/json, text/plain", false},
        {"Content-Type: application/x-www-form-urlencoded", false},
        {"Content-Type: text/plain|Content-Type: application/json", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct net_http_head head;
        read_head(&head, cases[i].field);
        assert_int_equal(net_http_is_json(&head), cases[i].expected);
    }
}

static void accept(void **state)
{
    (void)state;
    enum {
        NONE = 0,
        JSON = NET_HTTP_ACCEPT_JSON,
        STREAM = NET_HTTP_ACCEPT_STREAM,
        BOTH = JSON | STREAM,
        PAGE = NET_HTTP_ACCEPT_PAGE,
    };
    static const struct verdict cases[] = {
        {NULL, BOTH},
        {"Accept: application/json, text/event-stream", BOTH},
        {"Accept: application/json|Accept: text/event-stream", BOTH},
        {"Accept: */*", BOTH},
        {"Accept: Application/JSON", JSON},
        {"Accept: application/*;q=0.1", JSON},
        {"Accept: text/event-stream;q=1", STREAM},
        {"Accept: text/*", STREAM},
        {"Accept: text/html, image/png", PAGE},
        {"Accept: text/html,application/xhtml+xml,*/*;q=0.8", BOTH | PAGE},
        {"Accept: text/html, text/event-stream", STREAM},
        {"Accept: text/html;q=0, */*", BOTH},
        {"Accept:", NONE},
        {"Accept: application/jsonx", NONE},
        {"Accept: application/json;q=0", NONE},
        {"Accept: application/json; Q=0.000, text/event-stream", STREAM},
        {"Accept: application/json;q=0, */*", STREAM},
        {"Accept: */*, application/json;q=0", STREAM},
        {"Accept: */*;q=0, application/json;q=0.001", JSON},
        {"Accept: text/*;q=0, */*;q=0.5", JSON},
        {"Accept: application/json;x=\"q=0\"", JSON},
        {"Accept: application/json;x=\",\";q=0.0", NONE},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct net_http_head head;
        read_head(&head, cases[i].field);
        assert_int_equal(net_http_accepts(&head), cases[i].expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host),
        cmocka_unit_test(origin),
        cmocka_unit_test(auth),
        cmocka_unit_test(challenge),
        cmocka_unit_test(content_type),
        cmocka_unit_test(accept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
