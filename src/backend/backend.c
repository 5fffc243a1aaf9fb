/*
 * Connects libcurl's multi interface to the loop.
 *
 *     libcurl --socket_wanted()--> a loop_poll per descriptor --polled()--> libcurl
 *     libcurl --timer_wanted()---> one loop_timer ------------fired()----> libcurl
 *
 * libcurl never waits; after each step it is asked which exchanges are over.
 * The time limit is a timer of ours: it holds also when libcurl, out of memory,
 * has lost an exchange.
 */
#include "backend/backend.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "backend/transfer.h"
#include "jsv/base/alloc.h"
#include "loop/fair_queue.h"
#include "loop/loop.h"
#include "os/list.h"
#include "os/sys.h"

struct backend_post {
    struct loop_fair_item item; /* first: its place, or the wait for one */
    struct backend_post *next;
    struct backend_post *previous;
    struct backend *backend;
    struct loop_timer *deadline;
    struct backend_transfer transfer;
    int error; /* of ours, while it ran */
    uint64_t entered_us;
    uint64_t started_us; /* 0: it waits */
    backend_done *done;
    void *owner;
};

/* A descriptor of libcurl. */
struct backend_socket {
    struct backend *backend;
    curl_socket_t fd;
    struct loop_poll *poll;
};

struct backend {
    struct loop *loop;
    struct loop_timer *timer;
    CURLM *multi;
    struct backend_target target;
    uint64_t timeout_ms;
    struct loop_fair_queue queue;
    OS_LIST_OF(struct backend_post) posts;
};

/* ---- libcurl's memory ---- */

static void *curl_memory(void *memory, size_t size)
{
    return os_allocator()->resize(NULL, memory, 0, size);
}

static void *memory_malloc(size_t size)
{
    return curl_memory(NULL, size ? size : 1);
}

static void memory_free(void *memory)
{
    if (memory) {
        curl_memory(memory, 0);
    }
}

static void *memory_realloc(void *memory, size_t size)
{
    return curl_memory(memory, size ? size : 1);
}

static char *memory_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = memory_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static void *memory_calloc(size_t count, size_t size)
{
    size_t all;
    void *memory = __builtin_mul_overflow(count, size, &all) ? NULL : memory_malloc(all);
    return memory ? memset(memory, 0, all) : NULL;
}

/* ---- the end of an exchange ---- */

static void post_free(struct backend_post *post)
{
    loop_timer_close(post->deadline);
    backend_transfer_done(&post->transfer);
    jsv_dealloc(os_allocator(), post, sizeof(*post));
}

/* Take it out of everything; only its memory is left. */
static void post_leave(struct backend_post *post)
{
    struct backend *backend = post->backend;
    if (post->item.state == LOOP_FAIR_RUNNING) {
        backend_curl->multi_remove_handle(backend->multi, post->transfer.easy);
    }
    loop_fair_leave(&backend->queue, &post->item);
    os_list_remove(&backend->posts, post);
}

/* The owner may start and cancel posts from its callback. */
static void finish(struct backend_post *post, struct backend_reply reply)
{
    post_leave(post);
    reply.queued_us = (post->started_us ? post->started_us : os_now_us()) - post->entered_us;
    post->done(post->owner, &reply);
    post_free(post);
}

static void fail(struct backend_post *post, int error)
{
    finish(post, (struct backend_reply){.error = error});
}

static struct backend_post *post_of(CURL *easy)
{
    struct backend_post *post = NULL;
    (void)backend_curl->easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&post);
    return post;
}

/* An exchange that we cannot watch would wait for its time limit. */
static struct backend_post *find_unwatched(const struct backend *backend)
{
    struct backend_post *post = backend->posts.first;
    while (post && post->error == 0) {
        post = post->next;
    }
    return post;
}

