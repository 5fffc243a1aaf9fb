/*
 * Input: orders (fuzz_schema.h), a schema and a document. The verdict and the
 * report agree whenever both finish. A report lists problems exactly when the
 * document is invalid, each once, in order, at a place in the document. A second
 * report lists the same, and so does one without the precheck.
 */
#include <errno.h>

#include "fuzz_schema.h"
#include "jsv/schema/report/explain.h"

static int compare_problems(const struct jsv_problem *a, const struct jsv_problem *b)
{
    int order = jsv_str_compare(a->path, b->path);
    return order ? order : jsv_str_compare(a->message, b->message);
}

static void check_problems(struct jsv_value root, const struct jsv_problems *problems)
{
    for (size_t i = 0; i < problems->count; i++) {
        const struct jsv_problem *problem = &problems->items[i];
        struct jsv_value place;
        FUZZ_CHECK(jsv_pointer_get(root, problem->path, &place) == 0);
        FUZZ_CHECK(problem->message.size > 0);
        FUZZ_CHECK(i == 0 || compare_problems(problem - 1, problem) < 0);
    }
    FUZZ_CHECK(problems->count <= small_limits.problems_max);
    FUZZ_CHECK(problems->more == 0 || problems->count == small_limits.problems_max);
}

/* Problems in a form that can be kept and compared. */
static struct jsv_buf listing_of(const struct jsv_problems *problems)
{
    struct jsv_buf listing;
    jsv_buf_init(&listing, NULL, SIZE_MAX);
    for (size_t i = 0; i < problems->count; i++) {
        const struct jsv_problem *problem = &problems->items[i];
        jsv_buf_append_str(&listing, problem->path);
        jsv_buf_append_str(&listing, problem->message);
        jsv_buf_append_str(&listing, problem->keyword);
        jsv_buf_append_str(&listing, problem->schema_path);
    }
    return listing;
}

/* Whether the steps did for the verdict alone; on another way they may do for the list, too. */
static bool is_cut_short(const struct jsv_problems *problems)
{
    return problems->count == 1 &&
           jsv_str_equal(
               problems->items[0].message, JSV_STR("invalid; error list exceeded the work limit"));
}

static void check_explained(
    const struct jsv_schema *schema,
    struct jsv_value value,
    struct jsv_validator *validator,
    int reported,
    struct jsv_str listing)
{
    struct jsv_problems problems;
    int explained = jsv_explain_report(schema, value, validator, false, &problems);
    if (explained >= 0) {
        struct jsv_buf all = listing_of(&problems);
        FUZZ_CHECK(explained == reported);
        FUZZ_CHECK(jsv_str_equal(jsv_buf_str(&all), listing));
        jsv_buf_done(&all);
    }
}

static void evaluate(const struct jsv_schema *schema, struct jsv_value value)
{
    struct jsv_validator *validator = jsv_validator_new(NULL, &small_limits);
    FUZZ_CHECK(validator);
    int verdict = jsv_validate(validator, schema, value);
    struct jsv_problems problems;
    int reported = jsv_validate_report(validator, schema, value, &problems);
    FUZZ_CHECK(verdict < 0 || reported < 0 || verdict == reported);
    if (reported >= 0) {
        FUZZ_CHECK(reported == (problems.count == 0));
        check_problems(value, &problems);
        struct jsv_buf first = listing_of(&problems);
        FUZZ_CHECK(jsv_validate_report(validator, schema, value, &problems) == reported);
        struct jsv_buf second = listing_of(&problems);
        FUZZ_CHECK(jsv_str_equal(jsv_buf_str(&first), jsv_buf_str(&second)));
        if (!is_cut_short(&problems)) {
            check_explained(schema, value, validator, reported, jsv_buf_str(&first));
        }
        jsv_buf_done(&first);
        jsv_buf_done(&second);
    }
    FUZZ_CHECK(jsv_validate(validator, schema, value) == verdict);
    jsv_validator_free(validator);
}

static struct jsv_schema *compile(
    struct jsv_registry *registry, struct jsv_str text, const struct jsv_schema_options *options)
{
    struct jsv_schema *schema = NULL;
    if (jsv_registry_add(registry, JSV_STR("urn:a"), text, NULL) == 0) {
        jsv_schema_compile(registry, JSV_STR("urn:a"), options, &schema, NULL);
    }
    return schema;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct orders orders = orders_from(data[0]);
    struct jsv_str rest = {(const char *)data + 1, size - 1};
    struct jsv_str schema_text = fuzz_take(&rest, FUZZ_SEPARATOR);

    struct jsv_reader *reader = jsv_reader_new(NULL, NULL);
    struct jsv_document *document = jsv_document_new(NULL);
    FUZZ_CHECK(reader && document);
    if (jsv_read(reader, document, rest, 0, NULL) == 0) {
        struct jsv_registry_options options = {.draft = orders.draft};
        struct jsv_registry *registry = jsv_registry_new(NULL, &options);
        FUZZ_CHECK(registry);
        struct jsv_schema *schema = compile(registry, schema_text, &orders.options);
        if (schema) {
            evaluate(schema, jsv_document_root(document));
        }
        jsv_schema_free(schema);
        jsv_registry_free(registry);
    }
    jsv_document_free(document);
    jsv_reader_free(reader);
    return 0;
}
