#define _GNU_SOURCE /* nftw(), pipe2() */
#include <signal.h>
#include <sys/socket.h>

#include "loop/stream.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

/* A stream, and what it has told its owner. */
struct listener {
    struct loop *loop;
    struct loop_stream *stream;
    struct loop_timer *timer;
    char text[256 * 1024];
    size_t size;
    size_t space; /* how much it may read at once; 0: none */
    unsigned reads;
    unsigned ends;
    int end_error;
    unsigned hang_ups;
    int hang_up_error;
    unsigned drains;
    int drain_error;
    bool stop_after_read;
    bool close_after_read;
    bool close_after_hang_up;
    bool close_after_drain;
};

static void close_it(struct listener *listener)
{
    loop_stream_close(listener->stream);
    listener->stream = NULL;
}

static void on_space(void *owner, char **ret_data, size_t *ret_size)
{
    struct listener *listener = owner;
    *ret_data = listener->text + listener->size;
    *ret_size = listener->space;
}

static void on_read(void *owner, size_t size)
{
    struct listener *listener = owner;
    listener->size += size;
    listener->reads++;
    if (listener->stop_after_read) {
        loop_stream_stop(listener->stream);
    }
    if (listener->close_after_read) {
        close_it(listener);
    }
}

static void on_end(void *owner, int error)
{
    struct listener *listener = owner;
    listener->ends++;
    listener->end_error = error;
}

static void on_hung_up(void *owner, int error)
{
    struct listener *listener = owner;
    listener->hang_ups++;
    listener->hang_up_error = error;
    if (listener->close_after_hang_up) {
        close_it(listener);
    }
}

static void on_drained(void *owner, int error)
{
    struct listener *listener = owner;
    listener->drains++;
    listener->drain_error = error;
    if (listener->close_after_drain) {
        close_it(listener);
    }
}

static const struct loop_stream_events events = {
    .space = on_space,
    .read = on_read,
    .end = on_end,
    .hung_up = on_hung_up,
    .drained = on_drained,
};

static void timed_out(void *owner)
{
    loop_stop(((struct listener *)owner)->loop);
}

static int setup(void **state)
{
    struct listener *listener = calloc(1, sizeof(*listener));
    signal(SIGPIPE, SIG_IGN);
    listener->space = 4096;
    assert_int_equal(loop_new(&listener->loop), 0);
    assert_int_equal(loop_timer_new(listener->loop, timed_out, listener, &listener->timer), 0);
    *state = listener;
    return 0;
}

static int teardown(void **state)
{
    struct listener *listener = *state;
    fault_disarm();
    loop_free(listener->loop); /* closes the stream, too, when a test has not */
    free(listener);
    return 0;
}

#define STREAM_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

/* Twice: the clock of the loop stood still since the last time, and is set first. */
static void run(struct listener *listener)
{
    for (uint64_t milliseconds = 0; milliseconds <= 5; milliseconds += 5) {
        loop_timer_start(listener->timer, milliseconds);
        assert_int_equal(loop_run(listener->loop), 0);
    }
}

static void open_stream(struct listener *listener, int fd)
{
    assert_int_equal(loop_stream_open(listener->loop, fd, &events, listener, &listener->stream), 0);
}

/* A stream over one end of a pair of sockets. @return the other end, non-blocking. */
static int open_socket(struct listener *listener)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
    open_stream(listener, fds[0]);
    return fds[1];
}

static void expect_text(const struct listener *listener, const char *text)
{
    assert_int_equal(listener->size, strlen(text));
    assert_memory_equal(listener->text, text, strlen(text));
}

/* ---- rounds ---- */

/* Many streams that are ready at once, and how many of them have read whenever work is done. */
struct crowd {
    struct loop_deferred work;
    struct loop *loop;
    size_t reads;
    size_t most; /* reads before any work is done */
    char byte;
};

static void crowd_space(void *owner, char **ret_data, size_t *ret_size)
{
    *ret_data = &((struct crowd *)owner)->byte;
    *ret_size = 1;
}

