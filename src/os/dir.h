/*
 * The names in a directory, one at a time.
 *
 *     struct os_dir dir = {.fd = fd};
 *     while ((r = os_dir_next(&dir, &name)) > 0) { … name … }
 */
#pragma once

#include <stddef.h>

/* The kernel returns a few dozen names at once. */
#define OS_DIR_BLOCK_SIZE 4096

struct os_dir {
    int fd; /* open for reading; borrowed */
    size_t at;
    size_t size;
    _Alignas(8) char block[OS_DIR_BLOCK_SIZE];
};

/**
 * The next name, in no particular order; "." and ".." are left out.
 *
 * @param ret_name Lives until the next call.
 * @return 1; 0 at the end; -errno.
 */
int os_dir_next(struct os_dir *dir, const char **ret_name);
