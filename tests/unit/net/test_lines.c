#define _GNU_SOURCE /* nftw(), pipe2() */
#include <signal.h>
#include <sys/socket.h>

#include "net/lines.h"
#include "os/sys.h"
#include "unit/net/echo_core.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

/* A loop with one connection; the test is the peer. */
struct desk {
    struct loop *loop;
    struct core_worker *worker;
    struct net_lines *lines; /* NULL once closed */
    int error;               /* that it had then */
    int peer;
    struct loop_timer *timer;
};

static void on_closed(void *owner, struct net_peer *peer)
{
    struct desk *desk = owner;
    assert_ptr_equal(&desk->lines->peer, peer);
    desk->error = desk->lines->error;
    desk->lines = NULL;
}

static void on_time(void *owner)
{
    loop_stop(((struct desk *)owner)->loop);
}

static int setup(void **state)
{
    struct desk *desk = calloc(1, sizeof(*desk));
    memset(&echo, 0, sizeof(echo));
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(loop_new(&desk->loop), 0);
    assert_int_equal(core_worker_new(desk->loop, NULL, NULL, &desk->worker), 0);
    assert_int_equal(loop_timer_new(desk->loop, on_time, desk, &desk->timer), 0);
    desk->peer = -1;
    *state = desk;
    return 0;
}

static int teardown(void **state)
{
    struct desk *desk = *state;
    fault_disarm();
    if (desk->lines) {
        net_lines_close(desk->lines);
    }
    while (loop_round(desk->loop)) {
        /* the worker is told of connections that are done */
    }
    core_worker_free(desk->worker);
    loop_free(desk->loop);
    if (desk->peer >= 0) {
        close(desk->peer);
    }
    free(desk);
    return 0;
}

#define DESK_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static struct net_lines_options options_for(struct desk *desk, int in_fd, int out_fd)
{
    return (struct net_lines_options){
        .worker = desk->worker,
        .transport = CORE_TRANSPORT_SOCKET,
        .in_fd = in_fd,
        .out_fd = out_fd,
        .closed = on_closed,
        .owner = desk,
    };
}

static void open_patient(struct desk *desk, unsigned write_stall_ms, unsigned drain_ms)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
    struct net_lines_options options = options_for(desk, fds[0], fds[0]);
    options.write_stall_ms = write_stall_ms;
    options.drain_ms = drain_ms;
    assert_int_equal(net_lines_open(&options, &desk->lines), 0);
    desk->peer = fds[1];
}

static void open_socket(struct desk *desk, unsigned write_stall_ms)
{
    open_patient(desk, write_stall_ms, 0);
}

/* Let the loop run for a while: enough for all that is ready now. Its clock stood still since the
   last time, so it is set first. */
static void run(struct desk *desk)
{
    for (uint64_t milliseconds = 0; milliseconds <= 5; milliseconds += 5) {
        loop_timer_start(desk->timer, milliseconds);
        assert_int_equal(loop_run(desk->loop), 0);
    }
}

static void run_until_closed(struct desk *desk, unsigned milliseconds)
{
    for (unsigned i = 0; desk->lines && i < milliseconds / 5; i++) {
        run(desk);
    }
    assert_null(desk->lines);
}

static void say(struct desk *desk, const char *text)
{
    assert_int_equal(write(desk->peer, text, strlen(text)), (ssize_t)strlen(text));
}

/* Everything that has come. @return a static text. */
static const char *hear(struct desk *desk)
{
    static char text[64 * 1024];
    run(desk);
    ssize_t size = read(desk->peer, text, sizeof(text) - 1);
    text[size > 0 ? size : 0] = '\0';
    return text;
}

/* ---- lines in, lines out ---- */

static void test_echo(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    say(desk, "one\ntwo\r\n\nthree");
    assert_string_equal(hear(desk), "one\ntwo\n");
    say(desk, "!\n");
    assert_string_equal(hear(desk), "three!\n");
    say(desk, "quiet\nfour\n");
    assert_string_equal(hear(desk), "four\n");
}

static void test_pushed_lines(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    say(desk, "push\none\n");
    assert_string_equal(hear(desk), "pushed\npush\none\n");
}

static void test_byte_by_byte(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    const char *text = "slow\nlines\n";
    for (; *text; text++) {
        assert_int_equal(write(desk->peer, text, 1), 1);
        run(desk);
    }
    assert_string_equal(hear(desk), "slow\nlines\n");
}

