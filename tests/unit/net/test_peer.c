#define _GNU_SOURCE /* nftw() */
#include <signal.h>
#include <sys/socket.h>

#include "net/lines.h"
#include "os/sys.h"
#include "unit/net/echo_core.h"
#include "unit/os/tmpdir.h"

enum {
    CLIENTS = 4
};

/* A thread's connections, without the thread; the test is all clients. */
struct peers_fixture {
    struct loop *loop;
    struct core_worker *worker;
    struct loop_timer *timer;
    struct net_peers peers;
    struct net_peer *peer[CLIENTS]; /* NULL once closed */
    int client[CLIENTS];
};

static void on_closed(void *owner, struct net_peer *peer)
{
    struct peers_fixture *fixture = owner;
    for (size_t i = 0; i < CLIENTS; i++) {
        fixture->peer[i] = fixture->peer[i] == peer ? NULL : fixture->peer[i];
    }
}

static void on_time(void *owner)
{
    loop_stop(((struct peers_fixture *)owner)->loop);
}

static void run(struct peers_fixture *fixture)
{
    for (uint64_t milliseconds = 0; milliseconds <= 5; milliseconds += 5) {
        loop_timer_start(fixture->timer, milliseconds);
        assert_int_equal(loop_run(fixture->loop), 0);
    }
}

static void open_client(struct peers_fixture *fixture, size_t i)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
    const struct net_lines_options options = {
        .peer =
            {
                .worker = fixture->worker,
                .peers = &fixture->peers,
                .closed = on_closed,
                .owner = fixture,
            },
        .transport = CORE_TRANSPORT_SOCKET,
        .in_fd = fds[0],
        .out_fd = fds[0],
    };
    assert_int_equal(net_lines_open(&options, &fixture->peer[i]), 0);
    fixture->client[i] = fds[1];
}

static int setup(void **state)
{
    struct peers_fixture *fixture = calloc(1, sizeof(*fixture));
    memset(&echo, 0, sizeof(echo));
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(loop_new(&fixture->loop), 0);
    assert_int_equal(core_worker_new(fixture->loop, NULL, NULL, &fixture->worker), 0);
    assert_int_equal(loop_timer_new(fixture->loop, on_time, fixture, &fixture->timer), 0);
    for (size_t i = 0; i < CLIENTS; i++) {
        open_client(fixture, i);
    }
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct peers_fixture *fixture = *state;
    for (size_t i = 0; i < CLIENTS; i++) {
        if (fixture->peer[i]) {
            net_peer_close(fixture->peer[i]);
        }
        close(fixture->client[i]);
    }
    while (loop_round(fixture->loop)) {
        /* the worker is told of connections that are done */
    }
    assert_null(fixture->peers.first);
    assert_int_equal(fixture->peers.unread, 0);
    core_worker_free(fixture->worker);
    loop_free(fixture->loop);
    free(fixture);
    return 0;
}

#define PEERS_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static void say(struct peers_fixture *fixture, size_t i, const char *text)
{
    assert_int_equal(write(fixture->client[i], text, strlen(text)), (ssize_t)strlen(text));
    run(fixture);
}

static const char *hear(struct peers_fixture *fixture, size_t i)
{
    static char text[1024];
    ssize_t size = read(fixture->client[i], text, sizeof(text) - 1);
    text[size > 0 ? size : 0] = '\0';
    return text;
}

/* Which client is the victim; -1: none. */
static int victim(const struct peers_fixture *fixture, enum net_activity at_most)
{
    const struct net_peer *found = net_peers_find_victim(&fixture->peers, at_most, false);
    for (int i = 0; i < CLIENTS; i++) {
        if (found && fixture->peer[i] == found) {
            return i;
        }
    }
    return -1;
}

/* ---- room for one more ---- */

static void test_idle_ones_make_room_before_those_that_listen(void **state)
{
    struct peers_fixture *fixture = *state;
    say(fixture, 3, "hello\n");
    say(fixture, 2, "hello\n");
    say(fixture, 1, "listen\n");
    say(fixture, 0, "wait for ever\n");
    assert_int_equal(victim(fixture, NET_IDLE), 3);
    say(fixture, 3, "again\n");
    assert_int_equal(victim(fixture, NET_LISTENING), 2);
    say(fixture, 2, "wait for ever\n");
    say(fixture, 3, "listen\n");
    assert_int_equal(victim(fixture, NET_IDLE), -1);
    assert_int_equal(victim(fixture, NET_LISTENING), 1);
    say(fixture, 1, "wait for ever\n");
    assert_int_equal(victim(fixture, NET_LISTENING), 3);
    say(fixture, 3, "wait for ever\n");
    assert_int_equal(victim(fixture, NET_LISTENING), -1);
}

/* An answer that is not read keeps a place only as long as there are idle connections. */
static void test_unread_answers_are_not_work(void **state)
{
    struct peers_fixture *fixture = *state;
    for (size_t i = 0; i < CLIENTS; i++) {
        say(fixture, i, "big 4000000\n");
    }
    assert_int_equal(victim(fixture, NET_IDLE), -1);
    assert_int_equal(victim(fixture, NET_LISTENING), 0);
}

static void test_listener_that_makes_room_is_told(void **state)
{
    struct peers_fixture *fixture = *state;
    say(fixture, 1, "listen\n");
    struct net_peer *peer = fixture->peer[1];
    peer->ops->evict(peer);
    assert_null(fixture->peer[1]);
    assert_string_equal(hear(fixture, 1), "over\n");
    run(fixture);
}

