#define _GNU_SOURCE /* nftw() */
#include "os/digest.h"
#include "unit/catalog/fixture.h"

#define BUILT_IN "{\"name\":\"own\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\"}}"

static const struct jsv_str built_in[] = {{BUILT_IN, sizeof(BUILT_IN) - 1}};

static int set_up(void **state)
{
    fixture_set_up(state);
    fixture.options.tools = built_in;
    fixture.options.tool_count = 1;
    return 0;
}

#define TOOLS_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, fixture_tear_down)

static void test_good(void **state)
{
    (void)state;
    fixture_write(
        "tools/say.tool.json",
        "{'name': 'say', 'version': '1', 'title': 'Say', 'description': 'Says it.',"
        " 'command': ['bin/say', '-x'], 'inputSchema': {'properties': {'t': {'format': 'date'}}},"
        " 'outputSchema': {'type': 'string'}, 'timeout_ms': 100, 'max_output_bytes': 1000}");
    fixture_write("tools/say.json", "not looked at");
    fixture_load("");
    assert_int_equal(catalog_tool_count(fixture.catalog), 2);
    fixture_expect_str(catalog_tool_at(fixture.catalog, 0)->name, "own");
    const struct catalog_tool *tool = catalog_tool_find(fixture.catalog, JSV_STR("say"));
    assert_ptr_equal(tool, catalog_tool_at(fixture.catalog, 1));
    fixture_expect_str(tool->title, "Say");
    fixture_expect_str(tool->description, "Says it.");
    assert_true(tool->descriptor.data[0] == '{');
    assert_int_equal(jsv_value_type(tool->output_schema), JSV_TYPE_OBJECT);
    assert_null(catalog_tool_find(fixture.catalog, JSV_STR("none")));
}

static void test_bad(void **state)
{
    (void)state;
    fixture_write("tools/a.tool.json", "[1]");
    fixture_write("tools/b.tool.json", "{'name': 'a b'}");
    fixture_write("tools/c.tool.json", "{'name': 'c'}");
    fixture_write("tools/d.tool.json", "{'name': 'd', 'description': '', 'title': 1}");
    fixture_write("tools/e.tool.json", "{'name': 'e', 'description': '', 'inputSchema': true}");
    fixture_write(
        "tools/f.tool.json",
        "{'name': 'f', 'description': '', 'inputSchema': {}, 'outputSchema': 1}");
    fixture_write("tools/g.tool.json", "{'name': 'g', 'description': '', 'inputSchema': {}}");
    fixture_write(
        "tools/h.tool.json",
        "{'name': 'h', 'description': '', 'inputSchema': {}, 'command': ['x', 1]}");
    fixture_write(
        "tools/i.tool.json",
        "{'name': 'i', 'description': '', 'inputSchema': {}, 'command': ['x'], 'version': 1}");
    fixture_write(
        "tools/j.tool.json",
        "{'name': 'j', 'description': '', 'inputSchema': {}, 'command': ['x'], 'timeout_ms': 0}");
    fixture_write(
        "tools/k.tool.json",
        "{'name': 'k', 'description': '', 'inputSchema': {}, 'command': ['x'],"
        " 'max_output_bytes': 1.5}");
    fixture_write(
        "tools/l.tool.json",
        "{'name': 'own', 'description': '', 'inputSchema': {}, 'command': ['x']}");
    tmpdir_mkdir(&fixture.dir, "tools/m.tool.json");
    fixture_load("tools/m.tool.json: a directory\n"
                 "tools/a.tool.json: it must be an object\n"
                 "tools/b.tool.json: \"name\" must be 1 to 128 of A-Z a-z 0-9 _ - .\n"
                 "tools/c.tool.json: \"description\" is missing\n"
                 "tools/d.tool.json: \"title\" must be a string\n"
                 "tools/e.tool.json: \"inputSchema\" must be an object\n"
                 "tools/f.tool.json: \"outputSchema\" must be an object\n"
                 "tools/g.tool.json: \"command\" is missing\n"
                 "tools/h.tool.json: \"command\" must be an array of strings, and not empty\n"
                 "tools/i.tool.json: \"version\" must be a string\n"
                 "tools/j.tool.json: \"timeout_ms\" must be a positive integer\n"
                 "tools/k.tool.json: \"max_output_bytes\" must be a positive integer\n"
                 "tools/l.tool.json: duplicate tool name\n");
    assert_int_equal(catalog_tool_count(fixture.catalog), 1);
}

#define TOOL(name, more)                                                                           \
    "{'name': '" name "', 'description': '', 'inputSchema': {}, 'command': ['true']" more "}"

