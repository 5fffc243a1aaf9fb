/*
 * A fixture: an HTTP connection over the real pipeline, with the test as its client.
 */
#pragma once

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/limits.h"
#include "loop/loop.h"
#include "net/http/http.h"
#include "net/page.h"
#include "os/sys.h"
#include "rpc/pool.h"
#include "support/pipeline_fixture.h"
#include "unit/os/fault.h"

#define TEXT_SIZE ((size_t)4 << 20)

struct http_fixture {
    struct pipeline_fixture *pipeline;
    struct net_http_settings settings;
    struct net_http_times times;
    struct net_peers peers;
    struct net_peer *http; /* NULL once closed */
    int peer;
    int kernel_takes; /* bytes at once, if we may ask for that many; 0: the usual */
    struct loop_timer *timer;
    char *text; /* what was heard */
};

static inline void on_closed(void *owner, struct net_peer *peer)
{
    struct http_fixture *fixture = owner;
    assert_ptr_equal(fixture->http, peer);
    fixture->http = NULL;
}

static inline void on_time(void *owner)
{
    loop_stop(((struct http_fixture *)owner)->pipeline->loop);
}

static inline int setup(void **state)
{
    struct http_fixture *fixture = calloc(1, sizeof(*fixture));
    signal(SIGPIPE, SIG_IGN);
    pipeline_setup((void **)&fixture->pipeline);
    assert_int_equal(loop_timer_new(fixture->pipeline->loop, on_time, fixture, &fixture->timer), 0);
    fixture->text = malloc(TEXT_SIZE);
    fixture->peer = -1;
    *state = fixture;
    return 0;
}

static inline int teardown(void **state)
{
    struct http_fixture *fixture = *state;
    fault_disarm();
    if (fixture->http) {
        net_peer_close(fixture->http);
    }
    if (fixture->peer >= 0) {
        close(fixture->peer);
    }
    loop_timer_close(fixture->timer);
    pipeline_teardown((void **)&fixture->pipeline);
    free(fixture->text);
    free(fixture);
    return 0;
}

#define HTTP_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static inline int try_to_connect(struct http_fixture *fixture)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
    if (fixture->kernel_takes > 0) {
        (void)setsockopt(
            fds[0],
            SOL_SOCKET,
            SO_SNDBUFFORCE,
            &fixture->kernel_takes,
            sizeof(fixture->kernel_takes));
    }
    const struct net_http_options options = {
        .peer =
            {
                .worker = fixture->pipeline->worker,
                .peers = &fixture->peers,
                .closed = on_closed,
                .owner = fixture,
            },
        .settings = &fixture->settings,
        .fd = fds[0],
    };
    fixture->peer = fds[1];
    return net_http_open(&options, &fixture->http);
}

static inline void connect_peer(struct http_fixture *fixture)
{
    assert_int_equal(try_to_connect(fixture), 0);
}

/* Hang up from our side, and be a new client. */
static inline void reconnect(struct http_fixture *fixture)
{
    if (fixture->http) {
        net_peer_close(fixture->http);
    }
    close(fixture->peer);
    connect_peer(fixture);
}

/* The loop's clock stood still since the last time, so it is set first. */
static inline void run(struct http_fixture *fixture, uint64_t milliseconds)
{
    loop_timer_start(fixture->timer, 0);
    assert_int_equal(loop_run(fixture->pipeline->loop), 0);
    loop_timer_start(fixture->timer, milliseconds);
    assert_int_equal(loop_run(fixture->pipeline->loop), 0);
}

static inline void run_until_closed(struct http_fixture *fixture)
{
    for (int i = 0; fixture->http && i < 1000; i++) {
        run(fixture, 5);
    }
    assert_null(fixture->http);
}

static inline void say(struct http_fixture *fixture, const char *text)
{
    assert_int_equal(write(fixture->peer, text, strlen(text)), (ssize_t)strlen(text));
}

static inline const char *hear(struct http_fixture *fixture)
{
    size_t size = 0;
    run(fixture, 3);
    for (;;) {
        ssize_t part = read(fixture->peer, fixture->text + size, TEXT_SIZE - 1 - size);
        if (part <= 0) {
            break;
        }
        size += (size_t)part;
        run(fixture, 1);
    }
    fixture->text[size] = '\0';
    return fixture->text;
}

static inline const char *ask(struct http_fixture *fixture, const char *text)
{
    say(fixture, text);
    return hear(fixture);
}

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

#define assert_has(text, part)                                                                     \
    do {                                                                                           \
        const char *text_ = (text);                                                                \
        if (!has(text_, part)) {                                                                   \
            fail_msg("no \"%s\" in \"%s\"", part, text_);                                          \
        }                                                                                          \
    } while (0)

static inline size_t count(const char *text, const char *part)
{
    size_t found = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) {
        found++;
    }
    return found;
}

/* A POST with a body. @return a static text. */
static inline const char *post(const char *path, const char *headers, const char *body)
{
    static char text[8192];
    snprintf(
        text,
        sizeof(text),
        "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%s"
        "Content-Length: %zu\r\n\r\n%s",
        path,
        headers,
        strlen(body),
        body);
    return text;
}

#define PING   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"
#define HEALTH "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"

static const char initialize[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
    "\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}";

static inline void write_what_fits(struct http_fixture *fixture, const char *block, size_t size)
{
    ssize_t written = write(fixture->peer, block, size);
    (void)written;
}

/*
 * Whatever is missing, the connection answers or is closed, and gives everything back.
 * @return how many times memory was asked for.
 */
static inline unsigned
run_out_of_memory(struct http_fixture *fixture, void (*speak)(struct http_fixture *fixture))
{
    bool hit = true;
    unsigned at = 0;
    struct rpc_pool *pool = core_worker_pool(fixture->pipeline->worker);
    while (hit) {
        rpc_pool_done(pool); /* of the one before: memory has to be taken */
        rpc_pool_init(pool);
        fault_arm(FAULT_RESIZE, ++at, ENOMEM);
        if (try_to_connect(fixture) == 0) {
            speak(fixture);
        } else {
            fixture->http = NULL;
        }
        hit = fault.hit;
        fault_disarm();
        if (fixture->http) {
            net_peer_close(fixture->http);
        }
        run(fixture, 0);
        close(fixture->peer);
        fixture->peer = -1;
    }
    return at;
}

static inline void set_times(struct http_fixture *fixture)
{
    fixture->times = (struct net_http_times){
        .idle = 400,
        .head = 400,
        .body = 400,
        .keepalive = 400,
        .write_stall = 400,
        .linger = 20,
    };
    fixture->settings.times = &fixture->times;
}
