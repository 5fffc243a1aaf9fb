#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "jsv/schema/format/check.h"
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
        /* RFC 2673 has one to three digits, whatever the first */
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

/* The C library's own opinion, on texts made of an address' pieces. */
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

/* RFC 5321 counts differently: "::" for at least two groups. */
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
        assert_true(jsv_is_mail_address_literal(jsv_str_from(valid[i])));
    }
    for (size_t i = 0; i < sizeof(invalid) / sizeof(*invalid); i++) {
        assert_false(jsv_is_mail_address_literal(jsv_str_from(invalid[i])));
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