/* Many requests in one chunk are answered with one write. */
static void test_one_write_for_pipelined_requests(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    for (int i = 0; i < 100; i++) {
        say(desk, "request\n");
    }
    fault_watch();
    run(desk);
    assert_int_equal(fault.calls[FAULT_WRITE], 1);
    assert_int_equal(echo.handled, 100);
}

/* Counts rounds of the loop, and how much is handled in one. */
struct round_counter {
    struct loop_later later; /* first */
    struct loop *loop;
    unsigned long handled;
    unsigned long most;
};

static void count_round(struct loop_later *later)
{
    struct round_counter *counter = (struct round_counter *)later;
    unsigned long more = echo.handled - counter->handled;
    counter->handled = echo.handled;
    counter->most = more > counter->most ? more : counter->most;
    if (echo.handled < 9) {
        loop_run_later(counter->loop, LOOP_SEND, &counter->later);
    }
}

/* Lines that take long: others have their turn between them, and each is answered in order. */
static void test_round_takes_lines_for_a_limited_time(void **state)
{
    struct desk *desk = *state;
    struct round_counter counter = {.later = {.run = count_round}, .loop = desk->loop};
    open_socket(desk, 0);
    say(desk, "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    loop_run_later(desk->loop, LOOP_SEND, &counter.later);
    echo_line_us = CORE_ROUND_US / 2;
    assert_string_equal(hear(desk), "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    echo_line_us = 0;
    assert_int_equal(counter.most, 2);
}

/* Once warm, a request costs no memory. */
static void test_no_allocation_per_request(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    say(desk, "warm\n");
    hear(desk);
    fault_watch();
    for (int i = 0; i < 10; i++) {
        say(desk, "request\n");
        assert_string_equal(hear(desk), "request\n");
    }
    assert_int_equal(fault.calls[FAULT_RESIZE], 0);
}

/* What an answer was written in is the next one's, whoever gets that. */
static void test_idle_connection_keeps_no_memory_for_answers(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    say(desk, "request\n");
    assert_string_equal(hear(desk), "request\n");
    assert_null(desk->lines->output.data);
    assert_int_equal(core_worker_pool(desk->worker)->shelves[RPC_POOL_OUTPUT].count, 1);
}

static void test_oversize_line(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    char *line = malloc(CORE_FRAME_SIZE_MAX + 2);
    memset(line, 'x', CORE_FRAME_SIZE_MAX + 1);
    line[CORE_FRAME_SIZE_MAX + 1] = '\n';
    for (size_t sent = 0; sent < CORE_FRAME_SIZE_MAX + 2;) {
        ssize_t size = write(desk->peer, line + sent, CORE_FRAME_SIZE_MAX + 2 - sent);
        sent += size > 0 ? (size_t)size : 0;
        run(desk);
    }
    free(line);
    say(desk, "next\n");
    assert_string_equal(hear(desk), "oversize\nnext\n");
}

/* A line without an end: it takes no more memory than the longest that is allowed. */
static void test_endless_line(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    static char block[64 * 1024];
    memset(block, 'x', sizeof(block));
    size_t total = getenv("SOAK") ? (size_t)10 << 30 : (size_t)64 << 20;
    size_t peak = 0;
    for (size_t sent = 0; sent < total;) {
        ssize_t size = write(desk->peer, block, sizeof(block));
        sent += size > 0 ? (size_t)size : 0;
        if (size < 0) {
            loop_timer_start(desk->timer, 0);
            assert_int_equal(loop_run(desk->loop), 0);
        }
        size_t capacity = desk->lines->frames.chunk ? desk->lines->frames.chunk->capacity : 0;
        peak = capacity > peak ? capacity : peak;
    }
    assert_true(peak <= CORE_FRAME_SIZE_MAX + 64);
    run(desk);
    say(desk, "\nnext\n");
    assert_string_equal(hear(desk), "oversize\nnext\n");
    assert_int_equal(echo.handled, 2);
}

/* ---- lines that do not end ---- */

static void open_strict(struct desk *desk, unsigned line_ms)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
    struct net_lines_options options = options_for(desk, fds[0], fds[0]);
    options.line_ms = line_ms;
    assert_int_equal(net_lines_open(&options, &desk->lines), 0);
    desk->peer = fds[1];
}

static void run_for(struct desk *desk, unsigned milliseconds)
{
    for (unsigned i = 0; i < milliseconds / 5; i++) {
        run(desk);
    }
}

/* Bytes that dribble in do not prolong it. */
static void test_line_that_does_not_end_is_hung_up_on(void **state)
{
    struct desk *desk = *state;
    open_strict(desk, 100);
    say(desk, "one\n");
    assert_string_equal(hear(desk), "one\n");
    for (unsigned i = 0; desk->lines && i < 1000; i++) {
        (void)!send(desk->peer, "x", 1, MSG_NOSIGNAL);
        run(desk);
    }
    assert_null(desk->lines);
    assert_int_equal(echo.refused, 1);
}

static void test_oversize_line_that_does_not_end_is_hung_up_on(void **state)
{
    struct desk *desk = *state;
    open_strict(desk, 300);
    static char block[64 * 1024];
    memset(block, 'x', sizeof(block));
    for (unsigned i = 0; desk->lines && i < 1000; i++) {
        (void)!send(desk->peer, block, sizeof(block), MSG_NOSIGNAL);
        run(desk);
    }
    assert_null(desk->lines);
    assert_int_equal(echo.refused, 1);
}

/* The time is each line's own, and none passes between lines or while nothing is read. */
static void test_lines_that_end_may_come_for_ever(void **state)
{
    struct desk *desk = *state;
    open_strict(desk, 600); /* long, for machines that are slow themselves */
    for (unsigned i = 0; i < 8; i++) {
        say(desk, "half");
        run_for(desk, 60);
        say(desk, "line\nha");
        run_for(desk, 60);
        say(desk, "lf\n");
    }
    run_for(desk, 800);
    assert_non_null(desk->lines);
    say(desk, "half");
    run(desk);
    say(desk, "line\n");
    for (int i = 0; i < CORE_IN_FLIGHT_MAX + 10; i++) {
        say(desk, "wait x\n");
    }
    say(desk, "half");
    run_for(desk, 900);
    assert_non_null(desk->lines);
}

/* ---- the peer is done ---- */

static void test_half_closed_peer_gets_its_answers(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    say(desk, "one\nlast without an end");
    assert_int_equal(shutdown(desk->peer, SHUT_WR), 0);
    run_until_closed(desk, 1000);
    assert_string_equal(hear(desk), "one\nlast without an end\n");
    char byte;
    assert_int_equal(read(desk->peer, &byte, 1), 0);
}

static void test_half_closed_peer_waits_for_what_is_in_flight(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    say(desk, "wait one\ntwo");
    assert_int_equal(shutdown(desk->peer, SHUT_WR), 0);
    run(desk);
    assert_non_null(desk->lines);
    echo_release(&desk->lines->conn);
    desk->lines->conn.ops->idle(&desk->lines->conn);
    run_until_closed(desk, 1000);
    assert_string_equal(hear(desk), "one\ntwo\n");
}

static void test_what_is_in_flight_may_take_only_so_long(void **state)
{
    struct desk *desk = *state;
    open_patient(desk, 0, 50);
    say(desk, "wait one\n");
    for (unsigned i = 0; i < 20; i++) {
        run(desk);
    }
    assert_non_null(desk->lines); /* time does not count yet */
    assert_int_equal(shutdown(desk->peer, SHUT_WR), 0);
    run(desk);
    assert_non_null(desk->lines);
    run_until_closed(desk, 1000);
    assert_int_equal(echo.cancelled, 1);
}

static void test_gone_peer_cancels_what_is_in_flight(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    say(desk, "wait one\nwait two\n");
    run(desk);
    close(desk->peer);
    desk->peer = -1;
    run_until_closed(desk, 100);
    assert_int_equal(echo.cancelled, 2);
    assert_int_equal(echo.done, 1);
}

static void fill(struct desk *desk)
{
    for (int i = 0; i < CORE_IN_FLIGHT_MAX + 10; i++) {
        say(desk, "wait x\n");
    }
    run(desk);
    assert_int_equal(echo.handled, CORE_IN_FLIGHT_MAX);
}

static void test_gone_peer_is_noticed_while_nothing_is_read(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    fill(desk);
    close(desk->peer);
    desk->peer = -1;
    run_until_closed(desk, 100);
    assert_int_equal(echo.cancelled, CORE_IN_FLIGHT_MAX);
}

static void test_half_closed_peer_is_answered_though_nothing_is_read(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    fill(desk);
    assert_int_equal(shutdown(desk->peer, SHUT_WR), 0);
    run(desk);
    assert_non_null(desk->lines);
    for (int i = 0; i < 2; i++) {
        echo_release(&desk->lines->conn);
        desk->lines->conn.ops->resume(&desk->lines->conn);
        run(desk);
    }
    run_until_closed(desk, 100);
    assert_int_equal(strlen(hear(desk)), 2 * (CORE_IN_FLIGHT_MAX + 10));
    assert_int_equal(echo.cancelled, 0);
}

static void test_half_closed_peer_that_goes_is_noticed(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    say(desk, "wait one\n");
    assert_int_equal(shutdown(desk->peer, SHUT_WR), 0);
    run(desk);
    assert_non_null(desk->lines);
    close(desk->peer);
    desk->peer = -1;
    run_until_closed(desk, 100);
    assert_int_equal(echo.cancelled, 1);
}

/* What was sent before going is still looked at. */
static void test_gone_peer_is_heard_to_the_end(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    say(desk, "one\ntwo\n");
    close(desk->peer);
    desk->peer = -1;
    run_until_closed(desk, 100);
    assert_int_equal(echo.handled, 2);
}

/* The peer goes after each byte of a conversation, at each stage of ours. */
static void test_peer_vanishes_at_every_moment(void **state)
{
    struct desk *desk = *state;
    const char *text = "one\nwait two\nbig 300000\nrelease\nthree\n";
    for (size_t sent = 0; sent <= strlen(text); sent++) {
        for (int rounds = 0; rounds < 3; rounds++) {
            open_socket(desk, 0);
            assert_int_equal(write(desk->peer, text, sent), (ssize_t)sent);
            for (int i = 0; i < rounds && desk->lines; i++) {
                loop_timer_start(desk->timer, 0);
                assert_int_equal(loop_run(desk->loop), 0);
            }
            close(desk->peer);
            desk->peer = -1;
            run_until_closed(desk, 1000);
        }
    }
}

/* ---- the peer does not read ---- */

static void test_slow_reader_stops_the_taking_of_frames(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    for (int i = 0; i < 100; i++) {
        say(desk, "big 100000\n");
    }
    run(desk);
    unsigned long handled = echo.handled;
    assert_true(handled < 40);
    size_t queued = desk->lines->output.size + loop_stream_queued(desk->lines->out);
    assert_true(queued > CORE_SEND_QUEUE_MAX);
    assert_true(queued <= CORE_SEND_QUEUE_MAX + 100001);
    run(desk);
    assert_int_equal(echo.handled, handled);

    size_t total = 0;
    while (total < (size_t)100 * 100001) {
        static char text[1 << 20];
        ssize_t size = read(desk->peer, text, sizeof(text));
        total += size > 0 ? (size_t)size : 0;
        loop_timer_start(desk->timer, 0);
        assert_int_equal(loop_run(desk->loop), 0);
    }
    assert_int_equal(echo.handled, 100);
    say(desk, "again\n");
    assert_string_equal(hear(desk), "again\n");
}

static void test_full_corridor_stops_the_taking_of_frames(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    for (int i = 0; i < CORE_IN_FLIGHT_MAX + 10; i++) {
        say(desk, "wait x\n");
    }
    run(desk);
    assert_int_equal(echo.handled, CORE_IN_FLIGHT_MAX);
    assert_string_equal(hear(desk), "");
    echo_release(&desk->lines->conn);
    desk->lines->conn.ops->resume(&desk->lines->conn);
    assert_int_equal(strlen(hear(desk)), 2 * CORE_IN_FLIGHT_MAX);
    assert_int_equal(echo.handled, CORE_IN_FLIGHT_MAX + 10);
    echo_release(&desk->lines->conn);
    assert_int_equal(strlen(hear(desk)), 2 * 10);
}

static void test_stalled_peer_is_hung_up_on(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 300);
    say(desk, "big 1000000\n");
    run(desk);
    assert_non_null(desk->lines);
    run_until_closed(desk, 5000);
    assert_int_equal(echo.done, 1);
    assert_int_equal(desk->error, -ETIMEDOUT);
}

