#define _GNU_SOURCE /* nftw() */
#include <pthread.h>

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

static void test_files_that_cannot_be_schemas(void **state)
{
    (void)state;
    fixture_write("schemas/list.schema.json", "[1]");
    fixture_write("schemas/text.schema.json", "'x'");
    fixture_write("schemas/data.json", "[1]"); /* of no interest, but not wrong */
    fixture_load("schemas/list.schema.json: neither an object nor a boolean\n"
                 "schemas/text.schema.json: neither an object nor a boolean\n");
    assert_int_equal(catalog_schema_count(fixture.catalog), 0);
}

static void expect_name(const char *asset, const char *name)
{
    char *text = fixture_quoted(asset);
    struct jsv_reader *reader = jsv_reader_new(NULL, NULL);
    struct jsv_document *document = jsv_document_new(NULL);
    assert_int_equal(jsv_read(reader, document, jsv_str_from(text), 0, NULL), 0);
    fixture_expect_str(catalog_asset_schema_name(jsv_document_root(document)), name);
    jsv_document_free(document);
    jsv_reader_free(reader);
    free(text);
}

static void test_schema_named_by_an_asset(void **state)
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

static void test_schema_named_by_a_file(void **state)
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

static void test_nested_asset_has_the_rules_of_another_schema(void **state)
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

static void test_nothing_configured(void **state)
{
    (void)state;
    fixture.options = (struct catalog_options){0};
    const struct catalog_schema *schema;
    const struct catalog_example *example;
    fixture_load("");
    assert_int_equal(catalog_schema_count(fixture.catalog), 0);
    assert_int_equal(catalog_example_count(fixture.catalog), 0);
    assert_int_equal(catalog_tool_count(fixture.catalog), 0);
    assert_int_equal(catalog_schema_find(fixture.catalog, JSV_STR("a"), &schema), -ENOENT);
    assert_int_equal(catalog_example_find(fixture.catalog, JSV_STR("a"), &example), -ENOENT);
}

static void test_roots_that_do_not_exist(void **state)
{
    (void)state;
    const char **const roots[] = {
        &fixture.options.schemas_dir, &fixture.options.examples_dir, &fixture.options.tools_dir};
    tmpdir_write(&fixture.dir, "file", "");
    char file[128];
    char none[128];
    snprintf(file, sizeof(file), "%s/file", fixture.dir.path);
    snprintf(none, sizeof(none), "%s/none", fixture.dir.path);
    for (size_t i = 0; i < 3; i++) {
        const char *before = *roots[i];
        *roots[i] = none;
        assert_int_equal(fixture_try_load(), -ENOENT);
        assert_ptr_equal(fixture.error_dir, none);
        *roots[i] = file;
        assert_int_equal(fixture_try_load(), -ENOTDIR);
        assert_ptr_equal(fixture.error_dir, file);
        *roots[i] = before;
    }
    assert_int_equal(fixture_try_load(), 0);
}

static void test_find(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int result;
    } cases[] = {
        {"a", 0},
        {"b.c", 0},
        {"b", -ENOENT},
        {"A", -ENOENT},
        {"", -EINVAL},
        {"/", -EINVAL},
        {"/a", -EINVAL},
        {"..", -EINVAL},
        {"x/..", -EINVAL},
        {"../a", -EINVAL},
        {"a/../a", -EINVAL},
        {"...", -ENOENT},
        {"..a", -ENOENT},
        {"./a", -ENOENT},
        {"x/a", -ENOENT},
        {"..\\a", -ENOENT},
        {"zzz", -ENOENT},
        {"%2e%2e", -ENOENT},
    };
    fixture_write("schemas/a.schema.json", "{}");
    fixture_write("schemas/b.c.schema.json", "{}");
    fixture_write("examples/a", "{}");
    fixture_write("examples/x.json", "{}");
    fixture_load("");
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct catalog_schema *schema;
        int r = catalog_schema_find(fixture.catalog, jsv_str_from(cases[i].name), &schema);
        if (r != cases[i].result) {
            fail_msg("%s: %d", cases[i].name, r);
        }
    }
    const struct catalog_schema *schema;
    const struct catalog_example *example;
    assert_int_equal(catalog_schema_find(fixture.catalog, JSV_STR("a\0"), &schema), -EINVAL);
    assert_int_equal(catalog_example_find(fixture.catalog, JSV_STR("x.json"), &example), 0);
    assert_int_equal(catalog_example_find(fixture.catalog, JSV_STR("a"), &example), -ENOENT);
    assert_int_equal(catalog_example_find(fixture.catalog, JSV_STR("/x.json"), &example), -EINVAL);
    assert_int_equal(catalog_example_find(fixture.catalog, JSV_STR("x.json\0"), &example), -EINVAL);
}

