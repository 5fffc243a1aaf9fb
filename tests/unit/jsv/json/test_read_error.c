#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jsv/json/reader.h"
#include "support/count_of.h"
#include "support/files.h"
#include "support/reading.h"
#include "support/torture.h"

/* Longest pointer an error carries. */
#define POINTER_MAX 65536

static void names(void **state)
{
    (void)state;
    assert_string_equal(jsv_error_name(JSV_ERROR_NONE), "NONE");
    assert_string_equal(jsv_error_name(JSV_ERROR_DUPLICATE_MEMBER), "DUPLICATE_MEMBER");
    assert_string_equal(jsv_error_name(JSV_ERROR_MEMORY), "MEMORY");
}

static void messages(void **state)
{
    struct reading *reading = *state;
    assert_int_equal(reading_read(reading, JSV_STR("{\"a\" 1}"), 0), -EBADMSG);
    assert_string_equal(reading->error.message.data, "expected ':' after the member name");
    assert_int_equal(reading_read(reading, JSV_STR("[1e]"), 0), -EBADMSG);
    assert_string_equal(reading->error.message.data, "not a JSON number");
}

static void the_end_says_what_was_expected(void **state)
{
    struct reading *reading = *state;
    static const char *const cases[][2] = {
        {"[", "a value"},
        {"[1,", "a value"},
        {"{\"a\":", "a value"},
        {"{", "a member name in double quotes"},
        {"{\"a\":1,", "a member name in double quotes"},
        {"{\"a\"", "':'"},
        {"{\"a\":1", "',' or '}'"},
        {"{\"a\":{}", "',' or '}'"},
        {"[1", "',' or ']'"},
        {"[[]", "',' or ']'"},
        {"-", "a digit"},
        {"[1e", "a digit"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char message[96];
        snprintf(message, sizeof(message), "unexpected end of input; expected %s", cases[i][1]);
        assert_int_equal(reading_read(reading, jsv_str_from(cases[i][0]), 0), -EBADMSG);
        assert_int_equal(reading->error.code, JSV_ERROR_UNEXPECTED_END);
        assert_string_equal(reading->error.message.data, message);
    }
}

/* ---- docs/json.md lists what there is ---- */

/* Rows of a table that begin with a code. */
static size_t count_rows(struct jsv_str text)
{
    size_t count = 0;
    const char *end = text.data + text.size;
    const char *at = text.data;
    while ((at = memmem(at, (size_t)(end - at), "\n| `", 4))) {
        at += 4;
        const char *behind = at;
        while (behind < end &&
               ((*behind >= 'A' && *behind <= 'Z') || strchr("_0123456789", *behind))) {
            behind++;
        }
        count += behind > at && behind < end && *behind == '`';
    }
    return count;
}

static void docs_list_every_code_and_no_other(void **state)
{
    (void)state;
    struct jsv_str docs = files_read("docs/json.md");
    for (enum jsv_error_code code = JSV_ERROR_NONE + 1; code <= JSV_ERROR_MEMORY; code++) {
        char row[256];
        int size = snprintf(
            row, sizeof(row), "\n| `%s` | %s |", jsv_error_name(code), jsv_error_text(code));
        if (!memmem(docs.data, docs.size, row, (size_t)size)) {
            fail_msg("docs/json.md lacks the row%s", row);
        }
    }
    assert_int_equal(count_rows(docs), JSV_ERROR_MEMORY);
    free((char *)(uintptr_t)docs.data);
}

/* ---- lines and columns ---- */

static void lines_and_columns(void **state)
{
    struct reading *reading = *state;
    static const struct {
        const char *text;
        size_t offset;
        size_t line;
        size_t column;
    } cases[] = {
        {"*", 0, 1, 1},
        {"  *", 2, 1, 3},
        {"\n*", 1, 2, 1},
        {"\n\n\n  *", 5, 4, 3},
        {"[\r\n1,\r\n*]", 7, 3, 1},
        {"[\r*]", 2, 1, 3},
        {"[\t*]", 2, 1, 3},
        {"[\"\xC3\xA9\",*]", 6, 1, 6},
        {"[\"\xE2\x82\xAC\xF0\x9F\x98\x80\",*]", 11, 1, 7},
        {"[\"\xE2\x82\xAC\",\n\"\xE2\x82\xAC\" *]", 14, 2, 5},
        {"[1,\n 2,\n 3\n", 10, 3, 3},
        {"[1,\n", 3, 1, 4},
        {"{\"a\":1,\n\"a\":2}", 8, 2, 1},
        {"\"\n", 0, 1, 1},
        {"[\"a\n\"]", 3, 1, 4},
        {"[\"\xC3\xA9\xFF\"]", 4, 1, 4},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(reading_read(reading, jsv_str_from(cases[i].text), 0), -EBADMSG);
        assert_int_equal(reading->error.offset, cases[i].offset);
        assert_int_equal(reading->error.line, cases[i].line);
        assert_int_equal(reading->error.column, cases[i].column);
    }
}

static void line_of_a_text_that_is_too_large(void **state)
{
    (void)state;
    struct jsv_limits limits = {.size_max = 6};
    struct reading reading;
    reading_init(&reading, &limits);
    assert_int_equal(reading_read(&reading, JSV_STR("[\n1,\n2]"), 0), -EBADMSG);
    reading_expect(&reading, JSV_ERROR_TEXT_TOO_LARGE, 6, "");
    assert_int_equal(reading.error.line, 3);
    assert_int_equal(reading.error.column, 2);
    reading_done(&reading);
}

/* ---- pointers ---- */

static void pointers(void **state)
{
    struct reading *reading = *state;
    static const char *const cases[][2] = {
        {"*", ""},
        {"[*", "/0"},
        {"[0,1,*", "/2"},
        {"{\"a\":*", "/a"},
        {"{\"\":*", "/"},
        {"{\"a\":1,\"b\":*", "/b"},
        {"{\"a/b~c\":*", "/a~1b~0c"},
        {"{\"\\u0061\\n\":*", "/a\n"},
        {"{\"a\":[0,{\"b\":{\"c\":*", "/a/1/b/c"},
        {"{\"a\":[0,{\"b\":{\"c\":1*", "/a/1/b"},
        {"{\"a\":[0,{\"b\":{\"c\":1}*", "/a/1"},
        {"{\"a\":[0,{\"b\":{\"c\":1}}*", "/a"},
        {"{\"a\":[0,{\"b\":{\"c\":1}}]*", ""},
        {"{\"a\":[0,{\"b\":{\"c\":1}}],*", ""},
        {"[[],[[],[],{},*", "/1/3"},
        {"[{\"a\":{\"b\":1}},{\"c\":[],\"d\":[0,*", "/1/d/1"},
        {"{\"12345678901\":{\"\\\"escaped and long\\\"\":*", "/12345678901/\"escaped and long\""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(reading_read(reading, jsv_str_from(cases[i][0]), 0), -EBADMSG);
        reading_expect(reading, reading->error.code, strlen(cases[i][0]) - 1, cases[i][1]);
    }
}

static void pointer_with_a_large_index(void **state)
{
    struct reading *reading = *state;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    jsv_buf_append_byte(&text, '[');
    for (size_t i = 0; i < 12345; i++) {
        jsv_buf_append_str(&text, JSV_STR("[],"));
    }
    jsv_buf_append_byte(&text, ']');
    assert_int_equal(reading_read(reading, jsv_buf_str(&text), 0), -EBADMSG);
    reading_expect(reading, JSV_ERROR_UNEXPECTED_CHARACTER, text.size - 1, "/12345");
    jsv_buf_done(&text);
}

/* {"first":{"nnnn…":{"last":* with so many n. */
static void read_long_names(struct reading *reading, size_t size, char letter)
{
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    jsv_buf_append_str(&text, JSV_STR("{\"first\":{\""));
    reading_fill(&text, letter, size);
    jsv_buf_append_str(&text, JSV_STR("\":{\"last\":*"));
    assert_int_equal(reading_read(reading, jsv_buf_str(&text), 0), -EBADMSG);
    jsv_buf_done(&text);
}

static void pointer_is_cut_at_a_token(void **state)
{
    struct reading *reading = *state;
    const struct jsv_str *pointer = &reading->error.pointer;
    size_t around = strlen("/first//last");
    read_long_names(reading, POINTER_MAX - around, 'n');
    assert_int_equal(pointer->size, POINTER_MAX);
    assert_memory_equal(pointer->data + pointer->size - 5, "/last", 5);

    read_long_names(reading, POINTER_MAX - around + 1, 'n');
    assert_int_equal(pointer->size, POINTER_MAX - around + 1 + strlen("/first/"));
    assert_int_equal(pointer->data[pointer->size - 1], 'n');

    read_long_names(reading, POINTER_MAX - strlen("/first/"), 'n');
    assert_int_equal(pointer->size, POINTER_MAX);
    read_long_names(reading, POINTER_MAX - strlen("/first/") + 1, 'n');
    reading_expect(reading, JSV_ERROR_UNEXPECTED_CHARACTER, reading->error.offset, "/first");
    read_long_names(reading, 200000, 'n');
    reading_expect(reading, JSV_ERROR_UNEXPECTED_CHARACTER, reading->error.offset, "/first");
    /* what counts is the size once it is escaped */
    read_long_names(reading, (POINTER_MAX - strlen("/first/")) / 2, '~');
    assert_int_equal(pointer->size, POINTER_MAX - 1);
    read_long_names(reading, (POINTER_MAX - strlen("/first/")) / 2 + 1, '/');
    reading_expect(reading, JSV_ERROR_UNEXPECTED_CHARACTER, reading->error.offset, "/first");
    /* and it comes back whole the next time */
    assert_int_equal(reading_read(reading, JSV_STR("{\"a\":{\"b\":*"), 0), -EBADMSG);
    reading_expect(reading, JSV_ERROR_UNEXPECTED_CHARACTER, 10, "/a/b");
}

/* Memory that runs out while the pointer is made cuts it; the error itself stays what it was. */
static void pointer_without_memory(void **state)
{
    (void)state;
    static char text[400];
    int size = snprintf(text, sizeof(text), "{\"a\":{\"%0300d\":*", 0);
    assert_in_range(size, 300, sizeof(text) - 1);
    struct jsv_document *document = jsv_document_new(NULL);
    static const size_t sizes[] = {0, 2, 303, 303};
    for (size_t fail_at = 1; fail_at <= 4; fail_at++) {
        struct torture torture;
        struct jsv_error error;
        torture_init(&torture, 0);
        struct jsv_reader *reader = jsv_reader_new(&torture.allocator, NULL);
        assert_non_null(reader);
        torture.fail_at = torture.calls + fail_at;
        assert_int_equal(jsv_read(reader, document, jsv_str_from(text), 0, &error), -EBADMSG);
        assert_int_equal(error.code, JSV_ERROR_UNEXPECTED_CHARACTER);
        assert_int_equal(error.offset, size - 1);
        assert_int_equal(error.pointer.size, sizes[fail_at - 1]);
        jsv_reader_free(reader);
        torture_done(&torture);
    }
    jsv_document_free(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        READING_TEST(messages),
        READING_TEST(the_end_says_what_was_expected),
        cmocka_unit_test(docs_list_every_code_and_no_other),
        READING_TEST(lines_and_columns),
        cmocka_unit_test(line_of_a_text_that_is_too_large),
        READING_TEST(pointers),
        READING_TEST(pointer_with_a_large_index),
        READING_TEST(pointer_is_cut_at_a_token),
        cmocka_unit_test(pointer_without_memory),
    };
    return cmocka_run_group_tests_name("json/read_error", tests, NULL, NULL);
}
