/*
 * Schemas with members of the same name.
 */
#include <errno.h>

#include "support/schema_fixture.h"
#include "support/schema_notes.h"
#include "support/texts.h"

static int compile_leniently(const char *schema)
{
    return schema_notes_compile(
        (struct jsv_registry_options){.draft = JSV_DRAFT_2020_12, .allow_duplicates = true},
        (struct jsv_schema_options){0},
        schema);
}

static void duplicates_are_refused(void **state)
{
    schema_fixture_expect_fault(*state, "{'type':'null','type':'string'}", "/type", "");
}

/* Each member that does not count is told, in the order of the text; the last one counts. */
static void the_last_one_counts(void **state)
{
    (void)state;
    assert_int_equal(
        compile_leniently("{'type':1,\n'items':{'a':1,'a':2},'\\u0061':'\xC3\xA9','a':3,\n"
                          "'type':2,'type':'null'}"),
        0);
    assert_string_equal(
        schema_notes,
        "warning urn:test#/type@63: duplicate member; the one in line 1, column 2 does not count, "
        "the last one does\n"
        "warning urn:test#/items/a@26: duplicate member; the one in line 2, column 10 does not "
        "count, the last one does\n"
        "warning urn:test#/a@47: duplicate member; the one in line 2, column 23 does not count, "
        "the last one does\n"
        "warning urn:test#/type@63: duplicate member; the one in line 3, column 1 does not count, "
        "the last one does\n");
    assert_int_equal(compile_leniently("{'type':'null','type':'nul'}"), -EBADMSG);
}

/* Also where embedded resources are checked one by one. */
static void duplicates_beside_embedded_resources(void **state)
{
    (void)state;
    assert_int_equal(
        compile_leniently("{'$defs':{'x':{'$id':'urn:x','type':1,'type':'null'}},'$defs':{'x':{"
                          "'$id':'urn:x','type':1,'type':'null'}},'$ref':'urn:x'}"),
        0);
    assert_non_null(strstr(schema_notes, "warning urn:test#/$defs@54: "));
}

static void nobody_need_listen(void **state)
{
    (void)state;
    const struct jsv_registry_options options = {
        .draft = JSV_DRAFT_2020_12, .allow_duplicates = true};
    struct jsv_registry *registry = jsv_registry_new(NULL, &options);
    assert_int_equal(
        jsv_registry_add(registry, JSV_STR("urn:a"), JSV_STR("{\"a\":1,\"a\":2}"), NULL), 0);
    assert_int_equal(jsv_registry_add(registry, JSV_STR("urn:b"), JSV_STR("{"), NULL), -EBADMSG);
    jsv_registry_free(registry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(duplicates_are_refused),
        cmocka_unit_test(the_last_one_counts),
        cmocka_unit_test(duplicates_beside_embedded_resources),
        cmocka_unit_test(nobody_need_listen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