/* A catalog keeps its contents when the files change. */
static void test_immutable(void **state)
{
    (void)state;
    fixture_write("schemas/a.schema.json", "{'version': 'old'}");
    fixture_load("");
    struct catalog *old = catalog_retain(fixture.catalog);
    fixture_write("schemas/a.schema.json", "{'version': 'new'}");
    fixture_load("");
    fixture_expect_str(catalog_schema_at(old, 0)->version, "old");
    fixture_expect_str(catalog_schema_at(fixture.catalog, 0)->version, "new");
    catalog_release(old);
    catalog_release(NULL);
}

/* ---- threads ---- */

static void *use(void *argument)
{
    struct catalog *catalog = argument;
    const struct jsv_schema *schema = NULL;
    struct jsv_str reason;
    for (size_t i = 0; i < catalog_schema_count(catalog); i++) {
        int r = catalog_schema_compiled(catalog, catalog_schema_at(catalog, i), &schema, &reason);
        if (r != (i == 0 ? -EBADMSG : 0)) {
            catalog_release(catalog);
            return NULL;
        }
    }
    catalog_release(catalog);
    return (void *)(uintptr_t)schema;
}

/* All get the same program, and the last one to let go frees it. */
static void test_threads(void **state)
{
    (void)state;
    pthread_t threads[4];
    void *programs[4];
    for (char name[] = "schemas/a.schema.json"; name[8] <= 'p'; name[8]++) {
        fixture_write(name, "{'$ref': 'n.json', 'pattern': '^[a-z]+$'}");
    }
    fixture_write("schemas/a.schema.json", "{'$ref': 'none.json'}");
    fixture_write("schemas/n.json", "{'type': 'string'}");
    fixture_load("");
    for (size_t i = 0; i < 4; i++) {
        struct catalog *catalog = catalog_retain(fixture.catalog);
        assert_int_equal(pthread_create(&threads[i], NULL, use, catalog), 0);
    }
    catalog_release(fixture.catalog);
    fixture.catalog = NULL;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], &programs[i]), 0);
        assert_non_null(programs[i]);
        assert_ptr_equal(programs[i], programs[0]);
    }
}

/* ---- failures ---- */

static void write_some(void)
{
    tmpdir_mkdir(&fixture.dir, "examples/d");
    fixture_write("schemas/a.schema.json", "{'$id': 'urn:a', 'version': '1'}");
    fixture_write("schemas/b.schema.json", "{'$id': 'urn:a'}");
    fixture_write("schemas/list.schema.json", "[]");
    fixture_write("examples/A.json", "{'schema': 'a'}");
    fixture_write("examples/d/B.json", "{'x': '\\u0041'}");
    fixture_write("examples/bad.json", "{");
    fixture_write(
        "tools/t.tool.json",
        "{'name': 't', 'description': '', 'command': ['x'], 'inputSchema': {}}");
    fixture_write("tools/u.tool.json", "{}");
}

