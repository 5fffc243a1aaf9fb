#define _GNU_SOURCE /* memfd_create(), nftw() */
#include "unit/app/run_faults.h"
#include "unit/app/served.h"

static void test_wrong_format(void **state)
{
    (void)state;
    run_cli("", "schemas", "--format", "xml");
    assert_int_equal(run.status, 2);
    assert_string_equal(
        run.err,
        "mcpgate: schemas: --format: expected json or text, not 'xml'; try 'mcpgate schemas "
        "--help'\n");
}

static void test_wrong_root(void **state)
{
    (void)state;
    run_cli("", "tools", "--schemas-dir", "/nowhere/at/all");
    assert_int_equal(run.status, 2);
    assert_string_equal(run.out, "");
    assert_string_equal(
        run.err, "mcpgate: tools: --schemas-dir: /nowhere/at/all: No such file or directory\n");
}

static void test_wrong_setting(void **state)
{
    (void)state;
    assert_int_equal(setenv("MCP_MAX_BATCH", "none", 1), 0);
    run_cli("", "examples");
    assert_int_equal(unsetenv("MCP_MAX_BATCH"), 0);
    assert_int_equal(run.status, 2);
    assert_true(run_is_one_line(run.err));
    assert_non_null(strstr(run.err, "MCP_MAX_BATCH: expected a whole number"));
}

static void test_operands(void **state)
{
    (void)state;
    run_cli("", "schemas", "lamp");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "unexpected operand 'lamp'"));
}

/* Columns are as wide as their widest cell in characters, and no line ends in blanks. */
static void test_columns(void **state)
{
    (void)state;
    tmpdir_write(&served, "schemas/gr\xc3\xbc\xc3\x9f.schema.json", "{\"version\": \"12.0.0\"}");
    run_cli("", "schemas", "--format", "text", served_schemas());
    assert_int_equal(run.status, 0);
    assert_string_equal(
        run.out,
        "name  version  path\n"
        "bulb           bulb.schema.json\n"
        "gr\xc3\xbc\xc3\x9f  12.0.0   gr\xc3\xbc\xc3\x9f.schema.json\n"
        "lamp  1.2      lamp.schema.json\n");
}

/* (A file that cannot be read is left out with a warning, so only these are trouble.) */
static void test_faults(void **state)
{
    (void)state;
    char *words[] = {(char *)(uintptr_t) "examples", (char *)(uintptr_t)served_examples(), NULL};
    run_words_with_fault("", words, FAULT_WRITE, 1, ENOSPC);
    fault_watch();
    run_words("", words);
    unsigned calls = fault.calls[FAULT_RESIZE];
    assert_true(calls > 0);
    for (unsigned at = 1; at <= calls; at++) {
        run_words_with_fault("", words, FAULT_RESIZE, at, ENOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED_TEST(test_wrong_format),
        SERVED_TEST(test_wrong_root),
        SERVED_TEST(test_wrong_setting),
        SERVED_TEST(test_operands),
        SERVED_TEST(test_columns),
        SERVED_TEST(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