static void test_unknown_members(void **state)
{
    (void)state;
    fixture_write("tools/a.tool.json", TOOL("a", ", 'timout_ms': 5"));
    fixture_write("tools/b.tool.json", TOOL("b", ", 'Environment': []"));
    fixture_write("tools/c.tool.json", TOOL("c", ", 'colour': 'red'"));
    fixture_write("tools/d.tool.json", TOOL("d", ", '$schema': 'x', '_meta': {}, 'x-owner': 1"));
    fixture_write("tools/e.tool.json", TOOL("e", ", '': 1"));
    fixture_write("tools/f.tool.json", TOOL("f", ", 'new_privileges': 1"));
    fixture_write("tools/g.tool.json", TOOL("g", ", 'annotations': 1"));
    fixture_load(
        "tools/a.tool.json: unknown member \"timout_ms\"; did you mean \"timeout_ms\"?\n"
        "tools/b.tool.json: unknown member \"Environment\"; did you mean \"environment\"?\n"
        "tools/c.tool.json: unknown member \"colour\"\n"
        "tools/e.tool.json: unknown member \"\"\n"
        "tools/f.tool.json: \"new_privileges\" must be true or false\n"
        "tools/g.tool.json: \"annotations\" must be an object\n");
    assert_non_null(catalog_tool_find(fixture.catalog, JSV_STR("d")));
}

/* A tool that could not check its arguments or its result is not offered. */
static void test_schemas_that_do_not_compile(void **state)
{
    (void)state;
    fixture_write("schemas/n.schema.json", "{'$id': 'urn:n', 'minimum': 'x'}");
    fixture_write(
        "tools/a.tool.json",
        "{'name': 'a', 'description': '', 'command': ['true'],"
        " 'inputSchema': {'properties': {'p': {'pattern': '('}}}}");
    fixture_write("tools/b.tool.json", TOOL("b", ", 'outputSchema': {'$ref': 'urn:none'}"));
    fixture_write("tools/c.tool.json", TOOL("c", ", 'outputSchema': {'$ref': 'urn:n'}"));
    fixture_write(
        "tools/d.tool.json",
        "{'name': 'd', 'description': '', 'command': ['true'], 'inputSchema': {'$id': 'urn:d'},"
        " 'outputSchema': {'$id': 'urn:d', 'type': 'object'}}");
    fixture_write("tools/e.tool.json", TOOL("e", ""));
    assert_int_equal(fixture_try_load(), 0);
    static const char *const beginnings[] = {
        "tools/a.tool.json: /inputSchema/properties/p/pattern: ",
        "tools/b.tool.json: /outputSchema/$ref: ",
        "tools/c.tool.json: outputSchema does not compile: ",
        "tools/d.tool.json: /outputSchema: a different schema has the identifier urn:d already",
    };
    const char *line = fixture.warnings;
    for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++) {
        char shown[256];
        snprintf(shown, sizeof(shown), "%.*s", (int)strlen(beginnings[i]), line);
        assert_string_equal(shown, beginnings[i]);
        line = strchr(line, '\n') + 1;
    }
    assert_string_equal(line, "");
    assert_int_equal(catalog_tool_count(fixture.catalog), 2); /* the one of the fixture, and e */
    assert_non_null(catalog_tool_find(fixture.catalog, JSV_STR("e")));
}

/* ---- programs ---- */

static void expect_unusable(const char *command, const char *more, const char *expected)
{
    char text[512];
    char unusable[512];
    snprintf(
        text,
        sizeof(text),
        "{'name': 't', 'description': '', 'inputSchema': {}, 'command': ['%s']%s}",
        command,
        more);
    fixture_write("tools/t.tool.json", text);
    fixture.unusable[0] = '\0';
    fixture_load("");
    assert_non_null(catalog_tool_find(fixture.catalog, JSV_STR("t")));
    const char *path = strstr(expected, "DIR");
    snprintf(
        unusable,
        sizeof(unusable),
        "%.*s%s%s",
        path ? (int)(path - expected) : (int)strlen(expected),
        expected,
        path ? fixture.roots[2] : "",
        path ? path + 3 : "");
    assert_string_equal(fixture.unusable, unusable);
}

