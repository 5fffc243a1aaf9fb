/*
 * The headers of the MCP endpoint, without HTTP: a request's headers are a list in
 * memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#include "support/pipeline_fixture.h"

struct headers {
    struct rpc_http view; /* first */
    const char *pairs[12];
};

static enum rpc_header
find(const struct rpc_http *http, struct jsv_str name, struct jsv_str *ret_value)
{
    const char *const *pair = ((const struct headers *)http)->pairs;
    for (; *pair; pair += 2) {
        if (strlen(*pair) == name.size && strncasecmp(*pair, name.data, name.size) == 0) {
            *ret_value = jsv_str_from(pair[1]);
            return RPC_HEADER_FOUND;
        }
    }
    return RPC_HEADER_ABSENT;
}

#define HEADERS(...)                                                                               \
    &(struct headers)                                                                              \
    {                                                                                              \
        {.endpoint = RPC_ENDPOINT_MCP, .header = find},                                            \
        {                                                                                          \
            __VA_ARGS__, NULL                                                                      \
        }                                                                                          \
    }

#define MODERN "MCP-Protocol-Version", "2026-07-28"

static void expect(
    struct pipeline_fixture *pipeline,
    const struct headers *headers,
    const char *line,
    unsigned status,
    const char *part)
{
    pipeline->conn.http = &headers->view;
    const char *answer = pipeline_ask(pipeline, line);
    pipeline->conn.http = NULL;
    if (pipeline->last_status != status || !strstr(answer, part)) {
        fail_msg("%u, not %u with %s: %s", pipeline->last_status, status, part, answer);
    }
}

#define META                                                                                       \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define LIST "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{" META "}}"
#define READ                                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":"             \
    "\"mcpgate://schemas/part\"," META "}}"

static void headers_of_a_modern_request_match_its_body(void **state)
{
    expect(*state, HEADERS(MODERN, "Mcp-Method", "tools/list"), LIST, 200, "\"tools\":[");
    expect(*state, HEADERS(MODERN, "mcp-method", "tools/list"), LIST, 200, "\"tools\":[");
    expect(*state, HEADERS(MODERN), LIST, 400, "-32020");
    expect(*state, HEADERS(MODERN, "Mcp-Method", "tools/call"), LIST, 400, "-32020");
    expect(*state, HEADERS("Mcp-Method", "tools/list"), LIST, 400, "-32020");
    expect(
        *state,
        HEADERS("MCP-Protocol-Version", "v9", "Mcp-Method", "tools/list"),
        LIST,
        400,
        "-32020");
}

static void a_name_may_be_wrapped_in_base64(void **state)
{
#define NAMED(name) HEADERS(MODERN, "Mcp-Method", "resources/read", "Mcp-Name", name)
    expect(*state, NAMED("mcpgate://schemas/part"), READ, 200, "\"contents\":[");
    expect(
        *state, NAMED("=?base64?bWNwZ2F0ZTovL3NjaGVtYXMvcGFydA==?="), READ, 200, "\"contents\":[");
    expect(*state, NAMED("=?base64?bWNwZ2F0ZTovL3NjaGVtYXMvcGFydA?="), READ, 400, "-32020");
    expect(*state, NAMED("=?base64?****?="), READ, 400, "-32020");
    expect(*state, NAMED("mcpgate://schemas/widget"), READ, 400, "-32020");
    expect(*state, HEADERS(MODERN, "Mcp-Method", "resources/read"), READ, 400, "-32020");
#undef NAMED
}

static void private_results_have_private_cache_scope(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    const struct headers *headers = HEADERS(MODERN, "Mcp-Method", "tools/list");
    expect(pipeline, headers, LIST, 200, "\"ttlMs\":10000,\"cacheScope\":\"public\"");
    pipeline->settings.is_private = true;
    expect(pipeline, headers, LIST, 200, "\"ttlMs\":10000,\"cacheScope\":\"private\"");
}

/* At the MCP endpoint it is status 200, at /rpc 404. */
static void the_status_of_an_unknown_resource(void **state)
{
#define ABSENT(more)                                                                               \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":"             \
    "\"mcpgate://schemas/absent\"" more "}}"
    static const struct headers anything = {{.endpoint = RPC_ENDPOINT_RPC, .header = find}, {NULL}};
    const struct headers *modern =
        HEADERS(MODERN, "Mcp-Method", "resources/read", "Mcp-Name", "mcpgate://schemas/absent");
    expect(*state, modern, ABSENT("," META), 200, "\"code\":-32602");
    expect(*state, &anything, ABSENT("," META), 400, "\"code\":-32602");
    expect(*state, &anything, ABSENT(""), 404, "\"code\":-32002");
#undef ABSENT
}

static void a_missing_version_is_reported_first(void **state)
{
    expect(
        *state,
        HEADERS(MODERN, "Mcp-Method", "tools/list"),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}",
        400,
        "-32602");
    expect(
        *state,
        HEADERS(MODERN, "Mcp-Method", "ping"),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{" META "}}",
        404,
        "-32601");
}

/* Also when only the header names its version. */
static void notifications_are_accepted_or_ignored(void **state)
{
#define NOTIFY(method, params)                                                                     \
    "{\"jsonrpc\":\"2.0\",\"method\":\"" method "\",\"params\":" params "}"
    expect(*state, HEADERS(MODERN), NOTIFY("notifications/nothing", "{}"), 202, "");
    expect(*state, HEADERS(MODERN), NOTIFY("notifications/nothing", "{" META "}"), 202, "");
    expect(
        *state, HEADERS(MODERN), NOTIFY("notifications/cancelled", "{\"requestId\":1}"), 202, "");
    expect(*state, HEADERS(MODERN), NOTIFY("notifications/cancelled", "{" META "}"), 202, "");
#undef NOTIFY
}

/* Since 2025-11-25 an error without an id omits it; before, and elsewhere, it is null. */
static void errors_without_id_follow_the_version(void **state)
{
    static const struct headers anything = {{.endpoint = RPC_ENDPOINT_RPC, .header = find}, {NULL}};
    static const char *const lines[] = {
        "{",
        "1",
        "[]",
        "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"\"}",
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        expect(*state, HEADERS(MODERN), lines[i], 400, "{\"jsonrpc\":\"2.0\",\"error\"");
        expect(*state, HEADERS("Accept", "*/*"), lines[i], 400, "{\"jsonrpc\":\"2.0\",\"error\"");
        expect(
            *state,
            HEADERS("MCP-Protocol-Version", "2025-06-18"),
            lines[i],
            400,
            "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\"");
        expect(*state, &anything, lines[i], 400, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\"");
    }
    expect(
        *state,
        HEADERS("Accept", "*/*"),
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\"}",
        400,
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\"");
}

static void legacy_requests_need_their_session(void **state)
{
    const char *answer = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";
    expect(*state, HEADERS("Accept", "*/*"), answer, 400, "missing session id");
    expect(*state, HEADERS("Mcp-Session-Id", "0123"), answer, 404, "unknown session");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PIPELINE_TEST(headers_of_a_modern_request_match_its_body),
        PIPELINE_TEST(a_name_may_be_wrapped_in_base64),
        PIPELINE_TEST(private_results_have_private_cache_scope),
        PIPELINE_TEST(the_status_of_an_unknown_resource),
        PIPELINE_TEST(a_missing_version_is_reported_first),
        PIPELINE_TEST(notifications_are_accepted_or_ignored),
        PIPELINE_TEST(errors_without_id_follow_the_version),
        PIPELINE_TEST(legacy_requests_need_their_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
