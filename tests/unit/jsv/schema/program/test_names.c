#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jsv/schema/program/names.h"
#include "support/json_fixture.h"
#include "support/random.h"

#define MANY 5000

struct set {
    struct jsv_key keys[MANY];
    char texts[MANY][40];
    uint32_t count;
};

static struct set *new_set(void)
{
    struct set *set = calloc(1, sizeof(*set));
    assert_non_null(set);
    return set;
}

static void add(struct set *set, const char *format, unsigned number)
{
    char *text = set->texts[set->count];
    /* formats are written below, each with one number */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    int size = snprintf(text, sizeof(set->texts[0]), format, number);
#pragma GCC diagnostic pop
    set->keys[set->count++] = jsv_key_from((struct jsv_str){text, (size_t)size});
}

/* The index of a text as a document's string. */
static uint32_t find(
    struct json_fixture *fixture,
    const struct jsv_names_table *table,
    const char *text,
    const char *open)
{
    struct jsv_buf *json = json_fixture_buf(fixture);
    jsv_buf_append_str(json, jsv_str_from(open));
    jsv_buf_append_str(json, jsv_str_from(text));
    jsv_buf_append_byte(json, '"');
    struct jsv_value value = json_fixture_read_str(fixture, jsv_buf_str(json), 0);
    return jsv_names_find(table, value.document, value.node);
}

static uint32_t index_of(const struct jsv_names_table *table, const struct jsv_key *key)
{
    const struct jsv_name_slot *slot = jsv_names_slot_of(table, key);
    return slot ? slot->at : JSV_NAME_NONE;
}

/* Every name is found at its index, nothing else is, and the slots hold each once. */
static void expect_all(struct json_fixture *fixture, const struct set *set)
{
    struct jsv_names_table table;
    assert_int_equal(
        jsv_names_build(&table, &fixture->scratch, &fixture->scratch, set->keys, set->count), 0);
    assert_int_equal(table.count, set->count);
    for (uint32_t i = 0; i < set->count; i++) {
        assert_true(jsv_names_has(&table, &set->keys[i]));
        assert_int_equal(index_of(&table, &set->keys[i]), i);
    }
    for (uint32_t i = 0; i < set->count; i += set->count / 50 + 1) {
        assert_int_equal(find(fixture, &table, set->texts[i], "\""), i);
        char other[64];
        snprintf(other, sizeof(other), "%s!", set->texts[i]);
        assert_int_equal(find(fixture, &table, other, "\""), JSV_NAME_NONE);
        assert_int_equal(find(fixture, &table, set->texts[i], "\"!"), JSV_NAME_NONE);
        snprintf(other, sizeof(other), "%s", set->texts[i]);
        for (char *c = other; *c; c++) {
            *c = 'Z'; /* as long, and every byte another */
        }
        assert_int_equal(find(fixture, &table, other, "\""), JSV_NAME_NONE);
    }
    uint32_t seen = 0;
    for (struct jsv_name_slot *slot = NULL; (slot = jsv_names_next(&table, slot)); seen++) {
        assert_true(slot->at < set->count);
    }
    assert_int_equal(seen, set->count);
    jsv_arena_reset(&fixture->scratch);
}

static void names_of_all_kinds(void **state)
{
    static const char *const formats[] = {
        "%u",                     /* in the node */
        "name%u",                 /* about as long as what is in the node */
        "%unamed at its end",     /* told apart by the first bytes */
        "property_%u",            /* by the size, else all alike */
        "property_%04u",          /* alike up to the last bytes */
        "property_%04u_and_more", /* alike at both ends */
    };
    static const unsigned counts[] = {1, 2, 3, 8, 9, 16, 17, 64, 65, 300, 1024, 1025, MANY};
    for (size_t f = 0; f < sizeof(formats) / sizeof(formats[0]); f++) {
        for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
            struct set *set = new_set();
            for (unsigned i = 0; i < counts[c]; i++) {
                add(set, formats[f], i);
            }
            expect_all(*state, set);
            free(set);
        }
    }
}