static void crowd_read(void *owner, size_t size)
{
    struct crowd *crowd = owner;
    crowd->reads += size;
    loop_defer(crowd->loop, LOOP_WORK, &crowd->work);
}

static void crowd_work(struct loop_deferred *deferred)
{
    struct crowd *crowd = (struct crowd *)deferred;
    crowd->most = crowd->reads > crowd->most ? crowd->reads : crowd->most;
    crowd->reads = 0;
}

static size_t most_reads_of(struct listener *listener, size_t count)
{
    static const struct loop_stream_events crowd_events = {
        .space = crowd_space, .read = crowd_read, .end = on_end, .drained = on_drained};
    struct crowd crowd = {.work = {.run = crowd_work}, .loop = listener->loop};
    struct loop_stream *streams[3 * LOOP_ROUND_READS];
    int peers[3 * LOOP_ROUND_READS];
    for (size_t i = 0; i < count; i++) {
        int fds[2];
        assert_int_equal(
            socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
        int r = loop_stream_open(listener->loop, fds[0], &crowd_events, &crowd, &streams[i]);
        assert_int_equal(r, 0);
        assert_int_equal(loop_stream_start(streams[i]), 0);
        assert_int_equal(write(fds[1], "x", 1), 1);
        peers[i] = fds[1];
    }
    run(listener);
    for (size_t i = 0; i < count; i++) {
        loop_stream_close(streams[i]);
        close(peers[i]);
    }
    return crowd.most;
}

static void test_round_reads_from_all_before_work_is_done(void **state)
{
    assert_int_equal(most_reads_of(*state, LOOP_ROUND_READS - 1), LOOP_ROUND_READS - 1);
}

static void test_round_ends_when_enough_is_read(void **state)
{
    assert_int_equal(most_reads_of(*state, 3 * LOOP_ROUND_READS), LOOP_ROUND_READS);
}

/* ---- reading ---- */

static void test_reads_what_comes(void **state)
{
    struct listener *listener = *state;
    int peer = open_socket(listener);
    assert_int_equal(loop_stream_start(listener->stream), 0);
    assert_int_equal(write(peer, "hello", 5), 5);
    run(listener);
    expect_text(listener, "hello");
    assert_int_equal(listener->reads, 1);
    close(peer);
}

static void test_reads_no_more_than_there_is_room(void **state)
{
    struct listener *listener = *state;
    int peer = open_socket(listener);
    listener->space = 2;
    assert_int_equal(loop_stream_start(listener->stream), 0);
    assert_int_equal(write(peer, "hello", 5), 5);
    run(listener);
    expect_text(listener, "hello");
    assert_int_equal(listener->reads, 3);
    close(peer);
}

static void test_stops_and_goes_on(void **state)
{
    struct listener *listener = *state;
    int peer = open_socket(listener);
    listener->stop_after_read = true;
    assert_int_equal(loop_stream_start(listener->stream), 0);
    assert_int_equal(loop_stream_start(listener->stream), 0);
    assert_int_equal(write(peer, "one", 3), 3);
    run(listener);
    assert_int_equal(write(peer, "two", 3), 3);
    close(peer);
    run(listener);
    expect_text(listener, "one");
    assert_int_equal(listener->ends, 0);
    assert_int_equal(listener->hang_ups, 1);
    listener->stop_after_read = false;
    assert_int_equal(loop_stream_start(listener->stream), 0);
    run(listener);
    expect_text(listener, "onetwo");
    assert_int_equal(listener->ends, 1);
}

static void test_no_memory_ends_it(void **state)
{
    struct listener *listener = *state;
    int peer = open_socket(listener);
    listener->space = 0;
    assert_int_equal(loop_stream_start(listener->stream), 0);
    assert_int_equal(write(peer, "hello", 5), 5);
    run(listener);
    assert_int_equal(listener->ends, 1);
    assert_int_equal(listener->end_error, -ENOMEM);
    close(peer);
}

/* A peer that has sent all is told apart from one that has gone. */
static void test_end_of_a_socket(void **state)
{
    struct listener *listener = *state;
    int peer = open_socket(listener);
    assert_int_equal(loop_stream_start(listener->stream), 0);
    assert_int_equal(write(peer, "bye", 3), 3);
    assert_int_equal(shutdown(peer, SHUT_WR), 0);
    run(listener);
    expect_text(listener, "bye");
    assert_int_equal(listener->ends, 1);
    assert_int_equal(listener->end_error, 0);
    assert_int_equal(loop_stream_write(listener->stream, JSV_STR("answer")), 0);
    char text[6];
    assert_int_equal(read(peer, text, 6), 6);
    close(peer);
    assert_int_equal(loop_stream_write(listener->stream, JSV_STR("answer")), -EPIPE);
}

static void test_gone_socket(void **state)
{
    struct listener *listener = *state;
    int peer = open_socket(listener);
    assert_int_equal(loop_stream_start(listener->stream), 0);
    assert_int_equal(write(peer, "bye", 3), 3);
    close(peer);
    run(listener);
    expect_text(listener, "bye");
    assert_int_equal(listener->ends, 1);
    assert_int_equal(listener->end_error, -ECONNRESET);
}

static void test_read_error(void **state)
{
    struct listener *listener = *state;
    int peer = open_socket(listener);
    assert_int_equal(loop_stream_start(listener->stream), 0);
    assert_int_equal(write(peer, "hello", 5), 5);
    fault_arm(FAULT_READ, 1, EIO);
    run(listener);
    assert_int_equal(listener->end_error, -EIO);
    assert_int_equal(listener->reads, 0);
    close(peer);
}

/* The kernel may say that there is something when there is not. */
static void test_false_alarm(void **state)
{
    struct listener *listener = *state;
    int peer = open_socket(listener);
    assert_int_equal(loop_stream_start(listener->stream), 0);
    assert_int_equal(write(peer, "hello", 5), 5);
    fault_arm(FAULT_READ, 1, EAGAIN);
    run(listener);
    expect_text(listener, "hello");
    fault_arm(FAULT_READ, 1, EINTR);
    assert_int_equal(write(peer, "!", 1), 1);
    run(listener);
    expect_text(listener, "hello!");
    assert_int_equal(listener->ends, 0);
    close(peer);
}

static void test_closed_within_its_own_call(void **state)
{
    struct listener *listener = *state;
    int peer = open_socket(listener);
    listener->close_after_read = true;
    assert_int_equal(loop_stream_start(listener->stream), 0);
    assert_int_equal(write(peer, "hello", 5), 5);
    run(listener);
    assert_int_equal(listener->reads, 1);
    assert_null(listener->stream);
    char byte;
    assert_int_equal(read(peer, &byte, 1), 0);
    close(peer);
}

/* ---- hanging up while nothing is read ---- */

/* Assert that just this was reported since the last time, once, and that the loop is at rest. */
static void expect_hang_up(struct listener *listener, unsigned count, int error)
{
    run(listener);
    assert_int_equal(listener->hang_ups, count);
    assert_int_equal(listener->hang_up_error, error);
    fault_watch();
    run(listener);
    run(listener);
    assert_int_equal(fault.calls[FAULT_POLL], 0);
    assert_int_equal(listener->hang_ups, count);
}

static void test_gone_socket_is_noticed_while_stopped(void **state)
{
    struct listener *listener = *state;
    int peer = open_socket(listener);
    assert_int_equal(loop_stream_start(listener->stream), 0);
    loop_stream_stop(listener->stream);
    assert_int_equal(write(peer, "unread", 6), 6);
    expect_hang_up(listener, 0, 0);
    close(peer);
    expect_hang_up(listener, 1, -ECONNRESET);
    expect_text(listener, "");
    assert_int_equal(listener->ends, 0);
}

/* Closing our end within the report is allowed. */
static void test_closed_when_the_peer_hangs_up(void **state)
{
    struct listener *listener = *state;
    int peer = open_socket(listener);
    listener->close_after_hang_up = true;
    loop_stream_stop(listener->stream);
    close(peer);
    run(listener);
    assert_int_equal(listener->hang_ups, 1);
    assert_null(listener->stream);
}

static void test_half_closed_socket_is_noticed_while_stopped(void **state)
{
    struct listener *listener = *state;
    int peer = open_socket(listener);
    loop_stream_stop(listener->stream);
    assert_int_equal(write(peer, "rest", 4), 4);
    assert_int_equal(shutdown(peer, SHUT_WR), 0);
    expect_hang_up(listener, 1, 0);
    assert_int_equal(loop_stream_start(listener->stream), 0);
    run(listener);
    expect_text(listener, "rest");
    assert_int_equal(listener->ends, 1);
    assert_int_equal(listener->end_error, 0);
    expect_hang_up(listener, 1, 0);
    close(peer);
    expect_hang_up(listener, 2, -ECONNRESET);
}

static void test_half_closed_socket_that_goes_is_noticed_while_stopped(void **state)
{
    struct listener *listener = *state;
    int peer = open_socket(listener);
    loop_stream_stop(listener->stream);
    assert_int_equal(shutdown(peer, SHUT_WR), 0);
    expect_hang_up(listener, 1, 0);
    close(peer);
    expect_hang_up(listener, 2, -ECONNRESET);
}

/* It is never read, so it would be reported for ever. */
static void test_urgent_data_behind_a_half_closed_socket_is_a_hang_up(void **state)
{
    struct listener *listener = *state;
    int peer = open_socket(listener);
    loop_stream_stop(listener->stream);
    if (send(peer, "!", 1, MSG_OOB) < 0) {
        print_message("Unix sockets of this kernel have no urgent data\n");
        skip();
    }
    assert_int_equal(shutdown(peer, SHUT_WR), 0);
    expect_hang_up(listener, 2, -ECONNRESET);
    close(peer);
}

static void test_pipe_without_a_writer_is_noticed_while_stopped(void **state)
{
    struct listener *listener = *state;
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    open_stream(listener, fds[0]);
    loop_stream_stop(listener->stream);
    assert_int_equal(write(fds[1], "rest", 4), 4);
    expect_hang_up(listener, 0, 0);
    close(fds[1]);
    expect_hang_up(listener, 1, 0);
    assert_int_equal(loop_stream_start(listener->stream), 0);
    run(listener);
    expect_text(listener, "rest");
    assert_int_equal(listener->ends, 1);
    expect_hang_up(listener, 1, 0);
}

static void test_pipe_without_a_reader_is_noticed(void **state)
{
    struct listener *listener = *state;
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    open_stream(listener, fds[1]);
    loop_stream_stop(listener->stream);
    expect_hang_up(listener, 0, 0);
    close(fds[0]);
    expect_hang_up(listener, 1, -ECONNRESET);
}

/* More than is in a file will not come. */
static void test_file_is_hung_up_while_stopped(void **state)
{
    struct listener *listener = *state;
    struct tmpdir dir;
    tmpdir_make(&dir);
    tmpdir_write(&dir, "in", "text");
    open_stream(listener, open(tmpdir_path(&dir, "in"), O_RDONLY | O_CLOEXEC));
    loop_stream_stop(listener->stream);
    expect_hang_up(listener, 1, 0);
    assert_int_equal(loop_stream_start(listener->stream), 0);
    run(listener);
    expect_text(listener, "text");
    assert_int_equal(listener->ends, 1);
    expect_hang_up(listener, 1, 0);
    tmpdir_remove(&dir);
}

/* ---- writing ---- */

static void test_writes_at_once_and_without_memory(void **state)
{
    struct listener *listener = *state;
    int peer = open_socket(listener);
    fault_watch();
    assert_int_equal(loop_stream_write(listener->stream, JSV_STR("hello")), 0);
    assert_int_equal(fault.calls[FAULT_WRITE], 1);
    assert_int_equal(fault.calls[FAULT_RESIZE], 0);
    assert_int_equal(loop_stream_queued(listener->stream), 0);
    char text[8];
    assert_int_equal(read(peer, text, 8), 5);
    run(listener);
    assert_int_equal(listener->drains, 0);
    close(peer);
}

/* Read at least so much of what numbered() made, going on where the last call
   ended. @return how much. */
static size_t read_all(struct listener *listener, int fd, size_t expected)
{
    size_t total = 0;
    for (int i = 0; i < 10000 && total < expected; i++) {
        static char text[64 * 1024];
        ssize_t size = read(fd, text, sizeof(text));
        for (ssize_t j = 0; j < size; j++) {
            assert_int_equal((unsigned char)text[j], (listener->size + (size_t)j) % 251);
        }
        listener->size += size > 0 ? (size_t)size : 0;
        total += size > 0 ? (size_t)size : 0;
        loop_timer_start(listener->timer, 0);
        assert_int_equal(loop_run(listener->loop), 0);
    }
    return total;
}

/* Byte i of what is sent is i modulo 251, so that nothing can be swapped or lost. */
static char *numbered(size_t size)
{
    char *text = malloc(size);
    for (size_t i = 0; i < size; i++) {
        text[i] = (char)(i % 251);
    }
    return text;
}

static void test_queues_what_the_kernel_does_not_take(void **state)
{
    struct listener *listener = *state;
    int peer = open_socket(listener);
    size_t size = 3000 * 1000;
    char *text = numbered(size);
    for (size_t sent = 0; sent < size; sent += 100 * 1000) {
        assert_int_equal(
            loop_stream_write(listener->stream, (struct jsv_str){text + sent, 100 * 1000}), 0);
    }
    free(text);
    size_t queued = loop_stream_queued(listener->stream);
    assert_true(queued > 1000 * 1000 && queued < size);
    assert_int_equal(read_all(listener, peer, size), size);
    assert_int_equal(loop_stream_queued(listener->stream), 0);
    assert_int_equal(listener->drains, 1);
    assert_int_equal(listener->drain_error, 0);
    close(peer);
}

/* New bytes come while old ones go: the queue is moved together, and nothing is lost by it. */
static void test_queue_gives_up_what_has_gone(void **state)
{
    struct listener *listener = *state;
    int peer = open_socket(listener);
    size_t block = 50 * 1000;
    size_t size = 251 * block;
    char *text = numbered(size);
    for (size_t sent = 0; sent < size; sent += block) {
        assert_int_equal(
            loop_stream_write(listener->stream, (struct jsv_str){text + sent, block}), 0);
        if (sent % (10 * block) == 0) {
            size_t queued = loop_stream_queued(listener->stream);
            size_t some = queued * 9 / 10;
            assert_true(read_all(listener, peer, some) >= some);
        }
    }
    free(text);
    close(peer);
}

static void test_write_errors(void **state)
{
    struct listener *listener = *state;
    int peer = open_socket(listener);
    static const int errors[] = {EPIPE, ECONNRESET, EIO};
    for (unsigned i = 0; i < 3; i++) {
        fault_arm(FAULT_WRITE, 1, errors[i]);
        assert_int_equal(loop_stream_write(listener->stream, JSV_STR("hello")), -errors[i]);
    }
    fault_arm(FAULT_WRITE, 1, EINTR);
    assert_int_equal(loop_stream_write(listener->stream, JSV_STR("hello")), 0);
    assert_int_equal(loop_stream_queued(listener->stream), 0);
    close(peer);
}

static void test_no_memory_for_the_queue(void **state)
{
    struct listener *listener = *state;
    int peer = open_socket(listener);
    fault_arm(FAULT_WRITE, 1, EAGAIN);
    assert_int_equal(loop_stream_write(listener->stream, JSV_STR("one")), 0);
    assert_int_equal(loop_stream_queued(listener->stream), 3);
    fault_arm(FAULT_RESIZE, 1, ENOMEM);
    static char large[100 * 1000];
    assert_int_equal(
        loop_stream_write(listener->stream, (struct jsv_str){large, sizeof(large)}), -ENOMEM);
    fault_disarm();
    assert_int_equal(loop_stream_write(listener->stream, JSV_STR("two")), 0);
    run(listener);
    char text[8];
    assert_int_equal(read(peer, text, 8), 6);
    assert_memory_equal(text, "onetwo", 6);
    close(peer);
}

static void test_lost_peer_while_queued(void **state)
{
    struct listener *listener = *state;
    int peer = open_socket(listener);
    static char large[2000 * 1000];
    assert_int_equal(
        loop_stream_write(listener->stream, (struct jsv_str){large, sizeof(large)}), 0);
    listener->close_after_drain = true;
    close(peer);
    run(listener);
    assert_int_equal(listener->drains, 1);
    assert_true(listener->drain_error < 0);
    assert_null(listener->stream);
}

static void test_close_drops_the_queue(void **state)
{
    struct listener *listener = *state;
    int peer = open_socket(listener);
    static char large[2000 * 1000];
    assert_int_equal(
        loop_stream_write(listener->stream, (struct jsv_str){large, sizeof(large)}), 0);
    close_it(listener);
    loop_stream_close(NULL);
    run(listener);
    assert_int_equal(listener->drains, 0);
    close(peer);
}

/* ---- kinds of descriptors ---- */

static void test_pipe(void **state)
{
    struct listener *listener = *state;
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    open_stream(listener, fds[0]);
    assert_int_equal(loop_stream_start(listener->stream), 0);
    assert_int_equal(write(fds[1], "hello", 5), 5);
    close(fds[1]);
    run(listener);
    expect_text(listener, "hello");
    assert_int_equal(listener->ends, 1);
    assert_int_equal(listener->end_error, 0);
}

static void test_pipe_without_a_reader(void **state)
{
    struct listener *listener = *state;
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    open_stream(listener, fds[1]);
    static char large[200 * 1000];
    assert_int_equal(
        loop_stream_write(listener->stream, (struct jsv_str){large, sizeof(large)}), 0);
    close(fds[0]);
    run(listener);
    assert_int_equal(listener->drain_error, -EPIPE);
}

static void test_terminal(void **state)
{
    struct listener *listener = *state;
    int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0 || grantpt(terminal) < 0 || unlockpt(terminal) < 0) {
        print_message("no terminals: /dev/pts is not mounted\n");
        skip();
    }
    int fd = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(fd >= 0);
    open_stream(listener, fd);
    assert_int_equal(loop_stream_start(listener->stream), 0);
    assert_int_equal(write(terminal, "hello\n", 6), 6);
    run(listener);
    expect_text(listener, "hello\n");
    assert_int_equal(write(terminal, "\4", 1), 1); /* end of file, as it is typed */
    run(listener);
    assert_int_equal(listener->ends, 1);
    assert_int_equal(listener->end_error, 0);
    close_it(listener);
    close(terminal);
}

