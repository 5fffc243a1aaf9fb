#define _GNU_SOURCE /* nftw(), strcasestr() */
#include "backend/backend.h"
#include "loop/loop.h"
#include "unit/backend/server.h"
#include "unit/tools/calling.h"

static char url[64];
static unsigned finished;

static int set_up(void **state)
{
    calling_set_up(state);
    finished = 0;
    fixture_write(
        "schemas/synesthetic-asset.schema.json", "{'properties': {'name': {'type': 'string'}}}");
    fixture_write("schemas/part.schema.json", "{'properties': {'n': {'type': 'integer'}}}");
    return loop_new(&calling.loop);
}

static int tear_down(void **state)
{
    struct loop *loop = calling.loop;
    int r = calling_tear_down(state);
    loop_free(loop);
    server_stop();
    return r;
}

static void on_finished(struct tool_call *call)
{
    assert_ptr_equal(call, &calling.call);
    finished++;
    loop_stop(calling.loop);
}

static void serve(enum server_manner manner, const char *reply)
{
    server_start(manner, reply);
    snprintf(url, sizeof(url), "http://127.0.0.1:%u", server.port);
    calling.settings.backend_url = url;
    calling.settings.backend_assets_path = "/synesthetic-assets/";
    calling.settings.backend_timeout_ms = 300;
    calling.settings.backend_reply_max = 100000;
}

static void start(const char *arguments)
{
    calling_start("populate_backend", arguments);
    assert_true(calling_fits_input());
    calling.call.finished = on_finished;
}

/* @param result With %s where the URL belongs. */
static void wait_for(const char *arguments, enum tool_verdict verdict, const char *result)
{
    char expected[1024];
    snprintf(expected, sizeof(expected), "%s", result);
    char *at = strstr(expected, "URL");
    if (at) {
        snprintf(at, sizeof(expected) - (size_t)(at - expected), "%s'}", url);
    }
    start(arguments);
    assert_int_equal(tool_run(&calling.call), TOOL_WAIT);
    assert_int_equal(loop_run(calling.loop), 0);
    assert_int_equal(finished, 1);
    assert_int_equal(calling.call.error, 0);
    assert_null(calling.call.state);
    calling_expect(verdict, expected);
}

/* ---- nothing is sent ---- */

static void test_disabled(void **state)
{
    (void)state;
    calling_run(
        "populate_backend",
        "{'asset': {'name': 5}}",
        TOOL_VERDICT_FAILED,
        "{'ok':false,'reason':'unsupported','detail':'backend disabled'}");
}

static void test_invalid(void **state)
{
    (void)state;
    serve(SERVER_REPLIES, "");
    calling_run(
        "populate_backend",
        "{'asset': {'name': 5}}",
        TOOL_VERDICT_FAILED,
        "{'ok':false,'reason':'validation_failed',"
        "'errors':[{'path':'/name','msg':'expected string'}]}");
    calling_run(
        "populate_backend",
        "{'asset': {'$schemaRef': 'x/part.schema.json', 'n': 'x'}, 'validate_first': true}",
        TOOL_VERDICT_FAILED,
        "{'ok':false,'reason':'validation_failed',"
        "'errors':[{'path':'/n','msg':'expected integer'}]}");
    calling_run(
        "populate_backend",
        "{'asset': {'schema': 'none'}}",
        TOOL_VERDICT_FAILED,
        "{'ok':false,'reason':'validation_failed',"
        "'errors':[{'path':'/schema','msg':'schema_not_found'}]}");
    assert_int_equal(server.connections, 0);
}

/* ---- the backend takes it ---- */

static void test_accepted(void **state)
{
    (void)state;
    serve(SERVER_REPLIES, "HTTP/1.1 201 Created\r\nContent-Length: 12\r\n\r\n{\"id\":\"new\"}");
    wait_for(
        "{'asset': {'name' : 'n',  'x': 1.50}}",
        TOOL_VERDICT_OK,
        "{'ok':true,'asset_id':'new','backend_url':'URL");
    server_stop();
    assert_non_null(strstr(server.request, "POST /synesthetic-assets/ HTTP/1.1\r\n"));
    assert_non_null(strstr(server.request, "\r\n\r\n{\"name\" : \"n\",  \"x\": 1.50}"));
}

static void test_ids(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        const char *id;
    } cases[] = {
        {"{\"id\":42.0}", "42.0"},
        {"{\"id\":null}", ""},
        {"{\"id\":[1]}", ""},
        {"{}", ""},
        {"[1]", ""},
        {"no JSON", ""},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char reply[128];
        char result[128];
        snprintf(reply, sizeof(reply), "HTTP/1.0 200 OK\r\n\r\n%s", cases[i].body);
        snprintf(
            result, sizeof(result), "{'ok':true,'asset_id':'%s','backend_url':'URL", cases[i].id);
        serve(SERVER_REPLIES, reply);
        wait_for("{'asset': [1], 'validate_first': false}", TOOL_VERDICT_OK, result);
        server_stop();
        tools_free(calling.tools);
        calling.tools = NULL;
        finished = 0;
    }
}

