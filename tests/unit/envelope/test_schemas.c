#define _GNU_SOURCE 1 /* asprintf */

#include <errno.h>
#include <stdio.h>

#include "envelope/embedded.h"
#include "envelope/schemas.h"
#include "jsv/base/embedded.h"
#include "support/files.h"
#include "support/torture.h"
#include "unit/envelope/quoted.h"

/* ---- the embedded ones ---- */

/* With their meta-schemas, which the program itself trusts them to fit. */
static void test_all_fit_their_meta_schemas(void **state)
{
    (void)state;
    struct jsv_registry *registry = jsv_registry_new(NULL, NULL);
    assert_non_null(registry);
    const struct jsv_embedded *file;
    char uri[256];
    for (file = envelope_embedded; file->name; file++) {
        snprintf(uri, sizeof(uri), "test:/%s", file->name);
        struct jsv_str text = {file->data, file->size};
        assert_int_equal(jsv_registry_add(registry, jsv_str_from(uri), text, NULL), 0);
    }
    for (file = envelope_embedded; file->name; file++) {
        snprintf(uri, sizeof(uri), "test:/%s", file->name);
        struct jsv_schema *schema;
        assert_int_equal(jsv_schema_compile(registry, jsv_str_from(uri), NULL, &schema, NULL), 0);
        jsv_schema_free(schema);
    }
    jsv_registry_free(registry);
}

/* Embedding removes white space and nothing else. */
static void test_embedded_as_published(void **state)
{
    struct json_fixture *fixture = *state;
    for (const struct jsv_embedded *file = envelope_embedded; file->name; file++) {
        char path[256];
        snprintf(path, sizeof(path), "schemas/envelope/%s", file->name);
        struct jsv_str source = files_read(path);
        struct jsv_value a = json_fixture_read_str(fixture, source, 0);
        struct jsv_str text = envelope_schemas_text(jsv_str_from(file->name));
        struct jsv_value b = json_fixture_read_str(fixture, text, 0);
        assert_int_equal(jsv_value_equal(a, b, &fixture->scratch), 1);
        free((void *)(uintptr_t)source.data);
    }
    assert_null(envelope_schemas_text(JSV_STR("no-such.json")).data);
    assert_null(envelope_schemas_text(JSV_STR("")).data);
}

static int make(const struct jsv_allocator *allocator, void *state)
{
    (void)state;
    struct envelope_schemas *schemas;
    int r = envelope_schemas_new(allocator, &schemas);
    if (r == 0) {
        envelope_schemas_free(schemas);
    }
    return r;
}

static void test_no_memory(void **state)
{
    (void)state;
    envelope_schemas_free(NULL);
    assert_true(torture_run(make, NULL) > 10);
}

static void test_replies_of_other_statuses(void **state)
{
    struct json_fixture *fixture = *state;
    static const struct {
        enum envelope_schema schema;
        int verdict;
        const char *message;
    } cases[] = {
        {ENVELOPE_SCHEMA_ENV_REQUEST,
         1,
         "{'jsonrpc':'2.0','id':'a','method':'m','params':{},'x':1}"},
        {ENVELOPE_SCHEMA_ENV_REQUEST, 0, "{'jsonrpc':'2.0','id':'','method':'m','params':{}}"},
        {ENVELOPE_SCHEMA_ENV_REQUEST, 0, "{'jsonrpc':'2.0','id':1,'method':'m','params':{}}"},
        {ENVELOPE_SCHEMA_ENV_REQUEST, 0, "{'jsonrpc':'1.0','id':'a','method':'m','params':{}}"},
        {ENVELOPE_SCHEMA_ENV_REQUEST, 0, "{'jsonrpc':'2.0','id':'a','method':'','params':{}}"},
        {ENVELOPE_SCHEMA_ENV_REQUEST, 0, "{'jsonrpc':'2.0','id':'a','method':'m','params':[]}"},
        {ENVELOPE_SCHEMA_ENV_REQUEST, 0, "{'jsonrpc':'2.0','id':'a','method':'m'}"},
        {ENVELOPE_SCHEMA_ENV_TOOL_IO, 1, "{'tool':'t','input':{},'output':{}}"},
        {ENVELOPE_SCHEMA_ENV_TOOL_IO, 0, "{'tool':'t','input':[]}"},
        {ENVELOPE_SCHEMA_ENV_TOOL_IO, 0, "{'tool':'t','output':'x'}"},
        {ENVELOPE_SCHEMA_ENV_TOOL_IO, 0, "{'input':{}}"},
    };
    struct envelope_schemas *schemas;
    struct jsv_validator *validator = jsv_validator_new(NULL, NULL);
    assert_int_equal(envelope_schemas_new(NULL, &schemas), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct jsv_schema *schema = envelope_schemas_get(schemas, cases[i].schema);
        struct jsv_value message = quoted_read(fixture, cases[i].message);
        assert_int_equal(jsv_validate(validator, schema, message), cases[i].verdict);
    }
    envelope_schemas_free(schemas);
    jsv_validator_free(validator);
}

