/*
 * Every keyword is found by its name, in the drafts that know it and in no
 * other.
 */
#include <stdio.h>
#include <string.h>

#include "jsv/schema/registry/keyword.h"
#include "support/json_fixture.h"

static const struct {
    const char *name;
    enum jsv_keyword keyword;
    enum jsv_draft first;
    enum jsv_draft last;
} known[] = {
#define KEYWORD(constant, name, first, last, vocabulary, operand)                                  \
    {name, JSV_KEYWORD_##constant, JSV_DRAFT_##first, JSV_DRAFT_##last},
#include "jsv/schema/registry/keywords.def"
#undef KEYWORD
};

static enum jsv_keyword find(
    struct json_fixture *fixture,
    const struct jsv_keyword_index *index,
    const char *name,
    enum jsv_draft draft)
{
    char text[128];
    snprintf(text, sizeof(text), "\"%s\"", name);
    struct jsv_value key = json_fixture_read(fixture, text);
    return jsv_keyword_find(index, key.document, key.node, draft);
}

static void known_names(void **state)
{
    struct jsv_keyword_index index;
    jsv_keyword_index_init(&index);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        for (unsigned draft = JSV_DRAFT_4; draft <= JSV_DRAFT_2020_12; draft++) {
            bool in_draft = draft >= known[i].first && draft <= known[i].last;
            enum jsv_keyword expected = in_draft ? known[i].keyword : JSV_KEYWORD_COUNT;
            enum jsv_keyword actual = find(*state, &index, known[i].name, (enum jsv_draft)draft);
            assert_int_equal(actual, expected);
        }
        const struct jsv_keyword_info *info = &index.infos[known[i].keyword];
        assert_true(jsv_str_equal(info->key.text, jsv_str_from(known[i].name)));
    }
}

static void unknown_names(void **state)
{
    static const char *const names[] = {
        "",
        "typ",
        "types",
        "Type",
        "title",
        "description",
        "$id",
        "$schema",
        "unevaluatedProperty",
        "unevaluatedPropertieS",
        "additionalPropertiesX",
        "minContains",
        "maxContains",
        "thenn",
    };
    struct jsv_keyword_index index;
    jsv_keyword_index_init(&index);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        assert_int_equal(find(*state, &index, names[i], JSV_DRAFT_2020_12), JSV_KEYWORD_COUNT);
    }
}

/* Escapes in a name make no difference. */
static void escaped_names(void **state)
{
    struct jsv_keyword_index index;
    jsv_keyword_index_init(&index);
    assert_int_equal(find(*state, &index, "t\\u0079pe", JSV_DRAFT_7), JSV_KEYWORD_TYPE);
    assert_int_equal(
        find(*state, &index, "addition\\u0061lProperties", JSV_DRAFT_7),
        JSV_KEYWORD_ADDITIONAL_PROPERTIES);
}

/* The order is that of evaluation: unevaluated* come last. */
static void order(void **state)
{
    (void)state;
    assert_int_equal(JSV_KEYWORD_UNEVALUATED_PROPERTIES, JSV_KEYWORD_COUNT - 1);
    assert_int_equal(JSV_KEYWORD_UNEVALUATED_ITEMS, JSV_KEYWORD_COUNT - 2);
    assert_true(JSV_KEYWORD_REF < JSV_KEYWORD_RECURSIVE_REF);
    assert_int_equal(JSV_KEYWORD_MIN_LENGTH, JSV_KEYWORD_MAX_LENGTH + 1);
    assert_int_equal(JSV_KEYWORD_MIN_ITEMS, JSV_KEYWORD_MAX_ITEMS + 1);
    assert_int_equal(JSV_KEYWORD_MIN_PROPERTIES, JSV_KEYWORD_MAX_PROPERTIES + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(known_names),
        JSON_TEST(unknown_names),
        JSON_TEST(escaped_names),
        cmocka_unit_test(order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
