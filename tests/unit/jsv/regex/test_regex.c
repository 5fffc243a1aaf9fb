/*
 * What patterns match, with every engine.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/regex_ask.h"
#include "support/torture.h"

static void test_search_is_anywhere(void **state)
{
    (void)state;
    static const struct regex_case cases[] = {
        {"", "", 1},
        {"", "abc", 1},
        {"b", "abc", 1},
        {"d", "abc", 0},
        {"bc", "abc", 1},
        {"abcd", "abc", 0},
        {"^b", "abc", 0},
        {"^a", "abc", 1},
        {"c$", "abc", 1},
        {"b$", "abc", 0},
        {"^abc$", "abc", 1},
        {"^abc$", "abcd", 0},
        {"^abc$", "xabc", 0},
        {"^$", "", 1},
        {"^$", "a", 0},
        {"$^", "", 1},
        {"$^", "a", 0},
        {"a^", "a", 0},
        {"$a", "a", 0},
        {"^^a$$", "a", 1},
        {"a|^b", "cb", 0},
        {"a|^b", "bc", 1},
        {"a$|b", "ab", 1},
        {"(^a|b)$", "xb", 1},
        {"(^a|b)$", "xa", 0},
        {"(?:^|,)x", "a,x", 1},
        {"(?:^|,)x", "ax", 0},
        {"x(?:,|$)", "ax", 1},
        {"aab", "aaab", 1},
        {"abab", "ababac", 1},
        {"ababac", "abababac", 1},
        {"|", "a", 1},
        {"a|", "b", 1},
        {"(|a)b", "b", 1},
        {"()", "", 1},
    };
    REGEX_EXPECT_CASES(cases);
}

/* ^ and $ ignore line ends; only the dot does not match them. */
static void test_lines(void **state)
{
    (void)state;
    static const struct regex_case cases[] = {
        {"^abc$", "abc\n", 0},   {"^b", "a\nb", 0},
        {"a$", "a\nb", 0},       {"^.$", "a", 1},
        {"^.$", "\n", 0},        {"^.$", "\r", 0},
        {"^.$", "\u2028", 0},    {"^.$", "\u2029", 0},
        {"^.$", "\v", 1},        {"^.$", "\f", 1},
        {"^.$", "\xc2\x85", 1},  {"^.$", "\u2027", 1},
        {"^.$", "\u202a", 1},    {"^.$", "😀", 1},
        {"^..$", "😀", 0},        {"^.*$", "ab\ncd", 0},
        {"^.+$", "", 0},         {"^[^]$", "\n", 1},
        {"^[\\s\\S]$", "\n", 1}, {"^[^]*$", "a\r\n\u2028", 1},
        {"a.b", "a\nb", 0},
    };
    REGEX_EXPECT_CASES(cases);
}

static void test_sets(void **state)
{
    (void)state;
    static const struct regex_case cases[] = {
        {"^\\d$", "0", 1},        {"^\\d$", "9", 1},      {"^\\d$", "a", 0},
        {"^\\d$", "٣", 0},        {"^\\d$", "߀", 0},      {"^\\D$", "߀", 1},
        {"^\\D$", "5", 0},        {"^\\w$", "_", 1},      {"^\\w$", "Z", 1},
        {"^\\w$", "é", 0},        {"^\\w$", "ſ", 0},      {"^\\w$", "\u212a", 0},
        {"^\\W$", "é", 1},        {"^\\W$", "a", 0},      {"^\\W$", "-", 1},
        {"^\\s$", " ", 1},        {"^\\s$", "\t", 1},     {"^\\s$", "\n", 1},
        {"^\\s$", "\v", 1},       {"^\\s$", "\f", 1},     {"^\\s$", "\r", 1},
        {"^\\s$", "\u00a0", 1},   {"^\\s$", "\u1680", 1}, {"^\\s$", "\u180e", 0},
        {"^\\s$", "\u2000", 1},   {"^\\s$", "\u200a", 1}, {"^\\s$", "\u200b", 0},
        {"^\\s$", "\u2028", 1},   {"^\\s$", "\u2029", 1}, {"^\\s$", "\u202f", 1},
        {"^\\s$", "\u205f", 1},   {"^\\s$", "\u3000", 1}, {"^\\s$", "\ufeff", 1},
        {"^\\s$", "\xc2\x85", 0}, {"^\\s$", "\x1f", 0},   {"^\\S$", "\ufeff", 0},
        {"^\\S$", "\u2013", 1},   {"^\\S$", "\x01", 1},   {"^\\S$", " ", 0},
    };
    REGEX_EXPECT_CASES(cases);
}

