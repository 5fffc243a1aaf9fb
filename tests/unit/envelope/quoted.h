/*
 * JSON in C: in the texts of these tests ' stands for ".
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "support/json_fixture.h"

/* The text with " in place of '; lives as long as the fixture. */
static inline struct jsv_str quoted(struct json_fixture *fixture, const char *text)
{
    struct jsv_buf *buf = json_fixture_buf(fixture);
    for (const char *c = text; *c; c++) {
        jsv_buf_append_byte(buf, *c == '\'' ? '"' : *c);
    }
    assert_int_equal(buf->error, 0);
    return jsv_buf_str(buf);
}

static inline struct jsv_value quoted_read(struct json_fixture *fixture, const char *text)
{
    return json_fixture_read_str(fixture, quoted(fixture, text), 0);
}

/* Assert that the fixture's buffer holds this text and no error; empty it. */
static inline void quoted_expect(struct json_fixture *fixture, const char *text)
{
    struct jsv_str expected = quoted(fixture, text);
    struct jsv_str actual = jsv_buf_str(&fixture->out);
    assert_int_equal(fixture->out.error, 0);
    if (!jsv_str_equal(actual, expected)) {
        fail_msg(
            "expected %.*s\n got %.*s",
            (int)expected.size,
            expected.data,
            (int)actual.size,
            actual.data);
    }
    jsv_buf_reset(&fixture->out);
}

/* Read what the fixture's buffer holds, and empty it. */
static inline struct jsv_value quoted_take(struct json_fixture *fixture)
{
    assert_int_equal(fixture->out.error, 0);
    struct jsv_value value = json_fixture_read_str(fixture, jsv_buf_str(&fixture->out), 0);
    jsv_buf_reset(&fixture->out);
    return value;
}

/* The source text of the value at a pointer; "" when there is none. */
static inline const char *
quoted_at(struct json_fixture *fixture, struct jsv_value value, const char *pointer)
{
    struct jsv_value found = {0};
    struct jsv_buf *buf = json_fixture_buf(fixture);
    if (jsv_pointer_get(value, jsv_str_from(pointer), &found) == 0) {
        jsv_buf_append_str(buf, jsv_value_span(found));
    }
    jsv_buf_append_byte(buf, '\0');
    assert_int_equal(buf->error, 0);
    return buf->data;
}

#define assert_at(fixture, value, pointer, text)                                                   \
    do {                                                                                           \
        const char *expected_ = quoted(fixture, text).data;                                        \
        struct jsv_str wanted_ = {expected_ ? expected_ : "", strlen(text)};                       \
        const char *actual_ = quoted_at(fixture, value, pointer);                                  \
        assert_int_equal(strlen(actual_), wanted_.size);                                           \
        assert_memory_equal(actual_, wanted_.data, wanted_.size);                                  \
    } while (0)
