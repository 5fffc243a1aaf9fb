#include "support/count_of.h"
#include "support/format_cases.h"

static const enum jsv_draft drafts[] = {
    JSV_DRAFT_4,
    JSV_DRAFT_6,
    JSV_DRAFT_7,
    JSV_DRAFT_2019_09,
    JSV_DRAFT_2020_12,
};

/* Which drafts know which names, by the specifications' own lists. */
static void drafts_know_their_formats(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum jsv_draft first;
    } names[] = {
        {"date-time", JSV_DRAFT_4},     {"email", JSV_DRAFT_4},
        {"hostname", JSV_DRAFT_4},      {"ipv4", JSV_DRAFT_4},
        {"ipv6", JSV_DRAFT_4},          {"uri", JSV_DRAFT_4},
        {"uri-reference", JSV_DRAFT_6}, {"uri-template", JSV_DRAFT_6},
        {"json-pointer", JSV_DRAFT_6},  {"date", JSV_DRAFT_7},
        {"time", JSV_DRAFT_7},          {"idn-email", JSV_DRAFT_7},
        {"idn-hostname", JSV_DRAFT_7},  {"iri", JSV_DRAFT_7},
        {"iri-reference", JSV_DRAFT_7}, {"relative-json-pointer", JSV_DRAFT_7},
        {"regex", JSV_DRAFT_7},         {"duration", JSV_DRAFT_2019_09},
        {"uuid", JSV_DRAFT_2019_09},
    };
    for (size_t d = 0; d < COUNT_OF(drafts); d++) {
        for (size_t i = 0; i < COUNT_OF(names); i++) {
            enum jsv_format format = JSV_FORMAT_COUNT;
            bool known = jsv_format_find(jsv_str_from(names[i].name), drafts[d], &format);
            assert_int_equal(known, drafts[d] >= names[i].first);
            assert_int_equal(format != JSV_FORMAT_COUNT, known);
        }
    }
}

static void nobody_knows_others(void **state)
{
    (void)state;
    static const struct jsv_str names[] = {
        FORMAT_CASE(""),
        FORMAT_CASE("Date"),
        FORMAT_CASE("date "),
        FORMAT_CASE("date\0"),
        FORMAT_CASE("dat"),
        FORMAT_CASE("color"),
        FORMAT_CASE("ip-address"),
        FORMAT_CASE("host-name"),
        FORMAT_CASE("byte"),
        FORMAT_CASE("unknown"),
        {NULL, 0},
    };
    for (size_t d = 0; d < COUNT_OF(drafts); d++) {
        for (size_t i = 0; i < COUNT_OF(names); i++) {
            enum jsv_format format = JSV_FORMAT_COUNT;
            assert_false(jsv_format_find(names[i], drafts[d], &format));
            assert_int_equal(format, JSV_FORMAT_COUNT);
        }
    }
}

/* A name that changed its meaning. */
static void drafts_differ(void **state)
{
    (void)state;
    format_case_check("hostname", JSV_DRAFT_4, JSV_STR("xn--x"), 1);
    format_case_check("hostname", JSV_DRAFT_6, JSV_STR("xn--x"), 1);
    format_case_check("hostname", JSV_DRAFT_7, JSV_STR("xn--x"), 0);
    format_case_check("hostname", JSV_DRAFT_2020_12, JSV_STR("xn--x"), 0);
    format_case_check("relative-json-pointer", JSV_DRAFT_7, JSV_STR("0+1"), 0);
    format_case_check("relative-json-pointer", JSV_DRAFT_2019_09, JSV_STR("0+1"), 0);
    format_case_check("relative-json-pointer", JSV_DRAFT_2020_12, JSV_STR("0+1"), 1);
}

/* One of each, so that no name leads to another's check. */
static void each_name_means_itself(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct jsv_str of;
        struct jsv_str not_of;
    } formats[] = {
        {"date-time", FORMAT_CASE("2024-02-29T12:00:00Z"), FORMAT_CASE("2024-02-29")},
        {"date", FORMAT_CASE("2024-02-29"), FORMAT_CASE("12:00:00Z")},
        {"time", FORMAT_CASE("12:00:00Z"), FORMAT_CASE("2024-02-29")},
        {"duration", FORMAT_CASE("P1D"), FORMAT_CASE("1D")},
        {"email", FORMAT_CASE("a@b"), FORMAT_CASE("\u00e9@b")},
        {"idn-email", FORMAT_CASE("\u00e9@b"), FORMAT_CASE("b")},
        {"hostname", FORMAT_CASE("a.b"), FORMAT_CASE("\u00e9.b")},
        {"idn-hostname", FORMAT_CASE("\u00e9.b"), FORMAT_CASE("a@b")},
        {"ipv4", FORMAT_CASE("1.2.3.4"), FORMAT_CASE("::1")},
        {"ipv6", FORMAT_CASE("::1"), FORMAT_CASE("1.2.3.4")},
        {"uri", FORMAT_CASE("a:b"), FORMAT_CASE("b")},
        {"uri-reference", FORMAT_CASE("b"), FORMAT_CASE("\u00e9")},
        {"iri", FORMAT_CASE("a:\u00e9"), FORMAT_CASE("\u00e9")},
        {"iri-reference", FORMAT_CASE("\u00e9"), FORMAT_CASE("{a}")},
        {"uri-template", FORMAT_CASE("{a}"), FORMAT_CASE("{a")},
        {"json-pointer", FORMAT_CASE("/a"), FORMAT_CASE("0/a")},
        {"relative-json-pointer", FORMAT_CASE("0/a"), FORMAT_CASE("/a")},
        {"uuid", FORMAT_CASE("01234567-89ab-cdef-0123-456789ABCDEF"), FORMAT_CASE("0")},
        {"regex", FORMAT_CASE("[a]"), FORMAT_CASE("[a")},
    };
    for (size_t i = 0; i < COUNT_OF(formats); i++) {
        format_case_check(formats[i].name, JSV_DRAFT_2020_12, formats[i].of, 1);
        format_case_check(formats[i].name, JSV_DRAFT_2020_12, formats[i].not_of, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drafts_know_their_formats),
        cmocka_unit_test(nobody_knows_others),
        cmocka_unit_test(drafts_differ),
        cmocka_unit_test(each_name_means_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
