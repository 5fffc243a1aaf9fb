#define _GNU_SOURCE /* memfd_create(), nftw() */
#include <jsv/json.h>

#include "tools/tool.h"
#include "unit/app/run.h"
#include "unit/app/run_faults.h"
#include "unit/app/served.h"
#include "unit/os/tmpdir.h"

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

static void test_missing_directory(void **state)
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
    tmpdir_write(
        &served, "schemas/gr\xc3\xbc\xc3\x9f.schema.json", "{\"version\": \"12.\\u001b\\n0\"}");
    run_cli("", "schemas", "--format", "text", served_schemas());
    assert_int_equal(run.status, 0);
    assert_string_equal(
        run.out,
        "name  version  path\n"
        "bulb           bulb.schema.json\n"
        "gr\xc3\xbc\xc3\x9f  12.  0   gr\xc3\xbc\xc3\x9f.schema.json\n"
        "lamp  1.2      lamp.schema.json\n");
}

/* (A file that cannot be read is left out with a warning, so only these are trouble.) */
static void test_injected_faults(void **state)
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

static void test_schemas_as_json(void **state)
{
    (void)state;
    run_cli("", "schemas", served_schemas());
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "");
    assert_string_equal(
        run.out,
        "[{\"name\":\"bulb\",\"version\":\"\",\"path\":\"bulb.schema.json\"},"
        "{\"name\":\"lamp\",\"version\":\"1.2\",\"path\":\"lamp.schema.json\"}]\n");
}

static void test_none(void **state)
{
    (void)state;
    run_cli("", "schemas");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, "[]\n");
    run_cli("", "schemas", "--format=text");
    assert_string_equal(run.out, "name  version  path\n");
}

/* Each with the schema it is checked against, however that is known. */
static void test_examples_as_json(void **state)
{
    (void)state;
    run_cli("", "examples", served_schemas(), served_examples());
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "");
    assert_string_equal(
        run.out,
        "[{\"component\":\"Lamp\",\"schema\":\"lamp\",\"path\":\"Lamp_hall.json\"},"
        "{\"component\":\"bulb\",\"schema\":\"bulb\",\"path\":\"below/bulb.json\"},"
        "{\"component\":\"other\",\"schema\":\"lamp\",\"path\":\"other.json\"}]\n");
}

static void test_examples_as_text(void **state)
{
    (void)state;
    run_cli("", "examples", "--format=text", served_examples());
    assert_int_equal(run.status, 0);
    assert_string_equal(
        run.out,
        "component  schema  path\n"
        "Lamp       lamp    Lamp_hall.json\n"
        "bulb       bulb    below/bulb.json\n"
        "other      lamp    other.json\n");
}

/* The whole descriptor of each tool, in order. */
static void test_tools_as_json(void **state)
{
    (void)state;
    size_t count;
    const struct jsv_str *descriptors = tools_descriptors(&count);
    struct jsv_reader *reader = jsv_reader_new(NULL, NULL);
    struct jsv_document *document = jsv_document_new(NULL);
    struct jsv_document *descriptor = jsv_document_new(NULL);
    struct jsv_arena scratch;
    jsv_arena_init(&scratch, NULL, SIZE_MAX);
    run_cli("", "tools");
    assert_int_equal(run.status, 0);
    assert_int_equal(jsv_read(reader, document, jsv_str_from(run.out), 0, NULL), 0);
    struct jsv_value list = jsv_document_root(document);
    assert_int_equal(jsv_value_count(list), count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(jsv_read(reader, descriptor, descriptors[i], 0, NULL), 0);
        assert_int_equal(
            jsv_value_equal(jsv_value_at(list, i), jsv_document_root(descriptor), &scratch), 1);
    }
    jsv_arena_done(&scratch);
    jsv_document_free(descriptor);
    jsv_document_free(document);
    jsv_reader_free(reader);
}

static void test_tools_as_text(void **state)
{
    (void)state;
    run_cli("", "tools", "--format", "text");
    assert_int_equal(run.status, 0);
    assert_memory_equal(run.out, "name ", 5);
    assert_non_null(strstr(run.out, "\nvalidate_asset  "));
}

