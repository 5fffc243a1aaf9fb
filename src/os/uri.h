/*
 * Files as URIs.
 */
#pragma once

struct jsv_buf;

/**
 * Append "file:///directory/name". A relative path is taken from the working
 * directory, or from "/" when that cannot be told. Nothing is normalised.
 * @return 0, or the buffer's sticky error.
 */
int os_uri_append_file(struct jsv_buf *out, const char *path);
