#define _GNU_SOURCE /* nftw() */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/confine.h"
#include "jsv/base/alloc.h"
#include "unit/catalog/fixture.h"
#include "unit/os/fault.h"

#define WORDS_MAX 8
#define WORD_SIZE 64

/* The text that other processes see, and the text that the program reads. */
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

static void test_secrets_are_overwritten(void **state)
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

static void test_other_words_are_unchanged(void **state)
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

static void test_variables_are_overwritten_and_removed(void **state)
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

#define CONFINE_TEST(test) cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)

#define TOOL(more)                                                                                 \
    "{'name':'t','version':'1','description':'d','command':['true'],'inputSchema':{}" more "}"

/* Run in a child, because privileges cannot be regained. @return its exit status. */
static int in_child(int (*run)(void))
{
    pid_t pid = fork();
    if (pid == 0) {
        _exit(run());
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int confine_secrets(void)
{
    setenv("MCPGATE_TOKEN", "secret", 1);
    app_confine_secrets();
    return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) + (getenv("MCPGATE_TOKEN") ? 2 : 0);
}

static void test_secrets(void **state)
{
    (void)state;
#ifdef MCPGATE_SANITIZED
    assert_int_equal(in_child(confine_secrets), 1); /* the leak check has to trace it */
#else
    assert_int_equal(in_child(confine_secrets), 0);
#endif
}

static int confine_privileges(void)
{
    bool given_up = app_confine_privileges(fixture.catalog);
    int forbidden = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
    return given_up == (forbidden == 1) ? forbidden : 2;
}

static void test_privileges_are_given_up(void **state)
{
    (void)state;
    fixture_write("tools/t.tool.json", TOOL(""));
    fixture_load("");
    assert_int_equal(in_child(confine_privileges), 1);
}

static void test_a_tool_may_need_privileges(void **state)
{
    (void)state;
    fixture_write("tools/t.tool.json", TOOL(",'new_privileges':true"));
    fixture_load("");
    assert_int_equal(in_child(confine_privileges), prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    assert_false(app_confine_privileges(fixture.catalog));
}

static int fail_to_confine(void)
{
    fault_arm(FAULT_SET_PROCESS, 1, EPERM);
    bool given_up = app_confine_privileges(fixture.catalog);
    return given_up || !fault.hit;
}

static void test_failure_is_a_warning(void **state)
{
    (void)state;
    fixture_load("");
    assert_int_equal(in_child(fail_to_confine), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_secrets_are_overwritten),
        cmocka_unit_test(test_other_words_are_unchanged),
        cmocka_unit_test(test_variables_are_overwritten_and_removed),
        cmocka_unit_test(test_no_memory),
        CONFINE_TEST(test_secrets),
        CONFINE_TEST(test_privileges_are_given_up),
        CONFINE_TEST(test_a_tool_may_need_privileges),
        CONFINE_TEST(test_failure_is_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
