#define _GNU_SOURCE /* nftw(), pipe2() */
#include <malloc.h>
#include <signal.h>
#include <sys/socket.h>

#include "net/lines.h"
#include "os/sys.h"
#include "unit/net/echo_core.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

/* A loop with one connection; the test is the peer. */
struct lines_fixture {
    struct loop *loop;
    struct core_worker *worker;
    struct net_peers peers;
    struct net_peer *lines; /* NULL once closed */
    int error;              /* that it had then */
    int peer;
    struct loop_timer *timer;
};

static void on_closed(void *owner, struct net_peer *peer)
{
    struct lines_fixture *fixture = owner;
    assert_ptr_equal(fixture->lines, peer);
    fixture->error = fixture->lines->error;
    fixture->lines = NULL;
}

static void on_time(void *owner)
{
    loop_stop(((struct lines_fixture *)owner)->loop);
}

static int setup(void **state)
{
    struct lines_fixture *fixture = calloc(1, sizeof(*fixture));
    memset(&echo, 0, sizeof(echo));
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(loop_new(&fixture->loop), 0);
    assert_int_equal(core_worker_new(fixture->loop, NULL, NULL, &fixture->worker), 0);
    assert_int_equal(loop_timer_new(fixture->loop, on_time, fixture, &fixture->timer), 0);
    fixture->peer = -1;
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct lines_fixture *fixture = *state;
    fault_disarm();
    if (fixture->lines) {
        net_peer_close(fixture->lines);
    }
    while (loop_round(fixture->loop)) {
        /* the worker is told of connections that are done */
    }
    core_worker_free(fixture->worker);
    loop_free(fixture->loop);
    if (fixture->peer >= 0) {
        close(fixture->peer);
    }
    free(fixture);
    return 0;
}

#define LINES_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static struct net_lines_options options_for(struct lines_fixture *fixture, int in_fd, int out_fd)
{
    return (struct net_lines_options){
        .peer =
            {
                .worker = fixture->worker,
                .peers = &fixture->peers,
                .closed = on_closed,
                .owner = fixture,
            },
        .transport = CORE_TRANSPORT_SOCKET,
        .in_fd = in_fd,
        .out_fd = out_fd,
    };
}

/* Limits in milliseconds; 0: the usual one, or none. */
static void open_with(
    struct lines_fixture *fixture, unsigned write_stall_ms, unsigned drain_ms, unsigned line_ms)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
    struct net_lines_options options = options_for(fixture, fds[0], fds[0]);
    options.write_stall_ms = write_stall_ms;
    options.drain_ms = drain_ms;
    options.line_ms = line_ms;
    assert_int_equal(net_lines_open(&options, &fixture->lines), 0);
    fixture->peer = fds[1];
}

static void open_socket(struct lines_fixture *fixture, unsigned write_stall_ms)
{
    open_with(fixture, write_stall_ms, 0, 0);
}

/* A fixture with an open socket. */
static int setup_socket(void **state)
{
    setup(state);
    open_socket(*state, 0);
    return 0;
}

#define SOCKET_TEST(test) cmocka_unit_test_setup_teardown(test, setup_socket, teardown)

static void open_lines(struct lines_fixture *fixture, int in_fd, int out_fd)
{
    const struct net_lines_options options = options_for(fixture, in_fd, out_fd);
    assert_int_equal(net_lines_open(&options, &fixture->lines), 0);
}

static void hang_up(struct lines_fixture *fixture)
{
    close(fixture->peer);
    fixture->peer = -1;
}

/* Let waiting requests go, as the pipeline would: tell the connection afterwards. */
static void release(struct lines_fixture *fixture)
{
    struct core_conn *conn = &fixture->lines->conn;
    echo_release(conn);
    conn->ops->resume(conn);
}

static void finish(struct lines_fixture *fixture)
{
    fixture->lines->ops->finish(fixture->lines);
}

/* Let the loop run for a while: enough for all that is ready now. Its clock stood still since the
   last time, so it is set first. */
static void run(struct lines_fixture *fixture)
{
    for (uint64_t milliseconds = 0; milliseconds <= 5; milliseconds += 5) {
        loop_timer_start(fixture->timer, milliseconds);
        assert_int_equal(loop_run(fixture->loop), 0);
    }
}

