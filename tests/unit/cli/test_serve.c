#define _GNU_SOURCE /* memfd_create(), nftw() */
#include "support/stderr_capture.h"
#include "unit/app/run.h"
#include "unit/app/run_faults.h"
#include "unit/app/served.h"

static void validate(const char *name, const char *text)
{
    tmpdir_write(&served, name, text);
    run_cli("", served_schemas(), "--validate", tmpdir_path(&served, name));
}

static void test_valid(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *text;
    } assets[] = {
        {"lamp.json", "{\"name\":\"x\"}"},
        {"Lamp_2.json", "{\"name\":\"x\",\"bulbs\":[{\"watts\":1}]}"},
        {"any.json", "{\"schema\":\"lamp\",\"name\":\"x\"}"},
        {"any.json",
         "{\"$schemaRef\":\"a/b/bulb.schema.json\"}"}, /* the schema is closed, and $schemaRef is
                                                          allowed all the same */
        {"bulb.json", " { } \n"},
    };
    for (size_t i = 0; i < sizeof(assets) / sizeof(assets[0]); i++) {
        validate(assets[i].name, assets[i].text);
        assert_int_equal(run.status, 0);
        assert_string_equal(run.out, "{\"ok\":true}\n");
        assert_string_equal(run.err, "");
    }
}

static void test_invalid(void **state)
{
    (void)state;
    validate("Lamp_1.json", "{\"name\":1,\"bulbs\":[{\"watts\":\"\"}]}");
    assert_int_equal(run.status, 1);
    assert_string_equal(
        run.out,
        "{\"ok\":false,\"reason\":\"validation_failed\",\"errors\":["
        "{\"path\":\"/bulbs/0/watts\",\"msg\":\"expected number\"},"
        "{\"path\":\"/name\",\"msg\":\"expected string\"}]}\n");
    validate("unknown.json", "{}");
    assert_int_equal(run.status, 1);
    assert_string_equal(
        run.out,
        "{\"ok\":false,\"reason\":\"validation_failed\",\"errors\":["
        "{\"path\":\"/schema\",\"msg\":\"schema_not_found\"}]}\n");
}

static void test_unreadable(void **state)
{
    (void)state;
    run_cli("", served_schemas(), "--validate", "/nowhere/lamp.json");
    assert_int_equal(run.status, 2);
    assert_string_equal(
        run.out,
        "{\"ok\":false,\"reason\":\"io_error\",\"errors\":["
        "{\"path\":\"\",\"msg\":\"No such file or directory\"}]}\n");
    assert_true(run_is_one_line(run.err));
    validate("lamp.json", "{\"name\":");
    assert_int_equal(run.status, 2);
    assert_memory_equal(run.out, "{\"ok\":false,\"reason\":\"parse_error\",", 35);
    validate("lamp.json", "{\"a\":{\"b\":1,\"b\":2}}");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.out, "\"path\":\"/a/b\""));
}

static void test_standard_input(void **state)
{
    (void)state;
    run_cli("{\"schema\":\"bulb\"}", served_schemas(), "--validate", "-");
    assert_int_equal(run.status, 1); /* "schema" is not a member of the closed schema */
    run_cli("{\"schema\":\"lamp\",\"name\":\"\"}", served_schemas(), "--validate=-");
    assert_int_equal(run.status, 0);
}

static void test_missing_directory(void **state)
{
    (void)state;
    run_cli("{}", "--schemas-dir=/nowhere/at/all", "--validate", "-");
    assert_int_equal(run.status, 2);
    assert_string_equal(run.out, "");
    assert_true(run_is_one_line(run.err));
}

/* Examples and tools are not read. */
static void test_only_schemas_are_read(void **state)
{
    (void)state;
    run_cli(
        "{\"schema\":\"lamp\",\"name\":\"\"}",
        served_schemas(),
        "--examples-dir=/nowhere/at/all",
        "--tools-dir=/nowhere/at/all",
        "--validate=-");
    assert_int_equal(run.status, 0);
}

static void test_no_memory(void **state)
{
    (void)state;
    char *words[] = {(char *)(uintptr_t)served_schemas(), (char *)(uintptr_t) "--validate=-", NULL};
    static const char asset[] = "{\"schema\":\"lamp\",\"$schemaRef\":\"\",\"name\":\"\"}";
    fault_watch();
    run_words(asset, words);
    assert_int_equal(run.status, 0);
    unsigned calls = fault.calls[FAULT_RESIZE];
    for (unsigned at = 1; at <= calls; at++) {
        fault_arm(FAULT_RESIZE, at, ENOMEM);
        stderr_begin();
        run_words(asset, words);
        stderr_end();
        bool hit = fault.hit;
        long live_blocks = fault.live_blocks;
        fault_disarm();
        assert_true(hit);
        assert_int_equal(live_blocks, 0);
        assert_int_equal(run.status, 2);
    }
}

static const char *said;

/* run_cli(), with the log lines of the server in `said`. */
#define run_server(in, ...)                                                                        \
    do {                                                                                           \
        stderr_begin();                                                                            \
        run_cli(in, __VA_ARGS__);                                                                  \
        said = stderr_end();                                                                       \
    } while (0)

/* The loop keeps two descriptors for signals once there was one. */
static int warm_up(void **state)
{
    (void)state;
    struct cli cli = {.in_fd = run_memfd(""), .out_fd = run_memfd(""), .err_fd = -1};
    char *none[] = {NULL};
    assert_int_equal(setenv("MCP_READY_FILE", "", 1), 0);
    stderr_begin();
    (void)cli_run(&cli, 0, none);
    stderr_end();
    return 0;
}

static void test_serve_on_stdio(void **state)
{
    (void)state;
    run_server(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get_example\",\"params\":{\"path\":"
        "\"below/bulb.json\"}}\n",
        "serve",
        served_schemas(),
        served_examples());
    assert_int_equal(run.status, 0);
    assert_string_equal(
        run.out,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ok\":true,\"example\":{\"watts\":7},"
        "\"schema\":\"bulb\",\"validated\":true}}\n");
    assert_string_equal(run.err, "");
}

static void test_invalid_setting(void **state)
{
    (void)state;
    run_server("", "--threads", "lots");
    assert_int_equal(run.status, 2);
    assert_string_equal(run.out, "");
    assert_string_equal(
        said,
        "mcp:error reason=setup_failed detail=\"--threads: expected a whole number from 0 to 256, "
        "not 'lots'\"\n");
}

static void test_validate_option(void **state)
{
    (void)state;
    run_server("", served_schemas(), "--validate", tmpdir_path(&served, "examples/Lamp_hall.json"));
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, "{\"ok\":true}\n");
    assert_string_equal(said, "");
}

int main(void)
{
    const struct CMUnitTest asset_tests[] = {
        SERVED_TEST(test_valid),
        SERVED_TEST(test_invalid),
        SERVED_TEST(test_unreadable),
        SERVED_TEST(test_standard_input),
        SERVED_TEST(test_missing_directory),
        SERVED_TEST(test_only_schemas_are_read),
        SERVED_TEST(test_no_memory),
    };
    const struct CMUnitTest serve_tests[] = {
        SERVED_TEST(test_serve_on_stdio),
        SERVED_TEST(test_invalid_setting),
        SERVED_TEST(test_validate_option),
    };
    int failed = 0;
    failed += cmocka_run_group_tests(asset_tests, NULL, NULL);
    failed += cmocka_run_group_tests(serve_tests, warm_up, NULL);
    return failed;
}
