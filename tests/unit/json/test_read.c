#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "json/reader.h"
#include "json/value.h"
#include "support/random.h"
#include "support/reading.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- what is refused, why, and where ---- */

struct refusal {
    struct jsv_str text;
    enum jsv_error_code code;
    size_t offset;
    const char *pointer;
};

#define REFUSE(text, code, offset, pointer)                                                        \
    {                                                                                              \
        {text, sizeof(text) - 1}, JSV_ERROR_##code, offset, pointer                                \
    }

static const struct refusal refusals[] = {
    REFUSE("", EMPTY, 0, ""),
    REFUSE(" ", EMPTY, 0, ""),
    REFUSE("\n\t\r ", EMPTY, 0, ""),

    REFUSE("\xEF\xBB\xBF", BYTE_ORDER_MARK, 0, ""),
    REFUSE("\xEF\xBB\xBF{}", BYTE_ORDER_MARK, 0, ""),
    REFUSE("\xEF\xBB\xBF 1", BYTE_ORDER_MARK, 0, ""),

    REFUSE("\xFF", INVALID_UTF8, 0, ""),
    REFUSE("\xEF\xBB{}", INVALID_UTF8, 0, ""),
    REFUSE("[\xFF]", INVALID_UTF8, 1, "/0"),
    REFUSE("[\"\xFF\"]", INVALID_UTF8, 2, "/0"),
    REFUSE("[1,\"ab\x80\"]", INVALID_UTF8, 6, "/1"),
    REFUSE("{\"\xFF\":1}", INVALID_UTF8, 2, ""),
    REFUSE("{\"a\":\"\xFF\"}", INVALID_UTF8, 6, "/a"),
    REFUSE("{\xFF}", INVALID_UTF8, 1, ""),
    REFUSE("{\"a\"\xFF}", INVALID_UTF8, 4, "/a"),
    REFUSE("{\"a\":1\xFF}", INVALID_UTF8, 6, ""),
    REFUSE("[1 \xFF]", INVALID_UTF8, 3, ""),
    REFUSE("[-\xFF]", INVALID_UTF8, 2, "/0"),
    REFUSE("[1.\xFF]", INVALID_UTF8, 3, "/0"),
    REFUSE("[1e\xFF]", INVALID_UTF8, 3, "/0"),
    REFUSE("[1e-\xFF]", INVALID_UTF8, 4, "/0"),
    REFUSE("[0\xE5]", INVALID_UTF8, 2, ""),
    REFUSE("\"\xE2\x82", INVALID_UTF8, 1, ""),
    REFUSE("\"\xE2\x82\"", INVALID_UTF8, 1, ""),
    REFUSE("\"\xC0\xAF\"", INVALID_UTF8, 1, ""),
    REFUSE("\"\xED\xA0\x80\"", INVALID_UTF8, 1, ""),
    REFUSE("\"\xF4\x90\x80\x80\"", INVALID_UTF8, 1, ""),
    REFUSE("\"\xC3\xA9\x80\"", INVALID_UTF8, 3, ""),
    REFUSE("\"\\n\xFF\"", INVALID_UTF8, 3, ""),
    REFUSE("{\"\\n\xFF\":1}", INVALID_UTF8, 4, ""),

    REFUSE("[", UNEXPECTED_END, 1, "/0"),
    REFUSE("[ ", UNEXPECTED_END, 1, "/0"),
    REFUSE("[1", UNEXPECTED_END, 2, ""),
    REFUSE("[1, ", UNEXPECTED_END, 3, "/1"),
    REFUSE("[\"a\"", UNEXPECTED_END, 4, ""),
    REFUSE("[\"\\n\"", UNEXPECTED_END, 5, ""),
    REFUSE("[true", UNEXPECTED_END, 5, ""),
    REFUSE("{", UNEXPECTED_END, 1, ""),
    REFUSE("{\n", UNEXPECTED_END, 1, ""),
    REFUSE("{\"a\"", UNEXPECTED_END, 4, "/a"),
    REFUSE("{\"a\":", UNEXPECTED_END, 5, "/a"),
    REFUSE("{\"a\":1", UNEXPECTED_END, 6, ""),
    REFUSE("{\"a\":1,", UNEXPECTED_END, 7, ""),
    REFUSE("[[]", UNEXPECTED_END, 3, ""),
    REFUSE("[[],[{}]", UNEXPECTED_END, 8, ""),
    REFUSE("[{}", UNEXPECTED_END, 3, ""),
    REFUSE("{\"a\":{}", UNEXPECTED_END, 7, ""),
    REFUSE("{\"a\":[[1]", UNEXPECTED_END, 9, "/a"),
    REFUSE("-", UNEXPECTED_END, 1, ""),
    REFUSE("1.", UNEXPECTED_END, 2, ""),
    REFUSE("1e", UNEXPECTED_END, 2, ""),
    REFUSE("[-", UNEXPECTED_END, 2, "/0"),
    REFUSE("[1.", UNEXPECTED_END, 3, "/0"),
    REFUSE("[1e", UNEXPECTED_END, 3, "/0"),
    REFUSE("[1E+", UNEXPECTED_END, 4, "/0"),
    REFUSE("[1e-", UNEXPECTED_END, 4, "/0"),

    REFUSE("]", UNEXPECTED_CHARACTER, 0, ""),
    REFUSE("}", UNEXPECTED_CHARACTER, 0, ""),
    REFUSE(",", UNEXPECTED_CHARACTER, 0, ""),
    REFUSE(":1", UNEXPECTED_CHARACTER, 0, ""),
    REFUSE(" *", UNEXPECTED_CHARACTER, 1, ""),
    REFUSE("'a'", UNEXPECTED_CHARACTER, 0, ""),
    REFUSE("+1", UNEXPECTED_CHARACTER, 0, ""),
    REFUSE(".5", UNEXPECTED_CHARACTER, 0, ""),
    REFUSE("NaN", UNEXPECTED_CHARACTER, 0, ""),
    REFUSE("Infinity", UNEXPECTED_CHARACTER, 0, ""),
    REFUSE("True", UNEXPECTED_CHARACTER, 0, ""),
    REFUSE("\0", UNEXPECTED_CHARACTER, 0, ""),
    REFUSE("\v1", UNEXPECTED_CHARACTER, 0, ""),
    REFUSE("\x7F", UNEXPECTED_CHARACTER, 0, ""),
    REFUSE("\xC2\xA0 1", UNEXPECTED_CHARACTER, 0, ""),
    REFUSE("\xC3\xA9", UNEXPECTED_CHARACTER, 0, ""),
    REFUSE("/* */1", UNEXPECTED_CHARACTER, 0, ""),
    REFUSE("\\", UNEXPECTED_CHARACTER, 0, ""),
    REFUSE("[\\\"a\"]", UNEXPECTED_CHARACTER, 1, "/0"),
    REFUSE("[\f1]", UNEXPECTED_CHARACTER, 1, "/0"),
    REFUSE("[\0]", UNEXPECTED_CHARACTER, 1, "/0"),
    REFUSE("[,", UNEXPECTED_CHARACTER, 1, "/0"),
    REFUSE("[1,]", UNEXPECTED_CHARACTER, 3, "/1"),
    REFUSE("[1,,2]", UNEXPECTED_CHARACTER, 3, "/1"),
    REFUSE("[1,\n \"\",}", UNEXPECTED_CHARACTER, 8, "/2"),
    REFUSE("{\"a\":}", UNEXPECTED_CHARACTER, 5, "/a"),
    REFUSE("{\"a\"::1}", UNEXPECTED_CHARACTER, 5, "/a"),
    REFUSE("{\"a\": ,", UNEXPECTED_CHARACTER, 6, "/a"),
    REFUSE("{\"a\":[{\"b\":*", UNEXPECTED_CHARACTER, 11, "/a/0/b"),
    REFUSE("{\"\\u0061\":*", UNEXPECTED_CHARACTER, 10, "/a"),

    REFUSE("{1", EXPECTED_KEY, 1, ""),
    REFUSE("{1:1}", EXPECTED_KEY, 1, ""),
    REFUSE("{,}", EXPECTED_KEY, 1, ""),
    REFUSE("{a:1}", EXPECTED_KEY, 1, ""),
    REFUSE("{'a':1}", EXPECTED_KEY, 1, ""),
    REFUSE("{ ]", EXPECTED_KEY, 2, ""),
    REFUSE("{[", EXPECTED_KEY, 1, ""),
    REFUSE("{null:1}", EXPECTED_KEY, 1, ""),
    REFUSE("{\"a\":1,}", EXPECTED_KEY, 7, ""),
    REFUSE("{\"a\":1,,", EXPECTED_KEY, 7, ""),
    REFUSE("{\"a\":{\"b\":1, 2}}", EXPECTED_KEY, 13, "/a"),

    REFUSE("{\"a\"}", EXPECTED_COLON, 4, "/a"),
    REFUSE("{\"a\" 1}", EXPECTED_COLON, 5, "/a"),
    REFUSE("{\"a\",", EXPECTED_COLON, 4, "/a"),
    REFUSE("{\"a\"\"b\"}", EXPECTED_COLON, 4, "/a"),
    REFUSE("{\"\\n\"=1}", EXPECTED_COLON, 5, "/\n"),
    REFUSE("{\"a\":0,\"~/\"}", EXPECTED_COLON, 11, "/~0~1"),

    REFUSE("{\"a\":1 2}", EXPECTED_COMMA_OR_BRACE, 7, ""),
    REFUSE("{\"a\":1]", EXPECTED_COMMA_OR_BRACE, 6, ""),
    REFUSE("{\"a\":1\"b\"", EXPECTED_COMMA_OR_BRACE, 6, ""),
    REFUSE("{\"a\":[]]", EXPECTED_COMMA_OR_BRACE, 7, ""),
    REFUSE("{\"a\":{}:", EXPECTED_COMMA_OR_BRACE, 7, ""),
    REFUSE("{\"a\":\"\\t\" x", EXPECTED_COMMA_OR_BRACE, 10, ""),

    REFUSE("[1 2]", EXPECTED_COMMA_OR_BRACKET, 3, ""),
    REFUSE("[1}", EXPECTED_COMMA_OR_BRACKET, 2, ""),
    REFUSE("[1:2]", EXPECTED_COMMA_OR_BRACKET, 2, ""),
    REFUSE("[\"a\" \"b\"]", EXPECTED_COMMA_OR_BRACKET, 5, ""),
    REFUSE("[\"a\"b]", EXPECTED_COMMA_OR_BRACKET, 4, ""),
    REFUSE("[[] []]", EXPECTED_COMMA_OR_BRACKET, 4, ""),
    REFUSE("[{}}", EXPECTED_COMMA_OR_BRACKET, 3, ""),
    REFUSE("[1 true]", EXPECTED_COMMA_OR_BRACKET, 3, ""),
    REFUSE("[1.5.2]", EXPECTED_COMMA_OR_BRACKET, 4, ""),
    REFUSE("[1e5e5]", EXPECTED_COMMA_OR_BRACKET, 4, ""),
    REFUSE("[1e1.5]", EXPECTED_COMMA_OR_BRACKET, 4, ""),
    REFUSE("[0x1]", EXPECTED_COMMA_OR_BRACKET, 2, ""),
    REFUSE("[1-1]", EXPECTED_COMMA_OR_BRACKET, 2, ""),
    REFUSE("[truefalse]", EXPECTED_COMMA_OR_BRACKET, 5, ""),
    REFUSE("[nulll]", EXPECTED_COMMA_OR_BRACKET, 5, ""),
    REFUSE("{\"a\":[0,[1 2", EXPECTED_COMMA_OR_BRACKET, 11, "/a/1"),

    REFUSE("1 2", TRAILING_CHARACTERS, 2, ""),
    REFUSE("1]", TRAILING_CHARACTERS, 1, ""),
    REFUSE("1x", TRAILING_CHARACTERS, 1, ""),
    REFUSE("nullx", TRAILING_CHARACTERS, 4, ""),
    REFUSE("{}}", TRAILING_CHARACTERS, 2, ""),
    REFUSE("{}\0", TRAILING_CHARACTERS, 2, ""),
    REFUSE("[][]", TRAILING_CHARACTERS, 2, ""),
    REFUSE("[1],", TRAILING_CHARACTERS, 3, ""),
    REFUSE("{} \n,", TRAILING_CHARACTERS, 4, ""),
    REFUSE("true false", TRAILING_CHARACTERS, 5, ""),
    REFUSE("\"a\"\"b\"", TRAILING_CHARACTERS, 3, ""),
    REFUSE("\"\\n\"1", TRAILING_CHARACTERS, 4, ""),
    REFUSE("\"a\" }", TRAILING_CHARACTERS, 4, ""),

    REFUSE("t", INVALID_LITERAL, 0, ""),
    REFUSE("tru", INVALID_LITERAL, 0, ""),
    REFUSE("truE", INVALID_LITERAL, 0, ""),
    REFUSE("nul", INVALID_LITERAL, 0, ""),
    REFUSE("n\xFF", INVALID_LITERAL, 0, ""),
    REFUSE("fals", INVALID_LITERAL, 0, ""),
    REFUSE("[tru]", INVALID_LITERAL, 1, "/0"),
    REFUSE("[0,falsy]", INVALID_LITERAL, 3, "/1"),
    REFUSE("{\"a\":nul}", INVALID_LITERAL, 5, "/a"),
    REFUSE("[\"a\",nil", INVALID_LITERAL, 5, "/1"),

    REFUSE("01", INVALID_NUMBER, 1, ""),
    REFUSE("-01", INVALID_NUMBER, 2, ""),
    REFUSE("--1", INVALID_NUMBER, 1, ""),
    REFUSE("-a", INVALID_NUMBER, 1, ""),
    REFUSE("-Infinity", INVALID_NUMBER, 1, ""),
    REFUSE("[-]", INVALID_NUMBER, 2, "/0"),
    REFUSE("[- 1]", INVALID_NUMBER, 2, "/0"),
    REFUSE("[1.]", INVALID_NUMBER, 3, "/0"),
    REFUSE("[1.e1]", INVALID_NUMBER, 3, "/0"),
    REFUSE("[1e]", INVALID_NUMBER, 3, "/0"),
    REFUSE("[1e 5]", INVALID_NUMBER, 3, "/0"),
    REFUSE("[1E+]", INVALID_NUMBER, 4, "/0"),
    REFUSE("[1e+-1]", INVALID_NUMBER, 4, "/0"),
    REFUSE("[0123456789012]", INVALID_NUMBER, 2, "/0"),
    REFUSE("{\"a\":-}", INVALID_NUMBER, 6, "/a"),

    REFUSE("\"", UNTERMINATED_STRING, 0, ""),
    REFUSE("\"a", UNTERMINATED_STRING, 0, ""),
    REFUSE("\"a\\\"", UNTERMINATED_STRING, 0, ""),
    REFUSE("\"\\u0041", UNTERMINATED_STRING, 0, ""),
    REFUSE("[\"a]", UNTERMINATED_STRING, 1, "/0"),
    REFUSE("[\"\\n]", UNTERMINATED_STRING, 1, "/0"),
    REFUSE("{\"a}", UNTERMINATED_STRING, 1, ""),
    REFUSE("{ \"a", UNTERMINATED_STRING, 2, ""),
    REFUSE("{\"\\n]", UNTERMINATED_STRING, 1, ""),
    REFUSE("{\"a\":\"b}", UNTERMINATED_STRING, 5, "/a"),

    REFUSE("\"\n\"", CONTROL_CHARACTER, 1, ""),
    REFUSE("\"\0\"", CONTROL_CHARACTER, 1, ""),
    REFUSE("\"a\tb", CONTROL_CHARACTER, 2, ""),
    REFUSE("\"\\n\n\"", CONTROL_CHARACTER, 3, ""),
    REFUSE("[\"a\x1F\"]", CONTROL_CHARACTER, 3, "/0"),
    REFUSE("{\"\r\":1}", CONTROL_CHARACTER, 2, ""),
    REFUSE("{\"a\":\"\x01\"}", CONTROL_CHARACTER, 6, "/a"),

    REFUSE("\"\\", INVALID_ESCAPE, 1, ""),
    REFUSE("\"\\x\"", INVALID_ESCAPE, 1, ""),
    REFUSE("\"\\0\"", INVALID_ESCAPE, 1, ""),
    REFUSE("\"\\ \"", INVALID_ESCAPE, 1, ""),
    REFUSE("\"\\\x01\"", INVALID_ESCAPE, 1, ""),
    REFUSE("\"\\\xFF\"", INVALID_ESCAPE, 1, ""),
    REFUSE("\"\\U0041\"", INVALID_ESCAPE, 1, ""),
    REFUSE("\"\\u\"", INVALID_ESCAPE, 1, ""),
    REFUSE("\"\\u12", INVALID_ESCAPE, 1, ""),
    REFUSE("\"\\u123\"", INVALID_ESCAPE, 1, ""),
    REFUSE("\"\\u12G4\"", INVALID_ESCAPE, 1, ""),
    REFUSE("\"\\u004\xC3\xA9\"", INVALID_ESCAPE, 1, ""),
    REFUSE("\"ab\\n\\'\"", INVALID_ESCAPE, 5, ""),
    REFUSE("[\"\\q\"]", INVALID_ESCAPE, 2, "/0"),
    REFUSE("{\"\\q\":1}", INVALID_ESCAPE, 2, ""),
    REFUSE("{\"a\":\"\\q\"}", INVALID_ESCAPE, 6, "/a"),

    REFUSE("\"\\ud800\"", LONE_SURROGATE, 1, ""),
    REFUSE("\"\\uDFFF\"", LONE_SURROGATE, 1, ""),
    REFUSE("\"\\ud800", LONE_SURROGATE, 1, ""),
    REFUSE("\"\\ud800x\"", LONE_SURROGATE, 1, ""),
    REFUSE("\"\\ud800\\n\"", LONE_SURROGATE, 1, ""),
    REFUSE("\"\\ud800\\u0041\"", LONE_SURROGATE, 1, ""),
    REFUSE("\"\\ud800\\ud800\"", LONE_SURROGATE, 1, ""),
    REFUSE("\"\\ud800\\u12\"", LONE_SURROGATE, 1, ""),
    REFUSE("\"\\ud800\\ue000\"", LONE_SURROGATE, 1, ""),
    REFUSE("\"\\udc00\\ud800\"", LONE_SURROGATE, 1, ""),
    REFUSE("\"\\ud83d\\ude00\\ud83d\"", LONE_SURROGATE, 13, ""),
    REFUSE("[\"\\udc00\"]", LONE_SURROGATE, 2, "/0"),
    REFUSE("{\"\\udfff\":1}", LONE_SURROGATE, 2, ""),

    REFUSE("{\"a\":1,\"a\":2}", DUPLICATE_MEMBER, 7, "/a"),
    REFUSE("{\"\":1,\"\":1}", DUPLICATE_MEMBER, 6, "/"),
    REFUSE("{\"a\":1,\"\\u0061\":2}", DUPLICATE_MEMBER, 7, "/a"),
    REFUSE("{\"\\u0061\":[],\"b\":{}, \"a\":2}", DUPLICATE_MEMBER, 21, "/a"),
    REFUSE("[{\"~/\":{\"b\":1,\"c\":2,\"b\":3}}]", DUPLICATE_MEMBER, 20, "/0/~0~1/b"),
};

