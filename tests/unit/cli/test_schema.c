#define _GNU_SOURCE /* memfd_create(), nftw() */
#include "cli/resolve.h"
#include "cli/schema.h"
#include "support/slowness.h"
#include "unit/app/run.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

static struct tmpdir dir;
static struct cli_schema schema;
static char said[RUN_TEXT_MAX];

static int set_up(void **state)
{
    (void)state;
    tmpdir_make(&dir);
    schema = (struct cli_schema){0};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fault_disarm();
    cli_schema_done(&schema);
    tmpdir_remove(&dir);
    return 0;
}

/* Load the schema in a file of the directory, by its absolute path; "-" is the text `in`. */
static int load_with(const char *path, const char *in, const char *rule)
{
    struct cli cli = {
        .command = "validate", .in_fd = run_memfd(in), .out_fd = -1, .err_fd = run_memfd("")};
    struct cli_schema_options options = {.path = path, .draft = JSV_DRAFT_2020_12};
    struct cli_resolve resolve;
    cli_schema_done(&schema);
    cli_resolve_init(&resolve);
    int r = rule ? cli_resolve_add(&cli, &resolve, rule) : 0;
    r = r < 0 ? r : cli_schema_load(&cli, &options, &resolve, &schema);
    cli_resolve_done(&resolve);
    run_close_if_open(cli.in_fd);
    run_take(cli.err_fd, said);
    return r;
}

static int load(const char *name)
{
    return load_with(tmpdir_path(&dir, name), "", NULL);
}

/* 1 or 0: the schema's verdict. */
static int verdict(const char *text)
{
    struct jsv_reader *reader = jsv_reader_new(NULL, NULL);
    struct jsv_document *document = jsv_document_new(NULL);
    struct jsv_validator *validator = jsv_validator_new(NULL, NULL);
    assert_int_equal(jsv_read(reader, document, jsv_str_from(text), 0, NULL), 0);
    int r = jsv_validate(validator, schema.schema, jsv_document_root(document));
    jsv_validator_free(validator);
    jsv_document_free(document);
    jsv_reader_free(reader);
    return r;
}

static void test_one_file(void **state)
{
    (void)state;
    tmpdir_write(&dir, "s.json", "{\"type\": \"string\"}");
    assert_int_equal(load("s.json"), 0);
    assert_string_equal(said, "");
    assert_int_equal(verdict("\"a\""), 1);
    assert_int_equal(verdict("1"), 0);
}

static void test_siblings(void **state)
{
    (void)state;
    tmpdir_mkdir(&dir, "sub");
    tmpdir_write(&dir, "s.json", "{\"$ref\": \"sub/a%20b.json#/$defs/x\"}");
    tmpdir_write(&dir, "sub/a b.json", "{\"$defs\": {\"x\": {\"$ref\": \"../n.json\"}}}");
    tmpdir_write(&dir, "n.json", "{\"type\": \"number\"}");
    assert_int_equal(load("s.json"), 0);
    assert_int_equal(verdict("1"), 1);
    assert_int_equal(verdict("\"a\""), 0);
}

/* Lines are counted on from the last note, however much is before the first one. */
static void test_many_notes(void **state)
{
    (void)state;
    enum {
        LINES = 2 << 20,
        NOTES = 400
    };
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    assert_int_equal(jsv_buf_reserve(&text, LINES + NOTES * 64), 0);
    memset(text.data, '\n', LINES);
    text.size = LINES;
    jsv_buf_append_str(
        &text, JSV_STR("{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"allOf\":["));
    for (int i = 0; i < NOTES; i++) {
        jsv_buf_append_str(&text, i ? JSV_STR(",\n") : JSV_STR("\n"));
        jsv_buf_append_str(&text, JSV_STR("{\"prefixItems\":[]}"));
    }
    jsv_buf_append_str(&text, JSV_STR("]}"));
    jsv_buf_append_byte(&text, '\0');
    assert_int_equal(text.error, 0);
    tmpdir_write(&dir, "s.json", text.data);
    jsv_buf_done(&text);
    double start = cpu_seconds();
    assert_int_equal(load("s.json"), 0);
    assert_true(cpu_seconds() - start < 0.1 * SLOWNESS);
    assert_non_null(strstr(said, "s.json:2097154:2: warning: \"prefixItems\" has no effect"));
    assert_non_null(strstr(said, "s.json:2097553:2: warning: \"prefixItems\" has no effect"));
}