static void test_out_of_memory(void **state)
{
    (void)state;
    static const char own[] =
        "{\"name\":\"own\",\"description\":\"\",\"inputSchema\":{\"type\":\"object\"}}";
    const struct jsv_str tool = {own, sizeof(own) - 1};
    fixture.options.tools = &tool;
    fixture.options.tool_count = 1;
    write_some();
    assert_int_equal(fixture_try_load(), 0);
    int r = -ENOMEM;
    for (unsigned n = 1; r != 0; n++) {
        struct catalog *loaded = NULL;
        fault_arm(FAULT_RESIZE, n, ENOMEM);
        r = catalog_load(
            &fixture.options, fixture.catalog, NULL, NULL, &loaded, &fixture.error_dir);
        assert_int_equal(r, fault.hit ? -ENOMEM : 0);
        assert_null(fixture.error_dir);
        catalog_release(loaded);
        assert_int_equal(fault.live_blocks, 0);
        assert_int_equal(fault.open_fds, 0);
        fault_disarm();
    }
}

static size_t count_all(void)
{
    return catalog_schema_count(fixture.catalog) + catalog_example_count(fixture.catalog) +
           catalog_tool_count(fixture.catalog);
}

/* Any one call that fails costs nothing, or a warning, or is said of the root. */
static void test_calls_fail(void **state)
{
    (void)state;
    static const enum fault_call calls[] = {
        FAULT_OPENAT,
        FAULT_OPENAT2,
        FAULT_FSTAT,
        FAULT_GETDENTS,
        FAULT_READ,
        FAULT_CLOSE,
        FAULT_GETCWD,
    };
    write_some();
    assert_int_equal(fixture_try_load(), 0);
    size_t count = count_all();
    catalog_release(fixture.catalog);
    fixture.catalog = NULL;
    char usual[sizeof(fixture.warnings)];
    memcpy(usual, fixture.warnings, sizeof(usual));
    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
        bool hit = true;
        for (unsigned n = 1; hit; n++) {
            fault_arm(calls[i], n, EIO);
            int r = fixture_try_load();
            hit = fault.hit;
            assert_int_equal(fault.open_fds, 0);
            fault_disarm();
            if (r < 0) {
                assert_int_equal(r, -EIO);
                assert_non_null(fixture.error_dir);
            } else if (strcmp(fixture.warnings, usual) == 0) {
                assert_int_equal(count_all(), count);
            }
            catalog_release(fixture.catalog);
            fixture.catalog = NULL;
        }
    }
}

/* ---- the schemas this was made for, where they are at hand ---- */

static void test_published_schemas(void **state)
{
    (void)state;
    const char *shared = getenv("MCPGATE_SHARED");
    char schemas[PATH_MAX];
    char examples[PATH_MAX];
    snprintf(schemas, sizeof(schemas), "%s/data/synesthetic/jsonschema", shared ? shared : "");
    snprintf(examples, sizeof(examples), "%s/data/synesthetic/examples", shared ? shared : "");
    if (access(schemas, R_OK) != 0) {
        print_message("no test data in MCPGATE_SHARED\n");
        skip();
    }
    fixture.options.schemas_dir = schemas;
    fixture.options.examples_dir = examples;
    assert_int_equal(fixture_try_load(), 0);
    assert_true(catalog_schema_count(fixture.catalog) > 5);
    assert_true(catalog_example_count(fixture.catalog) > 5);
    for (size_t i = 0; i < catalog_schema_count(fixture.catalog); i++) {
        const struct jsv_schema *schema;
        struct jsv_str reason;
        assert_int_equal(
            catalog_schema_compiled(
                fixture.catalog, catalog_schema_at(fixture.catalog, i), &schema, &reason),
            0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_names_and_versions),
        FIXTURE_TEST(test_files_that_cannot_be_schemas),
        FIXTURE_TEST(test_schema_named_by_an_asset),
        FIXTURE_TEST(test_schema_named_by_a_file),
        FIXTURE_TEST(test_nested_asset_has_the_rules_of_another_schema),
        FIXTURE_TEST(test_nothing_configured),
        FIXTURE_TEST(test_roots_that_do_not_exist),
        FIXTURE_TEST(test_find),
        FIXTURE_TEST(test_immutable),
        FIXTURE_TEST(test_threads),
        FIXTURE_TEST(test_out_of_memory),
        FIXTURE_TEST(test_calls_fail),
        FIXTURE_TEST(test_published_schemas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
