#define _GNU_SOURCE /* memfd_create() */
#include <errno.h>

#include "cli/io.h"
#include "unit/app/run.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

static struct tmpdir dir;
static struct cli cli;
static char said[RUN_TEXT_MAX];

static int set_up(void **state)
{
    (void)state;
    tmpdir_make(&dir);
    tmpdir_write(&dir, "file", "text");
    cli = (struct cli){
        .command = "digest", .in_fd = run_memfd("stdin"), .out_fd = -1, .err_fd = run_memfd("")};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fault_disarm();
    run_close_if_open(cli.in_fd);
    close(cli.err_fd);
    tmpdir_remove(&dir);
    return 0;
}

static const char *take(void)
{
    run_take(cli.err_fd, said);
    cli.err_fd = run_memfd("");
    return said;
}

/* Read an input and compare; expected NULL: it must fail. @return the result */
static int check_read(const char *path, size_t size_max, const char *expected)
{
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, size_max);
    int r = cli_input_read(&cli, path, &out);
    if (expected) {
        assert_int_equal(r, 0);
        assert_int_equal(out.size, strlen(expected));
        assert_memory_equal(out.data, expected, out.size);
        assert_string_equal(take(), "");
    }
    jsv_buf_done(&out);
    return r;
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(cli_input_name("-"), "<stdin>");
    assert_string_equal(cli_input_name("./-"), "./-");
    assert_string_equal(cli_input_name("a.json"), "a.json");
}

static void test_files_and_stdin(void **state)
{
    (void)state;
    check_read(tmpdir_path(&dir, "file"), 10, "text");
    check_read("-", 10, "stdin");
}

static void test_input_that_cannot_be_opened(void **state)
{
    (void)state;
    assert_int_equal(check_read("nowhere/at/all", 10, NULL), -ENOENT);
    assert_string_equal(take(), "mcpgate: digest: nowhere/at/all: No such file or directory\n");
    assert_int_equal(check_read("", 10, NULL), -ENOENT);
    assert_string_equal(take(), "mcpgate: digest: : No such file or directory\n");
    assert_int_equal(cli_input_open(&cli, "nowhere"), -ENOENT);
}

static void test_input_that_cannot_be_read(void **state)
{
    (void)state;
    assert_int_equal(check_read(dir.path, 10, NULL), -EISDIR);
    assert_non_null(strstr(take(), ": Is a directory\n"));
    fault_arm(FAULT_READ, 1, EIO);
    assert_int_equal(check_read("-", 10, NULL), -EIO);
    assert_string_equal(take(), "mcpgate: digest: <stdin>: Input/output error\n");
}

static void test_input_over_the_limit(void **state)
{
    (void)state;
    tmpdir_write(&dir, "sparse", "");
    assert_int_equal(truncate(tmpdir_path(&dir, "sparse"), (off_t)CLI_INPUT_SIZE_MAX + 1), 0);
    fault_watch();
    assert_int_equal(check_read(tmpdir_path(&dir, "sparse"), CLI_INPUT_SIZE_MAX, NULL), -EFBIG);
    assert_int_equal(fault.calls[FAULT_READ], 0);
    assert_int_equal(fault.open_fds, 0);
    assert_non_null(strstr(take(), "/sparse: larger than the limit of 1 GiB\n"));
}

#define INPUT_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

static char taken[RUN_TEXT_MAX];

static int set_up_output(void **state)
{
    (void)state;
    cli = (struct cli){.command = "diff", .out_fd = run_memfd(""), .err_fd = run_memfd("")};
    return 0;
}

static int tear_down_output(void **state)
{
    (void)state;
    fault_disarm();
    run_close_if_open(cli.out_fd);
    close(cli.err_fd);
    return 0;
}

static const char *take_output(int *fd)
{
    run_take(*fd, taken);
    *fd = run_memfd("");
    return taken;
}

static void test_writing(void **state)
{
    (void)state;
    fault_watch();
    fault.write_most = 3;
    assert_int_equal(cli_output_write(&cli, JSV_STR("result\n")), 0);
    assert_string_equal(take_output(&cli.out_fd), "result\n");
    assert_string_equal(take_output(&cli.err_fd), "");
}

static void test_write_errors(void **state)
{
    (void)state;
    fault_arm(FAULT_WRITE, 1, ENOSPC);
    assert_int_equal(cli_output_write(&cli, JSV_STR("result\n")), -ENOSPC);
    assert_string_equal(
        take_output(&cli.err_fd),
        "mcpgate: diff: cannot write to standard output: No space left on device\n");
}

static void test_writing_buffers(void **state)
{
    (void)state;
    struct jsv_buf buf;
    jsv_buf_init(&buf, NULL, 6);
    jsv_buf_append(&buf, "result", 6);
    assert_int_equal(cli_output_buf(&cli, &buf), 0);
    assert_string_equal(take_output(&cli.out_fd), "result");
    /* A partial result is not written. */
    jsv_buf_append_byte(&buf, '!');
    assert_int_equal(cli_output_buf(&cli, &buf), -ENOBUFS);
    assert_string_equal(take_output(&cli.out_fd), "");
    assert_string_equal(
        take_output(&cli.err_fd), "mcpgate: diff: the result is larger than the limit of 3 GiB\n");
    jsv_buf_done(&buf);
}

static void test_reports_of_failed_results(void **state)
{
    (void)state;
    assert_int_equal(cli_output_failed(&cli, -ENOMEM), -ENOMEM);
    assert_string_equal(
        take_output(&cli.err_fd),
        "mcpgate: diff: cannot compute the result: Cannot allocate memory\n");
}

