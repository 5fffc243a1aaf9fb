#define _GNU_SOURCE /* memfd_create() */
#include <jsv/json.h>

#include "tools/tool.h"
#include "unit/app/run.h"
#include "unit/os/tmpdir.h"

/* The whole descriptor of each tool, in order. */
static void test_json(void **state)
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

static void test_text(void **state)
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
        "y.tool.json#/name: the file is not called after the tool\n"
        "y.tool.json#/description: is empty\n"
        "y.tool.json#/inputSchema/properties/a: has no \"description\"\n"
        "y.tool.json#/version: is missing: records of calls say \"unknown\"\n"
        "y.tool.json#/inputSchema/$schema: clients need not know any draft but 2020-12\n"
        "y.tool.json#/arguments/0: the input schema has no property nope\n"
        "y.tool.json#/title: hidden in the text: a mark that changes the direction of text\n"
        "y.tool.json#/inputSchema: takes any member; say \"additionalProperties\"\n");
}

static void test_lint_hidden(void **state)
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
        assert_non_null(strstr(run.out, "x.tool.json#/description: hidden in the text: "));
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
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_text),
        LINT_TEST(test_lint_clean),
        LINT_TEST(test_lint_findings),
        LINT_TEST(test_lint_hidden),
        LINT_TEST(test_lint_unreadable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