static void test_quantifiers(void **state)
{
    (void)state;
    static const struct regex_case cases[] = {
        {"^a*$", "", 1},
        {"^a*$", "aaa", 1},
        {"^a*$", "ab", 0},
        {"^a+$", "", 0},
        {"^a+$", "aa", 1},
        {"^a?$", "", 1},
        {"^a?$", "a", 1},
        {"^a?$", "aa", 0},
        {"^a{2}$", "a", 0},
        {"^a{2}$", "aa", 1},
        {"^a{2}$", "aaa", 0},
        {"^a{2,}$", "a", 0},
        {"^a{2,}$", "aaaaa", 1},
        {"^a{2,3}$", "a", 0},
        {"^a{2,3}$", "aa", 1},
        {"^a{2,3}$", "aaa", 1},
        {"^a{2,3}$", "aaaa", 0},
        {"^a{0}$", "", 1},
        {"^a{0}$", "a", 0},
        {"^a{0,0}b$", "b", 1},
        {"^a*?b$", "aab", 1},
        {"^a+?$", "aaa", 1},
        {"^a??b", "ab", 1},
        {"^a{1,2}?b$", "aab", 1},
        {"^(ab)+$", "abab", 1},
        {"^(ab)+$", "aba", 0},
        {"^(a|b)*c$", "ababc", 1},
        {"^(a*)*$", "aaa", 1},
        {"^(a*)+b$", "aab", 1},
        {"^(?:a?)*?b$", "aab", 1},
        {"^(?:a|ab)(?:c|bcd)(?:d*)$", "abcd", 1},
        {"^(?:){9}a$", "a", 1},
        {"^(?:(?:(?:){999}){999}){999}a$", "a", 1},
        {"^(?:a{3}){2}$", "aaaaaa", 1},
        {"^(?:a{3}){2}$", "aaaaa", 0},
        {"^(?:a|){5}$", "aaa", 1},
        {"^(?:^a)*$", "a", 1},
        {"^(?:a$)+$", "a", 1},
        {"^(?:a$)+$", "aa", 0},
        {"^é{2}$", "éé", 1},
        {"^é{2}$", "é", 0},
        {"^😀+$", "😀😀", 1},
        {"^🐲*$", "🐉", 0},
        {"^a{1,300}$", "aaaa", 1},
        {"^a{4,300}$", "aaa", 0},
        {"^a{04}$", "aaaa", 1},
        {"a{99999999999999999999}", "a", -E2BIG},
    };
    REGEX_EXPECT_CASES(cases);
}

