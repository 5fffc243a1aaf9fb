#define _GNU_SOURCE /* nftw(), accept4() */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "catalog/catalog.h"
#include "loop/loop.h"
#include "net/net.h"
#include "net/unix.h"
#include "os/sys.h"
#include "unit/net/echo_core.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

/* A net on a thread of its own; the test is all its peers. */
struct net_fixture {
    struct tmpdir dir;
    char path[128];
    struct net_unix_address address;
    struct net *net;
    pthread_t thread;
    int result;
    unsigned stopped;
    struct loop_task stop_task;
    struct loop_task second_task;
};

static void on_stopped(void *owner)
{
    ((struct net_fixture *)owner)->stopped++;
}

static void make_net(struct net_fixture *fixture, unsigned loops)
{
    static const struct core_settings settings;
    const struct net_options options = {
        .loops = loops,
        .settings = &settings,
        .stopped = on_stopped,
        .owner = fixture,
    };
    assert_int_equal(net_new(&options, &fixture->net), 0);
}

static void listen_here(struct net_fixture *fixture)
{
    int fd = net_unix_listen(fixture->path, 0600, &fixture->address);
    assert_true(fd >= 0);
    assert_int_equal(net_open_socket(fixture->net, fd), 0);
}

static void *serve(void *argument)
{
    struct net_fixture *fixture = argument;
    fixture->result = net_run(fixture->net);
    return NULL;
}

static void start(struct net_fixture *fixture, unsigned loops)
{
    make_net(fixture, loops);
    listen_here(fixture);
    assert_int_equal(pthread_create(&fixture->thread, NULL, serve, fixture), 0);
}

static void run_stop(struct loop_task *task)
{
    struct net_fixture *fixture =
        (struct net_fixture *)((char *)task - offsetof(struct net_fixture, stop_task));
    net_stop(fixture->net);
}

static void run_second(struct loop_task *task)
{
    struct net_fixture *fixture =
        (struct net_fixture *)((char *)task - offsetof(struct net_fixture, second_task));
    net_stop(fixture->net);
}

static void ask_to_stop(struct net_fixture *fixture)
{
    fixture->stop_task.run = run_stop;
    loop_post(net_loop(fixture->net), &fixture->stop_task);
}

static void wait_for_end(struct net_fixture *fixture)
{
    assert_int_equal(pthread_join(fixture->thread, NULL), 0);
    assert_int_equal(fixture->result, 0);
    assert_int_equal(fixture->stopped, 1);
    net_free(fixture->net);
    assert_int_equal(echo.late, 0);
    fixture->net = NULL;
}

static int setup(void **state)
{
    struct net_fixture *fixture = calloc(1, sizeof(*fixture));
    memset(&echo, 0, sizeof(echo));
    signal(SIGPIPE, SIG_IGN);
    tmpdir_make(&fixture->dir);
    snprintf(fixture->path, sizeof(fixture->path), "%s/socket", fixture->dir.path);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct net_fixture *fixture = *state;
    fault_disarm();
    net_free(fixture->net);
    if (fixture->address.path) {
        net_unix_remove(&fixture->address);
    }
    tmpdir_remove(&fixture->dir);
    free(fixture);
    return 0;
}

#define NET_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

/* ---- peers ---- */

static int call(struct net_fixture *fixture)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, fixture->path, strlen(fixture->path));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