static void finish_all_that_are_over(struct backend *backend)
{
    int left;
    CURLMsg *message;
    while ((message = backend_curl->multi_info_read(backend->multi, &left))) {
        CURLcode code = message->data.result; /* the message goes with its handle */
        struct backend_post *post = post_of(message->easy_handle);
        finish(post, backend_transfer_reply(&post->transfer, code));
    }
    struct backend_post *unwatched;
    while ((unwatched = find_unwatched(backend))) {
        fail(unwatched, unwatched->error);
    }
}

static void expired(void *owner)
{
    fail(owner, -ETIMEDOUT);
}

/* @return 0 or -ENOMEM. */
static int post_run(struct backend_post *post)
{
    CURLMcode code = backend_curl->multi_add_handle(post->backend->multi, post->transfer.easy);
    return code == CURLM_OK ? 0 : -ENOMEM;
}

static void start_waiting(struct loop_fair_item *item)
{
    struct backend_post *post = (struct backend_post *)item;
    post->started_us = os_now_us();
    int r = post_run(post);
    if (r < 0) {
        fail(post, r);
    }
}

static void refuse_dropped(struct loop_fair_item *item)
{
    fail((struct backend_post *)item, -EBUSY);
}

static void step(struct backend *backend, curl_socket_t fd, int events)
{
    int running;
    (void)backend_curl->multi_socket_action(backend->multi, fd, events, &running);
    finish_all_that_are_over(backend);
}

/* ---- libcurl's descriptors and timer ---- */

static void fired(void *owner)
{
    step(owner, CURL_SOCKET_TIMEOUT, 0);
}

static int timer_wanted(CURLM *multi, long timeout_ms, void *context)
{
    (void)multi;
    struct backend *backend = context;
    if (timeout_ms < 0) {
        loop_timer_stop(backend->timer);
    } else {
        loop_timer_start(backend->timer, (uint64_t)timeout_ms);
    }
    return 0;
}

static void polled(void *owner, unsigned events, int error)
{
    const struct backend_socket *socket = owner;
    int flags = error < 0 ? CURL_CSELECT_ERR : 0;
    flags |= events & LOOP_POLL_READ ? CURL_CSELECT_IN : 0;
    flags |= events & LOOP_POLL_WRITE ? CURL_CSELECT_OUT : 0;
    step(socket->backend, socket->fd, flags);
}

static void socket_free(struct backend_socket *socket)
{
    if (socket) {
        loop_poll_close(socket->poll);
        jsv_dealloc(os_allocator(), socket, sizeof(*socket));
    }
}

/* @param socket NULL: the descriptor is new. */
static int
watch(struct backend *backend, struct backend_socket *socket, curl_socket_t fd, unsigned events)
{
    if (socket) {
        return loop_poll_set(socket->poll, events);
    }
    socket = jsv_alloc(os_allocator(), sizeof(*socket));
    if (!socket) {
        return -ENOMEM;
    }
    *socket = (struct backend_socket){.backend = backend, .fd = fd};
    int r = loop_poll_new(backend->loop, fd, polled, socket, &socket->poll);
    if (r == 0) {
        r = loop_poll_set(socket->poll, events);
    }
    if (r < 0) {
        socket_free(socket);
        return r;
    }
    (void)backend_curl->multi_assign(backend->multi, fd, socket);
    return 0;
}

/* Returning an error would end the whole client, not only this exchange. */
static int
socket_wanted(CURL *easy, curl_socket_t fd, int what, void *context, void *socket_context)
{
    struct backend *backend = context;
    if (what == CURL_POLL_REMOVE) {
        socket_free(socket_context);
        (void)backend_curl->multi_assign(backend->multi, fd, NULL);
        return 0;
    }
    unsigned events = what & CURL_POLL_IN ? LOOP_POLL_READ : 0;
    events |= what & CURL_POLL_OUT ? LOOP_POLL_WRITE : 0;
    int r = watch(backend, socket_context, fd, events);
    if (r < 0) {
        post_of(easy)->error = r;
    }
    return 0;
}

/* ---- the client ---- */

