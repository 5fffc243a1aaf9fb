#include "schema_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jsv/schema/registry/registry.h"
#include "jsv/schema/report/explain.h"

#define LISTING_MAX ((size_t)1 << 20)

/* Something that lives as long as the fixture: a text, and perhaps its document. */
struct schema_fixture_text {
    struct schema_fixture_text *next;
    struct jsv_document *document;
    char *data;
};

static struct schema_fixture_text *keep_text(struct schema_fixture *fixture, struct jsv_str text)
{
    struct schema_fixture_text *kept = calloc(1, sizeof(*kept));
    assert_non_null(kept);
    kept->data = malloc(text.size ? text.size : 1);
    assert_non_null(kept->data);
    memcpy(kept->data, text.data, text.size);
    kept->next = fixture->texts;
    fixture->texts = kept;
    return kept;
}

struct jsv_str schema_fixture_quoted(struct schema_fixture *fixture, const char *text)
{
    struct jsv_str copy = jsv_str_from(text);
    char *data = keep_text(fixture, copy)->data;
    for (size_t i = 0; i < copy.size; i++) {
        data[i] = text[i] == '\'' ? '"' : text[i];
    }
    return (struct jsv_str){data, copy.size};
}

static void forget(struct schema_fixture *fixture)
{
    jsv_schema_free(fixture->schema);
    jsv_registry_free(fixture->registry);
    jsv_validator_free(fixture->validator);
    fixture->schema = NULL;
    fixture->registry = NULL;
    fixture->validator = NULL;
}

int schema_fixture_setup(void **state)
{
    struct schema_fixture *fixture = calloc(1, sizeof(*fixture));
    assert_non_null(fixture);
    fixture->draft = JSV_DRAFT_2020_12;
    fixture->reader = jsv_reader_new(NULL, NULL);
    assert_non_null(fixture->reader);
    *state = fixture;
    return 0;
}

int schema_fixture_teardown(void **state)
{
    struct schema_fixture *fixture = *state;
    forget(fixture);
    jsv_reader_free(fixture->reader);
    while (fixture->texts) {
        struct schema_fixture_text *text = fixture->texts;
        fixture->texts = text->next;
        jsv_document_free(text->document);
        free(text->data);
        free(text);
    }
    free(fixture);
    return 0;
}

const char *schema_fixture_draft_name(enum jsv_draft draft)
{
    static const char *const names[] = {"4", "6", "7", "2019-09", "2020-12"};
    return names[draft];
}

static int resolve(void *context, struct jsv_str uri, struct jsv_str *ret_text)
{
    struct schema_fixture *fixture = context;
    const struct schema_remote *remote = fixture->remotes;
    for (; remote && remote->uri; remote++) {
        if (jsv_str_equal(uri, jsv_str_from(remote->uri))) {
            if (!remote->text) {
                return remote->error;
            }
            *ret_text = schema_fixture_quoted(fixture, remote->text);
            return 0;
        }
    }
    return -ENOENT;
}

void schema_fixture_reset(struct schema_fixture *fixture)
{
    forget(fixture);
    struct jsv_registry_options options = {
        .draft = fixture->draft,
        .resolver = fixture->remotes ? resolve : NULL,
        .resolver_context = fixture,
    };
    fixture->registry = jsv_registry_new(fixture->allocator, &options);
    fixture->validator = jsv_validator_new(fixture->allocator, fixture->limits);
    assert_non_null(fixture->registry);
    assert_non_null(fixture->validator);
}

/* Junk, so that a fault that is left as it was is seen. */
static void spoil_fault(struct schema_fixture *fixture)
{
    memset(&fixture->fault, 0xA5, sizeof(fixture->fault));
}

int schema_fixture_add(struct schema_fixture *fixture, const char *uri, const char *text)
{
    spoil_fault(fixture);
    return jsv_registry_add(
        fixture->registry,
        jsv_str_from(uri),
        schema_fixture_quoted(fixture, text),
        &fixture->fault);
}

const struct jsv_resource *schema_fixture_find(struct schema_fixture *fixture, const char *uri)
{
    struct jsv_resource *resource = NULL;
    int r = jsv_registry_find(fixture->registry, NULL, jsv_str_from(uri), &resource, NULL);
    assert_int_equal(r, resource ? 0 : -ENOENT);
    return resource;
}

int schema_fixture_compile_uri(struct schema_fixture *fixture, const char *uri)
{
    spoil_fault(fixture);
    jsv_schema_free(fixture->schema);
    fixture->schema = NULL;
    return jsv_schema_compile(
        fixture->registry, jsv_str_from(uri), &fixture->options, &fixture->schema, &fixture->fault);
}

int schema_fixture_compile_str(struct schema_fixture *fixture, struct jsv_str text)
{
    schema_fixture_reset(fixture);
    spoil_fault(fixture);
    int r = jsv_registry_add(fixture->registry, JSV_STR("urn:test"), text, &fixture->fault);
    return r < 0 ? r : schema_fixture_compile_uri(fixture, "urn:test");
}

int schema_fixture_compile(struct schema_fixture *fixture, const char *text)
{
    return schema_fixture_compile_str(fixture, schema_fixture_quoted(fixture, text));
}

void schema_fixture_use(struct schema_fixture *fixture, const char *text)
{
    int r = schema_fixture_compile(fixture, text);
    if (r < 0) {
        fail_msg(
            "draft %s: %s: %d at %.*s: %.*s",
            schema_fixture_draft_name(fixture->draft),
            text,
            r,
            (int)fixture->fault.pointer.size,
            fixture->fault.pointer.data,
            (int)fixture->fault.message.size,
            fixture->fault.message.data);
    }
}