static void test_characters(void **state)
{
    (void)state;
    static const struct regex_case cases[] = {
        {"^\\t\\n\\v\\f\\r$", "\t\n\v\f\r", 1},
        {"^\\t$", "\\t", 0},
        {"^\\cC$", "\x03", 1},
        {"^\\cc$", "\x03", 1},
        {"^\\cC$", "\\cC", 0},
        {"^\\cz$", "\x1a", 1},
        {"^\\x41$", "A", 1},
        {"^\\xe9$", "é", 1},
        {"^\\u0041$", "A", 1},
        {"^\\u00e9$", "é", 1},
        {"^\\u{e9}$", "é", 1},
        {"^\\u{000041}$", "A", 1},
        {"^\\u{1F600}$", "😀", 1},
        {"^\\uD83D\\uDE00$", "😀", 1},
        {"^\\ud83d\\ude00+$", "😀😀", 1},
        {"\\uD83D\\uE000", "\U0001f800", 0},
        {"\\uD83D\\uDBFF", "\U0001f3ff", 0},
        {"\\uD83D", "😀", 0},
        {"\\uDE00", "😀", 0},
        {"^\\uD83D\\u0041", "😀A", 0},
        {"\\u{D83D}\\u{DE00}", "😀", 0},
        {"^[\\uD83D\\uDE00]$", "😀", 1},
        {"^[^\\uD83D]$", "😀", 1},
        {"\\.", "a", 0},
        {"\\.", ".", 1},
        {"^\\^\\$\\\\\\.\\*\\+\\?$", "^$\\.*+?", 1},
        {"^\\(\\)\\[\\]\\{\\}\\|\\/$", "()[]{}|/", 1},
        {"^/a/$", "/a/", 1},
        {"^é$", "é", 1},
        {"^é$", "e", 0},
        {"^😀$", "😁", 0},
        {"^\\u{10FFFF}$", "\U0010ffff", 1},
        {"^\\u{10ffff}$", "\U0010fffe", 0},
    };
    REGEX_EXPECT_CASES(cases);
    /* NUL is a character like any other. */
    assert_int_equal(regex_ask_str(JSV_STR("^a\\0b$"), JSV_STR("a\0b")), 1);
    assert_int_equal(regex_ask_str(JSV_STR("^a\0b$"), JSV_STR("a\0b")), 1);
    assert_int_equal(regex_ask_str(JSV_STR("^a\\0b$"), JSV_STR("a")), 0);
    assert_int_equal(regex_ask_str(JSV_STR("^[\\0]$"), JSV_STR("\0")), 1);
    assert_int_equal(regex_ask_str(JSV_STR("(?=\\0)."), JSV_STR("x\0")), 1);
}

static void test_properties(void **state)
{
    (void)state;
    static const struct regex_case cases[] = {
        {"^\\p{Letter}+$", "Hello", 1},
        {"^\\p{Letter}+$", "π", 1},
        {"^\\p{Letter}+$", "123", 0},
        {"^\\p{L}$", "é", 1},
        {"^\\P{L}$", "é", 0},
        {"^\\P{L}$", "1", 1},
        {"^\\p{Lu}$", "É", 1},
        {"^\\p{Lu}$", "é", 0},
        {"^\\p{Cased_Letter}$", "É", 1},
        {"^\\p{LC}$", "ª", 0},
        {"^\\p{digit}+$", "৪২", 1},
        {"^\\p{Nd}+$", "42", 1},
        {"^\\p{gc=Nd}$", "४", 1},
        {"^\\p{General_Category=Decimal_Number}$", "a", 0},
        {"^\\p{Script=Greek}+$", "Ωω", 1},
        {"^\\p{Script=Greek}$", "a", 0},
        {"^\\p{sc=Grek}$", "ω", 1},
        {"^\\p{sc=Deva}$", "।", 0},
        {"^\\p{scx=Deva}$", "।", 1},
        {"^\\p{Script_Extensions=Devanagari}$", "।", 1},
        {"^\\p{Emoji}$", "😀", 1},
        {"^\\p{ASCII}$", "~", 1},
        {"^\\p{ASCII}$", "é", 0},
        {"^\\P{ASCII}$", "é", 1},
        {"^\\p{Any}$", "\n", 1},
        {"\\P{Any}", "a", 0},
        {"^\\p{Assigned}$", "a", 1},
        {"^\\p{Assigned}$", "\u0378", 0},
        {"^\\P{Assigned}$", "\u0378", 1},
        {"^\\p{Cn}$", "\u0378", 1},
        {"^[\\p{L}\\d]+$", "é1", 1},
        {"^[^\\p{L}\\d]$", "é", 0},
        {"^[^\\p{L}\\d]$", "-", 1},
        {"^[\\P{L}a]$", "a", 1},
        {"^[\\P{L}a]$", "b", 0},
        {"^[^\\P{L}]$", "b", 1},
        {"^[\\p{Lu}\\p{Nd}]+$", "É४", 1},
        {"\\p{Letter}cole", "l'école", 1},
        {"\\p{Letter}cole", "L'ÉCOLE", 0},
        {"^\\p{White_Space}$", "\xc2\x85", 1},
    };
    REGEX_EXPECT_CASES(cases);
}

