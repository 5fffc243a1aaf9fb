#define _GNU_SOURCE /* memfd_create(), nftw() */
#include "os/interrupt.h"
#include "unit/app/run.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

static struct tmpdir dir;
static int here; /* the working directory before */

static int set_up(void **state)
{
    (void)state;
    tmpdir_make(&dir);
    here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    tmpdir_write(
        &dir,
        "s.json",
        "{\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"number\"}},"
        " \"required\": [\"x\"]}");
    tmpdir_write(&dir, "a.json", "{\"x\": \"no\"}\n");
    tmpdir_write(&dir, "b.json", "{\"x\": 1}\n");
    tmpdir_write(&dir, "bad.json", "{\"x\" 1}\n");
    return fchdir(dir.fd);
}

static int tear_down(void **state)
{
    (void)state;
    fault_disarm();
    os_interrupt_unwatch();
    int r = fchdir(here);
    close(here);
    tmpdir_remove(&dir);
    return r;
}

#define ERROR_OF_A                                                                                 \
    "{\"file\":\"a.json\",\"line\":1,\"ok\":false,\"errors\":[{\"path\":\"/x\","                   \
    "\"msg\":\"expected number\",\"keyword\":\"type\","                                            \
    "\"schemaPath\":\"/properties/x/type\"}]}\n"

static void assert_run(int status, const char *out, const char *err)
{
    assert_string_equal(run.err, err);
    assert_string_equal(run.out, out);
    assert_int_equal(run.status, status);
}

/* ---- results ---- */

static void test_text(void **state)
{
    (void)state;
    run_cli("", "validate", "-s", "s.json", "b.json");
    assert_run(0, "", "1 document, 1 valid, 0 invalid\n");
    run_cli("", "validate", "--schema=s.json", "b.json", "a.json");
    assert_run(
        1,
        "a.json:1:7: /x: expected number, found string\n"
        "  {\"x\": \"no\"}\n"
        "        ^\n",
        "2 documents, 1 valid, 1 invalid\n");
    run_cli("", "validate", "-s", "s.json", "-q", "a.json", "bad.json", "none");
    assert_int_equal(run.status, 2);
    assert_string_equal(run.err, "mcpgate: validate: none: No such file or directory\n");
    run_cli("", "validate", "-s", "s.json", "bad.json", "none", "b.json");
    assert_run(
        2,
        "bad.json:1:6: /x: expected ':' after the member name\n"
        "  {\"x\" 1}\n"
        "       ^\n",
        "mcpgate: validate: none: No such file or directory\n"
        "2 documents, 1 valid, 0 invalid, 1 could not be checked, 1 file unread\n");
    run_cli("", "validate", "-s", "s.json", "none", "nowhere");
    assert_non_null(strstr(run.err, "\n0 documents, 0 valid, 0 invalid, 2 files unread\n"));
}

static void test_json(void **state)
{
    (void)state;
    run_cli("", "validate", "-s", "s.json", "--format", "json", "b.json", "a.json");
    assert_run(1, "{\"file\":\"b.json\",\"line\":1,\"ok\":true}\n" ERROR_OF_A, "");
    run_cli("", "validate", "-s", "s.json", "--format=json", "bad.json");
    assert_run(
        2,
        "{\"file\":\"bad.json\",\"line\":1,\"ok\":false,\"errors\":[{\"path\":\"/x\","
        "\"msg\":\"expected ':' after the member name (line 1, column 6)\","
        "\"keyword\":\"\",\"schemaPath\":\"\"}]}\n",
        "");
}

static void test_basic(void **state)
{
    (void)state;
    char expected[2 * PATH_MAX];
    char real[PATH_MAX];
    assert_non_null(realpath(dir.path, real));
    run_cli("", "validate", "-s", "s.json", "--format", "basic", "b.json", "a.json");
    snprintf(
        expected,
        sizeof(expected),
        "{\"valid\":true}\n"
        "{\"valid\":false,\"errors\":[{\"keywordLocation\":\"/properties/x/type\","
        "\"absoluteKeywordLocation\":\"file://%s/s.json#/properties/x/type\","
        "\"instanceLocation\":\"/x\",\"error\":\"expected number\"}]}\n",
        real);
    assert_run(1, expected, "");
}

