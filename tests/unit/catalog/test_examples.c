#define _GNU_SOURCE /* nftw() */
#include "unit/catalog/fixture.h"

static struct jsv_reader *reader;
static struct jsv_document *document;

static int set_up(void **state)
{
    reader = jsv_reader_new(NULL, NULL);
    document = jsv_document_new(NULL);
    return fixture_set_up(state);
}

static int tear_down(void **state)
{
    jsv_document_free(document);
    jsv_reader_free(reader);
    return fixture_tear_down(state);
}

static void expect_name(const char *asset, const char *name)
{
    char *text = fixture_quoted(asset);
    assert_int_equal(jsv_read(reader, document, jsv_str_from(text), 0, NULL), 0);
    fixture_expect_str(catalog_asset_schema_name(jsv_document_root(document)), name);
    free(text);
}

static void test_what_an_asset_says(void **state)
{
    (void)state;
    expect_name("{'schema': 'a', '$schemaRef': 'x/b.json'}", "a");
    expect_name("{'schema': 7, '$schemaRef': 'x/b.json'}", "b");
    expect_name("{'schema': '', '$schemaRef': 'b.schema.json'}", "b");
    expect_name("{'$schemaRef': 'https://h/v1/b.schema.json#/$defs/c'}", "b");
    expect_name("{'$schemaRef': 'b.schema'}", "b.schema");
    expect_name("{'$schemaRef': 'x/'}", "");
    expect_name("{'$schemaRef': 7}", "");
    expect_name("{'schema': null}", "");
    expect_name("{}", "");
    expect_name("['schema']", "");
    expect_name("'schema'", "");
}

static void expect_example(size_t index, const char *component, const char *path, const char *name)
{
    const struct catalog_example *example = catalog_example_at(fixture.catalog, index);
    fixture_expect_str(example->component, component);
    fixture_expect_str(example->path, path);
    fixture_expect_str(catalog_example_schema_name(example), name);
}

static void test_what_a_file_name_says(void **state)
{
    (void)state;
    tmpdir_mkdir(&fixture.dir, "examples/d");
    fixture_write("examples/Widget_Basic.v2.json", "{}");
    fixture_write("examples/Widget.json", "{'schema': 'other'}");
    fixture_write("examples/d/Part-B.x_y.json", "[1]");
    fixture_write("examples/d/SynestheticAsset9.json", "{}");
    fixture_write("examples/SynestheticAsset.json", "{'$schemaRef': 'tone.json'}");
    fixture_write("examples/_.json", "{}");
    fixture_write("examples/\xC3\x89toile.json", "{}");
    fixture_load("");
    assert_int_equal(catalog_example_count(fixture.catalog), 7);
    expect_example(0, "", "_.json", "");
    expect_example(1, "Part-B", "d/Part-B.x_y.json", "part-b");
    expect_example(2, "SynestheticAsset", "SynestheticAsset.json", "tone");
    expect_example(3, "SynestheticAsset9", "d/SynestheticAsset9.json", "nested-synesthetic-asset");
    expect_example(4, "Widget", "Widget.json", "other");
    expect_example(5, "Widget", "Widget_Basic.v2.json", "widget");
    expect_example(6, "\xC3\x89toile", "\xC3\x89toile.json", "\xC3\x89toile");
}

static void test_nested_has_anothers_rules(void **state)
{
    (void)state;
    const struct catalog_schema *schema;
    fixture_load("");
    assert_int_equal(
        catalog_schema_resolve(fixture.catalog, JSV_STR("nested-synesthetic-asset"), &schema),
        -ENOENT);
    fixture_write("schemas/synesthetic-asset.schema.json", "{}");
    fixture_load("");
    assert_int_equal(
        catalog_schema_resolve(fixture.catalog, JSV_STR("nested-synesthetic-asset"), &schema), 0);
    fixture_expect_str(schema->name, "synesthetic-asset");
    assert_int_equal(
        catalog_schema_find(fixture.catalog, JSV_STR("nested-synesthetic-asset"), &schema),
        -ENOENT);
    assert_int_equal(catalog_schema_resolve(fixture.catalog, JSV_STR("../x"), &schema), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_an_asset_says, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_a_file_name_says, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nested_has_anothers_rules, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
