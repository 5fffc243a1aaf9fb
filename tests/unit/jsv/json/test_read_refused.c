/*
 * What is refused, why, and where: every code there is, by both walks, alone
 * and inside of containers.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "support/count_of.h"
#include "support/reading.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        READING_TEST(refused_with_code_and_place),
        READING_TEST(refused_by_both_walks),
        READING_TEST(refused_inside_containers),
        cmocka_unit_test(refusals_name_every_code),
        READING_TEST(every_control_character_in_a_string),
        READING_TEST(error_may_be_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
