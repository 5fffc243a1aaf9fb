/*
 * The limits of a reader: reached exactly, exceeded by one, left to their
 * defaults.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "jsv/json/node.h"
#include "jsv/json/reader.h"
#include "support/count_of.h"
#include "support/reading.h"

/* depth times `[` or `{"":` in turn as the bits of pattern say, and what closes them. */
static void nest(struct jsv_buf *text, size_t depth, unsigned pattern)
{
    for (size_t i = 0; i < depth; i++) {
        jsv_buf_append_str(text, pattern >> i % 8 & 1 ? JSV_STR("{\"\":") : JSV_STR("["));
    }
    jsv_buf_append_str(text, pattern >> depth % 8 & 1 ? JSV_STR("{}") : JSV_STR("[]"));
    while (depth-- > 0) {
        jsv_buf_append_byte(text, pattern >> depth % 8 & 1 ? '}' : ']');
    }
}

static void expect_depth_limit(uint32_t depth_max, uint32_t expected)
{
    struct jsv_limits limits = {.depth_max = depth_max};
    struct reading reading;
    reading_init(&reading, &limits);
    for (unsigned pattern = 0; pattern < 256; pattern += 51) {
        struct jsv_buf text;
        jsv_buf_init(&text, NULL, SIZE_MAX);
        nest(&text, expected - 1, pattern);
        reading_root(&reading, jsv_buf_str(&text), 0);

        jsv_buf_reset(&text);
        nest(&text, expected, pattern);
        assert_int_equal(reading_read(&reading, jsv_buf_str(&text), 0), -EBADMSG);
        size_t offset = 0;
        size_t pointer_size = 0;
        for (size_t i = 0; i < expected; i++) {
            bool object = pattern >> i % 8 & 1;
            offset += object ? strlen("{\"\":") : strlen("[");
            pointer_size += object ? strlen("/") : strlen("/0");
        }
        reading_expect(&reading, JSV_ERROR_TOO_DEEP, offset, NULL);
        assert_int_equal(reading.error.pointer.size, pointer_size);
        jsv_buf_done(&text);
    }
    reading_done(&reading);
}

static void depth_limit(void **state)
{
    (void)state;
    expect_depth_limit(0, 512);
    expect_depth_limit(512, 512);
    expect_depth_limit(1, 1);
    expect_depth_limit(2, 2);
    expect_depth_limit(5000, 5000);
}

static void scalars_have_no_depth(void **state)
{
    (void)state;
    struct jsv_limits limits = {.depth_max = 1};
    struct reading reading;
    reading_init(&reading, &limits);
    reading_expect_compact(&reading, JSV_STR("1"), "1");
    reading_expect_compact(&reading, JSV_STR("[1,\"a\",null]"), "[1,\"a\",null]");
    reading_expect_compact(&reading, JSV_STR("{\"a\":1}"), "{\"a\":1}");
    assert_int_equal(reading_read(&reading, JSV_STR("[0,[]]"), 0), -EBADMSG);
    reading_expect(&reading, JSV_ERROR_TOO_DEEP, 3, "/1");
    assert_int_equal(reading_read(&reading, JSV_STR("{\"a\":[]}"), 0), -EBADMSG);
    reading_expect(&reading, JSV_ERROR_TOO_DEEP, 5, "/a");
    reading_done(&reading);
}

/* More frames than there is memory for: no reader, and no overflow on the way. */
static void *refuse_much(void *context, void *memory, size_t old_size, size_t new_size)
{
    (void)old_size;
    size_t *asked = context;
    if (new_size > *asked) {
        *asked = new_size;
    }
    if (new_size == 0 || new_size > 1 << 20) {
        free(memory);
        return NULL;
    }
    return realloc(memory, new_size);
}

static void deepest_depth_limit(void **state)
{
    (void)state;
    size_t asked = 0;
    struct jsv_allocator allocator = {refuse_much, &asked};
    struct jsv_limits limits = {.depth_max = UINT32_MAX};
    assert_null(jsv_reader_new(&allocator, &limits));
    assert_int_equal(asked, ((size_t)UINT32_MAX + 1) * sizeof(struct jsv_frame));
}