/* Who takes a little now and then is slow, not stalled; who has taken all is neither. */
static void test_slow_peer_is_not_hung_up_on(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 1000); /* long, for machines that are slow themselves */
    say(desk, "big 1500000\n");
    run(desk);
    size_t total = 0;
    while (total < 1500001) {
        static char text[40 * 1000];
        ssize_t size = read(desk->peer, text, sizeof(text));
        total += size > 0 ? (size_t)size : 0;
        for (int i = 0; i < 8; i++) {
            run(desk);
        }
        assert_non_null(desk->lines);
    }
    for (int i = 0; i < 220; i++) {
        run(desk);
    }
    assert_non_null(desk->lines);
}

static void test_who_does_not_read_what_is_pushed_is_disconnected(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    say(desk, "flood 30 100000\n");
    run(desk);
    assert_non_null(desk->lines);
    echo_flood(&desk->lines->conn, JSV_STR("flood 30 100000"));
    assert_int_equal(echo.slow, 1);
    run(desk);
    assert_null(desk->lines);
    assert_int_equal(desk->error, -ENOBUFS);
    assert_int_equal(echo.slow, 1);
    assert_int_equal(echo.done, 1);
}

static size_t read_all(struct desk *desk, size_t size)
{
    size_t total = 0;
    while (total < size && desk->lines) {
        static char text[1 << 20];
        ssize_t length = read(desk->peer, text, sizeof(text));
        total += length > 0 ? (size_t)length : 0;
        loop_timer_start(desk->timer, 0);
        assert_int_equal(loop_run(desk->loop), 0);
    }
    return total;
}

