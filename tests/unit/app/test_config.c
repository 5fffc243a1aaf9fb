#define _GNU_SOURCE /* memfd_create() */
#include <ctype.h>
#include <errno.h>

#include "app/config.h"
#include "unit/app/run.h"
#include "unit/app/settings.h"

static struct app_config config;
static struct app_config_error error;

/* Read the settings with these words on the command line, up to NULL. */
static int read_words(char **words)
{
    struct cli cli = {.err_fd = run_memfd("")};
    struct cli_args args;
    int argc = 0;
    while (words[argc]) {
        argc++;
    }
    assert_int_equal(cli_args_parse(&cli, &cli_command_serve, argc, words, &args), 0);
    close(cli.err_fd);
    const struct app_config_args config_args = cli_config_args(&args);
    return app_config_read(&config_args, &config, &error);
}

static int read_none(void)
{
    char *none[] = {NULL};
    return read_words(none);
}

static int read_variable(const char *entry)
{
    settings_environment[0] = entry;
    return read_none();
}

/* Read one word of the command line. */
static int read_one(const char *word)
{
    char copy[256];
    snprintf(copy, sizeof(copy), "%s", word);
    char *words[] = {copy, NULL};
    return read_words(words);
}

static void test_defaults(void **state)
{
    (void)state;
    assert_int_equal(read_none(), 0);
    assert_int_equal(config.endpoints, APP_ENDPOINT_STDIO);
    assert_false(config.endpoints_given);
    assert_string_equal(config.socket_path, "/tmp/mcp.sock");
    assert_int_equal(config.socket_mode, 0600);
    assert_string_equal(config.http_addr, "127.0.0.1:8787");
    assert_string_equal(config.ready_file, "/tmp/mcp.ready");
    assert_null(config.schemas_dir);
    assert_null(config.examples_dir);
    assert_null(config.tools_dir);
    assert_false(config.assert_format);
    assert_int_equal(config.batch_max, 100);
    assert_null(config.backend_url);
    assert_string_equal(config.backend_assets_path, "/synesthetic-assets/");
    assert_int_equal(config.threads, 0);
    assert_false(config.watch);
}

/* The flag is the variable without its prefix, in lower case, with dashes. */
static void test_options_are_named_like_variables(void **state)
{
    (void)state;
    static const struct {
        const char *variable;
        const char *flag;
    } names[] = {
#define APP_SETTING(name, field, kind, variable, flag, value, fallback, help) {variable, flag},
#include "app/env.def"
#undef APP_SETTING
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char expected[64] = {0};
        const char *rest = strchr(names[i].variable, '_') + 1;
        for (size_t k = 0; rest[k]; k++) {
            expected[k] = rest[k] == '_' ? '-' : (char)tolower((unsigned char)rest[k]);
        }
        assert_string_equal(names[i].flag, expected);
    }
}

/* Every setting has a plain name, whatever the documents call it. */
static void test_every_setting_has_an_mcpgate_variable(void **state)
{
    (void)state;
    static const struct {
        const char *variable;
        const char *flag;
    } names[] = {
#define APP_SETTING(name, field, kind, variable, flag, value, fallback, help)                      \
    {APP_SETTING_VARIABLE(name), flag},
#include "app/env.def"
#undef APP_SETTING
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char expected[64] = "MCPGATE_";
        for (size_t k = 0; names[i].flag[k]; k++) {
            char byte = names[i].flag[k];
            expected[8 + k] = byte == '-' ? '_' : (char)toupper((unsigned char)byte);
        }
        assert_string_equal(names[i].variable, expected);
    }
    settings_environment[0] = "MCPGATE_SCHEMAS_DIR=/plain";
    assert_int_equal(read_none(), 0);
    assert_string_equal(config.schemas_dir, "/plain");
    assert_string_equal(config.given_as[APP_SETTING_SCHEMAS_DIR], "MCPGATE_SCHEMAS_DIR");
    settings_environment[1] = "SYN_SCHEMAS_DIR=/document";
    settings_environment[2] = "MCP_MAX_BATCH=7";
    assert_int_equal(read_one("--watch"), 0);
    assert_string_equal(config.schemas_dir, "/plain");
    assert_int_equal(config.batch_max, 7);
    assert_string_equal(config.given_as[APP_SETTING_MAX_BATCH], "MCP_MAX_BATCH");
    settings_environment[0] = "MCPGATE_SCHEMAS_DIR=";
    assert_int_equal(read_one("--watch"), 0);
    assert_string_equal(config.schemas_dir, "/document");
    assert_int_equal(read_one("--schemas-dir=/flag"), 0);
    assert_string_equal(config.given_as[APP_SETTING_SCHEMAS_DIR], "--schemas-dir");
    assert_null(config.given_as[APP_SETTING_EXAMPLES_DIR]);
    settings_environment[3] = "MCPGATE_MAX_BATCH=none";
    assert_int_equal(read_none(), -EINVAL);
    assert_string_equal(
        error.text, "MCPGATE_MAX_BATCH: expected a whole number from 1 to 1000000, not 'none'");
}