/* A relative path, from the working directory. */
static void test_relative_path(void **state)
{
    (void)state;
    tmpdir_write(&dir, "s.json", "{\"$ref\": \"n.json\"}");
    tmpdir_write(&dir, "n.json", "{\"type\": \"number\"}");
    int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(fchdir(dir.fd), 0);
    int plain = load_with("s.json", "", NULL);
    int dotted = load_with("./x/../s.json", "", NULL);
    tmpdir_mkdir(&dir, "x");
    int dotted_again = load_with("./x/../s.json", "", NULL);
    int nowhere = 0;
    int sibling = 1;
    fault_arm(FAULT_GETCWD, 1, ENOENT);
    nowhere = load_with("s.json", "", NULL);
    fault_disarm();
    sibling = verdict("\"a\"");
    assert_int_equal(fchdir(here), 0);
    close(here);
    assert_int_equal(plain, 0);
    assert_int_equal(dotted, -ENOENT);
    assert_int_equal(dotted_again, 0);
    assert_int_equal(nowhere, 0);
    assert_int_equal(sibling, 0);
}

/* Neighbours are read by relative path, also in parent directories and through links. */
static void test_references_to_neighbours(void **state)
{
    (void)state;
    tmpdir_mkdir(&dir, "in");
    tmpdir_write(&dir, "n.json", "{\"type\": \"number\"}");
    tmpdir_link(&dir, "../n.json", "in/link");
    tmpdir_write(&dir, "in/plain", "{\"type\": \"number\"}");
    static const char *const references[] = {
        "../n.json", "../n", "link", "plain", "../in/plain", "https://x.test/n.json"};
    for (size_t i = 0; i < sizeof(references) / sizeof(references[0]); i++) {
        char text[128];
        snprintf(
            text,
            sizeof(text),
            "{%s\"$ref\": \"%s\"}",
            i % 2 ? "\"$id\": \"https://x.test/d/s.json\", " : "",
            references[i]);
        tmpdir_write(&dir, "in/s.json", text);
        assert_int_equal(load("in/s.json"), 0);
        assert_int_equal(verdict("1"), 1);
        assert_int_equal(verdict("\"a\""), 0);
    }
}

static void test_references_outside_the_directory(void **state)
{
    (void)state;
    tmpdir_mkdir(&dir, "in");
    tmpdir_write(&dir, "secret", "true");
    tmpdir_write(&dir, "secret.json", "true");
    static const char *const references[] = {
        "none.json",
        "file:///etc/hostname",
        "https://example.org/",
        "..%2fsecret.json",
        "s.json%00",
    };
    for (size_t i = 0; i < sizeof(references) / sizeof(references[0]); i++) {
        char text[128];
        snprintf(text, sizeof(text), "{\"allOf\": [{\"$ref\": \"%s\"}]}", references[i]);
        tmpdir_write(&dir, "in/s.json", text);
        assert_int_equal(load("in/s.json"), -EBADMSG);
        assert_non_null(strstr(said, "in/s.json:1:21: cannot find "));
        assert_non_null(strstr(said, " (at /allOf/0/$ref)\n"));
    }
    /* above it, only *.json is a schema */
    unlinkat(dir.fd, "secret.json", 0);
    tmpdir_write(&dir, "in/s.json", "{\"$ref\": \"../secret\"}");
    assert_int_equal(load("in/s.json"), -EBADMSG);
}

