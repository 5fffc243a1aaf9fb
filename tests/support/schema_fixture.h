/*
 * What tests of schemas start with: a registry, a schema compiled from it, a
 * validator. Every verdict is taken twice, from the program and from the
 * report, and both must be the same.
 *
 * In all texts ' stands for ", so that JSON can be read in C.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jsv/schema.h>

struct jsv_resource;
struct schema_fixture_text;

/* A resource that the fixture's resolver has; an error instead of the text when that is NULL. */
struct schema_remote {
    const char *uri;
    const char *text;
    int error;
};

struct schema_fixture {
    enum jsv_draft draft; /* of schemas that do not say; 2020-12 at first */
    struct jsv_schema_options options;
    const struct schema_remote *remotes; /* ended by one without a URI; may be NULL */
    const struct jsv_validator_limits *limits;
    const struct jsv_allocator *allocator;
    struct jsv_registry *registry;
    struct jsv_schema *schema;
    struct jsv_error fault;
    struct jsv_validator *validator;
    struct jsv_problems problems; /* of the last report */
    struct jsv_reader *reader;
    struct schema_fixture_text *texts;
};

/* For cmocka_unit_test_setup_teardown; *state becomes a struct schema_fixture. */
int schema_fixture_setup(void **state);
int schema_fixture_teardown(void **state);

#define SCHEMA_TEST(test)                                                                          \
    cmocka_unit_test_setup_teardown(test, schema_fixture_setup, schema_fixture_teardown)

/* "2020-12" and so on. */
const char *schema_fixture_draft_name(enum jsv_draft draft);

/*
 * Start anew: a registry without schemas, a validator. Done by
 * schema_fixture_compile; needed only for adding several schemas.
 */
void schema_fixture_reset(struct schema_fixture *fixture);
/* Add a schema. @return what jsv_registry_add says. */
int schema_fixture_add(struct schema_fixture *fixture, const char *uri, const char *text);
/* The resource of a URI in the registry; NULL when there is none. */
const struct jsv_resource *schema_fixture_find(struct schema_fixture *fixture, const char *uri);
/* Compile one that was added. @return what jsv_schema_compile says. */
int schema_fixture_compile_uri(struct schema_fixture *fixture, const char *uri);
/* Reset, add the schema as urn:test and compile it. @return what was said first that is not 0. */
int schema_fixture_compile(struct schema_fixture *fixture, const char *text);
/* The same for a text that may hold anything, as it is. */
int schema_fixture_compile_str(struct schema_fixture *fixture, struct jsv_str text);
/* The same, which must succeed. */
void schema_fixture_use(struct schema_fixture *fixture, const char *text);

/* The same text with " for ', which lives as long as the fixture. */
struct jsv_str schema_fixture_quoted(struct schema_fixture *fixture, const char *text);
/* Read a document, which lives as long as the fixture. */
struct jsv_value schema_fixture_read(struct schema_fixture *fixture, const char *text);
struct jsv_value schema_fixture_read_str(struct schema_fixture *fixture, struct jsv_str text);
/* Both verdicts, which must be the same. @return it. */
int schema_fixture_verdict(struct schema_fixture *fixture, struct jsv_value value);

/* Assert that the schema was refused with a fault at a pointer, with a message that begins so. */
void schema_fixture_expect_fault(
    struct schema_fixture *fixture, const char *schema, const char *pointer, const char *message);

/*
 * Assert what is wrong with a document: NULL nothing, else lines
 *
 *     path: message (keyword schemaPath)
 *
 * one for each problem, in order, all but the last ended by \n.
 */
void schema_fixture_expect(
    struct schema_fixture *fixture, const char *instance, const char *problems);

/* A schema, a document, and the verdict on it. */
struct schema_verdict_case {
    const char *schema;
    const char *instance;
    int verdict;
};

/* A schema, a document, and what is wrong with it, in some drafts. */
struct schema_case {
    enum jsv_draft first;
    enum jsv_draft last;
    const char *schema;
    const char *instance;
    const char *problems;
};

#define SCHEMA_ALL         JSV_DRAFT_4, JSV_DRAFT_2020_12
#define SCHEMA_6_ON        JSV_DRAFT_6, JSV_DRAFT_2020_12
#define SCHEMA_7_ON        JSV_DRAFT_7, JSV_DRAFT_2020_12
#define SCHEMA_2019_ON     JSV_DRAFT_2019_09, JSV_DRAFT_2020_12
#define SCHEMA_TO_7        JSV_DRAFT_4, JSV_DRAFT_7
#define SCHEMA_TO_2019     JSV_DRAFT_4, JSV_DRAFT_2019_09
#define SCHEMA_ONLY(draft) JSV_DRAFT_##draft, JSV_DRAFT_##draft

/* Run all cases in all their drafts; the schema of one that is NULL is that of the one before. */
void schema_fixture_run(
    struct schema_fixture *fixture, const struct schema_case *cases, size_t count);

#define SCHEMA_RUN(fixture, cases)                                                                 \
    schema_fixture_run((fixture), (cases), sizeof(cases) / sizeof((cases)[0]))
