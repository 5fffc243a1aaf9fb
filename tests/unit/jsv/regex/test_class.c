#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "support/regex_ask.h"

/* Which of these characters a class matches. */
static void expect_members(const char *pattern, const char *members)
{
    static const char *const all[] = {"a", "b",  "c", "d", "x",  "0",  "5", "-", "]", "[",
                                      "^", "\\", "_", " ", "\n", "\b", "é", "Ω", "😀", "😁"};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        int expected = strstr(members, all[i]) != NULL;
        if (regex_ask(pattern, all[i]) != expected) {
            fail_msg("%s on \"%s\"", pattern, all[i]);
        }
    }
}

static void test_members(void **state)
{
    (void)state;
    expect_members("[]", "");
    expect_members("[^]", "abcdx05-][^\\_ \n\béΩ😀😁");
    expect_members("[abc]", "abc");
    expect_members("[a-c]", "abc");
    expect_members("[^a-c]", "dx05-][^\\_ \n\béΩ😀😁");
    expect_members("[a-cb-d]", "abcd");
    expect_members("[c-dab]", "abcd");
    expect_members("[-a]", "-a");
    expect_members("[a-]", "-a");
    expect_members("[a-c-x]", "abc-x");
    expect_members("[--0]", "-0");
    expect_members("[a^]", "a^");
    expect_members("[\\^a]", "a^");
    expect_members("[\\]]", "]");
    expect_members("[\\-a]", "-a");
    expect_members("[a\\-c]", "ac-");
    expect_members("[[]", "[");
    expect_members("[\\\\]", "\\");
    expect_members("[\\b]", "\b");
    expect_members("[.$]", "");
    expect_members("[\\d]", "05");
    expect_members("[\\D]", "abcdx-][^\\_ \n\béΩ😀😁");
    expect_members("[\\w]", "abcdx05_");
    expect_members("[^\\w]", "-][^\\ \n\béΩ😀😁");
    expect_members("[\\s\\d]", "05 \n");
    expect_members("[^\\S]", " \n");
    expect_members("[\\w\\W]", "abcdx05-][^\\_ \n\béΩ😀😁");
    expect_members("[^\\w\\W]", "");
    expect_members("[\\d-]", "05-");
    expect_members("[à-ü]", "é");
    expect_members("[^à-ü]", "abcdx05-][^\\_ \n\bΩ😀😁");
    expect_members("[é-Ω]", "éΩ");
    expect_members("[😀]", "😀");
    expect_members("[^😀]", "abcdx05-][^\\_ \n\béΩ😁");
    expect_members("[😀-😁]", "😀😁");
    expect_members("[\\uD83D\\uDE00-\\uD83D\\uDE01]", "😀😁");
    expect_members("[\\uD83D]", "");
    expect_members("[^\\uD800-\\uDFFF]", "abcdx05-][^\\_ \n\béΩ😀😁");
    expect_members("[\\u0000-\\u{10ffff}]", "abcdx05-][^\\_ \n\béΩ😀😁");
    expect_members("[\\x61\\u0062\\u{63}\\cJ]", "abc\n");
    expect_members("[\\p{Lu}]", "Ω");
    expect_members("[\\p{Lu}a-c\\d]", "Ωabc05");
    expect_members("[^\\p{Lu}a-c\\d]", "dx-][^\\_ \n\bé😀😁");
    expect_members("[\\P{L}]", "05-][^\\_ \n\b😀😁");
    expect_members("[^\\P{L}]", "abcdxéΩ");
}

static void test_faults(void **state)
{
    (void)state;
    static const struct regex_fault_case cases[] = {
        {"a[b", 1, "the class is not closed"},
        {"[", 0, "the class is not closed"},
        {"[^", 0, "the class is not closed"},
        {"[a-", 0, "the class is not closed"},
        {"[\\]", 0, "the class is not closed"},
        {"[xb-a]", 2, "the range is out of order"},
        {"[a--]", 1, "the range is out of order"},
        {"[\\u{1F601}-😀]", 1, "the range is out of order"},
    };
    REGEX_EXPECT_FAULTS(cases);
    const char *message = "a range cannot begin or end with a set";
    regex_expect_fault(true, "[a\\d-x]", -EINVAL, 2, message);
    regex_expect_fault(true, "[a-\\d]", -EINVAL, 1, message);
    regex_expect_fault(true, "[\\s-\\d]", -EINVAL, 1, message);
    regex_expect_fault(true, "[\\p{L}-x]", -EINVAL, 1, message);
}

static void test_legacy_ranges(void **state)
{
    (void)state;
    expect_members("[\\d-x]", "05-x");
    expect_members("[a-\\d]", "a-05");
    expect_members("[\\s-\\d]", " \n-05");
    expect_members("[\\p{Lu}-x]", "Ω-x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_legacy_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
