#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/base/ascii.h"
#include "net/http/name.h"

#define NAME_SIZE_MAX 32

static const struct {
    enum net_http_name name;
    const char *text;
} cases[] = {
#define NAME(constant, first, text) {NET_HTTP_NAME_##constant, text},
#include "net/http/names.def"
#undef NAME
};
#define CASES (sizeof(cases) / sizeof(cases[0]))

static void expect(const char *data, size_t size, enum net_http_name expected)
{
    assert_int_equal(net_http_name_of((struct jsv_str){data, size}), expected);
}

/* Names ignore case, and stand in the table as is_name() needs them. */
static void names(void **state)
{
    (void)state;
    assert_int_equal(CASES, NET_HTTP_NAME_COUNT - 1);
    for (size_t i = 0; i < CASES; i++) {
        char upper[NAME_SIZE_MAX];
        size_t size = strlen(cases[i].text);
        assert_true(jsv_str_equal(
            net_http_name_text(cases[i].name), (struct jsv_str){cases[i].text, size}));
        for (size_t at = 0; at < size; at++) {
            char c = cases[i].text[at];
            assert_true((c >= 'a' && c <= 'z') || c == '-');
            upper[at] = c == '-' ? c : (char)(c - 'a' + 'A');
        }
        expect(cases[i].text, size, cases[i].name);
        expect(upper, size, cases[i].name);
    }
}

/* One byte that is another, at any place, makes it another name. */
static void no_other_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        char text[NAME_SIZE_MAX];
        size_t size = strlen(cases[i].text);
        memcpy(text, cases[i].text, size);
        for (size_t at = 0; at < size; at++) {
            for (int byte = 0; byte < 256; byte++) {
                bool same = jsv_to_lower((char)byte) == cases[i].text[at];
                text[at] = (char)byte;
                expect(text, size, same ? cases[i].name : NET_HTTP_NAME_OTHER);
            }
            text[at] = cases[i].text[at];
        }
    }
}

static void no_other_size(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        char text[NAME_SIZE_MAX] = "";
        size_t size = strlen(cases[i].text);
        memcpy(text, cases[i].text, size);
        for (size_t other = 0; other < sizeof(text); other++) {
            expect(text, other, other == size ? cases[i].name : NET_HTTP_NAME_OTHER);
        }
    }
    expect(NULL, 0, NET_HTTP_NAME_OTHER);
    expect("x-forwarded-for", 15, NET_HTTP_NAME_OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(no_other_byte),
        cmocka_unit_test(no_other_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
