#define _GNU_SOURCE /* memfd_create() */
#include <errno.h>

#include "cli/document.h"
#include "unit/app/run.h"
#include "unit/os/fault.h"

static struct app_cli cli;
static char said[RUN_TEXT_MAX];

static int tear_down(void **state)
{
    (void)state;
    fault_disarm();
    return 0;
}

static int load(const char *text, struct app_document *document)
{
    cli = (struct app_cli){
        .command = "diff", .in_fd = run_memfd(text), .out_fd = -1, .err_fd = run_memfd("")};
    return app_document_load(&cli, "-", document);
}

static void test_loading(void **state)
{
    (void)state;
    struct app_document document;
    assert_int_equal(load(" {\"a\": [1, 2]} ", &document), 0);
    struct jsv_value root = jsv_document_root(document.document);
    assert_int_equal(jsv_value_count(jsv_value_get(root, JSV_STR("a"))), 2);
    app_document_done(&document);
    app_document_done(&document);
    app_document_done(NULL);
    app_document_done(&(struct app_document){0});
    run_take(cli.err_fd, said);
    assert_string_equal(said, "");
}

static void assert_refused(const char *text, const char *expected)
{
    struct app_document document = {.name = "untouched"};
    assert_int_equal(load(text, &document), -EBADMSG);
    assert_string_equal(document.name, "untouched");
    run_take(cli.err_fd, said);
    assert_string_equal(said, expected);
}

static void test_refusing(void **state)
{
    (void)state;
    assert_refused("", "mcpgate: diff: <stdin>:1:1: expected a JSON value, found nothing\n");
    assert_refused(
        "{\"a\": 1,\n \"b\": {\"c\" 2}}",
        "mcpgate: diff: <stdin>:2:12: expected ':' after the member name (at /b/c)\n"
        "   \"b\": {\"c\" 2}}\n"
        "             ^\n");
    assert_refused(
        "{\"a\": 1, \"a\": 1}",
        "mcpgate: diff: <stdin>:1:10: duplicate member name (at /a)\n"
        "  {\"a\": 1, \"a\": 1}\n"
        "           ^\n");
}

/* The value behind a pointer, reported. */
static const char *report(const char *text, const char *pointer)
{
    struct app_document document;
    struct jsv_value value;
    assert_int_equal(load(text, &document), 0);
    struct jsv_value root = jsv_document_root(document.document);
    assert_int_equal(jsv_pointer_get(root, jsv_str_from(pointer), &value), 0);
    app_document_report(&cli, &document, value, "look here");
    app_document_done(&document);
    run_take(cli.err_fd, said);
    return said;
}

static void test_reporting(void **state)
{
    (void)state;
    assert_string_equal(report("1", ""), "mcpgate: diff: <stdin>:1:1: look here\n  1\n  ^\n");
    assert_string_equal(
        report("[[], {\"x\": 0},\n {\"a/b\": [1, \"\xc3\xa9\", [7, 8]]}]", "/2/a~1b/2/1"),
        "mcpgate: diff: <stdin>:2:23: look here (at /2/a~1b/2/1)\n"
        "   {\"a/b\": [1, \"\xc3\xa9\", [7, 8]]}]\n"
        "                        ^\n");
    assert_string_equal(
        report("{\"a\": 1, \"b\": {\"a\": 2}}", "/b/a"),
        "mcpgate: diff: <stdin>:1:21: look here (at /b/a)\n"
        "  {\"a\": 1, \"b\": {\"a\": 2}}\n"
        "                      ^\n");
}

/* Without memory for the pointer there is still the place. */
static void test_reporting_without_memory(void **state)
{
    (void)state;
    struct app_document document;
    assert_int_equal(load("[1, 2]", &document), 0);
    struct jsv_value value = jsv_value_at(jsv_document_root(document.document), 1);
    fault_arm(FAULT_RESIZE, 1, ENOMEM);
    app_document_report(&cli, &document, value, "look here");
    assert_true(fault.hit);
    app_document_done(&document);
    run_take(cli.err_fd, said);
    assert_string_equal(said, "mcpgate: diff: <stdin>:1:5: look here\n  [1, 2]\n      ^\n");
}

static void test_loading_without_memory(void **state)
{
    (void)state;
    unsigned at = 0;
    int r;
    do {
        struct app_document document;
        fault_arm(FAULT_RESIZE, ++at, ENOMEM);
        r = load("{\"a\": [\"\\u00e9\"]}", &document);
        assert_int_equal(r, fault.hit ? -ENOMEM : 0);
        if (r == 0) {
            app_document_done(&document);
        }
        assert_int_equal(fault.live_blocks, 0);
        run_take(cli.err_fd, said);
        assert_string_equal(said, r < 0 ? "mcpgate: diff: <stdin>: Cannot allocate memory\n" : "");
    } while (r < 0);
    assert_true(at > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loading),
        cmocka_unit_test(test_refusing),
        cmocka_unit_test(test_reporting),
        cmocka_unit_test_teardown(test_reporting_without_memory, tear_down),
        cmocka_unit_test_teardown(test_loading_without_memory, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
