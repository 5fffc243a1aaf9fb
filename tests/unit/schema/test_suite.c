/*
 * The JSON-Schema-Test-Suite, all of it, through jsv-suite.
 */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/json_fixture.h"

static char suite[4096];
static char program[4096];

static void every_test_comes_out_right(void **state)
{
    (void)state;
    char *arguments[] = {program, suite, NULL};
    pid_t child;
    int status;
    assert_int_equal(posix_spawn(&child, program, NULL, NULL, arguments, environ), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const char *shared = getenv("MCPGATE_SHARED");
    const char *programs = getenv("MCPGATE_BIN");
    if (shared && programs) {
        snprintf(suite, sizeof(suite), "%s/data/json-schema-test-suite", shared);
        snprintf(program, sizeof(program), "%s/jsv-suite", programs);
    }
    if (!shared || !programs || access(suite, R_OK) != 0) {
        puts("skipped: the JSON-Schema-Test-Suite is not here");
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_test_comes_out_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