static void say(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

/* Assert that just this comes next. */
static void expect(int fd, const char *text)
{
    char got[256];
    size_t size = 0;
    while (size < strlen(text)) {
        ssize_t length = read(fd, got + size, strlen(text) - size);
        assert_true(length > 0);
        size += (size_t)length;
    }
    assert_memory_equal(got, text, size);
}

static void expect_end(int fd)
{
    char byte;
    assert_true(read(fd, &byte, 1) <= 0);
    close(fd);
}

/* ---- serving ---- */

static void test_one_loop(void **state)
{
    struct net_fixture *fixture = *state;
    start(fixture, 1);
    int fd = call(fixture);
    say(fd, "hello\n");
    expect(fd, "hello\n");
    ask_to_stop(fixture);
    wait_for_end(fixture);
    expect_end(fd);
}

static void test_connections_are_dealt_to_all_loops(void **state)
{
    struct net_fixture *fixture = *state;
    start(fixture, 3);
    int fds[9];
    for (size_t i = 0; i < 9; i++) {
        fds[i] = call(fixture);
    }
    for (size_t i = 0; i < 9; i++) {
        say(fds[i], "hello\n");
        expect(fds[i], "hello\n");
    }
    ask_to_stop(fixture);
    wait_for_end(fixture);
    for (size_t i = 0; i < 9; i++) {
        expect_end(fds[i]);
    }
    assert_int_equal(echo.done, 9);
}

static void test_stdio_ends_the_net(void **state)
{
    struct net_fixture *fixture = *state;
    int in[2];
    int out[2];
    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    make_net(fixture, 2);
    assert_int_equal(net_open_stdio(fixture->net, in[0], out[1]), 0);
    assert_int_equal(pthread_create(&fixture->thread, NULL, serve, fixture), 0);
    assert_int_equal(write(in[1], "one\ntwo", 7), 7);
    expect(out[0], "one\n");
    close(in[1]);
    expect(out[0], "two\n");
    wait_for_end(fixture);
    expect_end(out[0]);
}

/* ---- stopping ---- */

static void test_stop_finishes_what_is_in_flight(void **state)
{
    struct net_fixture *fixture = *state;
    start(fixture, 2);
    int idle = call(fixture);
    int busy = call(fixture);
    say(idle, "hello\n");
    expect(idle, "hello\n");
    say(busy, "big 2000000\n");
    expect(busy, "bbbb");
    ask_to_stop(fixture);
    expect_end(idle);
    size_t rest = 2000001 - 4;
    while (rest > 0) {
        char text[4096];
        ssize_t size = read(busy, text, sizeof(text));
        assert_true(size > 0);
        rest -= (size_t)size;
    }
    wait_for_end(fixture);
    expect_end(busy);
}

static void test_second_stop_ends_at_once(void **state)
{
    struct net_fixture *fixture = *state;
    start(fixture, 2);
    int fds[4];
    for (size_t i = 0; i < 4; i++) {
        fds[i] = call(fixture);
        say(fds[i], "first\nwait for ever\n");
        expect(fds[i], "first\n");
    }
    ask_to_stop(fixture);
    usleep(20 * 1000);
    assert_int_equal(fixture->stopped, 0);
    fixture->second_task.run = run_second;
    loop_post(net_loop(fixture->net), &fixture->second_task);
    wait_for_end(fixture);
    for (size_t i = 0; i < 4; i++) {
        expect_end(fds[i]);
    }
    assert_int_equal(echo.cancelled, 4);
}

static void test_no_new_connections_when_stopping(void **state)
{
    struct net_fixture *fixture = *state;
    start(fixture, 1);
    int busy = call(fixture);
    say(busy, "first\nwait for ever\n");
    expect(busy, "first\n");
    ask_to_stop(fixture);
    int refused = 0;
    for (int i = 0; i < 200 && !refused; i++) {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        memcpy(address.sun_path, fixture->path, strlen(fixture->path));
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        refused = connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0;
        close(fd);
        usleep(1000);
    }
    assert_true(refused);
    uint64_t gone = os_now_ms();
    close(busy);
    wait_for_end(fixture);
    assert_true(os_now_ms() - gone < CORE_SHUTDOWN_MS / 2); /* no client waits for its answer */
}

static void test_free_without_run(void **state)
{
    struct net_fixture *fixture = *state;
    make_net(fixture, 3);
    listen_here(fixture);
    int fd = call(fixture);
    int in[2];
    assert_int_equal(pipe(in), 0);
    assert_int_equal(
        net_open_stdio(fixture->net, in[0], open("/dev/null", O_WRONLY | O_CLOEXEC)), 0);
    net_free(fixture->net);
    fixture->net = NULL;
    close(in[1]);
    close(fd);
    assert_int_equal(fixture->stopped, 0);
    assert_int_equal(echo.done, 1);
    assert_int_equal(echo.late, 0);
    net_free(NULL);
}

/* ---- limits ---- */

/* Room for as many descriptors as there may be connections, and their peers. */
static struct rlimit widen_limits(void)
{
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit wide = {.rlim_cur = before.rlim_max, .rlim_max = before.rlim_max};
    if (wide.rlim_cur < 2 * CORE_CONNECTIONS_MAX + 100) {
        print_message("RLIMIT_NOFILE is too low\n");
        skip();
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &wide), 0);
    return before;
}