static void test_programs_that_cannot_be_run(void **state)
{
    (void)state;
    expect_unusable("true", "", "");
    expect_unusable("/bin/sh", "", "");
    expect_unusable(
        "./gone", "", "./gone does not exist; correct \"command\", or create DIR/./gone");
    expect_unusable(
        "no-such-program",
        "",
        "no-such-program is neither in the tools directory nor in PATH; install it, or correct "
        "\"command\"");
    tmpdir_write(&fixture.dir, "tools/disk.sh", "#!/bin/sh\n");
    assert_int_equal(fchmodat(fixture.dir.fd, "tools/disk.sh", 0644, 0), 0);
    expect_unusable("./disk.sh", "", "./disk.sh is not executable; run chmod +x DIR/./disk.sh");
    expect_unusable("disk.sh", "", "disk.sh is not executable; run chmod +x DIR/disk.sh");
    assert_int_equal(fchmodat(fixture.dir.fd, "tools/disk.sh", 0755, 0), 0);
    expect_unusable("./disk.sh", "", "");
    expect_unusable(
        "./disk.sh",
        ", 'working_directory': 'gone'",
        "DIR/gone is not a directory; correct \"working_directory\"");
    tmpdir_mkdir(&fixture.dir, "tools/folder");
    expect_unusable("./folder", "", "./folder is not a file; correct \"command\"");
    expect_unusable("./disk.sh", ", 'working_directory': 'folder'", "");
}

static void test_name_lengths(void **state)
{
    (void)state;
    char descriptor[512];
    for (int size = 128; size <= 129; size++) {
        snprintf(
            descriptor,
            sizeof(descriptor),
            "{'name': '%0*d', 'description': '', 'inputSchema': {}, 'command': ['x']}",
            size,
            0);
        fixture_write("tools/a.tool.json", descriptor);
        catalog_release(fixture.catalog);
        fixture.catalog = NULL;
        assert_int_equal(fixture_try_load(), 0);
        assert_int_equal(catalog_tool_count(fixture.catalog), size == 128 ? 2 : 1);
    }
}

static int validate(const struct jsv_schema *schema, const char *text)
{
    struct jsv_reader *reader = jsv_reader_new(NULL, NULL);
    struct jsv_document *document = jsv_document_new(NULL);
    struct jsv_validator *validator = jsv_validator_new(NULL, NULL);
    assert_int_equal(jsv_read(reader, document, jsv_str_from(text), 0, NULL), 0);
    int r = jsv_validate(validator, schema, jsv_document_root(document));
    jsv_validator_free(validator);
    jsv_document_free(document);
    jsv_reader_free(reader);
    return r;
}

/* Their formats count, whatever holds for assets. */
static void test_schemas(void **state)
{
    (void)state;
    const struct jsv_schema *schema;
    const struct jsv_schema *again;
    struct jsv_str reason;
    fixture_write("schemas/n.schema.json", "{'$id': 'urn:n', 'type': 'integer'}");
    fixture_write(
        "tools/a.tool.json",
        "{'name': 'a', 'description': '', 'command': ['x'], 'inputSchema': {'format': 'date'},"
        " 'outputSchema': {'$ref': 'urn:n'}}");
    fixture_load("");
    const struct catalog_tool *a = catalog_tool_find(fixture.catalog, JSV_STR("a"));
    assert_int_equal(catalog_tool_input(fixture.catalog, a, &schema, &reason), 0);
    assert_int_equal(validate(schema, "\"yesterday\""), 0);
    assert_int_equal(validate(schema, "\"2020-02-02\""), 1);
    assert_int_equal(catalog_tool_input(fixture.catalog, a, &again, &reason), 0);
    assert_ptr_equal(schema, again);
    assert_int_equal(catalog_tool_output(fixture.catalog, a, &schema, &reason), 0);
    assert_int_equal(validate(schema, "1"), 1);
    assert_int_equal(validate(schema, "\"x\""), 0);
    const struct catalog_tool *own = catalog_tool_at(fixture.catalog, 0);
    assert_int_equal(catalog_tool_output(fixture.catalog, own, &schema, &reason), -ENOENT);
    assert_int_equal(catalog_tool_input(fixture.catalog, own, &schema, &reason), 0);
}

/* Nothing of a tool that was left out counts for the next one of its name. */
static void test_name_of_a_tool_left_out(void **state)
{
    (void)state;
    const struct jsv_schema *schema;
    struct jsv_str reason;
    fixture_write(
        "tools/a.tool.json",
        "{'name': 'x', 'description': '', 'command': ['true'], 'inputSchema': {'type': 'object'},"
        " 'outputSchema': {'pattern': '('}}");
    fixture_write(
        "tools/b.tool.json",
        "{'name': 'x', 'description': '', 'command': ['true'],"
        " 'inputSchema': {'properties': {'text': {'maxLength': 3}}}}");
    assert_int_equal(fixture_try_load(), 0);
    const struct catalog_tool *tool = catalog_tool_find(fixture.catalog, JSV_STR("x"));
    assert_non_null(tool);
    assert_int_equal(catalog_tool_input(fixture.catalog, tool, &schema, &reason), 0);
    assert_int_equal(validate(schema, "{\"text\":\"a b c\"}"), 0);
    assert_int_equal(validate(schema, "{\"text\":\"abc\"}"), 1);
}

