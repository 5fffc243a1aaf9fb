#include <string.h>

#include "support/format_cases.h"

#define DRAFT JSV_DRAFT_2020_12

static void templates(void **state)
{
    (void)state;
    static const struct jsv_str valid[] = {
        FORMAT_CASE(""),
        FORMAT_CASE("a"),
        FORMAT_CASE("http://h/{a}"),
        FORMAT_CASE("{a}{b}c{d}"),
        FORMAT_CASE("{a,b,c}"),
        FORMAT_CASE("{+a}{#a}{.a}{/a}{;a}{?a}{&a}"),
        FORMAT_CASE("{=a}{,a}{!a}{@a}{|a}"),
        FORMAT_CASE("{a*}"),
        FORMAT_CASE("{a:1}"),
        FORMAT_CASE("{a:9999}"),
        FORMAT_CASE("{?a*,b:3,c}"),
        FORMAT_CASE("{a.b.c}"),
        FORMAT_CASE("{_}"),
        FORMAT_CASE("{0}"),
        FORMAT_CASE("{%41b.%c3%a9}"),
        FORMAT_CASE("%41"),
        FORMAT_CASE("a'b"),
        FORMAT_CASE("!#$&()*+,-./0:;=?@A[]_a~"),
        FORMAT_CASE("\u00a0\ud7ff\ue000\uffef\U0001F600\U000E1000\U0010FFFD"),
        FORMAT_CASE("\u200e"),
    };
    static const struct jsv_str invalid[] = {
        FORMAT_CASE("{"),          FORMAT_CASE("}"),         FORMAT_CASE("{}"),
        FORMAT_CASE("{a"),         FORMAT_CASE("a}"),        FORMAT_CASE("{{a}}"),
        FORMAT_CASE("{a}}"),       FORMAT_CASE("{+}"),       FORMAT_CASE("{++a}"),
        FORMAT_CASE("{a,}"),       FORMAT_CASE("{,}"),       FORMAT_CASE("{a,,b}"),
        FORMAT_CASE("{a b}"),      FORMAT_CASE("{ a}"),      FORMAT_CASE("{a-b}"),
        FORMAT_CASE("{.}"),        FORMAT_CASE("{a.}"),      FORMAT_CASE("{..a}"),
        FORMAT_CASE("{a..b}"),     FORMAT_CASE("{a:}"),      FORMAT_CASE("{a:0}"),
        FORMAT_CASE("{a:01}"),     FORMAT_CASE("{a:10000}"), FORMAT_CASE("{a:x}"),
        FORMAT_CASE("{a:1*}"),     FORMAT_CASE("{a*:1}"),    FORMAT_CASE("{a**}"),
        FORMAT_CASE("{*}"),        FORMAT_CASE("{:1}"),      FORMAT_CASE("{a=b}"),
        FORMAT_CASE("{%}"),        FORMAT_CASE("{%4}"),      FORMAT_CASE("{%zz}"),
        FORMAT_CASE("{\u00e9}"),   FORMAT_CASE("{a\0}"),     FORMAT_CASE("{\0a}"),
        FORMAT_CASE("%"),          FORMAT_CASE("%4"),        FORMAT_CASE("%zz"),
        FORMAT_CASE("a\xC2\x85"),  FORMAT_CASE("\ufdd0"),    FORMAT_CASE("\ufffe"),
        FORMAT_CASE("\U000E0001"),
    };
    FORMAT_CASES_VALID("uri-template", JSV_DRAFT_6, valid);
    FORMAT_CASES_INVALID("uri-template", JSV_DRAFT_6, invalid);
}

/* Every byte as text, as an operator, in a name. */
static void every_byte(void **state)
{
    (void)state;
    for (int byte = 0; byte < 0x80; byte++) {
        bool alnum = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                     (byte >= 'a' && byte <= 'z');
        char literal = (char)byte;
        bool text = byte > 32 && byte < 127 && !strchr("\"%<>\\^`{|}", byte);
        format_case_check("uri-template", DRAFT, (struct jsv_str){&literal, 1}, text);
        char operator[] = {'{', literal, 'a', '}'};
        bool begins = alnum || (byte && strchr("_+#./;?&=,!@|", byte));
        format_case_check("uri-template", DRAFT, (struct jsv_str){operator, 4}, begins);
        char name[] = {'{', 'a', literal, 'b', '}'};
        bool within = alnum || (byte && strchr("_.,", byte));
        format_case_check("uri-template", DRAFT, (struct jsv_str){name, 5}, within);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(templates),
        cmocka_unit_test(every_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
