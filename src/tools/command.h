/*
 * External tools: programs run as their descriptors say (docs/external-tools.md).
 *
 * A call waits while its program runs, and before that while too many others
 * run; waiting calls are started fairly by connection (loop/fair_queue.h). The
 * program's output becomes the result. A failure is in call->failure, with the
 * output so far as a partial result.
 *
 * The program of a cancelled call is stopped, and counts as running until it has
 * ended: cancelling does not get a client more programs.
 */
#pragma once

#include "loop/fair_queue.h"
#include "tools/tool.h"

/* Programs at the same time, per processor: most of them wait for I/O. */
#define COMMANDS_PER_CPU 16
/* A quarter more for connections that run none, so that they need not wait for the others. */
#define COMMANDS_EXTRA_PART 4
/* A program takes four descriptors; all programs together may use a quarter of the limit. */
#define COMMANDS_DESCRIPTORS_PART 16
/* Waiting calls of one loop; further ones are refused. */
#define COMMANDS_WAITING_MAX 256

/* Defaults of a descriptor. */
#define COMMAND_TIMEOUT_MS 30000
#define COMMAND_OUTPUT_MAX ((size_t)1 << 20)
/* The largest output a descriptor may allow: no answer is larger. */
#define COMMAND_OUTPUT_CEILING ((size_t)4 << 20)

struct command_run;
struct log_counters;

/** Programs of one loop. */
struct commands {
    struct loop *loop;
    struct log_counters *counters; /* may be NULL */
    struct loop_fair_queue queue;
    OS_LIST_OF(struct command_run) runs; /* whose programs run */
};

/** @param loops How many share the processors. */
void commands_init(struct commands *commands, struct loop *loop, size_t loops);
/** After all calls are finished or cancelled. */
void commands_done(struct commands *commands);

/** Whether a tool is a program. */
bool command_is(const struct catalog_tool *tool);
/** As tool_run(). */
int command_call(struct tool_call *call);
/** As tool_cancel(): the program is made to end. */
void command_cancel(struct tool_call *call);
