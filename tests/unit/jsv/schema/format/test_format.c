/*
 * Formats by draft; relative pointers, UUIDs and patterns; encodings and media types.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "jsv/base/alloc.h"
#include "jsv/regex/regex.h"
#include "jsv/schema/format/format.h"
#include "support/count_of.h"
#include "support/format_cases.h"
#include "support/json_fixture.h"
#include "support/torture.h"

static const enum jsv_draft drafts[] = {
    JSV_DRAFT_4,
    JSV_DRAFT_6,
    JSV_DRAFT_7,
    JSV_DRAFT_2019_09,
    JSV_DRAFT_2020_12,
};

/* The formats of each draft, as listed in the specifications. */
static void formats_of_each_draft(void **state)
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

static void unknown_names(void **state)
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

/* A name whose meaning changed. */
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

/* One text for each format, which only that format accepts. */
static void each_name_has_its_own_check(void **state)
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
        /* accepted by the legacy grammar */
        FORMAT_CASE("{"),
        FORMAT_CASE("\\-"),
        FORMAT_CASE("(?P<name>a)"),
        FORMAT_CASE("(?i)a"),
        FORMAT_CASE("(?#a)"),
    };
    FORMAT_CASES_VALID("regex", JSV_DRAFT_7, valid);
    FORMAT_CASES_INVALID("regex", JSV_DRAFT_7, invalid);
}

static void pattern_beyond_the_limit(void **state)
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

static void base64(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool valid;
    } cases[] = {
        {"", true},          {"YQ==", true},        {"YWI=", true},     {"YWJj", true},
        {"+/09", true},      {"AZaz", true},        {"YWJjZGVm", true}, {"Y", false},
        {"YQ", false},       {"YWI", false},        {"YQ=", false},     {"Y===", false},
        {"====", false},     {"YQ==YQ==", false},   {"YW J", false},    {"YW-_", false},
        {"YWJj\n", false},   {"Y\xC3\xA9j", false}, {"=YWJ", false},    {"YWJj=", false},
        {"YWJjZ===", false}, {"@[`{", false},       {"YW:J", false},    {"YW.J", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct jsv_str text = jsv_str_from(cases[i].text);
        assert_int_equal(jsv_content_encoded(JSV_STR("base64"), text), cases[i].valid);
        assert_true(jsv_content_encoded(JSV_STR("quoted-printable"), text));
        assert_true(jsv_content_encoded((struct jsv_str){0}, text));
    }
}

static int is(const char *media_type, const char *encoding, const char *text)
{
    struct jsv_allocator allocator = jsv_allocator_or_default(NULL);
    return jsv_content_is(
        jsv_str_from(media_type), jsv_str_from(encoding), jsv_str_from(text), &allocator);
}

static void json(void **state)
{
    (void)state;
    assert_int_equal(is("application/json", "", "{\"a\":[1,2]}"), 1);
    assert_int_equal(is("application/json", "", "{\"a\":1,\"a\":2}"), 1);
    assert_int_equal(is("application/json", "", "{\"a\":}"), 0);
    assert_int_equal(is("application/json", "", ""), 0);
    assert_int_equal(is("application/json", "7bit", "nope"), 0);
    assert_int_equal(is("text/plain", "", "{"), 1);
    assert_int_equal(is("application/json", "base64", "eyJhIjpbMSwyXX0="), 1);
    assert_int_equal(is("application/json", "base64", "eyJhIjo="), 0);
    assert_int_equal(is("application/json", "base64", "bnVsbA=="), 1);
    /* invalid base64 is reported by contentEncoding */
    assert_int_equal(is("application/json", "base64", "null!"), 1);
    assert_int_equal(is("application/json", "base64", ""), 0);
}

static int decode(const struct jsv_allocator *allocator, void *state)
{
    (void)state;
    int r = jsv_content_is(
        JSV_STR("application/json"), JSV_STR("base64"), JSV_STR("eyJhIjpbMSwyXX0="), allocator);
    return r == 1 ? 0 : r;
}

static void content_without_memory(void **state)
{
    assert_true(torture_run(decode, state) >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_of_each_draft),
        cmocka_unit_test(unknown_names),
        cmocka_unit_test(drafts_differ),
        cmocka_unit_test(each_name_has_its_own_check),
        cmocka_unit_test(json_pointers),
        cmocka_unit_test(relative_json_pointers),
        cmocka_unit_test(uuids),
        cmocka_unit_test(patterns),
        cmocka_unit_test(pattern_beyond_the_limit),
        cmocka_unit_test(base64),
        cmocka_unit_test(json),
        cmocka_unit_test(content_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
