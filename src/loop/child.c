/*
 * A child is three pipes and a pidfd, which can be read from once the program
 * has ended. It is in one of these states:
 *
 *     running   until the program ends, by itself or because it is made to
 *     ended     everything is read and reaped; ended() was called
 *     orphan    closed while it ran: no event is called, the loop waits for its end
 *
 * The order at the end matters. While a program that has ended is not reaped,
 * its number, which is that of its group, cannot be that of another process. So
 * first the rest of the group is killed, then the program is reaped. Only then
 * are the pipes read empty: all that the program wrote is in them by then, and
 * the loop does not wait for others that may hold their other ends for ever.
 */
#include "loop/child.h"

#include <errno.h>
#include <signal.h>

#include "loop/object.h"
#include "os/sys.h"

/* Between SIGTERM and SIGKILL: time to remove a temporary file, not to finish the work. */
#define GRACE_MS 1000

/* How long a loop that is freed waits for a child it has killed: the kernel may be busy with it. */
#define KILLED_MS 2000

/* Reads at the end of a program: twice what a pipe holds; more is written by another process. */
#define LAST_READS_MAX 32

struct loop_child {
    struct loop_object object;
    pid_t pid;
    int pidfd;
    struct loop_poll *watch; /* of the pidfd */
    struct loop_timer *grace;
    struct loop_stream *streams[LOOP_CHILD_PIPES]; /* NULL: closed */
    bool is_stopping;
    bool is_reaped;
    bool is_reading_rest;
    void (*ended)(void *owner, const struct loop_child_end *end); /* NULL: an orphan */
    void *owner;
};

struct loop_stream *loop_child_stream(const struct loop_child *child, enum loop_child_pipe pipe)
{
    return child->streams[pipe];
}

/* ---- the end ---- */

void loop_child_close_pipe(struct loop_child *child, enum loop_child_pipe pipe)
{
    loop_stream_close(child->streams[pipe]);
    child->streams[pipe] = NULL;
}

static void close_pipes(struct loop_child *child)
{
    for (unsigned i = 0; i < LOOP_CHILD_PIPES; i++) {
        loop_child_close_pipe(child, (enum loop_child_pipe)i);
    }
}

/* The program is killed with its group and reaped, unless the kernel cannot let go of it. */
static void kill_and_reap(struct loop_child *child)
{
    siginfo_t info;
    (void)os_kill_group(child->pid, SIGKILL);
    uint64_t until = os_now_ms() + KILLED_MS;
    while (os_reap(child->pid, &info) == 0 && os_now_ms() < until) {
        if (child->pidfd >= 0) {
            (void)os_wait_read(child->pidfd, KILLED_MS);
        }
    }
}

static void close_object(struct loop_object *object)
{
    struct loop_child *child = (struct loop_child *)object;
    if (!child->is_reaped) {
        kill_and_reap(child);
    }
    close_pipes(child);
    loop_poll_close(child->watch);
    loop_timer_close(child->grace);
    os_close(child->pidfd);
    loop_object_free(&child->object);
}

static void on_grace_over(void *owner)
{
    struct loop_child *child = owner;
    (void)os_kill_group(child->pid, SIGKILL);
}

void loop_child_stop(struct loop_child *child)
{
    if (!child->is_reaped && !child->is_stopping) {
        child->is_stopping = true;
        (void)os_kill_group(child->pid, SIGTERM);
        loop_timer_start(child->grace, GRACE_MS);
    }
}

void loop_child_close(struct loop_child *child)
{
    if (!child) {
        return;
    }
    if (child->is_reading_rest) {
        child->ended = NULL; /* on_ended() closes it */
        return;
    }
    if (child->is_reaped) {
        close_object(&child->object);
        return;
    }
    child->ended = NULL;
    close_pipes(child);
    loop_child_stop(child);
}

static void read_rest(struct loop_child *child, enum loop_child_pipe pipe)
{
    for (unsigned i = 0; i < LAST_READS_MAX && child->streams[pipe]; i++) {
        if (!loop_stream_read_now(child->streams[pipe])) {
            return;
        }
    }
}

static void on_ended(void *owner, unsigned events, int error)
{
    (void)events;
    (void)error;
    struct loop_child *child = owner;
    siginfo_t info;
    (void)os_kill_group(child->pid, SIGKILL);
    if (os_reap(child->pid, &info) == 0) {
        return;
    }
    child->is_reaped = true;
    loop_timer_stop(child->grace);
    loop_poll_close(child->watch);
    child->watch = NULL;
    if (!child->ended) {
        close_object(&child->object);
        return;
    }
    const struct loop_child_end end = {
        .exit_code = info.si_code == CLD_EXITED ? info.si_status : 0,
        .signal = info.si_code == CLD_EXITED ? 0 : info.si_status,
    };
    child->is_reading_rest = true;
    read_rest(child, LOOP_CHILD_OUTPUT);
    read_rest(child, LOOP_CHILD_ERROR);
    child->is_reading_rest = false;
    if (!child->ended) { /* a callback of a stream has closed it */
        close_object(&child->object);
        return;
    }
    close_pipes(child);
    child->ended(child->owner, &end);
}

/* ---- starting ---- */

/* Open a pipe with its stream. @param ret_theirs The program's end, for the caller to close. */
static int open_pipe(
    struct loop_child *child,
    const struct loop_child_options *options,
    enum loop_child_pipe pipe,
    int *ret_theirs)
{
    int fds[2];
    int r = os_pipe(fds);
    if (r < 0) {
        return r;
    }
    bool is_input = pipe == LOOP_CHILD_INPUT;
    *ret_theirs = fds[!is_input];
    r = loop_stream_open(
        child->object.loop,
        fds[is_input],
        options->events[pipe],
        options->stream_owners[pipe],
        &child->streams[pipe]);
    if (r < 0) {
        os_close(fds[is_input]);
    }
    return r == 0 && !is_input ? loop_stream_start(child->streams[pipe]) : r;
}

static int watch(struct loop_child *child)
{
    child->pidfd = os_pidfd_open(child->pid);
    if (child->pidfd < 0) {
        return child->pidfd;
    }
    int r = loop_poll_new(child->object.loop, child->pidfd, on_ended, child, &child->watch);
    return r == 0 ? loop_poll_set(child->watch, LOOP_POLL_READ) : r;
}

/* Everything that can fail is done before the program runs, but for watching it. */
static int launch(struct loop_child *child, const struct loop_child_options *options)
{
    struct os_spawn program = *options->program;
    int r = loop_timer_new(child->object.loop, on_grace_over, child, &child->grace);
    for (unsigned i = 0; i < LOOP_CHILD_PIPES; i++) {
        program.fds[i] = -1;
        if (r == 0) {
            r = open_pipe(child, options, (enum loop_child_pipe)i, &program.fds[i]);
        }
    }
    if (r == 0) {
        r = os_spawn(&program, &child->pid);
        child->is_reaped = r < 0;
    }
    for (unsigned i = 0; i < LOOP_CHILD_PIPES; i++) {
        os_close(program.fds[i]);
    }
    return r == 0 ? watch(child) : r;
}

int loop_child_start(
    struct loop *loop, const struct loop_child_options *options, struct loop_child **ret_child)
{
    struct loop_child *child = loop_object_new(loop, sizeof(*child), close_object);
    if (!child) {
        return -ENOMEM;
    }
    child->pidfd = -1;
    child->is_reaped = true; /* until it runs */
    child->ended = options->ended;
    child->owner = options->owner;
    int r = launch(child, options);
    if (r < 0) {
        close_object(&child->object);
        return r;
    }
    *ret_child = child;
    return 0;
}
