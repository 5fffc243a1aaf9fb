/*
 * What is accepted; and texts that are nearly right, which all kernels must
 * treat alike.
 */
#include <errno.h>
#include <string.h>

#include "support/count_of.h"
#include "support/random.h"
#include "support/reading.h"

static void accepted_texts(void **state)
{
    static const char *const texts[][2] = {
        {"{}", "{}"},
        {"[]", "[]"},
        {"\"\"", "\"\""},
        {"0", "0"},
        {"-0", "-0"},
        {"null", "null"},
        {"\t\r\n true \t\r\n ", "true"},
        {"false ", "false"},
        {" { } ", "{}"},
        {" [ ] ", "[]"},
        {"\n[\n]\n", "[]"},
        {"[ 1 ,\t2\r,\n3 ]", "[1,2,3]"},
        {"{ \"a\" : 1 , \"b\"\n:\n[ ] }", "{\"a\":1,\"b\":[]}"},
        {"[[[]],{\"a\":{}}]", "[[[]],{\"a\":{}}]"},
        {"[[],[[]],[[],{}],\"\"]", "[[],[[]],[[],{}],\"\"]"},
        {"{\"a\":\"\",\"\":\"a\"}", "{\"a\":\"\",\"\":\"a\"}"},
        {"[1.5e3,-1.5E+3,1e-3,0.0,0e0,1E5]", "[1.5e3,-1.5E+3,1e-3,0.0,0e0,1E5]"},
        {"\"\\u0041\\n\"", "\"\\u0041\\n\""},
        {"{\"\\u0041\":\"\\\\\\\"\"}", "{\"\\u0041\":\"\\\\\\\"\"}"},
        {"\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\x7F\"",
         "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\x7F\""},
        {"[true,false,null]", "[true,false,null]"},
    };
    struct reading *reading = *state;
    for (const struct reading_kernel *kernel = reading_kernels(); kernel->name; kernel++) {
        reading_use(reading, kernel);
        for (size_t i = 0; i < COUNT_OF(texts); i++) {
            reading_expect_compact(reading, jsv_str_from(texts[i][0]), texts[i][1]);
        }
    }
}

static void white_space_of_every_size_everywhere(void **state)
{
    struct reading *reading = *state;
    static const char *const tokens[] = {
        "{",
        "\"a\"",
        ":",
        "[",
        "1",
        ",",
        "\"b\"",
        ",",
        "{",
        "}",
        "]",
        ",",
        "\"c\"",
        ":",
        "null",
        "}"};
    for (size_t size = 0; size < 70; size++) {
        struct jsv_buf text;
        jsv_buf_init(&text, NULL, SIZE_MAX);
        for (size_t i = 0; i < COUNT_OF(tokens); i++) {
            for (size_t j = 0; j < size; j++) {
                jsv_buf_append_byte(&text, " \t\r\n"[(i + j) % 4]);
            }
            jsv_buf_append_str(&text, jsv_str_from(tokens[i]));
        }
        reading_expect_compact(reading, jsv_buf_str(&text), "{\"a\":[1,\"b\",{}],\"c\":null}");
        jsv_buf_done(&text);
    }
}

static void document_is_replaced_by_every_read(void **state)
{
    struct reading *reading = *state;
    reading_expect_compact(reading, JSV_STR("[1,\"\\n\",{\"a\":2}]"), "[1,\"\\n\",{\"a\":2}]");
    assert_int_equal(reading_read(reading, JSV_STR("[1,"), 0), -EBADMSG);
    assert_int_equal(jsv_value_type(jsv_document_root(reading->document)), JSV_TYPE_NONE);
    reading_expect_compact(reading, JSV_STR("7"), "7");
    reading_expect_compact(reading, JSV_STR("{\"\\u0041\":[]}"), "{\"\\u0041\":[]}");
}

static const char *const documents[] = {
    "{\"a\":[1,-2.5e+3,true,false,null,\"x\\u00e9\\ud83d\\ude00\\n\"],\"b\":{\"c\":{},\"d\":[]}}",
    "[\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\", \"\\\"\\\\\\/\\b\\f\\n\\r\\t\" , [[[]]] ]",
    "  {\"jsonrpc\": \"2.0\",\r\n\t\"id\": 1.0, \"method\": \"tools/call\", \"params\": {\"name\": "
    "\"n\"}}  ",
    "{\"a\":1,\"b\":2,\"\\u0063\":3,\"d\":4,\"e\":5,\"abcdefghi\":6,\"abcdefghj\":7,\"\":8}",
    "[123456789012345678901234567890,0.000000001,1e-400,-0,12345678,123456789]",
    "\"a string on its own, longer than a block of sixty-four bytes, with \\u20ac and "
    "\xE2\x82\xAC\"",
    "-12345678.87654321E-12",
};

