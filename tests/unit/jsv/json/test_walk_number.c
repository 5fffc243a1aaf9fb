/*
 * Numbers: exact whatever their size, and in the node when they fit.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "jsv/base/number.h"
#include "jsv/json/node.h"
#include "support/count_of.h"
#include "support/random.h"
#include "support/reading.h"

/* Alone, at the end of a text, and so far from it that eight bytes can be looked at. */
static const struct {
    const char *before;
    const char *behind;
} places[] = {
    {" ", "\n"},
    {"[", "]"},
    {"[", ",[1,2,3]]"},
};

static void expect_number(struct reading *reading, struct jsv_str spelling)
{
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        jsv_buf_reset(&text);
        jsv_buf_append_str(&text, jsv_str_from(places[i].before));
        jsv_buf_append_str(&text, spelling);
        jsv_buf_append_str(&text, jsv_str_from(places[i].behind));
        struct jsv_value value = reading_root(reading, jsv_buf_str(&text), 0);
        if (jsv_value_type(value) == JSV_TYPE_ARRAY) {
            value = jsv_value_at(value, 0);
        }
        assert_int_equal(jsv_value_offset(value), 1);
        assert_int_equal(jsv_value_span(value).size, spelling.size);
        assert_memory_equal(jsv_value_span(value).data, spelling.data, spelling.size);
        struct jsv_number read = jsv_value_number(value);
        struct jsv_number expected = jsv_number_from(spelling);
        assert_true(jsv_number_equal(&read, &expected));
        assert_int_equal(read.negative, spelling.data[0] == '-');
        bool decimal = memchr(spelling.data, '.', spelling.size) != NULL ||
                       memchr(spelling.data, 'e', spelling.size) != NULL ||
                       memchr(spelling.data, 'E', spelling.size) != NULL;
        assert_int_equal((jsv_node_flags(value.node) & JSV_NODE_DECIMAL) != 0, decimal);
    }
    jsv_buf_done(&text);
}

static void numbers_are_exact(void **state)
{
    static const char *const spellings[] = {
        "0",
        "-0",
        "-0.0e-0",
        "0.1",
        "0.583",
        "0.00001",
        "0.000001",
        "10.25",
        "123456.7",
        "1e5",
        "1.5E5",
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

/* A byte that is not a digit, at each place among eight. */
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

/* An error in a number is reported at its byte, wherever the number is. */
static void broken_numbers(void **state)
{
    static const struct {
        const char *spelling;
        enum jsv_error_code code;
        size_t offset;
    } cases[] = {
        {"00", JSV_ERROR_INVALID_NUMBER, 2},
        {"01.5", JSV_ERROR_INVALID_NUMBER, 2},
        {"-01", JSV_ERROR_INVALID_NUMBER, 3},
        {"-", JSV_ERROR_INVALID_NUMBER, 2},
        {"1.", JSV_ERROR_INVALID_NUMBER, 3},
        {"1.e5", JSV_ERROR_INVALID_NUMBER, 3},
        {"1234567.", JSV_ERROR_INVALID_NUMBER, 9},
        {"1.2.3", JSV_ERROR_EXPECTED_COMMA_OR_BRACKET, 4},
        {"1..2", JSV_ERROR_INVALID_NUMBER, 3},
        {"1e", JSV_ERROR_INVALID_NUMBER, 3},
        {"1.5e+", JSV_ERROR_INVALID_NUMBER, 6},
        {"1.5x", JSV_ERROR_EXPECTED_COMMA_OR_BRACKET, 4},
        {"1-2", JSV_ERROR_EXPECTED_COMMA_OR_BRACKET, 2},
        {"12\xC3\xA9", JSV_ERROR_EXPECTED_COMMA_OR_BRACKET, 3},
        {"1.2\xFF", JSV_ERROR_INVALID_UTF8, 4},
    };
    char text[64];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (size_t j = 1; j < COUNT_OF(places); j++) {
            snprintf(
                text,
                sizeof(text),
                "%s%s%s",
                places[j].before,
                cases[i].spelling,
                places[j].behind);
            assert_int_equal(reading_read(*state, jsv_str_from(text), 0), -EBADMSG);
            reading_expect(*state, cases[i].code, cases[i].offset, NULL);
        }
    }
}

/* However short the longest number allowed is. */
static void numbers_that_are_too_long(void **state)
{
    (void)state;
    for (unsigned limit = 1; limit < 12; limit++) {
        struct reading reading;
        reading_init(&reading, &(struct jsv_limits){.number_size_max = limit});
        for (size_t size = 1; size < 12; size++) {
            char text[] = "[           ,[[[[]]]]]";
            memset(text + 1, '7', size);
            bool allowed = size <= limit;
            assert_int_equal(reading_read(&reading, jsv_str_from(text), 0), allowed ? 0 : -EBADMSG);
            if (!allowed) {
                reading_expect(&reading, JSV_ERROR_NUMBER_TOO_LONG, 1, "/0");
            }
        }
        reading_done(&reading);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        READING_TEST(numbers_are_exact),
        READING_TEST(digits_of_every_count),
        READING_TEST(eight_bytes_with_one_that_is_no_digit),
        READING_TEST(broken_numbers),
        cmocka_unit_test(numbers_that_are_too_long),
        READING_TEST(numbers_that_fit_a_node),
        READING_TEST(integers_and_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
