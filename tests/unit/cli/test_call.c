#define _GNU_SOURCE /* memfd_create(), nftw() */
#include "loop/loop.h"
#include "unit/app/run_faults.h"
#include "unit/app/served.h"

static void assert_run(int status, const char *out, const char *err)
{
    assert_string_equal(run.err, err);
    assert_string_equal(run.out, out);
    assert_int_equal(run.status, status);
}

static void test_structured_result_is_printed_as_json(void **state)
{
    (void)state;
    run_cli("", "call", "get_schema", "name=nowhere", served_schemas());
    assert_run(1, "{\"ok\":false,\"reason\":\"not_found\"}\n", "");
    run_cli("", "call", "diff_assets", "base={}", "new={\"a\":1}", served_schemas());
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "{\"op\":\"add\",\"path\":\"/a\",\"value\":1}"));
}

static void test_format_json_prints_the_whole_result(void **state)
{
    (void)state;
    run_cli("", "call", "list_examples", "--format", "json", served_schemas());
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "\"structuredContent\":{\"ok\":true"));
    run_cli("", "call", "list_examples", "--format", "xml");
    assert_run(
        2,
        "",
        "mcpgate: call: --format: expected text or json, not 'xml'; try 'mcpgate call --help'\n");
}

static void test_arguments_from_standard_input(void **state)
{
    (void)state;
    run_cli("{\"name\":\"nowhere\"}", "call", "get_schema", "-", served_schemas());
    assert_run(1, "{\"ok\":false,\"reason\":\"not_found\"}\n", "");
    run_cli("[]", "call", "get_schema", "-", served_schemas());
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "<stdin>:1:1: the arguments must be a JSON object"));
    run_cli("{", "call", "get_schema", "-", served_schemas());
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "<stdin>:1:2: unexpected end of input"));
}

static void test_suggestions_for_misspelt_names(void **state)
{
    (void)state;
    run_cli("", "call", "get_shema", served_schemas());
    assert_run(
        2,
        "",
        "mcpgate: call: unknown tool 'get_shema'; did you mean 'get_schema'? "
        "Try 'mcpgate call --help'\n");
    run_cli("", "call", "get_schema", "nmae=x", served_schemas());
    assert_int_equal(run.status, 1);
    assert_string_equal(run.out, "");
    assert_non_null(strstr(run.err, "\"path\":\"/nmae\""));
    assert_non_null(strstr(run.err, "unknown argument 'nmae'; did you mean 'name'?"));
    run_cli("", "call", "validate_asset", "schema=lmap", "asset={}", served_schemas());
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.out, "schema_not_found"));
    assert_non_null(strstr(run.err, "unknown schema 'lmap'; did you mean 'lamp'?"));
    run_cli("", "call", "validate_asset", "schema=zzzzzz", "asset={}", served_schemas());
    assert_string_equal(run.err, "");
    run_cli("", "call", "get_schema", "name", served_schemas());
    assert_run(2, "", "mcpgate: call: name: expected NAME=VALUE, NAME:=JSON or one JSON object\n");
    run_cli("", "call", "get_schema", "--schemas-dir", "/nowhere");
    assert_run(2, "", "mcpgate: call: --schemas-dir: /nowhere: No such file or directory\n");
    run_cli("", "call", "get_schema", "--url", "ftp://x");
    assert_run(2, "", "mcpgate: call: --url: expected an address such as http://127.0.0.1:8787\n");
    run_cli("", "call");
    assert_int_equal(run.status, 2);
}

/* A text that does not fit a message is refused by the pipeline, as a client's would be. */
static void test_request_over_the_size_limit(void **state)
{
    (void)state;
    static char input[RUN_TEXT_MAX + 64];
    snprintf(input, sizeof(input), "{\"name\":\"%0*d\"}", (int)RUN_TEXT_MAX, 0);
    run_cli(input, "call", "get_schema", "-");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.out, "payload_too_large"));
}

/* The first loop of a process opens descriptors that stay open. */
static int make_first_loop(void **state)
{
    (void)state;
    struct loop *loop;
    int r = loop_new(&loop);
    loop_free(loop);
    return r;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED_TEST(test_structured_result_is_printed_as_json),
        SERVED_TEST(test_format_json_prints_the_whole_result),
        SERVED_TEST(test_arguments_from_standard_input),
        SERVED_TEST(test_suggestions_for_misspelt_names),
        SERVED_TEST(test_request_over_the_size_limit),
    };
    return cmocka_run_group_tests(tests, make_first_loop, NULL);
}