/* Line and column of an offset, counted the plain way. */
static void expect_place(const struct jsv_error *error, struct jsv_str text)
{
    size_t line = 1;
    size_t column = 1;
    for (size_t i = 0; i < error->offset; i++) {
        bool first_byte = ((unsigned char)text.data[i] & 0xC0) != 0x80;
        column = text.data[i] == '\n' ? 1 : column + first_byte;
        line += text.data[i] == '\n';
    }
    assert_int_equal(error->line, line);
    assert_int_equal(error->column, column);
}

/* The text, behind and before others, is refused alike by every kernel and flag. */
static void expect_refusal(
    struct reading *reading,
    const char *before,
    const struct refusal *refusal,
    const char *behind,
    const char *pointer_before)
{
    char text[256];
    char pointer[256];
    size_t shift = strlen(before);
    size_t size = shift + refusal->text.size + strlen(behind);
    assert_true(size < sizeof(text));
    memcpy(text, before, shift);
    memcpy(text + shift, refusal->text.data, refusal->text.size);
    memcpy(text + shift + refusal->text.size, behind, strlen(behind));
    snprintf(pointer, sizeof(pointer), "%s%s", pointer_before, refusal->pointer);

    struct jsv_str whole = {text, size};
    for (const struct reading_kernel *kernel = reading_kernels(); kernel->name; kernel++) {
        reading_use(reading, kernel);
        assert_int_equal(reading_read(reading, whole, 0), -EBADMSG);
        if (reading->error.code != refusal->code) {
            print_error("%s: %.*s\n", kernel->name, (int)size, text);
        }
        reading_expect(reading, refusal->code, shift + refusal->offset, pointer);
        expect_place(&reading->error, whole);
        if (refusal->code != JSV_ERROR_DUPLICATE_MEMBER) {
            assert_int_equal(reading_read(reading, whole, JSV_READ_LAST_WINS), -EBADMSG);
            reading_expect(reading, refusal->code, shift + refusal->offset, pointer);
        }
    }
}

