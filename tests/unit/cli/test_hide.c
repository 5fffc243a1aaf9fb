#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/hide.h"
#include "jsv/base/alloc.h"
#include "unit/os/fault.h"

#define WORDS_MAX 8
#define WORD_SIZE 64

/* What the list of processes shows, and what the program reads. */
static char shown[WORDS_MAX][WORD_SIZE];
static char *words[WORDS_MAX];
static char *nothing[] = {NULL};

static int hide(int count, const char *const *texts)
{
    for (int i = 0; i < count; i++) {
        snprintf(shown[i], WORD_SIZE, "%s", texts[i]);
        words[i] = shown[i];
    }
    return app_hide_secrets(count, words, nothing);
}

static void give_back(int count)
{
    for (int i = 0; i < count; i++) {
        if (words[i] != shown[i]) {
            jsv_dealloc(os_allocator(), words[i], strlen(words[i]) + 1);
        }
    }
}

static void test_secrets_are_written_over(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "mcpgate",
        "--token",
        "secret",
        "--token=other",
        "--backend-url",
        "http://user:word@host/",
        "--backend-url=http://a@b",
    };
    static const char *const expected[] = {
        "mcpgate",
        "--token",
        "******",
        "--token=*****",
        "--backend-url",
        "**********************",
        "--backend-url=**********",
    };
    assert_int_equal(hide(7, texts), 0);
    for (int i = 0; i < 7; i++) {
        assert_string_equal(shown[i], expected[i]);
        assert_string_equal(words[i], texts[i]);
    }
    give_back(7);
}

static void test_all_else_stays(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "--token",
        "x",
        "--token-file",
        "path",
        "--backend-url",
        "http://host/",
        "token",
        "--token"};
    assert_int_equal(hide(8, texts), 0);
    for (int i = 0; i < 8; i++) {
        assert_string_equal(shown[i], texts[i]);
        assert_ptr_equal(words[i], shown[i]);
    }
}

static void test_variables_are_written_over_and_taken_out(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "MCPGATE_TOKEN=secret",
        "PATH=/bin",
        "SYN_BACKEND_URL=http://u:p@h",
        "MCPGATE_TOKEN_FILE=f",
        "MCPGATE_BACKEND_URL=http://u:p@h"};
    for (size_t i = 0; i < 5; i++) {
        snprintf(shown[i], WORD_SIZE, "%s", texts[i]);
        words[i] = shown[i];
    }
    words[5] = NULL;
    assert_int_equal(app_hide_secrets(0, NULL, words), 0);
    assert_string_equal(shown[0], "MCPGATE_TOKEN=******");
    assert_string_equal(shown[2], "SYN_BACKEND_URL=************");
    assert_string_equal(shown[4], "MCPGATE_BACKEND_URL=************");
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(words[i], texts[i]);
    }
    char *copies[] = {words[0], words[2], words[4]};
    app_forget_secrets(words);
    assert_ptr_equal(words[0], shown[1]);
    assert_ptr_equal(words[1], shown[3]);
    assert_null(words[2]);
    for (size_t i = 0; i < 3; i++) {
        jsv_dealloc(os_allocator(), copies[i], strlen(copies[i]) + 1);
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    static const char *const texts[] = {"mcpgate", "--token", "secret"};
    fault_arm(FAULT_RESIZE, 1, ENOMEM);
    assert_int_equal(hide(3, texts), -ENOMEM);
    fault_disarm();
    assert_string_equal(words[2], "secret");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_secrets_are_written_over),
        cmocka_unit_test(test_all_else_stays),
        cmocka_unit_test(test_variables_are_written_over_and_taken_out),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
