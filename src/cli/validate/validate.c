/*
 * mcpgate validate: documents against a JSON Schema.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app/interrupt.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/input.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/resolve.h"
#include "cli/schema.h"
#include "cli/validate/files.h"
#include "cli/validate/run.h"
#include "cli/validate/source.h"
#include "os/sys.h"

enum validate_flags {
    VALIDATE_SCHEMA = 1 << 0,
    VALIDATE_DRAFT = 1 << 1,
    VALIDATE_ASSERT_FORMAT = 1 << 2,
    VALIDATE_RESOLVE = 1 << 3,
    VALIDATE_NDJSON = 1 << 4,
    VALIDATE_FORMAT = 1 << 5,
    VALIDATE_JOBS = 1 << 6,
    VALIDATE_QUIET = 1 << 7,
    VALIDATE_ASSERT_CONTENT = 1 << 8,
    VALIDATE_LENIENT = 1 << 9,
    VALIDATE_NO_WARNINGS = 1 << 10,
    VALIDATE_VERBOSE = 1 << 11,
};

/* More threads than that do not make anything faster; each takes memory of its own. */
#define JOBS_MAX 256

/* ---- options ---- */

/* All below return 0, or an error that has been reported. */

static int bad_value(struct app_cli *cli, const char *expected, const char *value)
{
    app_report_usage(cli, expected, value);
    return -EINVAL;
}

static int take_draft(struct app_cli *cli, const struct app_args *args, enum jsv_draft *ret_draft)
{
    const char *name = app_args_value(args, VALIDATE_DRAFT);
    *ret_draft = JSV_DRAFT_2020_12;
    if (name && jsv_draft_from_name(jsv_str_from(name), ret_draft) < 0) {
        return bad_value(cli, "--draft is 2020-12, 2019-09, 7, 6 or 4, not", name);
    }
    return 0;
}

static int
take_format(struct app_cli *cli, const struct app_args *args, enum validate_format *ret_format)
{
    const char *name = app_args_value(args, VALIDATE_FORMAT);
    *ret_format = VALIDATE_TEXT;
    if (name && validate_format_from_name(name, ret_format) < 0) {
        return bad_value(cli, "--format is text, json, basic or github, not", name);
    }
    return 0;
}

static int take_threads(struct app_cli *cli, const struct app_args *args, unsigned *ret_threads)
{
    const char *text = app_args_value(args, VALIDATE_JOBS);
    if (!text) {
        unsigned count = os_cpu_count();
        *ret_threads = count < JOBS_MAX ? count : JOBS_MAX;
        return 0;
    }
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    bool digits = text[0] >= '0' && text[0] <= '9' && *end == '\0';
    if (!digits || number < 1 || number > JOBS_MAX) {
        return bad_value(cli, "--jobs is a number from 1 to 256, not", text);
    }
    *ret_threads = (unsigned)number;
    return 0;
}

static int check_stdin(struct app_cli *cli, const struct app_args *args)
{
    bool schema = strcmp(app_args_value(args, VALIDATE_SCHEMA), "-") == 0;
    for (size_t i = 0; schema && i < args->operand_count; i++) {
        if (strcmp(args->operands[i], "-") == 0) {
            return bad_value(cli, "the schema is standard input already, it cannot also be", "-");
        }
    }
    return 0;
}

static int
take_options(struct app_cli *cli, const struct app_args *args, struct validate_wishes *wishes)
{
    *wishes = (struct validate_wishes){
        .check = {.colour = cli->out_colour, .line_size_max = VALIDATE_LINE_SIZE_MAX},
        .progress = cli->progress && !(args->flags & VALIDATE_QUIET),
    };
    int r = take_format(cli, args, &wishes->check.format);
    r = r < 0 ? r : take_threads(cli, args, &wishes->threads);
    return r < 0 ? r : check_stdin(cli, args);
}

/* ---- the schema ---- */

