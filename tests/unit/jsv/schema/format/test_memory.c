/*
 * Host names without memory. libidn2 always uses malloc, so this program
 * replaces its function by one that fails.
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

static void failed_allocation_is_returned(void **state)
{
    (void)state;
    format_case_check("hostname", JSV_DRAFT_7, JSV_STR("a.xn--bcher-kva.b"), -ENOMEM);
    format_case_check("idn-hostname", JSV_DRAFT_7, JSV_STR("b\u00fccher"), -ENOMEM);
    format_case_check("idn-email", JSV_DRAFT_7, JSV_STR("a@b\u00fccher"), -ENOMEM);
}

static void ascii_needs_no_memory(void **state)
{
    (void)state;
    format_case_check("hostname", JSV_DRAFT_4, JSV_STR("xn--bcher-kva"), 1);
    format_case_check("hostname", JSV_DRAFT_7, JSV_STR("a.b"), 1);
    format_case_check("idn-hostname", JSV_DRAFT_7, JSV_STR("a.b"), 1);
    format_case_check("idn-email", JSV_DRAFT_7, JSV_STR("\u00fc@b"), 1);
    /* nor do invalid labels */
    format_case_check("idn-hostname", JSV_DRAFT_7, JSV_STR("xn--x"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failed_allocation_is_returned),
        cmocka_unit_test(ascii_needs_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