/* ---- the same verdicts as the schemas of others ---- */

#define HEX "abababababababababababababababababababababababababababababababab"

#define EVIDENCE                                                                                   \
    "[{'schema_version':'evidence.v0.1','field':'f','source':'artifact:a','method':'m',"           \
    "'note':'n'}]"
#define ARTIFACT                                                                                   \
    "{'schema_version':'artifact.v0.1','artifact_id':'a','media_type':'text/plain',"               \
    "'locator':'l','size_bytes':1,'digest':{'alg':'sha256','value':'" HEX "'},"                    \
    "'labels':{'role':'r'}}"
#define RECORD                                                                                     \
    "{'schema_version':'prov.record.v0.1','run_id':'r','tool':{'name':'n','version':'1',"          \
    "'adapter':'mcp'},'time':'2025-10-13T15:10:00Z','inputs':[" ARTIFACT "],'outputs':[" ARTIFACT  \
    "],'methods':['a.b_c'],'evidence':" EVIDENCE ",'parents':['p'],'integrity':{"                  \
    "'record_digest':{'alg':'sha512','value':'" HEX "'},"                                          \
    "'signature':{'alg':'x','key_id':'k','value':'0123456789abcdef'}}}"
#define ENVELOPE                                                                                   \
    "{'schema_version':'mcp.envelope.v0.1','result':{'a':1},'provenance':" RECORD                  \
    ",'errors':[{'code':'C','message':'m','details':{'a':1,'b':null},'retryable':true,"            \
    "'evidence':" EVIDENCE "}],'warnings':[{'code':'C','message':'m','details':{'s':'x'},"         \
    "'evidence':" EVIDENCE "}],'meta':{'adapter':'a','request_id':'r','duration_ms':1,"            \
    "'schema_hints':{'a':'b'}}}"
#define REQUEST                                                                                    \
    "{'schema_version':'mcp.request.v0.1','request_id':'r','tool':{'name':'n','version':'1'},"     \
    "'params':{'a':1},'artifacts':[{'schema_version':'artifact.ref.v0.1','artifact_id':'a',"       \
    "'locator':'l','media_type':'m','digest':{'alg':'blake3','value':'" HEX                        \
    "'},'labels':{'a':'b'}}],'preferences':{'deterministic':true,'max_output_bytes':1,"            \
    "'locale':'de'},'time':'2025-10-13T15:10:00Z'}"
#define REFERENCE_REQUEST                                                                          \
    "{'id':'i','version':'1.0.0','timestamp':'2025-10-13T15:10:00Z','tool':'a.b/c-d_E0',"          \
    "'trace_id':'t','context':{'a':1},'auth':{'type':'basic','token':'t','scopes':['a']},"         \
    "'metadata':{'b':1},'payload':{'c':1}}"
#define REFERENCE_RESPONSE                                                                         \
    "{'id':'i','version':'1.20.3','status':{'code':'retry','http':200,'message':'m'},"             \
    "'timestamp':'2025-10-13T15:10:00Z','duration_ms':1.5,'output':{'a':1},'metadata':{'a':1},"    \
    "'headers':{'a':'b'},'errors':[{'code':'c','message':'m','detail':{'d':1}}]}"