/* ---- it does not ---- */

static void test_refused(void **state)
{
    (void)state;
    serve(SERVER_REPLIES, "HTTP/1.1 409 No\r\nContent-Length: 9\r\n\r\n\"dup\" \xff\n.");
    wait_for(
        "{'asset': {}}",
        TOOL_VERDICT_FAILED,
        "{'ok':false,'reason':'backend_error','status':409,"
        "'detail':'\\'dup\\' \xEF\xBF\xBD\\n.'}");
}

/* It is cut between characters. */
static void test_long_detail(void **state)
{
    (void)state;
    static char reply[80000];
    size_t size = (size_t)snprintf(reply, sizeof(reply), "HTTP/1.0 500 No\r\n\r\nx");
    while (size < 70000) {
        memcpy(reply + size, "\xC3\xA9", 2);
        size += 2;
    }
    serve(SERVER_REPLIES, reply);
    start("{'asset': {}}");
    assert_int_equal(tool_run(&calling.call), TOOL_WAIT);
    assert_int_equal(loop_run(calling.loop), 0);
    assert_int_equal(
        jsv_read(calling.reader, calling.result, jsv_buf_str(&calling.out), 0, NULL), 0);
    struct jsv_value detail = jsv_value_get(jsv_document_root(calling.result), JSV_STR("detail"));
    assert_int_equal(jsv_value_text(detail).size, 65535);
}

static void test_unreachable(void **state)
{
    (void)state;
    static const enum server_manner manners[] = {SERVER_HANGS, SERVER_RESETS};
    for (size_t i = 0; i < 2; i++) {
        serve(manners[i], "");
        wait_for(
            "{'asset': {}}",
            TOOL_VERDICT_FAILED,
            "{'ok':false,'reason':'backend_error','status':503,'detail':'network_unreachable'}");
        server_stop();
        tools_free(calling.tools);
        calling.tools = NULL;
        finished = 0;
    }
}

/* ---- giving up ---- */

static void stop(void *owner)
{
    (void)owner;
    loop_stop(calling.loop);
}

static void test_busy(void **state)
{
    (void)state;
    static struct tool_call calls[1 + BACKEND_WAITING_MAX];
    serve(SERVER_HANGS, "");
    calling.settings.loops = 1000; /* so that one exchange runs at a time */
    start("{'asset': {}, 'validate_first': false}");
    for (size_t i = 0; i < 1 + BACKEND_WAITING_MAX; i++) {
        calls[i] = calling.call;
        assert_int_equal(tool_run(&calls[i]), TOOL_WAIT);
    }
    assert_int_equal(tool_run(&calling.call), TOOL_DONE);
    calling_expect(
        TOOL_VERDICT_FAILED,
        "{'ok':false,'reason':'backend_error','status':503,'detail':'backend_busy'}");
    for (size_t i = 0; i < 1 + BACKEND_WAITING_MAX; i++) {
        tool_cancel(&calls[i]);
    }
}

static void test_cancel(void **state)
{
    (void)state;
    serve(SERVER_HANGS, "");
    start("{'asset': {}}");
    assert_int_equal(tool_run(&calling.call), TOOL_WAIT);
    struct loop_timer *timer;
    assert_int_equal(loop_timer_new(calling.loop, stop, NULL, &timer), 0);
    loop_timer_start(timer, 30);
    assert_int_equal(loop_run(calling.loop), 0);
    tool_cancel(&calling.call);
    tool_cancel(&calling.call); /* there is nothing left to give up */
    loop_timer_start(timer, 400);
    assert_int_equal(loop_run(calling.loop), 0);
    loop_timer_close(timer);
    assert_int_equal(finished, 0);
    assert_int_equal(calling.out.size, 0);
}

static void test_answer_has_a_limit(void **state)
{
    (void)state;
    serve(SERVER_REPLIES, "HTTP/1.0 200 OK\r\n\r\n{\"id\":\"abcdefghijklmnopqrstuvwxyz\"}");
    start("{'asset': {}}");
    jsv_buf_done(&calling.out);
    jsv_buf_init(&calling.out, NULL, 30);
    assert_int_equal(tool_run(&calling.call), TOOL_WAIT);
    assert_int_equal(loop_run(calling.loop), 0);
    assert_int_equal(calling.call.error, -ENOBUFS);
}

static void test_bad_url(void **state)
{
    (void)state;
    calling.settings.backend_url = "gopher://x";
    assert_int_equal(tools_new(calling.loop, &calling.settings, &calling.tools), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_disabled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_invalid, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_accepted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ids, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_long_detail, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unreachable, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_busy, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cancel, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_answer_has_a_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad_url, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
