#define _GNU_SOURCE /* nftw() */
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/confine.h"
#include "unit/catalog/fixture.h"

#define CONFINE_TEST(test) cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)

#define TOOL(more)                                                                                 \
    "{'name':'t','version':'1','description':'d','command':['true'],'inputSchema':{}" more "}"

/* In a process of its own: what is given up does not come back. @return its exit status. */
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
        CONFINE_TEST(test_secrets),
        CONFINE_TEST(test_privileges_are_given_up),
        CONFINE_TEST(test_a_tool_may_need_privileges),
        CONFINE_TEST(test_failure_is_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
