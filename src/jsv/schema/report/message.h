/*
 * Making sentences for people out of names and values that others chose, of
 * whatever length.
 */
#pragma once

#include <stdarg.h>

#include <jsv/jsv.h>

/* A jsv_str for "%.*s". No message holds more than a page of it. */
#define JSV_TEXT(str) (int)((str).size < 4096 ? (str).size : 4096), (str).data

/*
 * printf, at most so many bytes; what is longer is cut between two characters
 * and ends with "…". @return the size; there is no NUL to count on.
 */
size_t jsv_message_print(char *out, size_t capacity, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* What of a value's text stands in a message: all of it, or its beginning. */
struct jsv_str jsv_message_value(struct jsv_str text);
