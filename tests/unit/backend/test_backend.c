/* Against a backend that hangs, drips, resets, redirects, floods and lies. */
#define _GNU_SOURCE /* strcasestr() */
#include <dirent.h>
#include <stdlib.h>

#include "backend/backend.h"
#include "loop/loop.h"
#include "unit/backend/server.h"
#include "unit/os/fault.h"

#define MESSAGE(text)                                                                              \
    &(struct backend_message)                                                                      \
    {                                                                                              \
        .body = (text)                                                                             \
    }

/* Long enough for an answer from this machine, short enough to wait for. */
#define TIMEOUT_MS 400
#define REPLY_MAX  1000

static struct loop *loop;
static struct backend *backend;
static struct backend_post *post;
static size_t loops; /* among which places are divided */

static struct {
    unsigned count;
    int error;
    unsigned status;
    size_t size;
    char body[REPLY_MAX + 1];
} outcome;

static int set_up(void **state)
{
    (void)state;
    memset(&outcome, 0, sizeof(outcome));
    loops = 0;
    return loop_new(&loop);
}

static int tear_down(void **state)
{
    (void)state;
    fault_disarm();
    backend_free(backend);
    backend = NULL;
    loop_free(loop);
    server_stop();
    return 0;
}

static int open_backend(const char *path)
{
    char url[64];
    snprintf(url, sizeof(url), "http://127.0.0.1:%u/base/", server.port);
    const struct backend_options options = {
        .url = url,
        .path = path,
        .timeout_ms = TIMEOUT_MS,
        .reply_size_max = REPLY_MAX,
        .loops = loops,
    };
    return backend_new(loop, &options, &backend);
}

static void done(void *owner, const struct backend_reply *reply)
{
    assert_ptr_equal(owner, &outcome);
    outcome.count++;
    outcome.error = reply->error;
    outcome.status = reply->status;
    outcome.size = reply->body.size;
    assert_true(reply->body.size <= REPLY_MAX);
    memcpy(outcome.body, reply->body.size ? reply->body.data : "", reply->body.size);
    outcome.body[reply->body.size] = '\0';
    loop_stop(loop);
}

static void send_and_wait(const char *body)
{
    assert_int_equal(
        backend_post_start(backend, MESSAGE(jsv_str_from(body)), done, &outcome, &post), 0);
    assert_int_equal(outcome.count, 0); /* from the loop, not from within */
    assert_int_equal(loop_run(loop), 0);
    assert_int_equal(outcome.count, 1);
}

static void exchange(enum server_manner manner, const char *reply)
{
    server_start(manner, reply);
    assert_int_equal(open_backend("/assets/?a=1"), 0);
    send_and_wait("{\"z\":1.50}");
}

/* ---- answers ---- */

static void test_post(void **state)
{
    (void)state;
    exchange(SERVER_REPLIES, "HTTP/1.1 201 Created\r\nContent-Length: 8\r\n\r\n{\"id\":1}");
    assert_int_equal(outcome.error, 0);
    assert_int_equal(outcome.status, 201);
    assert_string_equal(outcome.body, "{\"id\":1}");
    server_stop();
    assert_non_null(strstr(server.request, "POST /base/assets/?a=1 HTTP/1.1\r\n"));
    assert_non_null(strcasestr(server.request, "\r\nContent-Type: application/json\r\n"));
    assert_non_null(strstr(server.request, "\r\n\r\n{\"z\":1.50}"));
    assert_null(strcasestr(server.request, "Expect"));
    assert_null(strcasestr(server.request, "Cookie"));
}

static void test_body_until_the_end(void **state)
{
    (void)state;
    exchange(SERVER_REPLIES, "HTTP/1.0 500 Oh\r\n\r\ninternal error");
    assert_int_equal(outcome.error, 0);
    assert_int_equal(outcome.status, 500);
    assert_string_equal(outcome.body, "internal error");
}

