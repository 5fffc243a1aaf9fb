#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "catalog/catalog.h"
#include "support/corridor.h"

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

/* A snapshot without anything: other tools, other resources. */
static void empty_catalog(struct corridor *corridor)
{
    const struct catalog_options options = {0};
    struct catalog *catalog;
    const char *wrong;
    assert_int_equal(catalog_load(&options, NULL, ignore, NULL, &catalog, &wrong), 0);
    core_worker_set_catalog(corridor->worker, catalog);
    catalog_release(catalog);
}

static void a_listener_hears_what_it_asked_for(void **state)
{
    struct corridor *corridor = *state;
    const char *first = corridor_ask(corridor, LISTEN);
    expect_in(first, "notifications/subscriptions/acknowledged");
    expect_in(first, "\"toolsListChanged\":true,\"promptsListChanged\":true");
    expect_in(first, "\"io.modelcontextprotocol/subscriptionId\":\"s\"");
    empty_catalog(corridor);
    assert_int_equal(corridor->answer_count, 2);
    expect_in(corridor->answers[1].data, "notifications/tools/list_changed");
}

static void a_listener_can_end_it(void **state)
{
    struct corridor *corridor = *state;
    corridor_ask(corridor, LISTEN);
    assert_true(core_conn_is_busy(&corridor->conn));
    corridor_ask(
        corridor,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
        "\"s\"}}");
    assert_false(core_conn_is_busy(&corridor->conn));
    empty_catalog(corridor);
    assert_int_equal(corridor->answer_count, 1);
}

static void we_end_it_with_a_result(void **state)
{
    struct corridor *corridor = *state;
    corridor_ask(corridor, LISTEN);
    core_conn_finish(&corridor->conn);
    assert_int_equal(corridor->answer_count, 2);
    expect_in(corridor->answers[1].data, "\"resultType\":\"complete\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CORRIDOR_TEST(a_listener_hears_what_it_asked_for),
        CORRIDOR_TEST(a_listener_can_end_it),
        CORRIDOR_TEST(we_end_it_with_a_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