static void test_github(void **state)
{
    (void)state;
    run_cli("", "validate", "-s", "s.json", "--format", "github", "b.json", "a.json");
    assert_run(1, "::error file=a.json,line=1,col=7::/x: expected number\n", "");
}

static void test_ndjson(void **state)
{
    (void)state;
    static const char lines[] = "{\"x\":1}\n\n{\"x\":null}\r\n{\"x\":2.5}";
    static const char expected[] =
        "{\"file\":\"%s\",\"line\":1,\"ok\":true}\n"
        "{\"file\":\"%s\",\"line\":3,\"ok\":false,\"errors\":[{\"path\":\"/x\","
        "\"msg\":\"expected number\",\"keyword\":\"type\","
        "\"schemaPath\":\"/properties/x/type\"}]}\n"
        "{\"file\":\"%s\",\"line\":4,\"ok\":true}\n";
    static const char *const names[] = {"d.ndjson", "d.jsonl", "d"};
    char out[1024];
    for (size_t i = 0; i < 3; i++) {
        tmpdir_write(&dir, names[i], lines);
        run_cli(
            "",
            "validate",
            "-s",
            "s.json",
            "--format=json",
            i < 2 ? names[i] : "--ndjson",
            i < 2 ? NULL : names[i]);
        snprintf(out, sizeof(out), expected, names[i], names[i], names[i]);
        assert_run(1, out, "");
    }
    run_cli(lines, "validate", "-s", "s.json", "--format=json", "--ndjson", "-");
    snprintf(out, sizeof(out), expected, "<stdin>", "<stdin>", "<stdin>");
    assert_run(1, out, "");
}

static void test_standard_input(void **state)
{
    (void)state;
    run_cli("{\n\"x\": 3}", "validate", "-s", "s.json", "--format", "json", "-");
    assert_run(0, "{\"file\":\"<stdin>\",\"line\":1,\"ok\":true}\n", "");
    run_cli("{\"maxProperties\": 0}", "validate", "-s", "-", "--format", "json", "b.json");
    assert_int_equal(run.status, 1);
    run_cli("{}", "validate", "-s", "-", "b.json", "-");
    assert_int_equal(run.status, 2);
    assert_non_null(
        strstr(run.err, "the schema is read from standard input, so no document can be"));
}

static void test_directory(void **state)
{
    (void)state;
    tmpdir_mkdir(&dir, "d");
    tmpdir_mkdir(&dir, "d/e");
    tmpdir_write(&dir, "d/z.json", "{\"x\": 1}");
    tmpdir_write(&dir, "d/e/y.json", "{\"x\": 1}");
    tmpdir_write(&dir, "d/skip.txt", "{");
    run_cli("", "validate", "-s", "s.json", "--format", "json", "d");
    assert_run(
        0,
        "{\"file\":\"d/e/y.json\",\"line\":1,\"ok\":true}\n"
        "{\"file\":\"d/z.json\",\"line\":1,\"ok\":true}\n",
        "");
}

static void test_jobs(void **state)
{
    (void)state;
    static const char *const jobs[] = {"1", "2", "8", "256"};
    for (size_t i = 0; i < 4; i++) {
        run_cli("", "validate", "-s", "s.json", "-j", jobs[i], "-q", "b.json", "b.json", "b.json");
        assert_run(0, "", "");
    }
}

static void test_drafts(void **state)
{
    (void)state;
    tmpdir_write(&dir, "t.json", "{\"minimum\": 1, \"exclusiveMinimum\": true}");
    tmpdir_write(&dir, "n.json", "1");
    run_cli("", "validate", "-s", "t.json", "--draft", "4", "--format", "github", "n.json");
    assert_int_equal(run.status, 1);
    run_cli("", "validate", "-s", "t.json", "--draft", "7", "--format", "github", "n.json");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "t.json:1:36: "));
    assert_non_null(strstr(run.err, "(at /exclusiveMinimum)"));
}

