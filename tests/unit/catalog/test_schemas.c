#define _GNU_SOURCE /* nftw() */
#include "unit/catalog/fixture.h"

static void expect_schema(size_t index, const char *name, const char *version, const char *path)
{
    const struct catalog_schema *schema = catalog_schema_at(fixture.catalog, index);
    fixture_expect_str(schema->name, name);
    fixture_expect_str(schema->version, version);
    fixture_expect_str(schema->path, path);
}

static void test_names_and_versions(void **state)
{
    (void)state;
    tmpdir_mkdir(&fixture.dir, "schemas/sub");
    fixture_write("schemas/b.schema.json", "{'version': 'v1'}");
    fixture_write("schemas/a.schema.json", "{'version': 1.0}");
    fixture_write("schemas/a-b.schema.json", "{'version': null}");
    fixture_write("schemas/a.b.schema.json", "false");
    fixture_write("schemas/other.json", "{}");
    fixture_write("schemas/.schema.json", "{}");
    fixture_write("schemas/sub/c.schema.json", "{}");
    fixture_load("");
    assert_int_equal(catalog_schema_count(fixture.catalog), 4);
    expect_schema(0, "a", "1.0", "a.schema.json");
    expect_schema(1, "a-b", "", "a-b.schema.json");
    expect_schema(2, "a.b", "", "a.b.schema.json");
    expect_schema(3, "b", "v1", "b.schema.json");
}

static void test_no_schema_at_all(void **state)
{
    (void)state;
    fixture_write("schemas/list.schema.json", "[1]");
    fixture_write("schemas/text.schema.json", "'x'");
    fixture_write("schemas/data.json", "[1]"); /* of no interest, but not wrong */
    fixture_load("schemas/list.schema.json: neither an object nor a boolean\n"
                 "schemas/text.schema.json: neither an object nor a boolean\n");
    assert_int_equal(catalog_schema_count(fixture.catalog), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_names_and_versions),
        FIXTURE_TEST(test_no_schema_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
