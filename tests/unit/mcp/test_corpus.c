/*
 * The embedded definitions against the official schemas, on a corpus of
 * messages: both say the same about every message, and every definition says
 * the same about every value in one, whatever it was meant for. Skipped where
 * the corpus is not at hand: MCPGATE_SHARED names the directory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/files.h"
#include "unit/mcp/checking.h"

#define DEFINITIONS_MAX 256

/* A version, twice: [0] embedded, [1] official. */
struct twins {
    struct mcp_definitions *definitions[2];
    const struct jsv_schema *schemas[2][DEFINITIONS_MAX];
    size_t count;
};

struct corpus {
    struct checking *checking;
    struct twins twins[MCP_VERSION_COUNT];
    size_t messages;
    size_t named;
    size_t verdicts;
};

static void shared_path(char *out, size_t size, const char *file)
{
    snprintf(out, size, "%s/%s", getenv("MCPGATE_SHARED"), file);
}

static struct jsv_value read_file(struct json_fixture *fixture, const char *file)
{
    char path[1024];
    shared_path(path, sizeof(path), file);
    struct jsv_str text = files_read(path);
    struct jsv_value root = json_fixture_read_str(fixture, text, 0);
    free((void *)(uintptr_t)text.data);
    return root;
}

/* ---- the two sets of definitions ---- */

static void find_twins(struct twins *twins, enum mcp_version version, struct jsv_str name)
{
    assert_true(twins->count < DEFINITIONS_MAX);
    for (int i = 0; i < 2; i++) {
        const struct jsv_schema **place = &twins->schemas[i][twins->count];
        if (mcp_definitions_find(twins->definitions[i], version, name, place) != 0) {
            fail_msg("%s: %.*s", mcp_version_name(version), (int)name.size, name.data);
        }
    }
    twins->count++;
}

static void open_twins(struct corpus *corpus, enum mcp_version version)
{
    struct twins *twins = &corpus->twins[version];
    char file[64];
    snprintf(file, sizeof(file), "data/mcp-schema/%s/schema.json", mcp_version_name(version));
    struct jsv_value root = read_file(corpus->checking->json, file);
    struct mcp_official official = {jsv_value_span(root), MCP_VERSION_COUNT};
    struct mcp_fault fault;
    assert_int_equal(mcp_definitions_new(NULL, &twins->definitions[0], NULL), 0);
    assert_int_equal(mcp_definitions_new(&official, &twins->definitions[1], &fault), 0);
    const char *key = version < MCP_VERSION_2025_11_25 ? "definitions" : "$defs";
    struct jsv_iter iter = jsv_value_iter(jsv_value_get(root, jsv_str_from(key)));
    while (jsv_iter_next(&iter)) {
        find_twins(twins, version, jsv_value_text(iter.key));
    }
}

static void close_twins(struct twins *twins)
{
    mcp_definitions_free(twins->definitions[0]);
    mcp_definitions_free(twins->definitions[1]);
}

/* ---- values ---- */

static void compare_value(struct corpus *corpus, enum mcp_version version, struct jsv_value value)
{
    const struct twins *twins = &corpus->twins[version];
    struct jsv_validator *validator = corpus->checking->check.validator;
    for (size_t i = 0; i < twins->count; i++) {
        int embedded = jsv_validate(validator, twins->schemas[0][i], value);
        int official = jsv_validate(validator, twins->schemas[1][i], value);
        if (embedded != official || embedded < 0) {
            struct jsv_str text = jsv_value_span(value);
            fail_msg(
                "definition %zu: %d, %d: %.*s", i, embedded, official, (int)text.size, text.data);
        }
    }
    corpus->verdicts += twins->count;
}

/* A value and the containers and members in it, as far as messages of the protocol go down. */
static void
compare_values(struct corpus *corpus, enum mcp_version version, struct jsv_value value, int depth)
{
    compare_value(corpus, version, value);
    struct jsv_iter iter = jsv_value_iter(value);
    while (depth > 0 && jsv_iter_next(&iter)) {
        compare_values(corpus, version, iter.value, depth - 1);
    }
}

/* ---- messages ---- */