static bool is_about_the_end(enum jsv_error_code code)
{
    return code == JSV_ERROR_EMPTY || code == JSV_ERROR_UNEXPECTED_END ||
           code == JSV_ERROR_UNTERMINATED_STRING;
}

static bool is_about_the_whole(enum jsv_error_code code)
{
    return code == JSV_ERROR_EMPTY || code == JSV_ERROR_BYTE_ORDER_MARK ||
           code == JSV_ERROR_TRAILING_CHARACTERS;
}

static void refused_with_code_and_place(void **state)
{
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        expect_refusal(*state, "", &refusals[i], "", "");
    }
}

/* What follows a fault does not matter, but decides which of the two walks is taken. */
static void refused_by_both_walks(void **state)
{
    static const char *const behind[] = {" ]", " }", " x", " \"", "\n]\n", ",[1,{\"a\":2}]"};
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        for (size_t j = 0; j < COUNT_OF(behind); j++) {
            if (!is_about_the_end(refusals[i].code)) {
                expect_refusal(*state, "", &refusals[i], behind[j], "");
            }
        }
    }
}

static void refused_inside_containers(void **state)
{
    static const char *const befores[][2] = {
        {"[0,", "/1"},
        {"{\"\":", "/"},
        {"{\"a~/b\":[0,", "/a~0~1b/1"},
        {"[{\"\\u0061\\n\":\n{\"0\":[[], {} ,[\"\",", "/0/a\n/0/2/1"},
    };
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        for (size_t j = 0; j < COUNT_OF(befores); j++) {
            if (!is_about_the_whole(refusals[i].code)) {
                expect_refusal(*state, befores[j][0], &refusals[i], "", befores[j][1]);
            }
        }
    }
}

