#include <string.h>

#include "support/format_cases.h"

#define DRAFT JSV_DRAFT_2020_12

#define A10 "aaaaaaaaaa"
#define A61 A10 A10 A10 A10 A10 A10 "a"
#define A62 A61 "a"
#define A63 A62 "a"

/* Of all three: hostname as in draft 4, hostname as since draft 7, idn-hostname. */
static const struct jsv_str plain[] = {
    FORMAT_CASE("a"),
    FORMAT_CASE("0"),
    FORMAT_CASE("Example.COM"),
    FORMAT_CASE("3com.com"),
    FORMAT_CASE("a-b--c.d"),
    FORMAT_CASE("ab--c"),
    FORMAT_CASE("1.2.3"),
    FORMAT_CASE("1.2.3.4.5"),
    FORMAT_CASE("1.2.3.4a"),
    FORMAT_CASE("a.2.3.4"),
    FORMAT_CASE(A63),
    FORMAT_CASE(A63 "." A63 "." A63 "." A61),
};

static const struct jsv_str wrong[] = {
    FORMAT_CASE(""),
    FORMAT_CASE("."),
    FORMAT_CASE("a."),
    FORMAT_CASE(".a"),
    FORMAT_CASE("a..b"),
    FORMAT_CASE("-a"),
    FORMAT_CASE("a-"),
    FORMAT_CASE("-"),
    FORMAT_CASE("a.-b"),
    FORMAT_CASE("a-.b"),
    FORMAT_CASE("a_b"),
    FORMAT_CASE("a b"),
    FORMAT_CASE("a/b"),
    FORMAT_CASE("a:80"),
    FORMAT_CASE("a\n"),
    FORMAT_CASE("a\0b"),
    FORMAT_CASE("[::1]"),
    FORMAT_CASE("1.2.3.4"),
    FORMAT_CASE("999.999.999.999"),
    FORMAT_CASE(A63 "a"),
    FORMAT_CASE("b." A63 "a"),
    FORMAT_CASE(A63 "." A63 "." A63 "." A62),
    FORMAT_CASE(A63 "." A63 "." A63 "." A63 "." A63),
};

/* A-labels: "hostname" since draft 7, and "idn-hostname". */
static const struct jsv_str encoded[] = {
    FORMAT_CASE("xn--bcher-kva.example"),
    FORMAT_CASE("XN--BCHER-KVA.EXAMPLE"),
    FORMAT_CASE("xn--4dbc5h"),
    FORMAT_CASE("a.xn--4db"),
    FORMAT_CASE("xn--zca"),
};

static const struct jsv_str badly_encoded[] = {
    FORMAT_CASE("xn--x"),
    FORMAT_CASE("xn--a"),
    FORMAT_CASE("xn--7a"),
    FORMAT_CASE("xn--example-"),
    FORMAT_CASE("xn---9uc"),
    FORMAT_CASE("xn--ls8h"),
    FORMAT_CASE("xn--55qx5d-"),
    FORMAT_CASE("xn--0ca24w"),
    FORMAT_CASE("xn--99999999"),
    FORMAT_CASE("0a.xn--4db"),
    FORMAT_CASE("xn--4db.0a"),
};

/* U-labels. */
static const struct jsv_str wide[] = {
    FORMAT_CASE("b\u00fccher.example"),
    FORMAT_CASE("\u4e2d\u6587.com"),
    FORMAT_CASE("fa\u00df.de"),
    FORMAT_CASE("\u05d0.\u05d1"),
    FORMAT_CASE("a1.\u05d0"),
    FORMAT_CASE("\u05d01.b"),
    FORMAT_CASE("\u0627\u0661"),
    FORMAT_CASE("\u06f00"),
    FORMAT_CASE("l\u00b7l"),
    FORMAT_CASE("a\u3002b\uff0ec\uff61d"),
    FORMAT_CASE("\u4e2d\u3002\u6587"),
};

