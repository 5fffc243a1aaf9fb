#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jsv/base/ascii.h"

static void written_and_read(void **state)
{
    (void)state;
    for (unsigned number = 0; number < 16; number++) {
        assert_int_equal(jsv_hex_value(jsv_hex_digit(number)), number);
        assert_int_equal(jsv_hex_digit(number), jsv_to_lower(jsv_hex_digit(number)));
        assert_int_equal(jsv_hex_digit(number + 0xA0), jsv_hex_digit(number));
    }
}

static void bytes(void **state)
{
    (void)state;
    static const unsigned char some[] = {0x00, 0x9A, 0xFF};
    char text[8] = "xxxxxxxx";
    assert_ptr_equal(jsv_hex_write(text, some, 0), text);
    assert_ptr_equal(jsv_hex_write(text, some, sizeof(some)), text + 6);
    assert_memory_equal(text, "009affxx", sizeof(text));
}

/* Of all bytes, 22 are digits. */
static void all_bytes_that_are_digits(void **state)
{
    (void)state;
    unsigned digits = 0;
    for (int byte = -128; byte < 128; byte++) {
        digits += jsv_hex_value((char)byte) >= 0;
    }
    assert_int_equal(digits, 22);
    assert_int_equal(jsv_hex_value('F'), 15);
    assert_int_equal(jsv_hex_value('g'), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_and_read),
        cmocka_unit_test(bytes),
        cmocka_unit_test(all_bytes_that_are_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
