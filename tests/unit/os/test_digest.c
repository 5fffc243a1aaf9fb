#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <openssl/err.h>

#include "os/digest.h"
#include "unit/os/fault.h"

/* FIPS 180-4 and its examples. */
#define EMPTY     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define ABC       "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define MILLION_A "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"

#define MILLION 1000000

static int disarm(void **state)
{
    (void)state;
    fault_disarm();
    return 0;
}

static void test_known_digests(void **state)
{
    (void)state;
    char hex[OS_DIGEST_HEX_SIZE + 1];
    os_digest((struct jsv_str){NULL, 0}, hex);
    assert_string_equal(hex, EMPTY);
    os_digest(JSV_STR("abc"), hex);
    assert_string_equal(hex, ABC);
}

/* RFC 4231, test case 2. */
static void test_known_keyed_digest(void **state)
{
    (void)state;
    char hex[OS_DIGEST_HEX_SIZE + 1];
    struct jsv_str text = JSV_STR("what do ya want for nothing?");
    assert_int_equal(os_digest_keyed(JSV_STR("Jefe"), text, hex), 0);
    assert_string_equal(hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    assert_int_equal(os_digest_keyed(JSV_STR("jefe"), text, hex), 0);
    assert_true(strncmp(hex, "5bdcc146", 8) != 0);
}

static void test_chunks_do_not_matter(void **state)
{
    (void)state;
    char *text = malloc(MILLION);
    assert_non_null(text);
    memset(text, 'a', MILLION);
    static const size_t chunks[] = {1, 63, 64, 65, 4096, MILLION};
    for (size_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++) {
        struct os_digest digest;
        char hex[OS_DIGEST_HEX_SIZE + 1];
        os_digest_init(&digest);
        for (size_t at = 0; at < MILLION; at += chunks[i]) {
            size_t size = MILLION - at < chunks[i] ? MILLION - at : chunks[i];
            os_digest_add(&digest, (struct jsv_str){text + at, size});
        }
        os_digest_finish(&digest, hex);
        assert_string_equal(hex, MILLION_A);
    }
    free(text);
}

/*
 * Each allocation fails once, OpenSSL's own included: refused, or right if
 * OpenSSL can do without. OpenSSL's initialisation is left out: version 3.0
 * does not survive it.
 */
static void test_each_allocation_fails(void **state)
{
    (void)state;
    char first[OS_DIGEST_HEX_SIZE + 1], hex[OS_DIGEST_HEX_SIZE + 1];
    assert_int_equal(os_digest_keyed(JSV_STR("k"), JSV_STR("abc"), first), 0);
    unsigned refused = 0;
    unsigned at = 0;
    do {
        fault_arm(FAULT_RESIZE, ++at, ENOMEM);
        snprintf(hex, sizeof(hex), "untouched");
        int r = os_digest_keyed(JSV_STR("k"), JSV_STR("abc"), hex);
        assert_true(r == 0 || r == -ENOMEM);
        assert_string_equal(hex, r < 0 ? "untouched" : first);
        assert_int_equal(ERR_peek_error(), 0);
        refused += r < 0;
    } while (fault.hit);
    assert_true(refused >= 2);
}

/* Runs first, before this process has used OpenSSL. */
static void test_setup_comes_first_or_too_late(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        char hex[OS_DIGEST_HEX_SIZE + 1];
        int r = os_digest_keyed(JSV_STR("k"), JSV_STR("abc"), hex);
        _exit(r == 0 && os_digest_setup() == -EBUSY ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(os_digest_setup(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_setup_comes_first_or_too_late),
        cmocka_unit_test(test_known_digests),
        cmocka_unit_test(test_known_keyed_digest),
        cmocka_unit_test(test_chunks_do_not_matter),
        cmocka_unit_test_teardown(test_each_allocation_fails, disarm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
