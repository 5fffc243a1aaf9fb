/*
 * IP addresses, host names and mail addresses.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "support/format_cases.h"
#include "support/random.h"

#define DRAFT JSV_DRAFT_2020_12

static void ipv4(void **state)
{
    (void)state;
    static const struct jsv_str valid[] = {
        FORMAT_CASE("0.0.0.0"),
        FORMAT_CASE("255.255.255.255"),
        FORMAT_CASE("1.22.133.244"),
        /* RFC 2673 allows leading zeros */
        FORMAT_CASE("00.01.002.099"),
        FORMAT_CASE("087.10.0.1"),
    };
    static const struct jsv_str invalid[] = {
        FORMAT_CASE(""),
        FORMAT_CASE("1"),
        FORMAT_CASE("1.2.3"),
        FORMAT_CASE("1.2.3."),
        FORMAT_CASE("1.2.3.4.5"),
        FORMAT_CASE("1.2.3.4."),
        FORMAT_CASE(".1.2.3.4"),
        FORMAT_CASE("1..3.4"),
        FORMAT_CASE("256.0.0.0"),
        FORMAT_CASE("0.0.0.256"),
        FORMAT_CASE("0.0.0.999"),
        FORMAT_CASE("0.0.0.0001"),
        FORMAT_CASE("1.2.3.-4"),
        FORMAT_CASE("1.2.3.0x4"),
        FORMAT_CASE("1.2.3.4/8"),
        FORMAT_CASE("1.2.3.4 "),
        FORMAT_CASE("1.2.3.4\0"),
        FORMAT_CASE("1,2,3,4"),
        FORMAT_CASE("1.2.3.\u0664"),
    };
    FORMAT_CASES_VALID("ipv4", DRAFT, valid);
    FORMAT_CASES_INVALID("ipv4", DRAFT, invalid);
}

static void every_octet(void **state)
{
    (void)state;
    for (int octet = 0; octet <= 1000; octet++) {
        char text[16];
        int size = snprintf(text, sizeof(text), "%d.1.1.%d", octet, octet);
        format_case_check("ipv4", DRAFT, (struct jsv_str){text, (size_t)size}, octet <= 255);
    }
}

static void ipv6(void **state)
{
    (void)state;
    static const struct jsv_str valid[] = {
        FORMAT_CASE("::"),
        FORMAT_CASE("::1"),
        FORMAT_CASE("1::"),
        FORMAT_CASE("1:2:3:4:5:6:7:8"),
        FORMAT_CASE("ABCD:EF01:2345:6789:abcd:ef01:2345:6789"),
        FORMAT_CASE("0000:0000:0000:0000:0000:0000:0000:0000"),
        FORMAT_CASE("1:2:3::6:7:8"),
        FORMAT_CASE("::2:3:4:5:6:7:8"),
        FORMAT_CASE("1::3:4:5:6:7:8"),
        FORMAT_CASE("1:2:3:4:5:6:7::"),
        FORMAT_CASE("1:2:3:4:5:6:1.2.3.4"),
        FORMAT_CASE("::1.2.3.4"),
        FORMAT_CASE("::ffff:255.255.255.255"),
        FORMAT_CASE("1::1.2.3.4"),
        FORMAT_CASE("1:2:3:4:5::1.2.3.4"),
        FORMAT_CASE("::2:3:4:5:6:1.2.3.4"),
    };
    static const struct jsv_str invalid[] = {
        FORMAT_CASE(""),
        FORMAT_CASE(":"),
        FORMAT_CASE(":::"),
        FORMAT_CASE("1"),
        FORMAT_CASE("1:"),
        FORMAT_CASE(":1"),
        FORMAT_CASE("1:2:3:4:5:6:7"),
        FORMAT_CASE("1:2:3:4:5:6:7:"),
        FORMAT_CASE("1:2:3:4:5:6:7:8:"),
        FORMAT_CASE("1:2:3:4:5:6:7:8:9"),
        FORMAT_CASE(":1:2:3:4:5:6:7:8"),
        FORMAT_CASE("1::2::3"),
        FORMAT_CASE("::1::"),
        FORMAT_CASE("1:::2"),
        FORMAT_CASE("1::3:4:5:6:7:8:9"),
        FORMAT_CASE("::1:2:3:4:5:6:7:8"),
        FORMAT_CASE("1:2:3:4:5:6:7:8::"),
        FORMAT_CASE("12345::"),
        FORMAT_CASE("g::"),
        FORMAT_CASE("1.2.3.4"),
        FORMAT_CASE("1.2.3.4::"),
        FORMAT_CASE("::1.2.3.4:5"),
        FORMAT_CASE("::1.2.3"),
        FORMAT_CASE("::1.2.3.256"),
        FORMAT_CASE("::1.2.3.04"),
        FORMAT_CASE("::00.2.3.4"),
        FORMAT_CASE("1:2:3:4:5:6:7:1.2.3.4"),
        FORMAT_CASE("1:2:3:4:5:6::1.2.3.4:"),
        FORMAT_CASE("1:2:3:4:5:1.2.3.4"),
        FORMAT_CASE("1:2:3:4:5:6::7:1.2.3.4"),
        FORMAT_CASE("fe80::1%eth0"),
        FORMAT_CASE("fe80::1%25eth0"),
        FORMAT_CASE("[::1]"),
        FORMAT_CASE("::1/64"),
        FORMAT_CASE(" ::1"),
        FORMAT_CASE("::1 "),
        FORMAT_CASE("::1\0"),
        FORMAT_CASE("::\uff11"),
    };
    FORMAT_CASES_VALID("ipv6", DRAFT, valid);
    FORMAT_CASES_INVALID("ipv6", DRAFT, invalid);
}