static void test_groups_and_references(void **state)
{
    (void)state;
    static const struct regex_case cases[] = {
        {"^(a)(b)\\2\\1$", "abba", 1},
        {"^(a|b)\\1$", "ab", 0},
        {"^(a|b)\\1$", "bb", 1},
        {"^(?<x>a|b)\\k<x>$", "aa", 1},
        {"^(?<x>a|b)\\k<x>$", "ab", 0},
        {"^(?<$_é1>a)\\k<$_é1>$", "aa", 1},
        {"^(?<\\u0061>x)\\k<a>$", "xx", 1},
        {"^(a)?\\1b$", "b", 1},
        {"^(a)?\\1b$", "aab", 1},
        {"^(a)?\\1b$", "ab", 0},
        {"^\\1(a)$", "a", 1},
        {"^(a\\1)$", "a", 1},
        {"^\\k<x>(?<x>a)$", "a", 1},
        {"^(?:\\1(a))+$", "aaa", 1},
        {"^(a){0}\\1b$", "b", 1},
        {"^(?!(a))\\1b$", "b", 1},
        {"^(a*)b\\1$", "aabaa", 1},
        {"^(a*)b\\1$", "aaba", 0},
        {"^(a+)\\1$", "aaaa", 1},
        {"^(a+)\\1$", "aaa", 0},
        {"^([ab])+\\1$", "abb", 1},
        {"^([ab])+\\1$", "aba", 0},
        {"^(\"|').*\\1$", "\"x\"", 1},
        {"^(\"|').*\\1$", "\"x'", 0},
        {"^(a)\\1{2}$", "aaa", 1},
        {"^(a)\\1*$", "aaaa", 1},
        {"^(😀)\\1$", "😀😀", 1},
        {"^(?:(a)b)+\\1$", "ababa", 1},
        {"^(a)(?:b\\1)+$", "ababa", 1},
        {"^((((((((((a))))))))))\\10$", "aa", 1},
        {"^(?:a(b))?c\\1$", "abcb", 1},
        {"^(?:a(b))?c\\1$", "c", 1},
        {"^(?=(a+))\\1b$", "aab", 1},
        {"^(?=(a|ab))\\1c$", "abc", 0},
    };
    REGEX_EXPECT_CASES(cases);
}

static void test_look_around(void **state)
{
    (void)state;
    static const struct regex_case cases[] = {
        {"a(?=b)", "ab", 1},
        {"a(?=b)", "ac", 0},
        {"a(?!b)", "ac", 1},
        {"a(?!b)", "ab", 0},
        {"^(?!foo$).*$", "foo", 0},
        {"^(?!foo$).*$", "fool", 1},
        {"(?<=a)b", "ab", 1},
        {"(?<=a)b", "cb", 0},
        {"(?<!a)b", "cb", 1},
        {"(?<!a)b", "ab", 0},
        {"(?<!a)b", "b", 1},
        {"(?<=^)b", "b", 1},
        {"(?<=a|bc)d", "bcd", 1},
        {"(?<=a|bc)d", "cd", 0},
        {"(?<=é)b", "éb", 1},
        {"(?<=😀.)b", "😀éb", 1},
        {"(?<=(?<!x)a)b", "xab", 0},
        {"(?<=(?<!x)a)b", "yab", 1},
        {"(?<=(a))b\\1", "aba", 1},
        {"(?<=[ab]{3})c", "abac", 1},
        {"(?<=[ab]{3})c", "bac", 0},
        {"(?<=$)", "a", 1},
        {"(?=)", "", 1},
        {"(?!)", "a", 0},
        {"(?<=)", "", 1},
        {"(?<!)", "a", 0},
        {"(?=a)b?a", "a", 1},
        {"(?=a)(?:b)?a$", "a", 1},
        {"(?=.*\\d)(?=.*[a-z]).{4,}", "abc1", 1},
        {"(?=.*\\d)(?=.*[a-z]).{4,}", "abcd", 0},
        {"^(?:(?!ab).)*$", "aacb", 1},
        {"^(?:(?!ab).)*$", "aab", 0},
        {"(?=a){2}a", "a", 1},
        {"^(?=a)*b", "b", 1},
        {"^(?=a)+b", "b", 0},
        {"(?!a){0}a", "a", 1},
    };
    REGEX_EXPECT_CASES(cases);
}