static int open_multi(struct backend *backend)
{
    backend->multi = backend_curl->multi_init();
    if (!backend->multi) {
        return -ENOMEM;
    }
    CURLM *multi = backend->multi;
    CURLMcode code = backend_curl->multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket_wanted);
    code = code ? code : backend_curl->multi_setopt(multi, CURLMOPT_SOCKETDATA, backend);
    code = code ? code : backend_curl->multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer_wanted);
    code = code ? code : backend_curl->multi_setopt(multi, CURLMOPT_TIMERDATA, backend);
    assert(code == CURLM_OK);
    return loop_timer_new(backend->loop, fired, backend, &backend->timer);
}

static void open_queue(struct backend *backend, size_t loops)
{
    const struct loop_fair_options options = {
        .loop = backend->loop,
        .places = BACKEND_EXCHANGES_MAX,
        .loops = loops,
        .descriptors_part = BACKEND_DESCRIPTORS_PART,
        .extra_part = BACKEND_EXTRA_PART,
        .waiting_max = BACKEND_WAITING_MAX,
        .start = start_waiting,
        .dropped = refuse_dropped,
    };
    loop_fair_init(&backend->queue, &options);
}

int backend_new(
    struct loop *loop, const struct backend_options *options, struct backend **ret_backend)
{
    int r = backend_curl_load();
    if (r < 0) {
        return r;
    }
    CURLcode code = backend_curl->global_init_mem(
        CURL_GLOBAL_DEFAULT,
        memory_malloc,
        memory_free,
        memory_realloc,
        memory_strdup,
        memory_calloc);
    if (code != CURLE_OK) {
        return -ENOMEM;
    }
    struct backend *backend = jsv_alloc(os_allocator(), sizeof(*backend));
    if (!backend) {
        backend_curl->global_cleanup();
        return -ENOMEM;
    }
    *backend = (struct backend){.loop = loop, .timeout_ms = options->timeout_ms};
    open_queue(backend, options->loops);
    r = backend_target_init(&backend->target, options);
    if (r == 0) {
        r = open_multi(backend);
    }
    if (r < 0) {
        backend_free(backend);
        return r;
    }
    *ret_backend = backend;
    return 0;
}

void backend_free(struct backend *backend)
{
    if (!backend) {
        return;
    }
    while (backend->posts.first) {
        backend_post_cancel(backend->posts.first);
    }
    loop_fair_done(&backend->queue);
    backend_curl->multi_cleanup(backend->multi); /* may still call for sockets and the timer */
    loop_timer_close(backend->timer);
    backend_target_done(&backend->target);
    jsv_dealloc(os_allocator(), backend, sizeof(*backend));
    backend_curl->global_cleanup();
}

/* ---- posts ---- */

int backend_post_start(
    struct backend *backend,
    const struct backend_message *message,
    backend_done *done,
    void *owner,
    struct backend_post **ret_post)
{
    struct backend_post *post = jsv_alloc(os_allocator(), sizeof(*post));
    if (!post) {
        return -ENOMEM;
    }
    *post = (struct backend_post){.backend = backend, .done = done, .owner = owner};
    int r = backend_transfer_init(&post->transfer, &backend->target, message, post);
    if (r == 0) {
        r = loop_timer_new(backend->loop, expired, post, &post->deadline);
    }
    if (r == 0) {
        r = loop_fair_enter(&backend->queue, message->connection, &post->item);
    }
    post->entered_us = os_now_us();
    if (r == LOOP_FAIR_RUNNING) {
        post->started_us = post->entered_us;
        r = post_run(post);
    }
    if (r < 0) {
        loop_fair_leave(&backend->queue, &post->item);
        post_free(post);
        return r;
    }
    loop_timer_start(post->deadline, backend->timeout_ms);
    os_list_append(&backend->posts, post);
    *ret_post = post;
    return 0;
}

void backend_post_cancel(struct backend_post *post)
{
    post_leave(post);
    post_free(post);
}
