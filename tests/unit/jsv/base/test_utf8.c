#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/base/utf8.h"
#include "support/random.h"

static bool is_scalar(uint32_t code_point)
{
    return code_point < 0xD800 || (code_point > 0xDFFF && code_point <= 0x10FFFF);
}

static void test_every_scalar_value_makes_the_round_trip(void **state)
{
    (void)state;
    size_t seen = 0;
    for (uint32_t code_point = 0; code_point <= 0x10FFFF; code_point++) {
        if (!is_scalar(code_point)) {
            continue;
        }
        char bytes[JSV_UTF8_SIZE_MAX];
        size_t size = jsv_utf8_encode(code_point, bytes);
        size_t expected = code_point < 0x80      ? 1
                          : code_point < 0x800   ? 2
                          : code_point < 0x10000 ? 3
                                                 : 4;
        struct jsv_str text = {bytes, size};
        uint32_t decoded;
        assert_int_equal(size, expected);
        assert_int_equal(jsv_utf8_sequence(text), size);
        assert_int_equal(jsv_utf8_valid_prefix(text), size);
        assert_int_equal(jsv_utf8_count(text), 1);
        assert_int_equal(jsv_utf8_decode(text, &decoded), size);
        assert_int_equal(decoded, code_point);
        /* One byte less is an incomplete sequence. */
        assert_int_equal(jsv_utf8_sequence((struct jsv_str){bytes, size - 1}), 0);
        seen++;
    }
    assert_int_equal(seen, 1112064);
}

/* Decode by the definition alone: the value from bit patterns, then the forbidden ranges. */
static size_t sequence_by_definition(const unsigned char *bytes, size_t size)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t lowest;
    } forms[] = {{0x80, 0x00, 0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};
    for (size_t extra = 0; extra < 4 && extra < size; extra++) {
        if ((bytes[0] & forms[extra].mask) != forms[extra].lead) {
            continue;
        }
        uint32_t code_point = bytes[0] & (unsigned char)~forms[extra].mask;
        for (size_t i = 1; i <= extra; i++) {
            if (bytes[i] / 64 != 2) {
                return 0;
            }
            code_point = code_point * 64 + bytes[i] % 64;
        }
        return code_point >= forms[extra].lowest && is_scalar(code_point) ? extra + 1 : 0;
    }
    return 0;
}

static void test_every_three_bytes_as_defined(void **state)
{
    (void)state;
    for (uint32_t word = 0; word < 1u << 24; word++) {
        unsigned char bytes[] = {
            (unsigned char)(word >> 16), (unsigned char)(word >> 8), (unsigned char)word};
        struct jsv_str text = {(const char *)bytes, sizeof bytes};
        size_t expected = sequence_by_definition(bytes, sizeof bytes);
        if (jsv_utf8_sequence(text) != expected) {
            fail_msg("%06X", (unsigned)word);
        }
    }
}

static void test_four_bytes_as_defined(void **state)
{
    (void)state;
    /* Every lead and second byte, with the bytes at the edges behind them. */
    static const unsigned char edges[] = {
        0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF};
    const size_t count = sizeof edges;
    for (unsigned lead = 0xF0; lead <= 0xFF; lead++) {
        for (unsigned second = 0; second <= 0xFF; second++) {
            for (size_t i = 0; i < count * count; i++) {
                unsigned char bytes[] = {
                    (unsigned char)lead, (unsigned char)second, edges[i / count], edges[i % count]};
                struct jsv_str text = {(const char *)bytes, sizeof bytes};
                assert_int_equal(
                    jsv_utf8_sequence(text), sequence_by_definition(bytes, sizeof bytes));
            }
        }
    }
}