static int take_rules(struct app_cli *cli, const struct app_args *args, struct app_resolve *resolve)
{
    size_t position = 0;
    const char *word;
    while ((word = app_args_next_value(args, VALIDATE_RESOLVE, &position)) != NULL) {
        int r = app_resolve_add_word(cli, resolve, word);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

static int
load_schema(struct app_cli *cli, const struct app_args *args, struct app_schema *ret_schema)
{
    struct app_schema_options options = {
        .path = app_args_value(args, VALIDATE_SCHEMA),
        .assert_format = args->flags & VALIDATE_ASSERT_FORMAT,
        .assert_content = args->flags & VALIDATE_ASSERT_CONTENT,
        .lenient = args->flags & VALIDATE_LENIENT,
        .compile_unused = args->operand_count == 0,
    };
    struct app_resolve resolve;
    int r = take_draft(cli, args, &options.draft);
    if (r < 0) {
        return r;
    }
    app_resolve_init(&resolve);
    resolve.no_warnings = args->flags & VALIDATE_NO_WARNINGS;
    r = take_rules(cli, args, &resolve);
    if (r == 0) {
        r = app_schema_load(cli, &options, &resolve, ret_schema);
    }
    app_resolve_done(&resolve);
    return r;
}

/* ---- the documents ---- */

static void put_count(struct app_message *message, size_t count, const char *what)
{
    app_message_put_number(message, count);
    app_message_put(message, what);
}

/* "3 documents, 1 valid, 1 invalid, 1 not JSON" */
static void print_summary(const struct app_cli *cli, const struct validate_sum *sum)
{
    const struct validate_counts *counts = &sum->counts;
    struct app_message message;
    app_message_init(&message, false);
    put_count(&message, counts->documents, counts->documents == 1 ? " document, " : " documents, ");
    put_count(&message, counts->valid, " valid, ");
    put_count(&message, counts->documents - counts->valid - counts->broken, " invalid");
    if (counts->broken > 0) {
        app_message_put(&message, ", ");
        put_count(&message, counts->broken, " could not be checked");
    }
    if (sum->unread > 0) {
        app_message_put(&message, ", ");
        put_count(&message, sum->unread, sum->unread == 1 ? " file unread" : " files unread");
    }
    app_message_put(&message, "\n");
    (void)os_write_all(cli->err_fd, message.data, message.size);
}

static enum app_exit exit_of(const struct validate_sum *sum)
{
    if (sum->counts.broken > 0 || sum->unread > 0) {
        return APP_EXIT_TROUBLE;
    }
    return sum->counts.valid == sum->counts.documents ? APP_EXIT_OK : APP_EXIT_INVALID;
}

static enum app_exit check_files(
    struct app_cli *cli,
    const struct app_args *args,
    const struct validate_wishes *wishes,
    const struct validate_files *files)
{
    struct validate_sum sum;
    if (app_interrupt_begin(cli) < 0) {
        return APP_EXIT_TROUBLE;
    }
    enum app_exit status = app_interrupt_end(validate_run(cli, wishes, files, &sum));
    if (status != APP_EXIT_OK) {
        return status;
    }
    if (wishes->check.format == VALIDATE_TEXT && !(args->flags & VALIDATE_QUIET)) {
        print_summary(cli, &sum);
    }
    return exit_of(&sum);
}

static enum app_exit
list_files(struct app_cli *cli, const struct app_args *args, const struct validate_wishes *wishes)
{
    struct validate_files files;
    int r = validate_files_list(
        args->operands, args->operand_count, args->flags & VALIDATE_NDJSON, &files);
    if (r < 0) {
        app_report_errno(cli, "cannot list the files", r);
        return APP_EXIT_TROUBLE;
    }
    enum app_exit status = check_files(cli, args, wishes, &files);
    validate_files_done(&files);
    return status;
}

/* ---- the schema alone ---- */

/* "s.json: read as draft 7" */
static void say_draft(
    struct app_cli *cli,
    const struct app_args *args,
    const struct app_schema *schema,
    const char *what)
{
    const char *name = app_input_name(app_args_value(args, VALIDATE_SCHEMA));
    struct app_message message;
    app_message_init(&message, cli->colour);
    app_message_put_text(&message, jsv_str_from(name));
    app_message_put(&message, ": ");
    app_message_put(&message, what);
    app_message_put(&message, jsv_draft_name(jsv_schema_draft(schema->schema)));
    app_message_put(&message, "\n");
    (void)os_write_all(cli->err_fd, message.data, message.size);
}

/* Without documents it is the schema that is checked, and it compiles. */
static enum app_exit say_schema(
    struct app_cli *cli,
    const struct app_args *args,
    const struct validate_wishes *wishes,
    const struct app_schema *schema)
{
    const struct validate_verdict verdict = {
        .name = app_input_name(app_args_value(args, VALIDATE_SCHEMA)), .line = 1};
    struct jsv_buf out;
    jsv_buf_init(&out, os_allocator(), APP_OUTPUT_SIZE_MAX);
    validate_output_write(&verdict, wishes->check.format, false, &out);
    int r = out.error ? app_output_failed(cli, out.error) : 0;
    if (r == 0 && out.size > 0) {
        r = app_output_write(cli, jsv_buf_str(&out));
    }
    jsv_buf_done(&out);
    if (r == 0 && wishes->check.format == VALIDATE_TEXT && !(args->flags & VALIDATE_QUIET)) {
        say_draft(cli, args, schema, "the schema is valid, draft ");
    }
    return r < 0 ? APP_EXIT_TROUBLE : APP_EXIT_OK;
}

static enum app_exit validate_command(struct app_cli *cli, const struct app_args *args)
{
    struct validate_wishes wishes;
    struct app_schema schema = {0};
    if (take_options(cli, args, &wishes) < 0 || load_schema(cli, args, &schema) < 0) {
        return APP_EXIT_TROUBLE;
    }
    wishes.check.schema = schema.schema;
    if (args->flags & VALIDATE_VERBOSE) {
        say_draft(cli, args, &schema, "read as draft ");
    }
    enum app_exit status = args->operand_count > 0 ? list_files(cli, args, &wishes)
                                                   : say_schema(cli, args, &wishes, &schema);
    app_schema_done(&schema);
    return status;
}

static const struct app_option options[] = {
    {
        .name = "schema",
        .letter = 's',
        .value = "SCHEMA",
        .flag = VALIDATE_SCHEMA,
        .required = true,
        .help = "File of the schema",
    },
    {
        .name = "draft",
        .value = "DRAFT",
        .flag = VALIDATE_DRAFT,
        .help = "Without $schema: 2020-12 (default), 2019-09, 7, 6 or 4",
    },
    {
        .name = "assert-format",
        .flag = VALIDATE_ASSERT_FORMAT,
        .help = "Check \"format\" as well",
    },
    {
        .name = "assert-content",
        .flag = VALIDATE_ASSERT_CONTENT,
        .help = "Check \"contentEncoding\" and \"contentMediaType\" as well",
    },
    {
        .name = "resolve",
        .value = "WHERE",
        .flag = VALIDATE_RESOLVE,
        .help = "Find other schemas: DIR, URI=FILE or URI_PREFIX=DIR; may repeat",
    },
    {
        .name = "lenient",
        .flag = VALIDATE_LENIENT,
        .help = "Of duplicate members in schemas, the last one counts",
    },
    {
        .name = "ndjson",
        .flag = VALIDATE_NDJSON,
        .help = "One document a line, in all files; else in *.ndjson, *.jsonl",
    },
    {
        .name = "format",
        .value = "FORMAT",
        .flag = VALIDATE_FORMAT,
        .help = "Of the output: text (default), json, basic, github",
    },
    {
        .name = "jobs",
        .letter = 'j',
        .value = "N",
        .flag = VALIDATE_JOBS,
        .help = "Threads; as many as there are processors by default",
    },
    {
        .name = "quiet",
        .letter = 'q',
        .flag = VALIDATE_QUIET,
        .help = "Neither progress nor summary",
    },
    {
        .name = "no-warnings",
        .flag = VALIDATE_NO_WARNINGS,
        .help = "Do not warn about keywords that have no effect",
    },
    {
        .name = "verbose",
        .letter = 'v',
        .flag = VALIDATE_VERBOSE,
        .help = "Say which draft the schema is read as",
    },
    {0},
};

const struct app_command app_command_validate = {
    .name = "validate",
    .synopsis = "-s SCHEMA [FILE...]",
    .summary = "Check documents against a JSON Schema",
    .details =
        "A FILE holds a document, or one document a line (NDJSON); - is standard input; of a\n"
        "directory all *.json below it are checked. Documents may be many: they are read as\n"
        "they come, and results are printed in the order of the input.\n"
        "\n"
        "Without a FILE the schema itself is checked.\n"
        "\n"
        "References in the schema lead to files by their relative path (../x.json), and to\n"
        "what --resolve names:\n"
        "  DIR              all *.json below it, known by their $id\n"
        "  URI=FILE         one schema\n"
        "  URI_PREFIX=DIR   URIs that begin so are files below DIR\n"
        "Nothing is ever downloaded.\n"
        "\n"
        "Exit status: 0 when all documents are valid, 1 when some are not, 2 when something\n"
        "could not be read or is not JSON, or the schema has a fault.\n",
    .options = options,
    .operand_min = 0,
    .operand_max = SIZE_MAX,
    .run = validate_command,
};
