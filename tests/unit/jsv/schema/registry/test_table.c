#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "jsv/schema/registry/table.h"
#include "support/json_fixture.h"
#include "support/random.h"

struct entry {
    struct jsv_table_key key;
    int value;
};

static void nothing_in_it(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_table table = jsv_table_on(&fixture->scratch);
    assert_null(jsv_table_find(&table, NULL, JSV_STR("a")));
    assert_null(jsv_table_find(&table, NULL, (struct jsv_str){0}));
}

static void keys_of_two_parts(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_table table = jsv_table_on(&fixture->scratch);
    int owners[2];
    struct entry entries[] = {
        {{NULL, JSV_STR("a")}, 0},
        {{&owners[0], JSV_STR("a")}, 1},
        {{&owners[1], JSV_STR("a")}, 2},
        {{&owners[1], JSV_STR("b")}, 3},
        {{&owners[1], {0}}, 4},
        {{NULL, {0}}, 5},
    };
    for (size_t i = 0; i < 6; i++) {
        assert_null(jsv_table_find(&table, entries[i].key.owner, entries[i].key.text));
        assert_int_equal(jsv_table_add(&table, &entries[i].key), 0);
    }
    for (size_t i = 0; i < 6; i++) {
        struct entry *found = jsv_table_find(&table, entries[i].key.owner, entries[i].key.text);
        assert_ptr_equal(found, &entries[i]);
        struct entry again = entries[i];
        assert_int_equal(jsv_table_add(&table, &again.key), -EEXIST);
    }
    assert_null(jsv_table_find(&table, &owners[0], JSV_STR("b")));
    /* no text and an empty one are the same */
    assert_ptr_equal(jsv_table_find(&table, NULL, JSV_STR("")), &entries[5]);
}

#define MANY 3000

/* Entries come and go; those that should be there are, and no others. */
static void adding_and_removing(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_table table = jsv_table_on(&fixture->scratch);
    static struct entry entries[MANY];
    static char names[MANY][8];
    for (int i = 0; i < MANY; i++) {
        int size = snprintf(names[i], sizeof(names[i]), "%d", i);
        entries[i] = (struct entry){{NULL, {names[i], (size_t)size}}, 0};
    }
    uint64_t random = 1;
    for (int round = 0; round < 20000; round++) {
        struct entry *entry = &entries[random_below(&random, MANY)];
        if (entry->value) {
            jsv_table_remove(&table, &entry->key);
        } else {
            assert_int_equal(jsv_table_add(&table, &entry->key), 0);
        }
        entry->value = !entry->value;
    }
    size_t count = 0;
    for (int i = 0; i < MANY; i++) {
        struct entry *found = jsv_table_find(&table, NULL, entries[i].key.text);
        assert_ptr_equal(found, entries[i].value ? &entries[i] : NULL);
        count += found != NULL;
    }
    assert_int_equal(table.count, count);
}

static int add_some(struct json_fixture *fixture, struct jsv_arena *scratch, void *data)
{
    (void)fixture;
    struct jsv_table table = jsv_table_on(scratch);
    struct entry *entries = data;
    for (int i = 0; i < 100; i++) {
        int r = jsv_table_add(&table, &entries[i].key);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

static void too_little_memory(void **state)
{
    static struct entry entries[100];
    for (int i = 0; i < 100; i++) {
        entries[i].key.owner = &entries[i];
    }
    assert_int_equal(json_fixture_starve(*state, add_some, entries), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(nothing_in_it),
        JSON_TEST(keys_of_two_parts),
        JSON_TEST(adding_and_removing),
        JSON_TEST(too_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