static void every_truncation_is_refused(void **state)
{
    struct reading *reading = *state;
    for (size_t i = 0; i < COUNT_OF(documents); i++) {
        struct jsv_str text = jsv_str_from(documents[i]);
        while (text.size > 0 && text.data[text.size - 1] == ' ') {
            text.size--;
        }
        reading_root(reading, text, 0);
        bool number = text.data[0] == '-';
        while (text.size-- > 0 && !number) {
            assert_int_equal(reading_read(reading, text, 0), -EBADMSG);
            assert_true(reading->error.offset <= text.size);
        }
    }
}

/* How a text was read, to be compared. */
struct outcome {
    int result;
    struct jsv_error error;
    struct jsv_buf out; /* the error's pointer, or the document's compact form */
};

static void take_outcome(struct reading *reading, struct jsv_str text, struct outcome *outcome)
{
    jsv_buf_reset(&outcome->out);
    outcome->result = reading_read(reading, text, 0);
    outcome->error = reading->error;
    if (outcome->result == 0) {
        struct jsv_writer writer = jsv_writer_on(&outcome->out);
        jsv_write_value(&writer, jsv_document_root(reading->document));
    } else {
        jsv_buf_append_str(&outcome->out, reading->error.pointer);
    }
}

static void expect_same_outcome(const struct outcome *a, const struct outcome *b)
{
    assert_int_equal(a->result, b->result);
    if (a->result < 0) {
        assert_int_equal(a->error.code, b->error.code);
        assert_int_equal(a->error.offset, b->error.offset);
        assert_int_equal(a->error.line, b->error.line);
        assert_int_equal(a->error.column, b->error.column);
    }
    assert_true(jsv_str_equal(jsv_buf_str(&a->out), jsv_buf_str(&b->out)));
}

static void read_with_all_kernels(struct reading *reading, struct jsv_str text)
{
    struct outcome first = {0};
    struct outcome other = {0};
    jsv_buf_init(&first.out, NULL, SIZE_MAX);
    jsv_buf_init(&other.out, NULL, SIZE_MAX);
    const struct reading_kernel *kernel = reading_kernels();
    reading_use(reading, kernel);
    take_outcome(reading, text, &first);
    assert_true(first.result == 0 || first.result == -EBADMSG);
    assert_true(first.result == 0 || first.error.offset <= text.size);
    for (kernel++; kernel->name; kernel++) {
        reading_use(reading, kernel);
        take_outcome(reading, text, &other);
        expect_same_outcome(&first, &other);
    }
    jsv_buf_done(&first.out);
    jsv_buf_done(&other.out);
}

static void every_byte_changed(void **state)
{
    for (size_t i = 0; i < COUNT_OF(documents); i++) {
        struct jsv_str text = jsv_str_from(documents[i]);
        char changed[256];
        assert_true(text.size <= sizeof(changed));
        memcpy(changed, text.data, text.size);
        for (size_t at = 0; at < text.size; at++) {
            for (int byte = 0; byte < 256; byte++) {
                changed[at] = (char)byte;
                read_with_all_kernels(*state, (struct jsv_str){changed, text.size});
            }
            changed[at] = text.data[at];
        }
    }
}

static void truncated_everywhere_by_all_kernels(void **state)
{
    for (size_t i = 0; i < COUNT_OF(documents); i++) {
        struct jsv_str text = jsv_str_from(documents[i]);
        for (; text.size > 0; text.size--) {
            read_with_all_kernels(*state, text);
        }
    }
}

/* Random text that is mostly punctuation, long enough for several windows. */
static void noise(void **state)
{
    static const char alphabet[] = "[]{},:\"\"\"\\ \n0-e.truefalsn\xC3\xA9\xE2\x82\xAC";
    uint64_t seed = 11;
    for (size_t round = 0; round < 2000; round++) {
        char text[512];
        size_t size = random_below(&seed, sizeof(text));
        for (size_t i = 0; i < size; i++) {
            text[i] = alphabet[random_below(&seed, sizeof(alphabet) - 1)];
        }
        read_with_all_kernels(*state, (struct jsv_str){text, size});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        READING_TEST(accepted_texts),
        READING_TEST(white_space_of_every_size_everywhere),
        READING_TEST(document_is_replaced_by_every_read),
        READING_TEST(every_truncation_is_refused),
        READING_TEST(every_byte_changed),
        READING_TEST(truncated_everywhere_by_all_kernels),
        READING_TEST(noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
