#define _GNU_SOURCE /* memfd_create() */
#include <jsv/json.h>

#include "os/digest.h"
#include "support/files.h"
#include "unit/app/run_faults.h"
#include "unit/os/in_tmpdir.h"

#define OK "{\"ok\":true,\"definition\":\"mcp.envelope.v0.1\"}\n"

/* An envelope with a record; the parts go into its lists. */
#define ENVELOPE(outputs, methods, evidence)                                                       \
    "{\"schema_version\":\"mcp.envelope.v0.1\",\"result\":1,\"provenance\":{\"schema_version\":"   \
    "\"prov.record.v0.1\",\"run_id\":\"r\",\"tool\":{\"name\":\"n\",\"version\":\"1\"},"           \
    "\"inputs\":[],\"outputs\":" outputs ",\"methods\":" methods ",\"evidence\":" evidence         \
    ",\"parents\":[]}}"

static void assert_verdict(int status, const char *line)
{
    assert_string_equal(run.err, "");
    assert_string_equal(run.out, line);
    assert_int_equal(run.status, status);
}

static void test_valid_envelopes(void **state)
{
    (void)state;
    run_cli("{\"schema_version\":\"mcp.envelope.v0.1\",\"result\":null}", "envelope", "-");
    assert_verdict(0, OK);
    run_cli(ENVELOPE("[]", "[]", "[]"), "envelope", "--conformance");
    assert_verdict(0, OK);
}

static void test_schema_errors(void **state)
{
    (void)state;
    static const char in[] = "{\"schema_version\":\"mcp.envelope.v0.1\",\"result\":1,\"extra\":1}";
    static const char line[] = "{\"ok\":false,\"layer\":\"schema\",\"errors\":[{\"path\":"
                               "\"/extra\",\"msg\":\"unexpected property \\\"extra\\\"\"}]}\n";
    run_cli(in, "envelope", "-");
    assert_verdict(1, line);
    run_cli(in, "envelope", "--conformance", "-");
    assert_verdict(1, line);
}

static void test_conformance_errors(void **state)
{
    (void)state;
    static const char in[] = "{\"schema_version\":\"mcp.envelope.v0.1\",\"result\":"
                             "{\"schema_version\":\"mcp.envelope.v0.1\",\"result\":1}}";
    run_cli(in, "envelope", "-");
    assert_verdict(0, OK);
    run_cli(in, "envelope", "--conformance", "-");
    assert_verdict(
        1,
        "{\"ok\":false,\"layer\":\"conformance\",\"errors\":[{\"path\":\"/result\","
        "\"msg\":\"an envelope in an envelope\"}]}\n");
}

static void test_more_problems_than_listed(void **state)
{
    (void)state;
    static char in[4096];
    int size = snprintf(in, sizeof(in), "{\"schema_version\":\"mcp.envelope.v0.1\",\"result\":1");
    for (int i = 0; i < 103; i++) {
        size += snprintf(in + size, sizeof(in) - (size_t)size, ",\"x%d\":1", i);
    }
    snprintf(in + size, sizeof(in) - (size_t)size, "}");
    run_cli(in, "envelope", "-");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.out, "],\"more\":3}\n"));
}

static void test_unreadable(void **state)
{
    (void)state;
    run_cli("{", "envelope", "-");
    assert_int_equal(run.status, 2);
    assert_string_equal(run.out, "");
    assert_true(run_is_message(run.err));
    run_cli("", "envelope", tmpdir_path(&dir, "none"));
    assert_int_equal(run.status, 2);
    assert_string_equal(run.out, "");
    assert_true(run_is_one_line(run.err));
}

static void test_injected_faults(void **state)
{
    (void)state;
    tmpdir_write(&dir, "file", ENVELOPE("[]", "[\"a\"]", "[]"));
    run_cli_with_faults("", "envelope", "--conformance", tmpdir_path(&dir, "file"));
}

/* ---- the vectors of the specification ---- */

struct vectors {
    struct jsv_reader *reader;
    size_t passed;
    size_t refused;
};

/* A part of a vector, put where it belongs in an envelope. */
static void
put_vector(struct jsv_buf *text, struct jsv_value vector, const char *name, const char *around)
{
    struct jsv_value part = jsv_value_get(vector, jsv_str_from(name));
    if (jsv_value_type(part) == JSV_TYPE_NONE) {
        return;
    }
    const char *place = strchr(around, '@');
    jsv_buf_append(text, around, (size_t)(place - around));
    jsv_buf_append_str(text, jsv_value_span(part));
    jsv_buf_append_str(text, jsv_str_from(place + 1));
}

