/*
 * mcpgate schemas, examples and tools: what the server would serve, as a JSON
 * array for programs or in columns for people.
 */
#include <errno.h>
#include <string.h>

#include <jsv/json.h>

#include "app/content.h"
#include "cli/cli.h"
#include "cli/init.h"
#include "cli/io.h"
#include "cli/lint.h"
#include "cli/report.h"
#include "jsv/base/similar.h"
#include "jsv/base/utf8.h"

#define LISTING_COLUMNS_MAX 3

struct listing {
    const char *columns[LISTING_COLUMNS_MAX + 1]; /* names, ended by NULL */
    size_t (*count)(const struct catalog *catalog);
    /* Fill in the cells of a row. */
    void (*row)(const struct catalog *catalog, size_t index, struct jsv_str *cells);
    /* Write a row as JSON; NULL: an object of its cells. */
    void (*write)(const struct catalog *catalog, size_t index, struct jsv_writer *writer);
};

/* ---- JSON ---- */

static void write_cells(
    const struct listing *listing,
    const struct catalog *catalog,
    size_t index,
    struct jsv_writer *writer)
{
    struct jsv_str cells[LISTING_COLUMNS_MAX];
    listing->row(catalog, index, cells);
    jsv_write_object_begin(writer);
    for (size_t i = 0; listing->columns[i]; i++) {
        jsv_write_member_string(writer, jsv_str_from(listing->columns[i]), cells[i]);
    }
    jsv_write_object_end(writer);
}

static void
write_json(const struct listing *listing, const struct catalog *catalog, struct jsv_buf *out)
{
    struct jsv_writer writer = jsv_writer_on(out);
    size_t count = listing->count(catalog);
    jsv_write_array_begin(&writer);
    for (size_t i = 0; i < count; i++) {
        if (listing->write) {
            listing->write(catalog, i, &writer);
        } else {
            write_cells(listing, catalog, i, &writer);
        }
    }
    jsv_write_array_end(&writer);
    jsv_buf_append_byte(out, '\n');
}

/* ---- text ---- */

/* Columns are two blanks wider than their longest cell; the last one is not padded. */
static void measure(
    const struct listing *listing,
    const struct catalog *catalog,
    size_t widths[static LISTING_COLUMNS_MAX])
{
    size_t count = listing->count(catalog);
    for (size_t i = 0; listing->columns[i]; i++) {
        widths[i] = strlen(listing->columns[i]);
    }
    for (size_t row = 0; row < count; row++) {
        struct jsv_str cells[LISTING_COLUMNS_MAX];
        listing->row(catalog, row, cells);
        for (size_t i = 0; listing->columns[i]; i++) {
            size_t width = jsv_utf8_count(cells[i]);
            widths[i] = width > widths[i] ? width : widths[i];
        }
    }
}

/* Control characters would break the columns, or command the terminal. */
static void put_cell(struct jsv_buf *out, struct jsv_str cell)
{
    for (size_t i = 0; i < cell.size; i++) {
        unsigned char byte = (unsigned char)cell.data[i];
        jsv_buf_append_byte(out, byte < 0x20 || byte == 0x7f ? ' ' : cell.data[i]);
    }
}

static void put_cells(
    const struct listing *listing,
    const struct jsv_str *cells,
    const size_t *widths,
    struct jsv_buf *out)
{
    for (size_t i = 0; listing->columns[i]; i++) {
        put_cell(out, cells[i]);
        bool last = !listing->columns[i + 1];
        size_t blanks = last ? 0 : widths[i] + 2 - jsv_utf8_count(cells[i]);
        for (size_t k = 0; k < blanks; k++) {
            jsv_buf_append_byte(out, ' ');
        }
    }
    jsv_buf_append_byte(out, '\n');
}

static void
write_text(const struct listing *listing, const struct catalog *catalog, struct jsv_buf *out)
{
    size_t widths[LISTING_COLUMNS_MAX];
    struct jsv_str cells[LISTING_COLUMNS_MAX];
    size_t count = listing->count(catalog);
    measure(listing, catalog, widths);
    for (size_t i = 0; listing->columns[i]; i++) {
        cells[i] = jsv_str_from(listing->columns[i]);
    }
    put_cells(listing, cells, widths, out);
    for (size_t row = 0; row < count; row++) {
        listing->row(catalog, row, cells);
        put_cells(listing, cells, widths, out);
    }
}

/* ---- running ---- */

/* Only the directories are options here; other settings come from the environment. */
static const struct cli_option options[] = {
#define CLI_LISTING CLI_OPTION_ROW
#include "cli/options.def"
#define APP_SETTING(...)
#define APP_ROOT CLI_SETTING_ROW
#include "app/env.def"
#undef APP_SETTING
    {0},
};

static int
print(struct cli *cli, const struct listing *listing, const struct catalog *catalog, bool as_text)
{
    struct jsv_buf out;
    cli_output_init(&out);
    if (as_text) {
        write_text(listing, catalog, &out);
    } else {
        write_json(listing, catalog, &out);
    }
    return cli_output_finish(cli, &out);
}

