#define _GNU_SOURCE /* nftw() */
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "loop/stream.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

struct door {
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
    struct door *door = owner;
    door->accepted++;
    assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    close(fd);
    if (door->accepted == door->close_after) {
        loop_listener_close(door->listener);
        door->listener = NULL;
    }
}

static void timed_out(void *owner)
{
    loop_stop(((struct door *)owner)->loop);
}

static int setup(void **state)
{
    struct door *door = calloc(1, sizeof(*door));
    tmpdir_make(&door->dir);
    door->address.sun_family = AF_UNIX;
    snprintf(door->address.sun_path, sizeof(door->address.sun_path), "%s/door", door->dir.path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&door->address, sizeof(door->address)), 0);
    assert_int_equal(listen(fd, 128), 0);
    assert_int_equal(loop_new(&door->loop), 0);
    assert_int_equal(loop_listen(door->loop, fd, accepted, door, &door->listener), 0);
    assert_int_equal(loop_timer_new(door->loop, timed_out, door, &door->timer), 0);
    *state = door;
    return 0;
}

static int teardown(void **state)
{
    struct door *door = *state;
    fault_disarm();
    loop_free(door->loop);
    tmpdir_remove(&door->dir);
    free(door);
    return 0;
}

#define DOOR_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

/* Twice: the clock of the loop stood still since the last time, and is set first. */
static void run(struct door *door, uint64_t milliseconds)
{
    loop_timer_start(door->timer, 0);
    assert_int_equal(loop_run(door->loop), 0);
    loop_timer_start(door->timer, milliseconds);
    assert_int_equal(loop_run(door->loop), 0);
}

static int knock(struct door *door)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&door->address, sizeof(door->address)), 0);
    return fd;
}

static void knock_often(struct door *door, int count)
{
    for (int i = 0; i < count; i++) {
        close(knock(door));
    }
}

static void test_takes_all_who_come(void **state)
{
    struct door *door = *state;
    knock_often(door, 100);
    for (int i = 0; i < 100 && door->accepted < 100; i++) {
        run(door, 5);
    }
    assert_int_equal(door->accepted, 100);
}

static void test_closed_within_its_own_call(void **state)
{
    struct door *door = *state;
    door->close_after = 3;
    knock_often(door, 10);
    run(door, 10);
    assert_int_equal(door->accepted, 3);
    loop_listener_close(NULL);
}

/* Errors of one connection do not matter to the next. */
static void test_passing_errors(void **state)
{
    struct door *door = *state;
    static const int errors[] = {ECONNABORTED, EPROTO, EPERM, EINTR};
    for (unsigned i = 0; i < 4; i++) {
        door->accepted = 0;
        knock_often(door, 3);
        fault_arm(FAULT_ACCEPT, 2, errors[i]);
        run(door, 10);
        assert_true(fault.hit);
        assert_int_equal(door->accepted, 3);
    }
}

/* Without descriptors or memory: a few tries, and all are let in when it is over. */
static void test_lasting_errors(void **state)
{
    struct door *door = *state;
    static const int errors[] = {EMFILE, ENFILE, ENOBUFS, ENOMEM};
    for (unsigned i = 0; i < 4; i++) {
        door->accepted = 0;
        knock_often(door, 3);
        fault_arm(FAULT_ACCEPT, 0, errors[i]);
        run(door, 250);
        assert_in_range(fault.calls[FAULT_ACCEPT], 2, 30);
        assert_int_equal(door->accepted, 0);
        fault_disarm();
        run(door, 200);
        assert_int_equal(door->accepted, 3);
    }
}

static void test_closed_while_it_pauses(void **state)
{
    struct door *door = *state;
    knock_often(door, 1);
    fault_arm(FAULT_ACCEPT, 0, EMFILE);
    run(door, 5);
    unsigned tries = fault.calls[FAULT_ACCEPT];
    assert_true(tries >= 1);
    loop_listener_close(door->listener);
    run(door, 50);
    assert_int_equal(fault.calls[FAULT_ACCEPT], tries);
}

static void test_making_fails_cleanly(void **state)
{
    struct door *door = *state;
    struct loop_listener *listener;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    for (unsigned at = 1; at <= 2; at++) {
        fault_arm(FAULT_RESIZE, at, ENOMEM);
        assert_int_equal(loop_listen(door->loop, fd, accepted, door, &listener), -ENOMEM);
        fault_disarm();
        assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC); /* still open */
        run(door, 5);
    }
    close(fd);
    assert_int_equal(loop_listen(door->loop, fd, accepted, door, &listener), -EBADF);
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
