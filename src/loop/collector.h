/*
 * Runs a program to its end: gives it its input as bytes, and collects what it
 * writes up to a ceiling.
 */
#pragma once

#include "loop/child.h"

struct loop_collector;

struct loop_collector_options {
    const struct os_spawn *program; /* borrowed for the call */
    struct jsv_str input;           /* copied as far as the program does not read it at once */
    size_t output_max;              /* bytes of standard output; more stops the program */
    size_t error_max;               /* bytes of standard error; more is dropped */
    uint64_t timeout_ms;            /* 0: none */
};

/** Why a program was stopped. */
enum loop_collector_cut {
    LOOP_COLLECTOR_NOT_CUT,
    LOOP_COLLECTOR_TIMEOUT,
    LOOP_COLLECTOR_OUTPUT_MAX,
    LOOP_COLLECTOR_STOPPED, /* by loop_collector_stop() */
    LOOP_COLLECTOR_BROKEN,  /* an error of ours: cut_error */
};

struct loop_collected {
    enum loop_collector_cut cut;
    int cut_error;
    int exit_code;         /* when signal is 0 */
    int signal;            /* that ended it, or 0 */
    struct jsv_str output; /* at most the first output_max bytes; until the collector is closed */
    struct jsv_str error;
};

/** Called once. The collector is still the owner's to close, from within or later. */
typedef void loop_collector_ended(void *owner, const struct loop_collected *collected);

/** @return as loop_child_start(). */
int loop_collector_start(
    struct loop *loop,
    const struct loop_collector_options *options,
    loop_collector_ended *ended,
    void *owner,
    struct loop_collector **ret_collector);

/** Make the program end; ended() is called when it has. Has no effect after the end. */
void loop_collector_stop(struct loop_collector *collector);
/** Give it up: the program is stopped. Or free it after the end. Accepts NULL. */
void loop_collector_close(struct loop_collector *collector);