/* Codes of limits have tests of their own; all others are in the table. */
static void refusals_name_every_code(void **state)
{
    (void)state;
    bool seen[JSV_ERROR_MEMORY + 1] = {
        [JSV_ERROR_NONE] = true,
        [JSV_ERROR_TEXT_TOO_LARGE] = true,
        [JSV_ERROR_TOO_DEEP] = true,
        [JSV_ERROR_NUMBER_TOO_LONG] = true,
        [JSV_ERROR_MEMORY] = true,
    };
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        seen[refusals[i].code] = true;
    }
    for (size_t i = 0; i < COUNT_OF(seen); i++) {
        assert_true(seen[i]);
    }
}

static void every_control_character_in_a_string(void **state)
{
    struct reading *reading = *state;
    for (int c = 0; c < 0x80; c++) {
        char text[] = {'[', '"', 'a', (char)c, '"', ']'};
        struct jsv_str whole = {text, sizeof(text)};
        if (c < 0x20) {
            assert_int_equal(reading_read(reading, whole, 0), -EBADMSG);
            reading_expect(reading, JSV_ERROR_CONTROL_CHARACTER, 3, "/0");
        } else if (c != '"' && c != '\\') {
            assert_int_equal(
                jsv_value_text(jsv_value_at(reading_root(reading, whole, 0), 0)).size, 2);
        }
    }
}

