/*
 * A round of the loop, by libuv's order: due timers; waiting; all events.
 * Deferred functions run after the events, once more before waiting (a timer may
 * have deferred some), and in between when enough was read. While there are more
 * of them, the loop looks for events without waiting.
 *
 * Posted tasks are a stack that threads push on with one atomic operation, and
 * that the loop takes as a whole and reverses. Only the push on an empty stack
 * has to wake the loop.
 */
#include "loop/loop.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>

#include "jsv/base/alloc.h"
#include "loop/object.h"
#include "os/sys.h"

/* ---- libuv's memory ---- */

static void *uv_memory_new(size_t size)
{
    return os_sys->resize(NULL, size > 0 ? size : 1);
}

/* libuv aborts when its table of descriptors cannot grow, so this tries twice. */
static void *uv_memory_resize(void *memory, size_t size)
{
    size = size > 0 ? size : 1;
    void *resized = os_sys->resize(memory, size);
    return resized ? resized : os_sys->resize(memory, size);
}

static void *uv_memory_array(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        return NULL;
    }
    char *memory = uv_memory_new(bytes);
    for (size_t i = 0; memory && i < bytes; i++) {
        memory[i] = 0;
    }
    return memory;
}

static void uv_memory_free(void *memory)
{
    os_sys->resize(memory, 0);
}

static void use_our_memory(void)
{
    (void)uv_replace_allocator(uv_memory_new, uv_memory_resize, uv_memory_array, uv_memory_free);
}

/* ---- tasks ---- */

static struct loop_task *take_tasks(struct loop *loop)
{
    struct loop_task *newest = __atomic_exchange_n(&loop->tasks, NULL, __ATOMIC_ACQUIRE);
    struct loop_task *oldest = NULL;
    while (newest) {
        struct loop_task *before = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = before;
    }
    return oldest;
}

static void run_tasks(struct loop *loop)
{
    struct loop_task *task = take_tasks(loop);
    while (task) {
        struct loop_task *next = task->next; /* run() may free the task, or post it again */
        task->run(task);
        task = next;
    }
}

static void on_wake(uv_async_t *wake)
{
    run_tasks((struct loop *)wake->data);
}

