#define _GNU_SOURCE /* nftw() */
#include <pthread.h>

#include "unit/catalog/fixture.h"

static const struct jsv_str own_tool =
    JSV_STR("{\"name\":\"own\",\"description\":\"\",\"inputSchema\":{\"type\":\"object\"},"
            "\"outputSchema\":{\"type\":\"integer\"}}");

static int set_up(void **state)
{
    int r = fixture_set_up(state);
    fixture.options.tools = &own_tool;
    fixture.options.tool_count = 1;
    return r;
}

#define SCHEMAS_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, fixture_tear_down)

/* A descriptor with these schemas as "tools/<name>.tool.json". */
static void write_tool(const char *name, const char *input, const char *output)
{
    char file[64];
    char text[1024];
    snprintf(file, sizeof(file), "tools/%s.tool.json", name);
    snprintf(
        text,
        sizeof(text),
        "{'name': '%s', 'description': '', 'command': ['x'], 'inputSchema': %s, "
        "'outputSchema': %s}",
        name,
        input,
        output);
    fixture_write(file, text);
}

static const struct jsv_schema *input_of(struct catalog *catalog, const char *name)
{
    const struct jsv_schema *schema = NULL;
    struct jsv_str reason;
    const struct catalog_tool *tool = catalog_tool_find(catalog, jsv_str_from(name));
    assert_non_null(tool);
    assert_int_equal(catalog_tool_input(catalog, tool, &schema, &reason), 0);
    return schema;
}

static const struct jsv_schema *output_of(struct catalog *catalog, const char *name)
{
    const struct jsv_schema *schema = NULL;
    struct jsv_str reason;
    const struct catalog_tool *tool = catalog_tool_find(catalog, jsv_str_from(name));
    assert_non_null(tool);
    assert_int_equal(catalog_tool_output(catalog, tool, &schema, &reason), 0);
    return schema;
}

static const struct jsv_schema *schema_of(struct catalog *catalog, const char *name)
{
    const struct catalog_schema *schema;
    const struct jsv_schema *compiled;
    struct jsv_str reason;
    assert_int_equal(catalog_schema_find(catalog, jsv_str_from(name), &schema), 0);
    assert_int_equal(catalog_schema_compiled(catalog, schema, &compiled, &reason), 0);
    return compiled;
}

static void expect_verdict(const struct jsv_schema *schema, const char *value, int verdict)
{
    char *text = fixture_quoted(value);
    struct jsv_reader *reader = jsv_reader_new(NULL, NULL);
    struct jsv_document *document = jsv_document_new(NULL);
    struct jsv_validator *validator = jsv_validator_new(NULL, NULL);
    assert_int_equal(jsv_read(reader, document, jsv_str_from(text), 0, NULL), 0);
    assert_int_equal(jsv_validate(validator, schema, jsv_document_root(document)), verdict);
    jsv_validator_free(validator);
    jsv_document_free(document);
    jsv_reader_free(reader);
    free(text);
}

/* The snapshot before, pinned, so that nothing new can have the address of something old. */
static struct catalog *reload(const char *warnings)
{
    struct catalog *old = catalog_retain(fixture.catalog);
    fixture_load(warnings);
    assert_ptr_not_equal(old, fixture.catalog);
    return old;
}

/* ---- reuse ---- */

static void test_only_the_changed_tool(void **state)
{
    (void)state;
    write_tool("a", "{'type': 'object'}", "{'type': 'integer'}");
    write_tool("b", "{'type': 'object'}", "{'type': 'integer'}");
    fixture_load("");
    write_tool("b", "{'type': 'object'}", "{'type': 'string'}");
    struct catalog *old = reload("");
    assert_ptr_equal(input_of(old, "a"), input_of(fixture.catalog, "a"));
    assert_ptr_equal(output_of(old, "a"), output_of(fixture.catalog, "a"));
    assert_ptr_not_equal(output_of(old, "b"), output_of(fixture.catalog, "b"));
    expect_verdict(output_of(old, "b"), "1", 1);
    expect_verdict(output_of(fixture.catalog, "b"), "1", 0);
    catalog_release(old);
}

