/*
 * A schema named on the command line, compiled, with all it refers to.
 *
 * The schema's file has a file:// URI, the base of references in it. So a
 * reference such as "common/name.json" leads to a file beside it, and files in
 * the schema's directory and below can refer to each other. Other URIs lead to
 * the directories the user has named for them (app/resolve.h); a reference to
 * anything else is a fault of the schema.
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
};

/**
 * Load a schema.
 *
 * @param resolve    Rules of the user; the one for the schema's own directory is added.
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