/* What takes the place of each part of a document; "%" is as many x as the number after it. */
static const char *const replacements[] = {
    "null",
    "true",
    "0",
    "1.0",
    "-1",
    "1.5",
    "99",
    "600",
    "''",
    "'x'",
    "'X y'",
    "'a-b.c'",
    "'1.2.x'",
    "'sha256'",
    "'none'",
    "'accepted'",
    "'mcp.envelope.v0.1'",
    "'2025-13-01T00:00:00Z'",
    "'0123456789ABCDEF'",
    "'0123456789abcde'",
    "%15",
    "%16",
    "%50",
    "%51",
    "%100",
    "%101",
    "%200",
    "%201",
    "%400",
    "%401",
    "%1000",
    "%1001",
    "%2000",
    "%2001",
    "%5000",
    "%5001",
    "[]",
    "[{}]",
    "['a']",
    "{}",
    "{'artifact_id':'a'}",
    "{'schema_version':'artifact.ref.v0.1','locator':'l'}",
    "{'x':{}}",
};

struct comparison {
    struct json_fixture *fixture;
    struct jsv_validator *validator;
    const struct jsv_schema *ours;
    const struct jsv_schema *theirs;
    size_t valid;
    size_t invalid;
};

static void compare(struct comparison *comparison, struct jsv_str text)
{
    struct jsv_document *document = jsv_document_new(NULL);
    assert_int_equal(jsv_read(comparison->fixture->reader, document, text, 0, NULL), 0);
    struct jsv_value value = jsv_document_root(document);
    int ours = jsv_validate(comparison->validator, comparison->ours, value);
    int theirs = jsv_validate(comparison->validator, comparison->theirs, value);
    if (ours != theirs) {
        fail_msg("%d, not %d: %.*s", ours, theirs, (int)text.size, text.data);
    }
    comparison->valid += ours == 1;
    comparison->invalid += ours == 0;
    jsv_document_free(document);
}

static void put_replacement(struct jsv_buf *out, const char *text)
{
    if (*text == '%') {
        jsv_buf_append_byte(out, '"');
        for (long i = strtol(text + 1, NULL, 10); i > 0; i--) {
            jsv_buf_append_byte(out, 'x');
        }
        jsv_buf_append_byte(out, '"');
        return;
    }
    for (; *text; text++) {
        jsv_buf_append_byte(out, *text == '\'' ? '"' : *text);
    }
}

/* The document with a part of its text replaced. */
static void compare_with(
    struct comparison *comparison,
    struct jsv_str whole,
    struct jsv_value part,
    const char *replacement)
{
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    size_t offset = jsv_value_offset(part);
    size_t end = offset + jsv_value_span(part).size;
    jsv_buf_append(&text, whole.data, offset);
    put_replacement(&text, replacement);
    jsv_buf_append(&text, whole.data + end, whole.size - end);
    compare(comparison, jsv_buf_str(&text));
    jsv_buf_done(&text);
}

/* Without each member in turn, and with one more. */
static void
compare_members(struct comparison *comparison, struct jsv_str whole, struct jsv_value object)
{
    struct jsv_iter skipped = jsv_value_iter(object);
    bool more = true;
    while (more) {
        more = jsv_iter_next(&skipped);
        struct jsv_buf text;
        jsv_buf_init(&text, NULL, SIZE_MAX);
        struct jsv_writer writer = jsv_writer_on(&text);
        jsv_write_object_begin(&writer);
        struct jsv_iter iter = jsv_value_iter(object);
        while (jsv_iter_next(&iter)) {
            if (!more || iter.key.node != skipped.key.node) {
                jsv_write_member_value(&writer, jsv_value_text(iter.key), iter.value);
            }
        }
        if (!more) {
            jsv_write_member_int64(&writer, JSV_STR("extra"), 1);
        }
        jsv_write_object_end(&writer);
        jsv_buf_append_byte(&text, '\0');
        compare_with(comparison, whole, object, text.data);
        jsv_buf_done(&text);
    }
}

