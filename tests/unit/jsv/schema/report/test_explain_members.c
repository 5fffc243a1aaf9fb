/*
 * Objects with so many members, under schemas with so many names, that there
 * is an index.
 */
#include <stdio.h>

#include "support/count_of.h"
#include "support/schema_fixture.h"

/* More members than one word of marks holds, more pairs than are compared one by one. */
static void large_objects(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf schema;
    struct jsv_buf instance;
    jsv_buf_init(&schema, NULL, SIZE_MAX);
    jsv_buf_init(&instance, NULL, SIZE_MAX);
    jsv_buf_append_str(&schema, JSV_STR("{\"properties\":{"));
    jsv_buf_append_byte(&instance, '{');
    for (int i = 0; i < 200; i++) {
        char text[64];
        int size =
            snprintf(text, sizeof(text), "%s\"p%d\":{\"type\":\"integer\"}", i ? "," : "", i);
        jsv_buf_append(&schema, text, (size_t)size);
        size = snprintf(
            text, sizeof(text), "%s\"p%d\":%s", i ? "," : "", 199 - i, i == 77 ? "\"\"" : "1");
        jsv_buf_append(&instance, text, (size_t)size);
    }
    jsv_buf_append_str(&schema, JSV_STR("},\"required\":[\"p0\",\"p199\",\"x\"],"));
    jsv_buf_append_str(&schema, JSV_STR("\"dependentRequired\":{\"p1\":[\"y\"],\"z\":[\"w\"]},"));
    size_t cut = schema.size;
    jsv_buf_append_str(&schema, JSV_STR("\"additionalProperties\":false}"));
    jsv_buf_append_str(&instance, JSV_STR(",\"extra\":1}"));
    struct jsv_value value = schema_fixture_read_str(fixture, jsv_buf_str(&instance));

    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    assert_int_equal(schema_fixture_verdict(fixture, value), 0);
    static const char *const paths[] = {"", "", "/extra", "/p122"};
    assert_int_equal(fixture->problems.count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_true(jsv_str_equal(fixture->problems.items[i].path, jsv_str_from(paths[i])));
    }
    schema.size = cut;
    jsv_buf_append_str(&schema, JSV_STR("\"unevaluatedProperties\":false}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    assert_int_equal(schema_fixture_verdict(fixture, value), 0);
    assert_int_equal(fixture->problems.count, 4);
    jsv_buf_done(&schema);
    jsv_buf_done(&instance);
}

/* Members come in any order, and each is found. */
static void any_order(void **state)
{
    struct schema_fixture *fixture = *state;
    static const char *const documents[] = {
        "{'a':'','b':'','c':'','x':''}",
        "{'c':'','b':'','a':'','x':''}",
        "{'b':'','x':'','c':'','a':''}",
        "{'x':'','c':'','a':'','b':''}",
    };
    schema_fixture_use(
        fixture,
        "{'required':['c','a','d','b'],'properties':{'a':{'type':'integer'},"
        "'b':{'type':'integer'},'c':{'type':'integer'},'d':{'type':'integer'}},"
        "'additionalProperties':false}");
    for (size_t i = 0; i < COUNT_OF(documents); i++) {
        assert_int_equal(
            schema_fixture_verdict(fixture, schema_fixture_read(fixture, documents[i])), 0);
        static const char *const paths[] = {"", "/a", "/b", "/c", "/x"};
        assert_int_equal(fixture->problems.count, COUNT_OF(paths));
        for (size_t j = 0; j < COUNT_OF(paths); j++) {
            assert_true(jsv_str_equal(fixture->problems.items[j].path, jsv_str_from(paths[j])));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(large_objects),
        SCHEMA_TEST(any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
