#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "loop/child.h"
#include "os/sys.h"

/* A child that runs a script, and what it has written. */
struct fixture {
    struct loop *loop;
    struct loop_child *child;
    char output[1 << 16];
    size_t output_size;
    unsigned ends;
    struct loop_child_end end;
    unsigned drained;
};

static void space(void *owner, char **ret_data, size_t *ret_size)
{
    struct fixture *fixture = owner;
    *ret_data = fixture->output + fixture->output_size;
    *ret_size = sizeof(fixture->output) - fixture->output_size;
}

static void read_some(void *owner, size_t size)
{
    struct fixture *fixture = owner;
    fixture->output_size += size;
    loop_stop(fixture->loop);
}

static void on_end(void *owner, int error)
{
    (void)error;
    loop_child_close_pipe(((struct fixture *)owner)->child, LOOP_CHILD_OUTPUT);
}

static void on_error_end(void *owner, int error)
{
    (void)error;
    loop_child_close_pipe(((struct fixture *)owner)->child, LOOP_CHILD_ERROR);
}

static void on_drained(void *owner, int error)
{
    struct fixture *fixture = owner;
    assert_int_equal(error, 0);
    fixture->drained++;
    loop_stop(fixture->loop);
}

static void on_ended(void *owner, const struct loop_child_end *end)
{
    struct fixture *fixture = owner;
    fixture->ends++;
    fixture->end = *end;
    loop_stop(fixture->loop);
}

static void start(struct fixture *fixture, char *script)
{
    static const struct loop_stream_events input = {.drained = on_drained};
    static const struct loop_stream_events output = {
        .space = space, .read = read_some, .end = on_end};
    static const struct loop_stream_events error = {
        .space = space, .read = read_some, .end = on_error_end};
    char *arguments[] = {(char[]){"sh"}, (char[]){"-c"}, script, NULL};
    char *environment[] = {(char[]){"PATH=/usr/bin:/bin"}, NULL};
    const struct os_spawn program = {
        .path = "/bin/sh", .arguments = arguments, .environment = environment};
    const struct loop_child_options options = {
        .program = &program,
        .events = {&input, &output, &error},
        .stream_owners = {fixture, fixture, fixture},
        .ended = on_ended,
        .owner = fixture,
    };
    assert_int_equal(loop_child_start(fixture->loop, &options, &fixture->child), 0);
}

static int setup(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){0};
    *state = &fixture;
    return loop_new(&fixture.loop);
}

/* Nothing is left of the child, whatever became of it. */
static int teardown(void **state)
{
    struct fixture *fixture = *state;
    loop_free(fixture->loop);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    return 0;
}

#define CHILD_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static void give(struct fixture *fixture, struct jsv_str bytes)
{
    assert_int_equal(
        loop_stream_write(loop_child_stream(fixture->child, LOOP_CHILD_INPUT), bytes), 0);
}

static void run_until_output(struct fixture *fixture, size_t size)
{
    while (fixture->output_size < size) {
        assert_int_equal(loop_run(fixture->loop), 0);
    }
}

static void run_to_end(struct fixture *fixture)
{
    while (fixture->ends == 0) {
        assert_int_equal(loop_run(fixture->loop), 0);
    }
    assert_int_equal(fixture->ends, 1);
}

/* ---- streams ---- */

static void test_conversation(void **state)
{
    struct fixture *fixture = *state;
    start(fixture, (char[]){"while read line; do echo got $line; done; exit 3"});
    give(fixture, JSV_STR("one\n"));
    run_until_output(fixture, 8);
    give(fixture, JSV_STR("two\n"));
    run_until_output(fixture, 16);
    assert_memory_equal(fixture->output, "got one\ngot two\n", 16);
    loop_child_close_pipe(fixture->child, LOOP_CHILD_INPUT);
    assert_null(loop_child_stream(fixture->child, LOOP_CHILD_INPUT));
    run_to_end(fixture);
    assert_int_equal(fixture->end.exit_code, 3);
    assert_int_equal(fixture->end.signal, 0);
    loop_child_close(fixture->child);
}

static void stop_loop(void *owner)
{
    loop_stop(owner);
}

/* A program whose output is not read stops reading its input; it goes on when it is read again. */
static void test_back_pressure(void **state)
{
    struct fixture *fixture = *state;
    static char block[1 << 15];
    memset(block, 'x', sizeof(block));
    start(fixture, (char[]){"exec cat"});
    struct loop_stream *output = loop_child_stream(fixture->child, LOOP_CHILD_OUTPUT);
    struct loop_stream *input = loop_child_stream(fixture->child, LOOP_CHILD_INPUT);
    struct loop_timer *timer;
    assert_int_equal(loop_timer_new(fixture->loop, stop_loop, fixture->loop, &timer), 0);
    loop_stream_stop(output);
    for (int i = 0; i < 32; i++) {
        give(fixture, (struct jsv_str){block, sizeof(block)});
    }
    loop_timer_start(timer, 50);
    assert_int_equal(loop_run(fixture->loop), 0);
    assert_true(loop_stream_queued(input) > 0);
    assert_int_equal(fixture->output_size, 0);
    assert_int_equal(loop_stream_start(output), 0);
    size_t total = 0;
    while (total < 32 * sizeof(block)) {
        assert_int_equal(loop_run(fixture->loop), 0);
        total += fixture->output_size;
        fixture->output_size = 0;
    }
    assert_int_equal(loop_stream_queued(input), 0);
    assert_int_equal(fixture->drained, 1);
    loop_child_close(fixture->child);
}

/* What the program has written is read though its owner has stopped reading. */
static void test_rest_is_read_at_the_end(void **state)
{
    struct fixture *fixture = *state;
    start(fixture, (char[]){"echo last words"});
    loop_stream_stop(loop_child_stream(fixture->child, LOOP_CHILD_OUTPUT));
    run_to_end(fixture);
    assert_int_equal(fixture->output_size, 11);
    loop_child_close(fixture->child);
}

/* ---- the end ---- */

static void test_stop_kills_in_the_end(void **state)
{
    struct fixture *fixture = *state;
    start(fixture, (char[]){"trap '' TERM; echo; while :; do sleep 1; done"});
    run_until_output(fixture, 1);
    loop_child_stop(fixture->child);
    loop_child_stop(fixture->child);
    run_to_end(fixture);
    assert_int_equal(fixture->end.signal, SIGKILL);
    loop_child_stop(fixture->child);
    loop_child_close(fixture->child);
}

static void test_freed_loop_kills(void **state)
{
    struct fixture *fixture = *state;
    start(fixture, (char[]){"trap '' TERM; echo; sleep 60"});
    run_until_output(fixture, 1);
}

static void test_closed_child_is_reaped(void **state)
{
    struct fixture *fixture = *state;
    start(fixture, (char[]){"sleep 60"});
    loop_child_close(fixture->child);
    loop_child_close(NULL);
    assert_int_equal(fixture->ends, 0);
}

int main(void)
{
    os_ignore_sigpipe();
    const struct CMUnitTest tests[] = {
        CHILD_TEST(test_conversation),
        CHILD_TEST(test_back_pressure),
        CHILD_TEST(test_rest_is_read_at_the_end),
        CHILD_TEST(test_stop_kills_in_the_end),
        CHILD_TEST(test_freed_loop_kills),
        CHILD_TEST(test_closed_child_is_reaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