static void test_format_assertion(void **state)
{
    (void)state;
    tmpdir_write(&dir, "t.json", "{\"format\": \"ipv4\"}");
    tmpdir_write(&dir, "n.json", "\"x\"");
    run_cli("", "validate", "-s", "t.json", "-q", "n.json");
    assert_int_equal(run.status, 0);
    run_cli("", "validate", "-s", "t.json", "-q", "--assert-format", "n.json");
    assert_int_equal(run.status, 1);
}

static void test_content_assertion(void **state)
{
    (void)state;
    tmpdir_write(&dir, "c.json", "{\"contentEncoding\": \"base64\"}");
    tmpdir_write(&dir, "n.json", "\"YWJ\"");
    run_cli("", "validate", "-s", "c.json", "-q", "--draft", "7", "n.json");
    assert_run(0, "", "");
    run_cli("", "validate", "-s", "c.json", "-q", "--draft", "7", "--assert-content", "n.json");
    assert_run(1, "n.json:1:1: not encoded as base64\n  \"YWJ\"\n  ^\n", "");
}

static void test_resolve(void **state)
{
    (void)state;
    tmpdir_mkdir(&dir, "r");
    tmpdir_mkdir(&dir, "q");
    tmpdir_write(&dir, "r/one.json", "{\"$ref\": \"https://y.test/two.json\"}");
    tmpdir_write(&dir, "q/two.json", "{\"type\": \"string\"}");
    tmpdir_write(&dir, "t.json", "{\"$ref\": \"https://x.test/one.json\"}");
    tmpdir_write(&dir, "n.json", "1");
    run_cli(
        "",
        "validate",
        "-s",
        "t.json",
        "--resolve",
        "https://x.test/=r",
        "--resolve=https://y.test/=q",
        "--format=json",
        "n.json");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.out, "\"keyword\":\"type\""));
    assert_non_null(strstr(run.out, "\"schemaPath\":\"https://y.test/two.json#/type\""));
    run_cli("", "validate", "-s", "t.json", "--resolve", "https://x.test/=r", "n.json");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "r/one.json:1:10: "));
    run_cli("", "validate", "-s", "t.json", "--resolve", "https://x.test/=none", "n.json");
    assert_run(2, "", "mcpgate: validate: none: No such file or directory\n");
    run_cli("", "validate", "-s", "t.json", "--resolve", "nothing", "n.json");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "--resolve: expected DIR, URI=FILE or URI_PREFIX=DIR"));
    tmpdir_write(&dir, "r/one.json", "{\"$id\": \"https://x.test/one.json\", \"type\": \"null\"}");
    run_cli("", "validate", "-s", "t.json", "-q", "--resolve", "r", "n.json");
    assert_int_equal(run.status, 1);
    assert_string_equal(run.err, "");
    run_cli(
        "",
        "validate",
        "-s",
        "t.json",
        "-q",
        "--resolve=https://x.test/one.json=q/two.json",
        "n.json");
    assert_run(1, "n.json:1:1: expected string, found number\n  1\n  ^\n", "");
}

/* ---- the schema ---- */

static void test_schema_only(void **state)
{
    (void)state;
    run_cli("", "validate", "-s", "s.json");
    assert_run(0, "", "s.json: the schema is valid, draft 2020-12\n");
    run_cli("", "validate", "-s", "s.json", "-q", "--draft=7");
    assert_run(0, "", "");
    run_cli("", "validate", "-s", "s.json", "--format=json");
    assert_run(0, "{\"file\":\"s.json\",\"line\":1,\"ok\":true}\n", "");
    run_cli("", "validate", "-s", "bad.json");
    assert_int_equal(run.status, 2);
    /* also the parts that nothing refers to */
    tmpdir_write(&dir, "t.json", "{\"$defs\": {\"x\": {\"$ref\": \"#/y\"}}}");
    run_cli("", "validate", "-s", "t.json");
    assert_int_equal(run.status, 2);
    assert_non_null(
        strstr(run.err, "t.json:1:26: cannot find #/y in this schema (at /$defs/x/$ref)"));
    run_cli("", "validate", "-s", "t.json", "-q", "b.json");
    assert_run(0, "", "");
}

