/*
 * One object for the common case: a schema that needs no others, and all that
 * checking texts against it takes.
 */
#include <jsv/schema.h>

#include "jsv/base/alloc.h"

struct jsv_checker {
    struct jsv_allocator allocator;
    struct jsv_registry *registry;
    struct jsv_schema *schema; /* NULL: it was refused, see status and error */
    struct jsv_reader *reader;
    struct jsv_document *document;
    struct jsv_validator *validator;
    int status;
    struct jsv_error error;
    struct jsv_problem not_json;
};

static int
compile(struct jsv_checker *checker, struct jsv_str text, const struct jsv_schema_options *options)
{
    struct jsv_str uri = {"", 0};
    int r = jsv_registry_add(checker->registry, uri, text, &checker->error);
    if (r == 0) {
        r = jsv_schema_compile(checker->registry, uri, options, &checker->schema, &checker->error);
    }
    return r;
}

struct jsv_checker *jsv_checker_new(
    const struct jsv_allocator *allocator,
    struct jsv_str schema_text,
    const struct jsv_schema_options *options)
{
    struct jsv_allocator own = jsv_allocator_or_default(allocator);
    struct jsv_checker *checker = jsv_alloc(&own, sizeof(*checker));
    if (!checker) {
        return NULL;
    }
    *checker = (struct jsv_checker){
        .allocator = own,
        .registry = jsv_registry_new(&own, NULL),
        .reader = jsv_reader_new(&own, NULL),
        .document = jsv_document_new(&own),
        .validator = jsv_validator_new(&own, NULL),
    };
    bool has_all = checker->registry && checker->reader && checker->document && checker->validator;
    checker->status = has_all ? compile(checker, schema_text, options) : JSV_NO_MEMORY;
    if (checker->status == JSV_NO_MEMORY) {
        jsv_checker_free(checker);
        return NULL;
    }
    return checker;
}

void jsv_checker_free(struct jsv_checker *checker)
{
    if (!checker) {
        return;
    }
    struct jsv_allocator own = checker->allocator;
    jsv_validator_free(checker->validator);
    jsv_document_free(checker->document);
    jsv_reader_free(checker->reader);
    jsv_schema_free(checker->schema);
    jsv_registry_free(checker->registry);
    jsv_dealloc(&own, checker, sizeof(*checker));
}

int jsv_checker_status(const struct jsv_checker *checker, struct jsv_error *reterr_error)
{
    if (!checker) {
        return JSV_NO_MEMORY;
    }
    if (checker->status < 0 && reterr_error) {
        *reterr_error = checker->error;
    }
    return checker->status;
}

int jsv_check(struct jsv_checker *checker, struct jsv_str text, struct jsv_problems *ret_problems)
{
    int r = jsv_checker_status(checker, NULL);
    if (r < 0) {
        return r;
    }
    struct jsv_error error;
    struct jsv_problems problems = {0};
    r = jsv_read(checker->reader, checker->document, text, 0, &error);
    if (r == JSV_BAD_TEXT) {
        checker->not_json = (struct jsv_problem){
            .path = error.pointer,
            .message = error.message,
            .keyword = JSV_STR(""),
            .found = JSV_STR(""),
            .schema_path = JSV_STR(""),
            .evaluation_path = JSV_STR(""),
            .resource_uri = JSV_STR(""),
            .resource_path = JSV_STR(""),
            .kind = JSV_PROBLEM_NOT_JSON,
            .offset = error.offset,
        };
        problems = (struct jsv_problems){.items = &checker->not_json, .count = 1};
        r = 0;
    } else if (r == 0) {
        struct jsv_value root = jsv_document_root(checker->document);
        r = ret_problems ? jsv_validate_report(checker->validator, checker->schema, root, &problems)
                         : jsv_validate(checker->validator, checker->schema, root);
    }
    if (r >= 0 && ret_problems) {
        *ret_problems = problems;
    }
    return r;
}