/* The fingerprint counts, not the spelling, nor the rest of the descriptor. */
static void test_another_spelling(void **state)
{
    (void)state;
    write_tool("a", "{'minimum': 1, 'type': 'integer'}", "{}");
    fixture_load("");
    fixture_write(
        "tools/a.tool.json",
        "{'name': 'a', 'description': 'new', 'command': ['y'], "
        "'inputSchema': {'type':'integer','minimum':1}, 'outputSchema': {}}");
    struct catalog *old = reload("");
    assert_ptr_equal(input_of(old, "a"), input_of(fixture.catalog, "a"));
    catalog_release(old);
}

/* Fingerprints round decimals; the gate does not. */
static void test_same_fingerprint_other_number(void **state)
{
    (void)state;
    write_tool("a", "{'minimum': 0.3}", "{}");
    fixture_load("");
    write_tool("a", "{'minimum': 0.300000000000000000001}", "{}");
    struct catalog *old = reload("");
    assert_true(jsv_str_equal(
        catalog_tool_find(old, JSV_STR("a"))->fingerprint,
        catalog_tool_find(fixture.catalog, JSV_STR("a"))->fingerprint));
    expect_verdict(input_of(old, "a"), "0.3", 1);
    expect_verdict(input_of(fixture.catalog, "a"), "0.3", 0);
    catalog_release(old);
}

static void test_without_fingerprint(void **state)
{
    (void)state;
    write_tool("a", "{'maximum': 1e400}", "{}");
    fixture_load("");
    assert_int_equal(catalog_tool_find(fixture.catalog, JSV_STR("a"))->fingerprint.size, 0);
    struct catalog *old = reload("");
    assert_ptr_not_equal(input_of(old, "a"), input_of(fixture.catalog, "a"));
    expect_verdict(input_of(fixture.catalog, "a"), "1e399", 1);
    catalog_release(old);
}

static void test_outputs_come_and_go(void **state)
{
    (void)state;
    write_tool("a", "{}", "{'type': 'integer'}");
    fixture_load("");
    fixture_write(
        "tools/a.tool.json",
        "{'name': 'a', 'description': '', 'command': ['x'], 'inputSchema': {}}");
    struct catalog *old = reload("");
    const struct jsv_schema *schema;
    struct jsv_str reason;
    const struct catalog_tool *a = catalog_tool_find(fixture.catalog, JSV_STR("a"));
    assert_int_equal(catalog_tool_output(fixture.catalog, a, &schema, &reason), -ENOENT);
    expect_verdict(output_of(old, "a"), "'x'", 0);
    catalog_release(old);
    old = reload("");
    assert_ptr_equal(input_of(old, "a"), input_of(fixture.catalog, "a"));
    catalog_release(old);
}

/* Compiled on first use, then kept. */
static void test_built_in(void **state)
{
    (void)state;
    fixture_load("");
    struct catalog *old = reload("");
    const struct jsv_schema *later = input_of(fixture.catalog, "own");
    assert_ptr_not_equal(input_of(old, "own"), later);
    catalog_release(old);
    old = reload("");
    assert_ptr_equal(input_of(fixture.catalog, "own"), later);
    expect_verdict(output_of(fixture.catalog, "own"), "'x'", 0);
    catalog_release(old);
}

/* ---- the schema root ---- */

