/*
 * URIs, IRIs and URI templates.
 */
#include <string.h>

#include "support/format_cases.h"

#define DRAFT JSV_DRAFT_2020_12

/* Accepted by uri, uri-reference, iri and iri-reference. */
static const struct jsv_str absolute[] = {
    FORMAT_CASE("a:"),
    FORMAT_CASE("A+1-.:"),
    FORMAT_CASE("a:b"),
    FORMAT_CASE("a:/"),
    FORMAT_CASE("a:/b//c"),
    FORMAT_CASE("a://"),
    FORMAT_CASE("a:///"),
    FORMAT_CASE("a:b:c/d:e"),
    FORMAT_CASE("a:?"),
    FORMAT_CASE("a:#"),
    FORMAT_CASE("a:?#"),
    FORMAT_CASE("a:?/?:@-._~!$&'()*+,;=%aF#/?:@-._~!$&'()*+,;=%aF"),
    FORMAT_CASE("http://h"),
    FORMAT_CASE("http://h:"),
    FORMAT_CASE("http://h:80"),
    FORMAT_CASE("http://h:99999999999999"),
    FORMAT_CASE("http://u@h"),
    FORMAT_CASE("http://u:p:q@h:1/"),
    FORMAT_CASE("http://@"),
    FORMAT_CASE("http://:1"),
    FORMAT_CASE("http://-._~!$&'()*+,;=%20/"),
    FORMAT_CASE("http://1.2.3.4"),
    FORMAT_CASE("http://999.1"),
    FORMAT_CASE("http://[::1]"),
    FORMAT_CASE("http://[::ffff:1.2.3.4]:80/"),
    FORMAT_CASE("http://u@[1:2:3:4:5:6:7:8]"),
    FORMAT_CASE("http://[v1.a]"),
    FORMAT_CASE("http://[vFf.a:b!$]"),
    FORMAT_CASE("urn:isbn:0451450523"),
    FORMAT_CASE("mailto:a@b"),
    FORMAT_CASE("http://h/a;b=c/../d"),
};

/* Accepted by uri-reference and iri-reference only. */
static const struct jsv_str relative[] = {
    FORMAT_CASE(""),
    FORMAT_CASE("a"),
    FORMAT_CASE("/"),
    FORMAT_CASE("//"),
    FORMAT_CASE("//h"),
    FORMAT_CASE("//u@h:1/p?q#f"),
    FORMAT_CASE("/a:b"),
    FORMAT_CASE("./a:b"),
    FORMAT_CASE("a/b:c"),
    FORMAT_CASE("?"),
    FORMAT_CASE("#"),
    FORMAT_CASE("?a:b"),
    FORMAT_CASE("#a:b"),
    FORMAT_CASE("@"),
    FORMAT_CASE("..//"),
    {NULL, 0},
};

/* Accepted by none. */
static const struct jsv_str wrong[] = {
    FORMAT_CASE(":"),
    FORMAT_CASE(":a"),
    FORMAT_CASE("1a:b"),
    FORMAT_CASE("a_b:c"),
    FORMAT_CASE("a%20:b"),
    FORMAT_CASE("-:b"),
    FORMAT_CASE("a: b"),
    FORMAT_CASE(" a:b"),
    FORMAT_CASE("a:b "),
    FORMAT_CASE("a:b\n"),
    FORMAT_CASE("a:\0"),
    FORMAT_CASE("a:\x7F"),
    FORMAT_CASE("a:%"),
    FORMAT_CASE("a:%4"),
    FORMAT_CASE("a:%4g"),
    FORMAT_CASE("a:%g4"),
    FORMAT_CASE("a:%%41"),
    FORMAT_CASE("a:b#c#d"),
    FORMAT_CASE("a:["),
    FORMAT_CASE("a:?["),
    FORMAT_CASE("a:#]"),
    FORMAT_CASE("/[::1]"),
    FORMAT_CASE("http://h:x"),
    FORMAT_CASE("http://h:1:2"),
    FORMAT_CASE("http://h:-1"),
    FORMAT_CASE("http://h:%31"),
    FORMAT_CASE("http://a@b@c"),
    FORMAT_CASE("http://a b"),
    FORMAT_CASE("http://a[b]"),
    FORMAT_CASE("http://[b@c"),
    FORMAT_CASE("http://["),
    FORMAT_CASE("http://[]"),
    FORMAT_CASE("http://[::1"),
    FORMAT_CASE("http://[::1]x"),
    FORMAT_CASE("http://[::1]:x"),
    FORMAT_CASE("http://[::1%25eth0]"),
    FORMAT_CASE("http://[1.2.3.4]"),
    FORMAT_CASE("http://[::01.2.3.4]"),
    FORMAT_CASE("http://[v.a]"),
    FORMAT_CASE("http://[v1]"),
    FORMAT_CASE("http://[v1.]"),
    FORMAT_CASE("http://[v1.%41]"),
    FORMAT_CASE("http://[v1.a@b]"),
    FORMAT_CASE("http://[vg.a]"),
    FORMAT_CASE("http://[1.a]"),
    FORMAT_CASE("http://::1/"),
    FORMAT_CASE("\\\\host\\share"),
};

