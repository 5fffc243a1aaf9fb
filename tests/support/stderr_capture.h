/*
 * What is said on standard error, which goes into a file in memory between
 * stderr_begin() and stderr_end(). One at a time; failed assertions between
 * the two leave it so. Needs _GNU_SOURCE, for memfd_create().
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define STDERR_TEXT_MAX ((size_t)64 * 1024)

static int stderr_before = -1;
static int stderr_file = -1;
static char stderr_text[STDERR_TEXT_MAX];

/* Let another descriptor be standard error. */
static inline void stderr_replace(int fd)
{
    stderr_before = dup(STDERR_FILENO);
    assert_true(stderr_before >= 0);
    assert_int_equal(dup2(fd, STDERR_FILENO), STDERR_FILENO);
}

static inline void stderr_restore(void)
{
    assert_int_equal(dup2(stderr_before, STDERR_FILENO), STDERR_FILENO);
    close(stderr_before);
}

static inline void stderr_begin(void)
{
    stderr_file = memfd_create("stderr", MFD_CLOEXEC);
    assert_true(stderr_file >= 0);
    stderr_replace(stderr_file);
}

/* The text written since. */
static inline const char *stderr_end(void)
{
    stderr_restore();
    ssize_t size = pread(stderr_file, stderr_text, sizeof(stderr_text) - 1, 0);
    assert_true(size >= 0);
    stderr_text[size] = '\0';
    close(stderr_file);
    return stderr_text;
}