static void test_root_that_is_the_same(void **state)
{
    (void)state;
    fixture_write("schemas/a.schema.json", "{'$id': 'urn:a', 'type': 'integer'}");
    fixture_write("schemas/b.schema.json", "{'$id': 'urn:a'}");
    fixture_write("schemas/list.schema.json", "[]");
    write_tool("t", "{'$ref': 'urn:a'}", "{}");
    static const char warnings[] =
        "schemas/b.schema.json: duplicate $id: references to it use an earlier file\n"
        "schemas/list.schema.json: neither an object nor a boolean\n";
    fixture_load(warnings);
    const struct jsv_schema *before = schema_of(fixture.catalog, "a");
    struct catalog *old = reload(warnings);
    assert_ptr_equal(schema_of(fixture.catalog, "a"), before);
    assert_ptr_equal(input_of(fixture.catalog, "t"), input_of(old, "t"));
    catalog_release(old);
    fixture.options.assert_format = true;
    old = reload(warnings);
    assert_ptr_not_equal(schema_of(fixture.catalog, "a"), before);
    catalog_release(old);
}

/* A schema changes when a file does that it refers to, at whatever remove. */
static void test_changed_target(void **state)
{
    (void)state;
    fixture_write("schemas/a.schema.json", "{'$id': 'urn:a', '$ref': 'urn:b'}");
    fixture_write("schemas/b.json", "{'$id': 'urn:b', '$ref': 'urn:c'}");
    fixture_write("schemas/c.json", "{'$id': 'urn:c', 'type': 'integer'}");
    write_tool("far", "{'$ref': 'urn:a'}", "{}");
    write_tool("alone", "{'type': 'object'}", "{}");
    fixture_load("");
    expect_verdict(input_of(fixture.catalog, "far"), "1", 1);
    expect_verdict(schema_of(fixture.catalog, "a"), "1", 1);
    fixture_write("schemas/c.json", "{'$id': 'urn:c', 'type': 'string'}");
    struct catalog *old = reload("");
    expect_verdict(input_of(fixture.catalog, "far"), "1", 0);
    expect_verdict(schema_of(fixture.catalog, "a"), "1", 0);
    expect_verdict(input_of(old, "far"), "1", 1);
    expect_verdict(schema_of(old, "a"), "1", 1);
    assert_ptr_equal(input_of(old, "alone"), input_of(fixture.catalog, "alone"));
    catalog_release(old);
}

/* A reference that led nowhere may lead to a new file, and the other way round. */
static void test_target_comes_and_goes(void **state)
{
    (void)state;
    write_tool("t", "{'$ref': 'urn:a'}", "{}");
    fixture_load("tools/t.tool.json: /inputSchema/$ref: cannot find urn:a\n");
    assert_null(catalog_tool_find(fixture.catalog, JSV_STR("t")));
    fixture_write("schemas/a.json", "{'$id': 'urn:a', 'type': 'integer'}");
    fixture_load("");
    expect_verdict(input_of(fixture.catalog, "t"), "'x'", 0);
    assert_int_equal(unlinkat(fixture.dir.fd, "schemas/a.json", 0), 0);
    fixture_load("tools/t.tool.json: /inputSchema/$ref: cannot find urn:a\n");
    assert_null(catalog_tool_find(fixture.catalog, JSV_STR("t")));
}

/* ---- references of tools ---- */

