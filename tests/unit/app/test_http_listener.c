#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/config.h"
#include "app/http_listener.h"
#include "unit/os/fault.h"

static int
try_to_open(struct app_http_listener *listener, const struct app_config *config, char *why)
{
    *listener = (struct app_http_listener){.fd = -1};
    return app_http_listener_open(listener, config, why);
}

static void close_listener(struct app_http_listener *listener)
{
    os_close(listener->fd);
    app_http_listener_done(listener);
}

static void test_settings(void **state)
{
    (void)state;
    struct app_http_listener listener;
    char why[APP_HTTP_WHY_SIZE];
    const struct app_config config = {
        .http_addr = "127.0.0.1:0",
        .token = "secret\r\n",
        .allowed_hosts = " a.test , b.test:80,,",
        .allowed_origins = "https://c.test",
    };
    assert_int_equal(try_to_open(&listener, &config, why), 0);
    const struct net_http_guard *guard = &listener.settings.guard;
    assert_true(jsv_str_equal(guard->token, JSV_STR("secret")));
    assert_int_equal(guard->host_count, 2);
    assert_true(jsv_str_equal(guard->hosts[0], JSV_STR("a.test")));
    assert_true(jsv_str_equal(guard->hosts[1], JSV_STR("b.test:80")));
    assert_int_equal(guard->origin_count, 1);
    assert_int_equal(listener.settings.authorization_server_count, 0);
    close_listener(&listener);
}

static void test_errors(void **state)
{
    static const struct {
        struct app_config config;
        int error;
        const char *why;
    } cases[] = {
        {{.http_addr = "0.0.0.0:0"}, -EPERM, "MCPGATE_TOKEN"},
        {{.http_addr = "192.0.2.1:0"}, -EADDRNOTAVAIL, "no such address"},
        {{.http_addr = "127.0.0.1:0", .token = "\n"}, -EINVAL, "MCPGATE_TOKEN: the token is empty"},
        {{.http_addr = "127.0.0.1:0", .token_file = "/dev/null"}, -EINVAL, "the file is empty"},
        {{.http_addr = "127.0.0.1:0", .token_file = "/nowhere"}, -ENOENT, "/nowhere"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct app_http_listener listener;
        char why[APP_HTTP_WHY_SIZE];
        assert_int_equal(try_to_open(&listener, &cases[i].config, why), cases[i].error);
        assert_non_null(strstr(why, cases[i].why));
        assert_int_equal(listener.fd, -1);
        app_http_listener_done(&listener);
    }
}

static void test_public_address_needs_token_or_insecure(void **state)
{
    (void)state;
    const struct app_config cases[] = {
        {.http_addr = "0.0.0.0:0", .insecure = true},
        {.http_addr = "0.0.0.0:0", .token = "secret"},
    };
    for (size_t i = 0; i < 2; i++) {
        struct app_http_listener listener;
        char why[APP_HTTP_WHY_SIZE];
        assert_int_equal(try_to_open(&listener, &cases[i], why), 0);
        close_listener(&listener);
    }
}

static void test_out_of_memory(void **state)
{
    (void)state;
    const struct app_config config = {
        .http_addr = "127.0.0.1:0",
        .token_file = "/proc/self/status",
        .allowed_hosts = "a.test",
    };
    bool hit = true;
    for (unsigned at = 1; hit; at++) {
        struct app_http_listener listener;
        char why[APP_HTTP_WHY_SIZE];
        fault_arm(FAULT_RESIZE, at, ENOMEM);
        int r = try_to_open(&listener, &config, why);
        hit = fault.hit;
        fault_disarm();
        assert_int_equal(r, hit ? -ENOMEM : 0);
        close_listener(&listener);
    }
}

/* The process that has the port is found in /proc. */
static void test_port_in_use_names_the_process(void **state)
{
    (void)state;
    struct app_http_listener first;
    struct app_http_listener second;
    char why[APP_HTTP_WHY_SIZE];
    char expected[APP_HTTP_WHY_SIZE];
    char address[64];
    struct sockaddr_in there;
    socklen_t size = sizeof(there);
    struct app_config config = {.http_addr = "127.0.0.1:0"};
    assert_int_equal(app_http_listener_open(&first, &config, why), 0);
    assert_int_equal(getsockname(first.fd, (struct sockaddr *)&there, &size), 0);
    unsigned port = ntohs(there.sin_port);
    snprintf(address, sizeof(address), "127.0.0.1:%u", port);
    config.http_addr = address;
    assert_int_equal(app_http_listener_open(&second, &config, why), -EADDRINUSE);
    snprintf(
        expected,
        sizeof(expected),
        "%s: port %u is in use (pid %ld)",
        address,
        port,
        (long)getpid());
    assert_string_equal(why, expected);
    app_http_listener_done(&second);
    close(first.fd);
    app_http_listener_done(&first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_port_in_use_names_the_process),
        cmocka_unit_test(test_public_address_needs_token_or_insecure),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
