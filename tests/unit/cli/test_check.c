#define _GNU_SOURCE /* memfd_create() */
#include "mcp/assemble.h"
#include "unit/app/run_faults.h"
#include "unit/os/in_tmpdir.h"

#define PING "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"
#define PING_GOOD                                                                                  \
    "{\"ok\":true,\"kind\":\"request\",\"method\":\"ping\",\"definition\":\"PingRequest\"}\n"
#define PING_BAD                                                                                   \
    "{\"ok\":false,\"layer\":\"mcp\",\"code\":-32601,\"errors\":[{\"path\":\"/method\",\"msg\":"   \
    "\"not a method of this protocol version\"}]}\n"

static void expect(int status, const char *out)
{
    assert_string_equal(run.err, "");
    assert_string_equal(run.out, out);
    assert_int_equal(run.status, status);
}

static void expect_trouble(const char *part)
{
    assert_int_equal(run.status, APP_EXIT_TROUBLE);
    assert_string_equal(run.out, "");
    assert_true(run_is_one_line(run.err));
    if (!strstr(run.err, part)) {
        fail_msg("%s", run.err);
    }
}

static void test_versions(void **state)
{
    (void)state;
    run_cli(PING, "check", "--protocol", "2025-06-18", "-");
    expect(0, PING_GOOD);
    run_cli(PING, "check", "--protocol=2026-07-28");
    expect(1, PING_BAD);
    run_cli(PING, "check"); /* the newest */
    expect(1, PING_BAD);
    run_cli("", "check");
    expect(0, "");
}

static void test_files(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof(path), "%s/messages", dir.path);
    tmpdir_write(&dir, "messages", PING PING);
    run_cli("", "check", "--protocol", "2024-11-05", path);
    expect(0, PING_GOOD PING_GOOD);
    run_cli("", "check", dir.path);
    expect_trouble("directory");
    snprintf(path, sizeof(path), "%s/none", dir.path);
    run_cli("", "check", path);
    expect_trouble("none");
}

static void test_one_definition_for_all_lines(void **state)
{
    (void)state;
    run_cli("\"user\"\n", "check", "--as", "Role", "-");
    expect(0, "{\"ok\":true,\"definition\":\"Role\"}\n");
    run_cli("{}\n", "check", "--as", "NoSuchThing", "-");
    expect_trouble("NoSuchThing");
}

static void test_wrong_usage(void **state)
{
    (void)state;
    run_cli("", "check", "--protocol", "2023-01-01");
    expect_trouble("--protocol 2023-01-01: unknown version; expected one of 2024-11-05, ");
    run_cli("", "check", "a", "b");
    expect_trouble("b");
}

static void test_long_line(void **state)
{
    (void)state;
    static char text[3 << 20];
    memset(text, 'x', sizeof(text));
    memcpy(text + sizeof(text) - sizeof(PING) - 1, "\n" PING, sizeof(PING) + 1);
    run_cli(text, "check", "--protocol", "2024-11-05");
    expect(
        1,
        "{\"ok\":false,\"layer\":\"json\",\"code\":-32700,\"errors\":[{\"path\":\"\","
        "\"msg\":\"payload_too_large\"}]}\n" PING_GOOD);
}

static void write_schema(enum mcp_version version, size_t size_max)
{
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, (size_t)1 << 20);
    assert_int_equal(mcp_assemble(version, &text), 0);
    size_t size = text.size < size_max ? text.size : size_max;
    tmpdir_write_bytes(&dir, "schema", text.data, size);
    jsv_buf_done(&text);
}

static void test_official_schema(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof(path), "%s/schema", dir.path);
    write_schema(MCP_VERSION_2025_03_26, SIZE_MAX);
    run_cli(PING, "check", "--mcp-schema", path, "--protocol", "2025-03-26");
    expect(0, PING_GOOD);
    run_cli(PING, "check", "--mcp-schema", path, "--protocol", "2026-07-28");
    expect_trouble("is missing");
    write_schema(MCP_VERSION_2025_03_26, 100);
    run_cli(PING, "check", "--mcp-schema", path, "--protocol", "2025-03-26");
    expect_trouble("line 1, column 99: ");
    run_cli(PING, "check", "--mcp-schema", dir.path);
    expect_trouble("irectory");
}

/* The output before a fault is a prefix of the output without it. */
static bool is_beginning(const char *part, const char *whole)
{
    return strncmp(part, whole, strlen(part)) == 0;
}

/* Each system call fails once: it is reported, and the output is correct so far. */
static void fail_each(char **words, enum fault_call call, int error)
{
    static struct run good;
    unsigned at = 0;
    bool hit;
    fault_disarm();
    run_words(PING "7\n", words);
    good = run;
    do {
        fault_arm(call, ++at, error);
        run_words(PING "7\n", words);
        hit = fault.hit;
        assert_int_equal(fault.live_blocks, 0);
        fault_disarm();
        bool same = run.status == good.status && strcmp(run.out, good.out) == 0 &&
                    strcmp(run.err, good.err) == 0;
        bool told = run.status == 2 && run_is_one_line(run.err) && is_beginning(run.out, good.out);
        if (!same && !(hit && told)) {
            fail_msg("call %d, time %u: exit %d, err \"%s\"", (int)call, at, run.status, run.err);
        }
    } while (hit);
    assert_true(at > 1);
}