/* All unresolved references are named, in the order of the text, with advice. */
static void test_all_unresolved_references_are_reported(void **state)
{
    (void)state;
    char expected[4 * PATH_MAX];
    tmpdir_write(
        &dir,
        "s.json",
        "{\"properties\": {\n\"a\": {\"$ref\": \"https://x.test/a\"},\n"
        "\"b\": {\"$ref\": \"#/b\"},\n\"c\": {\"$ref\": \"n.json#/c\"}}}");
    tmpdir_write(&dir, "n.json", "{}");
    assert_int_equal(load("s.json"), -EBADMSG);
    snprintf(
        expected,
        sizeof(expected),
        "mcpgate: validate: %s/s.json:2:15: cannot find https://x.test/a; nothing is downloaded: "
        "use --resolve https://x.test/a=FILE, or --resolve DIR for a directory of schemas"
        " (at /properties/a/$ref)\n"
        "  \"a\": {\"$ref\": \"https://x.test/a\"},\n"
        "                ^\n"
        "mcpgate: validate: %s/s.json:3:15: cannot find #/b in this schema"
        " (at /properties/b/$ref)\n"
        "  \"b\": {\"$ref\": \"#/b\"},\n"
        "                ^\n"
        "mcpgate: validate: %s/s.json:4:15: cannot find #/c in file://%s/n.json"
        " (at /properties/c/$ref)\n"
        "  \"c\": {\"$ref\": \"n.json#/c\"}}}\n"
        "                ^\n",
        dir.path,
        dir.path,
        dir.path,
        dir.path);
    assert_string_equal(said, expected);
}

static void test_resolve_rules(void **state)
{
    (void)state;
    char rule[PATH_MAX];
    tmpdir_mkdir(&dir, "remote");
    tmpdir_write(&dir, "remote/n.json", "{\"$ref\": \"m.json\"}");
    tmpdir_write(&dir, "remote/m.json", "{\"type\": \"number\"}");
    tmpdir_write(&dir, "s.json", "{\"$ref\": \"https://x.test/n.json\"}");
    snprintf(rule, sizeof(rule), "https://x.test/=%s/remote", dir.path);
    assert_int_equal(load_with(tmpdir_path(&dir, "s.json"), "", rule), 0);
    assert_int_equal(verdict("1"), 1);
    assert_int_equal(verdict("\"a\""), 0);
}

static void test_standard_input(void **state)
{
    (void)state;
    assert_int_equal(load_with("-", "{\"type\": \"string\"}", NULL), 0);
    assert_int_equal(verdict("1"), 0);
    assert_int_equal(
        load_with("-", "{\"$id\": \"https://x.test/\", \"$ref\": \"#/nowhere\"}", NULL), -EBADMSG);
    assert_non_null(strstr(said, "<stdin>:1:36: "));
    assert_int_equal(load_with("-", "{\"$ref\": \"n.json\"}", NULL), -EBADMSG);
    assert_non_null(strstr(said, " (at /$ref)\n"));
}

/* ---- errors ---- */

static void test_syntax_errors(void **state)
{
    (void)state;
    char expected[PATH_MAX];
    tmpdir_write(&dir, "s.json", "{\n \"type\" 1}");
    assert_int_equal(load("s.json"), -EBADMSG);
    snprintf(
        expected,
        sizeof(expected),
        "mcpgate: validate: %s/s.json:2:9: expected ':' after the member name (at /type)\n"
        "   \"type\" 1}\n"
        "          ^\n",
        dir.path);
    assert_string_equal(said, expected);
}

