#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "net/tcp.h"
#include "unit/os/fault.h"

static unsigned port_of(int fd)
{
    struct sockaddr_in address;
    socklen_t size = sizeof(address);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    return ntohs(address.sin_port);
}

static void test_listens(void **state)
{
    (void)state;
    bool is_loopback = false;
    int fd = net_tcp_listen("127.0.0.1:0", &is_loopback);
    assert_true(fd >= 0);
    assert_true(is_loopback);
    int value = 0;
    socklen_t size = sizeof(value);
    assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &value, &size), 0);
    assert_int_equal(value, 1);
    assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &value, &size), 0);
    assert_int_not_equal(value, 0);
    close(fd);
}

static void test_who_can_reach_it(void **state)
{
    static const struct {
        const char *address;
        bool is_loopback;
    } cases[] = {
        {"127.1.2.3:0", true},
        {"localhost:0", true},
        {"0.0.0.0:0", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool is_loopback = !cases[i].is_loopback;
        int fd = net_tcp_listen(cases[i].address, &is_loopback);
        assert_true(fd >= 0);
        assert_int_equal(is_loopback, cases[i].is_loopback);
        close(fd);
    }
}

static void test_address_in_use(void **state)
{
    (void)state;
    bool is_loopback;
    int first = net_tcp_listen("127.0.0.1:0", &is_loopback);
    char address[32];
    snprintf(address, sizeof(address), "127.0.0.1:%u", port_of(first));
    assert_int_equal(net_tcp_listen(address, &is_loopback), -EADDRINUSE);
    close(first);
    int again = net_tcp_listen(address, &is_loopback);
    assert_true(again >= 0);
    close(again);
}

static void test_no_address(void **state)
{
    char large[600];
    (void)state;
    memset(large, 'a', sizeof(large));
    memcpy(large + sizeof(large) - 4, ":80", 4);
    bool is_loopback;
    assert_int_equal(net_tcp_listen("localhost", &is_loopback), -EINVAL);
    assert_int_equal(net_tcp_listen("localhost:", &is_loopback), -EINVAL);
    assert_int_equal(net_tcp_listen("127.0.0.1:http", &is_loopback), -EADDRNOTAVAIL);
    assert_int_equal(net_tcp_listen("192.0.2.1:0", &is_loopback), -EADDRNOTAVAIL);
    assert_int_equal(net_tcp_listen(large, &is_loopback), -ENAMETOOLONG);
}

static void test_failing_calls(void **state)
{
    static const enum fault_call calls[] = {FAULT_SOCKET, FAULT_BIND, FAULT_LISTEN};
    (void)state;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        bool is_loopback;
        fault_arm(calls[i], 1, EACCES);
        assert_int_equal(net_tcp_listen("127.0.0.1:0", &is_loopback), -EACCES);
        assert_true(fault.hit);
        assert_int_equal(fault.open_fds, 0);
        fault_disarm();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_listens),
        cmocka_unit_test(test_who_can_reach_it),
        cmocka_unit_test(test_address_in_use),
        cmocka_unit_test(test_no_address),
        cmocka_unit_test(test_failing_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
