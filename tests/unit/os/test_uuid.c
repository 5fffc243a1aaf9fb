#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/err.h>

#include "os/uuid.h"

/* The namespace of domain names, 6ba7b810-9dad-11d1-80b4-00c04fd430c8. */
static const unsigned char dns[OS_UUID_BYTES] = {
    0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8};

/* RFC 9562, A.4 */
#define EXAMPLE "2ed6657d-e927-568b-95e1-2665a8aea6a2"

static void test_named(void **state)
{
    (void)state;
    char text[OS_UUID_SIZE + 1];
    const struct jsv_str name = JSV_STR("www.example.com");
    os_uuid_named(dns, &name, 1, text);
    assert_string_equal(text, EXAMPLE);
}

static void test_pieces_are_one_name(void **state)
{
    (void)state;
    char text[OS_UUID_SIZE + 1];
    const struct jsv_str name[] = {JSV_STR("www."), {NULL, 0}, JSV_STR("example"), JSV_STR(".com")};
    os_uuid_named(dns, name, 4, text);
    assert_string_equal(text, EXAMPLE);
}

static void test_no_name(void **state)
{
    (void)state;
    char text[OS_UUID_SIZE + 1];
    os_uuid_named(dns, NULL, 0, text);
    assert_string_equal(text, "4ebd0208-8328-5d69-8c44-ec50939c0967");
}

static void test_random(void **state)
{
    (void)state;
    unsigned char random[OS_UUID_BYTES];
    char text[OS_UUID_SIZE + 1];
    memset(random, 0xFF, sizeof(random));
    os_uuid_random(random, text);
    assert_string_equal(text, "ffffffff-ffff-4fff-bfff-ffffffffffff");
    memset(random, 0, sizeof(random));
    os_uuid_random(random, text);
    assert_string_equal(text, "00000000-0000-4000-8000-000000000000");
}

/* Names of many blocks, and names after each other, have nothing to do with each other. */
static void test_one_after_another(void **state)
{
    (void)state;
    static char long_name[1000];
    const struct jsv_str names[] = {
        {long_name, sizeof(long_name)}, JSV_STR("www.example.com"), {long_name, 1}};
    char first[3][OS_UUID_SIZE + 1];
    char text[OS_UUID_SIZE + 1];
    for (size_t i = 0; i < 3; i++) {
        os_uuid_named(dns, &names[i], 1, first[i]);
    }
    assert_string_equal(first[1], EXAMPLE);
    assert_string_not_equal(first[0], first[2]);
    for (size_t i = 3; i-- > 0;) {
        os_uuid_named(dns, &names[i], 1, text);
        assert_string_equal(text, first[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_named),
        cmocka_unit_test(test_pieces_are_one_name),
        cmocka_unit_test(test_no_name),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_one_after_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
