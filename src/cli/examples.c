/*
 * mcpgate examples: the examples the server would serve.
 */
#include "catalog/catalog.h"
#include "cli/listing.h"

static void row(const struct catalog *catalog, size_t index, struct jsv_str *cells)
{
    const struct catalog_example *example = catalog_example_at(catalog, index);
    cells[0] = example->component;
    cells[1] = catalog_example_schema_name(example);
    cells[2] = example->path;
}

static enum app_exit examples_run(struct app_cli *cli, const struct app_args *args)
{
    static const struct app_listing listing = {
        .columns = {"component", "schema", "path"},
        .count = catalog_example_count,
        .row = row,
    };
    return app_listing_run(cli, args, &listing);
}

const struct app_command app_command_examples = {
    .name = "examples",
    .synopsis = "",
    .summary = "List the examples that would be served",
    .details = "Sorted by component, each with the schema it is checked against. Files that are\n"
               "left out are named on standard error.\n",
    .options = app_listing_options,
    .run = examples_run,
};
