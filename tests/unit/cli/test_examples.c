#define _GNU_SOURCE /* memfd_create(), nftw() */
#include "unit/app/run.h"
#include "unit/app/served.h"

/* Each with the schema it is checked against, however that is known. */
static void test_json(void **state)
{
    (void)state;
    run_cli("", "examples", served_schemas(), served_examples());
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "");
    assert_string_equal(
        run.out,
        "[{\"component\":\"Lamp\",\"schema\":\"lamp\",\"path\":\"Lamp_hall.json\"},"
        "{\"component\":\"bulb\",\"schema\":\"bulb\",\"path\":\"below/bulb.json\"},"
        "{\"component\":\"other\",\"schema\":\"lamp\",\"path\":\"other.json\"}]\n");
}

static void test_text(void **state)
{
    (void)state;
    run_cli("", "examples", "--format=text", served_examples());
    assert_int_equal(run.status, 0);
    assert_string_equal(
        run.out,
        "component  schema  path\n"
        "Lamp       lamp    Lamp_hall.json\n"
        "bulb       bulb    below/bulb.json\n"
        "other      lamp    other.json\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED_TEST(test_json),
        SERVED_TEST(test_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