static void test_warnings(void **state)
{
    (void)state;
    tmpdir_write(
        &dir,
        "t.json",
        "{\"$ref\": \"#/definitions/n\", \"minimum\": 3,\n"
        " \"definitions\": {\"n\": {\"const\": 3}}}");
    run_cli("", "validate", "-s", "t.json", "--draft=4", "-v", "-q", "b.json");
    assert_run(
        0,
        "",
        "mcpgate: validate: t.json:1:29: warning: \"minimum\" has no effect beside \"$ref\" in"
        " draft 4 (at /minimum)\n"
        "mcpgate: validate: t.json:2:24: warning: \"const\" has no effect in draft 4; it is new in"
        " draft 6 (at /definitions/n/const)\n"
        "t.json: read as draft 4\n");
    run_cli("", "validate", "-s", "t.json", "--draft=4", "--no-warnings", "-q", "b.json");
    assert_run(0, "", "");
    run_cli("", "validate", "-s", "t.json", "-q", "b.json");
    assert_int_equal(run.status, 1);
    assert_string_equal(run.err, "");
}

static void test_lenient(void **state)
{
    (void)state;
    tmpdir_write(&dir, "t.json", "{\"type\": \"null\",\n \"type\": \"object\"}");
    run_cli("", "validate", "-s", "t.json", "-q", "b.json");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "; with --lenient the last one counts (at /type)\n"));
    run_cli("", "validate", "-s", "t.json", "-q", "--lenient", "b.json");
    assert_run(
        0,
        "",
        "mcpgate: validate: t.json:2:2: warning: duplicate member name; line 1, column 2 is "
        "ignored, the last one counts (at /type)\n");
    run_cli("", "validate", "-s", "t.json", "-q", "--lenient", "--no-warnings", "b.json");
    assert_run(0, "", "");
}

static void test_yaml(void **state)
{
    (void)state;
    tmpdir_write(&dir, "y.json", "# a comment\n\nopenapi: 3.1.0\n");
    run_cli("", "validate", "-s", "s.json", "-q", "y.json");
    assert_run(
        2, "y.json:1:1: this looks like YAML; only JSON is supported\n  # a comment\n  ^\n", "");
    run_cli("", "validate", "-s", "y.json", "-q", "b.json");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "y.json:1:1: this looks like YAML; only JSON is supported\n"));
}

/* ---- usage ---- */

static void test_usage(void **state)
{
    (void)state;
    run_cli("", "validate", "a.json");
    assert_run(
        2, "", "mcpgate: validate: missing option '--schema'; try 'mcpgate validate --help'\n");
    static const char *const wrong[][3] = {
        {"--draft", "5", "--draft: expected 2020-12, 2019-09, 7, 6 or 4, not '5'"},
        {"--format", "xml", "--format: expected text, json, basic or github, not 'xml'"},
        {"--jobs", "0", "--jobs: expected a number from 1 to 256, not '0'"},
        {"--jobs", "257", "not '257'"},
        {"--jobs", "-1", "not '-1'"},
        {"--jobs", " 1", "not ' 1'"},
        {"--jobs", "1x", "not '1x'"},
        {"--jobs", "", "not ''"},
        {"--jobs", "99999999999999999999", "not '9999"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        run_cli("", "validate", "-s", "s.json", wrong[i][0], wrong[i][1], "a.json");
        assert_int_equal(run.status, 2);
        assert_string_equal(run.out, "");
        assert_true(run_is_one_line(run.err));
        assert_non_null(strstr(run.err, wrong[i][2]));
    }
}

static void test_bad_schemas(void **state)
{
    (void)state;
    run_cli("", "validate", "-s", "none.json", "a.json");
    assert_run(2, "", "mcpgate: validate: none.json: No such file or directory\n");
    run_cli("", "validate", "-s", "bad.json", "a.json");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "bad.json:1:6: "));
    tmpdir_write(&dir, "t.json", "{\"properties\":{\"x\":{\"type\":\"nmber\"}}}");
    run_cli("", "validate", "-s", "t.json", "a.json");
    assert_int_equal(run.status, 2);
    assert_string_equal(run.out, "");
    assert_non_null(strstr(run.err, "(at /properties/x/type)\n"));
}

/* ---- trouble ---- */

