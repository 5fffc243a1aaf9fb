/*
 * A directory of its own for a test, with files in it. All functions are
 * cmocka assertions: use them inside a test. Needs _GNU_SOURCE, for nftw().
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct tmpdir {
    char path[64];
    int fd;
};

static inline void tmpdir_make(struct tmpdir *dir)
{
    snprintf(dir->path, sizeof(dir->path), "/tmp/mcpgate-test-XXXXXX");
    assert_non_null(mkdtemp(dir->path));
    dir->fd = open(dir->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(dir->fd >= 0);
}

static inline int
tmpdir_remove_one(const char *path, const struct stat *stat, int type, struct FTW *walk)
{
    (void)stat;
    (void)type;
    (void)walk;
    return remove(path);
}

static inline void tmpdir_remove(struct tmpdir *dir)
{
    close(dir->fd);
    assert_int_equal(nftw(dir->path, tmpdir_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static inline void
tmpdir_write_bytes(const struct tmpdir *dir, const char *name, const char *data, size_t size)
{
    int fd = openat(dir->fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, size), (ssize_t)size);
    assert_int_equal(close(fd), 0);
}

static inline void tmpdir_write(const struct tmpdir *dir, const char *name, const char *text)
{
    tmpdir_write_bytes(dir, name, text, strlen(text));
}

static inline void tmpdir_mkdir(const struct tmpdir *dir, const char *name)
{
    assert_int_equal(mkdirat(dir->fd, name, 0755), 0);
}

static inline void tmpdir_link(const struct tmpdir *dir, const char *target, const char *name)
{
    assert_int_equal(symlinkat(target, dir->fd, name), 0);
}

/* A path inside, in static memory: good until the next call but one. */
static inline char *tmpdir_path(const struct tmpdir *dir, const char *name)
{
    static char paths[2][PATH_MAX];
    static unsigned turn;
    char *path = paths[turn++ % 2];
    snprintf(path, PATH_MAX, "%s/%s", dir->path, name);
    return path;
}