static void test_assert_format(void **state)
{
    (void)state;
    assert_int_equal(read_one("--assert-format"), 0);
    assert_true(config.assert_format);
    assert_int_equal(read_one("--format=assert"), 0);
    assert_true(config.assert_format);
    settings_environment[0] = "MCPGATE_FORMAT=annotate";
    assert_int_equal(read_one("--assert-format"), 0);
    assert_true(config.assert_format);
    assert_int_equal(read_none(), 0);
    assert_false(config.assert_format);
}

static void test_flag_wins_over_variable(void **state)
{
    (void)state;
    settings_environment[0] = "MCP_MAX_BATCH=50";
    settings_environment[1] = "SYN_SCHEMAS_DIR=/a";
    assert_int_equal(read_one("--max-batch=2"), 0);
    assert_int_equal(config.batch_max, 2);
    assert_string_equal(config.schemas_dir, "/a");
    assert_int_equal(read_one("--schemas-dir=/b"), 0);
    assert_string_equal(config.schemas_dir, "/b");
    assert_int_equal(config.batch_max, 50);
}

/* An empty value counts as not set, except for the ready file. */
static void test_empty_values(void **state)
{
    (void)state;
    settings_environment[0] = "MCP_MAX_BATCH=";
    settings_environment[1] = "SYN_SCHEMAS_DIR=";
    settings_environment[2] = "MCP_ENDPOINT=";
    settings_environment[3] = "MCP_READY_FILE=";
    assert_int_equal(read_none(), 0);
    assert_int_equal(config.batch_max, 100);
    assert_null(config.schemas_dir);
    assert_int_equal(config.endpoints, APP_ENDPOINT_STDIO);
    assert_false(config.endpoints_given);
    assert_null(config.ready_file);
    settings_environment[3] = "MCP_READY_FILE=/x";
    assert_int_equal(read_one("--ready-file="), 0);
    assert_null(config.ready_file);
}

static void test_endpoints(void **state)
{
    (void)state;
    assert_int_equal(read_variable("MCP_ENDPOINT=socket"), 0);
    assert_int_equal(config.endpoints, APP_ENDPOINT_SOCKET);
    assert_true(config.endpoints_given);
    assert_int_equal(read_one("--stdio"), 0);
    assert_int_equal(config.endpoints, APP_ENDPOINT_STDIO);
    assert_int_equal(read_one("--socket=/s"), 0);
    assert_int_equal(config.endpoints, APP_ENDPOINT_SOCKET);
    assert_string_equal(config.socket_path, "/s");
    assert_int_equal(read_one("--endpoint=http"), 0);
    assert_int_equal(config.endpoints, APP_ENDPOINT_HTTP);
    char socket[] = "--socket=/s";
    char http[] = "--http=localhost:80";
    char stdio[] = "--stdio";
    char *both[] = {socket, http, NULL};
    assert_int_equal(read_words(both), 0);
    assert_int_equal(config.endpoints, APP_ENDPOINT_SOCKET | APP_ENDPOINT_HTTP);
    assert_string_equal(config.http_addr, "localhost:80");
    char *mixed[] = {socket, stdio, NULL};
    assert_int_equal(read_words(mixed), -EINVAL);
    assert_string_equal(error.text, "--stdio cannot be combined with --socket or --http");
    assert_int_equal(read_one("--socket="), -EINVAL);
    assert_string_equal(error.text, "--socket: expected a path, not ''");
    assert_int_equal(read_one("--http=nonsense"), -EINVAL);
    assert_int_equal(read_one("--http="), -EINVAL);
    assert_string_equal(
        error.text, "--http: expected HOST:PORT with a port from 1 to 65535, not ''");
}

