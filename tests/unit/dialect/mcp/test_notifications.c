#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "catalog/catalog.h"
#include "support/pipeline_fixture.h"

#define LISTEN                                                                                     \
    "{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"subscriptions/listen\",\"params\":{"           \
    "\"notifications\":{\"toolsListChanged\":true,\"promptsListChanged\":true},\"_meta\":{"        \
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                                  \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}"

static void expect_in(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("no %s in %s", part, text);
    }
}

static void
ignore(void *context, enum catalog_warning kind, struct jsv_str file, struct jsv_str why)
{
    (void)kind;
    (void)context;
    (void)file;
    (void)why;
}

/* Replace the catalog by an empty one. */
static void empty_catalog(struct pipeline_fixture *pipeline)
{
    const struct catalog_options options = {0};
    struct catalog *catalog;
    const char *wrong;
    assert_int_equal(catalog_load(&options, NULL, ignore, NULL, &catalog, &wrong), 0);
    core_worker_set_catalog(pipeline->worker, catalog);
    catalog_release(catalog);
}

static void a_listener_gets_what_it_asked_for(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    const char *first = pipeline_ask(pipeline, LISTEN);
    expect_in(first, "notifications/subscriptions/acknowledged");
    expect_in(first, "\"toolsListChanged\":true,\"promptsListChanged\":true");
    expect_in(first, "\"io.modelcontextprotocol/subscriptionId\":\"s\"");
    empty_catalog(pipeline);
    assert_int_equal(pipeline->answer_count, 2);
    expect_in(pipeline->answers[1].data, "notifications/tools/list_changed");
}

static void a_client_ends_its_subscription(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    pipeline_ask(pipeline, LISTEN);
    assert_true(core_conn_is_busy(&pipeline->conn));
    pipeline_ask(
        pipeline,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
        "\"s\"}}");
    assert_false(core_conn_is_busy(&pipeline->conn));
    empty_catalog(pipeline);
    assert_int_equal(pipeline->answer_count, 1);
}

static void the_server_ends_a_subscription_with_a_result(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    pipeline_ask(pipeline, LISTEN);
    core_conn_finish(&pipeline->conn);
    assert_int_equal(pipeline->answer_count, 2);
    expect_in(pipeline->answers[1].data, "\"resultType\":\"complete\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PIPELINE_TEST(a_listener_gets_what_it_asked_for),
        PIPELINE_TEST(a_client_ends_its_subscription),
        PIPELINE_TEST(the_server_ends_a_subscription_with_a_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
