/*
 * The JSON-Schema-Test-Suite, all of it, through jsv-suite.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/json_fixture.h"

static char suite[4096];
static char command[8192 + 32];

static void every_test_comes_out_right(void **state)
{
    (void)state;
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const char *shared = getenv("MCPGATE_SHARED");
    const char *programs = getenv("MCPGATE_BIN");
    if (shared && programs) {
        snprintf(suite, sizeof(suite), "%s/data/json-schema-test-suite", shared);
        snprintf(command, sizeof(command), "'%s/jsv-suite' '%s'", programs, suite);
    }
    if (!shared || !programs || access(suite, R_OK) != 0) {
        puts("skipped: the JSON-Schema-Test-Suite is not here");
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_test_comes_out_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
