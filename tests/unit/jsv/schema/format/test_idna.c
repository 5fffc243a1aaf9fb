/*
 * Labels of internationalised host names, and Punycode.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/base/utf8.h"
#include "jsv/schema/format/idna.h"
#include "support/count_of.h"
#include "support/random.h"

static struct jsv_label label_of(const char *text)
{
    struct jsv_label label;
    memset(&label, 0xA5, sizeof(label));
    assert_int_equal(jsv_label_from_idn(jsv_str_from(text), false, &label), 1);
    return label;
}

static void expect_invalid(const char *text)
{
    struct jsv_label label;
    int answer = jsv_label_from_idn(jsv_str_from(text), false, &label);
    if (answer != 0) {
        fail_msg("\"%s\": %d", text, answer);
    }
}

static void prefix_of_a_labels(void **state)
{
    (void)state;
    assert_true(jsv_label_has_prefix(JSV_STR("xn--")));
    assert_true(jsv_label_has_prefix(JSV_STR("XN--a")));
    assert_true(jsv_label_has_prefix(JSV_STR("xN--a")));
    assert_false(jsv_label_has_prefix(JSV_STR("xn-")));
    assert_false(jsv_label_has_prefix(JSV_STR("xn-a")));
    assert_false(jsv_label_has_prefix(JSV_STR("xna-")));
    assert_false(jsv_label_has_prefix(JSV_STR("an--")));
    assert_false(jsv_label_has_prefix(JSV_STR("xa--")));
    assert_false(jsv_label_has_prefix((struct jsv_str){0}));
}

/* Both forms of a label have the same code points. */
static void both_forms_of_a_label(void **state)
{
    (void)state;
    static const struct {
        const char *u_label;
        const char *a_label;
    } pairs[] = {
        {"b\u00fccher", "xn--bcher-kva"},
        {"b\u00fccher", "XN--BCHER-KVA"},
        {"\u4e2d\u6587", "xn--fiq228c"},
        {"fa\u00df", "xn--fa-hia"},
        {"\u0628\u064a\u200c\u0628\u064a", "xn--ngba5hb2804a"},
        {"\U00010330", "xn--ec8c"},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
        struct jsv_label u_label = label_of(pairs[i].u_label);
        struct jsv_label a_label = label_of(pairs[i].a_label);
        assert_int_equal(u_label.count, a_label.count);
        assert_memory_equal(u_label.points, a_label.points, u_label.count * sizeof(uint32_t));
        assert_int_equal(u_label.ascii_size, strlen(pairs[i].a_label));
        assert_int_equal(a_label.ascii_size, strlen(pairs[i].a_label));
    }
}

static void invalid_labels(void **state)
{
    (void)state;
    /* A-labels: not Punycode, only ASCII, not the canonical encoding, not a U-label */
    expect_invalid("xn--");
    expect_invalid("xn--a");
    expect_invalid("xn--abc-");
    expect_invalid("xn---9uc");
    expect_invalid("xn--7a");
    expect_invalid("xn--\u00fc");
    expect_invalid("xn--0ca24w");
    /* U+D800, which is not valid in UTF-8 */
    expect_invalid("xn--ib9b");
    /* too long */
    expect_invalid("xn--aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-kva");
    /* U-labels */
    expect_invalid("\u00fc-");
    expect_invalid("\u0301a");
    expect_invalid("a\u0301");
    expect_invalid("A\u00fc");
    expect_invalid("a.\u00fc");
    expect_invalid("\u00b7");
    expect_invalid("\u200d");
    expect_invalid("\u0378"); /* unassigned */
    char text[3 * JSV_LABEL_MAX + 4];
    for (size_t i = 0; i <= JSV_LABEL_MAX; i++) {
        memcpy(text + 3 * i, "\u4e2d", 4);
    }
    expect_invalid(text);
    text[(size_t)3 * JSV_LABEL_MAX] = '\0';
    expect_invalid(text);
}