static enum app_exit
list(struct cli *cli, const struct cli_args *args, const struct listing *listing)
{
    static const char *const formats[] = {"json", "text", NULL};
    struct app_config config;
    struct app_content content;
    int format = cli_args_choice(cli, args, CLI_FLAG(LISTING_FORMAT), "--format", formats);
    if (format < 0 || cli_config_read(cli, args, &config) < 0) {
        return APP_EXIT_TROUBLE;
    }
    app_content_init(&content, &config);
    int r = cli_content_read(cli, &content);
    if (r == 0) {
        r = print(cli, listing, content.catalog, format == 1);
    }
    app_content_done(&content);
    return r < 0 ? APP_EXIT_TROUBLE : APP_EXIT_OK;
}

/* ---- mcpgate schemas ---- */

static void schema_row(const struct catalog *catalog, size_t index, struct jsv_str *cells)
{
    const struct catalog_schema *schema = catalog_schema_at(catalog, index);
    cells[0] = schema->name;
    cells[1] = schema->version;
    cells[2] = schema->path;
}

static enum app_exit list_schemas(struct cli *cli, const struct cli_args *args)
{
    static const struct listing listing = {
        .columns = {"name", "version", "path"},
        .count = catalog_schema_count,
        .row = schema_row,
    };
    return list(cli, args, &listing);
}

const struct cli_command cli_command_schemas = {
    .name = "schemas",
    .synopsis = "",
    .summary = "List the schemas the server would serve",
    .details = "Sorted by name. Files that are left out are named on standard error.\n",
    .options = options,
    .run = list_schemas,
};

/* ---- mcpgate examples ---- */

static void example_row(const struct catalog *catalog, size_t index, struct jsv_str *cells)
{
    const struct catalog_example *example = catalog_example_at(catalog, index);
    cells[0] = example->component;
    cells[1] = catalog_example_schema_name(example);
    cells[2] = example->path;
}

static enum app_exit list_examples(struct cli *cli, const struct cli_args *args)
{
    static const struct listing listing = {
        .columns = {"component", "schema", "path"},
        .count = catalog_example_count,
        .row = example_row,
    };
    return list(cli, args, &listing);
}

const struct cli_command cli_command_examples = {
    .name = "examples",
    .synopsis = "",
    .summary = "List the examples the server would serve",
    .details = "Sorted by component, each with the schema it is checked against. Files that are\n"
               "left out are named on standard error.\n",
    .options = options,
    .run = list_examples,
};

/* ---- mcpgate tools, tools lint, tools new ---- */

static void tool_row(const struct catalog *catalog, size_t index, struct jsv_str *cells)
{
    const struct catalog_tool *tool = catalog_tool_at(catalog, index);
    cells[0] = tool->name;
    cells[1] = tool->description;
}

static void write_tool(const struct catalog *catalog, size_t index, struct jsv_writer *writer)
{
    jsv_write_value(writer, catalog_tool_at(catalog, index)->value);
}

/* The directory in this operand, else in the settings. @return NULL, reported. */
static const char *tools_directory(struct cli *cli, const struct cli_args *args, size_t operand)
{
    struct app_config config;
    if (args->operand_count > operand) {
        return args->operands[operand];
    }
    if (cli_config_read(cli, args, &config) < 0) {
        return NULL;
    }
    if (!config.tools_dir) {
        cli_report(cli, "no tools directory; name one, or set MCPGATE_TOOLS_DIR");
    }
    return config.tools_dir;
}

static enum app_exit run_lint(struct cli *cli, const struct cli_args *args)
{
    if (args->operand_count > 2) {
        cli_report_usage(cli, "unexpected operand", args->operands[2]);
        return APP_EXIT_TROUBLE;
    }
    const char *directory = tools_directory(cli, args, 1);
    return directory ? cli_lint(cli, directory) : APP_EXIT_TROUBLE;
}

static enum app_exit run_new(struct cli *cli, const struct cli_args *args)
{
    if (args->operand_count < 2) {
        cli_report_usage(cli, "missing operand, expected", "new NAME [DIR]");
        return APP_EXIT_TROUBLE;
    }
    const char *directory = tools_directory(cli, args, 2);
    bool is_created = directory && cli_init_tool(cli, directory, args->operands[1]) == 0;
    return is_created ? APP_EXIT_OK : APP_EXIT_TROUBLE;
}

static enum app_exit run_subcommand(struct cli *cli, const struct cli_args *args)
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
    cli_report_unknown(cli, "unknown subcommand", word, "", similar.best);
    return APP_EXIT_TROUBLE;
}

static enum app_exit list_tools(struct cli *cli, const struct cli_args *args)
{
    static const struct listing listing = {
        .columns = {"name", "description"},
        .count = catalog_tool_count,
        .row = tool_row,
        .write = write_tool,
    };
    return args->operand_count > 0 ? run_subcommand(cli, args) : list(cli, args, &listing);
}

const struct cli_command cli_command_tools = {
    .name = "tools",
    .synopsis = "[lint [DIR] | new NAME [DIR]]",
    .summary = "List, check or create tools",
    .details =
        "Without an operand, lists the tools a client could call. As JSON, each is its whole\n"
        "descriptor, with input and output schema.\n\n"
        "\"lint\" checks the descriptors of external tools in DIR or the tools directory. It\n"
        "prints FILE#POINTER and the finding for each, and exits with 1 if there are any.\n\n"
        "\"new\" creates NAME.tool.json and NAME.sh there: a working tool to start from. It\n"
        "never overwrites files.\n",
    .operand_max = 3,
    .options = options,
    .run = list_tools,
};
