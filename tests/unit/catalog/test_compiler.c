#define _GNU_SOURCE /* nftw() */
#include "jsv/base/utf8.h"
#include "unit/catalog/fixture.h"

static struct jsv_reader *reader;
static struct jsv_document *document;
static struct jsv_validator *validator;
static struct jsv_str reason;

static int set_up(void **state)
{
    reader = jsv_reader_new(NULL, NULL);
    document = jsv_document_new(NULL);
    validator = jsv_validator_new(NULL, NULL);
    return fixture_set_up(state);
}

static int tear_down(void **state)
{
    jsv_document_free(document);
    jsv_reader_free(reader);
    jsv_validator_free(validator);
    return fixture_tear_down(state);
}

static int compile(const char *name, const struct jsv_schema **ret_compiled)
{
    const struct catalog_schema *schema;
    assert_int_equal(catalog_schema_find(fixture.catalog, jsv_str_from(name), &schema), 0);
    return catalog_schema_compiled(fixture.catalog, schema, ret_compiled, &reason);
}

static void expect_verdict(const char *name, const char *asset, int verdict)
{
    const struct jsv_schema *compiled;
    char *text = fixture_quoted(asset);
    int r = compile(name, &compiled);
    if (r < 0) {
        fail_msg("%s: %.*s", name, (int)reason.size, reason.data);
    }
    assert_int_equal(jsv_read(reader, document, jsv_str_from(text), 0, NULL), 0);
    assert_int_equal(jsv_validate(validator, compiled, jsv_document_root(document)), verdict);
    free(text);
}

static void expect_reason(const char *name, const char *expected)
{
    const struct jsv_schema *compiled;
    assert_int_equal(compile(name, &compiled), -EBADMSG);
    fixture_expect_str(reason, expected);
}

/* ---- references that lead somewhere ---- */

static void test_by_file(void **state)
{
    (void)state;
    char reference[256];
    tmpdir_mkdir(&fixture.dir, "schemas/sub dir");
    fixture_write("schemas/sub dir/n.json", "{'type': 'integer', '$ref': '../even.json'}");
    fixture_write("schemas/even.json", "{'multipleOf': 2}");
    fixture_write("schemas/a.schema.json", "{'$ref': 'sub%20dir/n.json'}");
    snprintf(reference, sizeof(reference), "{'$ref': 'file://%s/even.json'}", fixture.roots[0]);
    fixture_write("schemas/b.schema.json", reference);
    fixture_load("");
    expect_verdict("a", "4", 1);
    expect_verdict("a", "3", 0);
    expect_verdict("a", "4.5", 0);
    expect_verdict("b", "3", 0);
}

static void test_by_identifier(void **state)
{
    (void)state;
    tmpdir_mkdir(&fixture.dir, "schemas/deep");
    fixture_write("schemas/deep/z.json", "{'$id': 'urn:example:n', 'type': 'integer'}");
    fixture_write(
        "schemas/four.json",
        "{'$schema': 'http://json-schema.org/draft-04/schema#', 'id': 'http://h/four',"
        " 'minimum': 1, 'exclusiveMinimum': true}");
    fixture_write("schemas/a.schema.json", "{'$ref': 'urn:example:n'}");
    fixture_write("schemas/b.schema.json", "{'$ref': 'http://h/four'}");
    fixture_load("");
    expect_verdict("a", "1", 1);
    expect_verdict("a", "'x'", 0);
    expect_verdict("b", "1", 0);
}

/* A file with an $id refers to a neighbour without one. */
static void test_beside_an_identifier(void **state)
{
    (void)state;
    tmpdir_mkdir(&fixture.dir, "schemas/d");
    fixture_write(
        "schemas/w.schema.json",
        "{'$id': 'https://h/v1/w.schema.json', 'properties': "
        "{'p': {'$ref': 'p.schema.json'}, 'q': {'$ref': 'd/q.json'}}}");
    fixture_write("schemas/p.schema.json", "{'type': 'integer'}");
    fixture_write("schemas/d/q.json", "{'type': 'string'}");
    fixture_load("");
    expect_verdict("w", "{'p': 1, 'q': 'x'}", 1);
    expect_verdict("w", "{'p': 'x'}", 0);
    expect_verdict("w", "{'q': 1}", 0);
    expect_verdict("p", "'x'", 0);
}

static void test_meta_schema_of_its_own(void **state)
{
    (void)state;
    fixture_write(
        "schemas/a.schema.json", "{'$schema': 'https://h/z', '$defs': {}, 'x-required': 1}");
    fixture_write(
        "schemas/z.json",
        "{'$id': 'https://h/z', '$schema': 'https://json-schema.org/draft/2020-12/schema',"
        " 'required': ['x-required']}");
    fixture_write("schemas/b.schema.json", "{'$schema': 'https://h/z'}");
    fixture_load("");
    expect_verdict("a", "1", 1);
    const struct jsv_schema *compiled;
    assert_int_equal(compile("b", &compiled), -EBADMSG);
}

static void test_same_identifier_twice(void **state)
{
    (void)state;
    fixture_write("schemas/a.schema.json", "{'$id': 'urn:n', 'type': 'integer'}");
    fixture_write("schemas/b.schema.json", "{'$id': 'urn:n', 'type': 'string'}");
    fixture_write("schemas/c.schema.json", "{'$ref': 'urn:n'}");
    fixture_load("schemas/b.schema.json: duplicate $id: references to it use an earlier file\n");
    expect_verdict("a", "1", 1);
    expect_verdict("b", "'x'", 1);
    expect_verdict("b", "1", 0);
    expect_verdict("c", "1", 1);
}