static void error_may_be_null(void **state)
{
    struct reading *reading = *state;
    assert_int_equal(
        jsv_read(reading->reader, reading->document, JSV_STR("{\"a\":[1,"), 0, NULL), -EBADMSG);
    assert_int_equal(
        jsv_read(reading->reader, reading->document, (struct jsv_str){NULL, 0}, 0, NULL), -EBADMSG);
    assert_int_equal(jsv_value_type(jsv_document_root(reading->document)), JSV_TYPE_NONE);
    assert_int_equal(jsv_read(reading->reader, reading->document, JSV_STR("{}"), 0, NULL), 0);
    assert_int_equal(jsv_value_type(jsv_document_root(reading->document)), JSV_TYPE_OBJECT);
}

/* ---- what is accepted ---- */

static void expect_compact(struct reading *reading, struct jsv_str text, const char *compact)
{
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, SIZE_MAX);
    struct jsv_writer writer = jsv_writer_on(&out);
    jsv_write_value(&writer, reading_root(reading, text, 0));
    assert_int_equal(jsv_buf_append_byte(&out, '\0'), 0);
    assert_string_equal(out.data, compact);
    jsv_buf_done(&out);
}

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
            expect_compact(reading, jsv_str_from(texts[i][0]), texts[i][1]);
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
        expect_compact(reading, jsv_buf_str(&text), "{\"a\":[1,\"b\",{}],\"c\":null}");
        jsv_buf_done(&text);
    }
}