static void check_vector(const char *path, void *data)
{
    struct vectors *vectors = data;
    struct jsv_str file = files_read(path);
    struct jsv_document *document = jsv_document_new(NULL);
    assert_int_equal(jsv_read(vectors->reader, document, file, 0, NULL), 0);
    struct jsv_value vector = jsv_document_root(document);
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    put_vector(&text, vector, "envelope", "@");
    put_vector(&text, vector, "artifact", ENVELOPE("[@]", "[]", "[]"));
    put_vector(&text, vector, "method_id", ENVELOPE("[]", "[@]", "[]"));
    put_vector(&text, vector, "method_ids", ENVELOPE("[]", "@", "[]"));
    put_vector(&text, vector, "evidence", ENVELOPE("[]", "[]", "@"));
    if (jsv_value_type(jsv_value_get(vector, JSV_STR("schema_version"))) == JSV_TYPE_STRING) {
        jsv_buf_append_str(&text, file);
    }
    assert_true(text.size > 0);
    jsv_buf_append_byte(&text, '\0');
    run_cli(text.data, "envelope", "--conformance", "-");
    int expected = strstr(path, "/negative") ? 1 : 0;
    if (run.status != expected) {
        fail_msg("%s: exit %d, %s%s", path, run.status, run.out, run.err);
    }
    vectors->passed += run.status == 0;
    vectors->refused += run.status == 1;
    jsv_buf_done(&text);
    jsv_document_free(document);
    free((void *)(uintptr_t)file.data);
}

static void test_vectors(void **state)
{
    (void)state;
    static const struct {
        const char *directory;
        const char *ending;
    } places[] = {
        {"spec/vectors/adapter.wrap.envelope_v0_1", "expected.json"},
        {"spec/vectors/adapter.wrap.envelope_v0_1/negative", ".json"},
        {"spec/vectors/engine.extract.evidence.json_pointer", "expected.json"},
        {"spec/vectors/integrity.digest.sha256/negative", ".json"},
        {"spec/vectors/method_id_syntax/positive", ".json"},
        {"spec/vectors/method_id_syntax/negative", ".json"},
        {"examples", "mcp.envelope.example.json"},
    };
    const char *shared = getenv("MCPGATE_SHARED");
    struct vectors vectors = {.reader = jsv_reader_new(NULL, NULL)};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        char path[512];
        const char *root = shared ? shared : "";
        snprintf(path, sizeof(path), "%s/data/provenance/%s", root, places[i].directory);
        files_each(path, places[i].ending, check_vector, &vectors);
    }
    jsv_reader_free(vectors.reader);
    if (vectors.passed + vectors.refused == 0) {
        print_message("no test data in MCPGATE_SHARED\n");
        skip();
    }
    assert_int_equal(vectors.passed, 4);
    assert_int_equal(vectors.refused, 9);
}

/* wrap and digest turn the input of a vector into its expected output. */
static void test_vectors_of_other_commands(void **state)
{
    (void)state;
    const char *shared = getenv("MCPGATE_SHARED");
    char path[512];
    const char *root = shared ? shared : "";
    snprintf(path, sizeof(path), "%s/data/provenance/spec/vectors", root);
    if (access(path, R_OK) != 0) {
        print_message("no test data in MCPGATE_SHARED\n");
        skip();
    }
    char file[600];
    snprintf(file, sizeof(file), "%s/integrity.digest.sha256/input.json", path);
    run_cli("", "digest", file);
    assert_string_equal(
        run.out,
        "{\"alg\":\"sha256\",\"value\":"
        "\"54fb66ce0aa908012dc9c432d77d16df95a3d5033a557d1c14cfc6d82a63ae34\"}\n");
    snprintf(file, sizeof(file), "%s/adapter.wrap.envelope_v0_1/input.json", path);
    run_cli("", "wrap", file);
    static struct run wrapped;
    wrapped = run;
    run_cli(wrapped.out, "digest", "-");
    wrapped = run;
    snprintf(file, sizeof(file), "%s/adapter.wrap.envelope_v0_1/expected.json", path);
    run_cli("", "digest", file);
    assert_string_equal(run.out, wrapped.out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid_envelopes),
        cmocka_unit_test(test_schema_errors),
        cmocka_unit_test(test_conformance_errors),
        cmocka_unit_test(test_more_problems_than_listed),
        IN_TMPDIR(test_unreadable),
        IN_TMPDIR(test_injected_faults),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_vectors_of_other_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
