#include <stdlib.h>
#include <string.h>

#include "jsv/regex/regex.h"
#include "support/format_cases.h"

#define DRAFT JSV_DRAFT_2020_12

static void patterns(void **state)
{
    (void)state;
    static const struct jsv_str valid[] = {
        FORMAT_CASE(""),
        FORMAT_CASE("^a*$"),
        FORMAT_CASE("(?<name>a)\\k<name>"),
        FORMAT_CASE("(?<=a+)b"),
        FORMAT_CASE("[]"),
        FORMAT_CASE("[^]"),
        FORMAT_CASE("\\cA"),
        FORMAT_CASE("\\u{1F600}|\u00e9"),
        {NULL, 0},
    };
    static const struct jsv_str invalid[] = {
        FORMAT_CASE("("),
        FORMAT_CASE("[a"),
        FORMAT_CASE("a**"),
        FORMAT_CASE("\\"),
        FORMAT_CASE("\\a"),
        /* the legacy grammar would take these */
        FORMAT_CASE("{"),
        FORMAT_CASE("\\-"),
        FORMAT_CASE("(?P<name>a)"),
        FORMAT_CASE("(?i)a"),
        FORMAT_CASE("(?#a)"),
    };
    FORMAT_CASES_VALID("regex", JSV_DRAFT_7, valid);
    FORMAT_CASES_INVALID("regex", JSV_DRAFT_7, invalid);
}

/* What is too long to tell is none. */
static void beyond_the_limit(void **state)
{
    (void)state;
    size_t size = JSV_REGEX_PATTERN_SIZE_MAX + 1;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, 'a', size);
    format_case_check("regex", DRAFT, (struct jsv_str){text, size - 1}, 1);
    format_case_check("regex", DRAFT, (struct jsv_str){text, size}, 0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns),
        cmocka_unit_test(beyond_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
