/*
 * How far a long run has come, in one line on the terminal that is drawn again
 * and again and erased in the end:
 *
 *     [########............]  40%  123456 documents  41152/s  0:05 left
 *
 * Whoever writes something else to the terminal hides it first.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct app_progress {
    int fd; /* -1: nothing is ever drawn */
    uint64_t total;
    uint64_t start_ms;
    uint64_t next_ms; /* not to be drawn before */
    bool drawn;
};

/** @param fd A terminal, or -1. @param total Bytes to come; 0: nobody knows. */
void app_progress_init(struct app_progress *progress, int fd, uint64_t total);

/** Draw it, unless it was drawn a moment ago. */
void app_progress_update(struct app_progress *progress, uint64_t documents, uint64_t done);

/** Erase it, until the next update. */
void app_progress_hide(struct app_progress *progress);