/* Accepted by iri and iri-reference only. */
static const struct jsv_str wide[] = {
    FORMAT_CASE("a:\u00e9"),
    FORMAT_CASE("http://\u00e9@\u00e9:1/\u00e9?\u00e9#\u00e9"),
    FORMAT_CASE("a:\u00a0\ud7ff\uf900\ufdcf\ufdf0\uffef"),
    FORMAT_CASE("a:\U00010000\U0001FFFD\U00020000\U000DFFFD\U000E1000\U000EFFFD"),
    FORMAT_CASE("a:?\ue000\uf8ff\U000F0000\U000FFFFD\U00100000\U0010FFFD"),
    FORMAT_CASE("a:\u200d"),
};

/* Not accepted by iri-reference. */
static const struct jsv_str wrong_wide[] = {
    FORMAT_CASE("\u00e9:a"),           FORMAT_CASE("a\u00e9:b"),
    FORMAT_CASE("a:\xC2\x9F"), /* U+009F, a control */
    FORMAT_CASE("a:\ue000"),           FORMAT_CASE("a:#\ue000"),
    FORMAT_CASE("a://\ue000"),         FORMAT_CASE("a:?\ufdd0"),
    FORMAT_CASE("a:\ufdef"),           FORMAT_CASE("a:\ufff0"),
    FORMAT_CASE("a:\uffff"),           FORMAT_CASE("a:\U0001FFFE"),
    FORMAT_CASE("a:\U000E0000"),       FORMAT_CASE("a:\U000E0FFF"),
    FORMAT_CASE("a:?\U000FFFFE"),      FORMAT_CASE("a:?\U0010FFFF"),
    FORMAT_CASE("a:\u200e"),           FORMAT_CASE("a:\u200f"),
    FORMAT_CASE("a:\u202a"),           FORMAT_CASE("a:?\u202e"),
    FORMAT_CASE("http://[v1.\u00e9]"), FORMAT_CASE("http://h:\u0661"),
};

static void uri(void **state)
{
    (void)state;
    FORMAT_CASES_VALID("uri", JSV_DRAFT_4, absolute);
    FORMAT_CASES_INVALID("uri", JSV_DRAFT_4, relative);
    FORMAT_CASES_INVALID("uri", JSV_DRAFT_4, wrong);
    FORMAT_CASES_INVALID("uri", JSV_DRAFT_4, wide);
}

static void uri_reference(void **state)
{
    (void)state;
    FORMAT_CASES_VALID("uri-reference", DRAFT, absolute);
    FORMAT_CASES_VALID("uri-reference", DRAFT, relative);
    FORMAT_CASES_INVALID("uri-reference", DRAFT, wrong);
    FORMAT_CASES_INVALID("uri-reference", DRAFT, wide);
    FORMAT_CASES_INVALID("uri-reference", DRAFT, wrong_wide);
}

static void iri(void **state)
{
    (void)state;
    FORMAT_CASES_VALID("iri", DRAFT, absolute);
    FORMAT_CASES_INVALID("iri", DRAFT, relative);
    FORMAT_CASES_INVALID("iri", DRAFT, wrong);
    FORMAT_CASES_VALID("iri", DRAFT, wide);
    FORMAT_CASES_INVALID("iri", DRAFT, wrong_wide);
}

static void iri_reference(void **state)
{
    (void)state;
    FORMAT_CASES_VALID("iri-reference", DRAFT, absolute);
    FORMAT_CASES_VALID("iri-reference", DRAFT, relative);
    FORMAT_CASES_INVALID("iri-reference", DRAFT, wrong);
    FORMAT_CASES_VALID("iri-reference", DRAFT, wide);
    FORMAT_CASES_INVALID("iri-reference", DRAFT, wrong_wide);
    format_case_check("iri-reference", DRAFT, JSV_STR("\u00e9/b:c"), 1);
    format_case_check("iri-reference", DRAFT, JSV_STR("//\u00e9"), 1);
}

/* Every byte in every part, compared with the characters that RFC 3986 lists. */
static void every_byte(void **state)
{
    (void)state;
    static const char unreserved[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    static const char sub_delimiters[] = "!$&'()*+,;=";
    static const struct {
        const char *before;
        const char *others;
        const char *after;
    } parts[] = {
        {"x://a", ":@/?#", "b"}, /* '@' ends a user's name, ':' begins a port, which 'b' is none */
        {"x:a", ":@/?#", "b"},
        {"x:?a", ":@/?#", "b"},
        {"x:#a", ":@/?", "b"},
        {"x://a", ":@/?#", "b@c"},
    };
    for (size_t p = 0; p < sizeof(parts) / sizeof(*parts); p++) {
        for (int byte = 0; byte < 0x80; byte++) {
            char text[32];
            size_t size = strlen(parts[p].before);
            memcpy(text, parts[p].before, size);
            text[size++] = (char)byte;
            memcpy(text + size, parts[p].after, strlen(parts[p].after));
            size += strlen(parts[p].after);
            bool expected = byte && (strchr(unreserved, byte) || strchr(sub_delimiters, byte) ||
                                     strchr(parts[p].others, byte));
            if ((p == 0 && byte == ':') || (p == 4 && byte == '@')) {
                expected = false;
            }
            format_case_check("uri", DRAFT, (struct jsv_str){text, size}, expected);
        }
    }
}

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
static void every_byte_of_a_template(void **state)
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
        cmocka_unit_test(uri),
        cmocka_unit_test(uri_reference),
        cmocka_unit_test(iri),
        cmocka_unit_test(iri_reference),
        cmocka_unit_test(every_byte),
        cmocka_unit_test(templates),
        cmocka_unit_test(every_byte_of_a_template),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
