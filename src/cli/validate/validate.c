/*
 * mcpgate validate: documents against a JSON Schema.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/io.h"
#include "cli/report.h"
#include "cli/resolve.h"
#include "cli/schema.h"
#include "cli/validate/run.h"
#include "cli/validate/source.h"
#include "os/sys.h"

/* More threads are not faster, and each needs memory. */
#define JOBS_MAX 256

/* ---- options ---- */

/* Functions below that return an int return 0, or a reported error. */

static int refuse(struct cli *cli, const char *expected, const char *value)
{
    cli_report_usage(cli, expected, value);
    return -EINVAL;
}

static int take_draft(struct cli *cli, const struct cli_args *args, enum jsv_draft *ret_draft)
{
    const char *name = cli_args_value(args, CLI_FLAG(VALIDATE_DRAFT));
    *ret_draft = JSV_DRAFT_2020_12;
    if (name && jsv_draft_from_name(jsv_str_from(name), ret_draft) < 0) {
        return refuse(cli, "--draft: expected 2020-12, 2019-09, 7, 6 or 4, not", name);
    }
    return 0;
}

static int
take_format(struct cli *cli, const struct cli_args *args, enum validate_format *ret_format)
{
    static const char *const formats[] = {
        [VALIDATE_TEXT] = "text",
        [VALIDATE_JSON] = "json",
        [VALIDATE_BASIC] = "basic",
        [VALIDATE_GITHUB] = "github",
        NULL,
    };
    int format = cli_args_choice(cli, args, CLI_FLAG(VALIDATE_FORMAT), "--format", formats);
    *ret_format = format < 0 ? VALIDATE_TEXT : (enum validate_format)format;
    return format < 0 ? format : 0;
}

static int take_threads(struct cli *cli, const struct cli_args *args, unsigned *ret_threads)
{
    const char *text = cli_args_value(args, CLI_FLAG(VALIDATE_JOBS));
    if (!text) {
        unsigned count = os_cpu_count();
        *ret_threads = count < JOBS_MAX ? count : JOBS_MAX;
        return 0;
    }
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    bool digits = text[0] >= '0' && text[0] <= '9' && *end == '\0';
    if (!digits || number < 1 || number > JOBS_MAX) {
        return refuse(cli, "--jobs: expected a number from 1 to 256, not", text);
    }
    *ret_threads = (unsigned)number;
    return 0;
}

static int check_stdin(struct cli *cli, const struct cli_args *args)
{
    bool schema = strcmp(cli_args_value(args, CLI_FLAG(VALIDATE_SCHEMA)), "-") == 0;
    for (size_t i = 0; schema && i < args->operand_count; i++) {
        if (strcmp(args->operands[i], "-") == 0) {
            return refuse(
                cli, "the schema is read from standard input, so no document can be", "-");
        }
    }
    return 0;
}

static int
take_options(struct cli *cli, const struct cli_args *args, struct validate_options *options)
{
    *options = (struct validate_options){
        .colour = cli->out_colour,
        .line_size_max = VALIDATE_LINE_SIZE_MAX,
        .progress = cli->progress && !(args->flags & CLI_FLAG(VALIDATE_QUIET)),
    };
    int r = take_format(cli, args, &options->format);
    r = r < 0 ? r : take_threads(cli, args, &options->threads);
    return r < 0 ? r : check_stdin(cli, args);
}

/* ---- the schema ---- */

