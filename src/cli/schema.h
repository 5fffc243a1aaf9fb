/*
 * A schema named on the command line, compiled, with all it refers to.
 *
 * The schema's file has a file: URI, the base of references in it. app/resolve.h
 * says where these lead. What is wrong with schemas, all unresolvable references
 * among it, and warnings are reported as they are found.
 */
#pragma once

#include <jsv/schema.h>

struct app_args;
struct app_cli;
struct app_resolve;

struct app_schema {
    struct jsv_registry *registry;
    struct jsv_schema *schema;
};

struct app_schema_options {
    const char *path;     /* the schema's file; "-": standard input, without a URI */
    enum jsv_draft draft; /* of schemas without $schema */
    bool assert_format;
    bool assert_content;
    bool lenient;        /* the last of duplicate members counts */
    bool compile_unused; /* also what nothing refers to, to find its faults */
};

/**
 * Load a schema.
 *
 * @param resolve    Rules of the user.
 * @param ret_schema To be given back with app_schema_done().
 * @return 0, or an error that has been reported, with the place in the schema where it can be
 *         told.
 */
int app_schema_load(
    struct app_cli *cli,
    const struct app_schema_options *options,
    struct app_resolve *resolve,
    struct app_schema *ret_schema);
void app_schema_done(struct app_schema *schema);