/* ---- lint ---- */

static struct tmpdir dir;

static int make_directory(void **state)
{
    (void)state;
    tmpdir_make(&dir);
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    tmpdir_remove(&dir);
    return 0;
}

static void lint(const char *file, const char *text, int status, const char *expected)
{
    tmpdir_write(&dir, file, text);
    run_cli("", "tools", "lint", dir.path);
    assert_int_equal(run.status, status);
    assert_string_equal(run.out, expected);
}

static void test_lint_clean(void **state)
{
    (void)state;
    lint(
        "x.tool.json",
        "{\"name\":\"x\",\"version\":\"1\",\"description\":\"d\",\"command\":[\"true\"],"
        "\"arguments\":[\"{a}\"],"
        "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"description\":\"d\"}},"
        "\"additionalProperties\":false}}",
        0,
        "");
}

static void test_lint_findings(void **state)
{
    (void)state;
    lint(
        "y.tool.json",
        "{\"name\":\"x\",\"description\":\"\",\"command\":[\"true\"],"
        "\"arguments\":[[\"--a={nope}\"]],\"title\":\"a\\u202Eb\",\"inputSchema\":"
        "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"type\":\"object\","
        "\"properties\":{\"a\":{}}}}",
        1,
        "y.tool.json#/name: differs from the file name\n"
        "y.tool.json#/description: is empty\n"
        "y.tool.json#/inputSchema/properties/a: has no \"description\"\n"
        "y.tool.json#/version: is missing; call records will say \"unknown\"\n"
        "y.tool.json#/inputSchema/$schema: clients need not support any draft but 2020-12\n"
        "y.tool.json#/arguments/0: the input schema has no property nope\n"
        "y.tool.json#/title: invisible in the text: a text direction mark\n"
        "y.tool.json#/inputSchema: accepts any member; set \"additionalProperties\"\n");
}

static void test_lint_finds_invisible_characters(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "\\u200b", "\\ufeff", "\\udb40\\udc41", "\\u2066", "\\u0001"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char text[512];
        snprintf(
            text,
            sizeof(text),
            "{\"name\":\"x\",\"description\":\"a%sb\",\"command\":[\"true\"],"
            "\"inputSchema\":{}}",
            texts[i]);
        tmpdir_write(&dir, "x.tool.json", text);
        run_cli("", "tools", "lint", dir.path);
        assert_int_equal(run.status, 1);
        assert_non_null(strstr(run.out, "x.tool.json#/description: invisible in the text: "));
    }
}

static void test_lint_unreadable(void **state)
{
    (void)state;
    tmpdir_write(&dir, "x.tool.json", "{");
    run_cli("", "tools", "lint", dir.path);
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.out, "x.tool.json#: "));
    run_cli("", "tools", "lint", "/no/such/directory");
    assert_int_equal(run.status, 2);
    run_cli("", "tools", "lint");
    assert_int_equal(run.status, 2);
    run_cli("", "tools", "polish");
    assert_int_equal(run.status, 2);
}

#define LINT_TEST(test) cmocka_unit_test_setup_teardown(test, make_directory, remove_directory)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED_TEST(test_wrong_format),
        SERVED_TEST(test_missing_directory),
        SERVED_TEST(test_wrong_setting),
        SERVED_TEST(test_operands),
        SERVED_TEST(test_columns),
        SERVED_TEST(test_injected_faults),
        SERVED_TEST(test_schemas_as_json),
        SERVED_TEST(test_none),
        SERVED_TEST(test_examples_as_json),
        SERVED_TEST(test_examples_as_text),
        cmocka_unit_test(test_tools_as_json),
        cmocka_unit_test(test_tools_as_text),
        LINT_TEST(test_lint_clean),
        LINT_TEST(test_lint_findings),
        LINT_TEST(test_lint_finds_invisible_characters),
        LINT_TEST(test_lint_unreadable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