static void test_references(void **state)
{
    (void)state;
    char by_file[256];
    snprintf(by_file, sizeof(by_file), "{'$ref': 'file://%s/plain.json'}", fixture.roots[0]);
    fixture_write("schemas/plain.json", "{'type': 'integer'}");
    fixture_write(
        "schemas/whole.json",
        "{'$id': 'https://h/v/whole.json', '$defs': {'p': {'$id': 'part', 'type': 'integer'}}}");
    fixture_write(
        "schemas/rules.json",
        "{'$id': 'https://h/rules', '$schema': 'https://json-schema.org/draft/2020-12/schema',"
        " 'required': ['x-required']}");
    fixture_write(
        "schemas/ruled.json",
        "{'$id': 'https://h/ruled', '$schema': 'https://h/rules', 'x-required': 1,"
        " 'type': 'integer'}");
    write_tool("file", by_file, "{}");
    write_tool("part", "{'$ref': 'https://h/v/part'}", "{}");
    write_tool("beside", "{'$ref': 'https://h/v/plain.json'}", "{}");
    write_tool("pointer", "{'$ref': 'https://h/v/whole.json#/$defs/p'}", "{}");
    write_tool("ruled", "{'$ref': 'https://h/ruled'}", "{}");
    fixture_write(
        "schemas/seven.json",
        "{'$id': 'https://h/seven', '$schema': 'http://json-schema.org/draft-07/schema#',"
        " 'definitions': {'p': {'$id': 'https://h/in7', 'items': [{'type': 'integer'}]}}}");
    write_tool("seven", "{'$ref': 'https://h/in7'}", "{}");
    write_tool("two", "{'$ref': 'https://h/ruled'}", "{'$ref': 'https://h/v/part'}");
    write_tool("self", "{'$schema': 'https://h/rules', 'x-required': 1, 'type': 'integer'}", "{}");
    write_tool("output", "{'$id': 'urn:in', 'type': 'integer'}", "{'$ref': 'urn:in'}");
    fixture_load("");
    static const char *const names[] = {
        "file", "part", "beside", "pointer", "ruled", "two", "self", "output"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        expect_verdict(input_of(fixture.catalog, names[i]), "1", 1);
        expect_verdict(input_of(fixture.catalog, names[i]), "'x'", 0);
    }
    expect_verdict(output_of(fixture.catalog, "two"), "'x'", 0);
    expect_verdict(output_of(fixture.catalog, "output"), "'x'", 0);
    expect_verdict(input_of(fixture.catalog, "seven"), "[1, 'x']", 1);
    expect_verdict(input_of(fixture.catalog, "seven"), "['x']", 0);
    write_tool("self", "{'$schema': 'https://h/rules', 'type': 'integer'}", "{}");
    assert_int_equal(fixture_try_load(), 0);
    assert_null(catalog_tool_find(fixture.catalog, JSV_STR("self")));
}

/* ---- lifetimes ---- */

static void test_old_goes_first(void **state)
{
    (void)state;
    fixture_write("schemas/a.schema.json", "{'$id': 'urn:a', 'type': 'integer'}");
    write_tool("t", "{'$ref': 'urn:a'}", "{'type': 'integer'}");
    fixture_load("");
    for (size_t i = 0; i < 3; i++) {
        catalog_release(reload(""));
    }
    expect_verdict(input_of(fixture.catalog, "t"), "'x'", 0);
    expect_verdict(output_of(fixture.catalog, "t"), "'x'", 0);
    expect_verdict(output_of(fixture.catalog, "own"), "'x'", 0);
    expect_verdict(schema_of(fixture.catalog, "a"), "'x'", 0);
    fixture_expect_str(catalog_schema_at(fixture.catalog, 0)->path, "a.schema.json");
}

static void test_new_goes_first(void **state)
{
    (void)state;
    fixture_write("schemas/a.schema.json", "{'$id': 'urn:a', 'type': 'integer'}");
    write_tool("t", "{'$ref': 'urn:a'}", "{'type': 'integer'}");
    fixture_load("");
    struct catalog *old = reload("");
    catalog_release(fixture.catalog);
    fixture.catalog = old;
    expect_verdict(input_of(fixture.catalog, "t"), "'x'", 0);
    expect_verdict(output_of(fixture.catalog, "t"), "'x'", 0);
    expect_verdict(schema_of(fixture.catalog, "a"), "'x'", 0);
}

/* ---- threads ---- */

static void *use(void *argument)
{
    struct catalog *catalog = argument;
    for (size_t i = 0; i < catalog_tool_count(catalog); i++) {
        const struct jsv_schema *schema;
        struct jsv_str reason;
        const struct catalog_tool *tool = catalog_tool_at(catalog, i);
        if (catalog_tool_output(catalog, tool, &schema, &reason) < 0 ||
            catalog_tool_input(catalog, tool, &schema, &reason) < 0) {
            catalog_release(catalog);
            return NULL;
        }
    }
    const struct jsv_schema *compiled = schema_of(catalog, "a");
    catalog_release(catalog);
    return (void *)(uintptr_t)compiled;
}