static void test_valid_values(void **state)
{
    (void)state;
    static const char *const good[] = {
        "MCP_SOCKET_MODE=640",
        "MCP_SOCKET_MODE=0777",
        "MCP_MAX_BATCH=1",
        "MCP_MAX_BATCH=1000000",
        "MCPGATE_THREADS=256",
        "MCPGATE_FORMAT=assert",
        "MCP_HTTP_ADDR=[::1]:80",
        "MCP_HTTP_ADDR=example.org:65535",
        "SYN_BACKEND_URL=http://localhost",
        "SYN_BACKEND_URL=https://x.test:8443/prefix?q=1",
        "SYN_BACKEND_ASSETS_PATH=/",
        "MCPGATE_LOG_DIR=logs",
    };
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_int_equal(read_variable(good[i]), 0);
    }
    assert_int_equal(read_variable("MCP_SOCKET_MODE=640"), 0);
    assert_int_equal(config.socket_mode, 0640);
    assert_int_equal(read_variable("MCPGATE_FORMAT=assert"), 0);
    assert_true(config.assert_format);
    assert_int_equal(read_variable("MCPGATE_LOG_DIR=none"), 0);
    assert_null(config.log_dir);
    assert_int_equal(read_one("--watch"), 0);
    assert_true(config.watch);
}

static void test_invalid_values(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "MCP_ENDPOINT=tcp",
        "MCP_SOCKET_MODE=xyz",
        "MCP_SOCKET_MODE=8",
        "MCP_SOCKET_MODE=01000",
        "MCP_SOCKET_MODE=-1",
        "MCP_MAX_BATCH=abc",
        "MCP_MAX_BATCH=-5",
        "MCP_MAX_BATCH=10x",
        "MCP_MAX_BATCH=0",
        "MCP_MAX_BATCH=+1",
        "MCP_MAX_BATCH= 1",
        "MCP_MAX_BATCH=1000001",
        "MCP_MAX_BATCH=99999999999999999999999999",
        "MCPGATE_THREADS=257",
        "MCPGATE_FORMAT=maybe",
        "MCP_HTTP_ADDR=127.0.0.1:99999",
        "MCP_HTTP_ADDR=127.0.0.1:0",
        "MCP_HTTP_ADDR=nonsense",
        "MCP_HTTP_ADDR=:80",
        "MCP_HTTP_ADDR=host:",
        "MCP_HTTP_ADDR=::1:80",
        "MCP_HTTP_ADDR=[::1:80",
        "MCP_HTTP_ADDR=a]:80",
        "SYN_BACKEND_URL=localhost",
        "SYN_BACKEND_URL=ftp://localhost",
        "SYN_BACKEND_URL=http://",
        "SYN_BACKEND_URL=http:///path",
        "SYN_BACKEND_URL=http://a b",
        "SYN_BACKEND_URL=http://gr\xc3\xbc",
        "SYN_BACKEND_ASSETS_PATH=assets",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        memset(&config, 0x5A, sizeof(config));
        const struct app_config before = config;
        assert_int_equal(read_variable(bad[i]), -EINVAL);
        assert_memory_equal(&config, &before, sizeof(config));
        size_t name = strcspn(bad[i], "=");
        assert_memory_equal(error.text, bad[i], name);
        assert_memory_equal(error.text + name, ": expected ", strlen(": expected "));
        assert_non_null(strstr(error.text, bad[i] + name + 1));
    }
    settings_environment[0] = NULL;
    assert_int_equal(read_one("--threads=many"), -EINVAL);
    assert_string_equal(error.text, "--threads: expected a whole number from 0 to 256, not 'many'");
    assert_int_equal(read_one("--backend-url=ftp://user:secret@host"), -EINVAL);
    assert_null(strstr(error.text, "secret"));
    assert_non_null(strstr(error.text, "'@host'"));
}

/* The message cuts a long value. */
static void test_long_invalid_value(void **state)
{
    (void)state;
    static char entry[4096] = "MCP_MAX_BATCH=";
    memset(entry + strlen(entry), 'x', sizeof(entry) - strlen(entry) - 1);
    assert_int_equal(read_variable(entry), -EINVAL);
    assert_true(strlen(error.text) < 200);
    assert_int_equal(error.text[strlen(error.text) - 1], '\'');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SETTINGS_TEST(test_defaults),
        SETTINGS_TEST(test_options_are_named_like_variables),
        SETTINGS_TEST(test_flag_wins_over_variable),
        SETTINGS_TEST(test_assert_format),
        SETTINGS_TEST(test_every_setting_has_an_mcpgate_variable),
        SETTINGS_TEST(test_empty_values),
        SETTINGS_TEST(test_endpoints),
        SETTINGS_TEST(test_valid_values),
        SETTINGS_TEST(test_invalid_values),
        SETTINGS_TEST(test_long_invalid_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