static void odd_names(void **state)
{
    struct json_fixture *fixture = *state;
    static const char zeros[20];
    struct jsv_key keys[22];
    uint32_t count = 0;
    for (size_t size = 0; size <= 20; size++) {
        keys[count++] = jsv_key_from((struct jsv_str){zeros, size});
    }
    struct jsv_names_table table;
    assert_int_equal(jsv_names_build(&table, &fixture->scratch, &fixture->scratch, keys, count), 0);
    assert_int_equal(find(fixture, &table, "", "\""), 0);
    assert_int_equal(find(fixture, &table, "\\u0000", "\""), 1);
    assert_int_equal(
        find(
            fixture,
            &table,
            "\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000",
            "\""),
        9);
    assert_int_equal(find(fixture, &table, "0", "\""), JSV_NAME_NONE);
}

static void no_names(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_names_table table;
    assert_int_equal(jsv_names_build(&table, &fixture->scratch, &fixture->scratch, NULL, 0), 0);
    assert_int_equal(find(fixture, &table, "", "\""), JSV_NAME_NONE);
    assert_int_equal(find(fixture, &table, "a", "\""), JSV_NAME_NONE);
    assert_null(jsv_names_next(&table, NULL));
}

/* Of equal names the first counts, in chains of any length. */
static void repeated_names(void **state)
{
    struct json_fixture *fixture = *state;
    static const char *const formats[] = {"%u", "property_%04u_and_more"};
    for (size_t f = 0; f < 2; f++) {
        for (unsigned different = 1; different <= 40; different += 13) {
            struct set *set = new_set();
            for (unsigned i = 0; i < 4 * different; i++) {
                add(set, formats[f], i % different);
            }
            struct jsv_names_table table;
            assert_int_equal(
                jsv_names_build(
                    &table, &fixture->scratch, &fixture->scratch, set->keys, set->count),
                0);
            assert_int_equal(table.count, different);
            for (uint32_t i = 0; i < set->count; i++) {
                assert_int_equal(index_of(&table, &set->keys[i]), i % different);
            }
            free(set);
        }
    }
}

/* Strings too long for a node are in no table. */
static void strings_too_long(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_key keys[] = {jsv_key_from(JSV_STR("")), jsv_key_from(JSV_STR("a"))};
    struct jsv_names_table table;
    assert_int_equal(jsv_names_build(&table, &fixture->scratch, &fixture->scratch, keys, 2), 0);
    struct jsv_buf *json = json_fixture_buf(fixture);
    jsv_buf_append_byte(json, '"');
    for (int i = 0; i < 70000; i++) {
        jsv_buf_append_byte(json, 'a');
    }
    jsv_buf_append_byte(json, '"');
    struct jsv_value value = json_fixture_read_str(fixture, jsv_buf_str(json), 0);
    assert_int_equal(jsv_names_find(&table, value.document, value.node), JSV_NAME_NONE);
}

/* What a table takes: room for no collisions when it is small, twice the names when it is large. */
static void memory(void **state)
{
    struct json_fixture *fixture = *state;
    struct set *set = new_set();
    for (unsigned i = 0; i < MANY; i++) {
        add(set, "%u", i * 7919);
    }
    static const struct {
        uint32_t names;
        size_t slots;
    } cases[] = {{1, 16}, {60, 1024}, {1000, 2048}, {MANY, 3 * MANY}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct jsv_names_table table;
        assert_int_equal(
            jsv_names_build(
                &table, &fixture->scratch, &fixture->scratch, set->keys, cases[i].names),
            0);
        assert_true(table.slot_count <= cases[i].slots);
    }
    free(set);
}

static int build(struct json_fixture *fixture, struct jsv_arena *scratch, void *data)
{
    (void)fixture;
    struct set *set = data;
    struct jsv_names_table table;
    return jsv_names_build(&table, scratch, scratch, set->keys, set->count);
}

static void too_little_memory(void **state)
{
    struct set *set = new_set();
    for (unsigned i = 0; i < 30; i++) {
        add(set, "property_%04u", i);
    }
    assert_int_equal(json_fixture_starve(*state, build, set), 0);
    free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(names_of_all_kinds),
        JSON_TEST(odd_names),
        JSON_TEST(no_names),
        JSON_TEST(repeated_names),
        JSON_TEST(strings_too_long),
        JSON_TEST(memory),
        JSON_TEST(too_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