/* Allocations of loading all tools anew. */
static unsigned count_allocations(void)
{
    catalog_release(fixture.catalog);
    fixture.catalog = NULL;
    fault_watch();
    fixture_load("");
    unsigned count = fault.calls[FAULT_RESIZE];
    fault_disarm();
    return count;
}

static void test_meta_schema_is_compiled_once(void **state)
{
    (void)state;
    unsigned without = count_allocations();
    write_tool("a", "{'type': 'object'}", "{'type': 'object'}");
    unsigned first = count_allocations() - without;
    write_tool("b", "{'type': 'object'}", "{'type': 'object'}");
    unsigned second = count_allocations() - without - first;
    assert_true(second < first / 2);
}

/* Snapshots are made and let go while threads compile what earlier ones share with them. */
static void test_threads(void **state)
{
    (void)state;
    pthread_t threads[8];
    fixture_write("schemas/a.schema.json", "{'$id': 'urn:a', 'type': 'integer'}");
    write_tool("t", "{'$ref': 'urn:a'}", "{'type': 'integer'}");
    fixture_load("");
    for (size_t i = 0; i < 8; i++) {
        struct catalog *catalog = catalog_retain(fixture.catalog);
        assert_int_equal(pthread_create(&threads[i], NULL, use, catalog), 0);
        fixture_load("");
    }
    for (size_t i = 0; i < 8; i++) {
        void *compiled;
        assert_int_equal(pthread_join(threads[i], &compiled), 0);
        assert_ptr_equal(compiled, schema_of(fixture.catalog, "a"));
    }
}

/* ---- memory ---- */

/* Whatever cannot be made, the snapshot before stays whole and nothing is lost. */
static void test_out_of_memory(void **state)
{
    (void)state;
    fixture_write("schemas/a.schema.json", "{'$id': 'urn:a', 'type': 'integer'}");
    write_tool("kept", "{'properties': {'b': {}, 'a': {}}}", "{'$ref': 'urn:a'}");
    write_tool("new", "{}", "{}");
    fixture_load("");
    const struct jsv_schema *kept = input_of(fixture.catalog, "kept");
    write_tool("kept", "{'properties': {'a': {}, 'b': {}}}", "{'$ref': 'urn:a'}");
    write_tool("new", "{'$ref': 'urn:a'}", "{'$ref': 'urn:none'}");
    int r = -ENOMEM;
    for (unsigned n = 1; r != 0; n++) {
        struct catalog *loaded = NULL;
        fault_arm(FAULT_RESIZE, n, ENOMEM);
        r = catalog_load(
            &fixture.options, fixture.catalog, NULL, NULL, &loaded, &fixture.error_dir);
        assert_int_equal(r, fault.hit ? -ENOMEM : 0);
        if (r == 0) {
            assert_ptr_equal(input_of(loaded, "kept"), kept);
            assert_null(catalog_tool_find(loaded, JSV_STR("new")));
        }
        catalog_release(loaded);
        assert_int_equal(fault.live_blocks, 0);
        fault_disarm();
    }
    expect_verdict(output_of(fixture.catalog, "kept"), "1", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMAS_TEST(test_only_the_changed_tool),
        SCHEMAS_TEST(test_another_spelling),
        SCHEMAS_TEST(test_same_fingerprint_other_number),
        SCHEMAS_TEST(test_without_fingerprint),
        SCHEMAS_TEST(test_outputs_come_and_go),
        SCHEMAS_TEST(test_built_in),
        SCHEMAS_TEST(test_root_that_is_the_same),
        SCHEMAS_TEST(test_changed_target),
        SCHEMAS_TEST(test_target_comes_and_goes),
        SCHEMAS_TEST(test_references),
        SCHEMAS_TEST(test_old_goes_first),
        SCHEMAS_TEST(test_new_goes_first),
        SCHEMAS_TEST(test_meta_schema_is_compiled_once),
        SCHEMAS_TEST(test_threads),
        SCHEMAS_TEST(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