/* One message as large as they may be is taken; the next one has to wait until it is read. */
static void test_one_pushed_message_may_be_as_large_as_the_limit(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    for (int i = 0; i < 3; i++) {
        say(desk, "flood 1 4194304\n");
        run(desk);
        assert_int_equal(read_all(desk, 4194305), 4194305);
    }
    say(desk, "flood 2 4194304\n");
    run(desk);
    assert_null(desk->lines);
}

/* A large answer that is under way does not count against what is pushed meanwhile. */
static void test_answers_are_not_counted_as_pushes(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    say(desk, "big 4194304\n");
    run(desk);
    struct core_conn *conn = &desk->lines->conn;
    for (int i = 0; i < 10; i++) {
        conn->ops->push(conn, JSV_STR("progress"));
    }
    assert_true(conn->ops->can_push(conn));
    assert_int_equal(read_all(desk, 4194305 + 90), 4194305 + 90);
    assert_int_equal(echo.slow, 0);
}

/* What was read is not counted any more, also when the queue was never quite empty. */
static void test_pushes_that_were_read_do_not_count(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    size_t pushed = 0;
    size_t heard = 0;
    struct core_conn *conn = &desk->lines->conn;
    for (int i = 0; i < 3; i++) {
        echo_flood(conn, JSV_STR("flood 30 100000"));
        pushed += 30 * 100001;
        heard += read_all(desk, pushed - heard - 800000);
        assert_true(loop_stream_queued(desk->lines->out) > 0);
    }
    say(desk, "big 4194304\n");
    run(desk);
    echo_flood(conn, JSV_STR("flood 1 100000"));
    assert_int_equal(echo.slow, 0);
    pushed += 4194305 + 100001;
    heard += read_all(desk, pushed - heard);
    assert_int_equal(heard, pushed);
}

