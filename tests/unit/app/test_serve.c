#define _GNU_SOURCE /* memfd_create(), nftw() */
#include <signal.h>

#include "app/config.h"
#include "app/serve.h"
#include "support/stderr_capture.h"
#include "unit/app/run.h"
#include "unit/app/served.h"
#include "unit/os/fault.h"

static struct app_config config;
static char socket_path[128];
static char ready_path[128];

static int setup(void **state)
{
    static char schemas[128];
    served_setup(state);
    snprintf(schemas, sizeof(schemas), "%s/schemas", served.path);
    snprintf(socket_path, sizeof(socket_path), "%s/s", served.path);
    snprintf(ready_path, sizeof(ready_path), "%s/ready", served.path);
    config = (struct app_config){
        .endpoints = APP_ENDPOINT_STDIO,
        .endpoints_given = true,
        .socket_path = socket_path,
        .socket_mode = 0600,
        .ready_file = ready_path,
        .schemas_dir = schemas,
        .batch_max = 100,
        .backend_assets_path = "/",
    };
    return 0;
}

static int teardown(void **state)
{
    fault_disarm();
    return served_teardown(state);
}

static bool exists(const char *name)
{
    struct stat stat;
    return fstatat(served.fd, name, &stat, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Serve an input; answers are in run.out, log lines in run.err. */
static void serve(const char *in)
{
    int out_fd = run_memfd("");
    struct app_streams streams = {.in_fd = run_memfd(in), .out_fd = dup(out_fd), .err_fd = -1};
    int fds[2] = {streams.in_fd, streams.out_fd};
    stderr_begin();
    run.status = (int)app_serve(&streams, &config);
    snprintf(run.err, sizeof(run.err), "%s", stderr_end());
    run_close_if_open(fds[0]);
    run_close_if_open(fds[1]);
    run_take(out_fd, run.out);
    assert_false(exists("ready"));
    assert_false(exists("s"));
}

#define REQUEST "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"list_schemas\"}\n"

static void test_stdio(void **state)
{
    (void)state;
    serve(REQUEST);
    assert_int_equal(run.status, APP_EXIT_OK);
    assert_memory_equal(run.out, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"ok\":true,", 44);
    assert_memory_equal(run.err, "mcp:ready mode=stdio schemas_dir=", 33);
    assert_non_null(strstr(run.err, "\nmcp:shutdown mode=stdio timestamp="));
}

/* A child sends signals while the server runs. */
static void send_signals_soon(int number)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        while (faccessat(served.fd, "ready", F_OK, 0) != 0) {
            usleep(2000);
        }
        kill(getppid(), number);
        usleep(100000);
        kill(getppid(), SIGTERM);
        _exit(0);
    }
}

static void test_socket_and_signals(void **state)
{
    (void)state;
    config.endpoints = APP_ENDPOINT_SOCKET;
    config.watch = true;
    send_signals_soon(SIGHUP);
    serve("");
    assert_int_equal(run.status, APP_EXIT_OK);
    assert_memory_equal(run.err, "mcp:ready mode=socket path=/tmp/", 32);
    assert_non_null(strstr(run.err, "\nmcp:reload schemas=2 examples=0 tools="));
    assert_non_null(strstr(run.err, "\nmcp:shutdown mode=socket timestamp="));
}

static void assert_refused(const char *why)
{
    serve(REQUEST);
    assert_int_equal(run.status, APP_EXIT_TROUBLE);
    assert_string_equal(run.out, "");
    assert_memory_equal(run.err, "mcp:error reason=setup_failed detail=", 37);
    assert_non_null(strstr(run.err, why));
    assert_ptr_equal(strchr(run.err, '\n'), run.err + strlen(run.err) - 1);
}

static void test_setup_errors(void **state)
{
    (void)state;
    const char *schemas = config.schemas_dir;
    config.schemas_dir = "/nowhere/at/all";
    assert_refused("detail=\"/nowhere/at/all: No such file or directory\"");
    config.given_as[APP_SETTING_SCHEMAS_DIR] = "SYN_SCHEMAS_DIR";
    assert_refused("detail=\"SYN_SCHEMAS_DIR: /nowhere/at/all: No such file or directory\"");
    config.schemas_dir = schemas;

    config.endpoints = APP_ENDPOINT_HTTP;
    config.http_addr = "0.0.0.0:0"; /* any port a user may have */
    assert_refused("can be reached from other machines");

    config.endpoints = APP_ENDPOINT_SOCKET;
    config.socket_path = "/nowhere/at/all";
    assert_refused("No such file or directory");
    config.socket_path = served.path;
    assert_refused("the file exists and is not a socket; choose another path");
}

static void test_ready_file_error_is_a_warning(void **state)
{
    (void)state;
    config.ready_file = served.path;
    serve(REQUEST);
    assert_int_equal(run.status, APP_EXIT_OK);
    assert_non_null(strstr(run.err, "\nmcp:warning reason=ready_file detail="));
    config.ready_file = NULL;
    serve(REQUEST);
    assert_int_equal(run.status, APP_EXIT_OK);
    assert_null(strstr(run.err, "warning"));
}

/* Each allocation of the setup fails once: one line is printed, and nothing is left. */
static void test_no_memory(void **state)
{
    (void)state;
    config.endpoints = APP_ENDPOINT_SOCKET;
    config.watch = true;
    config.socket_path = served.path; /* the last step fails in any case */
    fault_watch();
    serve("");
    unsigned calls = fault.calls[FAULT_RESIZE];
    assert_int_equal(fault.live_blocks, 0);
    assert_true(calls > 10);
    for (unsigned at = 1; at <= calls; at++) {
        fault_arm(FAULT_RESIZE, at, ENOMEM);
        serve("");
        assert_true(fault.hit);
        assert_int_equal(fault.live_blocks, 0);
        assert_int_equal(run.status, APP_EXIT_TROUBLE);
        assert_non_null(strstr(run.err, "mcp:error reason=setup_failed detail="));
    }
}

#define SERVE_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVE_TEST(test_stdio),
        SERVE_TEST(test_socket_and_signals),
        SERVE_TEST(test_setup_errors),
        SERVE_TEST(test_ready_file_error_is_a_warning),
        SERVE_TEST(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