/* Random texts made of parts of addresses, compared with inet_pton(). */
static void ipv6_as_the_c_library(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "::", ":", ":", ":", "1", "ab", "0", "ffff", "10000", "1.2.3.4", "g"};
    uint64_t random = 1;
    size_t valid = 0;
    for (int i = 0; i < 300000; i++) {
        char text[160] = "";
        size_t size = 0;
        for (uint64_t k = random_below(&random, 17); k > 0; k--) {
            const char *piece = pieces[random_below(&random, sizeof(pieces) / sizeof(*pieces))];
            memcpy(text + size, piece, strlen(piece) + 1);
            size += strlen(piece);
        }
        struct in6_addr address;
        bool expected = inet_pton(AF_INET6, text, &address) == 1;
        format_case_check("ipv6", DRAFT, (struct jsv_str){text, size}, expected);
        valid += expected;
    }
    assert_true(valid > 1000);
}

static int is_mail_literal(const char *literal)
{
    char text[80];
    int size = snprintf(text, sizeof(text), "a@[%s]", literal);
    enum jsv_format email;
    assert_true(jsv_format_find(JSV_STR("email"), DRAFT, &email));
    return jsv_format_valid(email, (struct jsv_str){text, (size_t)size});
}

/* In RFC 5321 "::" replaces at least two groups. */
static void mail_literals(void **state)
{
    (void)state;
    static const char *const valid[] = {
        "1.2.3.4",
        "001.02.3.255",
        "IPv6:::",
        "ipv6:::1",
        "IPV6:1::",
        "IPv6:1:2:3:4:5:6:7:8",
        "IPv6:1:2:3:4:5:6::",
        "IPv6:::3:4:5:6:7:8",
        "IPv6:1:2:3::6:7:8",
        "IPv6:1:2:3:4:5:6:1.2.3.4",
        "IPv6:1:2::5:6:001.2.3.4",
        "IPv6:::1.2.3.4",
    };
    static const char *const invalid[] = {
        "",
        "1.2.3",
        "1.2.3.256",
        "1.2.3.0004",
        "::1",
        "IPv6",
        "IPv6:",
        "IPv4:1.2.3.4",
        "IPv6 ::1",
        "Iv6:::1",
        "IPv6:1.2.3.4",
        "IPv6:1:2:3:4:5:6:7::",
        "IPv6:::2:3:4:5:6:7:8",
        "IPv6:1:2:3::5:6:7:8",
        "IPv6:1:2:3::6:1.2.3.4:1",
        "IPv6:1:2:3::5:6:1.2.3.4",
        "IPv6:1:2:3:4:5:6:7",
        "x:anything",
    };
    for (size_t i = 0; i < sizeof(valid) / sizeof(*valid); i++) {
        assert_true(is_mail_literal(valid[i]));
    }
    for (size_t i = 0; i < sizeof(invalid) / sizeof(*invalid); i++) {
        assert_false(is_mail_literal(invalid[i]));
    }
}

#define A10 "aaaaaaaaaa"
#define A61 A10 A10 A10 A10 A10 A10 "a"
#define A62 A61 "a"
#define A63 A62 "a"

