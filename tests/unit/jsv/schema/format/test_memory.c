/*
 * libidn2 takes its memory from malloc and cannot be told otherwise. Here this
 * program stands in for it and has none.
 */
#include <errno.h>

#include <idn2.h>

#include "support/format_cases.h"

int idn2_register_u8(const uint8_t *ulabel, const uint8_t *alabel, uint8_t **insertname, int flags)
{
    (void)ulabel;
    (void)alabel;
    (void)insertname;
    (void)flags;
    return IDN2_MALLOC;
}

/* Neither valid nor invalid. */
static void says_that_memory_ran_out(void **state)
{
    (void)state;
    format_case_check("hostname", JSV_DRAFT_7, JSV_STR("a.xn--bcher-kva.b"), -ENOMEM);
    format_case_check("idn-hostname", JSV_DRAFT_7, JSV_STR("b\u00fccher"), -ENOMEM);
    format_case_check("idn-email", JSV_DRAFT_7, JSV_STR("a@b\u00fccher"), -ENOMEM);
}

static void needs_none_for_ascii(void **state)
{
    (void)state;
    format_case_check("hostname", JSV_DRAFT_4, JSV_STR("xn--bcher-kva"), 1);
    format_case_check("hostname", JSV_DRAFT_7, JSV_STR("a.b"), 1);
    format_case_check("idn-hostname", JSV_DRAFT_7, JSV_STR("a.b"), 1);
    format_case_check("idn-email", JSV_DRAFT_7, JSV_STR("\u00fc@b"), 1);
    /* nor for what cannot be right anyway */
    format_case_check("idn-hostname", JSV_DRAFT_7, JSV_STR("xn--x"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_that_memory_ran_out),
        cmocka_unit_test(needs_none_for_ascii),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