static void test_boundaries(void **state)
{
    (void)state;
    static const struct regex_case cases[] = {
        {"\\bfoo\\b", "a foo b", 1},
        {"\\bfoo\\b", "afoo", 0},
        {"\\bfoo\\b", "foo_", 0},
        {"\\bfoo\\b", "éfooé", 1},
        {"\\Bfoo", "foo", 0},
        {"\\Bfoo", "afoo", 1},
        {"^\\b", "é", 0},
        {"^\\b", "a", 1},
        {"\\b", "", 0},
        {"\\B", "", 1},
        {"\\B", "-", 1},
        {"^\\Bé\\B$", "é", 1},
    };
    REGEX_EXPECT_CASES(cases);
}

/* Constructs of the legacy grammar that unicode mode rejects. */
static void test_legacy(void **state)
{
    (void)state;
    static const struct regex_case cases[] = {
        {"^\\-\\_\\@\\\"\\'\\ \\:\\,\\=\\é$", "-_@\"' :,=é", 1},
        {"^a{$", "a{", 1},
        {"^a}$", "a}", 1},
        {"^a]$", "a]", 1},
        {"^{$", "{", 1},
        {"^{}$", "{}", 1},
        {"^a{,5}$", "a{,5}", 1},
        {"^a{1$", "a{1", 1},
        {"^a{1,$", "a{1,", 1},
        {"^a{b}$", "a{b}", 1},
        {"^a{1,2$", "a{1,2", 1},
        {"^${x}", "$", 0},
        {"^\\${a}$", "${a}", 1},
        {"^[\\w-.]+$", "a-.", 1},
        {"^[\\w-.]+$", "a+", 0},
        {"^[a-\\d]+$", "a-5", 1},
        {"^[a-\\d]+$", "b", 0},
        {"^[\\d-x]+$", "1-x", 1},
        {"^[\\@\\!]$", "!", 1},
        {"^\\101$", "A", 1},
        {"^\\1$", "\x01", 1},
        {"^\\8$", "8", 1},
        {"^\\18$",
         "\x01"
         "8",
         1},
        {"^\\400$", " 0", 1},
        {"^\\07$", "\x07", 1},
        {"^(a)\\2$", "a\x02", 1},
        {"^[\\101\\8]+$", "A8", 1},
        {"^[\\c1]$", "\x11", 1},
        {"^[\\c_]$", "\x1f", 1},
        {"^\\p{L}\\-$", "é-", 1},
        {"^\\u{61}\\-$", "a-", 1},
        {"^[\\1]$", "\x01", 1},
        {"^(?:\\/[a-z\\-]+)+$", "/a-b/c", 1},
    };
    REGEX_EXPECT_CASES(cases);
    assert_int_equal(regex_ask_str(JSV_STR("^\\08$"), JSV_STR("\0008")), 1);
}

/* Patterns from schemas. */
static void test_everyday(void **state)
{
    (void)state;
    static const struct regex_case cases[] = {
        {"^x-", "x-foo", 1},
        {"^x-", "y-x-", 0},
        {"^[@$_#]", "$ref", 1},
        {"^[^/]+$", "a/b", 0},
        {"^[A-Za-z0-9_.\\/\\-]+$", "a/b-c_d.e", 1},
        {"^[A-Za-z0-9_.\\/\\-]+$", "a b", 0},
        {"^\\d{4}-\\d{2}-\\d{2}$", "2024-02-30", 1},
        {"^\\d{4}-\\d{2}-\\d{2}$", "2024-2-30", 0},
        {"^(CRLF|LF|crlf|lf)$", "crlf", 1},
        {"^(CRLF|LF|crlf|lf)$", "Crlf", 0},
        {"default|^[0-9]+$", "the default", 1},
        {"default|^[0-9]+$", "12a", 0},
        {"^[0-9]+(ns|ms|us|µs|s|m|h)$", "10µs", 1},
        {"^[0-9]+(ns|ms|us|µs|s|m|h)$", "10µ", 0},
        {"^.*\\.(?:txt|trie)(?:\\.gz)?$", "a.txt.trie.gz", 1},
        {"^(?:@[0-9a-z-_.]+\\/)?[a-z][0-9a-z-_.]*$", "@a/b", 1},
        {"^[a-z0-9]+([._-][a-z0-9]+)*$", "a.b-c", 1},
        {"^[a-z0-9]+([._-][a-z0-9]+)*$", "a..b", 0},
        {"^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)$", "10.0", 1},
        {"^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)$", "01.0", 0},
        {"^(?:https?:|\\?)[\\w\\W]*", "http:\n", 1},
        {"f.*o", "foo", 1},
        {"f.*o", "f\no", 0},
        {"[0-9]{2,}", "a31b", 1},
        {"[0-9]{2,}", "a3b1", 0},
        {"^.{1,64}$", "é", 1},
        {"(.+)", "", 0},
    };
    REGEX_EXPECT_CASES(cases);
}

