/*
 * Checks a document against a schema: the verdict alone.
 */
#include <stdio.h>

#include <jsv/schema.h>

int main(void)
{
    struct jsv_str schema_text = JSV_STR("{\"type\": \"object\", \"required\": [\"name\"]}");
    struct jsv_str text = JSV_STR("{\"name\": \"Harbour Light\"}");
    struct jsv_str uri = JSV_STR("https://example.org/asset");

    /* Once: compile the schema. It can be shared by threads from then on. */
    struct jsv_registry *registry = jsv_registry_new(NULL, NULL);
    struct jsv_schema *schema = NULL;
    if (!registry || jsv_registry_add(registry, uri, schema_text, NULL) < 0 ||
        jsv_schema_compile(registry, uri, NULL, &schema, NULL) < 0) {
        return 2;
    }

    /* For each document: read and check. All three are reused for the next. */
    struct jsv_reader *reader = jsv_reader_new(NULL, NULL);
    struct jsv_document *document = jsv_document_new(NULL);
    struct jsv_validator *validator = jsv_validator_new(NULL, NULL);
    if (!reader || !document || !validator || jsv_read(reader, document, text, 0, NULL) < 0) {
        return 2;
    }
    int verdict = jsv_validate(validator, schema, jsv_document_root(document));
    printf("%s\n", verdict == 1 ? "valid" : verdict == 0 ? "not valid" : "cannot tell");

    jsv_validator_free(validator);
    jsv_document_free(document);
    jsv_reader_free(reader);
    jsv_schema_free(schema);
    jsv_registry_free(registry);
    return verdict == 1 ? 0 : 1;
}
