#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/schema/format/idna.h"

static struct jsv_label label_of(const char *text)
{
    struct jsv_label label;
    memset(&label, 0xA5, sizeof(label));
    assert_int_equal(jsv_label_from_idn(jsv_str_from(text), false, &label), 1);
    return label;
}

static void expect_refused(const char *text)
{
    struct jsv_label label;
    int answer = jsv_label_from_idn(jsv_str_from(text), false, &label);
    if (answer != 0) {
        fail_msg("\"%s\": %d", text, answer);
    }
}

static void knows_the_prefix(void **state)
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

/* Both forms of a label are the same label. */
static void two_forms(void **state)
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

static void refuses(void **state)
{
    (void)state;
    /* A-labels: no Punycode, nothing beyond ASCII, not as it would be encoded, no U-label */
    expect_refused("xn--");
    expect_refused("xn--a");
    expect_refused("xn--abc-");
    expect_refused("xn---9uc");
    expect_refused("xn--7a");
    expect_refused("xn--\u00fc");
    expect_refused("xn--0ca24w");
    /* U+D800, which UTF-8 cannot hold */
    expect_refused("xn--ib9b");
    /* longer than a label may be */
    expect_refused("xn--aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-kva");
    /* U-labels */
    expect_refused("\u00fc-");
    expect_refused("\u0301a");
    expect_refused("a\u0301");
    expect_refused("A\u00fc");
    expect_refused("a.\u00fc");
    expect_refused("\u00b7");
    expect_refused("\u200d");
    expect_refused("\u0378"); /* unassigned */
    char text[3 * JSV_LABEL_MAX + 4];
    for (size_t i = 0; i <= JSV_LABEL_MAX; i++) {
        memcpy(text + 3 * i, "\u4e2d", 4);
    }
    expect_refused(text);
    text[(size_t)3 * JSV_LABEL_MAX] = '\0';
    expect_refused(text);
}

static void normalises_if_told(void **state)
{
    (void)state;
    struct jsv_label label;
    assert_int_equal(jsv_label_from_idn(JSV_STR("cafe\u0301"), true, &label), 1);
    assert_int_equal(jsv_label_from_idn(JSV_STR("\u212b"), true, &label), 0);
    assert_int_equal(jsv_label_from_idn(JSV_STR("\u0301"), true, &label), 0);
}

static void knows_directions(void **state)
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
    /* Labels libidn2 refuses itself, or should. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_the_prefix),
        cmocka_unit_test(two_forms),
        cmocka_unit_test(refuses),
        cmocka_unit_test(normalises_if_told),
        cmocka_unit_test(knows_directions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
