#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/http/authority.h"

static void takes_apart(void **state)
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

static void refuses(void **state)
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
        cmocka_unit_test(takes_apart),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
