/*
 * Opening files below a root directory, and only there.
 *
 * A name comes from a message or a schema, so it may be hostile: it cannot
 * leave the root by "..", as an absolute path, through a symbolic link or by a
 * race. Links that stay below the root are followed; a link with an absolute
 * target counts as leaving. Nothing in a name is decoded: "%2e" and "\" are
 * ordinary characters.
 *
 * Only regular files are opened. Trying to open anything else neither blocks
 * nor reads from it.
 *
 * A root is a descriptor of a directory, closed with os_close(). Threads may
 * share it.
 */
#pragma once

#include <jsv/jsv.h>

/* Directories between root and file: walking holds a descriptor for each. */
#define OS_ROOT_LEVELS_MAX 64

/** Open a directory as a root. @return its descriptor, or -errno. */
int os_root_open(const char *directory);

/**
 * Open a regular file below a root for reading.
 *
 * @param name Relative to the root, segments separated by "/".
 * @return the file's descriptor, which the caller closes, or
 *         -EINVAL        the name is empty, absolute, has a ".." segment or a NUL byte;
 *         -ENAMETOOLONG  the name, or what links make of it, has PATH_MAX bytes or more, or
 *                        more than OS_ROOT_LEVELS_MAX directories;
 *         -EXDEV         a link leaves the root, or links go in a circle;
 *         -EISDIR        it is a directory;
 *         -EBADFD        it is a FIFO, a socket or a device;
 *         -ENOENT, -ENOTDIR, -EACCES, … as open(2) has them.
 */
int os_root_open_file(int root_fd, struct jsv_str name);

/**
 * Open a directory below a root, to list it (os/file.h).
 *
 * @return its descriptor, which the caller closes, or an error of os_root_open_file(); -ENOTDIR
 *         when it is anything else.
 */
int os_root_open_dir(int root_fd, struct jsv_str name);

/**
 * Append a regular file below a root to a buffer.
 *
 * @return 0, an error of os_root_open_file() or one of os_file_read().
 */
int os_root_read_file(int root_fd, struct jsv_str name, struct jsv_buf *out);