/* ---- pushed messages of one client ---- */

static void flood(struct peers_fixture *fixture, size_t i, const char *what)
{
    if (fixture->peer[i]) {
        echo_flood(&fixture->peer[i]->conn, jsv_str_from(what));
    }
}

/* Read from the first client. */
static size_t read_all(struct peers_fixture *fixture, size_t size)
{
    size_t total = 0;
    while (total < size && fixture->peer[0]) {
        static char text[1 << 20];
        ssize_t length = read(fixture->client[0], text, sizeof(text));
        total += length > 0 ? (size_t)length : 0;
        loop_timer_start(fixture->timer, 0);
        assert_int_equal(loop_run(fixture->loop), 0);
    }
    return total;
}

static void test_client_that_does_not_read_pushes_is_disconnected(void **state)
{
    struct peers_fixture *fixture = *state;
    flood(fixture, 0, "flood 30 100000");
    run(fixture);
    assert_non_null(fixture->peer[0]);
    flood(fixture, 0, "flood 30 100000");
    assert_int_equal(echo.slow, 1);
    assert_int_equal(fixture->peer[0]->error, -ENOBUFS);
    run(fixture);
    assert_null(fixture->peer[0]);
    assert_int_equal(echo.slow, 1);
    assert_int_equal(echo.done, 1);
}

/* One message of the largest size is queued; the next one only after it was read. */
static void test_one_pushed_message_may_be_as_large_as_the_limit(void **state)
{
    struct peers_fixture *fixture = *state;
    for (int i = 0; i < 3; i++) {
        flood(fixture, 0, "flood 1 4194304");
        assert_int_equal(read_all(fixture, 4194305), 4194305);
    }
    flood(fixture, 0, "flood 2 4194304");
    run(fixture);
    assert_null(fixture->peer[0]);
}

/* A large answer in the queue does not count for the limit of pushed messages. */
static void test_answers_are_not_counted_as_pushes(void **state)
{
    struct peers_fixture *fixture = *state;
    say(fixture, 0, "big 4194304\n");
    flood(fixture, 0, "flood 10 8");
    assert_int_equal(read_all(fixture, 4194305 + 90), 4194305 + 90);
    assert_int_equal(echo.slow, 0);
}

/* Messages that were read do not count any more, even if the queue was never quite empty. */
static void test_pushes_that_were_read_do_not_count(void **state)
{
    struct peers_fixture *fixture = *state;
    size_t pushed = 0;
    size_t heard = 0;
    for (int i = 0; i < 3; i++) {
        flood(fixture, 0, "flood 30 100000");
        pushed += 30 * 100001;
        heard += read_all(fixture, pushed - heard - 800000);
        assert_true(loop_stream_queued(fixture->peer[0]->out) > 0);
    }
    say(fixture, 0, "big 4194304\n");
    flood(fixture, 0, "flood 1 100000");
    assert_int_equal(echo.slow, 0);
    pushed += 4194305 + 100001;
    heard += read_all(fixture, pushed - heard);
    assert_int_equal(heard, pushed);
}

/* ---- pushed messages of all clients ---- */

static void test_slowest_reader_of_all_is_disconnected_first(void **state)
{
    struct peers_fixture *fixture = *state;
    fixture->peers.unread_max = (size_t)5 << 20;
    flood(fixture, 0, "flood 10 100000");
    flood(fixture, 1, "flood 30 100000");
    flood(fixture, 2, "flood 15 100000");
    run(fixture);
    assert_int_equal(echo.slow, 0);
    flood(fixture, 3, "flood 15 100000"); /* together more than 5 MiB */
    assert_int_equal(echo.slow, 1);
    run(fixture);
    assert_null(fixture->peer[1]);
    assert_non_null(fixture->peer[0]);
    assert_non_null(fixture->peer[2]);
    assert_non_null(fixture->peer[3]);
    assert_true(fixture->peers.unread <= fixture->peers.unread_max);
}

static void test_clients_that_read_are_not_disconnected_for_others(void **state)
{
    struct peers_fixture *fixture = *state;
    fixture->peers.unread_max = (size_t)3 << 20;
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < CLIENTS; i++) {
            static char text[1 << 20];
            flood(fixture, i, "flood 1 100000");
            while (i > 0 && read(fixture->client[i], text, sizeof(text)) > 0) {
                run(fixture);
            }
        }
    }
    for (size_t i = 0; i < CLIENTS; i++) {
        assert_int_equal(fixture->peer[i] != NULL, 1);
    }
    flood(fixture, 0, "flood 15 100000");
    run(fixture);
    assert_null(fixture->peer[0]); /* the only one that does not read */
    assert_int_equal(echo.slow, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PEERS_TEST(test_idle_ones_make_room_before_those_that_listen),
        PEERS_TEST(test_unread_answers_are_not_work),
        PEERS_TEST(test_listener_that_makes_room_is_told),
        PEERS_TEST(test_client_that_does_not_read_pushes_is_disconnected),
        PEERS_TEST(test_one_pushed_message_may_be_as_large_as_the_limit),
        PEERS_TEST(test_answers_are_not_counted_as_pushes),
        PEERS_TEST(test_pushes_that_were_read_do_not_count),
        PEERS_TEST(test_slowest_reader_of_all_is_disconnected_first),
        PEERS_TEST(test_clients_that_read_are_not_disconnected_for_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