static void test_engines(void **state)
{
    (void)state;
    static const char *const tables[] = {
        "^abc",
        "^abc$",
        "^[a-z]+$",
        "^x-",
        "^[A-Z]{2,4}$",
        "^[^/]+$",
        "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
        "",
        "a",
        "abc$",
        "^(a|b|c)$",
        ".*",
        "^.*$",
        "^.{1,64}$",
        "f.*o",
        "[]",
        "[^]",
        "(a+)+$",
        "(a|aa)*b",
        "^\\S+@\\S+$",
        "\\-",
        "(?<n>a)",
        "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d+)?Z$",
        "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)))?$",
        "^.{0,5000}$",
    };
    static const char *const others[] = {
        "(?=a)",
        "(?!a)",
        "(?<=a)",
        "(?<!a)",
        "\\b",
        "\\B",
        "(a)\\1",
        "\\p{L}",
        "[^\\p{L}]",
        "^.{0,100000}$",
        "[ab]*a[ab]{20}c",
    };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        regex_expect_engine(tables[i], JSV_REGEX_TABLE);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        regex_expect_engine(others[i], JSV_REGEX_MACHINE_CODE);
    }
}

static void test_check_is_strict(void **state)
{
    (void)state;
    static const char *const valid[] = {
        "",
        "([abc])+\\s+$",
        "(?<name>x)",
        "(?<n>a)\\k<n>",
        "(?<=a+)b",
        "[]",
        "[^]",
        "\\cA",
        "^[\\-\\]]$",
        "\\p{Script=Kawi}",
        "\\p{Bidi_M}",
        "\\p{CWKCF}",
        "(?:(a)|b)*\\1",
        "\\/",
        "a{99999999999999999999}",
        "\\u{1F600}",
        "(?<=\\1(a))",
        "[\\uD83D\\uDE00]",
    };
    static const char *const invalid[] = {
        "^(abc]",
        "\\a",
        "^\\S(|(.|\\n)*\\S)\\Z",
        "(?P<name>x)",
        "(?P<n>a)(?P=n)",
        "(?#comment)a",
        "(?i)abc",
        "(?ims)abc",
        "\\-",
        "a{",
        "}",
        "]",
        "[\\d-x]",
        "(?=a)*",
        "\\1",
        "\\08",
        "a++",
        "a{1}{2}",
        "(?>a)",
        "(?|a)",
        "\\A",
        "\\z",
        "[[:alpha:]]",
        "(?i:a)",
        "\\x",
        "\\u12",
        "\\c",
    };
    for (size_t i = 0; i < sizeof valid / sizeof valid[0]; i++) {
        assert_int_equal(jsv_regex_check(jsv_str_from(valid[i]), NULL, NULL), 0);
    }
    for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++) {
        struct jsv_regex_fault fault = {0};
        if (jsv_regex_check(jsv_str_from(invalid[i]), NULL, &fault) != -EINVAL) {
            fail_msg("%s is taken", invalid[i]);
        }
        assert_non_null(fault.message);
        assert_int_equal(jsv_regex_check(jsv_str_from(invalid[i]), NULL, NULL), -EINVAL);
    }
}

static void test_failure_leaves_results_alone(void **state)
{
    (void)state;
    struct jsv_regex *regex = (struct jsv_regex *)&regex;
    struct jsv_regex_fault fault = {7, "seven"};
    assert_int_equal(jsv_regex_compile(JSV_STR("("), NULL, &regex, NULL), -EINVAL);
    assert_ptr_equal(regex, &regex);
    assert_int_equal(jsv_regex_compile(JSV_STR("a"), NULL, &regex, &fault), 0);
    assert_int_equal(fault.offset, 7);
    jsv_regex_free(regex);
    jsv_regex_free(NULL);
    jsv_regex_scratch_free(NULL);
}