static void size_limit(void **state)
{
    (void)state;
    struct jsv_limits limits = {.size_max = 10};
    struct reading reading;
    reading_init(&reading, &limits);
    reading_expect_compact(&reading, JSV_STR("[12345678]"), "[12345678]");
    reading_expect_compact(&reading, JSV_STR("1234567890"), "1234567890");
    reading_expect_compact(&reading, JSV_STR("[1234567]\n"), "[1234567]");
    static const char *const too_large[] = {
        "[123456789]",
        "12345678901",
        "[12345678]\n",
        "\"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
        "           "};
    for (size_t i = 0; i < COUNT_OF(too_large); i++) {
        assert_int_equal(reading_read(&reading, jsv_str_from(too_large[i]), 0), -EBADMSG);
        reading_expect(&reading, JSV_ERROR_TEXT_TOO_LARGE, 10, "");
    }
    reading_done(&reading);
}

/* The text is never looked at: its size alone is too much for 32-bit offsets. */
static void size_limit_of_offsets(void **state)
{
    (void)state;
    static const size_t size_max = 4294967231;
    struct reading reading;
    struct jsv_limits limits = {.size_max = SIZE_MAX};
    reading_init(&reading, &limits);
    struct jsv_str text = {"[]", size_max + 1};
    assert_int_equal(jsv_read(reading.reader, reading.document, text, 0, NULL), -EBADMSG);
    assert_int_equal(reading.reader->limits.size_max, size_max);
    reading_done(&reading);
}

static void digits(struct jsv_buf *text, const char *before, size_t count, const char *behind)
{
    jsv_buf_reset(text);
    jsv_buf_append_str(text, jsv_str_from(before));
    reading_fill(text, '7', count);
    jsv_buf_append_str(text, jsv_str_from(behind));
}

static void expect_number_limit(uint32_t number_size_max, size_t expected)
{
    struct jsv_limits limits = {.number_size_max = number_size_max};
    struct reading reading;
    struct jsv_buf text;
    reading_init(&reading, &limits);
    jsv_buf_init(&text, NULL, SIZE_MAX);

    digits(&text, "", expected, "");
    assert_int_equal(jsv_value_span(reading_root(&reading, jsv_buf_str(&text), 0)).size, expected);
    digits(&text, "[-1.", expected - 6, "e1]");
    struct jsv_value array = reading_root(&reading, jsv_buf_str(&text), 0);
    assert_int_equal(jsv_value_span(jsv_value_at(array, 0)).size, expected - 1);
    digits(&text, "[-", expected - 1, "]");
    array = reading_root(&reading, jsv_buf_str(&text), 0);
    assert_int_equal(jsv_value_span(jsv_value_at(array, 0)).size, expected);

    digits(&text, "", expected + 1, "");
    assert_int_equal(reading_read(&reading, jsv_buf_str(&text), 0), -EBADMSG);
    reading_expect(&reading, JSV_ERROR_NUMBER_TOO_LONG, 0, "");
    digits(&text, "[1,-", expected, "]");
    assert_int_equal(reading_read(&reading, jsv_buf_str(&text), 0), -EBADMSG);
    reading_expect(&reading, JSV_ERROR_NUMBER_TOO_LONG, 3, "/1");
    digits(&text, "{\"a\":1e-", expected - 2, "}");
    assert_int_equal(reading_read(&reading, jsv_buf_str(&text), 0), -EBADMSG);
    reading_expect(&reading, JSV_ERROR_NUMBER_TOO_LONG, 5, "/a");
    digits(&text, "[0.", 1000000, "e5]");
    assert_int_equal(reading_read(&reading, jsv_buf_str(&text), 0), -EBADMSG);
    reading_expect(&reading, JSV_ERROR_NUMBER_TOO_LONG, 1, "/0");
    jsv_buf_done(&text);
    reading_done(&reading);
}

static void number_limit(void **state)
{
    (void)state;
    expect_number_limit(0, 16384);
    expect_number_limit(16384, 16384);
    expect_number_limit(UINT32_MAX, 16384);
    for (uint32_t limit = 8; limit < 24; limit++) {
        expect_number_limit(limit, limit);
    }
}

static void free_accepts_null(void **state)
{
    (void)state;
    jsv_reader_free(NULL);
    jsv_document_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_limit),
        cmocka_unit_test(scalars_have_no_depth),
        cmocka_unit_test(deepest_depth_limit),
        cmocka_unit_test(size_limit),
        cmocka_unit_test(size_limit_of_offsets),
        cmocka_unit_test(number_limit),
        cmocka_unit_test(free_accepts_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
