#define _GNU_SOURCE 1 /* memmem */

#include "support/http_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/base/ascii.h"
#include "support/files.h"

/* More than any case has. */
#define BYTES_MAX ((size_t)1 << 20)

static struct jsv_str behind(struct jsv_str text, size_t size)
{
    assert_true(size <= text.size);
    return (struct jsv_str){text.data + size, text.size - size};
}

/* Size of the text between the braces; the first one is read already. */
static size_t braced_size(struct jsv_str text)
{
    size_t open = 1;
    for (size_t i = 0; i < text.size; i++) {
        open += text.data[i] == '{';
        open -= text.data[i] == '}';
        if (open == 0) {
            return i;
        }
    }
    fail_msg("a brace is not closed");
    return 0;
}

static void unescape(struct jsv_str text, struct jsv_buf *out, unsigned depth);

/* "N{...}". @return its size. */
static size_t repeat(struct jsv_str text, struct jsv_buf *out, unsigned depth)
{
    size_t count = 0;
    size_t size = 0;
    while (size < text.size && jsv_is_digit(text.data[size])) {
        count = count * 10 + (size_t)(text.data[size++] - '0');
    }
    assert_true(size < text.size && text.data[size] == '{');
    struct jsv_str braced = behind(text, size + 1);
    braced.size = braced_size(braced);
    for (size_t i = 0; i < count; i++) {
        unescape(braced, out, depth + 1);
    }
    return size + 1 + braced.size + 1;
}

/* Read an escape, after the backslash. @return its size. */
static size_t unescape_one(struct jsv_str text, struct jsv_buf *out, unsigned depth)
{
    static const char letters[] = "rnt\\";
    static const char bytes[] = "\r\n\t\\";
    assert_true(text.size > 0);
    if (text.data[0] == '*') {
        return 1 + repeat(behind(text, 1), out, depth);
    }
    if (text.data[0] == 'x') {
        assert_true(text.size >= 3);
        jsv_buf_append_byte(
            out, (char)(jsv_hex_value(text.data[1]) << 4 | jsv_hex_value(text.data[2])));
        return 3;
    }
    const char *letter = memchr(letters, text.data[0], sizeof(letters) - 1);
    assert_non_null(letter);
    jsv_buf_append_byte(out, bytes[letter - letters]);
    return 1;
}

static void unescape(struct jsv_str text, struct jsv_buf *out, unsigned depth)
{
    assert_true(depth < 3);
    while (text.size > 0) {
        if (text.data[0] == '\\') {
            text = behind(text, 1);
            text = behind(text, unescape_one(text, out, depth));
        } else {
            jsv_buf_append_byte(out, text.data[0]);
            text = behind(text, 1);
        }
    }
}

/* Take the text before a bar with blanks around it; the last blank may be missing at the end of a
 * line. */
static struct jsv_str take_column(struct jsv_str *line)
{
    const char *bar = memmem(line->data, line->size, " |", 2);
    assert_non_null(bar);
    struct jsv_str column = {line->data, (size_t)(bar - line->data)};
    *line = behind(*line, column.size + 2);
    *line = behind(*line, line->size > 0 ? 1 : 0);
    return column;
}

static void
visit_line(struct jsv_str line, struct jsv_buf *bytes, http_case_visit *visit, void *data)
{
    struct http_case http_case;
    http_case.name = take_column(&line);
    http_case.expected = take_column(&line);
    jsv_buf_reset(bytes);
    unescape(line, bytes, 0);
    assert_int_equal(bytes->error, 0);
    http_case.bytes = jsv_buf_str(bytes);
    visit(&http_case, data);
}

size_t http_cases_each(const char *path, http_case_visit *visit, void *data)
{
    struct jsv_str file = files_read(path);
    struct jsv_buf bytes;
    jsv_buf_init(&bytes, NULL, BYTES_MAX);
    size_t count = 0;
    for (struct jsv_str rest = file; rest.size > 0;) {
        const char *feed = memchr(rest.data, '\n', rest.size);
        assert_non_null(feed);
        struct jsv_str line = {rest.data, (size_t)(feed - rest.data)};
        rest = behind(rest, line.size + 1);
        if (line.size > 0 && line.data[0] != '#') {
            visit_line(line, &bytes, visit, data);
            count++;
        }
    }
    jsv_buf_done(&bytes);
    free((void *)(uintptr_t)file.data);
    return count;
}
