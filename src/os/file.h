/* Reading whole files into buffers, within the buffer's limit. */
#pragma once

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
