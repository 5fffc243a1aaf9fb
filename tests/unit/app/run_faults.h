/*
 * Runs a command again and again, each system call and each allocation failing
 * once: trouble is reported in one line and by the exit status, and nothing is
 * left behind. Run it under a leak checker.
 */
#pragma once

#include "unit/app/run.h"
#include "unit/os/fault.h"

/* The error in `run` after an injected fault; NULL when it is as expected. */
static inline const char *run_fault_verdict(enum fault_call call, const struct run *good)
{
    bool same = run.status == good->status && strcmp(run.out, good->out) == 0 &&
                strcmp(run.err, good->err) == 0;
    /* A failed close of an input is not reported, and OpenSSL can do without some memory. */
    if (same && (call == FAULT_CLOSE || call == FAULT_RESIZE)) {
        return NULL;
    }
    if (run.status != APP_EXIT_TROUBLE) {
        return "exit status";
    }
    /* If the run without fault printed an excerpt, this one may, too. */
    if (good->err[0] != '\0' ? !run_is_message(run.err) : !run_is_one_line(run.err)) {
        return "message";
    }
    /* Standard output is closed after everything was written. */
    bool complete = call == FAULT_CLOSE && strcmp(run.out, good->out) == 0;
    return run.out[0] == '\0' || complete ? NULL : "output";
}

static inline void
run_words_with_fault(const char *in, char **words, enum fault_call call, unsigned at, int error)
{
    static struct run good;
    fault_watch();
    run_words(in, words);
    good = run;
    fault_arm(call, at, error);
    run_words(in, words);
    fault_disarm();
    const char *wrong = fault.hit ? run_fault_verdict(call, &good) : "no fault";
    if (wrong) {
        fail_msg(
            "%s: call %d, time %u: exit %d, out \"%s\", err \"%s\"",
            wrong,
            (int)call,
            at,
            run.status,
            run.out,
            run.err);
    }
}

static inline void run_words_with_faults(const char *in, char **words)
{
    static const struct {
        enum fault_call call;
        int errors[5];
    } faults[] = {
        {FAULT_OPENAT, {ENOENT, EACCES, EMFILE, ENOMEM, EIO}},
        {FAULT_FSTAT, {EIO, ENOMEM, ESTALE}},
        {FAULT_READ, {EIO, EISDIR, EBADF}},
        {FAULT_WRITE, {ENOSPC, EPIPE, EIO, EBADF, EDQUOT}},
        {FAULT_CLOSE, {EIO, ENOSPC, EDQUOT}},
        {FAULT_RESIZE, {ENOMEM}},
    };
    fault_watch();
    run_words(in, words);
    const struct fault good = fault;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        /* Of the writes only the first is a result; if there is a message, it can get lost. */
        bool is_message = faults[i].call == FAULT_WRITE && run.status != APP_EXIT_OK;
        unsigned calls = is_message ? 0 : good.calls[faults[i].call];
        for (unsigned at = 1; at <= calls; at++) {
            for (size_t e = 0; e < 5 && faults[i].errors[e]; e++) {
                run_words_with_fault(in, words, faults[i].call, at, faults[i].errors[e]);
            }
        }
    }
}

/* As run_cli(). */
#define run_cli_with_faults(in, ...)                                                               \
    run_words_with_faults(in, (char **)(uintptr_t)(const char *const[]){__VA_ARGS__, NULL})
