#define _GNU_SOURCE /* memfd_create() */
#include "unit/app/run_faults.h"
#include "unit/os/in_tmpdir.h"

#define WRAPPED(result) "{\"schema_version\":\"mcp.envelope.v0.1\",\"result\":" result "}\n"

static void assert_result(const char *expected)
{
    assert_string_equal(run.err, "");
    assert_string_equal(run.out, expected);
    assert_int_equal(run.status, 0);
}

static void test_json_is_unchanged(void **state)
{
    (void)state;
    run_cli(" {\"b\": 1.0,\n \"a\":\"\\u0041\"} \n", "wrap", "-");
    assert_result(WRAPPED("{\"b\": 1.0,\n \"a\":\"\\u0041\"}"));
    run_cli("null", "wrap");
    assert_result(WRAPPED("null"));
}

static void test_other_input_is_text(void **state)
{
    (void)state;
    run_cli("plain \"words\"\n", "wrap", "-");
    assert_result(WRAPPED("\"plain \\\"words\\\"\\n\""));
    run_cli("", "wrap", "-");
    assert_result(WRAPPED("\"\""));
    run_cli("{\"a\":1,\"a\":2}", "wrap", "-");
    assert_result(WRAPPED("\"{\\\"a\\\":1,\\\"a\\\":2}\""));
}

static void test_envelope_is_unchanged(void **state)
{
    (void)state;
    run_cli("{\"schema_version\" : \"mcp.envelope.v0.1\",\n\"result\":[ 1e2 ]}\n", "wrap", "-");
    assert_result("{\"schema_version\" : \"mcp.envelope.v0.1\",\n\"result\":[ 1e2 ]}\n");
}

static void test_inputs(void **state)
{
    (void)state;
    tmpdir_write(&dir, "file", "[1]");
    run_cli("", "wrap", tmpdir_path(&dir, "file"));
    assert_result(WRAPPED("[1]"));
    run_cli("", "wrap", tmpdir_path(&dir, "none"));
    assert_int_equal(run.status, 2);
    assert_string_equal(run.out, "");
    assert_true(run_is_one_line(run.err));
    run_cli("", "wrap", "a", "b");
    assert_int_equal(run.status, 2);
}

static void test_injected_faults(void **state)
{
    (void)state;
    tmpdir_write(&dir, "file", "{\"a\":[1]}");
    run_cli_with_faults("", "wrap", tmpdir_path(&dir, "file"));
    run_cli_with_faults("text \xFF", "wrap", "-");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_is_unchanged),
        cmocka_unit_test(test_other_input_is_text),
        cmocka_unit_test(test_envelope_is_unchanged),
        IN_TMPDIR(test_inputs),
        IN_TMPDIR(test_injected_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