static void document_is_replaced_by_every_read(void **state)
{
    struct reading *reading = *state;
    expect_compact(reading, JSV_STR("[1,\"\\n\",{\"a\":2}]"), "[1,\"\\n\",{\"a\":2}]");
    assert_int_equal(reading_read(reading, JSV_STR("[1,"), 0), -EBADMSG);
    assert_int_equal(jsv_value_type(jsv_document_root(reading->document)), JSV_TYPE_NONE);
    expect_compact(reading, JSV_STR("7"), "7");
    expect_compact(reading, JSV_STR("{\"\\u0041\":[]}"), "{\"\\u0041\":[]}");
}

/* ---- limits ---- */

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
    expect_compact(&reading, JSV_STR("1"), "1");
    expect_compact(&reading, JSV_STR("[1,\"a\",null]"), "[1,\"a\",null]");
    expect_compact(&reading, JSV_STR("{\"a\":1}"), "{\"a\":1}");
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
    expect_compact(&reading, JSV_STR("[12345678]"), "[12345678]");
    expect_compact(&reading, JSV_STR("1234567890"), "1234567890");
    expect_compact(&reading, JSV_STR("[1234567]\n"), "[1234567]");
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

/* ---- numbers ---- */

static void expect_number(struct reading *reading, struct jsv_str spelling)
{
    char text[300];
    assert_true(spelling.size + 3 < sizeof(text));
    memcpy(text + 1, spelling.data, spelling.size);
    for (int bracketed = 0; bracketed < 2; bracketed++) {
        text[0] = bracketed ? '[' : ' ';
        text[spelling.size + 1] = bracketed ? ']' : '\n';
        struct jsv_value value =
            reading_root(reading, (struct jsv_str){text, spelling.size + 2}, 0);
        if (bracketed) {
            value = jsv_value_at(value, 0);
        }
        assert_int_equal(jsv_value_offset(value), 1);
        assert_int_equal(jsv_value_span(value).size, spelling.size);
        assert_memory_equal(jsv_value_span(value).data, spelling.data, spelling.size);
        struct jsv_number read = jsv_value_number(value);
        struct jsv_number expected = jsv_number_from(spelling);
        assert_true(jsv_number_equal(&read, &expected));
        assert_int_equal(read.negative, spelling.data[0] == '-');
    }
}

