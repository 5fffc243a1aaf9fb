/*
 * External tools: programs run as their descriptors say (docs/external-tools.md).
 *
 * A call waits while its program runs, and before that while too many others
 * do; then connections are served in turn (loop/fair_queue.h). What the
 * program puts out becomes the result; what goes wrong becomes
 * call->failure, with what had been put out by then as a partial result.
 *
 * The program of a call that is cancelled is made to end, and counts among
 * those that run until it has: nobody gets more of them by giving up fast.
 */
#pragma once

#include "loop/fair_queue.h"
#include "tools/tool.h"

/* Programs at the same time, per processor: most of them wait for something, and each has its own
   memory. */
#define COMMANDS_PER_CPU 16
/* And for connections that run none, this part of it more: they need not wait for the others. */
#define COMMANDS_EXTRA_PART 4
/* A program takes four descriptors. All together get a quarter of those there are. */
#define COMMANDS_DESCRIPTORS_PART 16
/* Calls of one loop that wait; one more is refused rather than forgotten. */
#define COMMANDS_WAITING_MAX 256

/* What a descriptor may change. */
#define COMMAND_TIMEOUT_MS 30000
#define COMMAND_OUTPUT_MAX ((size_t)1 << 20)
/* And how far: no answer carries more. */
#define COMMAND_OUTPUT_CEILING ((size_t)4 << 20)

struct command_run;
struct log_counters;

/** Programs of one loop. */
struct commands {
    struct loop *loop;
    struct log_counters *counters; /* NULL: nobody counts */
    struct loop_fair_queue queue;
    OS_LIST_OF(struct command_run) runs; /* whose programs run */
};

/** @param loops How many share the processors. */
void commands_init(struct commands *commands, struct loop *loop, size_t loops);
/** After all calls are over or cancelled: what still runs is left to the loop to end. */
void commands_done(struct commands *commands);

/** Whether a tool is a program. */
bool command_is(const struct catalog_tool *tool);
/** As tool_run(). */
int command_call(struct tool_call *call);
/** As tool_cancel(): the program is made to end. */
void command_cancel(struct tool_call *call);