static void normalises_on_request(void **state)
{
    (void)state;
    struct jsv_label label;
    assert_int_equal(jsv_label_from_idn(JSV_STR("cafe\u0301"), true, &label), 1);
    assert_int_equal(jsv_label_from_idn(JSV_STR("\u212b"), true, &label), 0);
    assert_int_equal(jsv_label_from_idn(JSV_STR("\u0301"), true, &label), 0);
}

static void bidi_rule(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool bidi;
        bool meets;
    } labels[] = {
        {"\u00fc", false, true},
        {"a\u02c6", false, false},
        {"\u02c6a", false, false},
        {"\u06f00", false, false},
        {"\u00fc\u0331", false, true},
        {"\u00fc1\u0331", false, true},
        {"\u05d0", true, true},
        {"\u05d01", true, true},
        {"\u05d01\u05b0", true, true},
        {"\u05d0-\u05d1", true, true},
        {"\u0627\u0661", true, true},
    };
    for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
        struct jsv_label label = label_of(labels[i].text);
        assert_int_equal(jsv_label_is_bidi(&label), labels[i].bidi);
        assert_int_equal(jsv_label_meets_bidi_rule(&label), labels[i].meets);
    }
    /* Labels that libidn2 rejects, or should reject. */
    static const struct jsv_label wrong[] = {
        {.points = {0x5D0, '0', 0x660}, .count = 3},
        {.points = {0x5D0, 'a', 0x5D0}, .count = 3},
        {.points = {0x5D0, '-'}, .count = 2},
        {.points = {'a', 0x5D0}, .count = 2},
        {.points = {0x660}, .count = 1},
        {.points = {0x300}, .count = 1},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        assert_false(jsv_label_meets_bidi_rule(&wrong[i]));
    }
}

static size_t points_of(const char *text, uint32_t *points)
{
    size_t count = 0;
    struct jsv_str rest = jsv_str_from(text);
    while (rest.size > 0) {
        size_t size = jsv_utf8_decode(rest, &points[count++]);
        rest = (struct jsv_str){rest.data + size, rest.size - size};
    }
    return count;
}