static void numbers_are_exact(void **state)
{
    static const char *const spellings[] = {
        "0",
        "-0",
        "-0.0e-0",
        "0.1",
        "1e400",
        "-1e400",
        "1E-9999999999",
        "1e99999999999999999999",
        "-1e-99999999999999999999",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "9999999999999999999",
        "10000000000000000000",
        "18446744073709551615",
        "18446744073709551616",
        "1e32767",
        "1e32768",
        "1e-32768",
        "1e-32769",
        "0.1e32768",
        "0.1e32769",
        "1.5e-32767",
        "1.5e-32768",
        "1e99999",
        "1e100000",
        "1e999999",
        "1e1000000",
        "0.0000000000000000001",
        "0.00000000000000000001",
        "123456789.123456789",
        "3."
        "141592653589793238462643383279502884197169399375105820974944592307816406286208998628034825"
        "34211706798214808651",
    };
    for (size_t i = 0; i < COUNT_OF(spellings); i++) {
        expect_number(*state, jsv_str_from(spellings[i]));
    }
}

/* Digits in every number before and behind the point, since eight are read at a time. */
static void digits_of_every_count(void **state)
{
    uint64_t seed = 5;
    for (size_t whole = 1; whole < 40; whole++) {
        for (size_t fraction = 0; fraction < 40; fraction++) {
            char spelling[96];
            size_t size = 0;
            spelling[size++] = (char)('1' + random_below(&seed, 9));
            while (size < whole) {
                spelling[size++] = (char)('0' + random_below(&seed, 10));
            }
            if (fraction > 0) {
                spelling[size++] = '.';
            }
            for (size_t i = 0; i < fraction; i++) {
                spelling[size++] = (char)('0' + random_below(&seed, 10));
            }
            expect_number(*state, (struct jsv_str){spelling, size});
            memcpy(spelling + size, "e-7", 3);
            expect_number(*state, (struct jsv_str){spelling, size + 3});
        }
    }
}

/* A byte that is no digit, at each place among eight. */
static void eight_bytes_with_one_that_is_no_digit(void **state)
{
    struct reading *reading = *state;
    for (size_t at = 0; at < 8; at++) {
        for (int byte = 0; byte < 256; byte++) {
            char text[] = "[1234567890,1]";
            text[2 + at] = (char)byte;
            int r = reading_read(reading, jsv_str_from(text), 0);
            bool digit = byte >= '0' && byte <= '9';
            bool accepted = digit || byte == ',' || byte == '.' || byte == 'e' || byte == 'E';
            assert_int_equal(r, accepted ? 0 : -EBADMSG);
            if (digit) {
                struct jsv_number read =
                    jsv_value_number(jsv_value_at(jsv_document_root(reading->document), 0));
                struct jsv_number expected = jsv_number_from((struct jsv_str){text + 1, 10});
                assert_true(jsv_number_equal(&read, &expected));
            }
        }
    }
}

static void numbers_that_fit_a_node(void **state)
{
    static const struct {
        const char *spelling;
        bool big;
    } cases[] = {
        {"9999999999999999999", false},
        {"10000000000000000000", true},
        {"0.000000000000000001", false},
        {"0.0000000000000000001", true},
        {"1e32767", false},
        {"1e32768", true},
        {"1e-32768", false},
        {"1e-32769", true},
        {"0.1e32768", false},
        {"0.1e-32768", true},
        {"0e99999", true},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct jsv_value value = reading_root(*state, jsv_str_from(cases[i].spelling), 0);
        assert_int_equal((jsv_node_flags(value.node) & JSV_NODE_BIG) != 0, cases[i].big);
    }
}

