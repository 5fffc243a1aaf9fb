/*
 * mcpgate tools: the tools a client could call.
 * mcpgate tools lint: what is wrong with those that are programs.
 * mcpgate tools new: a descriptor and a program to start from.
 */
#include <string.h>

#include "catalog/catalog.h"
#include "cli/listing.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/scaffold.h"
#include "cli/tools_lint.h"
#include "jsv/base/ascii.h"
#include "jsv/base/similar.h"
#include "os/sys.h"

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

/* The directory named as this operand, else by the settings. @return NULL, reported. */
static const char *tools_directory(struct app_cli *cli, const struct app_args *args, size_t operand)
{
    struct app_config config;
    struct app_config_fault fault;
    if (args->operand_count > operand) {
        return args->operands[operand];
    }
    if (app_config_read(args, &config, &fault) < 0) {
        app_report(cli, fault.text);
        return NULL;
    }
    if (!config.tools_dir) {
        app_report(cli, "no tools directory; name one, or set MCPGATE_TOOLS_DIR");
    }
    return config.tools_dir;
}

static enum app_exit run_lint(struct app_cli *cli, const struct app_args *args)
{
    if (args->operand_count > 2) {
        app_report_usage(cli, "unexpected operand", args->operands[2]);
        return APP_EXIT_TROUBLE;
    }
    const char *directory = tools_directory(cli, args, 1);
    return directory ? app_tools_lint(cli, directory) : APP_EXIT_TROUBLE;
}

/* As a descriptor's "name" must be; a file is called after it. */
static bool is_tool_name(const char *name)
{
    size_t size = strlen(name);
    for (size_t i = 0; i < size; i++) {
        if (!jsv_is_alnum(name[i]) && !strchr("_-.", name[i])) {
            return false;
        }
    }
    return size > 0 && size <= 128 && name[0] != '.' && name[0] != '-';
}

static int print_made(struct app_cli *cli, const char *directory, const char *name)
{
    struct jsv_buf text;
    const struct jsv_str parts[] = {
        JSV_STR("Made "),
        jsv_str_from(directory),
        JSV_STR("/"),
        jsv_str_from(name),
        JSV_STR(".tool.json and "),
        jsv_str_from(name),
        JSV_STR(".sh. Try it:\n  mcpgate call "),
        jsv_str_from(name),
        JSV_STR(" text='one two three' --tools-dir "),
        jsv_str_from(directory),
        JSV_STR("\n"),
    };
    jsv_buf_init(&text, os_allocator(), APP_OUTPUT_SIZE_MAX);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        jsv_buf_append_str(&text, parts[i]);
    }
    int r = app_output_buf(cli, &text);
    jsv_buf_done(&text);
    return r;
}

static enum app_exit run_new(struct app_cli *cli, const struct app_args *args)
{
    if (args->operand_count < 2) {
        app_report_usage(cli, "missing operand, expected", "new NAME [DIR]");
        return APP_EXIT_TROUBLE;
    }
    const char *name = args->operands[1];
    if (!is_tool_name(name)) {
        app_report_about(cli, name, "a tool's name is 1 to 128 of A-Z a-z 0-9 _ - .");
        return APP_EXIT_TROUBLE;
    }
    const char *directory = tools_directory(cli, args, 2);
    if (!directory ||
        app_scaffold_make(cli, directory, name, app_scaffold_tool, APP_SCAFFOLD_TOOL_FILES) < 0) {
        return APP_EXIT_TROUBLE;
    }
    return print_made(cli, directory, name) < 0 ? APP_EXIT_TROUBLE : APP_EXIT_OK;
}

static enum app_exit run_word(struct app_cli *cli, const struct app_args *args)
{
    const char *word = args->operands[0];
    if (strcmp(word, "lint") == 0) {
        return run_lint(cli, args);
    }
    if (strcmp(word, "new") == 0) {
        return run_new(cli, args);
    }
    struct jsv_similar similar = jsv_similar_to(jsv_str_from(word));
    jsv_similar_try(&similar, JSV_STR("lint"));
    jsv_similar_try(&similar, JSV_STR("new"));
    app_report_unknown(cli, "unknown operand", word, "", similar.best);
    return APP_EXIT_TROUBLE;
}

static enum app_exit tools_run(struct app_cli *cli, const struct app_args *args)
{
    static const struct app_listing listing = {
        .columns = {"name", "description"},
        .count = catalog_tool_count,
        .row = row,
        .write = write_tool,
    };
    return args->operand_count > 0 ? run_word(cli, args) : app_listing_run(cli, args, &listing);
}

const struct app_command app_command_tools = {
    .name = "tools",
    .synopsis = "[lint [DIR] | new NAME [DIR]]",
    .summary = "List the tools that could be called",
    .details = "As JSON, each tool is its whole descriptor, with the schemas of what it takes and\n"
               "gives.\n\n"
               "\"lint\" looks at the descriptors of external tools instead, in DIR or the tools\n"
               "directory, and prints FILE#POINTER and what is wrong there; then the exit status\n"
               "is 1.\n\n"
               "\"new\" makes NAME.tool.json and NAME.sh there, a tool that works and can be\n"
               "changed into yours. Files that exist are never overwritten.\n",
    .operand_max = 3,
    .options = app_listing_options,
    .run = tools_run,
};