static int take_rules(struct cli *cli, const struct cli_args *args, struct cli_resolve *resolve)
{
    size_t position = 0;
    const char *word;
    while ((word = cli_args_next_value(args, CLI_FLAG(VALIDATE_RESOLVE), &position)) != NULL) {
        int r = cli_resolve_add(cli, resolve, word);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

static int load_schema(struct cli *cli, const struct cli_args *args, struct cli_schema *ret_schema)
{
    struct cli_schema_options options = {
        .path = cli_args_value(args, CLI_FLAG(VALIDATE_SCHEMA)),
        .assert_format = args->flags & CLI_FLAG(VALIDATE_ASSERT_FORMAT),
        .assert_content = args->flags & CLI_FLAG(VALIDATE_ASSERT_CONTENT),
        .lenient = args->flags & CLI_FLAG(VALIDATE_LENIENT),
        .compile_unused = args->operand_count == 0,
    };
    struct cli_resolve resolve;
    int r = take_draft(cli, args, &options.draft);
    if (r < 0) {
        return r;
    }
    cli_resolve_init(&resolve);
    resolve.no_warnings = args->flags & CLI_FLAG(VALIDATE_NO_WARNINGS);
    r = take_rules(cli, args, &resolve);
    if (r == 0) {
        r = cli_schema_load(cli, &options, &resolve, ret_schema);
    }
    cli_resolve_done(&resolve);
    return r;
}

/* ---- the documents ---- */

/* "3 documents, 1 valid, 1 invalid, 1 could not be checked" */
static void print_summary(const struct cli *cli, const struct validate_counts *counts)
{
    const struct {
        size_t count;
        const char *text;
        bool is_optional;
    } parts[] = {
        {counts->documents, counts->documents == 1 ? " document" : " documents", false},
        {counts->valid, " valid", false},
        {counts->documents - counts->valid - counts->broken, " invalid", false},
        {counts->broken, " could not be checked", true},
        {counts->unread, counts->unread == 1 ? " file unread" : " files unread", true},
    };
    struct cli_message message;
    cli_message_init(&message, false);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (parts[i].count > 0 || !parts[i].is_optional) {
            cli_message_printf(
                &message, "%s%zu%s", i > 0 ? ", " : "", parts[i].count, parts[i].text);
        }
    }
    cli_message_put(&message, "\n");
    (void)os_write_all(cli->err_fd, message.data, message.size);
}

static enum app_exit exit_of(const struct validate_counts *counts)
{
    if (counts->broken > 0 || counts->unread > 0) {
        return APP_EXIT_TROUBLE;
    }
    return counts->valid == counts->documents ? APP_EXIT_OK : APP_EXIT_INVALID;
}

static enum app_exit check_files(
    struct cli *cli,
    const struct cli_args *args,
    const struct validate_options *options,
    const struct validate_files *files)
{
    struct validate_counts counts;
    if (cli_interrupt_begin(cli) < 0) {
        return APP_EXIT_TROUBLE;
    }
    enum app_exit status = cli_interrupt_end(validate_run(cli, options, files, &counts));
    if (status != APP_EXIT_OK) {
        return status;
    }
    if (options->format == VALIDATE_TEXT && !(args->flags & CLI_FLAG(VALIDATE_QUIET))) {
        print_summary(cli, &counts);
    }
    return exit_of(&counts);
}

static enum app_exit
list_files(struct cli *cli, const struct cli_args *args, const struct validate_options *options)
{
    struct validate_files files;
    int r = validate_files_list(
        args->operands, args->operand_count, args->flags & CLI_FLAG(VALIDATE_NDJSON), &files);
    if (r < 0) {
        cli_report_errno(cli, "cannot list the files", r);
        return APP_EXIT_TROUBLE;
    }
    enum app_exit status = check_files(cli, args, options, &files);
    validate_files_done(&files);
    return status;
}

/* ---- the schema only ---- */

/* "s.json: read as draft 7" */
static void print_draft(
    struct cli *cli, const struct cli_args *args, const struct cli_schema *schema, const char *what)
{
    const char *name = cli_input_name(cli_args_value(args, CLI_FLAG(VALIDATE_SCHEMA)));
    struct cli_message message;
    cli_message_init(&message, cli->colour);
    cli_message_put_text(&message, jsv_str_from(name));
    cli_message_put(&message, ": ");
    cli_message_put(&message, what);
    cli_message_put(&message, jsv_draft_name(jsv_schema_draft(schema->schema)));
    cli_message_put(&message, "\n");
    (void)os_write_all(cli->err_fd, message.data, message.size);
}

/* Without documents, only the schema is checked; here it has compiled. */
static enum app_exit print_schema_result(
    struct cli *cli,
    const struct cli_args *args,
    const struct validate_options *options,
    const struct cli_schema *schema)
{
    const struct validate_verdict verdict = {
        .name = cli_input_name(cli_args_value(args, CLI_FLAG(VALIDATE_SCHEMA))), .line = 1};
    struct jsv_buf out;
    cli_output_init(&out);
    validate_output_write(&verdict, options->format, false, &out);
    int r = cli_output_finish(cli, &out);
    if (r == 0 && options->format == VALIDATE_TEXT && !(args->flags & CLI_FLAG(VALIDATE_QUIET))) {
        print_draft(cli, args, schema, "the schema is valid, draft ");
    }
    return r < 0 ? APP_EXIT_TROUBLE : APP_EXIT_OK;
}

static enum app_exit run(struct cli *cli, const struct cli_args *args)
{
    struct validate_options options;
    struct cli_schema schema = {0};
    if (!cli_args_value(args, CLI_FLAG(VALIDATE_SCHEMA))) {
        cli_report_usage(cli, "missing option", "--schema");
        return APP_EXIT_TROUBLE;
    }
    if (take_options(cli, args, &options) < 0 || load_schema(cli, args, &schema) < 0) {
        return APP_EXIT_TROUBLE;
    }
    options.schema = schema.schema;
    if (args->flags & CLI_FLAG(VALIDATE_VERBOSE)) {
        print_draft(cli, args, &schema, "read as draft ");
    }
    enum app_exit status = args->operand_count > 0
                               ? list_files(cli, args, &options)
                               : print_schema_result(cli, args, &options, &schema);
    cli_schema_done(&schema);
    return status;
}

static const struct cli_option options[] = {
#define CLI_VALIDATE CLI_OPTION_ROW
#include "cli/options.def"
    {0},
};

const struct cli_command cli_command_validate = {
    .name = "validate",
    .synopsis = "-s SCHEMA [FILE...]",
    .summary = "Check documents against a JSON Schema",
    .details =
        "A FILE holds one document, or one document per line (NDJSON). - is standard input. For a\n"
        "directory, all *.json in it and its subdirectories are checked. Results are printed in\n"
        "the order of the input.\n"
        "\n"
        "Without FILE, the schema itself is checked.\n"
        "\n"
        "References between schemas are resolved by relative path (../x.json) and by --resolve:\n"
        "  DIR              all *.json below DIR, by their $id\n"
        "  URI=FILE         one schema\n"
        "  URI_PREFIX=DIR   URIs with this prefix are files below DIR\n"
        "Nothing is ever downloaded.\n"
        "\n"
        "Exit status: 0 when all documents are valid, 1 when some are not, 2 when something\n"
        "could not be read or is not JSON, or the schema has an error.\n",
    .options = options,
    .operand_max = SIZE_MAX,
    .run = run,
};
