/*
 * Programs run on a loop, each with three pipes for its standard streams.
 *
 * The owner reads and writes the pipes as loop_streams, with back-pressure both
 * ways: loop_stream_queued() of the input, loop_stream_stop() of the outputs.
 * The end is told once, when the program itself has ended and all it had
 * written is read. Processes that it has started and left behind in its process
 * group are killed with it.
 *
 * Stopping asks the group to end (SIGTERM) and kills it (SIGKILL) a little
 * later. A child that is closed is stopped; the loop goes on to reap it, so that
 * neither descriptors nor zombies stay behind. A loop that is freed kills its
 * children.
 */
#pragma once

#include "loop/stream.h"

struct os_spawn;
struct loop_child;

enum loop_child_pipe {
    LOOP_CHILD_INPUT,
    LOOP_CHILD_OUTPUT,
    LOOP_CHILD_ERROR,
    LOOP_CHILD_PIPES,
};

/** How a program ended. */
struct loop_child_end {
    int exit_code; /* when signal is 0 */
    int signal;    /* that ended it, or 0 */
};

struct loop_child_options {
    const struct os_spawn *program; /* its fds are filled in here; borrowed for the call */
    /* Of each pipe. Those of the outputs are read from the start, and once more at the end of the
       program, though they may be stopped then. */
    const struct loop_stream_events *events[LOOP_CHILD_PIPES];
    void *stream_owners[LOOP_CHILD_PIPES];
    /* Called once. The child is still the owner's to close, from within or later. */
    void (*ended)(void *owner, const struct loop_child_end *end);
    void *owner;
};

/**
 * Start a program.
 *
 * @return 0; what os_spawn() returns when there is no such program; -EMFILE, -ENOMEM …; no event
 *         comes from within.
 */
int loop_child_start(
    struct loop *loop, const struct loop_child_options *options, struct loop_child **ret_child);

/** @return NULL when it is closed: by loop_child_close_pipe(), or after the end of the program. */
struct loop_stream *loop_child_stream(const struct loop_child *child, enum loop_child_pipe pipe);
void loop_child_close_pipe(struct loop_child *child, enum loop_child_pipe pipe);

/** Make it end; ended() is called when it has. Has no effect after the end. */
void loop_child_stop(struct loop_child *child);
/** Give it up, or free it after its end. Accepts NULL. */
void loop_child_close(struct loop_child *child);
