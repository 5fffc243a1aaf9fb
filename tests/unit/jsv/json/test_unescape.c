#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "jsv/json/reader.h"
#include "support/count_of.h"
#include "support/random.h"
#include "support/reading.h"

/* A string is read as this text, and its span is as it was written. */
static void expect_text(struct jsv_value string, struct jsv_str written, struct jsv_str expected)
{
    assert_int_equal(jsv_value_type(string), JSV_TYPE_STRING);
    struct jsv_str text = jsv_value_text(string);
    assert_int_equal(text.size, expected.size);
    assert_memory_equal(text.data, expected.data, expected.size);
    struct jsv_str span = jsv_value_span(string);
    assert_int_equal(span.size, written.size + 2);
    assert_memory_equal(span.data + 1, written.data, written.size);
    assert_int_equal(span.data[0], '"');
    assert_int_equal(span.data[span.size - 1], '"');
}

/* Read what is written as a lone string, as an element and as a key. */
static void expect_decoded(struct reading *reading, struct jsv_str written, struct jsv_str expected)
{
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    jsv_buf_append_str(&text, JSV_STR("\""));
    jsv_buf_append_str(&text, written);
    jsv_buf_append_str(&text, JSV_STR("\""));
    expect_text(reading_root(reading, jsv_buf_str(&text), 0), written, expected);

    jsv_buf_reset(&text);
    jsv_buf_append_str(&text, JSV_STR("[{\""));
    jsv_buf_append_str(&text, written);
    jsv_buf_append_str(&text, JSV_STR("\":\"\\\\\"},\""));
    jsv_buf_append_str(&text, written);
    jsv_buf_append_str(&text, JSV_STR("\"]"));
    struct jsv_value root = reading_root(reading, jsv_buf_str(&text), 0);
    expect_text(jsv_value_at(root, 1), written, expected);
    struct jsv_iter iter = jsv_value_iter(jsv_value_at(root, 0));
    assert_true(jsv_iter_next(&iter));
    expect_text(iter.key, written, expected);
    assert_ptr_equal(jsv_value_get(jsv_value_at(root, 0), expected).node, iter.value.node);
    expect_text(iter.value, JSV_STR("\\\\"), JSV_STR("\\"));
    jsv_buf_done(&text);
}

static void every_byte_behind_a_backslash(void **state)
{
    static const char *const letters = "\"\\/bfnrt";
    static const char *const meanings = "\"\\/\b\f\n\r\t";
    for (int byte = 0; byte < 256; byte++) {
        char written[] = {'a', '\\', (char)byte, 'z', 'z', 'z', 'z'};
        const char *letter = byte ? strchr(letters, byte) : NULL;
        if (letter) {
            char expected[] = {'a', meanings[letter - letters], 'z', 'z', 'z', 'z'};
            expect_decoded(
                *state,
                (struct jsv_str){written, sizeof(written)},
                (struct jsv_str){expected, sizeof(expected)});
            continue;
        }
        char text[] = {'"', 'a', '\\', (char)byte, 'z', 'z', 'z', 'z', '"'};
        assert_int_equal(reading_read(*state, (struct jsv_str){text, sizeof(text)}, 0), -EBADMSG);
        reading_expect(*state, JSV_ERROR_INVALID_ESCAPE, 2, "");
    }
}

static void every_byte_as_hex_digit(void **state)
{
    struct reading *reading = *state;
    for (size_t place = 0; place < 4; place++) {
        for (int byte = 0; byte < 256; byte++) {
            char text[] = "\"\\u1111\"";
            text[3 + place] = (char)byte;
            bool hex = byte != 0 && strchr("0123456789abcdefABCDEF", byte);
            int r = reading_read(reading, (struct jsv_str){text, sizeof(text) - 1}, 0);
            assert_int_equal(r, hex ? 0 : -EBADMSG);
            if (!hex) {
                reading_expect(reading, JSV_ERROR_INVALID_ESCAPE, 1, "");
            }
        }
    }
}