/* Accepted by all three: hostname of draft 4, hostname since draft 7, idn-hostname. */
static const struct jsv_str host_plain[] = {
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

static const struct jsv_str host_wrong[] = {
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

/* A-labels, for "hostname" since draft 7 and "idn-hostname". */
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
static const struct jsv_str host_wide[] = {
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

static const struct jsv_str host_wrong_wide[] = {
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
    FORMAT_CASES_VALID("hostname", JSV_DRAFT_4, host_plain);
    FORMAT_CASES_INVALID("hostname", JSV_DRAFT_4, host_wrong);
    FORMAT_CASES_VALID("hostname", JSV_DRAFT_6, encoded);
    FORMAT_CASES_INVALID("hostname", JSV_DRAFT_6, host_wide);
    format_case_check("hostname", JSV_DRAFT_6, JSV_STR("xn--99999999"), 1);
}

static void hostname(void **state)
{
    (void)state;
    FORMAT_CASES_VALID("hostname", DRAFT, host_plain);
    FORMAT_CASES_INVALID("hostname", DRAFT, host_wrong);
    FORMAT_CASES_VALID("hostname", DRAFT, encoded);
    FORMAT_CASES_INVALID("hostname", DRAFT, badly_encoded);
    FORMAT_CASES_INVALID("hostname", DRAFT, host_wide);
}

static void idn_hostname(void **state)
{
    (void)state;
    FORMAT_CASES_VALID("idn-hostname", DRAFT, host_plain);
    FORMAT_CASES_INVALID("idn-hostname", DRAFT, host_wrong);
    FORMAT_CASES_VALID("idn-hostname", DRAFT, encoded);
    FORMAT_CASES_INVALID("idn-hostname", DRAFT, badly_encoded);
    FORMAT_CASES_VALID("idn-hostname", DRAFT, host_wide);
    FORMAT_CASES_INVALID("idn-hostname", DRAFT, host_wrong_wide);
}

static void lengths_in_ascii(void **state)
{
    (void)state;
    char text[4 * 256];
    /* 57 of them are an A-label of 63 octets */
    for (size_t count = 1; count <= 70; count++) {
        memcpy(text + 2 * (count - 1), "\u00fc", 2);
        format_case_check("idn-hostname", DRAFT, (struct jsv_str){text, 2 * count}, count <= 57);
    }

    /* The size of the whole name: xn--bcher-kva has 13 octets. */
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

/* Accepted by both formats. */
static const struct jsv_str mail_plain[] = {
    FORMAT_CASE("a@b"),
    FORMAT_CASE("joe.bloggs@example.com"),
    FORMAT_CASE("a.b.c@d.e.f"),
    FORMAT_CASE("!#$%&'*+-/=?^_`{|}~@x"),
    FORMAT_CASE("0@1.2"),
    FORMAT_CASE("a@1.2.3.4"),
    FORMAT_CASE("a@xn--x"),
    FORMAT_CASE("\"\"@b"),
    FORMAT_CASE("\" \"@b"),
    FORMAT_CASE("\"a@b\"@c"),
    FORMAT_CASE("\"a..b.\"@c"),
    FORMAT_CASE("\"a\\\"b\\\\\"@c"),
    FORMAT_CASE("\"\\a\\ \\~\"@c"),
    FORMAT_CASE("\"!#$%&'()*+,-./:;<=>?@[]^_`{|}~\"@c"),
    FORMAT_CASE("a@[1.2.3.4]"),
    FORMAT_CASE("a@[IPv6:2001:db8::1]"),
    FORMAT_CASE("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@b"),
    FORMAT_CASE("\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"@b"),
};

/* Accepted by neither. */
static const struct jsv_str mail_wrong[] = {
    FORMAT_CASE(""),
    FORMAT_CASE("a"),
    FORMAT_CASE("@"),
    FORMAT_CASE("a@"),
    FORMAT_CASE("@b"),
    FORMAT_CASE("a@@b"),
    FORMAT_CASE("a@b@c"),
    FORMAT_CASE(".a@b"),
    FORMAT_CASE("a.@b"),
    FORMAT_CASE("a..b@c"),
    FORMAT_CASE("a b@c"),
    FORMAT_CASE("a@b c"),
    FORMAT_CASE(" a@b"),
    FORMAT_CASE("a@b "),
    FORMAT_CASE("a@b\n"),
    FORMAT_CASE("a\0@b"),
    FORMAT_CASE("a@b\0"),
    FORMAT_CASE("a(comment)@b"),
    FORMAT_CASE("a,b@c"),
    FORMAT_CASE("a\\@b@c"),
    FORMAT_CASE("<a@b>"),
    FORMAT_CASE("a@.b"),
    FORMAT_CASE("a@b."),
    FORMAT_CASE("a@b..c"),
    FORMAT_CASE("a@-b"),
    FORMAT_CASE("a@b-"),
    FORMAT_CASE("a@b_c"),
    FORMAT_CASE("a@b=c"),
    FORMAT_CASE("\"@b"),
    FORMAT_CASE("\"a@b"),
    FORMAT_CASE("\"a"),
    FORMAT_CASE("\"a\\\"@b"),
    FORMAT_CASE("\"a\\"),
    FORMAT_CASE("\"a\"b@c"),
    FORMAT_CASE("a\"b\"@c"),
    FORMAT_CASE("\"a\".b@c"),
    FORMAT_CASE("\"a\tb\"@c"),
    FORMAT_CASE("\"a\\\tb\"@c"),
    FORMAT_CASE("\"a\x7F\"@c"),
    FORMAT_CASE("\"a\0\"@c"),
    FORMAT_CASE("a@["),
    FORMAT_CASE("a@[]"),
    FORMAT_CASE("a@[1.2.3.4"),
    FORMAT_CASE("a@1.2.3.4]"),
    FORMAT_CASE("a@[1.2.3.4]x"),
    FORMAT_CASE("a@[1.2.3.256]"),
    FORMAT_CASE("a@[::1]"),
    FORMAT_CASE("a@[IPv6:2001:db8::1::]"),
    FORMAT_CASE("a@[x:y]"),
    FORMAT_CASE("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@b"),
    FORMAT_CASE("\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"@b"),
    FORMAT_CASE("a@b\uff20c"),
    FORMAT_CASE("\"a\\\u00e9\"@b"),
};

/* Accepted by idn-email only. */
static const struct jsv_str mail_wide[] = {
    FORMAT_CASE("\u00e9@b"),
    FORMAT_CASE("\u4e2d.\u6587@b"),
    FORMAT_CASE("a@b\u00fccher.example"),
    FORMAT_CASE("\"\u00e9 \u4e2d\"@b"),
    FORMAT_CASE("e\u0301@b"),
    FORMAT_CASE("\U0001F600@b"),
    FORMAT_CASE("a@e\u0301.b"),
    /* 64 octets, not characters */
    FORMAT_CASE("\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
                "\u00e9\u00e9\u00e9"
                "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
                "\u00e9\u00e9\u00e9@b"),
};

static const struct jsv_str mail_wrong_wide[] = {
    FORMAT_CASE("\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
                "\u00e9\u00e9\u00e9"
                "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
                "\u00e9\u00e9\u00e9a@b"),
    FORMAT_CASE("a@B\u00fccher.example"),
    FORMAT_CASE("a@\u00fc-.b"),
    FORMAT_CASE("a@\u0301.b"),
    FORMAT_CASE("a@\u00fc..b"),
    /* only idn-hostname accepts other full stops */
    FORMAT_CASE("a@b\u3002c"),
    FORMAT_CASE("a@\u2603.b"),
    FORMAT_CASE("\u00e9.@b"),
    FORMAT_CASE("\u00e9"),
};

static void email(void **state)
{
    (void)state;
    FORMAT_CASES_VALID("email", JSV_DRAFT_4, mail_plain);
    FORMAT_CASES_INVALID("email", JSV_DRAFT_4, mail_wrong);
    FORMAT_CASES_INVALID("email", DRAFT, mail_wide);
    FORMAT_CASES_INVALID("email", DRAFT, mail_wrong_wide);
}

static void idn_email(void **state)
{
    (void)state;
    FORMAT_CASES_VALID("idn-email", DRAFT, mail_plain);
    FORMAT_CASES_INVALID("idn-email", DRAFT, mail_wrong);
    FORMAT_CASES_VALID("idn-email", DRAFT, mail_wide);
    FORMAT_CASES_INVALID("idn-email", DRAFT, mail_wrong_wide);
}

/* Every byte, in a word and in quotes. */
static void every_byte_of_an_address(void **state)
{
    (void)state;
    for (int byte = 0; byte < 0x80; byte++) {
        bool alnum = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                     (byte >= 'a' && byte <= 'z');
        bool word = alnum || (byte && strchr("!#$%&'*+-/=?^_`{|}~.", byte));
        char in_word[] = {'a', (char)byte, 'b', '@', 'c'};
        format_case_check("email", DRAFT, (struct jsv_str){in_word, 5}, word);
        char in_quotes[] = {'"', (char)byte, '"', '@', 'c'};
        bool quotable = byte >= 32 && byte <= 126 && byte != '"' && byte != '\\';
        format_case_check("email", DRAFT, (struct jsv_str){in_quotes, 5}, quotable);
        char escaped[] = {'"', '\\', (char)byte, '"', '@', 'c'};
        format_case_check("email", DRAFT, (struct jsv_str){escaped, 6}, byte >= 32 && byte <= 126);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ipv4),
        cmocka_unit_test(every_octet),
        cmocka_unit_test(ipv6),
        cmocka_unit_test(ipv6_as_the_c_library),
        cmocka_unit_test(mail_literals),
        cmocka_unit_test(drafts_4_and_6),
        cmocka_unit_test(hostname),
        cmocka_unit_test(idn_hostname),
        cmocka_unit_test(lengths_in_ascii),
        cmocka_unit_test(email),
        cmocka_unit_test(idn_email),
        cmocka_unit_test(every_byte_of_an_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