static void test_known_invalid(void **state)
{
    (void)state;
    static const char *const invalid[] = {
        "\x80",             /* continuation alone */
        "\xBF",             /* continuation alone */
        "\xC0\xAF",         /* overlong '/' */
        "\xC1\xBF",         /* overlong U+007F */
        "\xE0\x80\xAF",     /* overlong '/' */
        "\xE0\x9F\xBF",     /* overlong U+07FF */
        "\xF0\x8F\xBF\xBF", /* overlong U+FFFF */
        "\xED\xA0\x80",     /* first surrogate */
        "\xED\xBF\xBF",     /* last surrogate */
        "\xF4\x90\x80\x80", /* U+110000 */
        "\xF5\x80\x80\x80", /* beyond all planes */
        "\xF8\x88\x80\x80\x80",
        "\xFE",
        "\xFF",
        "\xC2", /* cut off */
        "\xC2 ",
        "\xE2\x82",
        "\xE2\x82 ",
        "\xE2 \xAC",
        "\xF0\x9F\x98",
        "\xF0\x9F\x98 ",
        "\xF0\x9F \x80",
        "\xF0 \x98\x80",
    };
    for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++) {
        assert_int_equal(jsv_utf8_sequence(jsv_str_from(invalid[i])), 0);
        assert_int_equal(jsv_utf8_valid_prefix(jsv_str_from(invalid[i])), 0);
    }
    assert_int_equal(jsv_utf8_sequence((struct jsv_str){NULL, 0}), 0);
}

static void test_valid_prefix_stops_at_the_fault(void **state)
{
    (void)state;
    assert_int_equal(jsv_utf8_valid_prefix((struct jsv_str){NULL, 0}), 0);
    /* A fault at every place of a text, which is too long for one word. */
    enum {
        SIZE = 67
    };
    for (size_t fault = 0; fault < SIZE; fault++) {
        char *text = malloc(SIZE); /* its end is watched by the sanitizers */
        assert_non_null(text);
        memset(text, 'a', SIZE);
        assert_int_equal(jsv_utf8_valid_prefix((struct jsv_str){text, SIZE}), SIZE);
        text[fault] = (char)0xFF;
        assert_int_equal(jsv_utf8_valid_prefix((struct jsv_str){text, SIZE}), fault);
        text[fault] = (char)0xE2; /* a sequence cut off by 'a' or by the end */
        assert_int_equal(jsv_utf8_valid_prefix((struct jsv_str){text, SIZE}), fault);
        free(text);
    }
}

static void test_mixed_text(void **state)
{
    (void)state;
    uint64_t seed = 42;
    for (int round = 0; round < 2000; round++) {
        char text[256];
        size_t size = 0;
        size_t count = 0;
        while (size + JSV_UTF8_SIZE_MAX <= sizeof text) {
            static const uint32_t bounds[] = {0x80, 0x80, 0x800, 0xD800, 0x110000};
            uint32_t code_point = (uint32_t)random_below(&seed, bounds[random_below(&seed, 5)]);
            if (is_scalar(code_point)) {
                size += jsv_utf8_encode(code_point, text + size);
                count++;
            }
        }
        struct jsv_str whole = {text, size};
        assert_int_equal(jsv_utf8_valid_prefix(whole), size);
        assert_int_equal(jsv_utf8_count(whole), count);
        size_t decoded = 0;
        for (size_t offset = 0; offset < size; decoded++) {
            uint32_t code_point;
            offset += jsv_utf8_decode((struct jsv_str){text + offset, size - offset}, &code_point);
        }
        assert_int_equal(decoded, count);
    }
}

static void test_repaired(void **state)
{
    (void)state;
    static const struct {
        struct jsv_str text;
        const char *repaired;
    } cases[] = {
        {JSV_STR(""), ""},
        {JSV_STR("a\xC3\xA9z"), "a\xC3\xA9z"},
        {JSV_STR("\xFF"), "\xEF\xBF\xBD"},
        {JSV_STR("a\xC3z\xE2\x82"), "a\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct jsv_buf out;
        jsv_buf_init(&out, NULL, 64);
        assert_int_equal(jsv_utf8_append_repaired(&out, cases[i].text), 0);
        assert_true(jsv_str_equal(jsv_buf_str(&out), jsv_str_from(cases[i].repaired)));
        jsv_buf_done(&out);
    }
}

static void test_repaired_beyond_the_ceiling(void **state)
{
    (void)state;
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, 5);
    assert_int_equal(jsv_utf8_append_repaired(&out, JSV_STR("abc\xFF")), -ENOBUFS);
    jsv_buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_scalar_value_makes_the_round_trip),
        cmocka_unit_test(test_every_three_bytes_as_defined),
        cmocka_unit_test(test_four_bytes_as_defined),
        cmocka_unit_test(test_known_invalid),
        cmocka_unit_test(test_valid_prefix_stops_at_the_fault),
        cmocka_unit_test(test_mixed_text),
        cmocka_unit_test(test_repaired),
        cmocka_unit_test(test_repaired_beyond_the_ceiling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
