#define _GNU_SOURCE /* memfd_create(), nftw() */
#include "unit/app/run.h"
#include "unit/app/served.h"

static void test_json(void **state)
{
    (void)state;
    run_cli("", "schemas", served_schemas());
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "");
    assert_string_equal(
        run.out,
        "[{\"name\":\"bulb\",\"version\":\"\",\"path\":\"bulb.schema.json\"},"
        "{\"name\":\"lamp\",\"version\":\"1.2\",\"path\":\"lamp.schema.json\"}]\n");
}

static void test_none(void **state)
{
    (void)state;
    run_cli("", "schemas");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, "[]\n");
    run_cli("", "schemas", "--format=text");
    assert_string_equal(run.out, "name  version  path\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED_TEST(test_json),
        SERVED_TEST(test_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