static const struct jsv_str wrong_wide[] = {
    FORMAT_CASE("B\u00fccher.example"),
    FORMAT_CASE("cafe\u0301"),
    FORMAT_CASE("\u0301a"),
    FORMAT_CASE("\u00fc-"),
    FORMAT_CASE("-\u00fc"),
    FORMAT_CASE("ab--\u00fc"),
    FORMAT_CASE("xn--\u00fc"),
    FORMAT_CASE("\u00fc..b"),
    FORMAT_CASE("\u00fc\0"),
    FORMAT_CASE("\u2603"),
    FORMAT_CASE("\U0001F600"),
    FORMAT_CASE("\u212a"),
    FORMAT_CASE("a\u00b7l"),
    FORMAT_CASE("\u30fb"),
    FORMAT_CASE("a\u200db"),
    /* the Bidi rule, condition by condition */
    FORMAT_CASE("0\u05d0"),        /* 1: begins with neither direction */
    FORMAT_CASE("\u05d0a\u05d0"),  /* 2: the other direction within */
    FORMAT_CASE("\u05d0\u02c6"),   /* 3: ends with neither */
    FORMAT_CASE("\u05d00\u0660"),  /* 4: two kinds of digits */
    FORMAT_CASE("a\u05d0"),        /* 5: the other direction within */
    FORMAT_CASE("a\u02c6.\u05d0"), /* 6: ends with neither, in another label */
    FORMAT_CASE("0a.\u05d0"),
    FORMAT_CASE("\u05d0.0a"),
    FORMAT_CASE("\u06f00.\u05d0"),
    FORMAT_CASE("a\u3002"),
    FORMAT_CASE("\u3002a"),
    FORMAT_CASE("a\u3002\uff0eb"),
    FORMAT_CASE("1\u30022\u30023\u30024"),
};

static void drafts_4_and_6(void **state)
{
    (void)state;
    FORMAT_CASES_VALID("hostname", JSV_DRAFT_4, plain);
    FORMAT_CASES_INVALID("hostname", JSV_DRAFT_4, wrong);
    FORMAT_CASES_VALID("hostname", JSV_DRAFT_6, encoded);
    FORMAT_CASES_INVALID("hostname", JSV_DRAFT_6, wide);
    format_case_check("hostname", JSV_DRAFT_6, JSV_STR("xn--99999999"), 1);
}

static void hostname(void **state)
{
    (void)state;
    FORMAT_CASES_VALID("hostname", DRAFT, plain);
    FORMAT_CASES_INVALID("hostname", DRAFT, wrong);
    FORMAT_CASES_VALID("hostname", DRAFT, encoded);
    FORMAT_CASES_INVALID("hostname", DRAFT, badly_encoded);
    FORMAT_CASES_INVALID("hostname", DRAFT, wide);
}

static void idn_hostname(void **state)
{
    (void)state;
    FORMAT_CASES_VALID("idn-hostname", DRAFT, plain);
    FORMAT_CASES_INVALID("idn-hostname", DRAFT, wrong);
    FORMAT_CASES_VALID("idn-hostname", DRAFT, encoded);
    FORMAT_CASES_INVALID("idn-hostname", DRAFT, badly_encoded);
    FORMAT_CASES_VALID("idn-hostname", DRAFT, wide);
    FORMAT_CASES_INVALID("idn-hostname", DRAFT, wrong_wide);
}

/* Lengths are counted in ASCII. */
static void lengths_in_ascii(void **state)
{
    (void)state;
    char text[4 * 256];
    /* 57 of them are an A-label of 63 octets */
    for (size_t count = 1; count <= 70; count++) {
        memcpy(text + 2 * (count - 1), "\u00fc", 2);
        format_case_check("idn-hostname", DRAFT, (struct jsv_str){text, 2 * count}, count <= 57);
    }

    /* The whole name as well: xn--bcher-kva has 13 octets. */
    size_t size = 0;
    for (size_t labels = 1; labels <= 25; labels++) {
        size_t label = strlen("b\u00fccher");
        memcpy(text + size, "b\u00fccher", label);
        size += label;
        format_case_check(
            "idn-hostname", DRAFT, (struct jsv_str){text, size}, labels * 14 - 1 <= 253);
        text[size++] = '.';
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drafts_4_and_6),
        cmocka_unit_test(hostname),
        cmocka_unit_test(idn_hostname),
        cmocka_unit_test(lengths_in_ascii),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
