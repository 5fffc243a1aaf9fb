/*
 * A directory with a few schemas and examples, served by a test: two schemas,
 * one of them refers to the other; three examples, one of them below.
 */
#pragma once

#include "unit/os/tmpdir.h"

static struct tmpdir served;

static inline int served_setup(void **state)
{
    (void)state;
    tmpdir_make(&served);
    tmpdir_mkdir(&served, "schemas");
    tmpdir_mkdir(&served, "examples");
    tmpdir_mkdir(&served, "examples/below");
    tmpdir_write(
        &served,
        "schemas/lamp.schema.json",
        "{\"version\": \"1.2\", \"properties\": {\"bulbs\": {\"items\": {\"$ref\": "
        "\"bulb.schema.json\"}}, \"name\": {\"type\": \"string\"}}, \"required\": [\"name\"]}");
    tmpdir_write(
        &served,
        "schemas/bulb.schema.json",
        "{\"properties\": {\"watts\": {\"type\": \"number\"}}, \"additionalProperties\": false}");
    tmpdir_write(&served, "examples/Lamp_hall.json", "{\"name\": \"hall\"}");
    tmpdir_write(&served, "examples/other.json", "{\"schema\": \"lamp\"}");
    tmpdir_write(&served, "examples/below/bulb.json", "{\"watts\": 7}");
    return 0;
}

static inline int served_teardown(void **state)
{
    (void)state;
    tmpdir_remove(&served);
    return 0;
}

#define SERVED_TEST(test) cmocka_unit_test_setup_teardown(test, served_setup, served_teardown)

/* "--schemas-dir=…", "--examples-dir=…" for the command line. */
static inline const char *served_schemas(void)
{
    static char word[128];
    snprintf(word, sizeof(word), "--schemas-dir=%s/schemas", served.path);
    return word;
}

static inline const char *served_examples(void)
{
    static char word[128];
    snprintf(word, sizeof(word), "--examples-dir=%s/examples", served.path);
    return word;
}