/* RFC 3492, section 7.1, and boundary cases. */
static void punycode_examples(void **state)
{
    (void)state;
    static const struct {
        const char *unicode;
        const char *punycode;
    } pairs[] = {
        {"\u0644\u064A\u0647\u0645\u0627\u0628\u062A\u0643\u0644\u0645\u0648\u0634\u0639\u0631"
         "\u0628\u064A\u061F",
         "egbpdaj6bu4bxfgehfvwxn"},
        {"\u4ED6\u4EEC\u4E3A\u4EC0\u4E48\u4E0D\u8BF4\u4E2D\u6587", "ihqwcrb4cv8a8dqg056pqjye"},
        {"\u4ED6\u5011\u7232\u4EC0\u9EBD\u4E0D\u8AAA\u4E2D\u6587", "ihqwctvzc91f659drss3x8bo0yb"},
        {"Pro\u010Dprost\u011Bnemluv\u00ED\u010Desky", "Proprostnemluvesky-uyb24dma41a"},
        {"\u05DC\u05DE\u05D4\u05D4\u05DD\u05E4\u05E9\u05D5\u05D8\u05DC\u05D0\u05DE\u05D3\u05D1"
         "\u05E8"
         "\u05D9\u05DD\u05E2\u05D1\u05E8\u05D9\u05EA",
         "4dbcagdahymbxekheh6e0a7fei0b"},
        {"\u092F\u0939\u0932\u094B\u0917\u0939\u093F\u0928\u094D\u0926\u0940\u0915\u094D\u092F"
         "\u094B"
         "\u0902\u0928\u0939\u0940\u0902\u092C\u094B\u0932\u0938\u0915\u0924\u0947\u0939\u0948"
         "\u0902",
         "i1baa7eci9glrd9b2ae1bj0hfcgg6iyaf8o0a1dig0cd"},
        {"\u306A\u305C\u307F\u3093\u306A\u65E5\u672C\u8A9E\u3092\u8A71\u3057\u3066\u304F\u308C"
         "\u306A"
         "\u3044\u306E\u304B",
         "n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa"},
        {"Porqu\u00E9nopuedensimplementehablarenEspa\u00F1ol",
         "PorqunopuedensimplementehablarenEspaol-fmd56a"},
        {"T\u1EA1isaoh\u1ECDkh\u00F4ngth\u1EC3ch\u1EC9n\u00F3iti\u1EBFngVi\u1EC7t",
         "TisaohkhngthchnitingVit-kjcr8268qyxafd2f1b9g"},
        {"3\u5E74B\u7D44\u91D1\u516B\u5148\u751F", "3B-ww4c5e180e575a65lsy2b"},
        {"\u5B89\u5BA4\u5948\u7F8E\u6075-with-SUPER-MONKEYS",
         "-with-SUPER-MONKEYS-pc58ag80a8qai00g7n9n"},
        {"Hello-Another-Way-\u305D\u308C\u305E\u308C\u306E\u5834\u6240",
         "Hello-Another-Way--fc4qua05auwb3674vfr0b"},
        {"\u3072\u3068\u3064\u5C4B\u6839\u306E\u4E0B2", "2-u9tlzr9756bt3uc0v"},
        {"Maji\u3067Koi\u3059\u308B5\u79D2\u524D", "MajiKoi5-783gue6qz075azm5e"},
        {"\u30D1\u30D5\u30A3\u30FCde\u30EB\u30F3\u30D0", "de-jg4avhby1noc0d"},
        {"\u305D\u306E\u30B9\u30D4\u30FC\u30C9\u3067", "d9juau41awczczp"},
        {"b\u00FCcher", "bcher-kva"},
        {"\xC2\x80", "a"},
        {"\U0010FFFF", "dn32g"},
        {"abc", "abc-"},
    };
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        uint32_t expected[JSV_LABEL_MAX];
        size_t expected_count = points_of(pairs[i].unicode, expected);
        uint32_t points[JSV_LABEL_MAX];
        size_t count = 0;
        assert_true(jsv_punycode_decode(jsv_str_from(pairs[i].punycode), points, &count));
        assert_int_equal(count, expected_count);
        assert_memory_equal(points, expected, count * sizeof(*points));

        char text[JSV_LABEL_MAX];
        size_t size = 0;
        assert_true(jsv_punycode_encode(expected, expected_count, text, &size));
        assert_true(jsv_str_equal((struct jsv_str){text, size}, jsv_str_from(pairs[i].punycode)));
    }
}

static void malformed_punycode(void **state)
{
    (void)state;
    static const char *const malformed[] = {
        "",
        "9",                /* incomplete */
        "bcher-kv",         /* incomplete number */
        "a-!",              /* not a digit */
        "a-\u00fc",         /* not a digit */
        "\u00fc-a",         /* not ASCII before the hyphen */
        "99999999",         /* beyond the last code point, or 32 bits */
        "a-999999a",        /* weight too large */
        "dn32h",            /* one beyond the last */
        "9999999999999999", /* without end */
    };
    for (size_t i = 0; i < COUNT_OF(malformed); i++) {
        uint32_t points[JSV_LABEL_MAX];
        size_t count = 99;
        if (jsv_punycode_decode(jsv_str_from(malformed[i]), points, &count)) {
            fail_msg("\"%s\" was decoded", malformed[i]);
        }
        assert_int_equal(count, 99);
    }
}