static void test_meta_schema_errors(void **state)
{
    (void)state;
    char place[PATH_MAX];
    tmpdir_write(&dir, "s.json", "{\"properties\":\n  {\"x\": {\"type\": \"nmber\"}}}");
    assert_int_equal(load("s.json"), -EBADMSG);
    snprintf(place, sizeof(place), "mcpgate: validate: %s/s.json:2:18: ", dir.path);
    assert_memory_equal(said, place, strlen(place));
    assert_non_null(strstr(said, " (at /properties/x/type)\n"));
    assert_non_null(strstr(said, "\n    {\"x\": {\"type\": \"nmber\"}}}\n"));
}

/* In a file that the schema refers to. */
static void test_errors_in_other_files(void **state)
{
    (void)state;
    char place[PATH_MAX];
    tmpdir_write(&dir, "s.json", "{\"$ref\": \"n.json\"}");
    tmpdir_write(&dir, "n.json", "{\n\n\"minLength\": -1}");
    assert_int_equal(load("s.json"), -EBADMSG);
    snprintf(place, sizeof(place), "mcpgate: validate: %s/n.json:3:14: ", dir.path);
    assert_memory_equal(said, place, strlen(place));
    assert_non_null(strstr(said, " (at /minLength)\n"));
    tmpdir_write(&dir, "n.json", "{,}");
    assert_int_equal(load("s.json"), -EBADMSG);
    snprintf(place, sizeof(place), "mcpgate: validate: %s/n.json:1:2: ", dir.path);
    assert_memory_equal(said, place, strlen(place));
}

static void test_hostile_text(void **state)
{
    (void)state;
    tmpdir_write(&dir, "s.json", "{\"$ref\": \"#/\\u001b[2J\"}");
    assert_int_equal(load("s.json"), -EBADMSG);
    assert_null(strchr(said, '\033'));
}

static void test_unreadable(void **state)
{
    (void)state;
    assert_int_equal(load("none.json"), -ENOENT);
    assert_non_null(strstr(said, "/none.json: No such file or directory\n"));
    assert_int_equal(load("."), -EISDIR);
    tmpdir_write(&dir, "s.json", "{\"$ref\": \"n.json\"}");
    tmpdir_write(&dir, "n.json", "{}");
    /* The schema takes two reads; the third is of the schema it refers to. */
    fault_arm(FAULT_READ, 3, EIO);
    assert_int_equal(load("s.json"), -EIO);
    fault_disarm();
    assert_true(run_is_one_line(said));
    assert_non_null(strstr(said, "/n.json: Input/output error\n"));
}

static void test_no_memory(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{\"$ref\": \"n.json\"}", "{\"type\": 1}", "{\"type\" 1}", "{\"$ref\": \"#/none\"}"};
    tmpdir_write(&dir, "n.json", "{\"type\": \"string\"}");
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        tmpdir_write(&dir, "s.json", texts[i]);
        unsigned at = 0;
        do {
            fault_arm(FAULT_RESIZE, ++at, ENOMEM);
            int r = load("s.json");
            assert_true(fault.hit || i != 0 ? r < 0 : r == 0);
            assert_true(r == 0 || run_is_message(said));
            cli_schema_done(&schema);
            assert_int_equal(fault.live_blocks, 0);
            assert_int_equal(fault.open_fds, 0);
        } while (fault.hit);
        assert_true(at > 10);
    }
}

#define SCHEMA_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(test_one_file),
        SCHEMA_TEST(test_siblings),
        SCHEMA_TEST(test_many_notes),
        SCHEMA_TEST(test_relative_path),
        SCHEMA_TEST(test_references_to_neighbours),
        SCHEMA_TEST(test_references_outside_the_directory),
        SCHEMA_TEST(test_all_unresolved_references_are_reported),
        SCHEMA_TEST(test_resolve_rules),
        SCHEMA_TEST(test_standard_input),
        SCHEMA_TEST(test_syntax_errors),
        SCHEMA_TEST(test_meta_schema_errors),
        SCHEMA_TEST(test_errors_in_other_files),
        SCHEMA_TEST(test_hostile_text),
        SCHEMA_TEST(test_unreadable),
        SCHEMA_TEST(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