/* Asserts that it is served. */
static void greet(int fd)
{
    say(fd, "hello\n");
    expect(fd, "hello\n");
}

static void test_longest_idle_connection_makes_room(void **state)
{
    struct net_fixture *fixture = *state;
    struct rlimit before = widen_limits();
    start(fixture, 1);
    static int fds[CORE_CONNECTIONS_MAX];
    for (size_t i = 0; i < CORE_CONNECTIONS_MAX; i++) {
        fds[i] = call(fixture);
        say(fds[i], "hello\nbegun");
        expect(fds[i], "hello\n");
    }
    say(fds[0], "!\nwait for ever\n"); /* in flight: it is not idle */
    expect(fds[0], "begun!\n");
    usleep(20 * 1000);
    say(fds[1], "!\n"); /* it was active just now */
    expect(fds[1], "begun!\n");
    for (size_t i = 2; i < 5; i++) {
        int extra = call(fixture);
        greet(extra);
        expect_end(fds[i]);
        fds[i] = extra;
    }
    say(fds[0], "release\n");
    expect(fds[0], "for ever\n");
    greet(fds[1]);
    ask_to_stop(fixture);
    wait_for_end(fixture);
    for (size_t i = 0; i < CORE_CONNECTIONS_MAX; i++) {
        close(fds[i]);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* 64 descriptors leave 16 connections: they make room before the descriptors are used up. */
enum {
    FEW = 16
};

static void start_small(struct net_fixture *fixture, unsigned loops)
{
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit small = {.rlim_cur = 64, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &small), 0);
    start(fixture, loops);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0); /* this process has the peers, too */
}

static void test_fewer_connections_with_few_descriptors(void **state)
{
    struct net_fixture *fixture = *state;
    start_small(fixture, 1);
    int fds[FEW + 1];
    for (size_t i = 0; i < FEW + 1; i++) {
        fds[i] = call(fixture);
        greet(fds[i]);
    }
    expect_end(fds[0]);
    for (size_t i = 1; i < FEW + 1; i++) {
        greet(fds[i]);
    }
    ask_to_stop(fixture);
    wait_for_end(fixture);
    for (size_t i = 1; i < FEW + 1; i++) {
        close(fds[i]);
    }
}

/* An idle connection makes room, also on another loop; without one, those that only listen do. */
static void check_listeners_make_room(struct net_fixture *fixture, unsigned loops)
{
    int fds[FEW];
    start_small(fixture, loops);
    for (size_t i = 0; i < FEW; i++) {
        fds[i] = call(fixture);
        say(fds[i], i == 1 ? "hello\n" : i < 4 ? "hello\nwait on\n" : "hello\nlisten\n");
        expect(fds[i], "hello\n");
        usleep(2000);
    }
    int extra = call(fixture);
    say(extra, "hello\nwait on\n");
    expect(extra, "hello\n");
    expect_end(fds[1]);
    fds[1] = extra;
    for (size_t i = 4; i < FEW; i++) {
        extra = call(fixture);
        say(extra, "hello\nwait on\n");
        expect(extra, "hello\n");
        size_t oldest = loops == 2 ? i ^ 1 : i; /* loops take turns, and the second is next */
        expect(fds[oldest], "over\n");
        expect_end(fds[oldest]);
        fds[oldest] = extra;
    }
    expect_end(call(fixture)); /* now all are busy */
    for (size_t i = 0; i < FEW; i++) {
        say(fds[i], "release\n");
        expect(fds[i], "on\n");
        close(fds[i]);
    }
    ask_to_stop(fixture);
    wait_for_end(fixture);
}

static void test_listeners_make_room_when_none_is_idle(void **state)
{
    check_listeners_make_room(*state, 1);
}

static void test_listeners_of_two_loops_make_room(void **state)
{
    check_listeners_make_room(*state, 2);
}

