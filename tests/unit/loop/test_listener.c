#define _GNU_SOURCE /* nftw() */
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "loop/stream.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

struct fixture {
    struct tmpdir dir;
    struct loop *loop;
    struct loop_listener *listener;
    struct loop_timer *timer;
    struct sockaddr_un address;
    unsigned accepted;
    unsigned close_after; /* connections; 0: never */
};

static void accepted(void *owner, int fd)
{
    struct fixture *fixture = owner;
    fixture->accepted++;
    assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    close(fd);
    if (fixture->accepted == fixture->close_after) {
        loop_listener_close(fixture->listener);
        fixture->listener = NULL;
    }
}

static void timed_out(void *owner)
{
    loop_stop(((struct fixture *)owner)->loop);
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    tmpdir_make(&fixture->dir);
    fixture->address.sun_family = AF_UNIX;
    snprintf(
        fixture->address.sun_path,
        sizeof(fixture->address.sun_path),
        "%s/socket",
        fixture->dir.path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&fixture->address, sizeof(fixture->address)), 0);
    assert_int_equal(listen(fd, 128), 0);
    assert_int_equal(loop_new(&fixture->loop), 0);
    assert_int_equal(loop_listen(fixture->loop, fd, accepted, fixture, &fixture->listener), 0);
    assert_int_equal(loop_timer_new(fixture->loop, timed_out, fixture, &fixture->timer), 0);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    fault_disarm();
    loop_free(fixture->loop);
    tmpdir_remove(&fixture->dir);
    free(fixture);
    return 0;
}

#define DOOR_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

/* Twice: the clock of the loop stood still since the last time, and is set first. */
static void run(struct fixture *fixture, uint64_t milliseconds)
{
    loop_timer_start(fixture->timer, 0);
    assert_int_equal(loop_run(fixture->loop), 0);
    loop_timer_start(fixture->timer, milliseconds);
    assert_int_equal(loop_run(fixture->loop), 0);
}

static int connect_once(struct fixture *fixture)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(
        connect(fd, (struct sockaddr *)&fixture->address, sizeof(fixture->address)), 0);
    return fd;
}

static void connect_often(struct fixture *fixture, int count)
{
    for (int i = 0; i < count; i++) {
        close(connect_once(fixture));
    }
}

static void test_takes_all_who_come(void **state)
{
    struct fixture *fixture = *state;
    connect_often(fixture, 100);
    for (int i = 0; i < 100 && fixture->accepted < 100; i++) {
        run(fixture, 5);
    }
    assert_int_equal(fixture->accepted, 100);
}

static void test_closed_within_its_own_call(void **state)
{
    struct fixture *fixture = *state;
    fixture->close_after = 3;
    connect_often(fixture, 10);
    run(fixture, 10);
    assert_int_equal(fixture->accepted, 3);
    loop_listener_close(NULL);
}

/* Errors of one connection do not matter to the next. */
static void test_passing_errors(void **state)
{
    struct fixture *fixture = *state;
    static const int errors[] = {ECONNABORTED, EPROTO, EPERM, EINTR};
    for (unsigned i = 0; i < 4; i++) {
        fixture->accepted = 0;
        connect_often(fixture, 3);
        fault_arm(FAULT_ACCEPT, 2, errors[i]);
        run(fixture, 10);
        assert_true(fault.hit);
        assert_int_equal(fixture->accepted, 3);
    }
}

/* Without descriptors or memory: a few tries, and all are let in when it is over. */
static void test_lasting_errors(void **state)
{
    struct fixture *fixture = *state;
    static const int errors[] = {EMFILE, ENFILE, ENOBUFS, ENOMEM};
    for (unsigned i = 0; i < 4; i++) {
        fixture->accepted = 0;
        connect_often(fixture, 3);
        fault_arm(FAULT_ACCEPT, 0, errors[i]);
        run(fixture, 250);
        assert_in_range(fault.calls[FAULT_ACCEPT], 2, 30);
        assert_int_equal(fixture->accepted, 0);
        fault_disarm();
        run(fixture, 200);
        assert_int_equal(fixture->accepted, 3);
    }
}

static void test_closed_while_it_pauses(void **state)
{
    struct fixture *fixture = *state;
    connect_often(fixture, 1);
    fault_arm(FAULT_ACCEPT, 0, EMFILE);
    run(fixture, 5);
    unsigned tries = fault.calls[FAULT_ACCEPT];
    assert_true(tries >= 1);
    loop_listener_close(fixture->listener);
    run(fixture, 50);
    assert_int_equal(fault.calls[FAULT_ACCEPT], tries);
}

static void test_making_fails_cleanly(void **state)
{
    struct fixture *fixture = *state;
    struct loop_listener *listener;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    for (unsigned at = 1; at <= 2; at++) {
        fault_arm(FAULT_RESIZE, at, ENOMEM);
        assert_int_equal(loop_listen(fixture->loop, fd, accepted, fixture, &listener), -ENOMEM);
        fault_disarm();
        assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC); /* still open */
        run(fixture, 5);
    }
    close(fd);
    assert_int_equal(loop_listen(fixture->loop, fd, accepted, fixture, &listener), -EBADF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DOOR_TEST(test_takes_all_who_come),
        DOOR_TEST(test_closed_within_its_own_call),
        DOOR_TEST(test_passing_errors),
        DOOR_TEST(test_lasting_errors),
        DOOR_TEST(test_closed_while_it_pauses),
        DOOR_TEST(test_making_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
