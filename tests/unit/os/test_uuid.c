#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/err.h>

#include "os/digest.h"
#include "os/uuid.h"
#include "unit/os/fault.h"

/* The namespace of domain names, 6ba7b810-9dad-11d1-80b4-00c04fd430c8. */
static const unsigned char dns[OS_UUID_BYTES] = {
    0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8};

static struct os_uuid_namer namer;

/* RFC 9562, A.4 */
#define EXAMPLE "2ed6657d-e927-568b-95e1-2665a8aea6a2"

static void test_named(void **state)
{
    (void)state;
    char text[OS_UUID_SIZE + 1];
    const struct jsv_str name = JSV_STR("www.example.com");
    assert_int_equal(os_uuid_named(&namer, dns, &name, 1, text), 0);
    assert_string_equal(text, EXAMPLE);
}

static void test_pieces_are_one_name(void **state)
{
    (void)state;
    char text[OS_UUID_SIZE + 1];
    const struct jsv_str name[] = {JSV_STR("www."), {NULL, 0}, JSV_STR("example"), JSV_STR(".com")};
    assert_int_equal(os_uuid_named(&namer, dns, name, 4, text), 0);
    assert_string_equal(text, EXAMPLE);
}

static void test_no_name(void **state)
{
    (void)state;
    char text[OS_UUID_SIZE + 1];
    assert_int_equal(os_uuid_named(&namer, dns, NULL, 0, text), 0);
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
        assert_int_equal(os_uuid_named(&namer, dns, &names[i], 1, first[i]), 0);
    }
    assert_string_equal(first[1], EXAMPLE);
    assert_string_not_equal(first[0], first[2]);
    for (size_t i = 3; i-- > 0;) {
        assert_int_equal(os_uuid_named(&namer, dns, &names[i], 1, text), 0);
        assert_string_equal(text, first[i]);
    }
}

/* Every allocation fails once; nothing stays behind, also not in OpenSSL's queue. */
static void test_no_memory(void **state)
{
    (void)state;
    const struct jsv_str name = JSV_STR("www.example.com");
    unsigned at = 1;
    for (;; at++) {
        char text[OS_UUID_SIZE + 1] = "untouched";
        struct os_uuid_namer poor;
        fault_arm(FAULT_RESIZE, at, ENOMEM);
        int r = os_uuid_namer_init(&poor);
        if (r == 0) {
            r = os_uuid_named(&poor, dns, &name, 1, text);
        }
        os_uuid_namer_done(&poor);
        bool hit = fault.hit;
        long live = fault.live_blocks;
        fault_disarm();
        assert_int_equal(ERR_peek_error(), 0);
        assert_int_equal(live, 0);
        if (!hit) {
            assert_int_equal(r, 0);
            break;
        }
        /* Some memory OpenSSL can do without. */
        assert_true(r == -ENOMEM || r == -ENOTSUP || r == 0);
        assert_string_equal(text, r == 0 ? EXAMPLE : "untouched");
    }
    assert_true(at > 1);
}

/* Through the same door as production, and warm: OpenSSL does not survive starting without memory.
 */
static int use_openssl(void **state)
{
    (void)state;
    return os_digest_setup() < 0 || os_uuid_namer_init(&namer) < 0;
}

static int leave_openssl(void **state)
{
    (void)state;
    os_uuid_namer_done(&namer);
    os_uuid_namer_done(&namer);
    os_uuid_namer_done(NULL);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_named),
        cmocka_unit_test(test_pieces_are_one_name),
        cmocka_unit_test(test_no_name),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_one_after_another),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, use_openssl, leave_openssl);
}