static void run_once(struct lines_fixture *fixture)
{
    loop_timer_start(fixture->timer, 0);
    assert_int_equal(loop_run(fixture->loop), 0);
}

static void run_until_closed(struct lines_fixture *fixture, unsigned milliseconds)
{
    for (unsigned i = 0; fixture->lines && i < milliseconds / 5; i++) {
        run(fixture);
    }
    assert_null(fixture->lines);
}

static void run_for(struct lines_fixture *fixture, unsigned milliseconds)
{
    for (unsigned i = 0; i < milliseconds / 5; i++) {
        run(fixture);
    }
}

static void say(struct lines_fixture *fixture, const char *text)
{
    assert_int_equal(write(fixture->peer, text, strlen(text)), (ssize_t)strlen(text));
}

/* Everything that has come. @return a static text. */
static const char *hear(struct lines_fixture *fixture)
{
    static char text[64 * 1024];
    run(fixture);
    ssize_t size = read(fixture->peer, text, sizeof(text) - 1);
    text[size > 0 ? size : 0] = '\0';
    return text;
}

static size_t read_all(struct lines_fixture *fixture, size_t size)
{
    size_t total = 0;
    while (total < size && fixture->lines) {
        static char text[1 << 20];
        ssize_t length = read(fixture->peer, text, sizeof(text));
        total += length > 0 ? (size_t)length : 0;
        run_once(fixture);
    }
    return total;
}

/* ---- lines in, lines out ---- */

static void test_echo(void **state)
{
    struct lines_fixture *fixture = *state;
    say(fixture, "one\ntwo\r\n\nthree");
    assert_string_equal(hear(fixture), "one\ntwo\n");
    say(fixture, "!\n");
    assert_string_equal(hear(fixture), "three!\n");
    say(fixture, "quiet\nfour\n");
    assert_string_equal(hear(fixture), "four\n");
}

static void test_pushed_lines(void **state)
{
    struct lines_fixture *fixture = *state;
    say(fixture, "push\none\n");
    assert_string_equal(hear(fixture), "pushed\npush\none\n");
}

static void test_byte_by_byte(void **state)
{
    struct lines_fixture *fixture = *state;
    const char *text = "slow\nlines\n";
    for (; *text; text++) {
        assert_int_equal(write(fixture->peer, text, 1), 1);
        run(fixture);
    }
    assert_string_equal(hear(fixture), "slow\nlines\n");
}

/* Many requests in one chunk are answered with one write. */
static void test_one_write_for_pipelined_requests(void **state)
{
    struct lines_fixture *fixture = *state;
    for (int i = 0; i < 100; i++) {
        say(fixture, "request\n");
    }
    fault_watch();
    run(fixture);
    assert_int_equal(fault.calls[FAULT_WRITE], 1);
    assert_int_equal(echo.handled, 100);
}

/* Counts rounds of the loop, and how much is handled in one. */
struct round_counter {
    struct loop_deferred deferred; /* first */
    struct loop *loop;
    unsigned long handled;
    unsigned long most;
};

static void count_round(struct loop_deferred *deferred)
{
    struct round_counter *counter = (struct round_counter *)deferred;
    unsigned long more = echo.handled - counter->handled;
    counter->handled = echo.handled;
    counter->most = more > counter->most ? more : counter->most;
    if (echo.handled < 9) {
        loop_defer(counter->loop, LOOP_SEND, &counter->deferred);
    }
}

