#define _GNU_SOURCE /* pipe2() */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/interrupt.h"
#include "unit/os/fault.h"

static int tear_down(void **state)
{
    (void)state;
    fault_disarm();
    os_interrupt_unwatch();
    signal(SIGINT, SIG_DFL);
    return 0;
}

static void test_noting(void **state)
{
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(os_interrupt_signal(), 0);
        assert_int_equal(os_interrupt_watch(), 0);
        assert_int_equal(os_interrupt_signal(), 0);
        raise(signals[i]);
        assert_int_equal(os_interrupt_signal(), signals[i]);
        os_interrupt_unwatch();
        assert_int_equal(os_interrupt_signal(), 0);
    }
}

/* What a child's ending says: 0, or the signal it died of. */
static int signal_of(pid_t pid)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void test_a_second_one_ends_the_process(void **state)
{
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        os_interrupt_watch();
        raise(SIGTERM);
        raise(SIGTERM);
        _exit(0);
    }
    assert_int_equal(signal_of(pid), SIGTERM);
}

static void test_dying(void **state)
{
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        os_interrupt_watch();
        raise(SIGINT);
        os_interrupt_die();
        _exit(0);
    }
    assert_int_equal(signal_of(pid), SIGINT);
}

static int raise_nothing(int number)
{
    return number - number;
}

/* The status a shell would make of it, for the case that the signal does not end us. */
static void test_surviving(void **state)
{
    (void)state;
    fault_watch();
    fault_sys.raise = raise_nothing;
    assert_int_equal(os_interrupt_watch(), 0);
    raise(SIGINT);
    assert_int_equal(os_interrupt_die(), 130);
}

static void test_unwatching_restores(void **state)
{
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        os_interrupt_watch();
        os_interrupt_unwatch();
        raise(SIGINT);
        _exit(0);
    }
    assert_int_equal(signal_of(pid), SIGINT);
}

/* As in a shell's background job. */
static void test_ignored_stays_ignored(void **state)
{
    (void)state;
    signal(SIGINT, SIG_IGN);
    assert_int_equal(os_interrupt_watch(), 0);
    raise(SIGINT);
    raise(SIGINT);
    assert_int_equal(os_interrupt_signal(), 0);
    os_interrupt_unwatch();
    raise(SIGINT);
}

static void test_failing(void **state)
{
    (void)state;
    for (unsigned at = 1; at <= 4; at++) {
        fault_arm(FAULT_SIGACTION, at, EPERM);
        assert_int_equal(os_interrupt_watch(), -EPERM);
        assert_true(fault.hit);
        fault_disarm();
        struct sigaction now;
        assert_int_equal(sigaction(SIGINT, NULL, &now), 0);
        assert_true(now.sa_handler == SIG_DFL);
    }
}

/* ---- calls that wait ---- */

static void *interrupt_later(void *thread)
{
    usleep(50 * 1000);
    pthread_kill(*(pthread_t *)thread, SIGINT);
    return NULL;
}

/* Run with a signal coming while it waits. */
static void interrupted(int (*call)(int fd), int fd)
{
    pthread_t other;
    pthread_t self = pthread_self();
    assert_int_equal(os_interrupt_watch(), 0);
    assert_int_equal(pthread_create(&other, NULL, interrupt_later, &self), 0);
    assert_int_equal(call(fd), -EINTR);
    pthread_join(other, NULL);
    os_interrupt_unwatch();
}

static int call_read(int fd)
{
    char byte;
    return (int)os_read(fd, &byte, 1);
}

static int call_wait(int fd)
{
    return os_wait_read(fd, -1);
}

static int call_write(int fd)
{
    static const char much[1 << 20];
    return os_write_all(fd, much, sizeof(much));
}

static int call_open(int dir_fd)
{
    return os_openat(dir_fd, "fifo", O_RDONLY | O_CLOEXEC);
}

static void test_waiting_ends(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    interrupted(call_read, fds[0]);
    interrupted(call_wait, fds[0]);
    interrupted(call_write, fds[1]);
    assert_int_equal(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
    interrupted(call_write, fds[1]);
    close(fds[0]);
    close(fds[1]);
    assert_int_equal(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
    interrupted(call_read, fds[0]);
    close(fds[0]);
    close(fds[1]);
}

/* The other end is not open. */
static void test_opening_ends(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* it holds signals back until a call it knows to be waiting, and does not know this */
#endif
    char directory[] = "/tmp/mcpgate-test-XXXXXX";
    assert_non_null(mkdtemp(directory));
    int dir_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(mkfifoat(dir_fd, "fifo", 0600), 0);
    interrupted(call_open, dir_fd);
    assert_int_equal(unlinkat(dir_fd, "fifo", 0), 0);
    close(dir_fd);
    assert_int_equal(rmdir(directory), 0);
}

/* A signal that came before is not waited for again. */
static void test_waiting_does_not_begin(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    assert_int_equal(os_interrupt_watch(), 0);
    raise(SIGINT);
    assert_int_equal(os_wait_read(fds[0], -1), -EINTR);
    os_interrupt_unwatch();
    assert_int_equal(os_wait_read(fds[0], 0), 0);
    close(fds[0]);
    close(fds[1]);
}

#define INTERRUPT_TEST(function) cmocka_unit_test_teardown(function, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        INTERRUPT_TEST(test_noting),
        INTERRUPT_TEST(test_a_second_one_ends_the_process),
        INTERRUPT_TEST(test_dying),
        INTERRUPT_TEST(test_surviving),
        INTERRUPT_TEST(test_unwatching_restores),
        INTERRUPT_TEST(test_ignored_stays_ignored),
        INTERRUPT_TEST(test_failing),
        INTERRUPT_TEST(test_waiting_ends),
        INTERRUPT_TEST(test_opening_ends),
        INTERRUPT_TEST(test_waiting_does_not_begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