static void integers_and_doubles(void **state)
{
    static const struct {
        const char *spelling;
        int result;
        int64_t integer;
        double number;
    } cases[] = {
        {"-0", 0, 0, -0.0},
        {"9223372036854775807", 0, INT64_MAX, 9223372036854775807.0},
        {"9223372036854775808", -ERANGE, 0, 9223372036854775808.0},
        {"-9223372036854775808", 0, INT64_MIN, -9223372036854775808.0},
        {"-9223372036854775809", -ERANGE, 0, -9223372036854775809.0},
        {"70e-1", 0, 7, 7},
        {"0.5", -EINVAL, 0, 0.5},
        {"1e400", -ERANGE, 0, __builtin_inf()},
        {"1E-9999999999", -EINVAL, 0, 0},
        {"10000000000000000000000e-20", 0, 100, 100},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct jsv_value value = reading_root(*state, jsv_str_from(cases[i].spelling), 0);
        int64_t integer = 0;
        assert_int_equal(jsv_value_int64(value, &integer), cases[i].result);
        assert_true(integer == cases[i].integer);
        double number = jsv_value_double(value);
        assert_memory_equal(&number, &cases[i].number, sizeof(number));
    }
}

/* ---- long strings ---- */

static void strings_of_every_size(void **state)
{
    struct reading *reading = *state;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    static const size_t around[] = {0, 64, 128, 8192, 16384, 65536};
    for (size_t i = 0; i < COUNT_OF(around); i++) {
        for (size_t j = 0; j < 20; j++) {
            if (around[i] + j < 10) {
                continue;
            }
            size_t size = around[i] + j - 10;
            jsv_buf_reset(&text);
            jsv_buf_append_str(&text, JSV_STR("[\""));
            reading_fill(&text, 'x', size);
            jsv_buf_append_str(&text, JSV_STR("\",{\""));
            reading_fill(&text, 'y', size);
            jsv_buf_append_str(&text, JSV_STR("\":1}]"));
            struct jsv_value root = reading_root(reading, jsv_buf_str(&text), 0);
            struct jsv_str first = jsv_value_text(jsv_value_at(root, 0));
            struct jsv_iter iter = jsv_value_iter(jsv_value_at(root, 1));
            assert_true(jsv_iter_next(&iter));
            struct jsv_str key = jsv_value_text(iter.key);
            assert_int_equal(first.size, size);
            assert_int_equal(key.size, size);
            assert_ptr_equal(first.data, reading->text + 2);
            assert_ptr_equal(key.data, reading->text + size + 6);
            unsigned flags = jsv_node_flags(iter.key.node);
            assert_int_equal((flags & JSV_NODE_LONG) != 0, size > 65535);
            assert_ptr_equal(jsv_value_get(jsv_value_at(root, 1), key).node, iter.value.node);
        }
    }
    jsv_buf_done(&text);
}

/* ---- texts that are nearly right ---- */

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

static void free_accepts_null(void **state)
{
    (void)state;
    jsv_reader_free(NULL);
    jsv_document_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        READING_TEST(refused_with_code_and_place),
        READING_TEST(refused_by_both_walks),
        READING_TEST(refused_inside_containers),
        cmocka_unit_test(refusals_name_every_code),
        READING_TEST(every_control_character_in_a_string),
        READING_TEST(error_may_be_null),
        READING_TEST(accepted_texts),
        READING_TEST(white_space_of_every_size_everywhere),
        READING_TEST(document_is_replaced_by_every_read),
        cmocka_unit_test(depth_limit),
        cmocka_unit_test(scalars_have_no_depth),
        cmocka_unit_test(deepest_depth_limit),
        cmocka_unit_test(size_limit),
        cmocka_unit_test(size_limit_of_offsets),
        cmocka_unit_test(number_limit),
        READING_TEST(numbers_are_exact),
        READING_TEST(digits_of_every_count),
        READING_TEST(eight_bytes_with_one_that_is_no_digit),
        READING_TEST(numbers_that_fit_a_node),
        READING_TEST(integers_and_doubles),
        READING_TEST(strings_of_every_size),
        READING_TEST(every_truncation_is_refused),
        READING_TEST(every_byte_changed),
        READING_TEST(truncated_everywhere_by_all_kernels),
        READING_TEST(noise),
        cmocka_unit_test(free_accepts_null),
    };
    return cmocka_run_group_tests_name("json/read", tests, NULL, NULL);
}
