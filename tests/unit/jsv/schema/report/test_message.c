#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/base/utf8.h"
#include "jsv/schema/report/message.h"

__attribute__((format(printf, 3, 4))) static size_t
print(char *out, size_t capacity, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t size = jsv_message_print(out, capacity, format, arguments);
    va_end(arguments);
    return size;
}

static void what_fits(void **state)
{
    (void)state;
    char out[16];
    struct jsv_str name = JSV_STR("name and more");
    name.size = 4;
    assert_int_equal(print(out, sizeof(out), "<%.*s> %d", JSV_TEXT(name), 7), 8);
    assert_memory_equal(out, "<name> 7", 8);
    assert_int_equal(print(out, sizeof(out), "%s", "123456789012345"), 15);
    assert_int_equal(print(out, sizeof(out), "%s", ""), 0);
}

/* Cut at every place, what is left is whole characters and an ellipsis. */
static void what_does_not_fit(void **state)
{
    (void)state;
    static const char text[] = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z\xC3\xA9\xE2\x82\xAC";
    for (size_t capacity = 5; capacity < sizeof(text); capacity++) {
        char *out = malloc(capacity);
        size_t size = print(out, capacity, "%s", text);
        struct jsv_str kept = {out, size};
        assert_true(size < capacity);
        assert_int_equal(jsv_utf8_valid_prefix(kept), size);
        assert_memory_equal(out + size - 3, "…", 3);
        assert_memory_equal(out, text, size - 3);
        free(out);
    }
}

/* A name longer than any message is never read to its end. */
static void text_of_any_size(void **state)
{
    (void)state;
    struct jsv_str huge = {"x", (size_t)1 << 40};
    struct {
        int size;
        const char *data;
    } argument = {JSV_TEXT(huge)};
    assert_int_equal(argument.size, 4096);
    assert_ptr_equal(argument.data, huge.data);
}

/* Up to 80 bytes; the beginning of a longer one, in whole characters. */
static void values(void **state)
{
    (void)state;
    char text[96];
    memset(text, 'x', sizeof(text));
    assert_int_equal(jsv_message_value((struct jsv_str){text, 80}).size, 80);
    assert_int_equal(jsv_message_value((struct jsv_str){text, 81}).size, 80);
    memcpy(text + 79, "é", 2);
    struct jsv_str part = jsv_message_value((struct jsv_str){text, sizeof(text)});
    assert_int_equal(part.size, 79);
    assert_ptr_equal(part.data, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits),
        cmocka_unit_test(what_does_not_fit),
        cmocka_unit_test(text_of_any_size),
        cmocka_unit_test(values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
