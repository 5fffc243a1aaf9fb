/*
 * What has been checked before: the same text by the same check, and nothing else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/proven.h"
#include "os/sys.h"
#include "unit/os/fault.h"

static const int schemas[2];
static const struct core_proven_key key = {.schema = &schemas[0], .variant = 1, .id_type = 2};

static int setup(void **state)
{
    static struct core_proven proven;
    core_proven_init(&proven);
    *state = &proven;
    return 0;
}

static int teardown(void **state)
{
    core_proven_done(*state);
    return 0;
}

#define PROVEN_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static void the_same_text_by_the_same_check(void **state)
{
    struct core_proven *proven = *state;
    assert_false(core_proven_has(proven, &key, JSV_STR("{}")));
    core_proven_add(proven, &key, JSV_STR("{}"));
    assert_true(core_proven_has(proven, &key, JSV_STR("{}")));
    assert_false(core_proven_has(proven, &key, JSV_STR("{]")));
    assert_false(core_proven_has(proven, &key, JSV_STR("{} ")));
    assert_false(core_proven_has(proven, &key, JSV_STR("")));

    const struct core_proven_key others[] = {
        {.schema = &schemas[1], .variant = 1, .id_type = 2},
        {.schema = &schemas[0], .variant = 0, .id_type = 2},
        {.schema = &schemas[0], .variant = 1, .id_type = 3},
        {.schema = NULL, .variant = 1, .id_type = 2},
        {0},
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_false(core_proven_has(proven, &others[i], JSV_STR("{}")));
    }
}

static void the_oldest_makes_room(void **state)
{
    struct core_proven *proven = *state;
    char text[CORE_PROVEN_COUNT + 1][2];
    for (size_t i = 0; i <= CORE_PROVEN_COUNT; i++) {
        text[i][0] = (char)('0' + i);
        text[i][1] = '\0';
        core_proven_add(proven, &key, jsv_str_from(text[i]));
    }
    assert_false(core_proven_has(proven, &key, jsv_str_from(text[0])));
    for (size_t i = 1; i <= CORE_PROVEN_COUNT; i++) {
        assert_true(core_proven_has(proven, &key, jsv_str_from(text[i])));
    }
}

static void what_is_long_or_empty_or_of_no_schema_is_not_kept(void **state)
{
    static char text[CORE_PROVEN_SIZE_MAX + 1];
    static const struct core_proven_key none = {.schema = NULL};
    struct core_proven *proven = *state;
    memset(text, '1', sizeof(text));
    core_proven_add(proven, &key, (struct jsv_str){text, sizeof(text)});
    assert_false(core_proven_has(proven, &key, (struct jsv_str){text, sizeof(text)}));
    core_proven_add(proven, &key, (struct jsv_str){text, sizeof(text) - 1});
    assert_true(core_proven_has(proven, &key, (struct jsv_str){text, sizeof(text) - 1}));
    core_proven_add(proven, &key, JSV_STR(""));
    assert_false(core_proven_has(proven, &key, JSV_STR("")));
    core_proven_add(proven, &none, JSV_STR("1"));
    assert_false(core_proven_has(proven, &none, JSV_STR("1")));
}

static void all_is_forgotten(void **state)
{
    struct core_proven *proven = *state;
    core_proven_add(proven, &key, JSV_STR("1"));
    core_proven_add(proven, &key, JSV_STR("2"));
    core_proven_forget(proven);
    assert_false(core_proven_has(proven, &key, JSV_STR("1")));
    assert_false(core_proven_has(proven, &key, JSV_STR("2")));
    core_proven_add(proven, &key, JSV_STR("1"));
    assert_true(core_proven_has(proven, &key, JSV_STR("1")));
}

static void without_memory_nothing_is_proven(void **state)
{
    struct core_proven *proven = *state;
    fault_arm(FAULT_RESIZE, 1, ENOMEM);
    core_proven_add(proven, &key, JSV_STR("1"));
    assert_true(fault.hit);
    fault_disarm();
    assert_false(core_proven_has(proven, &key, JSV_STR("1")));
    core_proven_add(proven, &key, JSV_STR("1"));
    assert_true(core_proven_has(proven, &key, JSV_STR("1")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROVEN_TEST(the_same_text_by_the_same_check),
        PROVEN_TEST(the_oldest_makes_room),
        PROVEN_TEST(what_is_long_or_empty_or_of_no_schema_is_not_kept),
        PROVEN_TEST(all_is_forgotten),
        PROVEN_TEST(without_memory_nothing_is_proven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