static struct mcp_verdict
verdict_of(struct corpus *corpus, enum mcp_version version, struct jsv_value value, int which)
{
    struct mcp_check check = corpus->checking->check;
    struct mcp_verdict verdict;
    check.version = version;
    check.definitions = corpus->twins[version].definitions[which];
    assert_int_equal(mcp_check(&check, value, &verdict), 0);
    return verdict;
}

static void
compare_message(struct corpus *corpus, enum mcp_version version, struct jsv_value value, bool valid)
{
    struct mcp_verdict embedded = verdict_of(corpus, version, value, 0);
    struct mcp_verdict official = verdict_of(corpus, version, value, 1);
    assert_int_equal(embedded.layer == MCP_LAYER_NONE, valid);
    assert_int_equal(embedded.layer, official.layer);
    assert_int_equal(embedded.code, official.code);
    assert_int_equal(embedded.shape.kind, official.shape.kind);
    assert_ptr_equal(embedded.definition, official.definition);
    corpus->messages++;
}

static void compare_named(
    struct corpus *corpus,
    enum mcp_version version,
    struct jsv_str name,
    struct jsv_value value,
    bool valid)
{
    struct jsv_validator *validator = corpus->checking->check.validator;
    const struct jsv_schema *schema;
    struct mcp_definitions *definitions = corpus->twins[version].definitions[0];
    assert_int_equal(mcp_definitions_find(definitions, version, name, &schema), 0);
    assert_int_equal(jsv_validate(validator, schema, value), valid);
    corpus->named++;
}

static void run_case(struct corpus *corpus, struct jsv_value corpus_case)
{
    struct jsv_value value = jsv_value_get(corpus_case, JSV_STR("value"));
    struct jsv_str via = jsv_value_text(jsv_value_get(corpus_case, JSV_STR("via")));
    if (jsv_value_type(value) == JSV_TYPE_NONE || !jsv_str_equal(via, JSV_STR("check"))) {
        return;
    }
    enum mcp_version version;
    struct jsv_str name = jsv_value_text(jsv_value_get(corpus_case, JSV_STR("version")));
    assert_int_equal(mcp_version_from_name(name, &version), 0);
    struct jsv_value expected = jsv_value_get(corpus_case, JSV_STR("expect"));
    bool valid = jsv_value_bool(jsv_value_get(expected, JSV_STR("ok")));
    struct jsv_value as = jsv_value_get(corpus_case, JSV_STR("as"));
    if (jsv_value_type(as) == JSV_TYPE_STRING) {
        compare_named(corpus, version, jsv_value_text(as), value, valid);
    } else {
        compare_message(corpus, version, value, valid);
    }
    compare_values(corpus, version, value, 4);
}

static void test_verdicts_are_the_same(void **state)
{
    struct corpus corpus = {.checking = *state};
    for (enum mcp_version version = 0; version < MCP_VERSION_COUNT; version++) {
        open_twins(&corpus, version);
    }
    char path[1024];
    shared_path(path, sizeof(path), "mcp/corpus/cases.jsonl");
    struct jsv_str text = files_read(path);
    const char *end = text.data + text.size;
    for (const char *line = text.data; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *stop = newline ? newline : end;
        struct jsv_str one = {line, (size_t)(stop - line)};
        if (one.size > 0) {
            run_case(&corpus, json_fixture_read_str(corpus.checking->json, one, 0));
        }
        line = stop + 1;
    }
    free((void *)(uintptr_t)text.data);
    for (enum mcp_version version = 0; version < MCP_VERSION_COUNT; version++) {
        close_twins(&corpus.twins[version]);
    }
    print_message(
        "%zu messages, %zu named, %zu verdicts\n", corpus.messages, corpus.named, corpus.verdicts);
    assert_true(corpus.messages > 1000 && corpus.named > 3000 && corpus.verdicts > 1000000);
}

int main(void)
{
    char path[1024];
    if (getenv("MCPGATE_SHARED")) {
        shared_path(path, sizeof(path), "mcp/corpus/cases.jsonl");
    }
    if (!getenv("MCPGATE_SHARED") || access(path, R_OK) != 0) {
        puts("skipped: no corpus of messages (MCPGATE_SHARED)");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        CHECKING_TEST(test_verdicts_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