/* ---- references that lead nowhere ---- */

static void test_nothing_outside(void **state)
{
    (void)state;
    char absolute[256];
    tmpdir_write(&fixture.dir, "out.json", "{}");
    tmpdir_link(&fixture.dir, "../out.json", "schemas/link.json");
    fixture_write("schemas/a.schema.json", "{'$ref': '../out.json'}");
    fixture_write("schemas/b.schema.json", "{'$ref': 'link.json'}");
    fixture_write("schemas/c.schema.json", "{'$ref': 'http://127.0.0.1:1/x.json'}");
    snprintf(absolute, sizeof(absolute), "{'$ref': 'file://%s/out.json'}", fixture.dir.path);
    fixture_write("schemas/d.schema.json", absolute);
    fixture_write("schemas/e.schema.json", "{'$ref': 'file:///etc/passwd'}");
    fixture_write("schemas/f.schema.json", "{'$ref': '%2e%2e/out.json'}");
    fixture_write("schemas/g.schema.json", "{'$ref': '%zz.json'}");
    assert_int_equal(fixture_try_load(), 0);
    for (char name[] = "a"; name[0] <= 'g'; name[0]++) {
        const struct jsv_schema *compiled;
        assert_int_equal(compile(name, &compiled), -EBADMSG);
        assert_null(memmem(reason.data, reason.size, fixture.dir.path, strlen(fixture.dir.path)));
        assert_null(memmem(reason.data, reason.size, "passwd", 6));
    }
}

static void test_reasons(void **state)
{
    (void)state;
    fixture_write("schemas/a.schema.json", "{'properties': {'x': {'type': 'strin'}}}");
    fixture_write("schemas/b.schema.json", "{'$ref': 'none.json'}");
    fixture_write("schemas/c.schema.json", "{'$ref': '../none.json'}");
    fixture_load("");
    const struct jsv_schema *compiled;
    assert_int_equal(compile("a", &compiled), -EBADMSG);
    assert_true(reason.size > 32 && memcmp(reason.data, "a.schema.json#/properties/x", 27) == 0);
    const char *remembered = reason.data;
    assert_int_equal(compile("a", &compiled), -EBADMSG);
    assert_ptr_equal(reason.data, remembered);
    expect_reason("b", "b.schema.json#/$ref: cannot find none.json");
    expect_reason("c", "c.schema.json#/$ref: cannot find (a file outside)");
}

/* Between characters, wherever the limit falls. */
static void test_long_reason_is_cut(void **state)
{
    (void)state;
    for (size_t shift = 0; shift < 2; shift++) {
        char schema[4096];
        size_t size =
            (size_t)snprintf(schema, sizeof(schema), "{'$ref': '%s.json/", shift ? "aa" : "a");
        for (size_t i = 0; i < 1500; i++) {
            memcpy(schema + size, "\xC3\xA9", 2);
            size += 2;
        }
        snprintf(schema + size, sizeof(schema) - size, "'}");
        fixture_write("schemas/a.schema.json", schema);
        assert_int_equal(fixture_try_load(), 0);
        const struct jsv_schema *compiled;
        assert_int_equal(compile("a", &compiled), -EBADMSG);
        assert_true(reason.size > 100 && reason.size <= 1024);
        assert_int_equal(jsv_utf8_valid_prefix(reason), reason.size);
    }
}

/* ---- options, memory ---- */

static void test_format(void **state)
{
    (void)state;
    fixture_write("schemas/a.schema.json", "{'format': 'date'}");
    fixture_load("");
    expect_verdict("a", "'yesterday'", 1);
    fixture.options.assert_format = true;
    fixture_load("");
    expect_verdict("a", "'yesterday'", 0);
}

static void test_relative_root(void **state)
{
    (void)state;
    char *before = getcwd(NULL, 0);
    assert_int_equal(chdir(fixture.dir.path), 0);
    fixture_write("schemas/a.schema.json", "{'$ref': 'n.json'}");
    fixture_write("schemas/n.json", "{'type': 'integer'}");
    fixture.options.schemas_dir = "./schemas/";
    fixture.options.examples_dir = NULL;
    fixture.options.tools_dir = NULL;
    assert_int_equal(fixture_try_load(), 0);
    assert_int_equal(chdir(before), 0);
    free(before);
    expect_verdict("a", "1", 1);
    expect_verdict("a", "'x'", 0);
}

/* Out of memory is not an error of the schema: the next request compiles it. */
static void test_out_of_memory(void **state)
{
    (void)state;
    fixture_write("schemas/a.schema.json", "{'$ref': 'b.schema.json'}");
    fixture_write("schemas/b.schema.json", "{'$id': 'urn:b', 'pattern': '^a+$'}");
    fixture_write("schemas/bad.schema.json", "{'$ref': 'none.json'}");
    fixture_load("");
    static const char *const names[] = {"a", "bad"};
    for (size_t i = 0; i < 2; i++) {
        const struct jsv_schema *compiled;
        int r = -ENOMEM;
        for (unsigned n = 1; r == -ENOMEM; n++) {
            fault_arm(FAULT_RESIZE, n, ENOMEM);
            r = compile(names[i], &compiled);
            assert_true(fault.hit == (r == -ENOMEM));
            fault_disarm();
        }
        assert_int_equal(r, i ? -EBADMSG : 0);
    }
    expect_verdict("a", "'aa'", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_by_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_by_identifier, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_beside_an_identifier, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_meta_schema_of_its_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_same_identifier_twice, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_outside, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_reasons, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_long_reason_is_cut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_format, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_relative_root, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_out_of_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
