#define _GNU_SOURCE /* nftw() */
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/process.h"
#include "os/sys.h"
#include "unit/os/in_tmpdir.h"

static int listen_on_any_port(int family, unsigned *ret_port)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    bool is_six = family == AF_INET6;
    socklen_t size = is_six ? sizeof(six) : sizeof(four);
    void *address = is_six ? (void *)&six : (void *)&four;
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, address, size) < 0) {
        close(fd);
        return -1; /* no such family on this machine */
    }
    assert_int_equal(getsockname(fd, address, &size), 0);
    *ret_port = ntohs(is_six ? six.sin6_port : four.sin_port);
    return fd;
}

static void test_listener_is_found_by_its_port(void **state)
{
    (void)state;
    static const int families[] = {AF_INET, AF_INET6};
    for (size_t i = 0; i < 2; i++) {
        unsigned port;
        int fd = listen_on_any_port(families[i], &port);
        if (fd < 0) {
            continue;
        }
        assert_int_equal(os_process_on_port(port), 0); /* it does not listen yet */
        assert_int_equal(listen(fd, 1), 0);
        assert_int_equal(os_process_on_port(port), getpid());
        close(fd);
        assert_int_equal(os_process_on_port(port), 0);
    }
}

static void test_listener_is_found_by_its_path(void **state)
{
    (void)state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", tmpdir_path(&dir, "a socket"));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (const void *)&address, sizeof(address)), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(os_process_on_socket(address.sun_path), getpid());
    assert_int_equal(os_process_on_socket(tmpdir_path(&dir, "a sock")), 0);
    close(fd);
    assert_int_equal(os_process_on_socket(address.sun_path), 0);
}

static void test_another_process_of_our_program(void **state)
{
    (void)state;
    assert_false(os_process_is_like_us(getpid()));
    assert_false(os_process_is_like_us(0));
    assert_false(os_process_is_like_us(-1));
    assert_false(os_process_is_like_us(1)); /* init has another name, or cannot be seen */
    pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    assert_true(os_process_is_like_us(child));
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(os_process_is_like_us(child));
}

/* Whatever fails, the answer is "unknown", and nothing stays open or allocated. */
static void test_faults(void **state)
{
    (void)state;
    unsigned port;
    int fd = listen_on_any_port(AF_INET, &port);
    assert_int_equal(listen(fd, 1), 0);
    static const struct fault_case cases[] = {
        {FAULT_OPENAT, EMFILE},
        {FAULT_GETDENTS, EIO},
        {FAULT_READLINKAT, EACCES},
        {FAULT_READ, EIO},
        {FAULT_RESIZE, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fault_arm(cases[i].call, 0, cases[i].error);
        assert_int_equal(os_process_on_port(port), 0);
        assert_true(fault.hit);
        assert_int_equal(fault.open_fds, 0);
        assert_int_equal(fault.live_blocks, 0);
        fault_disarm();
    }
    fault_arm(FAULT_READ, 0, EIO);
    assert_false(os_process_is_like_us(getppid()));
    fault_disarm();
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_TMPDIR(test_listener_is_found_by_its_port),
        IN_TMPDIR(test_listener_is_found_by_its_path),
        IN_TMPDIR(test_another_process_of_our_program),
        IN_TMPDIR(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