struct jsv_value schema_fixture_read_str(struct schema_fixture *fixture, struct jsv_str text)
{
    struct schema_fixture_text *kept = keep_text(fixture, text);
    kept->document = jsv_document_new(NULL);
    assert_non_null(kept->document);
    struct jsv_str copy = {kept->data, text.size};
    assert_int_equal(jsv_read(fixture->reader, kept->document, copy, 0, NULL), 0);
    return jsv_document_root(kept->document);
}

struct jsv_value schema_fixture_read(struct schema_fixture *fixture, const char *text)
{
    return schema_fixture_read_str(fixture, schema_fixture_quoted(fixture, text));
}

/* The report without the program's help is the same; how many steps they take is not. */
static void expect_same_report(struct schema_fixture *fixture, struct jsv_value value, int reported)
{
    struct jsv_validator *validator = jsv_validator_new(NULL, fixture->limits);
    assert_non_null(validator);
    struct jsv_problems problems = {0};
    int explained = jsv_explain_report(fixture->schema, value, validator, false, &problems);
    if (explained >= 0) {
        assert_int_equal(explained, reported);
        assert_int_equal(problems.count, fixture->problems.count);
        assert_int_equal(problems.more, fixture->problems.more);
    }
    for (size_t i = 0; explained >= 0 && i < problems.count; i++) {
        const struct jsv_problem *problem = &fixture->problems.items[i];
        assert_true(jsv_str_equal(problems.items[i].path, problem->path));
        assert_true(jsv_str_equal(problems.items[i].message, problem->message));
        assert_true(jsv_str_equal(problems.items[i].schema_path, problem->schema_path));
    }
    jsv_validator_free(validator);
}

int schema_fixture_verdict(struct schema_fixture *fixture, struct jsv_value value)
{
    int verdict = jsv_validate(fixture->validator, fixture->schema, value);
    fixture->problems = (struct jsv_problems){0};
    int reported =
        jsv_validate_report(fixture->validator, fixture->schema, value, &fixture->problems);
    assert_int_equal(verdict, reported);
    if (verdict >= 0) {
        expect_same_report(fixture, value, reported);
        assert_int_equal(verdict, fixture->problems.count == 0);
    }
    return verdict;
}

void schema_fixture_expect_fault(
    struct schema_fixture *fixture, const char *schema, const char *pointer, const char *message)
{
    assert_int_equal(schema_fixture_compile(fixture, schema), -EBADMSG);
    assert_null(fixture->schema);
    struct jsv_str expected = schema_fixture_quoted(fixture, message);
    struct jsv_str actual = fixture->fault.message;
    bool begins =
        actual.size >= expected.size && memcmp(actual.data, expected.data, expected.size) == 0;
    if (!begins || !jsv_str_equal(fixture->fault.pointer, jsv_str_from(pointer))) {
        fail_msg(
            "draft %s: %s:\n at %.*s: %.*s",
            schema_fixture_draft_name(fixture->draft),
            schema,
            (int)fixture->fault.pointer.size,
            fixture->fault.pointer.data,
            (int)actual.size,
            actual.data);
    }
}

/* The problems of the last report as lines. */
static void list_problems(const struct schema_fixture *fixture, struct jsv_buf *listing)
{
    for (size_t i = 0; i < fixture->problems.count; i++) {
        const struct jsv_problem *problem = &fixture->problems.items[i];
        jsv_buf_append_str(listing, i ? JSV_STR("\n") : JSV_STR(""));
        jsv_buf_append_str(listing, problem->path);
        jsv_buf_append_str(listing, JSV_STR(": "));
        jsv_buf_append_str(listing, problem->message);
        jsv_buf_append_str(listing, JSV_STR(" ("));
        jsv_buf_append_str(listing, problem->keyword);
        jsv_buf_append_str(listing, JSV_STR(" "));
        jsv_buf_append_str(listing, problem->schema_path);
        jsv_buf_append_str(listing, JSV_STR(")"));
    }
    assert_int_equal(listing->error, 0);
}

static void expect_in(
    struct schema_fixture *fixture, const char *schema, const char *instance, const char *problems)
{
    int verdict = schema_fixture_verdict(fixture, schema_fixture_read(fixture, instance));
    struct jsv_buf listing;
    jsv_buf_init(&listing, NULL, LISTING_MAX);
    list_problems(fixture, &listing);
    struct jsv_str expected = schema_fixture_quoted(fixture, problems ? problems : "");
    if (verdict != !problems || !jsv_str_equal(jsv_buf_str(&listing), expected)) {
        print_error(
            "draft %s: %s\n with %s: %d\n%.*s\n",
            schema_fixture_draft_name(fixture->draft),
            schema,
            instance,
            verdict,
            (int)listing.size,
            listing.data ? listing.data : "");
        jsv_buf_done(&listing);
        fail();
    }
    jsv_buf_done(&listing);
}

void schema_fixture_expect(
    struct schema_fixture *fixture, const char *instance, const char *problems)
{
    expect_in(fixture, "the schema", instance, problems);
}

void schema_fixture_run(
    struct schema_fixture *fixture, const struct schema_case *cases, size_t count)
{
    const char *schema = NULL;
    for (size_t i = 0; i < count; i++) {
        schema = cases[i].schema ? cases[i].schema : schema;
        for (unsigned draft = cases[i].first; draft <= cases[i].last; draft++) {
            fixture->draft = (enum jsv_draft)draft;
            schema_fixture_use(fixture, schema);
            expect_in(fixture, schema, cases[i].instance, cases[i].problems);
        }
    }
}