/* ---- we are done ---- */

static void test_finish_sends_what_is_in_flight(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    say(desk, "wait one\n");
    run(desk);
    net_lines_finish(desk->lines);
    say(desk, "two\n");
    run(desk);
    assert_non_null(desk->lines);
    echo_release(&desk->lines->conn);
    desk->lines->conn.ops->idle(&desk->lines->conn);
    run_until_closed(desk, 100);
    assert_string_equal(hear(desk), "one\n");
    assert_int_equal(echo.handled, 1);
}

/* What was read before we were asked to finish is answered, though nobody has worked on it yet. */
static void test_finish_takes_what_was_read(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    say(desk, "one\ntwo\n");
    assert_true(loop_stream_read_now(desk->lines->in));
    net_lines_finish(desk->lines);
    run_until_closed(desk, 100);
    assert_string_equal(hear(desk), "one\ntwo\n");
}

static void test_finish_takes_lines_however_long_they_take(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    say(desk, "one\ntwo\nthree\n");
    assert_true(loop_stream_read_now(desk->lines->in));
    echo_line_us = CORE_ROUND_US;
    net_lines_finish(desk->lines);
    echo_line_us = 0;
    run_until_closed(desk, 100);
    assert_string_equal(hear(desk), "one\ntwo\nthree\n");
}

