/*
 * Prints what is wrong with a schema, with a text that is not JSON, and with
 * documents that do not match the schema.
 */
#include <stdio.h>

#include <jsv/schema.h>

static const char schema_text[] =
    "{\"properties\": {\"gain_db\": {\"$ref\": \"limits#/$defs/gain\"},"
    "                  \"tags\": {\"items\": {\"type\": \"string\"}}}}";
static const char limits_text[] = "{\"$defs\": {\"gain\": {\"type\": \"number\", \"maximum\": 0}}}";

#define SHOW(text) (int)(text).size, (text).data

/* Compile the schema and the one it refers to. NULL, with a message, when one has a fault. */
static struct jsv_schema *compile(struct jsv_registry *registry)
{
    struct jsv_str uri = JSV_STR("https://example.org/asset");
    struct jsv_str limits_uri = JSV_STR("https://example.org/limits");
    struct jsv_schema *schema = NULL;
    struct jsv_error fault = {0};
    int r = jsv_registry_add(registry, uri, JSV_STR(schema_text), &fault);
    if (r == 0) {
        r = jsv_registry_add(registry, limits_uri, JSV_STR(limits_text), &fault);
    }
    if (r == 0) {
        r = jsv_schema_compile(registry, uri, NULL, &schema, &fault);
    }
    if (r < 0) {
        fprintf(
            stderr, "%.*s#%.*s: %.*s\n", SHOW(fault.uri), SHOW(fault.pointer), SHOW(fault.message));
    }
    return schema;
}

static void print_problems(const struct jsv_problems *problems)
{
    for (size_t i = 0; i < problems->count; i++) {
        const struct jsv_problem *problem = &problems->items[i];
        printf("  %.*s: %.*s\n", SHOW(problem->path), SHOW(problem->message));
    }
    if (problems->more > 0) {
        printf("  and %zu more\n", problems->more);
    }
}

/* The same as one line of JSON, in the specification's form. */
static void print_basic(const struct jsv_problems *problems)
{
    struct jsv_buf line;
    jsv_buf_init(&line, NULL, 1 << 20);
    if (jsv_problems_write_basic(problems, &line) == 0) {
        printf("  %.*s\n", SHOW(line));
    }
    jsv_buf_done(&line);
}

int main(void)
{
    static const char *const texts[] = {
        "{\"gain_db\": -6.0, \"tags\": [\"sea\"]}",
        "{\"gain_db\": 3, \"tags\": [\"sea\", 7]}",
        "{\"gain_db\" 3}",
    };
    struct jsv_registry *registry = jsv_registry_new(NULL, NULL);
    struct jsv_schema *schema = registry ? compile(registry) : NULL;
    struct jsv_reader *reader = jsv_reader_new(NULL, NULL);
    struct jsv_document *document = jsv_document_new(NULL);
    struct jsv_validator *validator = jsv_validator_new(NULL, NULL);
    if (!schema || !reader || !document || !validator) {
        return 2;
    }
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct jsv_error error;
        struct jsv_problems problems;
        printf("%s\n", texts[i]);
        if (jsv_read(reader, document, jsv_str_from(texts[i]), 0, &error) < 0) {
            printf("  line %zu, column %zu: %s\n", error.line, error.column, error.message.data);
            continue;
        }
        int verdict =
            jsv_validate_report(validator, schema, jsv_document_root(document), &problems);
        printf("  %s\n", verdict == 1 ? "valid" : verdict == 0 ? "not valid" : "cannot tell");
        if (verdict == 0) {
            print_problems(&problems);
            print_basic(&problems);
        }
    }
    jsv_validator_free(validator);
    jsv_document_free(document);
    jsv_reader_free(reader);
    jsv_schema_free(schema);
    jsv_registry_free(registry);
    return 0;
}