static void test_file(void **state)
{
    struct listener *listener = *state;
    struct tmpdir dir;
    tmpdir_make(&dir);
    tmpdir_write(&dir, "file", "hello");
    listener->space = 3;
    open_stream(listener, open(tmpdir_path(&dir, "file"), O_RDONLY | O_CLOEXEC));
    run(listener);
    assert_int_equal(listener->reads, 0);
    assert_int_equal(loop_stream_start(listener->stream), 0);
    run(listener);
    expect_text(listener, "hello");
    assert_int_equal(listener->reads, 2);
    assert_int_equal(listener->ends, 1);
    close_it(listener);

    open_stream(listener, open(tmpdir_path(&dir, "file"), O_WRONLY | O_APPEND | O_CLOEXEC));
    assert_int_equal(loop_stream_write(listener->stream, JSV_STR(" there")), 0);
    assert_int_equal(loop_stream_queued(listener->stream), 0);
    close_it(listener);
    char text[16];
    int fd = open(tmpdir_path(&dir, "file"), O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(fd, text, sizeof(text)), 11);
    close(fd);
    tmpdir_remove(&dir);
}

static void test_nothing(void **state)
{
    struct listener *listener = *state;
    open_stream(listener, open("/dev/null", O_RDWR | O_CLOEXEC));
    assert_int_equal(loop_stream_write(listener->stream, JSV_STR("hello")), 0);
    assert_int_equal(loop_stream_start(listener->stream), 0);
    run(listener);
    assert_int_equal(listener->ends, 1);
    assert_int_equal(listener->end_error, 0);
}