static void test_injected_faults(void **state)
{
    (void)state;
    static const struct fault_case faults[] = {
        {FAULT_READ, EIO},
        {FAULT_WRITE, ENOSPC},
        {FAULT_POLL, ENOMEM},
        {FAULT_CLOSE, EIO},
        {FAULT_SIGACTION, EPERM},
        {FAULT_RESIZE, ENOMEM},
    };
    const char *messages[] = {"check", "--protocol", "2024-11-05", "-", NULL};
    const char *as[] = {"check", "--protocol", "2024-11-05", "--as", "Role", "-", NULL};
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        fail_each((char **)(uintptr_t)messages, faults[i].call, faults[i].error);
        fail_each((char **)(uintptr_t)as, faults[i].call, faults[i].error);
    }
}

/* ---- the version is in the stream ---- */

#define OPEN(version)                                                                              \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"" version "\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}\n"
#define OPENED(version)                                                                            \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"" version                     \
    "\",\"capabilities\":{},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}\n"
#define READY  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
#define LIST   "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n"
#define LISTED "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[]}}\n"
#define BATCH  "[{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}]\n"
#define MODERN                                                                                     \
    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\",\"params\":{\"_meta\":{"              \
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                                  \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}\n"

static void test_recorded_sessions(void **state)
{
    (void)state;
    static const char *const versions[][2] = {
        {"2024-11-05", OPEN("2024-11-05") OPENED("2024-11-05") READY LIST LISTED},
        {"2025-03-26", OPEN("2025-03-26") OPENED("2025-03-26") READY LIST LISTED BATCH},
        {"2025-06-18", OPEN("2025-06-18") OPENED("2025-06-18") READY LIST LISTED},
        {"2025-11-25", OPEN("2025-11-25") OPENED("2025-11-25") READY LIST LISTED},
    };
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        run_cli(versions[i][1], "check");
        assert_int_equal(run.status, 0);
        assert_null(strstr(run.out, "\"ok\":false"));
        /* all in another version, and not the newest */
        run_cli(versions[i][1], "check", "--protocol", "2026-07-28");
        assert_int_equal(run.status, 1);
    }
}

/* The version in the server's answer counts, not the one the client requested. */
static void test_version_comes_from_the_initialize_result(void **state)
{
    (void)state;
    run_cli(OPEN("2025-11-25") OPENED("2025-03-26") BATCH, "check");
    assert_int_equal(run.status, 0);
    run_cli(OPEN("2025-03-26") OPENED("2025-06-18") BATCH, "check");
    assert_int_equal(run.status, 1);
    run_cli(OPEN("2025-03-26") BATCH, "check");
    assert_int_equal(run.status, 0);
    /* an unknown version is answered with the newest that has initialize */
    run_cli(OPEN("1999-01-01") LIST, "check");
    assert_int_equal(run.status, 0);
}

/* A request that names its version is in it, whatever the session says; so is its answer. */
static void test_version_in_meta_wins_over_the_session(void **state)
{
    (void)state;
    run_cli(OPEN("2025-06-18") MODERN LIST, "check");
    assert_int_equal(run.status, 0);
    /* a result of 2026-07-28 has a resultType */
    run_cli(
        OPEN("2025-06-18") MODERN "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"tools\":[]}}\n",
        "check");
    assert_int_equal(run.status, 1);
    /* nothing in the stream says: the newest */
    run_cli(LIST, "check");
    assert_int_equal(run.status, 1);
}

static void test_text_output_has_line_numbers(void **state)
{
    (void)state;
    run_cli(OPEN("2025-06-18") "\n" READY "{}\n" LIST "{\n", "check", "--format", "text");
    assert_int_equal(run.status, 1);
    assert_string_equal(
        run.out,
        "<stdin>:4: missing property \"jsonrpc\" (rpc, -32600)\n"
        "<stdin>:6: unexpected end of input; expected a member name in double quotes "
        "(json, -32700)\n"
        "5 messages, 3 valid, 2 invalid\n");
    run_cli(MODERN, "check", "--format=text");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, "1 message, 1 valid, 0 invalid\n");
    run_cli(MODERN, "check", "--format=xml");
    assert_int_equal(run.status, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded_sessions),
        cmocka_unit_test(test_version_comes_from_the_initialize_result),
        cmocka_unit_test(test_version_in_meta_wins_over_the_session),
        cmocka_unit_test(test_text_output_has_line_numbers),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_one_definition_for_all_lines),
        cmocka_unit_test(test_wrong_usage),
        cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_official_schema),
        cmocka_unit_test(test_injected_faults),
    };
    return cmocka_run_group_tests(tests, in_tmpdir_set_up, in_tmpdir_tear_down);
}