static void punycode_limits(void **state)
{
    (void)state;
    char text[JSV_LABEL_MAX + 2];
    uint32_t points[JSV_LABEL_MAX + 2];
    size_t count;
    size_t size;
    memset(text, 'a', sizeof(text));
    for (size_t i = 0; i < COUNT_OF(points); i++) {
        points[i] = 'a';
    }

    /* ASCII before the hyphen */
    text[JSV_LABEL_MAX] = '-';
    assert_true(jsv_punycode_decode((struct jsv_str){text, JSV_LABEL_MAX + 1}, points, &count));
    assert_int_equal(count, JSV_LABEL_MAX);
    assert_false(jsv_punycode_decode((struct jsv_str){text, JSV_LABEL_MAX + 2}, points, &count));
    text[JSV_LABEL_MAX] = 'a';
    text[JSV_LABEL_MAX + 1] = '-';
    assert_false(jsv_punycode_decode((struct jsv_str){text, JSV_LABEL_MAX + 2}, points, &count));

    assert_true(jsv_punycode_encode(points, JSV_LABEL_MAX - 1, text, &size));
    assert_int_equal(size, JSV_LABEL_MAX);
    assert_false(jsv_punycode_encode(points, JSV_LABEL_MAX, text, &size));
    assert_false(jsv_punycode_encode(points, JSV_LABEL_MAX + 1, text, &size));

    /* as many equal characters as fit */
    for (size_t i = 0; i < COUNT_OF(points); i++) {
        points[i] = 0xFC;
    }
    size_t fits = JSV_LABEL_MAX;
    while (!jsv_punycode_encode(points, fits, text, &size)) {
        fits--;
    }
    assert_int_equal(size, JSV_LABEL_MAX);
    uint32_t again[JSV_LABEL_MAX];
    assert_true(jsv_punycode_decode((struct jsv_str){text, size}, again, &count));
    assert_int_equal(count, fits);
    assert_memory_equal(again, points, count * sizeof(*again));
}

static void encoding_and_decoding(void **state)
{
    (void)state;
    static const uint32_t ranges[] = {0x80, 0x100, 0x3000, 0x10000, 0x110000};
    uint64_t random = 1;
    size_t encoded = 0;
    for (int i = 0; i < 300000; i++) {
        uint32_t points[20];
        size_t count = 1 + random_below(&random, COUNT_OF(points));
        uint32_t range = ranges[random_below(&random, COUNT_OF(ranges))];
        for (size_t k = 0; k < count; k++) {
            points[k] = (uint32_t)random_below(&random, range);
        }
        char text[JSV_LABEL_MAX];
        size_t size;
        if (!jsv_punycode_encode(points, count, text, &size)) {
            continue;
        }
        uint32_t again[JSV_LABEL_MAX];
        size_t again_count;
        assert_true(jsv_punycode_decode((struct jsv_str){text, size}, again, &again_count));
        assert_int_equal(again_count, count);
        assert_memory_equal(again, points, count * sizeof(*points));
        encoded++;
    }
    assert_true(encoded > 20000);
}

/* Random text that decodes is the only encoding of its code points. */
static void random_punycode(void **state)
{
    (void)state;
    static const char alphabet[] = "abyz089-";
    uint64_t random = 1;
    size_t decoded = 0;
    for (int i = 0; i < 300000; i++) {
        char text[12];
        size_t size = random_below(&random, sizeof(text) + 1);
        for (size_t k = 0; k < size; k++) {
            text[k] = alphabet[random_below(&random, sizeof(alphabet) - 1)];
        }
        uint32_t points[JSV_LABEL_MAX];
        size_t count;
        if (jsv_punycode_decode((struct jsv_str){text, size}, points, &count)) {
            decoded++;
            for (size_t k = 0; k < count; k++) {
                assert_true(points[k] <= 0x10FFFF);
            }
            char again[JSV_LABEL_MAX];
            size_t again_size;
            assert_true(jsv_punycode_encode(points, count, again, &again_size));
            assert_int_equal(again_size, size);
            assert_memory_equal(again, text, size);
        }
    }
    assert_true(decoded > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefix_of_a_labels),
        cmocka_unit_test(both_forms_of_a_label),
        cmocka_unit_test(invalid_labels),
        cmocka_unit_test(normalises_on_request),
        cmocka_unit_test(bidi_rule),
        cmocka_unit_test(punycode_examples),
        cmocka_unit_test(malformed_punycode),
        cmocka_unit_test(punycode_limits),
        cmocka_unit_test(encoding_and_decoding),
        cmocka_unit_test(random_punycode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
