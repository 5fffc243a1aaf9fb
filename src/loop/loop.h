/*
 * The event loop: one per thread, and the only folder that includes libuv.
 *
 * Everything a loop runs happens on its thread; other threads can only post
 * tasks to it (loop_post). Handles (timers, streams, listeners, signals) belong
 * to the loop they were made on. Closing one is final at once for its owner: no
 * callback comes after it, and the loop frees it when libuv is done with it.
 *
 * Memory comes from os_allocator(). Errors are negative errno values.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loop;
struct loop_timer;
struct loop_signal;

/** @return 0 or -errno. */
int loop_new(struct loop **ret_loop);
/** Close all handles, run until that is done, and free. Accepts NULL. */
void loop_free(struct loop *loop);

/** Run until loop_stop(). @return 0 or -errno. */
int loop_run(struct loop *loop);
/**
 * Run a round without timers and events, only tasks and deferred functions: to finish a loop that
 * does not run any more. @return whether there are more of them.
 */
bool loop_round(struct loop *loop);
/** Let loop_run() return after the callback that is running. On the loop's thread. */
void loop_stop(struct loop *loop);

/** Milliseconds of a monotonic clock, as of this round of the loop. */
uint64_t loop_now_ms(const struct loop *loop);

/**
 * Run a function on the loop's thread, soon. The only call for other threads.
 * Tasks of one sender run in order. Never fails: the task is the caller's memory
 * and belongs to the loop until its function is called.
 */
struct loop_task {
    void (*run)(struct loop_task *task);
    struct loop_task *next;
};
void loop_post(struct loop *loop, struct loop_task *task);

/**
 * Functions that are deferred to the end of the round: first all work on what
 * was read, then all sending of the results. So the code of each stays in the
 * caches, and a client that gets many answers is woken up once. A round ends
 * before the loop waits again, or when it has read from LOOP_ROUND_READS streams.
 *
 * Work that is deferred to the next round runs last, for LOOP_NEXT_ROUND_US in
 * all (or one function, if that takes longer); then the loop looks for events.
 * So new events do not wait for it, however much there is.
 */
enum loop_step {
    LOOP_WORK,
    LOOP_SEND,
    LOOP_NEXT_ROUND,
    LOOP_STEPS,
};
#define LOOP_ROUND_READS   32
#define LOOP_NEXT_ROUND_US 1000
struct loop_deferred {
    void (*run)(struct loop_deferred *deferred);
    struct loop_deferred *next;
    bool queued;
};
/** Call a function once, in a step of this round; of the next round if that step has begun. */
void loop_defer(struct loop *loop, enum loop_step step, struct loop_deferred *deferred);
/** Do not call it, if it is queued. Not from a function of the same step, which may come before it.
 */
void loop_cancel(struct loop *loop, struct loop_deferred *deferred);

/* ---- timers ---- */

typedef void loop_fire(void *owner);

/** @return 0 or -ENOMEM. */
int loop_timer_new(struct loop *loop, loop_fire *fire, void *owner, struct loop_timer **ret_timer);
/** Fire once after that many milliseconds; starting again moves it. */
void loop_timer_start(struct loop_timer *timer, uint64_t milliseconds);
void loop_timer_stop(struct loop_timer *timer);
/** Accepts NULL. */
void loop_timer_close(struct loop_timer *timer);

/* ---- signals ---- */

typedef void loop_signalled(void *owner, int number);

/** Be called on the loop's thread when the process gets a signal. @return 0 or -errno. */
int loop_signal_new(
    struct loop *loop,
    int number,
    loop_signalled *signalled,
    void *owner,
    struct loop_signal **ret_signal);
/** Accepts NULL. */
void loop_signal_close(struct loop_signal *signal);

/* ---- descriptors that other code reads and writes (libcurl) ---- */

enum loop_poll_events {
    LOOP_POLL_READ = 1 << 0,
    LOOP_POLL_WRITE = 1 << 1,
};
struct loop_poll;
/** @param error 0, or -errno when polling itself failed. */
typedef void loop_polled(void *owner, unsigned events, int error);
/** @return 0 or -errno. */
int loop_poll_new(
    struct loop *loop, int fd, loop_polled *polled, void *owner, struct loop_poll **ret_poll);
/** Which events to report from now on; 0 for none. @return 0 or -errno. */
int loop_poll_set(struct loop_poll *poll, unsigned events);
/** Before the descriptor is closed. Accepts NULL. */
void loop_poll_close(struct loop_poll *poll);
