#define _GNU_SOURCE /* memfd_create() */
#include "unit/app/run_faults.h"
#include "unit/os/tmpdir.h"

static struct tmpdir dir;

static int set_up(void **state)
{
    (void)state;
    tmpdir_make(&dir);
    tmpdir_write(&dir, "base", "{\"a\": 1, \"b\": {\"c\": [1]}}");
    tmpdir_write(&dir, "new", "{\"b\": {\"c\": [2]}, \"d\": null}\n");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fault_disarm();
    tmpdir_remove(&dir);
    return 0;
}

#define PATCH                                                                                      \
    "[{\"op\":\"remove\",\"path\":\"/a\"},"                                                        \
    "{\"op\":\"replace\",\"path\":\"/b/c\",\"value\":[2]},"                                        \
    "{\"op\":\"add\",\"path\":\"/d\",\"value\":null}]\n"

static void assert_patch(const char *expected)
{
    assert_string_equal(run.err, "");
    assert_string_equal(run.out, expected);
    assert_int_equal(run.status, 0);
}

static void test_patch(void **state)
{
    (void)state;
    run_cli("", "diff", tmpdir_path(&dir, "base"), tmpdir_path(&dir, "new"));
    assert_patch(PATCH);
    run_cli("", "diff", tmpdir_path(&dir, "new"), tmpdir_path(&dir, "new"));
    assert_patch("[]\n");
}

static void test_standard_input(void **state)
{
    (void)state;
    run_cli("{}", "diff", "-", tmpdir_path(&dir, "new"));
    assert_patch("[{\"op\":\"add\",\"path\":\"/b\",\"value\":{\"c\":[2]}},"
                 "{\"op\":\"add\",\"path\":\"/d\",\"value\":null}]\n");
    run_cli("{\"a\": 1.0, \"b\": {\"c\": [10e-1]}}", "diff", tmpdir_path(&dir, "base"), "-");
    assert_patch("[]\n");
}

static void test_pretty(void **state)
{
    (void)state;
    run_cli("[1.50]", "diff", "--pretty", tmpdir_path(&dir, "base"), "-");
    assert_patch("[\n"
                 "  {\n"
                 "    \"op\": \"replace\",\n"
                 "    \"path\": \"\",\n"
                 "    \"value\": [\n"
                 "      1.50\n"
                 "    ]\n"
                 "  }\n"
                 "]\n");
    run_cli("[]", "diff", tmpdir_path(&dir, "base"), tmpdir_path(&dir, "base"), "--pretty");
    assert_patch("[]\n");
}

/* A document as deep as may be, whole in the patch, which is two levels deeper. */
static void test_pretty_at_the_depth_limit(void **state)
{
    (void)state;
    enum {
        DEPTH = 512
    };
    char text[2 * DEPTH + 3];
    memset(text, '[', DEPTH + 1);
    memset(text + DEPTH, ']', DEPTH);
    text[2 * DEPTH] = '\0';
    run_cli(text, "diff", "--pretty", tmpdir_path(&dir, "base"), "-");
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    size_t brackets = 0;
    for (const char *at = run.out; *at; at++) {
        brackets += *at == ']';
    }
    assert_int_equal(brackets, DEPTH + 1);
    /* One deeper is refused as input. */
    memset(text, '[', DEPTH + 1);
    memset(text + DEPTH + 1, ']', DEPTH + 1);
    text[2 * DEPTH + 2] = '\0';
    run_cli(text, "diff", "--pretty", tmpdir_path(&dir, "base"), "-");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "nested deeper"));
}

static void test_invalid_documents(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", "{", "[1,]", "nul", "{\"a\":1,\"a\":1}", "\xff", "1 2", "\xef\xbb\xbf{}"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        run_cli(texts[i], "diff", tmpdir_path(&dir, "base"), "-");
        assert_int_equal(run.status, 2);
        assert_string_equal(run.out, "");
        assert_non_null(strstr(run.err, "mcpgate: diff: <stdin>:1:"));
        run_cli(texts[i], "diff", "-", tmpdir_path(&dir, "new"));
        assert_int_equal(run.status, 2);
        assert_non_null(strstr(run.err, "mcpgate: diff: <stdin>:1:"));
    }
}

static void test_missing_files(void **state)
{
    (void)state;
    run_cli("", "diff", "nowhere/a", "nowhere/b");
    assert_int_equal(run.status, 2);
    assert_string_equal(run.out, "");
    assert_string_equal(run.err, "mcpgate: diff: nowhere/a: No such file or directory\n");
    run_cli("", "diff", tmpdir_path(&dir, "base"), "nowhere/b");
    assert_int_equal(run.status, 2);
    assert_string_equal(run.err, "mcpgate: diff: nowhere/b: No such file or directory\n");
}

static void test_usage(void **state)
{
    (void)state;
    run_cli("", "diff");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "expected 'BASE NEW'"));
    run_cli("", "diff", "a");
    assert_int_equal(run.status, 2);
    run_cli("", "diff", "a", "b", "c");
    assert_int_equal(run.status, 2);
    run_cli("", "diff", "-", "-");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "only once"));
}

static void test_injected_faults(void **state)
{
    (void)state;
    const char *base = tmpdir_path(&dir, "base");
    run_cli_with_faults("{\"x\": [\"\\u00e9\"], \"a\": {}}", "diff", base, "-");
    run_cli_with_faults("{\"x\": [\"\\u00e9\"], \"a\": {}}", "diff", "--pretty", base, "-");
    /* While the message about a bad document is made. */
    run_cli_with_faults("{\"a\": [1, {\"b\": }]}", "diff", base, "-");
}

/* OpenSSL has no part in this, so every byte must come back. */
static void test_no_leak(void **state)
{
    (void)state;
    unsigned at = 0;
    do {
        fault_arm(FAULT_RESIZE, ++at, ENOMEM);
        run_cli("[1, 2, {}]", "diff", "--pretty", tmpdir_path(&dir, "base"), "-");
        assert_int_equal(fault.live_blocks, 0);
        assert_int_equal(run.status, fault.hit ? 2 : 0);
    } while (fault.hit);
    assert_true(at > 10);
}

#define DIFF_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        DIFF_TEST(test_patch),
        DIFF_TEST(test_standard_input),
        DIFF_TEST(test_pretty),
        DIFF_TEST(test_pretty_at_the_depth_limit),
        DIFF_TEST(test_invalid_documents),
        DIFF_TEST(test_missing_files),
        DIFF_TEST(test_usage),
        DIFF_TEST(test_injected_faults),
        DIFF_TEST(test_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