static void test_body_of_the_greatest_size(void **state)
{
    (void)state;
    char reply[2048];
    int head = snprintf(reply, sizeof(reply), "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
    memset(reply + head, 'x', REPLY_MAX);
    reply[head + REPLY_MAX] = '\0';
    exchange(SERVER_REPLIES, reply);
    assert_int_equal(outcome.error, 0);
    assert_int_equal(outcome.size, REPLY_MAX);
}

static void test_redirect_is_an_answer(void **state)
{
    (void)state;
    exchange(
        SERVER_REPLIES, "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n");
    assert_int_equal(outcome.error, 0);
    assert_int_equal(outcome.status, 302);
    assert_int_equal(server.connections, 1);
}

static void test_several_at_once(void **state)
{
    (void)state;
    server_start(SERVER_REPLIES, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    assert_int_equal(open_backend("x"), 0);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(
            backend_post_start(backend, MESSAGE(JSV_STR("1")), done, &outcome, &post), 0);
    }
    while (outcome.count < 8) {
        assert_int_equal(loop_run(loop), 0);
        assert_int_equal(outcome.status, 200);
    }
    assert_int_equal(outcome.count, 8);
}

/* ---- no answers ---- */

static void test_hangs(void **state)
{
    (void)state;
    exchange(SERVER_HANGS, "");
    assert_int_equal(outcome.error, -ETIMEDOUT);
}

static void test_drips(void **state)
{
    (void)state;
    exchange(
        SERVER_DRIPS,
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
        "....................................................................................");
    assert_int_equal(outcome.error, -ETIMEDOUT);
}

static void test_resets(void **state)
{
    (void)state;
    exchange(SERVER_RESETS, "");
    assert_int_equal(outcome.error, -ECONNRESET);
    assert_int_equal(server.connections, 1); /* no retry */
}

static void test_closes(void **state)
{
    (void)state;
    exchange(SERVER_REPLIES, "");
    assert_int_equal(outcome.error, -ECONNRESET);
    assert_int_equal(server.connections, 1);
}

static void test_says_more_than_it_sends(void **state)
{
    (void)state;
    exchange(SERVER_REPLIES, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort");
    assert_int_equal(outcome.error, -ECONNRESET);
}

static void test_is_no_http(void **state)
{
    (void)state;
    exchange(SERVER_REPLIES, "SSH-2.0-OpenSSH_9.2\r\n");
    assert_int_equal(outcome.error, -EPROTO);
}

static void test_floods_the_body(void **state)
{
    (void)state;
    exchange(SERVER_FLOODS, "HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n");
    assert_int_equal(outcome.error, 0);
    assert_int_equal(outcome.status, 200);
    assert_int_equal(outcome.size, REPLY_MAX);
    server_stop();
    assert_true(server.sent < 64 << 20); /* what fits sockets' buffers */
}

/* 1 GiB of one header line; libcurl itself ends that. */
static void test_floods_the_head(void **state)
{
    (void)state;
    exchange(SERVER_FLOODS, "HTTP/1.1 200 OK\r\nX-Long: ");
    assert_true(outcome.error < 0);
    server_stop();
    assert_true(server.sent < 64 << 20);
}

static void test_too_many_header_lines(void **state)
{
    (void)state;
    static char reply[200000];
    size_t size = (size_t)snprintf(reply, sizeof(reply), "HTTP/1.1 200 OK\r\n");
    while (size < 100000) {
        size += (size_t)snprintf(reply + size, sizeof(reply) - size, "X-%zu: %050d\r\n", size, 0);
    }
    snprintf(reply + size, sizeof(reply) - size, "Content-Length: 0\r\n\r\n");
    exchange(SERVER_REPLIES, reply);
    assert_int_equal(outcome.error, -EPROTO);
}

static void test_connection_refused(void **state)
{
    (void)state;
    server_start(SERVER_HANGS, "");
    assert_int_equal(open_backend("/"), 0);
    server_stop();
    send_and_wait("1");
    assert_int_equal(outcome.error, -ECONNREFUSED);
}

/* A proxy of the environment would be asked for 127.0.0.1:9, where nothing listens. */
static void test_proxy_is_ignored(void **state)
{
    (void)state;
    setenv("http_proxy", "http://127.0.0.1:9/", 1);
    setenv("ALL_PROXY", "http://127.0.0.1:9/", 1);
    exchange(SERVER_REPLIES, "HTTP/1.1 204 None\r\n\r\n");
    unsetenv("http_proxy");
    unsetenv("ALL_PROXY");
    assert_int_equal(outcome.error, 0);
    assert_int_equal(outcome.status, 204);
}

/* ---- giving up ---- */

static void stop_loop(void *owner)
{
    (void)owner;
    loop_stop(loop);
}

/* Let the loop run for a while in which nothing may be delivered. */
static void run_for(uint64_t milliseconds)
{
    struct loop_timer *timer;
    assert_int_equal(loop_timer_new(loop, stop_loop, NULL, &timer), 0);
    loop_timer_start(timer, milliseconds);
    assert_int_equal(loop_run(loop), 0);
    loop_timer_close(timer);
    assert_int_equal(outcome.count, 0);
}

static void test_cancel(void **state)
{
    (void)state;
    server_start(SERVER_HANGS, "");
    assert_int_equal(open_backend("/"), 0);
    assert_int_equal(backend_post_start(backend, MESSAGE(JSV_STR("1")), done, &outcome, &post), 0);
    backend_post_cancel(post); /* before it has begun */
    assert_int_equal(backend_post_start(backend, MESSAGE(JSV_STR("1")), done, &outcome, &post), 0);
    run_for(50);
    backend_post_cancel(post); /* while it waits */
    run_for(TIMEOUT_MS + 100);
}

/* ---- a limited number at a time ---- */

static unsigned open_files(void)
{
    DIR *directory = opendir("/proc/self/fd");
    unsigned count = 0;
    assert_non_null(directory);
    while (readdir(directory)) {
        count++;
    }
    closedir(directory);
    return count;
}

static void open_with_one_place(enum server_manner manner, const char *reply)
{
    server_start(manner, reply);
    loops = 1000;
    assert_int_equal(open_backend("/"), 0);
}

static void post_for(const char *connection, int expected)
{
    const struct backend_message message = {.body = JSV_STR("1"), .connection = connection};
    assert_int_equal(backend_post_start(backend, &message, done, &outcome, &post), expected);
}

static void test_others_wait_and_the_wait_counts(void **state)
{
    (void)state;
    open_with_one_place(SERVER_HANGS, "");
    uint64_t began = os_now_ms();
    unsigned before = open_files();
    for (unsigned i = 0; i < 5; i++) {
        post_for("a", 0);
    }
    run_for(TIMEOUT_MS / 2);
    assert_true(open_files() <= before + 2); /* a connection, and what libcurl wakes itself with */
    while (outcome.count < 5) {
        assert_int_equal(loop_run(loop), 0);
        assert_int_equal(outcome.error, -ETIMEDOUT);
    }
    assert_true(os_now_ms() - began < 3 * TIMEOUT_MS);
}

static void test_those_that_wait_are_sent(void **state)
{
    (void)state;
    open_with_one_place(SERVER_REPLIES, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    for (unsigned i = 0; i < 5; i++) {
        post_for("a", 0);
    }
    backend_post_cancel(post);
    while (outcome.count < 4) {
        assert_int_equal(loop_run(loop), 0);
        assert_int_equal(outcome.status, 200);
    }
}

static void test_too_many_wait(void **state)
{
    (void)state;
    static const char *const connections[] = {"a", "b"};
    open_with_one_place(SERVER_HANGS, "");
    for (unsigned i = 0; i < 1 + BACKEND_WAITING_MAX; i++) {
        post_for(connections[0], 0);
    }
    post_for(connections[0], -EBUSY);
    assert_int_equal(outcome.count, 0);
    post_for(connections[1], 0); /* an extra place, for connections without an exchange */
    post_for(connections[1], 0);
    assert_int_equal(outcome.count, 0); /* told from the loop, not from within */
    assert_int_equal(loop_run(loop), 0);
    assert_int_equal(outcome.count, 1);
    assert_int_equal(outcome.error, -EBUSY);
}

static void test_free_while_waiting(void **state)
{
    (void)state;
    server_start(SERVER_HANGS, "");
    assert_int_equal(open_backend("/"), 0);
    assert_int_equal(backend_post_start(backend, MESSAGE(JSV_STR("1")), done, &outcome, &post), 0);
    assert_int_equal(backend_post_start(backend, MESSAGE(JSV_STR("2")), done, &outcome, &post), 0);
    run_for(50);
    backend_free(backend);
    backend = NULL;
    run_for(50);
}

/* A callback that cancels the other post and starts a third one. */
static struct backend_post *twins[2];
static unsigned twins_done;

static void twin_done(void *owner, const struct backend_reply *reply)
{
    (void)reply;
    twins_done++;
    backend_post_cancel(owner == &twins[0] ? twins[1] : twins[0]);
    assert_int_equal(backend_post_start(backend, MESSAGE(JSV_STR("3")), done, &outcome, &post), 0);
}

static void test_cancel_from_a_callback(void **state)
{
    (void)state;
    server_start(SERVER_HANGS, "");
    assert_int_equal(open_backend("/"), 0);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(
            backend_post_start(backend, MESSAGE(JSV_STR("1")), twin_done, &twins[i], &twins[i]), 0);
    }
    assert_int_equal(loop_run(loop), 0);
    assert_int_equal(twins_done, 1);
    assert_int_equal(outcome.count, 1);
}

/* ---- what makes no sense ---- */

static void test_urls(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "x",
        "ftp://h/",
        "file:///etc/passwd",
        "http://",
        "http://h/?q",
        "http://h/#f",
        "http://h:99999/",
        "http://h h/",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        const struct backend_options options = {.url = wrong[i], .path = "/", .timeout_ms = 1};
        int r = backend_new(loop, &options, &backend);
        if (r != -EINVAL) {
            fail_msg("%s: %d", wrong[i], r);
        }
    }
    backend_free(NULL);
}

/* Every allocation of ours and of libcurl fails once: an error, or it goes without. */
static void test_out_of_memory(void **state)
{
    (void)state;
    server_start(SERVER_REPLIES, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    bool hit = true;
    for (unsigned n = 1; hit; n++) {
        fault_arm(FAULT_RESIZE, n, ENOMEM);
        outcome.count = 0;
        backend = NULL;
        int r = open_backend("/");
        if (r == 0) {
            r = backend_post_start(backend, MESSAGE(JSV_STR("{}")), done, &outcome, &post);
        }
        if (r == 0) {
            assert_int_equal(loop_run(loop), 0);
            assert_int_equal(outcome.count, 1);
        } else {
            assert_int_equal(r, -ENOMEM);
        }
        backend_free(backend);
        backend = NULL;
        hit = fault.hit;
        if (!hit) {
            assert_int_equal(r, 0);
            assert_int_equal(outcome.status, 200);
        }
        fault_disarm();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_post, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_body_until_the_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_body_of_the_greatest_size, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_redirect_is_an_answer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_several_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_hangs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_drips, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_resets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_closes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_says_more_than_it_sends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_is_no_http, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_floods_the_body, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_floods_the_head, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_too_many_header_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_connection_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_proxy_is_ignored, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cancel, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_others_wait_and_the_wait_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_those_that_wait_are_sent, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_too_many_wait, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_free_while_waiting, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cancel_from_a_callback, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_urls, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_out_of_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