/* Lines that take long: others have their turn between them, and each is answered in order. */
static void test_round_takes_lines_for_a_limited_time(void **state)
{
    struct lines_fixture *fixture = *state;
    struct round_counter counter = {.deferred = {.run = count_round}, .loop = fixture->loop};
    open_socket(fixture, 0);
    say(fixture, "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    loop_defer(fixture->loop, LOOP_SEND, &counter.deferred);
    echo_line_us = CORE_ROUND_US / 2;
    assert_string_equal(hear(fixture), "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    echo_line_us = 0;
    assert_int_equal(counter.most, 2);
}

/* Once warm, a request costs no memory. */
static void test_no_allocation_per_request(void **state)
{
    struct lines_fixture *fixture = *state;
    say(fixture, "warm\n");
    hear(fixture);
    fault_watch();
    for (int i = 0; i < 10; i++) {
        say(fixture, "request\n");
        assert_string_equal(hear(fixture), "request\n");
    }
    assert_int_equal(fault.calls[FAULT_RESIZE], 0);
}

/* The buffer of an answer is reused for the next answer of any connection. */
static void test_idle_connection_keeps_no_memory_for_answers(void **state)
{
    struct lines_fixture *fixture = *state;
    say(fixture, "request\n");
    assert_string_equal(hear(fixture), "request\n");
    assert_null(fixture->lines->output.data);
    assert_int_equal(core_worker_pool(fixture->worker)->shelves[RPC_POOL_OUTPUT].count, 1);
}

static void test_oversize_line(void **state)
{
    struct lines_fixture *fixture = *state;
    char *line = malloc(CORE_FRAME_SIZE_MAX + 2);
    memset(line, 'x', CORE_FRAME_SIZE_MAX + 1);
    line[CORE_FRAME_SIZE_MAX + 1] = '\n';
    for (size_t sent = 0; sent < CORE_FRAME_SIZE_MAX + 2;) {
        ssize_t size = write(fixture->peer, line + sent, CORE_FRAME_SIZE_MAX + 2 - sent);
        sent += size > 0 ? (size_t)size : 0;
        run(fixture);
    }
    free(line);
    say(fixture, "next\n");
    assert_string_equal(hear(fixture), "oversize\nnext\n");
}

/* A line without an end: it takes no more memory than the longest that is allowed. */
static void test_endless_line(void **state)
{
    struct lines_fixture *fixture = *state;
    static char block[64 * 1024];
    memset(block, 'x', sizeof(block));
    size_t total = getenv("SOAK") ? (size_t)10 << 30 : (size_t)64 << 20;
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    size_t peak = 0;
    for (size_t sent = 0; sent < total;) {
        ssize_t size = write(fixture->peer, block, sizeof(block));
        sent += size > 0 ? (size_t)size : 0;
        if (size < 0) {
            run_once(fixture);
        }
        size_t used = mallinfo2().uordblks + mallinfo2().hblkhd - before;
        peak = used > peak ? used : peak;
    }
    assert_true(peak <= CORE_FRAME_SIZE_MAX + 64 * 1024);
    run(fixture);
    say(fixture, "\nnext\n");
    assert_string_equal(hear(fixture), "oversize\nnext\n");
    assert_int_equal(echo.handled, 2);
}

/* ---- lines that do not end ---- */

/* Bytes that dribble in do not prolong it. */
static void test_line_that_does_not_end_is_hung_up_on(void **state)
{
    struct lines_fixture *fixture = *state;
    open_with(fixture, 0, 0, 100);
    say(fixture, "one\n");
    assert_string_equal(hear(fixture), "one\n");
    for (unsigned i = 0; fixture->lines && i < 1000; i++) {
        (void)!send(fixture->peer, "x", 1, MSG_NOSIGNAL);
        run(fixture);
    }
    assert_null(fixture->lines);
    assert_int_equal(echo.refused, 1);
}

static void test_oversize_line_that_does_not_end_is_hung_up_on(void **state)
{
    struct lines_fixture *fixture = *state;
    open_with(fixture, 0, 0, 300);
    static char block[64 * 1024];
    memset(block, 'x', sizeof(block));
    for (unsigned i = 0; fixture->lines && i < 1000; i++) {
        (void)!send(fixture->peer, block, sizeof(block), MSG_NOSIGNAL);
        run(fixture);
    }
    assert_null(fixture->lines);
    assert_int_equal(echo.refused, 1);
}

/* The time is each line's own, and none passes between lines or while nothing is read. */
static void test_lines_that_end_may_come_for_ever(void **state)
{
    struct lines_fixture *fixture = *state;
    open_with(fixture, 0, 0, 600); /* long, for machines that are slow themselves */
    for (unsigned i = 0; i < 8; i++) {
        say(fixture, "half");
        run_for(fixture, 60);
        say(fixture, "line\nha");
        run_for(fixture, 60);
        say(fixture, "lf\n");
    }
    run_for(fixture, 800);
    assert_non_null(fixture->lines);
    say(fixture, "half");
    run(fixture);
    say(fixture, "line\n");
    for (int i = 0; i < CORE_IN_FLIGHT_MAX + 10; i++) {
        say(fixture, "wait x\n");
    }
    say(fixture, "half");
    run_for(fixture, 900);
    assert_non_null(fixture->lines);
}

/* ---- the peer is done ---- */

static void test_half_closed_peer_gets_its_answers(void **state)
{
    struct lines_fixture *fixture = *state;
    say(fixture, "one\nlast without an end");
    assert_int_equal(shutdown(fixture->peer, SHUT_WR), 0);
    run_until_closed(fixture, 1000);
    assert_string_equal(hear(fixture), "one\nlast without an end\n");
    char byte;
    assert_int_equal(read(fixture->peer, &byte, 1), 0);
}

static void test_half_closed_peer_waits_for_what_is_in_flight(void **state)
{
    struct lines_fixture *fixture = *state;
    say(fixture, "wait one\ntwo");
    assert_int_equal(shutdown(fixture->peer, SHUT_WR), 0);
    run(fixture);
    assert_non_null(fixture->lines);
    release(fixture);
    run_until_closed(fixture, 1000);
    assert_string_equal(hear(fixture), "one\ntwo\n");
}

static void test_requests_in_flight_have_a_time_limit_at_the_end(void **state)
{
    struct lines_fixture *fixture = *state;
    open_with(fixture, 0, 50, 0);
    say(fixture, "wait one\n");
    run_for(fixture, 100);
    assert_non_null(fixture->lines); /* time does not count yet */
    assert_int_equal(shutdown(fixture->peer, SHUT_WR), 0);
    run(fixture);
    assert_non_null(fixture->lines);
    run_until_closed(fixture, 1000);
    assert_int_equal(echo.cancelled, 1);
}

static void test_gone_peer_cancels_what_is_in_flight(void **state)
{
    struct lines_fixture *fixture = *state;
    say(fixture, "wait one\nwait two\n");
    run(fixture);
    hang_up(fixture);
    run_until_closed(fixture, 100);
    assert_int_equal(echo.cancelled, 2);
    assert_int_equal(echo.done, 1);
}

static void fill(struct lines_fixture *fixture)
{
    for (int i = 0; i < CORE_IN_FLIGHT_MAX + 10; i++) {
        say(fixture, "wait x\n");
    }
    run(fixture);
    assert_int_equal(echo.handled, CORE_IN_FLIGHT_MAX);
}

static void test_gone_peer_is_noticed_while_nothing_is_read(void **state)
{
    struct lines_fixture *fixture = *state;
    fill(fixture);
    hang_up(fixture);
    run_until_closed(fixture, 100);
    assert_int_equal(echo.cancelled, CORE_IN_FLIGHT_MAX);
}

static void test_half_closed_peer_is_answered_though_nothing_is_read(void **state)
{
    struct lines_fixture *fixture = *state;
    fill(fixture);
    assert_int_equal(shutdown(fixture->peer, SHUT_WR), 0);
    run(fixture);
    assert_non_null(fixture->lines);
    for (int i = 0; i < 2; i++) {
        release(fixture);
        run(fixture);
    }
    run_until_closed(fixture, 100);
    assert_int_equal(strlen(hear(fixture)), 2 * (CORE_IN_FLIGHT_MAX + 10));
    assert_int_equal(echo.cancelled, 0);
}

static void test_half_closed_peer_that_goes_is_noticed(void **state)
{
    struct lines_fixture *fixture = *state;
    say(fixture, "wait one\n");
    assert_int_equal(shutdown(fixture->peer, SHUT_WR), 0);
    run(fixture);
    assert_non_null(fixture->lines);
    hang_up(fixture);
    run_until_closed(fixture, 100);
    assert_int_equal(echo.cancelled, 1);
}

/* Messages sent before the peer left are still handled. */
static void test_gone_peer_is_heard_to_the_end(void **state)
{
    struct lines_fixture *fixture = *state;
    say(fixture, "one\ntwo\n");
    hang_up(fixture);
    run_until_closed(fixture, 100);
    assert_int_equal(echo.handled, 2);
}

/* The peer goes after each byte of a conversation, at each stage of ours. */
static void test_peer_vanishes_at_every_moment(void **state)
{
    struct lines_fixture *fixture = *state;
    const char *text = "one\nwait two\nbig 300000\nrelease\nthree\n";
    for (size_t sent = 0; sent <= strlen(text); sent++) {
        for (int rounds = 0; rounds < 3; rounds++) {
            open_socket(fixture, 0);
            assert_int_equal(write(fixture->peer, text, sent), (ssize_t)sent);
            for (int i = 0; i < rounds && fixture->lines; i++) {
                run_once(fixture);
            }
            hang_up(fixture);
            run_until_closed(fixture, 1000);
        }
    }
}

/* ---- slow readers ---- */

static void test_slow_reader_stops_reading(void **state)
{
    struct lines_fixture *fixture = *state;
    for (int i = 0; i < 100; i++) {
        say(fixture, "big 100000\n");
    }
    run(fixture);
    unsigned long handled = echo.handled;
    assert_true(handled < 40);
    size_t queued = fixture->lines->output.size + loop_stream_queued(fixture->lines->out);
    assert_true(queued > CORE_SEND_QUEUE_MAX);
    assert_true(queued <= CORE_SEND_QUEUE_MAX + 100001);
    run(fixture);
    assert_int_equal(echo.handled, handled);

    assert_int_equal(read_all(fixture, (size_t)100 * 100001), (size_t)100 * 100001);
    assert_int_equal(echo.handled, 100);
    say(fixture, "again\n");
    assert_string_equal(hear(fixture), "again\n");
}

static void test_requests_in_flight_stop_reading(void **state)
{
    struct lines_fixture *fixture = *state;
    fill(fixture);
    assert_string_equal(hear(fixture), "");
    release(fixture);
    assert_int_equal(strlen(hear(fixture)), 2 * CORE_IN_FLIGHT_MAX);
    assert_int_equal(echo.handled, CORE_IN_FLIGHT_MAX + 10);
    echo_release(&fixture->lines->conn);
    assert_int_equal(strlen(hear(fixture)), 2 * 10);
}

static void test_stalled_peer_is_hung_up_on(void **state)
{
    struct lines_fixture *fixture = *state;
    open_socket(fixture, 300);
    say(fixture, "big 1000000\n");
    run(fixture);
    assert_non_null(fixture->lines);
    run_until_closed(fixture, 5000);
    assert_int_equal(echo.done, 1);
    assert_int_equal(fixture->error, -ETIMEDOUT);
}

/* A client that takes a little now and then is slow, not stalled; one that has taken all is
 * neither. */
static void test_slow_peer_is_not_hung_up_on(void **state)
{
    struct lines_fixture *fixture = *state;
    open_socket(fixture, 1000); /* long, for machines that are slow themselves */
    say(fixture, "big 1500000\n");
    run(fixture);
    size_t total = 0;
    while (total < 1500001) {
        static char text[40 * 1000];
        ssize_t size = read(fixture->peer, text, sizeof(text));
        total += size > 0 ? (size_t)size : 0;
        run_for(fixture, 40);
        assert_non_null(fixture->lines);
    }
    run_for(fixture, 1100);
    assert_non_null(fixture->lines);
}

/* ---- finishing ---- */

static void test_finish_sends_what_is_in_flight(void **state)
{
    struct lines_fixture *fixture = *state;
    say(fixture, "wait one\n");
    run(fixture);
    finish(fixture);
    say(fixture, "two\n");
    run(fixture);
    assert_non_null(fixture->lines);
    release(fixture);
    run_until_closed(fixture, 100);
    assert_string_equal(hear(fixture), "one\n");
    assert_int_equal(echo.handled, 1);
}

/* A message that was read before the request to stop is answered, although it was not handled yet.
 */
static void test_finish_takes_what_was_read(void **state)
{
    struct lines_fixture *fixture = *state;
    say(fixture, "one\ntwo\n");
    assert_true(loop_stream_read_now(fixture->lines->out));
    finish(fixture);
    run_until_closed(fixture, 100);
    assert_string_equal(hear(fixture), "one\ntwo\n");
}

static void test_finish_takes_lines_however_long_they_take(void **state)
{
    struct lines_fixture *fixture = *state;
    say(fixture, "one\ntwo\nthree\n");
    assert_true(loop_stream_read_now(fixture->lines->out));
    echo_line_us = CORE_ROUND_US;
    finish(fixture);
    echo_line_us = 0;
    run_until_closed(fixture, 100);
    assert_string_equal(hear(fixture), "one\ntwo\nthree\n");
}

static void test_finish_waits_for_the_queue(void **state)
{
    struct lines_fixture *fixture = *state;
    say(fixture, "big 1000000\n");
    run(fixture);
    finish(fixture);
    run(fixture);
    assert_non_null(fixture->lines);
    read_all(fixture, 1000002);
    assert_null(fixture->lines);
}

/* The time limit of stopping is for work: answers that are ready wait for their reader. */
static void test_end_of_input_waits_for_the_queue(void **state)
{
    struct lines_fixture *fixture = *state;
    open_with(fixture, 0, 50, 0);
    say(fixture, "big 1000000\n");
    assert_int_equal(shutdown(fixture->peer, SHUT_WR), 0);
    run_for(fixture, 200);
    assert_non_null(fixture->lines);
    read_all(fixture, 1000002);
    assert_null(fixture->lines);
}

static void test_finish_of_an_idle_connection(void **state)
{
    struct lines_fixture *fixture = *state;
    run(fixture);
    finish(fixture);
    run_until_closed(fixture, 100);
}

/* ---- two descriptors ---- */

/* Open two pipes. fixture->peer becomes the end to write to. @return the end to read from. */
static int open_pipes(struct lines_fixture *fixture, unsigned drain_ms)
{
    int in[2];
    int out[2];
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    struct net_lines_options options = options_for(fixture, in[0], out[1]);
    options.drain_ms = drain_ms;
    assert_int_equal(net_lines_open(&options, &fixture->lines), 0);
    fixture->peer = in[1];
    return out[0];
}

static void test_two_pipes(void **state)
{
    struct lines_fixture *fixture = *state;
    int out = open_pipes(fixture, 0);
    say(fixture, "one\ntwo");
    hang_up(fixture);
    run_until_closed(fixture, 100);
    fixture->peer = out;
    assert_string_equal(hear(fixture), "one\ntwo\n");
}

static void test_end_of_input_is_noticed_while_nothing_is_read(void **state)
{
    struct lines_fixture *fixture = *state;
    int out = open_pipes(fixture, 50);
    fill(fixture);
    run_for(fixture, 100);
    assert_non_null(fixture->lines); /* time does not count yet */
    hang_up(fixture);
    run_until_closed(fixture, 1000);
    assert_int_equal(echo.cancelled, CORE_IN_FLIGHT_MAX);
    assert_int_equal(fixture->error, -ETIME);
    close(out);
}

/* As long as frames are taken the time limit begins anew. */
static void test_input_that_is_over_is_taken_to_the_end(void **state)
{
    struct lines_fixture *fixture = *state;
    int out = open_pipes(fixture, 1500);
    for (int i = 0; i < 6 * CORE_IN_FLIGHT_MAX; i++) {
        say(fixture, "wait x\n");
    }
    hang_up(fixture);
    for (int i = 0; i < 6; i++) {
        run_for(fixture, 300);
        assert_non_null(fixture->lines);
        release(fixture);
        run(fixture);
    }
    run_until_closed(fixture, 100);
    assert_int_equal(echo.handled, 6 * CORE_IN_FLIGHT_MAX);
    assert_int_equal(echo.cancelled, 0);
    close(out);
}

static void test_reader_of_answers_that_goes_is_noticed(void **state)
{
    struct lines_fixture *fixture = *state;
    int out = open_pipes(fixture, 0);
    say(fixture, "wait one\n");
    run(fixture);
    assert_non_null(fixture->lines);
    close(out);
    run_until_closed(fixture, 100);
    assert_int_equal(echo.cancelled, 1);
}

static void test_files(void **state)
{
    struct lines_fixture *fixture = *state;
    struct tmpdir dir;
    tmpdir_make(&dir);
    tmpdir_write(&dir, "in", "one\ntwo\n");
    tmpdir_write(&dir, "out", "");
    int in = open(tmpdir_path(&dir, "in"), O_RDONLY | O_CLOEXEC);
    int out = open(tmpdir_path(&dir, "out"), O_RDWR | O_CLOEXEC);
    open_lines(fixture, in, out);
    run_until_closed(fixture, 100);
    fixture->peer = open(tmpdir_path(&dir, "out"), O_RDONLY | O_CLOEXEC);
    assert_string_equal(hear(fixture), "one\ntwo\n");
    tmpdir_remove(&dir);
}

static void test_nothing_in(void **state)
{
    struct lines_fixture *fixture = *state;
    int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int out = open("/dev/null", O_WRONLY | O_CLOEXEC);
    open_lines(fixture, in, out);
    run_until_closed(fixture, 100);
    assert_int_equal(echo.handled, 0);
}

static void test_closed_output_ends_it(void **state)
{
    struct lines_fixture *fixture = *state;
    close(open_pipes(fixture, 0));
    say(fixture, "one\n");
    run_until_closed(fixture, 100);
    assert_int_equal(fixture->error, 0); /* the reader left, which is not an error */
}

static void test_full_disk_ends_it(void **state)
{
    struct lines_fixture *fixture = *state;
    int in[2];
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    int out = open("/dev/full", O_WRONLY | O_CLOEXEC);
    open_lines(fixture, in[0], out);
    assert_int_equal(write(in[1], "one\n", 4), 4);
    run_until_closed(fixture, 100);
    assert_int_equal(fixture->error, -ENOSPC);
    close(in[1]);
}

/* ---- failing calls ---- */

static void test_opening_fails_cleanly(void **state)
{
    struct lines_fixture *fixture = *state;
    unsigned failures = 0;
    for (unsigned at = 1;; at++) {
        int fds[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
        struct net_lines_options options = options_for(fixture, fds[0], fds[0]);
        fixture->peer = fds[1];
        fault_arm(FAULT_RESIZE, at, ENOMEM);
        int r = net_lines_open(&options, &fixture->lines);
        bool hit = fault.hit;
        fault_disarm();
        run(fixture);
        if (!hit) {
            assert_int_equal(r, 0);
            break;
        }
        failures += r == -ENOMEM;
        char byte;
        if (r < 0) {
            assert_int_equal(read(fixture->peer, &byte, 1), 0); /* ours was closed */
        } else {
            net_peer_close(fixture->lines);
        }
        close(fixture->peer);
    }
    assert_true(failures >= 3);
}

static void test_opening_two_descriptors_fails_cleanly(void **state)
{
    struct lines_fixture *fixture = *state;
    static const enum fault_call calls[] = {FAULT_GET_FLAGS, FAULT_FSTAT};
    for (unsigned i = 0; i < 4; i++) {
        int in[2];
        int out[2];
        assert_int_equal(pipe2(in, O_CLOEXEC), 0);
        assert_int_equal(pipe2(out, O_CLOEXEC), 0);
        struct net_lines_options options = options_for(fixture, in[0], out[1]);
        fault_arm(calls[i / 2], 1 + i % 2, EIO);
        fault.open_fds = 2;
        assert_int_equal(net_lines_open(&options, &fixture->lines), -EIO);
        assert_int_equal(fault.open_fds, 0);
        fault_disarm();
        fixture->lines = NULL;
        close(in[1]);
        close(out[0]);
    }
}

static void test_failing_reads_and_writes_end_it(void **state)
{
    struct lines_fixture *fixture = *state;
    static const struct {
        enum fault_call call;
        int error;
    } cases[] = {
        {FAULT_READ, ECONNRESET},
        {FAULT_READ, EIO},
        {FAULT_WRITE, EPIPE},
        {FAULT_WRITE, ECONNRESET},
        {FAULT_RESIZE, ENOMEM},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        open_socket(fixture, 0);
        say(fixture, "one\n");
        rpc_pool_done(&fixture->worker->pool); /* of the one before: memory has to be taken */
        rpc_pool_init(&fixture->worker->pool);
        fault_arm(cases[i].call, 1, cases[i].error);
        run_until_closed(fixture, 100);
        assert_true(fault.hit);
        fault_disarm();
        hang_up(fixture);
    }
}

/* No memory for an answer: the connection is closed, not left waiting. */
static void test_lost_answer_ends_it(void **state)
{
    struct lines_fixture *fixture = *state;
    say(fixture, "big 20000\n");
    fault_arm(FAULT_RESIZE, 2, ENOMEM);
    run_until_closed(fixture, 100);
    assert_true(fault.hit);
}

/* The error comes while a queue is being written. */
static void test_failing_queue_ends_it(void **state)
{
    struct lines_fixture *fixture = *state;
    say(fixture, "big 1000000\n");
    run(fixture);
    assert_true(loop_stream_queued(fixture->lines->out) > 0);
    hang_up(fixture);
    run_until_closed(fixture, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SOCKET_TEST(test_echo),
        SOCKET_TEST(test_pushed_lines),
        SOCKET_TEST(test_byte_by_byte),
        SOCKET_TEST(test_one_write_for_pipelined_requests),
        LINES_TEST(test_round_takes_lines_for_a_limited_time),
        SOCKET_TEST(test_no_allocation_per_request),
        SOCKET_TEST(test_idle_connection_keeps_no_memory_for_answers),
        SOCKET_TEST(test_oversize_line),
        SOCKET_TEST(test_endless_line),
        LINES_TEST(test_line_that_does_not_end_is_hung_up_on),
        LINES_TEST(test_oversize_line_that_does_not_end_is_hung_up_on),
        LINES_TEST(test_lines_that_end_may_come_for_ever),
        SOCKET_TEST(test_half_closed_peer_gets_its_answers),
        SOCKET_TEST(test_half_closed_peer_waits_for_what_is_in_flight),
        LINES_TEST(test_requests_in_flight_have_a_time_limit_at_the_end),
        SOCKET_TEST(test_gone_peer_cancels_what_is_in_flight),
        SOCKET_TEST(test_gone_peer_is_noticed_while_nothing_is_read),
        SOCKET_TEST(test_half_closed_peer_is_answered_though_nothing_is_read),
        SOCKET_TEST(test_half_closed_peer_that_goes_is_noticed),
        SOCKET_TEST(test_gone_peer_is_heard_to_the_end),
        LINES_TEST(test_peer_vanishes_at_every_moment),
        SOCKET_TEST(test_slow_reader_stops_reading),
        SOCKET_TEST(test_requests_in_flight_stop_reading),
        LINES_TEST(test_stalled_peer_is_hung_up_on),
        LINES_TEST(test_slow_peer_is_not_hung_up_on),
        SOCKET_TEST(test_finish_sends_what_is_in_flight),
        SOCKET_TEST(test_finish_takes_what_was_read),
        SOCKET_TEST(test_finish_takes_lines_however_long_they_take),
        SOCKET_TEST(test_finish_waits_for_the_queue),
        LINES_TEST(test_end_of_input_waits_for_the_queue),
        SOCKET_TEST(test_finish_of_an_idle_connection),
        LINES_TEST(test_two_pipes),
        LINES_TEST(test_end_of_input_is_noticed_while_nothing_is_read),
        LINES_TEST(test_input_that_is_over_is_taken_to_the_end),
        LINES_TEST(test_reader_of_answers_that_goes_is_noticed),
        LINES_TEST(test_files),
        LINES_TEST(test_nothing_in),
        LINES_TEST(test_closed_output_ends_it),
        LINES_TEST(test_full_disk_ends_it),
        LINES_TEST(test_opening_fails_cleanly),
        LINES_TEST(test_opening_two_descriptors_fails_cleanly),
        LINES_TEST(test_failing_reads_and_writes_end_it),
        SOCKET_TEST(test_lost_answer_ends_it),
        SOCKET_TEST(test_failing_queue_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
