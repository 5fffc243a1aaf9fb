/*
 * Programs run on a loop.
 *
 * A process is given its input as bytes, which are written as it takes them,
 * and what it puts out is kept up to a ceiling. Its end is told once, when the
 * program itself has ended and all it had put out is read. What it has started
 * and left behind in its process group ends with it.
 *
 * To end one early is to ask its group to stop (SIGTERM), and to end it by
 * force (SIGKILL) a little later. Whoever closes a process is rid of it at
 * once; the loop goes on to end and reap it, so that neither descriptors nor
 * zombies stay behind. A loop that is freed ends what is left by force.
 */
#pragma once

#include <jsv/jsv.h>

#include "loop/loop.h"

struct os_spawn;
struct loop_process;

struct loop_process_options {
    const struct os_spawn *program; /* its fds are filled in here; borrowed for the call */
    struct jsv_str input;           /* copied as far as it is not taken at once */
    size_t output_max;              /* bytes of standard output; more ends the process */
    size_t error_max;               /* bytes of standard error; more is thrown away */
    uint64_t timeout_ms;            /* 0: none */
};

/** Why a process was ended before it would have. */
enum loop_process_cut {
    LOOP_PROCESS_WHOLE, /* it was not */
    LOOP_PROCESS_TIMEOUT,
    LOOP_PROCESS_OUTPUT_MAX,
    LOOP_PROCESS_STOPPED, /* by loop_process_stop() */
    LOOP_PROCESS_BROKEN,  /* by our own trouble: cut_error */
};

struct loop_process_end {
    enum loop_process_cut cut;
    int cut_error;
    int exit_code;         /* when signal is 0 */
    int signal;            /* that ended it, or 0 */
    struct jsv_str output; /* at most the first output_max bytes; until the process is closed */
    struct jsv_str error;
};

/** Told once. The process is still the owner's to close, from within or later. */
typedef void loop_process_ended(void *owner, const struct loop_process_end *end);

/**
 * Start a program.
 *
 * @return 0; what os_spawn() says when there is no such program; -EMFILE, -ENOMEM …; ended()
 *         comes only after 0, and not from within.
 */
int loop_process_start(
    struct loop *loop,
    const struct loop_process_options *options,
    loop_process_ended *ended,
    void *owner,
    struct loop_process **ret_process);

/** Make it end; ended() tells when it has. After the end nothing happens. */
void loop_process_stop(struct loop_process *process);
/** Give it up, or give it back after its end. Accepts NULL. */
void loop_process_close(struct loop_process *process);
