/*
 * mcpgate schemas: the schemas the server would serve.
 */
#include "catalog/catalog.h"
#include "cli/listing.h"

static void row(const struct catalog *catalog, size_t index, struct jsv_str *cells)
{
    const struct catalog_schema *schema = catalog_schema_at(catalog, index);
    cells[0] = schema->name;
    cells[1] = schema->version;
    cells[2] = schema->path;
}

static enum app_exit schemas_run(struct app_cli *cli, const struct app_args *args)
{
    static const struct app_listing listing = {
        .columns = {"name", "version", "path"},
        .count = catalog_schema_count,
        .row = row,
    };
    return app_listing_run(cli, args, &listing);
}

const struct app_command app_command_schemas = {
    .name = "schemas",
    .synopsis = "",
    .summary = "List the schemas that would be served",
    .details = "Sorted by name. Files that are left out are named on standard error.\n",
    .options = app_listing_options,
    .run = schemas_run,
};
