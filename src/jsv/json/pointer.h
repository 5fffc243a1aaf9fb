/*
 * Reference tokens: the pieces of a JSON Pointer between its slashes, in which
 * '~' is written "~0" and '/' is written "~1".
 */
#pragma once

#include <jsv/jsv.h>

/* Whether text is a JSON Pointer: empty or starting with '/', each '~' followed by 0 or 1. */
bool jsv_pointer_is_valid(struct jsv_str text);
/* The index; SIZE_MAX when a token is not one: "", "-", "01", "1e0", too large. */
size_t jsv_pointer_index(struct jsv_str token);
/* Size of a name once it is escaped. */
size_t jsv_pointer_escaped_size(struct jsv_str name);
/* Write a name escaped. @return behind the last byte written. */
char *jsv_pointer_escape(struct jsv_str name, char *out);
/* Write the name of a valid token, which is never longer. @return behind the last byte. */
char *jsv_pointer_unescape(struct jsv_str token, char *out);
