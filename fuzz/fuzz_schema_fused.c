/*
 * Input: orders (fuzz_schema.h), a schema and a text. Validating the text
 * while it is read gives the same result as reading it first, wherever the drain
 * runs: the same verdict, and the same error at the same place.
 */
#include <errno.h>

#include "fuzz_schema.h"
#include "jsv/schema/run/fused.h"

/* Bytes of tape before the drain runs: as often as can be, and now and then. */
static const size_t tape_sizes[] = {1, 150, 600};

struct checker {
    const struct jsv_schema *schema;
    struct jsv_reader *reader;
    struct jsv_document *document;
    struct jsv_validator *validator;
};

static struct checker checker_new(const struct jsv_schema *schema)
{
    struct checker checker = {
        .schema = schema,
        .reader = jsv_reader_new(NULL, NULL),
        .document = jsv_document_new(NULL),
        .validator = jsv_validator_new(NULL, &small_limits),
    };
    FUZZ_CHECK(checker.reader && checker.document && checker.validator);
    return checker;
}

static void checker_free(struct checker *checker)
{
    jsv_validator_free(checker->validator);
    jsv_document_free(checker->document);
    jsv_reader_free(checker->reader);
}

static int in_two_passes(struct checker *checker, struct jsv_str text, struct jsv_error *error)
{
    int r = jsv_read(checker->reader, checker->document, text, 0, error);
    struct jsv_value root = jsv_document_root(checker->document);
    return r < 0 ? r : jsv_validate(checker->validator, checker->schema, root);
}

static void compare_errors(const struct jsv_error *a, const struct jsv_error *b)
{
    FUZZ_CHECK(a->code == b->code && a->offset == b->offset);
    FUZZ_CHECK(a->line == b->line && a->column == b->column);
    FUZZ_CHECK(jsv_str_equal(a->pointer, b->pointer));
}

static void compare(const struct jsv_schema *schema, struct jsv_str text)
{
    struct checker two = checker_new(schema);
    struct checker one = checker_new(schema);
    struct jsv_error expected_error;
    int expected = in_two_passes(&two, text, &expected_error);
    for (size_t i = 0; i < sizeof(tape_sizes) / sizeof(tape_sizes[0]); i++) {
        struct jsv_error error;
        int r = jsv_validate_drained(
            schema, text, one.reader, one.document, one.validator, tape_sizes[i], &error);
        FUZZ_CHECK(r == expected);
        if (r == -EBADMSG) {
            compare_errors(&error, &expected_error);
        }
    }
    checker_free(&two);
    checker_free(&one);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct orders orders = orders_from(data[0]);
    struct jsv_str rest = {(const char *)data + 1, size - 1};
    struct jsv_str schema_text = fuzz_take(&rest, FUZZ_SEPARATOR);
    struct jsv_registry_options options = {.draft = orders.draft};
    struct jsv_registry *registry = jsv_registry_new(NULL, &options);
    FUZZ_CHECK(registry);
    struct jsv_schema *schema = NULL;
    if (jsv_registry_add(registry, JSV_STR("urn:a"), schema_text, NULL) == 0 &&
        jsv_schema_compile(registry, JSV_STR("urn:a"), &orders.options, &schema, NULL) == 0) {
        compare(schema, rest);
    }
    jsv_schema_free(schema);
    jsv_registry_free(registry);
    return 0;
}