static void test_close_errors(void **state)
{
    (void)state;
    int fd = cli.out_fd;
    assert_int_equal(cli_output_close(&cli), 0);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    cli.out_fd = run_memfd("");
    fault_arm(FAULT_CLOSE, 1, EDQUOT);
    assert_int_equal(cli_output_close(&cli), -EDQUOT);
    assert_string_equal(
        take_output(&cli.err_fd),
        "mcpgate: diff: cannot write to standard output: Disk quota exceeded\n");
}

#define OUTPUT_TEST(function)                                                                      \
    cmocka_unit_test_setup_teardown(function, set_up_output, tear_down_output)

static bool is_like(const char *name, const char *text)
{
    return cli_is_like_yaml(name, jsv_str_from(text));
}

static void test_yaml_is_recognised(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "---",
        "---\na",
        "%YAML 1.2\n",
        "type: object",
        "$ref: '#/x'\n",
        "properties:\n  a: 1",
        "properties:\r\n  a: 1",
        "\n# x\n\n- a",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_true(is_like("x.json", texts[i]));
    }
    assert_true(is_like("x.yaml", "{"));
    assert_true(is_like("d/x.yml", ""));
}

static void test_broken_json_is_not_yaml(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "{",
        "{\"a\": 1",
        "\"a\": 1",
        "'a': 1",
        "[1",
        "nul",
        "a:b",
        ": x",
        "-",
        "-1 2",
        "#",
        "a b: c",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_false(is_like("x.json", texts[i]));
        assert_false(is_like(".yaml", texts[i]));
    }
}

static int tear_down_document(void **state)
{
    (void)state;
    fault_disarm();
    return 0;
}

static int load(const char *text, struct cli_document *document)
{
    cli = (struct cli){
        .command = "diff", .in_fd = run_memfd(text), .out_fd = -1, .err_fd = run_memfd("")};
    return cli_document_load(&cli, "-", document);
}

static void test_loading(void **state)
{
    (void)state;
    struct cli_document document;
    assert_int_equal(load(" {\"a\": [1, 2]} ", &document), 0);
    struct jsv_value root = jsv_document_root(document.document);
    assert_int_equal(jsv_value_count(jsv_value_get(root, JSV_STR("a"))), 2);
    cli_document_done(&document);
    cli_document_done(&document);
    cli_document_done(NULL);
    cli_document_done(&(struct cli_document){0});
    run_take(cli.err_fd, said);
    assert_string_equal(said, "");
}

static void assert_refused(const char *text, const char *expected)
{
    struct cli_document document = {.name = "untouched"};
    assert_int_equal(load(text, &document), -EBADMSG);
    assert_string_equal(document.name, "untouched");
    run_take(cli.err_fd, said);
    assert_string_equal(said, expected);
}

static void test_invalid_documents(void **state)
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

/* Report the value at a pointer. */
static const char *report(const char *text, const char *pointer)
{
    struct cli_document document;
    struct jsv_value value;
    assert_int_equal(load(text, &document), 0);
    struct jsv_value root = jsv_document_root(document.document);
    assert_int_equal(jsv_pointer_get(root, jsv_str_from(pointer), &value), 0);
    cli_document_report(&cli, &document, value, "look here");
    cli_document_done(&document);
    run_take(cli.err_fd, said);
    return said;
}

static void test_reports_about_values(void **state)
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

/* Without memory for the pointer, line and column are still shown. */
static void test_reporting_without_memory(void **state)
{
    (void)state;
    struct cli_document document;
    assert_int_equal(load("[1, 2]", &document), 0);
    struct jsv_value value = jsv_value_at(jsv_document_root(document.document), 1);
    fault_arm(FAULT_RESIZE, 1, ENOMEM);
    cli_document_report(&cli, &document, value, "look here");
    assert_true(fault.hit);
    cli_document_done(&document);
    run_take(cli.err_fd, said);
    assert_string_equal(said, "mcpgate: diff: <stdin>:1:5: look here\n  [1, 2]\n      ^\n");
}

static void test_loading_without_memory(void **state)
{
    (void)state;
    unsigned at = 0;
    int r;
    do {
        struct cli_document document;
        fault_arm(FAULT_RESIZE, ++at, ENOMEM);
        r = load("{\"a\": [\"\\u00e9\"]}", &document);
        assert_int_equal(r, fault.hit ? -ENOMEM : 0);
        if (r == 0) {
            cli_document_done(&document);
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
        INPUT_TEST(test_names),
        INPUT_TEST(test_files_and_stdin),
        INPUT_TEST(test_input_that_cannot_be_opened),
        INPUT_TEST(test_input_that_cannot_be_read),
        INPUT_TEST(test_input_over_the_limit),
        OUTPUT_TEST(test_writing),
        OUTPUT_TEST(test_write_errors),
        OUTPUT_TEST(test_writing_buffers),
        OUTPUT_TEST(test_reports_of_failed_results),
        OUTPUT_TEST(test_close_errors),
        cmocka_unit_test(test_yaml_is_recognised),
        cmocka_unit_test(test_broken_json_is_not_yaml),
        cmocka_unit_test(test_loading),
        cmocka_unit_test(test_invalid_documents),
        cmocka_unit_test(test_reports_about_values),
        cmocka_unit_test_teardown(test_reporting_without_memory, tear_down_document),
        cmocka_unit_test_teardown(test_loading_without_memory, tear_down_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
