/*
 * JSON lets some characters stand in strings as they are that other programs
 * take for the end of a line: U+0085, U+2028 and U+2029. In the log they are
 * spelled as escapes, so that a line is one to whoever reads it.
 */
#pragma once

#include <jsv/jsv.h>

/** Spell them so in what has been appended since start. @return 0, or the buffer's sticky error. */
int log_keep_on_one_line(struct jsv_buf *out, size_t start);