/* The data of an empty subject may be NULL. */
static void test_null_subject(void **state)
{
    (void)state;
    static const char *const patterns[] = {"^$", "^a?$", "^$|a", "(?=)^$"};
    struct jsv_regex_scratch *scratch = jsv_regex_scratch_new(NULL);
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        struct jsv_regex *regex;
        assert_int_equal(jsv_regex_compile(jsv_str_from(patterns[i]), NULL, &regex, NULL), 0);
        assert_int_equal(jsv_regex_search(regex, (struct jsv_str){NULL, 0}, scratch), 1);
        jsv_regex_free(regex);
    }
    jsv_regex_scratch_free(scratch);
}

/* Compile, search twice, free. */
static int use_once(const struct jsv_allocator *allocator, void *state)
{
    struct jsv_str pattern = jsv_str_from(state);
    struct jsv_regex *regex = NULL;
    struct jsv_regex_scratch *scratch = jsv_regex_scratch_new(allocator);
    int error = scratch ? jsv_regex_compile(pattern, allocator, &regex, NULL) : -ENOMEM;
    for (int i = 0; i < 2 && error >= 0; i++) {
        error = jsv_regex_search(regex, JSV_STR("abcé-abc"), scratch);
    }
    jsv_regex_free(regex);
    jsv_regex_scratch_free(scratch);
    return error < 0 ? error : 0;
}

static int check_once(const struct jsv_allocator *allocator, void *state)
{
    return jsv_regex_check(jsv_str_from(state), allocator, NULL);
}

static void test_torture(void **state)
{
    (void)state;
    static char patterns[][100] = {
        "^[a-z]+(é|-)*$",
        "^abc[^a-z]+abc$",
        "(?=a)[^\\P{L}a-c\\d]*\\W(?<né>\\w)\\k<né>|[^x].{2,70}\\S",
        "(?<=a|bc)(a)\\1|[\\s\\d-x][]",
        "^(?:abc|[^é]|x{3,9}){2,}$|^[a-z]{0,90}$|[ab]a[ab]{7}c|[\\u{100}\\u{200}\\u{300}\\u{400}]",
    };
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        assert_true(torture_run(use_once, patterns[i]) > 3);
        assert_true(torture_run(check_once, patterns[1]) > 0);
    }
}

#define THREADS 4

struct shared {
    struct jsv_regex *table;
    struct jsv_regex *match;
};

static void *search_often(void *argument)
{
    const struct shared *shared = argument;
    struct jsv_regex_scratch *scratch = jsv_regex_scratch_new(NULL);
    uintptr_t wrong = scratch ? 0 : 1;
    for (int i = 0; i < 1000 && scratch; i++) {
        wrong += jsv_regex_search(shared->table, JSV_STR("xxab"), scratch) != 1;
        wrong += jsv_regex_search(shared->match, JSV_STR("xxabab"), scratch) != 1;
        wrong += jsv_regex_search(shared->match, JSV_STR("xxabba"), scratch) != 0;
    }
    jsv_regex_scratch_free(scratch);
    return (void *)wrong;
}

static void test_threads_share(void **state)
{
    (void)state;
    struct shared shared;
    pthread_t threads[THREADS];
    assert_int_equal(jsv_regex_compile(JSV_STR("ab$"), NULL, &shared.table, NULL), 0);
    assert_int_equal(jsv_regex_compile(JSV_STR("(?=a)(..)\\1$"), NULL, &shared.match, NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, search_often, &shared), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    jsv_regex_free(shared.table);
    jsv_regex_free(shared.match);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search_is_anywhere),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_quantifiers),
        cmocka_unit_test(test_characters),
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_groups_and_references),
        cmocka_unit_test(test_look_around),
        cmocka_unit_test(test_boundaries),
        cmocka_unit_test(test_legacy),
        cmocka_unit_test(test_everyday),
        cmocka_unit_test(test_engines),
        cmocka_unit_test(test_check_is_strict),
        cmocka_unit_test(test_failure_leaves_results_alone),
        cmocka_unit_test(test_null_subject),
        cmocka_unit_test(test_torture),
        cmocka_unit_test(test_threads_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