static void test_full_disk(void **state)
{
    struct listener *listener = *state;
    open_stream(listener, open("/dev/full", O_WRONLY | O_CLOEXEC));
    assert_int_equal(loop_stream_write(listener->stream, JSV_STR("hello")), -ENOSPC);
}

/* The mode of a descriptor is shared with the parent process. */
static void test_mode_is_put_back(void **state)
{
    struct listener *listener = *state;
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    int shared = dup(fds[0]);
    open_stream(listener, fds[0]);
    assert_true(fcntl(shared, F_GETFL) & O_NONBLOCK);
    close_it(listener);
    assert_false(fcntl(shared, F_GETFL) & O_NONBLOCK);

    assert_int_equal(fcntl(shared, F_SETFL, O_NONBLOCK), 0);
    open_stream(listener, dup(shared));
    close_it(listener);
    assert_true(fcntl(shared, F_GETFL) & O_NONBLOCK);
    close(shared);
    close(fds[1]);
}

/* ---- opening ---- */

static void test_opening_fails_cleanly(void **state)
{
    struct listener *listener = *state;
    struct loop_stream *stream;
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    static const struct fault_case cases[] = {
        {FAULT_RESIZE, ENOMEM}, {FAULT_GET_FLAGS, EIO}, {FAULT_FSTAT, EIO}};
    for (unsigned i = 0; i < 3; i++) {
        fault_arm(cases[i].call, 1, cases[i].error);
        assert_int_equal(
            loop_stream_open(listener->loop, fds[0], &events, listener, &stream), -cases[i].error);
        assert_int_equal(fault.live_blocks, 0);
        fault_disarm();
        assert_int_equal(fcntl(fds[0], F_GETFD), FD_CLOEXEC);
    }
    assert_int_equal(loop_stream_open(listener->loop, -1, &events, listener, &stream), -EBADF);
    close(fds[0]);
    close(fds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STREAM_TEST(test_round_reads_from_all_before_work_is_done),
        STREAM_TEST(test_round_ends_when_enough_is_read),
        STREAM_TEST(test_reads_what_comes),
        STREAM_TEST(test_reads_no_more_than_there_is_room),
        STREAM_TEST(test_stops_and_goes_on),
        STREAM_TEST(test_no_memory_ends_it),
        STREAM_TEST(test_end_of_a_socket),
        STREAM_TEST(test_gone_socket),
        STREAM_TEST(test_read_error),
        STREAM_TEST(test_false_alarm),
        STREAM_TEST(test_closed_within_its_own_call),
        STREAM_TEST(test_gone_socket_is_noticed_while_stopped),
        STREAM_TEST(test_closed_when_the_peer_hangs_up),
        STREAM_TEST(test_half_closed_socket_is_noticed_while_stopped),
        STREAM_TEST(test_half_closed_socket_that_goes_is_noticed_while_stopped),
        STREAM_TEST(test_urgent_data_behind_a_half_closed_socket_is_a_hang_up),
        STREAM_TEST(test_pipe_without_a_writer_is_noticed_while_stopped),
        STREAM_TEST(test_pipe_without_a_reader_is_noticed),
        STREAM_TEST(test_file_is_hung_up_while_stopped),
        STREAM_TEST(test_writes_at_once_and_without_memory),
        STREAM_TEST(test_queues_what_the_kernel_does_not_take),
        STREAM_TEST(test_queue_gives_up_what_has_gone),
        STREAM_TEST(test_write_errors),
        STREAM_TEST(test_no_memory_for_the_queue),
        STREAM_TEST(test_lost_peer_while_queued),
        STREAM_TEST(test_close_drops_the_queue),
        STREAM_TEST(test_pipe),
        STREAM_TEST(test_pipe_without_a_reader),
        STREAM_TEST(test_terminal),
        STREAM_TEST(test_file),
        STREAM_TEST(test_nothing),
        STREAM_TEST(test_full_disk),
        STREAM_TEST(test_mode_is_put_back),
        STREAM_TEST(test_opening_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