static size_t encode(uint32_t code_point, char *out)
{
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    if (code_point < 0x800) {
        out[0] = (char)(0xC0 | code_point >> 6);
        out[1] = (char)(0x80 | (code_point & 0x3F));
        return 2;
    }
    if (code_point < 0x10000) {
        out[0] = (char)(0xE0 | code_point >> 12);
        out[1] = (char)(0x80 | (code_point >> 6 & 0x3F));
        out[2] = (char)(0x80 | (code_point & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | code_point >> 18);
    out[1] = (char)(0x80 | (code_point >> 12 & 0x3F));
    out[2] = (char)(0x80 | (code_point >> 6 & 0x3F));
    out[3] = (char)(0x80 | (code_point & 0x3F));
    return 4;
}

static void all_code_units(void **state)
{
    struct reading *reading = *state;
    for (unsigned unit = 0; unit < 0x10000; unit++) {
        char text[16];
        char expected[4];
        snprintf(text, sizeof(text), unit % 2 ? "\"\\u%04x\"" : "\"\\u%04X\"", unit);
        int r = reading_read(reading, jsv_str_from(text), 0);
        if (unit >= 0xD800 && unit <= 0xDFFF) {
            assert_int_equal(r, -EBADMSG);
            reading_expect(reading, JSV_ERROR_LONE_SURROGATE, 1, "");
            continue;
        }
        assert_int_equal(r, 0);
        struct jsv_str decoded = jsv_value_text(jsv_document_root(reading->document));
        assert_int_equal(decoded.size, encode(unit, expected));
        assert_memory_equal(decoded.data, expected, decoded.size);
    }
}

static void expect_pair(struct reading *reading, unsigned high, unsigned low)
{
    char text[20];
    char expected[4];
    snprintf(text, sizeof(text), "\"\\u%04x\\u%04X\"", high, low);
    int r = reading_read(reading, jsv_str_from(text), 0);
    if (low < 0xDC00 || low > 0xDFFF) {
        assert_int_equal(r, -EBADMSG);
        reading_expect(reading, JSV_ERROR_LONE_SURROGATE, 1, "");
        return;
    }
    assert_int_equal(r, 0);
    struct jsv_str decoded = jsv_value_text(jsv_document_root(reading->document));
    uint32_t code_point = 0x10000 + (high - 0xD800) * 0x400 + (low - 0xDC00);
    assert_int_equal(decoded.size, encode(code_point, expected));
    assert_memory_equal(decoded.data, expected, decoded.size);
}

static void surrogate_pairs(void **state)
{
    for (unsigned high = 0xD800; high < 0xDC00; high++) {
        expect_pair(*state, high, 0xDBFF);
        expect_pair(*state, high, 0xDC00);
        expect_pair(*state, high, 0xDFFF);
        expect_pair(*state, high, 0xE000);
    }
    for (unsigned low = 0xD000; low < 0xF000; low++) {
        expect_pair(*state, 0xD800, low);
        expect_pair(*state, 0xDBFF, low);
    }
}

/* ---- windows ---- */

/* The piece begins at an offset of the text, within a string, and something follows it. */
static struct jsv_str put_at(struct jsv_buf *text, size_t offset, struct jsv_str piece)
{
    jsv_buf_reset(text);
    jsv_buf_append_str(text, JSV_STR("[\""));
    reading_fill(text, 'x', offset - text->size);
    jsv_buf_append_str(text, piece);
    jsv_buf_append_str(text, JSV_STR("y\",\"\\n\",{\"\\t\":7}]"));
    return jsv_buf_str(text);
}

/* With a reader of its own, whose scratch has not grown beyond what this text needs. */
static void expect_decoded_at(
    const struct reading_kernel *kernel,
    size_t offset,
    struct jsv_str piece,
    struct jsv_str meaning)
{
    struct jsv_buf text;
    struct reading reading;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    reading_init(&reading, NULL);
    reading_use(&reading, kernel);
    struct jsv_value root = reading_root(&reading, put_at(&text, offset, piece), 0);
    struct jsv_str decoded = jsv_value_text(jsv_value_at(root, 0));
    assert_int_equal(decoded.size, offset - 2 + meaning.size + 1);
    assert_memory_equal(decoded.data + offset - 2, meaning.data, meaning.size);
    assert_int_equal(decoded.data[0], 'x');
    assert_int_equal(decoded.data[offset - 3], 'x');
    assert_int_equal(decoded.data[decoded.size - 1], 'y');
    expect_text(jsv_value_at(root, 1), JSV_STR("\\n"), JSV_STR("\n"));
    assert_true(jsv_value_double(jsv_value_get(jsv_value_at(root, 2), JSV_STR("\t"))) == 7);
    reading_done(&reading);
    jsv_buf_done(&text);
}

static void escapes_across_windows(void **state)
{
    (void)state;
    static const char *const pieces[][2] = {
        {"\\n", "\n"},
        {"\\\\\\\"", "\\\""},
        {"\\u20ac", "\xE2\x82\xAC"},
        {"\\ud83d\\ude00", "\xF0\x9F\x98\x80"},
        {"\\ud83d\\ude00\\ud83d\\ude01", "\xF0\x9F\x98\x80\xF0\x9F\x98\x81"},
        {"\\u0041\xF0\x9F\x98\x80\\u0042", "A\xF0\x9F\x98\x80\x42"},
    };
    for (const struct reading_kernel *kernel = reading_kernels(); kernel->name; kernel++) {
        for (size_t i = 0; i < COUNT_OF(pieces); i++) {
            struct jsv_str piece = jsv_str_from(pieces[i][0]);
            struct jsv_str meaning = jsv_str_from(pieces[i][1]);
            for (size_t border = JSV_SCAN_WINDOW; border <= 3 * JSV_SCAN_WINDOW; border *= 3) {
                for (size_t offset = border - piece.size - 2; offset < border + 2; offset++) {
                    expect_decoded_at(kernel, offset, piece, meaning);
                }
            }
        }
    }
}

static void faults_across_windows(void **state)
{
    struct reading *reading = *state;
    static const struct {
        const char *piece;
        enum jsv_error_code code;
        size_t at; /* in the piece */
    } cases[] = {
        {"\\q", JSV_ERROR_INVALID_ESCAPE, 0},
        {"\\u00g0", JSV_ERROR_INVALID_ESCAPE, 0},
        {"\\n\\q", JSV_ERROR_INVALID_ESCAPE, 2},
        {"\\ud83d\\u0041", JSV_ERROR_LONE_SURROGATE, 0},
        {"\\ud83d\\ude00\\ude00", JSV_ERROR_LONE_SURROGATE, 12},
        {"\\n\xE2\x82", JSV_ERROR_INVALID_UTF8, 2},
        {"\\n\x01", JSV_ERROR_CONTROL_CHARACTER, 2},
    };
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    for (const struct reading_kernel *kernel = reading_kernels(); kernel->name; kernel++) {
        reading_use(reading, kernel);
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
            struct jsv_str piece = jsv_str_from(cases[i].piece);
            for (size_t offset = JSV_SCAN_WINDOW - 20; offset < JSV_SCAN_WINDOW + 3; offset++) {
                struct jsv_str whole = put_at(&text, offset, piece);
                assert_int_equal(reading_read(reading, whole, 0), -EBADMSG);
                reading_expect(reading, cases[i].code, offset + cases[i].at, "/0");
                /* the same, with the end of the text right behind the window */
                whole.size = offset + piece.size;
                assert_int_equal(reading_read(reading, whole, 0), -EBADMSG);
                reading_expect(reading, cases[i].code, offset + cases[i].at, "/0");
            }
        }
    }
    jsv_buf_done(&text);
}

static void unterminated_across_windows(void **state)
{
    struct reading *reading = *state;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    for (size_t size = JSV_SCAN_WINDOW - 3; size < JSV_SCAN_WINDOW + 3; size++) {
        jsv_buf_reset(&text);
        jsv_buf_append_str(&text, JSV_STR("{\"a\":\"\\n"));
        reading_fill(&text, 'x', size - text.size);
        assert_int_equal(reading_read(reading, jsv_buf_str(&text), 0), -EBADMSG);
        reading_expect(reading, JSV_ERROR_UNTERMINATED_STRING, 5, "/a");
        memcpy(text.data + size - 2, "\\\"", 2);
        assert_int_equal(reading_read(reading, jsv_buf_str(&text), 0), -EBADMSG);
        reading_expect(reading, JSV_ERROR_UNTERMINATED_STRING, 5, "/a");
    }
    jsv_buf_done(&text);
}

/* Strings of many pieces over many windows, with what they mean made beside them. */
static void long_strings(void **state)
{
    static const char *const pieces[][2] = {
        {"\\\"", "\""},
        {"\\\\", "\\"},
        {"\\u0000", "\0"},
        {"\\u00e9", "\xC3\xA9"},
        {"\\uFFFF", "\xEF\xBF\xBF"},
        {"\\uDBFF\\uDFFF", "\xF4\x8F\xBF\xBF"},
        {"\xC3\xA9", "\xC3\xA9"},
        {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},
        {"some plain text", "some plain text"},
    };
    struct jsv_buf written;
    struct jsv_buf expected;
    jsv_buf_init(&written, NULL, SIZE_MAX);
    jsv_buf_init(&expected, NULL, SIZE_MAX);
    uint64_t seed = 2;
    for (size_t round = 0; round < 40; round++) {
        jsv_buf_reset(&written);
        jsv_buf_reset(&expected);
        size_t size = random_below(&seed, 5 * JSV_SCAN_WINDOW);
        size_t kinds = 1 + random_below(&seed, COUNT_OF(pieces));
        while (written.size < size) {
            size_t i = random_below(&seed, kinds);
            jsv_buf_append_str(&written, jsv_str_from(pieces[i][0]));
            bool nul = pieces[i][1][0] == '\0';
            jsv_buf_append_str(&expected, nul ? JSV_STR("\0") : jsv_str_from(pieces[i][1]));
        }
        expect_decoded(*state, jsv_buf_str(&written), jsv_buf_str(&expected));
    }
    jsv_buf_done(&written);
    jsv_buf_done(&expected);
}

/* Around the largest size that fits a node. */
static void sizes_around_long(void **state)
{
    struct jsv_buf written;
    struct jsv_buf expected;
    jsv_buf_init(&written, NULL, SIZE_MAX);
    jsv_buf_init(&expected, NULL, SIZE_MAX);
    for (size_t size = 65533; size <= 65538; size++) {
        jsv_buf_reset(&written);
        jsv_buf_reset(&expected);
        jsv_buf_append_str(&written, JSV_STR("\\n"));
        jsv_buf_append_str(&expected, JSV_STR("\n"));
        reading_fill(&written, 'k', size - 1);
        reading_fill(&expected, 'k', size - 1);
        expect_decoded(*state, jsv_buf_str(&written), jsv_buf_str(&expected));
    }
    jsv_buf_done(&written);
    jsv_buf_done(&expected);
}

/* ---- more decoded text than a node's 32 bits can count ---- */

static void decoded_text_has_a_limit(void **state)
{
    struct reading *reading = *state;
    struct jsv_str text = JSV_STR("\"\\n\"");
    for (size_t room = 0; room < 9; room++) {
        reading_root(reading, text, 0);
        struct jsv_reader *reader = reading->reader;
        reader->next = reader->index;
        reader->index[0] = 0;
        reader->index[1] = 1;
        reader->index[2] = 3;
        reader->index_end = reader->index + 3;
        reader->decoded_size = UINT32_MAX - room;
        size_t end;
        size_t at = 0;
        assert_int_equal(jsv_read_escaped(reader, 0, &end, &at), JSV_ERROR_MEMORY);
        assert_int_equal(at, 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        READING_TEST(every_byte_behind_a_backslash),
        READING_TEST(every_byte_as_hex_digit),
        READING_TEST(all_code_units),
        READING_TEST(surrogate_pairs),
        cmocka_unit_test(escapes_across_windows),
        READING_TEST(faults_across_windows),
        READING_TEST(unterminated_across_windows),
        READING_TEST(long_strings),
        READING_TEST(sizes_around_long),
        READING_TEST(decoded_text_has_a_limit),
    };
    return cmocka_run_group_tests_name("json/unescape", tests, NULL, NULL);
}
