/*
 * jsv_verdicts: verdicts for a comparison with other implementations.
 *
 * Reads lines {"draft":"7","schema":…,"instance":…} and writes one for each:
 * "1" valid, "0" not, "schema" when the schema was refused, "limit" when a
 * limit was hit. Exits with 1 when the verdict and the report disagree.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <jsv/schema.h>

struct tools {
    struct jsv_reader *reader;
    struct jsv_document *document;
    struct jsv_validator *validator;
};

static const char *
verdict_of(struct tools *tools, const struct jsv_schema *schema, struct jsv_value instance)
{
    struct jsv_problems problems;
    int verdict = jsv_validate(tools->validator, schema, instance);
    int reported = jsv_validate_report(tools->validator, schema, instance, &problems);
    if (verdict < 0 || reported < 0) {
        return "limit";
    }
    if (verdict != reported || verdict != (problems.count == 0)) {
        return NULL;
    }
    return verdict ? "1" : "0";
}

static const char *answer(struct tools *tools, struct jsv_value line)
{
    struct jsv_registry_options options = {0};
    struct jsv_str draft = jsv_value_text(jsv_value_get(line, JSV_STR("draft")));
    if (jsv_draft_from_name(draft, &options.draft) < 0) {
        return NULL;
    }
    struct jsv_registry *registry = jsv_registry_new(NULL, &options);
    if (!registry) {
        return NULL;
    }
    struct jsv_str uri = JSV_STR("urn:schema");
    struct jsv_str text = jsv_value_span(jsv_value_get(line, JSV_STR("schema")));
    struct jsv_schema *schema = NULL;
    const char *said = "schema";
    if (jsv_registry_add(registry, uri, text, NULL) == 0 &&
        jsv_schema_compile(registry, uri, NULL, &schema, NULL) == 0) {
        said = verdict_of(tools, schema, jsv_value_get(line, JSV_STR("instance")));
    }
    jsv_schema_free(schema);
    jsv_registry_free(registry);
    return said;
}

int main(void)
{
    struct tools tools = {
        .reader = jsv_reader_new(NULL, NULL),
        .document = jsv_document_new(NULL),
        .validator = jsv_validator_new(NULL, NULL),
    };
    char *line = NULL;
    size_t capacity = 0;
    int status = tools.reader && tools.document && tools.validator ? 0 : 2;
    for (ssize_t size; status == 0 && (size = getline(&line, &capacity, stdin)) > 0;) {
        struct jsv_str text = {line, (size_t)size};
        const char *said = NULL;
        if (jsv_read(tools.reader, tools.document, text, 0, NULL) == 0) {
            said = answer(&tools, jsv_document_root(tools.document));
        }
        status = said ? 0 : 1;
        puts(said ? said : "disagreement");
    }
    free(line);
    jsv_validator_free(tools.validator);
    jsv_document_free(tools.document);
    jsv_reader_free(tools.reader);
    return status;
}
