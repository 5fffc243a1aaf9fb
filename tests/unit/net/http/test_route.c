#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "net/http/route.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static void finds(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        enum net_http_route route;
        const char *parameter;
        const char *allow;
    } cases[] = {
        {"/", NET_HTTP_ROUTE_PAGE, "", "GET, HEAD"},
        {"/page/app.js", NET_HTTP_ROUTE_PAGE_FILE, "app.js", "GET, HEAD"},
        {"/mcp", NET_HTTP_ROUTE_MCP, "", "GET, HEAD, POST, DELETE"},
        {"/rpc", NET_HTTP_ROUTE_RPC, "", "POST"},
        {"/mcp/tool/echo", NET_HTTP_ROUTE_TOOL, "echo", "POST"},
        {"/mcp/tool/a%20b", NET_HTTP_ROUTE_TOOL, "a b", "POST"},
        {"/mcp/tool/%C3%A9", NET_HTTP_ROUTE_TOOL, "\xc3\xa9", "POST"},
        {"/mcp/tool/a%2520", NET_HTTP_ROUTE_TOOL, "a%20", "POST"},
        {"/mcp/tool/..%2Fa%5cb", NET_HTTP_ROUTE_TOOL, "../a\\b", "POST"},
        {"/mcp/prompt/%2e%2E", NET_HTTP_ROUTE_PROMPT, "..", "GET, HEAD"},
        {"/mcp/discover", NET_HTTP_ROUTE_DISCOVER, "", "GET, HEAD"},
        {"/mcp/prompt/p.q", NET_HTTP_ROUTE_PROMPT, "p.q", "GET, HEAD"},
        {"/v1/invoke", NET_HTTP_ROUTE_INVOKE, "", "POST"},
        {"/v1/tools", NET_HTTP_ROUTE_TOOLS, "", "GET, HEAD"},
        {"/schemas/request.schema.json", NET_HTTP_ROUTE_SCHEMA, "request.schema.json", "GET, HEAD"},
        {"/schemas/...", NET_HTTP_ROUTE_SCHEMA, "...", "GET, HEAD"},
        {"/openapi.json", NET_HTTP_ROUTE_OPENAPI, "", "GET, HEAD"},
        {"/healthz", NET_HTTP_ROUTE_HEALTH, "", "GET, HEAD"},
        {"/readyz", NET_HTTP_ROUTE_READY, "", "GET, HEAD"},
        {"/metrics", NET_HTTP_ROUTE_METRICS, "", "GET, HEAD"},
        {"/diagnostics", NET_HTTP_ROUTE_DIAGNOSTICS, "", "GET, HEAD"},
        {"/.well-known/oauth-protected-resource", NET_HTTP_ROUTE_METADATA, "", "GET, HEAD"},
        {"/.well-known/oauth-protected-resource/mcp", NET_HTTP_ROUTE_METADATA_MCP, "", "GET, HEAD"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct net_http_match match;
        net_http_route_find(jsv_str_from(cases[i].path), &match);
        assert_int_equal(match.route, cases[i].route);
        assert_true(
            jsv_str_equal(net_http_route_parameter(&match), jsv_str_from(cases[i].parameter)));
        struct jsv_buf allow;
        jsv_buf_init(&allow, NULL, 100);
        net_http_route_allow(&allow, match.route);
        assert_true(jsv_str_equal(jsv_buf_str(&allow), jsv_str_from(cases[i].allow)));
        jsv_buf_done(&allow);
    }
}

static void finds_nothing(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "",
        "*",
        "//",
        "/mcp/",
        "//mcp",
        "/MCP",
        "/%6dcp",
        "/mcp/../rpc",
        "/./mcp",
        "/mcp;x",
        "/mcp/tool",
        "/mcp/tool/",
        "/mcp/tool/a/",
        "/mcp/tool/a/b",
        "/mcp/tool/a%2Fb/",
        "/mcp/tool/a%00b",
        "/mcp/prompt/%ff",
        "/schemas/a%2Fb",
        "/schemas/a%2fb",
        "/schemas/..",
        "/schemas/.",
        "/schemas/%2e%2E",
        "/schemas/%2e",
        "/schemas/..%5cx",
        "/schemas/..%2fx",
        "/schemas/a%00",
        "/schemas/a%0a",
        "/schemas/a%7f",
        "/schemas/%ff",
        "/schemas/%c0%ae",
        "/schemas/%ed%a0%80",
        "/schemas/%",
        "/schemas/%2",
        "/schemas/%2x",
        "/schemas/%x2",
        "/healthz/x",
        "/.well-known/oauth-protected-resource/",
    };
    for (size_t i = 0; i < COUNT(paths); i++) {
        struct net_http_match match;
        net_http_route_find(jsv_str_from(paths[i]), &match);
        if (match.route != NET_HTTP_ROUTE_NONE) {
            fail_msg("%s is route %d", paths[i], (int)match.route);
        }
        assert_int_equal(net_http_route_parameter(&match).size, 0);
    }
}

static void parameter_limit(void **state)
{
    (void)state;
    char path[600] = "/schemas/";
    size_t prefix = strlen(path);
    memset(path + prefix, 'a', NET_HTTP_PARAMETER_MAX + 1);
    struct net_http_match match;
    net_http_route_find((struct jsv_str){path, prefix + NET_HTTP_PARAMETER_MAX}, &match);
    assert_int_equal(match.route, NET_HTTP_ROUTE_SCHEMA);
    assert_int_equal(net_http_route_parameter(&match).size, NET_HTTP_PARAMETER_MAX);
    net_http_route_find((struct jsv_str){path, prefix + NET_HTTP_PARAMETER_MAX + 1}, &match);
    assert_int_equal(match.route, NET_HTTP_ROUTE_NONE);
}

static void methods(void **state)
{
    (void)state;
    assert_true(net_http_route_allows(NET_HTTP_ROUTE_MCP, NET_HTTP_DELETE));
    assert_true(net_http_route_allows(NET_HTTP_ROUTE_HEALTH, NET_HTTP_HEAD));
    assert_false(net_http_route_allows(NET_HTTP_ROUTE_HEALTH, NET_HTTP_POST));
    assert_false(net_http_route_allows(NET_HTTP_ROUTE_RPC, NET_HTTP_GET));
    for (int i = 0; i < NET_HTTP_ROUTE_COUNT; i++) {
        assert_false(net_http_route_allows((enum net_http_route)i, NET_HTTP_OTHER));
    }
}

/* Routes that need neither a token nor a known Host; all others are guarded. */
static void guarded(void **state)
{
    (void)state;
    for (int i = 0; i < NET_HTTP_ROUTE_COUNT; i++) {
        enum net_http_route route = (enum net_http_route)i;
        bool health = route == NET_HTTP_ROUTE_HEALTH || route == NET_HTTP_ROUTE_READY;
        bool page = route == NET_HTTP_ROUTE_PAGE || route == NET_HTTP_ROUTE_PAGE_FILE;
        bool open = health || page || route == NET_HTTP_ROUTE_METADATA ||
                    route == NET_HTTP_ROUTE_METADATA_MCP;
        assert_int_equal(net_http_route_any_host(route), health);
        assert_int_equal(net_http_route_is_open(route), open);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds),
        cmocka_unit_test(finds_nothing),
        cmocka_unit_test(parameter_limit),
        cmocka_unit_test(methods),
        cmocka_unit_test(guarded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