/* Every part of a document replaced by everything. @param depth Of the documents above: small. */
static void compare_parts(
    struct comparison *comparison, struct jsv_str whole, struct jsv_value value, unsigned depth)
{
    assert_true(depth < 10);
    for (size_t i = 0; i < sizeof(replacements) / sizeof(replacements[0]); i++) {
        compare_with(comparison, whole, value, replacements[i]);
    }
    if (jsv_value_type(value) == JSV_TYPE_OBJECT) {
        compare_members(comparison, whole, value);
    }
    struct jsv_iter iter = jsv_value_iter(value);
    while (jsv_iter_next(&iter)) {
        compare_parts(comparison, whole, iter.value, depth + 1);
    }
}

static void add_file(const char *path, void *data)
{
    char *uri = NULL;
    assert_true(asprintf(&uri, "test:/%s", strrchr(path, '/') + 1) > 0);
    struct jsv_str text = files_read(path);
    assert_int_equal(jsv_registry_add(data, jsv_str_from(uri), text, NULL), 0);
    free((void *)(uintptr_t)text.data);
    free(uri);
}

static const struct {
    const char *directory;
    const char *file;
    enum envelope_schema ours;
    bool assert_format;
    const char *document;
} published[] = {
    {"provenance/spec/schemas",
     "mcp.envelope.schema.v0.1.json",
     ENVELOPE_SCHEMA_ENVELOPE,
     false,
     ENVELOPE},
    {"provenance/spec/schemas",
     "mcp.request.schema.v0.1.json",
     ENVELOPE_SCHEMA_REQUEST,
     false,
     REQUEST},
    {"provenance/spec/schemas",
     "prov.record.schema.v0.1.json",
     ENVELOPE_SCHEMA_RECORD,
     false,
     RECORD},
    {"envelope-1.0.0",
     "request.schema.json",
     ENVELOPE_SCHEMA_REFERENCE_REQUEST,
     true,
     REFERENCE_REQUEST},
    {"envelope-1.0.0",
     "response.schema.json",
     ENVELOPE_SCHEMA_REFERENCE_RESPONSE,
     true,
     REFERENCE_RESPONSE},
};

static void compare_published(struct comparison *comparison, const char *shared, size_t index)
{
    char path[512];
    struct jsv_registry *registry = jsv_registry_new(NULL, NULL);
    struct jsv_schema *theirs = NULL;
    snprintf(path, sizeof(path), "%s/data/%s", shared, published[index].directory);
    assert_true(files_each(path, ".json", add_file, registry) > 0);
    snprintf(path, sizeof(path), "test:/%s", published[index].file);
    struct jsv_schema_options options = {.assert_format = published[index].assert_format};
    assert_int_equal(jsv_schema_compile(registry, jsv_str_from(path), &options, &theirs, NULL), 0);
    comparison->theirs = theirs;
    struct jsv_str whole = quoted(comparison->fixture, published[index].document);
    compare(comparison, whole);
    assert_int_equal(comparison->valid, 1);
    compare_parts(comparison, whole, json_fixture_read_str(comparison->fixture, whole, 0), 0);
    assert_true(comparison->valid > 100);
    assert_true(comparison->invalid > 100);
    jsv_schema_free(theirs);
    jsv_registry_free(registry);
}

static void test_verdicts_are_the_same(void **state)
{
    const char *shared = getenv("MCPGATE_SHARED");
    char path[512];
    snprintf(path, sizeof(path), "%s/data/provenance/LICENSE", shared ? shared : "");
    FILE *present = fopen(path, "r");
    if (!present) {
        print_message("no test data in MCPGATE_SHARED\n");
        skip();
    }
    fclose(present);
    struct envelope_schemas *schemas;
    struct jsv_validator *validator = jsv_validator_new(NULL, NULL);
    assert_int_equal(envelope_schemas_new(NULL, &schemas), 0);
    for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++) {
        struct comparison comparison = {
            .fixture = *state,
            .validator = validator,
            .ours = envelope_schemas_get(schemas, published[i].ours),
        };
        compare_published(&comparison, shared, i);
    }
    envelope_schemas_free(schemas);
    jsv_validator_free(validator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_fit_their_meta_schemas),
        JSON_TEST(test_embedded_as_published),
        cmocka_unit_test(test_no_memory),
        JSON_TEST(test_replies_of_other_statuses),
        JSON_TEST(test_verdicts_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
