/*
 * A process is three pipes and a descriptor that can be read from once the
 * program has ended (a pidfd). It has four ways to go:
 *
 *     runs     until the program ends, by itself or because it is made to
 *     ended    everything is read and reaped; ended() was called
 *     orphan   closed while it ran: nobody is told, the loop waits for its end
 *     gone     its memory is given back
 *
 * The order at the end matters. While a program that has ended is not reaped
 * its number, which is that of its group, cannot be anybody else's; so first
 * what is left of the group is killed, then the program is reaped. Only after
 * that the pipes are read empty: all the program wrote is in them by then, and
 * nobody is waited for who may hold their other ends for ever.
 */
#include "loop/process.h"

#include <errno.h>
#include <signal.h>

#include "loop/object.h"
#include "loop/stream.h"
#include "os/sys.h"

/* Between asking and ending by force: time to remove a temporary file, not to finish the work. */
#define GRACE_MS 1000

/* How long a loop that is freed waits for what it has killed: the kernel may be busy with it. */
#define KILLED_MS 2000

/* What one read takes: the capacity of a pipe. */
#define READ_SIZE ((size_t)64 << 10)

/* Reads at the end of a program: what its pipe may hold, twice; more is somebody else writing. */
#define LAST_READS_MAX 32

struct sink {
    struct loop_process *process;
    struct loop_stream *stream; /* NULL: closed */
    struct jsv_buf bytes;
    size_t size_max;
    bool is_output; /* too much of it ends the process */
};

struct loop_process {
    struct loop_object object;
    pid_t pid;
    int pidfd;
    struct loop_poll *watch; /* of the pidfd */
    struct loop_timer *timer;
    struct loop_stream *input;
    struct sink output;
    struct sink error;
    bool is_dying; /* it was asked to stop */
    bool is_over;  /* it was reaped */
    struct loop_process_end end;
    loop_process_ended *ended; /* NULL: an orphan */
    void *owner;
};

/* ---- giving back ---- */

static void close_sink(struct sink *sink)
{
    loop_stream_close(sink->stream);
    sink->stream = NULL;
}

static void close_pipes(struct loop_process *process)
{
    loop_stream_close(process->input);
    process->input = NULL;
    close_sink(&process->output);
    close_sink(&process->error);
}

static void free_process(struct loop_process *process)
{
    close_pipes(process);
    loop_poll_close(process->watch);
    loop_timer_close(process->timer);
    os_close(process->pidfd);
    jsv_buf_done(&process->output.bytes);
    jsv_buf_done(&process->error.bytes);
    loop_object_free(&process->object);
}

/* By force, and with all of its group; then reap it, unless the kernel cannot let go of it. */
static void end_at_once(struct loop_process *process)
{
    siginfo_t info;
    (void)os_kill_group(process->pid, SIGKILL);
    uint64_t until = os_now_ms() + KILLED_MS;
    while (os_reap(process->pid, &info) == 0 && os_now_ms() < until) {
        if (process->pidfd >= 0) {
            (void)os_wait_read(process->pidfd, KILLED_MS);
        }
    }
    process->is_over = true;
}

static void close_object(struct loop_object *object)
{
    struct loop_process *process = (struct loop_process *)object;
    if (!process->is_over) {
        end_at_once(process);
    }
    free_process(process);
}

/* ---- ending ---- */

static void stop_softly(struct loop_process *process)
{
    if (process->is_dying) {
        return;
    }
    process->is_dying = true;
    (void)os_kill_group(process->pid, SIGTERM);
    loop_timer_start(process->timer, GRACE_MS);
}

/* End it early, for the first reason there is. */
static void cut(struct loop_process *process, enum loop_process_cut why, int error)
{
    if (process->end.cut == LOOP_PROCESS_WHOLE) {
        process->end.cut = why;
        process->end.cut_error = error;
    }
    stop_softly(process);
}