static void test_content(void **state)
{
    (void)state;
    static const struct jsv_str tools[] = {
        JSV_STR("{\"name\":\"a\",\"description\":\"\",\"inputSchema\":{},\"output\":\"content\"}"),
        JSV_STR("{\"name\":\"b\",\"description\":\"\",\"inputSchema\":{},\"output\":\"text\"}"),
        JSV_STR("{\"name\":\"c\",\"description\":\"\",\"inputSchema\":{}}"),
    };
    fixture.options.tools = tools;
    fixture.options.tool_count = 3;
    fixture_load("");
    assert_true(catalog_tool_at(fixture.catalog, 0)->is_content);
    assert_false(catalog_tool_at(fixture.catalog, 1)->is_content);
    assert_false(catalog_tool_at(fixture.catalog, 2)->is_content);
}

static void test_schema_out_of_memory(void **state)
{
    (void)state;
    const struct jsv_schema *schema;
    struct jsv_str reason;
    fixture_load("");
    const struct catalog_tool *own = catalog_tool_at(fixture.catalog, 0);
    int r = -ENOMEM;
    for (unsigned n = 1; r == -ENOMEM; n++) {
        fault_arm(FAULT_RESIZE, n, ENOMEM);
        r = catalog_tool_input(fixture.catalog, own, &schema, &reason);
        assert_true(fault.hit == (r == -ENOMEM));
        fault_disarm();
    }
    assert_int_equal(r, 0);
}

/* ---- fingerprints ---- */

static struct jsv_str fingerprint_of(const char *input)
{
    char text[512];
    snprintf(
        text,
        sizeof(text),
        "{'name': 't', 'description': '', 'command': ['x'], 'inputSchema': %s}",
        input);
    fixture_write("tools/t.tool.json", text);
    fixture_load("");
    return catalog_tool_find(fixture.catalog, JSV_STR("t"))->fingerprint;
}

static void test_fingerprint_is_the_digest_of_the_canonical_schema(void **state)
{
    (void)state;
    char expected[OS_DIGEST_HEX_SIZE + 1];
    struct jsv_str canonical =
        JSV_STR("{\"properties\":{\"input\":{\"allOf\":[{\"required\":[\"q\"]}],\"type\":"
                "\"object\"},\"output\":{\"type\":\"object\"},\"tool\":{\"const\":"
                "\"mcp.tool:t\"}},\"required\":[\"tool\"],\"type\":\"object\"}");
    os_digest(canonical, expected);
    fixture_expect_str(fingerprint_of("{'required': ['q']}"), expected);
}

static void test_fingerprint_ignores_spelling(void **state)
{
    (void)state;
    char first[OS_DIGEST_HEX_SIZE + 1];
    struct jsv_str text = fingerprint_of("{'type':'object','minProperties':1}");
    snprintf(first, sizeof(first), "%.*s", (int)text.size, text.data);
    fixture_expect_str(fingerprint_of("{ 'minProperties' : 1.0, 'type' : 'obj\\u0065ct' }"), first);
    text = fingerprint_of("{'type':'object','minProperties':2}");
    assert_false(jsv_str_equal(text, jsv_str_from(first)));
}

static void test_no_fingerprint_for_a_number_without_canonical_form(void **state)
{
    (void)state;
    assert_int_equal(fingerprint_of("{'maximum': 1e999}").size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TOOLS_TEST(test_fingerprint_is_the_digest_of_the_canonical_schema),
        TOOLS_TEST(test_fingerprint_ignores_spelling),
        TOOLS_TEST(test_no_fingerprint_for_a_number_without_canonical_form),
        TOOLS_TEST(test_good),
        TOOLS_TEST(test_bad),
        TOOLS_TEST(test_unknown_members),
        TOOLS_TEST(test_schemas_that_do_not_compile),
        TOOLS_TEST(test_programs_that_cannot_be_run),
        TOOLS_TEST(test_name_lengths),
        TOOLS_TEST(test_schemas),
        TOOLS_TEST(test_name_of_a_tool_left_out),
        TOOLS_TEST(test_content),
        TOOLS_TEST(test_schema_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
