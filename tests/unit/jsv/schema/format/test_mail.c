#include <string.h>

#include "support/format_cases.h"

#define DRAFT JSV_DRAFT_2020_12

/* Of both formats. */
static const struct jsv_str plain[] = {
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

/* Of neither. */
static const struct jsv_str wrong[] = {
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

/* Of idn-email alone. */
static const struct jsv_str wide[] = {
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

static const struct jsv_str wrong_wide[] = {
    FORMAT_CASE("\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
                "\u00e9\u00e9\u00e9"
                "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
                "\u00e9\u00e9\u00e9a@b"),
    FORMAT_CASE("a@B\u00fccher.example"),
    FORMAT_CASE("a@\u00fc-.b"),
    FORMAT_CASE("a@\u0301.b"),
    FORMAT_CASE("a@\u00fc..b"),
    /* only idn-hostname takes other full stops */
    FORMAT_CASE("a@b\u3002c"),
    FORMAT_CASE("a@\u2603.b"),
    FORMAT_CASE("\u00e9.@b"),
    FORMAT_CASE("\u00e9"),
};

static void email(void **state)
{
    (void)state;
    FORMAT_CASES_VALID("email", JSV_DRAFT_4, plain);
    FORMAT_CASES_INVALID("email", JSV_DRAFT_4, wrong);
    FORMAT_CASES_INVALID("email", DRAFT, wide);
    FORMAT_CASES_INVALID("email", DRAFT, wrong_wide);
}

static void idn_email(void **state)
{
    (void)state;
    FORMAT_CASES_VALID("idn-email", DRAFT, plain);
    FORMAT_CASES_INVALID("idn-email", DRAFT, wrong);
    FORMAT_CASES_VALID("idn-email", DRAFT, wide);
    FORMAT_CASES_INVALID("idn-email", DRAFT, wrong_wide);
}

/* Every byte, in a word and in quotes. */
static void every_byte(void **state)
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
        cmocka_unit_test(email),
        cmocka_unit_test(idn_email),
        cmocka_unit_test(every_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
