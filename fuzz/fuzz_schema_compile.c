/*
 * Input: orders (fuzz_schema.h) and up to 8 schemas. The first is compiled;
 * the others are what the resolver has, as http://h/1, http://h/2 and so on.
 * Compiling says 0 or why not, twice the same, and what was compiled can be
 * used.
 */
#include <errno.h>

#include "fuzz_schema.h"

#define REMOTES_MAX 8

struct remotes {
    struct jsv_str texts[REMOTES_MAX];
    size_t count;
};

static int resolve(void *context, struct jsv_str uri, struct jsv_str *ret_text)
{
    const struct remotes *remotes = context;
    static const struct jsv_str prefix = {"http://h/", 9};
    if (uri.size != prefix.size + 1 || memcmp(uri.data, prefix.data, prefix.size) != 0) {
        return -ENOENT;
    }
    size_t index = (size_t)(unsigned char)uri.data[prefix.size] - '0';
    if (index >= remotes->count) {
        return index == 9 ? -EIO : -ENOENT;
    }
    *ret_text = remotes->texts[index];
    return 0;
}

/* Schemas tell documents of every type apart, or run into a limit. */
static void use_schema(const struct jsv_schema *schema)
{
    struct jsv_str text =
        JSV_STR("[null,true,-1.5,\"abc\",[1,1],{\"a\":{\"b\":[]},\"$ref\":\"#\"},[[[[{}]]]]]");
    struct jsv_reader *reader = jsv_reader_new(NULL, NULL);
    struct jsv_document *document = jsv_document_new(NULL);
    struct jsv_validator *validator = jsv_validator_new(NULL, &small_limits);
    FUZZ_CHECK(reader && document && validator);
    FUZZ_CHECK(jsv_read(reader, document, text, 0, NULL) == 0);
    struct jsv_iter iter = jsv_value_iter(jsv_document_root(document));
    while (jsv_iter_next(&iter)) {
        struct jsv_problems problems;
        int verdict = jsv_validate(validator, schema, iter.value);
        int reported = jsv_validate_report(validator, schema, iter.value, &problems);
        FUZZ_CHECK(verdict < 0 || reported < 0 || verdict == reported);
    }
    jsv_validator_free(validator);
    jsv_document_free(document);
    jsv_reader_free(reader);
}

static void check_fault(const struct jsv_error *fault)
{
    FUZZ_CHECK(fault->message.size > 0);
    FUZZ_CHECK(fault->pointer.size == 0 || fault->pointer.data[0] == '/');
}

/* Faults and warnings. */
static void listen(void *context, enum jsv_note_kind kind, const struct jsv_error *note)
{
    (void)context;
    (void)kind;
    check_fault(note);
}

/* Add and compile the schema with that address. @return what was said. */
static int compile(
    struct jsv_registry *registry,
    struct jsv_str text,
    const struct jsv_schema_options *options,
    struct jsv_schema **ret_schema)
{
    struct jsv_error fault = {0};
    struct jsv_str uri = {"http://h/0", 10};
    int r = jsv_registry_add(registry, uri, text, &fault);
    if (r == 0) {
        r = jsv_schema_compile(registry, uri, options, ret_schema, &fault);
    }
    if (r == -EBADMSG) {
        check_fault(&fault);
    }
    return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct orders orders = orders_from(data[0]);
    struct jsv_str rest = {(const char *)data + 1, size - 1};
    struct remotes remotes = {0};
    do {
        remotes.texts[remotes.count++] = fuzz_take(&rest, FUZZ_SEPARATOR);
    } while (rest.size && remotes.count < REMOTES_MAX);

    struct jsv_registry_options options = {
        .draft = orders.draft,
        .resolver = resolve,
        .resolver_context = &remotes,
        .listener = listen,
        .allow_duplicates = data[0] & 16,
    };
    struct jsv_registry *registry = jsv_registry_new(NULL, &options);
    FUZZ_CHECK(registry);
    struct jsv_schema *schema = NULL;
    int r = compile(registry, remotes.texts[0], &orders.options, &schema);
    FUZZ_CHECK((r == 0) == (schema != NULL));
    if (schema) {
        use_schema(schema);
        struct jsv_schema *again = NULL;
        struct jsv_str uri = {"http://h/0", 10};
        FUZZ_CHECK(jsv_schema_compile(registry, uri, &orders.options, &again, NULL) == 0);
        jsv_schema_free(again);
    }
    jsv_schema_free(schema);
    jsv_registry_free(registry);
    return 0;
}
