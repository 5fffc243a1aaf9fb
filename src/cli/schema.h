/*
 * A schema named on the command line, compiled with everything it refers to.
 *
 * The schema's file: URI is the base of its references; cli/resolve.h resolves
 * them. Errors in schemas, all unresolvable references among them, and warnings
 * are reported as they are found.
 */
#pragma once

#include <jsv/schema.h>

struct cli;
struct cli_resolve;

struct cli_schema {
    struct jsv_registry *registry;
    struct jsv_schema *schema;
};

struct cli_schema_options {
    const char *path;     /* of the schema; "-": standard input, without a URI */
    enum jsv_draft draft; /* of schemas without $schema */
    bool assert_format;
    bool assert_content;
    bool lenient;        /* of duplicate members the last one counts */
    bool compile_unused; /* also compile parts that nothing refers to, to find errors in them */
};

/**
 * Load and compile a schema.
 *
 * @param ret_schema Free it with cli_schema_done().
 * @return 0, or a reported error.
 */
int cli_schema_load(
    struct cli *cli,
    const struct cli_schema_options *options,
    struct cli_resolve *resolve,
    struct cli_schema *ret_schema);
void cli_schema_done(struct cli_schema *schema);
