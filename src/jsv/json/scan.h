/*
 * Finding the strings: the first half of reading.
 *
 * A kernel goes over the text in blocks of 64 bytes and lists, in order, the
 * offset of every quote that opens or closes a string and of every backslash
 * that begins an escape. It also checks strings: UTF-8,
 * and no control characters. The text between strings is
 * left to the walk (read.c), which so never has to look at a string's text.
 *
 * Scanning goes window by window, so the list has a fixed size and text and
 * list are still in the nearest cache when the walk uses them.
 *
 * The kernels differ only in how they test 64 bytes at a time. All give the
 * same list, and jsv_scan_kernel_best picks the fastest this machine runs.
 */
#pragma once

#include <jsv/json.h>

#define JSV_SCAN_BLOCK 64

/* Text per window: its offsets (at most one a byte) stay within the second-level cache. */
#define JSV_SCAN_WINDOW 8192

/* Room behind the list that kernels may scribble on, and for one offset carried over. */
#define JSV_SCAN_SLACK     64
#define JSV_SCAN_INDEX_MAX (JSV_SCAN_WINDOW + JSV_SCAN_SLACK)

struct jsv_scan {
    const char *text;
    size_t size;
    size_t position;  /* scanned up to here: a multiple of JSV_SCAN_BLOCK, or size */
    uint64_t inside;  /* all ones when position is inside a string, else 0 */
    uint64_t escaped; /* 1 when the byte at position is escaped, else 0 */
    bool incomplete;  /* a UTF-8 sequence began before position and is not complete */
    bool bad;         /* the window just scanned holds a fault */
    size_t fault;     /* offset of the first fault; SIZE_MAX when none was met */
    enum jsv_error_code fault_code;
};

/* Scans one window; appends to out; returns the number of offsets. */
typedef size_t jsv_scan_kernel(struct jsv_scan *scan, uint32_t *out);

jsv_scan_kernel jsv_scan_portable;
#if defined(__x86_64__)
jsv_scan_kernel jsv_scan_sse2;
jsv_scan_kernel jsv_scan_avx2;
#endif

jsv_scan_kernel *jsv_scan_kernel_best(void);

void jsv_scan_start(struct jsv_scan *scan, struct jsv_str text);

/*
 * Scan the next window. After a fault the list ends before it, scan->fault is
 * set, and further calls return 0, as they do at the end of the text.
 */
size_t jsv_scan_next(struct jsv_scan *scan, jsv_scan_kernel *kernel, uint32_t *out);