static void on_time(void *owner)
{
    struct loop_process *process = owner;
    if (process->is_dying) {
        (void)os_kill_group(process->pid, SIGKILL);
    } else {
        cut(process, LOOP_PROCESS_TIMEOUT, 0);
    }
}

/* ---- output ---- */

static void sink_space(void *owner, char **ret_data, size_t *ret_size)
{
    struct sink *sink = owner;
    if (jsv_buf_reserve(&sink->bytes, READ_SIZE) == 0) {
        *ret_data = sink->bytes.data + sink->bytes.size;
        *ret_size = READ_SIZE;
    }
}

static void sink_read(void *owner, size_t size)
{
    struct sink *sink = owner;
    size_t room = sink->size_max - sink->bytes.size;
    sink->bytes.size += size < room ? size : room;
    if (size > room && sink->is_output) {
        close_sink(sink);
        cut(sink->process, LOOP_PROCESS_OUTPUT_MAX, 0);
    }
}

static void sink_end(void *owner, int error)
{
    struct sink *sink = owner;
    close_sink(sink);
    if (error < 0) {
        cut(sink->process, LOOP_PROCESS_BROKEN, error);
    }
}

static void sink_drained(void *owner, int error)
{
    (void)owner; /* nothing is written to it */
    (void)error;
}

static const struct loop_stream_events sink_events = {
    .space = sink_space,
    .read = sink_read,
    .end = sink_end,
    .drained = sink_drained,
};

/* What is in the pipe of a program that has ended. */
static void empty_sink(struct sink *sink)
{
    for (unsigned i = 0; i < LAST_READS_MAX && sink->stream; i++) {
        if (!loop_stream_read_now(sink->stream)) {
            return;
        }
    }
}

/* ---- input ---- */

static void input_drained(void *owner, int error)
{
    (void)error; /* whether a program reads what it is given is its own affair */
    struct loop_process *process = owner;
    loop_stream_close(process->input);
    process->input = NULL;
}

static const struct loop_stream_events input_events = {.drained = input_drained};

static int give_input(struct loop_process *process, struct jsv_str bytes)
{
    int r = bytes.size > 0 ? loop_stream_write(process->input, bytes) : 0;
    if (r < 0 || loop_stream_queued(process->input) == 0) {
        input_drained(process, r);
    }
    return r == -ENOMEM ? r : 0;
}

/* ---- the program's end ---- */

static void tell(struct loop_process *process, const siginfo_t *info)
{
    struct loop_process_end *end = &process->end;
    empty_sink(&process->output);
    empty_sink(&process->error);
    end->exit_code = info->si_code == CLD_EXITED ? info->si_status : 0;
    end->signal = info->si_code == CLD_EXITED ? 0 : info->si_status;
    end->output = jsv_buf_str(&process->output.bytes);
    end->error = jsv_buf_str(&process->error.bytes);
    close_pipes(process);
    process->ended(process->owner, end);
}

static void on_ended(void *owner, unsigned events, int error)
{
    (void)events;
    (void)error;
    struct loop_process *process = owner;
    siginfo_t info;
    (void)os_kill_group(process->pid, SIGKILL);
    int r = os_reap(process->pid, &info);
    if (r == 0) {
        return;
    }
    process->is_over = true;
    loop_timer_stop(process->timer);
    loop_poll_close(process->watch);
    process->watch = NULL;
    if (!process->ended) {
        free_process(process);
    } else {
        tell(process, &info);
    }
}

void loop_process_stop(struct loop_process *process)
{
    if (!process->is_over) {
        cut(process, LOOP_PROCESS_STOPPED, 0);
    }
}

void loop_process_close(struct loop_process *process)
{
    if (!process) {
        return;
    }
    if (process->is_over) {
        free_process(process);
        return;
    }
    process->ended = NULL;
    close_pipes(process);
    stop_softly(process);
}

/* ---- starting ---- */

enum {
    STDIN,
    STDOUT,
    STDERR,
    STREAMS,
};

struct pipes {
    int ours[STREAMS];
    int theirs[STREAMS];
};

