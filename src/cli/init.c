/*
 * mcpgate init: a directory with a schema, an example and a tool to start from.
 */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/scaffold.h"
#include "os/sys.h"

#define TOOL "count_words"

static const struct scaffold_file files[] = {
    {
        .path = "schemas/note.schema.json",
        .text = "{\n"
                "  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
                "  \"title\": \"A note\",\n"
                "  \"version\": \"0.1.0\",\n"
                "  \"type\": \"object\",\n"
                "  \"properties\": {\n"
                "    \"schema\": { \"const\": \"note\" },\n"
                "    \"text\": { \"type\": \"string\", \"minLength\": 1 },\n"
                "    \"stars\": { \"type\": \"integer\", \"minimum\": 1, \"maximum\": 5 }\n"
                "  },\n"
                "  \"required\": [\"text\"],\n"
                "  \"additionalProperties\": false\n"
                "}\n",
    },
    {
        .path = "examples/note_first.json",
        .text = "{\n"
                "  \"schema\": \"note\",\n"
                "  \"text\": \"It works.\",\n"
                "  \"stars\": 5\n"
                "}\n",
    },
};

#define FILE_COUNT (sizeof(files) / sizeof(files[0]))

/* What to do next; the lines can be pasted. */
static int print_next(struct app_cli *cli, const char *directory)
{
    static const char next[] =
        "  mcpgate validate -s schemas/note.schema.json examples/note_first.json\n"
        "  mcpgate call validate_asset schema=note 'asset={\"text\":\"\",\"stars\":9}' "
        "--schemas-dir schemas\n"
        "  mcpgate call " TOOL " text='one two three' --tools-dir tools\n"
        "  mcpgate --http 127.0.0.1:8787 --schemas-dir schemas --examples-dir examples "
        "--tools-dir tools\n"
        "\n"
        "Another tool: mcpgate tools new NAME tools\n";
    struct jsv_buf text;
    jsv_buf_init(&text, os_allocator(), APP_OUTPUT_SIZE_MAX);
    jsv_buf_append_str(&text, JSV_STR("Made in "));
    jsv_buf_append_str(&text, jsv_str_from(directory));
    jsv_buf_append_str(&text, JSV_STR(":\n"));
    for (size_t i = 0; i < FILE_COUNT; i++) {
        jsv_buf_append_str(&text, JSV_STR("  "));
        jsv_buf_append_str(&text, jsv_str_from(files[i].path));
        jsv_buf_append_byte(&text, '\n');
    }
    jsv_buf_append_str(
        &text, JSV_STR("  tools/" TOOL ".tool.json\n  tools/" TOOL ".sh\n\nNext:\n"));
    if (strcmp(directory, ".") != 0) {
        jsv_buf_append_str(&text, JSV_STR("  cd "));
        jsv_buf_append_str(&text, jsv_str_from(directory));
        jsv_buf_append_byte(&text, '\n');
    }
    jsv_buf_append_str(&text, jsv_str_from(next));
    int r = app_output_buf(cli, &text);
    jsv_buf_done(&text);
    return r;
}

static enum app_exit init_run(struct app_cli *cli, const struct app_args *args)
{
    const char *directory = args->operand_count > 0 ? args->operands[0] : ".";
    struct scaffold_file all[FILE_COUNT + APP_SCAFFOLD_TOOL_FILES];
    if (directory[0] == '\0') {
        app_report_usage(cli, "expected a directory, not", directory);
        return APP_EXIT_TROUBLE;
    }
    char paths[APP_SCAFFOLD_TOOL_FILES][64];
    memcpy(all, files, sizeof(files));
    for (size_t i = 0; i < APP_SCAFFOLD_TOOL_FILES; i++) {
        all[FILE_COUNT + i] = app_scaffold_tool[i];
        snprintf(paths[i], sizeof(paths[i]), "tools/%s", app_scaffold_tool[i].path);
        all[FILE_COUNT + i].path = paths[i];
    }
    int r = app_scaffold_make(cli, directory, TOOL, all, sizeof(all) / sizeof(all[0]));
    r = r < 0 ? r : print_next(cli, directory);
    return r < 0 ? APP_EXIT_TROUBLE : APP_EXIT_OK;
}

static const struct app_option options[] = {{0}};

const struct app_command app_command_init = {
    .name = "init",
    .synopsis = "[DIR]",
    .summary = "Make a directory with a schema, an example and a tool",
    .details =
        "Makes schemas/, examples/ and tools/ in DIR, or in the working directory, with one\n"
        "small file of each kind and a program for the tool, and prints commands to try.\n"
        "Files that exist are never overwritten: if one is there, none is made.\n"
        "\n"
        "Exit status: 0, or 2 when a file exists or cannot be written.\n",
    .options = options,
    .operand_max = 1,
    .run = init_run,
};
