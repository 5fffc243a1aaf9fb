/*
 * Reading whole files into buffers, within the buffer's limit; listing
 * directories; the URI of a file.
 */
#pragma once

#include <stddef.h>

struct jsv_buf;

/**
 * Append everything up to the end of a file, pipe or terminal.
 *
 * A regular file larger than the limit is refused before the first byte is
 * read. A file that grows meanwhile, or has no size (a pipe), is refused at the
 * limit.
 *
 * @param fd  Borrowed.
 * @param out Holds the bytes read so far also on failure.
 * @return 0; -EFBIG when there is more than the limit; -ENOMEM; or the error
 *         of reading.
 */
int os_file_read(int fd, struct jsv_buf *out);

/** The same for a file by its path. @return also the error of opening it. */
int os_file_read_path(const char *path, struct jsv_buf *out);

/* ---- directories ----
 *
 *     struct os_dir dir = {.fd = fd};
 *     while ((r = os_dir_next(&dir, &name)) > 0) { … name … }
 */

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

/* ---- URIs ---- */

/**
 * Append "file:///directory/name". A relative path is taken from the working
 * directory, or from "/" when that is unknown. Nothing is normalised.
 * @return 0, or the buffer's sticky error.
 */
int os_uri_append_file(struct jsv_buf *out, const char *path);