static void hear_big(struct desk *desk, size_t expected)
{
    size_t total = 0;
    for (int i = 0; i < 100; i++) {
        static char text[1 << 20];
        ssize_t size = read(desk->peer, text, sizeof(text));
        total += size > 0 ? (size_t)size : 0;
        run(desk);
    }
    assert_int_equal(total, expected);
}

static void test_finish_waits_for_the_queue(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    say(desk, "big 1000000\n");
    run(desk);
    net_lines_finish(desk->lines);
    run(desk);
    assert_non_null(desk->lines);
    hear_big(desk, 1000001);
    assert_null(desk->lines);
}

/* The hurry at the end is for work: answers that are there wait for whoever reads them. */
static void test_end_of_input_waits_for_the_queue(void **state)
{
    struct desk *desk = *state;
    open_patient(desk, 0, 50);
    say(desk, "big 1000000\n");
    assert_int_equal(shutdown(desk->peer, SHUT_WR), 0);
    for (int i = 0; i < 40; i++) {
        run(desk);
    }
    assert_non_null(desk->lines);
    hear_big(desk, 1000001);
    assert_null(desk->lines);
}

static void test_finish_of_an_idle_connection(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    run(desk);
    net_lines_finish(desk->lines);
    run_until_closed(desk, 100);
}

/* ---- two descriptors ---- */

static void test_two_pipes(void **state)
{
    struct desk *desk = *state;
    int in[2];
    int out[2];
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    struct net_lines_options options = options_for(desk, in[0], out[1]);
    assert_int_equal(net_lines_open(&options, &desk->lines), 0);
    assert_int_equal(write(in[1], "one\ntwo", 7), 7);
    close(in[1]);
    run_until_closed(desk, 100);
    desk->peer = out[0];
    assert_string_equal(hear(desk), "one\ntwo\n");
}

/* Open two pipes. desk->peer becomes the end to write to. @return the end to read from. */
static int open_pipes(struct desk *desk, unsigned drain_ms)
{
    int in[2];
    int out[2];
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    struct net_lines_options options = options_for(desk, in[0], out[1]);
    options.drain_ms = drain_ms;
    assert_int_equal(net_lines_open(&options, &desk->lines), 0);
    desk->peer = in[1];
    return out[0];
}

static void test_end_of_input_is_noticed_while_nothing_is_read(void **state)
{
    struct desk *desk = *state;
    int out = open_pipes(desk, 50);
    fill(desk);
    for (unsigned i = 0; i < 20; i++) {
        run(desk);
    }
    assert_non_null(desk->lines); /* time does not count yet */
    close(desk->peer);
    desk->peer = -1;
    run_until_closed(desk, 1000);
    assert_int_equal(echo.cancelled, CORE_IN_FLIGHT_MAX);
    assert_int_equal(desk->error, -ETIME);
    close(out);
}

/* As long as frames are taken the time limit begins anew. */
static void test_input_that_is_over_is_taken_to_the_end(void **state)
{
    struct desk *desk = *state;
    int out = open_pipes(desk, 500);
    for (int i = 0; i < 6 * CORE_IN_FLIGHT_MAX; i++) {
        say(desk, "wait x\n");
    }
    close(desk->peer);
    desk->peer = -1;
    for (int i = 0; i < 6; i++) {
        for (unsigned j = 0; j < 20; j++) {
            run(desk);
        }
        assert_non_null(desk->lines);
        echo_release(&desk->lines->conn);
        desk->lines->conn.ops->resume(&desk->lines->conn);
        run(desk);
    }
    run_until_closed(desk, 100);
    assert_int_equal(echo.handled, 6 * CORE_IN_FLIGHT_MAX);
    assert_int_equal(echo.cancelled, 0);
    close(out);
}