static void close_all(int fds[static STREAMS])
{
    for (size_t i = 0; i < STREAMS; i++) {
        os_close(fds[i]);
        fds[i] = -1;
    }
}

static int make_pipes(struct pipes *pipes)
{
    *pipes = (struct pipes){{-1, -1, -1}, {-1, -1, -1}};
    for (size_t i = 0; i < STREAMS; i++) {
        int fds[2];
        int r = os_pipe(fds);
        if (r < 0) {
            return r;
        }
        pipes->ours[i] = fds[i == STDIN];
        pipes->theirs[i] = fds[i != STDIN];
    }
    return 0;
}

/* The descriptor becomes the stream's. */
static int open_stream(
    struct loop_process *process,
    int *fd,
    const struct loop_stream_events *events,
    void *owner,
    struct loop_stream **ret_stream)
{
    int r = loop_stream_open(process->object.loop, *fd, events, owner, ret_stream);
    if (r == 0) {
        *fd = -1;
    }
    return r;
}

static int open_streams(struct loop_process *process, struct pipes *pipes)
{
    struct sink *output = &process->output;
    struct sink *error = &process->error;
    int r = open_stream(process, &pipes->ours[STDIN], &input_events, process, &process->input);
    if (r == 0) {
        r = open_stream(process, &pipes->ours[STDOUT], &sink_events, output, &output->stream);
    }
    if (r == 0) {
        r = open_stream(process, &pipes->ours[STDERR], &sink_events, error, &error->stream);
    }
    if (r == 0) {
        r = loop_stream_start(output->stream);
    }
    return r == 0 ? loop_stream_start(error->stream) : r;
}

/* Everything that could fail is made before the program runs, but for watching it. */
static int launch(struct loop_process *process, const struct os_spawn *wanted, struct pipes *pipes)
{
    struct os_spawn program = *wanted;
    int r = open_streams(process, pipes);
    if (r < 0) {
        return r;
    }
    for (size_t i = 0; i < STREAMS; i++) {
        program.fds[i] = pipes->theirs[i];
    }
    r = os_spawn(&program, &process->pid);
    if (r < 0) {
        process->is_over = true;
        return r;
    }
    process->is_over = false;
    process->pidfd = os_pidfd_open(process->pid);
    if (process->pidfd < 0) {
        return process->pidfd;
    }
    r = loop_poll_new(process->object.loop, process->pidfd, on_ended, process, &process->watch);
    return r == 0 ? loop_poll_set(process->watch, LOOP_POLL_READ) : r;
}

static void init_sink(struct sink *sink, struct loop_process *process, size_t size_max)
{
    *sink = (struct sink){.process = process, .size_max = size_max};
    jsv_buf_init(&sink->bytes, os_allocator(), size_max + READ_SIZE);
}

int loop_process_start(
    struct loop *loop,
    const struct loop_process_options *options,
    loop_process_ended *ended,
    void *owner,
    struct loop_process **ret_process)
{
    struct loop_process *process = loop_object_new(loop, sizeof(*process), close_object);
    if (!process) {
        return -ENOMEM;
    }
    process->pidfd = -1;
    process->is_over = true; /* until it has begun */
    process->ended = ended;
    process->owner = owner;
    init_sink(&process->output, process, options->output_max);
    init_sink(&process->error, process, options->error_max);
    process->output.is_output = true;

    struct pipes pipes;
    int r = make_pipes(&pipes);
    r = r == 0 ? loop_timer_new(loop, on_time, process, &process->timer) : r;
    r = r == 0 ? launch(process, options->program, &pipes) : r;
    close_all(pipes.theirs);
    r = r == 0 ? give_input(process, options->input) : r;
    close_all(pipes.ours);
    if (r < 0) {
        close_object(&process->object);
        return r;
    }
    if (options->timeout_ms > 0) {
        loop_timer_start(process->timer, options->timeout_ms);
    }
    *ret_process = process;
    return 0;
}
