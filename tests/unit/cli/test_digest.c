#define _GNU_SOURCE /* memfd_create() */
#include "os/digest.h"
#include "unit/app/run_faults.h"
#include "unit/os/in_tmpdir.h"

/* sha256sum of {}, of nothing, and of {"a":[1]} */
#define DIGEST_OBJECT "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
#define DIGEST_EMPTY  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define DIGEST_SMALL  "ff5464c34287e9ec505b9f76573a4cb0bd408c96c6537b458fdd993fc7c615ce"

#define RESULT(digest) "{\"alg\":\"sha256\",\"value\":\"" digest "\"}\n"

static void assert_result(const char *expected)
{
    assert_string_equal(run.err, "");
    assert_string_equal(run.out, expected);
    assert_int_equal(run.status, 0);
}

static void test_equal_documents_have_equal_digests(void **state)
{
    (void)state;
    static const char *const spellings[] = {
        "{\"a\":[1]}", " { \"a\" : [ 1.0 ] }\n", "{\"\\u0061\":[1]}", "{\"a\":[10e-1]}"};
    for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
        run_cli(spellings[i], "digest", "-");
        assert_result(RESULT(DIGEST_SMALL));
    }
}

static void test_inputs(void **state)
{
    (void)state;
    tmpdir_write(&dir, "file", "{ }");
    run_cli("", "digest", tmpdir_path(&dir, "file"));
    assert_result(RESULT(DIGEST_OBJECT));
    run_cli("{}", "digest", "-");
    assert_result(RESULT(DIGEST_OBJECT));
    run_cli("{}", "digest");
    assert_result(RESULT(DIGEST_OBJECT));
}

static void test_verifying(void **state)
{
    (void)state;
    static const struct {
        const char *digest;
        int status;
    } cases[] = {
        {DIGEST_OBJECT, 0},
        {"sha256:" DIGEST_OBJECT, 0},
        {DIGEST_EMPTY, 1},
        {"sha256:" DIGEST_EMPTY, 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        run_cli("{ }", "digest", "--verify", cases[i].digest, "-");
        assert_int_equal(run.status, cases[i].status);
        assert_string_equal(run.out, RESULT(DIGEST_OBJECT));
        const char *message = "mcpgate: digest: <stdin>: the digest is not the expected one\n";
        assert_string_equal(run.err, cases[i].status == 0 ? "" : message);
    }
    run_cli("", "digest", "--text", "--verify=" DIGEST_EMPTY);
    assert_result(RESULT(DIGEST_EMPTY));
}

static void test_verify_with_a_malformed_digest(void **state)
{
    (void)state;
    static const char *const words[] = {
        "",
        "sha256:",
        "44136fa3",
        (DIGEST_OBJECT "0"),
        ("SHA256:" DIGEST_OBJECT),
        "44136FA355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        run_cli("{}", "digest", "--verify", words[i], "-");
        assert_int_equal(run.status, 2);
        assert_string_equal(run.out, "");
        assert_true(run_is_one_line(run.err));
    }
}

static void test_text_digests_bytes(void **state)
{
    (void)state;
    tmpdir_write(&dir, "file", "{}");
    tmpdir_write(&dir, "empty", "");
    run_cli("", "digest", "--text", tmpdir_path(&dir, "file"));
    assert_result(RESULT(DIGEST_OBJECT));
    run_cli("", "digest", tmpdir_path(&dir, "empty"), "--text");
    assert_result(RESULT(DIGEST_EMPTY));
    run_cli("{}", "digest", "--text");
    assert_result(RESULT(DIGEST_OBJECT));
    run_cli("{} ", "digest", "--text", "-");
    assert_int_equal(run.status, 0);
    assert_null(strstr(run.out, DIGEST_OBJECT));
}

/* 8 MiB of zeros, more than one read; digest by sha256sum. */
static void test_text_of_any_size(void **state)
{
    (void)state;
    tmpdir_write(&dir, "zeros", "");
    assert_int_equal(truncate(tmpdir_path(&dir, "zeros"), 8 << 20), 0);
    fault_watch();
    run_cli("", "digest", "--text", tmpdir_path(&dir, "zeros"));
    assert_result(RESULT("2daeb1f36095b44b318410b3f4e8b5d989dcc7bb023d1426c492dab0a3053e74"));
    assert_true(fault.calls[FAULT_READ] > 8);
}

static void test_number_beyond_double(void **state)
{
    (void)state;
    run_cli("{\"a\":\n [0, -1e400]}", "digest");
    assert_int_equal(run.status, 2);
    assert_string_equal(run.out, "");
    assert_string_equal(
        run.err,
        "mcpgate: digest: <stdin>:2:6: number too large for a double: it has no canonical form "
        "(at /a/1)\n"
        "   [0, -1e400]}\n"
        "       ^\n");
}

static void test_invalid_documents(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "{", "{\"a\":1,\"a\":1}", "text"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        run_cli(texts[i], "digest");
        assert_int_equal(run.status, 2);
        assert_string_equal(run.out, "");
        assert_true(run_is_message(run.err));
    }
    run_cli("", "digest", "nowhere");
    assert_int_equal(run.status, 2);
    assert_string_equal(run.err, "mcpgate: digest: nowhere: No such file or directory\n");
    run_cli("", "digest", "--text", "nowhere");
    assert_int_equal(run.status, 2);
    assert_string_equal(run.err, "mcpgate: digest: nowhere: No such file or directory\n");
    run_cli("", "digest", "--text", dir.path);
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, ": Is a directory\n"));
    run_cli("", "digest", "a", "b");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "unexpected operand 'b'"));
}

static void test_injected_faults(void **state)
{
    (void)state;
    tmpdir_write(&dir, "file", "{\"b\": [1.5, \"\\n\"], \"a\": {\"c\": null}}");
    const char *file = tmpdir_path(&dir, "file");
    run_cli_with_faults("", "digest", file);
    run_cli_with_faults("", "digest", "--text", file);
    run_cli_with_faults("[\"text\", 1.5e300]", "digest");
    /* While the message about a number is made. */
    run_cli_with_faults("{\"a\": [1, {\"b\": 1e999}]}", "digest");
}

#define DIGEST_TEST(function) IN_TMPDIR(function)

int main(void)
{
    const struct CMUnitTest tests[] = {
        DIGEST_TEST(test_equal_documents_have_equal_digests),
        DIGEST_TEST(test_inputs),
        DIGEST_TEST(test_verifying),
        DIGEST_TEST(test_verify_with_a_malformed_digest),
        DIGEST_TEST(test_text_digests_bytes),
        DIGEST_TEST(test_text_of_any_size),
        DIGEST_TEST(test_number_beyond_double),
        DIGEST_TEST(test_invalid_documents),
        DIGEST_TEST(test_injected_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
