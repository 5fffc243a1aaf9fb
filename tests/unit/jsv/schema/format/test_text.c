#include "support/format_cases.h"

#define DRAFT JSV_DRAFT_2020_12

static void json_pointers(void **state)
{
    (void)state;
    static const struct jsv_str valid[] = {
        FORMAT_CASE(""),
        FORMAT_CASE("/"),
        FORMAT_CASE("/a//b"),
        FORMAT_CASE("/~0~1"),
        FORMAT_CASE("/%41"),
        FORMAT_CASE("/\0\n\u00e9"),
        {NULL, 0},
    };
    static const struct jsv_str invalid[] = {
        FORMAT_CASE("a"),
        FORMAT_CASE("#"),
        FORMAT_CASE("#/a"),
        FORMAT_CASE("/~"),
        FORMAT_CASE("/~2"),
        FORMAT_CASE("/a~/b"),
    };
    FORMAT_CASES_VALID("json-pointer", JSV_DRAFT_6, valid);
    FORMAT_CASES_INVALID("json-pointer", JSV_DRAFT_6, invalid);
}

static void relative_json_pointers(void **state)
{
    (void)state;
    static const struct jsv_str valid[] = {
        FORMAT_CASE("0"),
        FORMAT_CASE("10"),
        FORMAT_CASE("99999999999999999999999999"),
        FORMAT_CASE("0#"),
        FORMAT_CASE("12#"),
        FORMAT_CASE("0/"),
        FORMAT_CASE("1/a//~0~1"),
    };
    static const struct jsv_str stepping[] = {
        FORMAT_CASE("0+1"),
        FORMAT_CASE("0-1"),
        FORMAT_CASE("0-0"),
        FORMAT_CASE("1+10/a"),
        FORMAT_CASE("0-1#"),
    };
    static const struct jsv_str invalid[] = {
        FORMAT_CASE(""),       FORMAT_CASE("#"),     FORMAT_CASE("/a"),   FORMAT_CASE("a"),
        FORMAT_CASE("-1"),     FORMAT_CASE("+1"),    FORMAT_CASE("00"),   FORMAT_CASE("01/a"),
        FORMAT_CASE("1a"),     FORMAT_CASE("1.0"),   FORMAT_CASE("0##"),  FORMAT_CASE("0#/a"),
        FORMAT_CASE("0/~"),    FORMAT_CASE("0+"),    FORMAT_CASE("0-/a"), FORMAT_CASE("0+-1"),
        FORMAT_CASE("0+01"),   FORMAT_CASE("0+1+1"), FORMAT_CASE("0 "),   FORMAT_CASE("0\0"),
        FORMAT_CASE("\u0660"),
    };
    FORMAT_CASES_VALID("relative-json-pointer", JSV_DRAFT_7, valid);
    FORMAT_CASES_INVALID("relative-json-pointer", JSV_DRAFT_7, stepping);
    FORMAT_CASES_INVALID("relative-json-pointer", JSV_DRAFT_7, invalid);
    FORMAT_CASES_VALID("relative-json-pointer", DRAFT, valid);
    FORMAT_CASES_VALID("relative-json-pointer", DRAFT, stepping);
    FORMAT_CASES_INVALID("relative-json-pointer", DRAFT, invalid);
}

static void uuids(void **state)
{
    (void)state;
    static const struct jsv_str valid[] = {
        FORMAT_CASE("00000000-0000-0000-0000-000000000000"),
        FORMAT_CASE("ffffffff-FFFF-ffff-FFFF-ffffffffffff"),
        FORMAT_CASE("01234567-89ab-cdef-ABCD-EF0123456789"),
    };
    static const struct jsv_str invalid[] = {
        FORMAT_CASE(""),
        FORMAT_CASE("0123456789abcdefABCDEF0123456789"),
        FORMAT_CASE("01234567-89ab-cdef-ABCD-EF012345678"),
        FORMAT_CASE("01234567-89ab-cdef-ABCD-EF01234567890"),
        FORMAT_CASE("01234567-89ab-cdef-ABCD-EF012345678g"),
        FORMAT_CASE("01234567-89ab-cdef-ABCD-EF012345678\0"),
        FORMAT_CASE("01234567_89ab-cdef-ABCD-EF0123456789"),
        FORMAT_CASE("01234567-89ab-cdef-ABCDEEF0123456789"),
        FORMAT_CASE("0123456-789ab-cdef-ABCD-EF0123456789"),
        FORMAT_CASE("{1234567-89ab-cdef-ABCD-EF012345678}"),
        FORMAT_CASE("01234567-89ab-cdef-ABCD-EF01234567\u00e9"),
        FORMAT_CASE("urn:uuid:01234567-89ab-cdef-ABCD-EF0123456789"),
    };
    FORMAT_CASES_VALID("uuid", DRAFT, valid);
    FORMAT_CASES_INVALID("uuid", DRAFT, invalid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_pointers),
        cmocka_unit_test(relative_json_pointers),
        cmocka_unit_test(uuids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
