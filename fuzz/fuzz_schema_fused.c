/*
 * Input: orders (fuzz_schema.h), a schema and a text. Judging the text while
 * it is read comes to the same as reading first and checking then, wherever
 * the drain runs: the same verdict, the same fault at the same place.
 */
#include <errno.h>

#include "fuzz_schema.h"
#include "jsv/schema/run/fused.h"

/* Bytes of tape before the drain runs: as often as can be, and now and then. */
static const size_t tape_sizes[] = {1, 150, 600};

struct judge {
    const struct jsv_schema *schema;
    struct jsv_reader *reader;
    struct jsv_document *document;
    struct jsv_validator *validator;
};

static struct judge judge_new(const struct jsv_schema *schema)
{
    struct judge judge = {
        .schema = schema,
        .reader = jsv_reader_new(NULL, NULL),
        .document = jsv_document_new(NULL),
        .validator = jsv_validator_new(NULL, &small_limits),
    };
    FUZZ_CHECK(judge.reader && judge.document && judge.validator);
    return judge;
}

static void judge_free(struct judge *judge)
{
    jsv_validator_free(judge->validator);
    jsv_document_free(judge->document);
    jsv_reader_free(judge->reader);
}

static int in_two_passes(struct judge *judge, struct jsv_str text, struct jsv_error *error)
{
    int r = jsv_read(judge->reader, judge->document, text, 0, error);
    struct jsv_value root = jsv_document_root(judge->document);
    return r < 0 ? r : jsv_validate(judge->schema, root, judge->validator);
}

static void compare_errors(const struct jsv_error *a, const struct jsv_error *b)
{
    FUZZ_CHECK(a->code == b->code && a->offset == b->offset);
    FUZZ_CHECK(a->line == b->line && a->column == b->column);
    FUZZ_CHECK(jsv_str_equal(a->pointer, b->pointer));
}

static void compare(const struct jsv_schema *schema, struct jsv_str text)
{
    struct judge two = judge_new(schema);
    struct judge one = judge_new(schema);
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
    judge_free(&two);
    judge_free(&one);
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
