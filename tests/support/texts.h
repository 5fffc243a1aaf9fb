/* What tests do with texts all the time. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jsv/jsv.h>

/* A text with a length against one in C; a failure shows both. */
static inline void assert_text(struct jsv_str actual, const char *expected)
{
    if (!jsv_str_equal(actual, jsv_str_from(expected))) {
        fail_msg("\"%.*s\" instead of \"%s\"", (int)actual.size, actual.data, expected);
    }
}

static inline void append_repeated(struct jsv_buf *out, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        jsv_buf_append_str(out, jsv_str_from(text));
    }
}
