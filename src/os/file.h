/*
 * Whole files in memory, never more than the buffer's ceiling allows.
 */
#pragma once

struct jsv_buf;

/**
 * Append everything up to the end of a file, pipe or terminal.
 *
 * A regular file that says it is larger than the ceiling is refused before the
 * first byte is read. One that grows meanwhile, or does not tell its size (a
 * pipe), is refused at the ceiling.
 *
 * @param fd  Borrowed.
 * @param out Holds what was read also on failure; its ceiling is the limit.
 * @return 0; -EFBIG when there is more than the ceiling; -ENOMEM; or the
 *         error of reading.
 */
int os_file_read(int fd, struct jsv_buf *out);

/** The same for a file by its path. @return also the error of opening it. */
int os_file_read_path(const char *path, struct jsv_buf *out);