/* One loop has only busy connections: a connection of the other makes room. */
static void test_room_is_made_on_another_loop(void **state)
{
    struct net_fixture *fixture = *state;
    struct rlimit before = widen_limits();
    start(fixture, 2);
    static int fds[CORE_CONNECTIONS_MAX];
    for (size_t i = 0; i < CORE_CONNECTIONS_MAX; i++) {
        fds[i] = call(fixture);
        say(fds[i], i % 2 == 0 ? "hello\nwait for ever\n" : "hello\n");
        expect(fds[i], "hello\n");
    }
    for (size_t i = 0; i < 4; i++) {
        int extra = call(fixture);
        greet(extra);
        expect_end(fds[2 * i + 1]);
        fds[2 * i + 1] = extra;
    }
    fixture->second_task.run = run_second;
    ask_to_stop(fixture);
    loop_post(net_loop(fixture->net), &fixture->second_task);
    wait_for_end(fixture);
    for (size_t i = 0; i < CORE_CONNECTIONS_MAX; i++) {
        close(fds[i]);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

static void test_connection_ceiling(void **state)
{
    struct net_fixture *fixture = *state;
    struct rlimit before = widen_limits();
    start(fixture, 2);
    static int fds[CORE_CONNECTIONS_MAX];
    for (size_t i = 0; i < CORE_CONNECTIONS_MAX; i++) {
        fds[i] = call(fixture);
        say(fds[i], "hello\nwait for ever\n");
        expect(fds[i], "hello\n");
    }
    int extra = call(fixture);
    expect_end(extra);
    close(fds[0]);
    bool let_in = false;
    for (int i = 0; i < 500 && !let_in; i++) {
        fds[0] = call(fixture);
        char text[6];
        (void)!send(fds[0], "again\n", 6, MSG_NOSIGNAL);
        let_in = read(fds[0], text, 6) == 6;
        if (!let_in) {
            close(fds[0]);
            usleep(1000);
        }
    }
    assert_true(let_in);
    fixture->second_task.run = run_second;
    ask_to_stop(fixture);
    loop_post(net_loop(fixture->net), &fixture->second_task);
    wait_for_end(fixture);
    for (size_t i = 0; i < CORE_CONNECTIONS_MAX; i++) {
        close(fds[i]);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* Processor time of this process so far. */
static double cpu_seconds(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* Out of descriptors: the server waits without turning in circles, and takes who waits as soon as
   it can. */
static void test_out_of_descriptors(void **state)
{
    struct net_fixture *fixture = *state;
    start(fixture, 2);
    int first = call(fixture);
    say(first, "hello\n");
    expect(first, "hello\n");

    enum {
        WAITING = 20
    };
    int waiting[WAITING];
    for (size_t i = 0; i < WAITING; i++) {
        waiting[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    }
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit none = {.rlim_cur = 0, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, fixture->path, strlen(fixture->path));
    for (size_t i = 0; i < WAITING; i++) {
        assert_int_equal(connect(waiting[i], (struct sockaddr *)&address, sizeof(address)), 0);
        say(waiting[i], "me too\n");
    }
    say(first, "still there\n");
    expect(first, "still there\n");
    double cpu = cpu_seconds();
    usleep(400 * 1000);
    assert_true(cpu_seconds() - cpu < 0.3);

    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    uint64_t free_again = os_now_ms();
    for (size_t i = 0; i < WAITING; i++) {
        expect(waiting[i], "me too\n");
        close(waiting[i]);
    }
    assert_true(os_now_ms() - free_again < 10000);
    close(first);
    ask_to_stop(fixture);
    wait_for_end(fixture);
}

/* ---- order and isolation ---- */

enum {
    PEERS = 32
};

struct peer {
    struct net_fixture *fixture;
    unsigned number;
    unsigned requests;
    bool good;
    pthread_t thread;
};

/* Answers come in the order of the requests, each with its own name. */
static void *read_answers(FILE *in, const struct peer *peer, bool *ret_good)
{
    char line[128];
    char expected[128];
    for (unsigned i = 0; i < peer->requests; i++) {
        snprintf(expected, sizeof(expected), "peer %u request %u\n", peer->number, i);
        if (!fgets(line, sizeof(line), in) || strcmp(line, expected) != 0) {
            *ret_good = false;
            return NULL;
        }
    }
    *ret_good = fgetc(in) == EOF;
    return NULL;
}

struct half {
    FILE *out;
    const struct peer *peer;
};

static void *write_requests(void *argument)
{
    const struct half *half = argument;
    for (unsigned i = 0; i < half->peer->requests; i++) {
        const char *how = i % 7 == 3 ? "wait " : "";
        fprintf(half->out, "%speer %u request %u\n", how, half->peer->number, i);
        if (i % 7 == 5) {
            fputs("release\n", half->out);
        }
    }
    fputs("release\n", half->out);
    fflush(half->out);
    shutdown(fileno(half->out), SHUT_WR);
    return NULL;
}

static void *run_peer(void *argument)
{
    struct peer *peer = argument;
    int fd = call(peer->fixture);
    FILE *in = fdopen(fd, "r");
    FILE *out = fdopen(dup(fd), "w");
    struct half half = {out, peer};
    pthread_t writer;
    pthread_create(&writer, NULL, write_requests, &half);
    read_answers(in, peer, &peer->good);
    pthread_join(writer, NULL);
    fclose(in);
    fclose(out);
    return NULL;
}

static void test_order_and_isolation(void **state)
{
    struct net_fixture *fixture = *state;
    static struct peer peers[PEERS];
    start(fixture, 4);
    for (unsigned i = 0; i < PEERS; i++) {
        peers[i] = (struct peer){
            .fixture = fixture, .number = i, .requests = getenv("SOAK") ? 10000 : 500};
        assert_int_equal(pthread_create(&peers[i].thread, NULL, run_peer, &peers[i]), 0);
    }
    for (unsigned i = 0; i < PEERS; i++) {
        assert_int_equal(pthread_join(peers[i].thread, NULL), 0);
        assert_true(peers[i].good);
    }
    ask_to_stop(fixture);
    wait_for_end(fixture);
}

/* Peers come, talk and go while the server is stopped in the middle of it. */
static void *come_and_go(void *argument)
{
    struct peer *peer = argument;
    for (unsigned i = 0; i < peer->requests; i++) {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        memcpy(address.sun_path, peer->fixture->path, strlen(peer->fixture->path));
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0) {
            (void)!send(fd, "one\nwait two\nbig 100000\n", 24, MSG_NOSIGNAL);
        }
        char byte;
        if (i % 2 == 0) {
            (void)!recv(fd, &byte, 1, 0);
        }
        close(fd);
    }
    return NULL;
}

static void test_stop_among_peers_that_come_and_go(void **state)
{
    struct net_fixture *fixture = *state;
    int rounds = getenv("SOAK") ? 500 : 10;
    for (int round = 0; round < rounds; round++) {
        struct peer peers[4];
        fixture->stopped = 0;
        start(fixture, 3);
        for (unsigned i = 0; i < 4; i++) {
            peers[i] = (struct peer){.fixture = fixture, .number = i, .requests = 50};
            assert_int_equal(pthread_create(&peers[i].thread, NULL, come_and_go, &peers[i]), 0);
        }
        usleep((useconds_t)(round % 10 * 300));
        ask_to_stop(fixture);
        wait_for_end(fixture);
        for (unsigned i = 0; i < 4; i++) {
            assert_int_equal(pthread_join(peers[i].thread, NULL), 0);
        }
        net_unix_remove(&fixture->address);
        fixture->address.path = NULL;
    }
}

/* ---- snapshots ---- */

struct reload {
    struct loop_task task;
    struct net_fixture *fixture;
    struct catalog *catalog;
};

static void run_reload(struct loop_task *task)
{
    struct reload *reload = (struct reload *)task;
    for (int i = 0; i < 100; i++) {
        net_set_catalog(reload->fixture->net, reload->catalog);
    }
}

static struct catalog *empty_catalog(void)
{
    const struct catalog_options options = {0};
    struct catalog *catalog;
    const char *dir;
    assert_int_equal(catalog_load(&options, NULL, NULL, NULL, &catalog, &dir), 0);
    return catalog;
}

static void test_snapshots_reach_all_loops(void **state)
{
    struct net_fixture *fixture = *state;
    start(fixture, 3);
    struct reload reload = {.task = {.run = run_reload}, .fixture = fixture};
    reload.catalog = empty_catalog();
    loop_post(net_loop(fixture->net), &reload.task);
    ask_to_stop(fixture);
    wait_for_end(fixture);
    catalog_release(reload.catalog);
}

/* ---- failures ---- */

static void test_making_fails_cleanly(void **state)
{
    struct net_fixture *fixture = *state;
    static const struct core_settings settings;
    const struct net_options options = {.loops = 2, .settings = &settings};
    unsigned failures = 0;
    for (unsigned at = 1;; at++) {
        fault_arm(FAULT_RESIZE, at, ENOMEM);
        int r = net_new(&options, &fixture->net);
        bool hit = fault.hit;
        if (r == 0) {
            net_free(fixture->net);
            fixture->net = NULL;
        } else {
            assert_int_equal(r, -ENOMEM);
            failures++;
        }
        assert_int_equal(fault.live_blocks, 0);
        fault_disarm();
        if (!hit) {
            break;
        }
    }
    assert_true(failures >= 5);
}

static void test_thread_that_does_not_start(void **state)
{
    struct net_fixture *fixture = *state;
    make_net(fixture, 4);
    fault_arm(FAULT_THREAD_START, 2, EAGAIN);
    assert_int_equal(net_run(fixture->net), -EAGAIN);
    assert_int_equal(fixture->stopped, 0);
}

static void test_connection_that_cannot_be_kept(void **state)
{
    struct net_fixture *fixture = *state;
    for (unsigned at = 1; at < 12; at++) {
        make_net(fixture, 2);
        listen_here(fixture);
        fault_arm(FAULT_RESIZE, at, ENOMEM);
        assert_int_equal(pthread_create(&fixture->thread, NULL, serve, fixture), 0);
        for (int i = 0; i < 2; i++) {
            int fd = call(fixture);
            char text[6];
            (void)!send(fd, "hello\n", 6, MSG_NOSIGNAL);
            ssize_t size = read(fd, text, sizeof(text));
            assert_true(size == 6 || size <= 0); /* answered or closed, not left waiting */
            close(fd);
        }
        int fd = call(fixture);
        say(fd, "next\n");
        char text[5];
        ssize_t size = read(fd, text, sizeof(text));
        assert_true(size == 5 || fault.hit);
        close(fd);
        ask_to_stop(fixture);
        wait_for_end(fixture);
        fixture->stopped = 0;
        fault_disarm();
        net_unix_remove(&fixture->address);
        fixture->address.path = NULL;
    }
}

static void test_too_many_listeners(void **state)
{
    struct net_fixture *fixture = *state;
    make_net(fixture, 1);
    int r = 0;
    int opened = 0;
    while (r == 0) {
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_int_equal(listen(fd, 1), -1); /* not bound: never ready */
        r = net_open_socket(fixture->net, fd);
        opened += r == 0;
        if (r < 0) {
            close(fd);
        }
    }
    assert_int_equal(r, -EMFILE);
    assert_int_equal(opened, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        NET_TEST(test_one_loop),
        NET_TEST(test_connections_are_dealt_to_all_loops),
        NET_TEST(test_stdio_ends_the_net),
        NET_TEST(test_stop_finishes_what_is_in_flight),
        NET_TEST(test_second_stop_ends_at_once),
        NET_TEST(test_no_new_connections_when_stopping),
        NET_TEST(test_free_without_run),
        NET_TEST(test_longest_idle_connection_makes_room),
        NET_TEST(test_fewer_connections_with_few_descriptors),
        NET_TEST(test_listeners_make_room_when_none_is_idle),
        NET_TEST(test_listeners_of_two_loops_make_room),
        NET_TEST(test_room_is_made_on_another_loop),
        NET_TEST(test_connection_ceiling),
        NET_TEST(test_out_of_descriptors),
        NET_TEST(test_order_and_isolation),
        NET_TEST(test_stop_among_peers_that_come_and_go),
        NET_TEST(test_snapshots_reach_all_loops),
        NET_TEST(test_making_fails_cleanly),
        NET_TEST(test_thread_that_does_not_start),
        NET_TEST(test_connection_that_cannot_be_kept),
        NET_TEST(test_too_many_listeners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