static void test_reader_of_answers_that_goes_is_noticed(void **state)
{
    struct desk *desk = *state;
    int out = open_pipes(desk, 0);
    say(desk, "wait one\n");
    run(desk);
    assert_non_null(desk->lines);
    close(out);
    run_until_closed(desk, 100);
    assert_int_equal(echo.cancelled, 1);
}

static void test_files(void **state)
{
    struct desk *desk = *state;
    struct tmpdir dir;
    tmpdir_make(&dir);
    tmpdir_write(&dir, "in", "one\ntwo\n");
    tmpdir_write(&dir, "out", "");
    int in = open(tmpdir_path(&dir, "in"), O_RDONLY | O_CLOEXEC);
    int out = open(tmpdir_path(&dir, "out"), O_RDWR | O_CLOEXEC);
    struct net_lines_options options = options_for(desk, in, out);
    assert_int_equal(net_lines_open(&options, &desk->lines), 0);
    run_until_closed(desk, 100);
    desk->peer = open(tmpdir_path(&dir, "out"), O_RDONLY | O_CLOEXEC);
    assert_string_equal(hear(desk), "one\ntwo\n");
    tmpdir_remove(&dir);
}

static void test_nothing_in(void **state)
{
    struct desk *desk = *state;
    int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int out = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct net_lines_options options = options_for(desk, in, out);
    assert_int_equal(net_lines_open(&options, &desk->lines), 0);
    run_until_closed(desk, 100);
    assert_int_equal(echo.handled, 0);
}

static void test_closed_output_ends_it(void **state)
{
    struct desk *desk = *state;
    int in[2];
    int out[2];
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    close(out[0]);
    struct net_lines_options options = options_for(desk, in[0], out[1]);
    assert_int_equal(net_lines_open(&options, &desk->lines), 0);
    assert_int_equal(write(in[1], "one\n", 4), 4);
    run_until_closed(desk, 100);
    assert_int_equal(desk->error, 0); /* the reader left: that is not a failure */
    close(in[1]);
}

static void test_full_disk_ends_it(void **state)
{
    struct desk *desk = *state;
    int in[2];
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    int out = open("/dev/full", O_WRONLY | O_CLOEXEC);
    struct net_lines_options options = options_for(desk, in[0], out);
    assert_int_equal(net_lines_open(&options, &desk->lines), 0);
    assert_int_equal(write(in[1], "one\n", 4), 4);
    run_until_closed(desk, 100);
    assert_int_equal(desk->error, -ENOSPC);
    close(in[1]);
}

/* ---- failing calls ---- */

static void test_opening_fails_cleanly(void **state)
{
    struct desk *desk = *state;
    unsigned failures = 0;
    for (unsigned at = 1;; at++) {
        int fds[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
        struct net_lines_options options = options_for(desk, fds[0], fds[0]);
        desk->peer = fds[1];
        fault_arm(FAULT_RESIZE, at, ENOMEM);
        int r = net_lines_open(&options, &desk->lines);
        bool hit = fault.hit;
        fault_disarm();
        run(desk);
        if (!hit) {
            assert_int_equal(r, 0);
            break;
        }
        failures += r == -ENOMEM;
        char byte;
        if (r < 0) {
            assert_int_equal(read(desk->peer, &byte, 1), 0); /* ours was closed */
        } else {
            net_lines_close(desk->lines);
        }
        close(desk->peer);
    }
    assert_true(failures >= 3);
}

static void test_opening_two_descriptors_fails_cleanly(void **state)
{
    struct desk *desk = *state;
    static const enum fault_call calls[] = {FAULT_GET_FLAGS, FAULT_FSTAT};
    for (unsigned i = 0; i < 4; i++) {
        int in[2];
        int out[2];
        assert_int_equal(pipe2(in, O_CLOEXEC), 0);
        assert_int_equal(pipe2(out, O_CLOEXEC), 0);
        struct net_lines_options options = options_for(desk, in[0], out[1]);
        fault_arm(calls[i / 2], 1 + i % 2, EIO);
        fault.open_fds = 2;
        assert_int_equal(net_lines_open(&options, &desk->lines), -EIO);
        assert_int_equal(fault.open_fds, 0);
        fault_disarm();
        desk->lines = NULL;
        close(in[1]);
        close(out[0]);
    }
}

static void test_failing_reads_and_writes_end_it(void **state)
{
    struct desk *desk = *state;
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
        open_socket(desk, 0);
        say(desk, "one\n");
        rpc_pool_done(&desk->worker->pool); /* of the one before: memory has to be taken */
        rpc_pool_init(&desk->worker->pool);
        fault_arm(cases[i].call, 1, cases[i].error);
        run_until_closed(desk, 100);
        assert_true(fault.hit);
        fault_disarm();
        close(desk->peer);
        desk->peer = -1;
    }
}

