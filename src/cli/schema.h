/*
 * A schema named on the command line, compiled, with all it refers to.
 *
 * The schema's file has a file: URI, the base of references in it. app/resolve.h
 * says where these lead. What is wrong with schemas, all unresolvable references
 * among it, and warnings are reported as they are found.
 */
#pragma once

#include <jsv/schema.h>

struct cli_args;
struct cli;
struct cli_resolve;

struct cli_schema {
    struct jsv_registry *registry;
    struct jsv_schema *schema;
};

struct cli_schema_options {
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
 * @param ret_schema To be given back with cli_schema_done().
 * @return 0, or an error that has been reported, with the place in the schema where it can be
 *         told.
 */
int cli_schema_load(
    struct cli *cli,
    const struct cli_schema_options *options,
    struct cli_resolve *resolve,
    struct cli_schema *ret_schema);
void cli_schema_done(struct cli_schema *schema);