/* Whether all lines of a text are in another, in the same order. */
static bool is_part_of(const char *part, const char *whole)
{
    while (*part != '\0') {
        const char *end = strchr(part, '\n');
        size_t size = end ? (size_t)(end + 1 - part) : strlen(part);
        while (*whole != '\0' && strncmp(whole, part, size) != 0) {
            const char *next = strchr(whole, '\n');
            whole = next ? next + 1 : whole + strlen(whole);
        }
        if (*whole == '\0') {
            return false;
        }
        whole += size;
        part += size;
    }
    return true;
}

/* Each system call fails once: it is reported, and the output is correct so far. */
static void fail_each(char **words, enum fault_call call, int error)
{
    static struct run good;
    unsigned at = 0;
    fault_disarm();
    run_words("{\"x\": 7}", words);
    good = run;
    for (;;) {
        fault_arm(call, ++at, error);
        run_words("{\"x\": 7}", words);
        bool hit = fault.hit;
        assert_int_equal(fault.live_blocks, 0);
        fault_disarm();
        assert_int_equal(os_interrupt_signal(), 0);
        if (!hit) {
            break;
        }
        bool same = run.status == good.status && strcmp(run.out, good.out) == 0 &&
                    strcmp(run.err, good.err) == 0;
        bool told = run.status == 2 && run_is_message(run.err) && is_part_of(run.out, good.out);
        if (!same && !told) {
            fail_msg(
                "call %d, time %u: exit %d, out \"%s\", err \"%s\"",
                (int)call,
                at,
                run.status,
                run.out,
                run.err);
        }
    }
    assert_true(at > 1);
}

static void test_injected_faults(void **state)
{
    (void)state;
    static const struct fault_case faults[] = {
        {FAULT_OPENAT, EACCES},
        {FAULT_OPENAT2, EACCES},
        {FAULT_FSTAT, EIO},
        {FAULT_FSTATAT, EIO},
        {FAULT_GETDENTS, EIO},
        {FAULT_READ, EIO},
        {FAULT_WRITE, ENOSPC},
        {FAULT_POLL, ENOMEM},
        {FAULT_CLOSE, EIO},
        {FAULT_SIGACTION, EPERM},
        {FAULT_RESIZE, ENOMEM},
    };
    tmpdir_mkdir(&dir, "d");
    tmpdir_write(&dir, "d/c.json", "{\"x\": 1}");
    tmpdir_write(&dir, "e.ndjson", "{\"x\": 1}\n{\"x\": \"\\u00e9\"}\n");
    tmpdir_write(&dir, "ref.json", "{\"$ref\": \"s.json\"}");
    const char *words[] = {
        "validate", "-s", "ref.json", "-j1", "--format=json", "a.json", "d", "e.ndjson", "-", NULL};
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        fail_each((char **)(uintptr_t)words, faults[i].call, faults[i].error);
    }
}

/* A signal is not an exit status of the command: the process ends by the signal. */
static void test_interrupted(void **state)
{
    (void)state;
    assert_int_equal(os_interrupt_watch(), 0);
    raise(SIGINT);
    run_cli("", "validate", "-s", "s.json", "b.json");
    assert_int_equal(run.status, APP_EXIT_INTERRUPTED);
    assert_string_equal(run.out, "");
    assert_string_equal(run.err, "");
    assert_int_equal(os_interrupt_signal(), SIGINT);
}

#define VALIDATE_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        VALIDATE_TEST(test_text),
        VALIDATE_TEST(test_json),
        VALIDATE_TEST(test_basic),
        VALIDATE_TEST(test_github),
        VALIDATE_TEST(test_ndjson),
        VALIDATE_TEST(test_standard_input),
        VALIDATE_TEST(test_directory),
        VALIDATE_TEST(test_jobs),
        VALIDATE_TEST(test_drafts),
        VALIDATE_TEST(test_format_assertion),
        VALIDATE_TEST(test_content_assertion),
        VALIDATE_TEST(test_resolve),
        VALIDATE_TEST(test_schema_only),
        VALIDATE_TEST(test_warnings),
        VALIDATE_TEST(test_lenient),
        VALIDATE_TEST(test_yaml),
        VALIDATE_TEST(test_usage),
        VALIDATE_TEST(test_bad_schemas),
        VALIDATE_TEST(test_injected_faults),
        VALIDATE_TEST(test_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