/* An answer there is no memory for: hung up on, not left waiting. */
static void test_lost_answer_ends_it(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    say(desk, "big 20000\n");
    fault_arm(FAULT_RESIZE, 2, ENOMEM);
    run_until_closed(desk, 100);
    assert_true(fault.hit);
}

/* The error comes while a queue is being written. */
static void test_failing_queue_ends_it(void **state)
{
    struct desk *desk = *state;
    open_socket(desk, 0);
    say(desk, "big 1000000\n");
    run(desk);
    assert_true(loop_stream_queued(desk->lines->out) > 0);
    close(desk->peer);
    desk->peer = -1;
    run_until_closed(desk, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(test_echo),
        DESK_TEST(test_pushed_lines),
        DESK_TEST(test_byte_by_byte),
        DESK_TEST(test_one_write_for_pipelined_requests),
        DESK_TEST(test_round_takes_lines_for_a_limited_time),
        DESK_TEST(test_no_allocation_per_request),
        DESK_TEST(test_idle_connection_keeps_no_memory_for_answers),
        DESK_TEST(test_oversize_line),
        DESK_TEST(test_endless_line),
        DESK_TEST(test_line_that_does_not_end_is_hung_up_on),
        DESK_TEST(test_oversize_line_that_does_not_end_is_hung_up_on),
        DESK_TEST(test_lines_that_end_may_come_for_ever),
        DESK_TEST(test_half_closed_peer_gets_its_answers),
        DESK_TEST(test_half_closed_peer_waits_for_what_is_in_flight),
        DESK_TEST(test_what_is_in_flight_may_take_only_so_long),
        DESK_TEST(test_gone_peer_cancels_what_is_in_flight),
        DESK_TEST(test_gone_peer_is_noticed_while_nothing_is_read),
        DESK_TEST(test_half_closed_peer_is_answered_though_nothing_is_read),
        DESK_TEST(test_half_closed_peer_that_goes_is_noticed),
        DESK_TEST(test_gone_peer_is_heard_to_the_end),
        DESK_TEST(test_peer_vanishes_at_every_moment),
        DESK_TEST(test_slow_reader_stops_the_taking_of_frames),
        DESK_TEST(test_full_corridor_stops_the_taking_of_frames),
        DESK_TEST(test_stalled_peer_is_hung_up_on),
        DESK_TEST(test_slow_peer_is_not_hung_up_on),
        DESK_TEST(test_who_does_not_read_what_is_pushed_is_disconnected),
        DESK_TEST(test_one_pushed_message_may_be_as_large_as_the_limit),
        DESK_TEST(test_pushes_that_were_read_do_not_count),
        DESK_TEST(test_answers_are_not_counted_as_pushes),
        DESK_TEST(test_finish_sends_what_is_in_flight),
        DESK_TEST(test_finish_takes_what_was_read),
        DESK_TEST(test_finish_takes_lines_however_long_they_take),
        DESK_TEST(test_finish_waits_for_the_queue),
        DESK_TEST(test_end_of_input_waits_for_the_queue),
        DESK_TEST(test_finish_of_an_idle_connection),
        DESK_TEST(test_two_pipes),
        DESK_TEST(test_end_of_input_is_noticed_while_nothing_is_read),
        DESK_TEST(test_input_that_is_over_is_taken_to_the_end),
        DESK_TEST(test_reader_of_answers_that_goes_is_noticed),
        DESK_TEST(test_files),
        DESK_TEST(test_nothing_in),
        DESK_TEST(test_closed_output_ends_it),
        DESK_TEST(test_full_disk_ends_it),
        DESK_TEST(test_opening_fails_cleanly),
        DESK_TEST(test_opening_two_descriptors_fails_cleanly),
        DESK_TEST(test_failing_reads_and_writes_end_it),
        DESK_TEST(test_lost_answer_ends_it),
        DESK_TEST(test_failing_queue_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
