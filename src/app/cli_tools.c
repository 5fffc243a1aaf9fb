/*
 * mcpgate tools: the tools a client could call.
 */
#include "app/listing.h"
#include "catalog/catalog.h"

static void row(const struct catalog *catalog, size_t index, struct jsv_str *cells)
{
    const struct catalog_tool *tool = catalog_tool_at(catalog, index);
    cells[0] = tool->name;
    cells[1] = tool->description;
}

static void write_tool(const struct catalog *catalog, size_t index, struct jsv_writer *writer)
{
    jsv_write_value(writer, catalog_tool_at(catalog, index)->value);
}

static enum app_exit tools_run(struct app_cli *cli, const struct app_args *args)
{
    static const struct app_listing listing = {
        .columns = {"name", "description"},
        .count = catalog_tool_count,
        .row = row,
        .write = write_tool,
    };
    return app_listing_run(cli, args, &listing);
}

const struct app_command app_command_tools = {
    .name = "tools",
    .synopsis = "",
    .summary = "List the tools that could be called",
    .details = "As JSON, each tool is its whole descriptor, with the schemas of what it takes and\n"
               "gives.\n",
    .options = app_listing_options,
    .run = tools_run,
};