void loop_post(struct loop *loop, struct loop_task *task)
{
    struct loop_task *before = __atomic_load_n(&loop->tasks, __ATOMIC_RELAXED);
    do {
        task->next = before;
    } while (!__atomic_compare_exchange_n(
        &loop->tasks, &before, task, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    /* From here on the task belongs to the loop, and may be freed. */
    if (!before) {
        (void)uv_async_send(&loop->wake);
    }
}

/* ---- the end of a round ---- */

void loop_defer(struct loop *loop, enum loop_step step, struct loop_deferred *deferred)
{
    if (deferred->queued) {
        return;
    }
    struct loop_deferred_list *list = &loop->deferred[step];
    deferred->queued = true;
    deferred->next = NULL;
    *list->end = deferred;
    list->end = &deferred->next;
}

void loop_cancel(struct loop *loop, struct loop_deferred *deferred)
{
    for (size_t i = 0; deferred->queued && i < LOOP_STEPS; i++) {
        struct loop_deferred **link = &loop->deferred[i].first;
        while (*link && *link != deferred) {
            link = &(*link)->next;
        }
        if (*link) {
            *link = deferred->next;
            loop->deferred[i].end = deferred->next ? loop->deferred[i].end : link;
            deferred->queued = false;
        }
    }
    assert(!deferred->queued); /* it waits in a step that is running: see loop.h */
}

static void clear(struct loop_deferred_list *list)
{
    list->first = NULL;
    list->end = &list->first;
}

static void run_step(struct loop_deferred_list *list)
{
    struct loop_deferred *deferred = list->first;
    clear(list);
    while (deferred) {
        struct loop_deferred *next = deferred->next; /* running may free it, or queue it again */
        deferred->queued = false;
        deferred->run(deferred);
        deferred = next;
    }
}

/* Functions for which there is no time stay first in the list. */
static void run_next_round(struct loop *loop)
{
    struct loop_deferred_list *list = &loop->deferred[LOOP_NEXT_ROUND];
    struct loop_deferred_list due = *list;
    if (!due.first) {
        return;
    }
    uint64_t until = os_now_us() + LOOP_NEXT_ROUND_US;
    clear(list);
    do {
        struct loop_deferred *deferred = due.first;
        due.first = deferred->next;
        deferred->queued = false;
        deferred->run(deferred);
    } while (due.first && os_now_us() < until);
    if (due.first) {
        *due.end = list->first;
        list->end = list->first ? list->end : due.end;
        list->first = due.first;
    }
}

static bool has_deferred(const struct loop *loop)
{
    for (size_t i = 0; i < LOOP_STEPS; i++) {
        if (loop->deferred[i].first) {
            return true;
        }
    }
    return false;
}

static void end_round(struct loop *loop)
{
    loop->reads = 0;
    run_step(&loop->deferred[LOOP_WORK]);
    run_step(&loop->deferred[LOOP_SEND]);
}

void loop_has_read(struct loop *loop)
{
    if (++loop->reads == LOOP_ROUND_READS) {
        end_round(loop);
    }
}

static void on_busy(uv_idle_t *busy)
{
    (void)busy;
}

static void on_check(uv_check_t *check)
{
    struct loop *loop = check->data;
    end_round(loop);
    run_next_round(loop);
}

static void on_prepare(uv_prepare_t *prepare)
{
    struct loop *loop = prepare->data;
    end_round(loop);
    if (has_deferred(loop)) {
        (void)uv_idle_start(&loop->busy, on_busy);
    } else {
        (void)uv_idle_stop(&loop->busy);
    }
}

/* ---- the loop ---- */

static int start(struct loop *loop)
{
    int r = uv_async_init(&loop->uv, &loop->wake, on_wake);
    if (r < 0) {
        return r;
    }
    loop->wake.data = loop;
    (void)uv_prepare_init(&loop->uv, &loop->prepare);
    loop->prepare.data = loop;
    (void)uv_prepare_start(&loop->prepare, on_prepare);
    (void)uv_check_init(&loop->uv, &loop->check);
    loop->check.data = loop;
    (void)uv_check_start(&loop->check, on_check);
    (void)uv_idle_init(&loop->uv, &loop->busy);
    return 0;
}

int loop_new(struct loop **ret_loop)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, use_our_memory);

    struct loop *loop = jsv_alloc(os_allocator(), sizeof(*loop));
    if (!loop) {
        return -ENOMEM;
    }
    *loop = (struct loop){0};
    for (size_t i = 0; i < LOOP_STEPS; i++) {
        clear(&loop->deferred[i]);
    }
    int r = uv_loop_init(&loop->uv);
    if (r < 0) {
        jsv_dealloc(os_allocator(), loop, sizeof(*loop));
        return r;
    }
    r = start(loop);
    if (r < 0) {
        (void)uv_loop_close(&loop->uv);
        jsv_dealloc(os_allocator(), loop, sizeof(*loop));
        return r;
    }
    *ret_loop = loop;
    return 0;
}

static void close_objects(struct loop *loop)
{
    while (loop->objects.first) {
        loop->objects.first->close(loop->objects.first);
    }
}

void loop_free(struct loop *loop)
{
    if (!loop) {
        return;
    }
    while (loop_round(loop)) {
        /* deferred functions and tasks always run; owners may close handles there */
    }
    close_objects(loop);
    uv_close((uv_handle_t *)&loop->wake, NULL);
    uv_close((uv_handle_t *)&loop->prepare, NULL);
    uv_close((uv_handle_t *)&loop->check, NULL);
    uv_close((uv_handle_t *)&loop->busy, NULL);
    while (uv_run(&loop->uv, UV_RUN_DEFAULT) != 0) {
        /* it was stopped when it did not run */
    }
    int r = uv_loop_close(&loop->uv);
    assert(r == 0);
    (void)r;
    jsv_dealloc(os_allocator(), loop, sizeof(*loop));
}

bool loop_round(struct loop *loop)
{
    run_tasks(loop);
    end_round(loop);
    run_next_round(loop);
    return __atomic_load_n(&loop->tasks, __ATOMIC_RELAXED) || has_deferred(loop);
}

int loop_run(struct loop *loop)
{
    (void)uv_run(&loop->uv, UV_RUN_DEFAULT);
    return 0;
}

void loop_stop(struct loop *loop)
{
    uv_stop(&loop->uv);
}

uint64_t loop_now_ms(const struct loop *loop)
{
    return uv_now(&loop->uv);
}
