/*
 * mcpgate tools: the tools a client could call.
 * mcpgate tools lint: what is wrong with those that are programs.
 */
#include <string.h>

#include "app/listing.h"
#include "app/report.h"
#include "app/tools_lint.h"
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

static enum app_exit run_lint(struct app_cli *cli, const struct app_args *args)
{
    struct app_config config;
    struct app_config_fault fault;
    if (strcmp(args->operands[0], "lint") != 0) {
        app_report_usage(cli, "unknown operand", args->operands[0]);
        return APP_EXIT_TROUBLE;
    }
    if (app_config_read(args, &config, &fault) < 0) {
        app_report(cli, fault.text);
        return APP_EXIT_TROUBLE;
    }
    const char *directory = args->operand_count > 1 ? args->operands[1] : config.tools_dir;
    if (!directory) {
        app_report(cli, "no directory to look at; name one, or set MCPGATE_TOOLS_DIR");
        return APP_EXIT_TROUBLE;
    }
    return app_tools_lint(cli, directory);
}

static enum app_exit tools_run(struct app_cli *cli, const struct app_args *args)
{
    static const struct app_listing listing = {
        .columns = {"name", "description"},
        .count = catalog_tool_count,
        .row = row,
        .write = write_tool,
    };
    return args->operand_count > 0 ? run_lint(cli, args) : app_listing_run(cli, args, &listing);
}

const struct app_command app_command_tools = {
    .name = "tools",
    .synopsis = "[lint [DIR]]",
    .summary = "List the tools that could be called",
    .details = "As JSON, each tool is its whole descriptor, with the schemas of what it takes and\n"
               "gives.\n\n"
               "lint looks at the descriptors of external tools instead, in DIR or the tools\n"
               "directory, and prints FILE#POINTER and what is wrong there; then the exit status\n"
               "is 1.\n",
    .operand_max = 2,
    .options = app_listing_options,
    .run = tools_run,
};
