/*
 * What a registry says about schemas, as lines "warning uri#pointer@offset: message".
 * In all texts ' stands for ".
 */
#pragma once

#include <stdio.h>
#include <string.h>

#include <jsv/schema.h>

#define SCHEMA_NOTES_MAX 4096

static char schema_notes[SCHEMA_NOTES_MAX];

static inline void
schema_notes_listen(void *context, enum jsv_note_kind kind, const struct jsv_error *note)
{
    (void)context;
    size_t size = strlen(schema_notes);
    snprintf(
        schema_notes + size,
        sizeof(schema_notes) - size,
        "%s %.*s#%.*s@%zu: %.*s%s\n",
        kind == JSV_NOTE_WARNING ? "warning" : "fault",
        (int)note->uri.size,
        note->uri.data,
        (int)note->pointer.size,
        note->pointer.data,
        note->offset,
        (int)note->message.size,
        note->message.data,
        note->missing.size ? " (missing)" : "");
}

static inline struct jsv_str schema_notes_quoted(char *text)
{
    for (char *at = text; (at = strchr(at, '\'')) != NULL;) {
        *at = '"';
    }
    return jsv_str_from(text);
}

/* Add a schema as urn:test and compile it; schema_notes is what was said. @return of the last. */
static inline int schema_notes_compile(
    struct jsv_registry_options options, struct jsv_schema_options how, const char *schema)
{
    char text[SCHEMA_NOTES_MAX];
    snprintf(text, sizeof(text), "%s", schema);
    schema_notes[0] = '\0';
    options.listener = schema_notes_listen;
    struct jsv_registry *registry = jsv_registry_new(NULL, &options);
    struct jsv_schema *compiled = NULL;
    int r = jsv_registry_add(registry, JSV_STR("urn:test"), schema_notes_quoted(text), NULL);
    if (r == 0) {
        r = jsv_schema_compile(registry, JSV_STR("urn:test"), &how, &compiled, NULL);
    }
    jsv_schema_free(compiled);
    jsv_registry_free(registry);
    return r;
}
