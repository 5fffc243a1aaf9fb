/*
 * mcpgate check: MCP messages, one a line, against the definitions of a
 * version of the protocol; a verdict for each, as it comes.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "app/interrupt.h"
#include "cli/args.h"
#include "cli/check_line.h"
#include "cli/cli.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/validate/files.h"
#include "cli/validate/source.h"
#include "os/sys.h"

enum check_flags {
    CHECK_PROTOCOL = 1 << 0,
    CHECK_AS = 1 << 1,
    CHECK_MCP_SCHEMA = 1 << 2,
    CHECK_FORMAT = 1 << 3,
};

/* All functions below that return an int return 0, or an error that has been reported. */

/* ---- the stream ---- */

static int answer_piece(
    struct app_cli *cli,
    struct check_lines *lines,
    const struct validate_piece *piece,
    struct jsv_buf *out)
{
    if (piece->kind == VALIDATE_UNREAD) {
        app_input_report(cli, piece->file->name, piece->error);
        return piece->error;
    }
    int r = piece->kind == VALIDATE_LONG_LINE
                ? check_lines_too_long(lines, out)
                : check_lines_text(lines, jsv_buf_str(&piece->text), out);
    if (r < 0) {
        return app_output_failed(cli, r);
    }
    r = app_output_buf(cli, out);
    jsv_buf_reset(out);
    return r;
}

static int go_through(
    struct app_cli *cli,
    struct check_lines *lines,
    struct validate_source *source,
    struct validate_piece *piece,
    struct jsv_buf *out)
{
    for (;;) {
        validate_piece_reset(piece);
        int r = validate_source_next(source, piece);
        if (r < 0 && r != -EINTR) {
            return app_output_failed(cli, r);
        }
        if (r <= 0) {
            return r;
        }
        r = answer_piece(cli, lines, piece, out);
        if (r < 0) {
            return r;
        }
    }
}

static int
check_files(struct app_cli *cli, struct check_lines *lines, const struct validate_files *files)
{
    struct validate_source source;
    struct validate_piece piece;
    struct jsv_buf out;
    validate_source_init(&source, files, cli->in_fd);
    source.line_size_max = CHECK_LINE_SIZE_MAX + 1; /* and a carriage return */
    validate_piece_init(&piece);
    jsv_buf_init(&out, os_allocator(), APP_OUTPUT_SIZE_MAX);
    int r = go_through(cli, lines, &source, &piece, &out);
    jsv_buf_done(&out);
    validate_piece_done(&piece);
    validate_source_done(&source);
    return r;
}

static char *input_path(const struct app_args *args)
{
    static char standard_input[] = "-";
    return args->operand_count > 0 ? args->operands[0] : standard_input;
}

/* "7 messages, 6 valid, 1 invalid", for people. */
static int print_summary(struct app_cli *cli, const struct check_lines *lines)
{
    char text[96];
    struct check_counts counts = check_lines_counts(lines);
    snprintf(
        text,
        sizeof(text),
        "%zu message%s, %zu valid, %zu invalid\n",
        counts.messages,
        counts.messages == 1 ? "" : "s",
        counts.messages - counts.invalid,
        counts.invalid);
    return app_output_write(cli, jsv_str_from(text));
}

static int check_input(struct app_cli *cli, const struct app_args *args, struct check_lines *lines)
{
    char *path = input_path(args);
    struct validate_files files;
    int r = validate_files_list(&path, 1, true, &files);
    if (r < 0) {
        return app_output_failed(cli, r);
    }
    const struct validate_file *file = validate_files_at(&files, 0);
    if (file->directory || file->error == -ENODATA) {
        app_input_report(cli, path, -EISDIR);
        r = -EISDIR;
    } else {
        r = check_files(cli, lines, &files);
    }
    validate_files_done(&files);
    return r;
}

/* As check_input(); a signal ends it between two lines. */
static enum app_exit watch_input(
    struct app_cli *cli, const struct app_args *args, struct check_lines *lines, bool as_text)
{
    if (app_interrupt_begin(cli) < 0) {
        return APP_EXIT_TROUBLE;
    }
    int r = check_input(cli, args, lines);
    if (r == 0 && as_text) {
        r = print_summary(cli, lines);
    }
    enum app_exit status = app_interrupt_end(r);
    bool is_valid = check_lines_counts(lines).invalid == 0;
    return status == APP_EXIT_OK && !is_valid ? APP_EXIT_INVALID : status;
}

static enum app_exit check_stream(
    struct app_cli *cli, const struct app_args *args, const struct check_line_options *options)
{
    struct check_lines *lines = check_lines_new(options);
    if (!lines) {
        app_output_failed(cli, -ENOMEM);
        return APP_EXIT_TROUBLE;
    }
    enum app_exit status = watch_input(cli, args, lines, options->text_name != NULL);
    check_lines_free(lines);
    return status;
}

/* ---- options ---- */

static void report_version(struct app_cli *cli, const char *name)
{
    char subject[64];
    char why[160] = "unknown version; known are";
    size_t size = strlen(why);
    for (enum mcp_version version = 0; version < MCP_VERSION_COUNT && size < sizeof(why);
         version++) {
        const char *comma = version > 0 ? "," : "";
        size += (size_t)snprintf(
            why + size, sizeof(why) - size, "%s %s", comma, mcp_version_name(version));
    }
    snprintf(subject, sizeof(subject), "--protocol %.40s", name);
    app_report_about(cli, subject, why);
}

/* Without one, the stream says which. */
static int
take_version(struct app_cli *cli, const struct app_args *args, struct check_line_options *options)
{
    const char *name = app_args_value(args, CHECK_PROTOCOL);
    options->version = MCP_VERSION_NEWEST;
    options->follows_stream = !name;
    int r = name ? mcp_version_from_name(jsv_str_from(name), &options->version) : 0;
    if (r < 0) {
        report_version(cli, name);
    }
    return r;
}

static int
take_format(struct app_cli *cli, const struct app_args *args, struct check_line_options *options)
{
    const char *format = app_args_value(args, CHECK_FORMAT);
    bool as_text = format && strcmp(format, "text") == 0;
    if (format && !as_text && strcmp(format, "json") != 0) {
        app_report_usage(cli, "--format: expected json or text, not", format);
        return -EINVAL;
    }
    options->text_name = as_text ? app_input_name(input_path(args)) : NULL;
    return 0;
}

static int load_official(
    struct app_cli *cli,
    const char *path,
    enum mcp_version version,
    struct mcp_definitions **ret_definitions)
{
    struct mcp_fault fault;
    struct jsv_buf text;
    jsv_buf_init(&text, os_allocator(), APP_INPUT_SIZE_MAX);
    int r = app_input_read(cli, path, &text);
    if (r == 0) {
        const struct mcp_official official = {.text = jsv_buf_str(&text), .version = version};
        r = mcp_definitions_new(&official, ret_definitions, &fault);
        if (r == -EBADMSG) {
            app_report_about(cli, app_input_name(path), fault.text);
        } else if (r < 0) {
            app_report_errno(cli, app_input_name(path), r);
        }
    }
    jsv_buf_done(&text);
    return r;
}

static int load_definitions(
    struct app_cli *cli, const struct app_args *args, struct check_line_options *options)
{
    const char *path = app_args_value(args, CHECK_MCP_SCHEMA);
    if (path) {
        return load_official(cli, path, options->version, &options->definitions);
    }
    int r = mcp_definitions_new(NULL, &options->definitions, NULL);
    return r < 0 ? app_output_failed(cli, r) : 0;
}

static int take_definition(struct app_cli *cli, struct check_line_options *options)
{
    if (!options->as) {
        return 0;
    }
    int r = mcp_definitions_find(
        options->definitions, options->version, jsv_str_from(options->as), &options->as_schema);
    if (r == -ENOENT) {
        app_report_usage(cli, "--as: this protocol version has no definition", options->as);
    } else if (r < 0) {
        app_report_errno(cli, options->as, r);
    }
    return r;
}

static enum app_exit check_command(struct app_cli *cli, const struct app_args *args)
{
    struct check_line_options options = {.as = app_args_value(args, CHECK_AS)};
    enum app_exit status = APP_EXIT_TROUBLE;
    if (take_format(cli, args, &options) < 0 || take_version(cli, args, &options) < 0 ||
        load_definitions(cli, args, &options) < 0) {
        return status;
    }
    if (take_definition(cli, &options) == 0) {
        status = check_stream(cli, args, &options);
    }
    mcp_definitions_free(options.definitions);
    return status;
}

static const struct app_option options[] = {
    {
        .name = "protocol",
        .value = "VERSION",
        .flag = CHECK_PROTOCOL,
        .help = "Version of all messages; by default the stream says which",
    },
    {
        .name = "format",
        .value = "json|text",
        .flag = CHECK_FORMAT,
        .help = "Print json (default), or text with line numbers",
    },
    {
        .name = "as",
        .value = "DEFINITION",
        .flag = CHECK_AS,
        .help = "Check each line against this definition alone",
    },
    {
        .name = "mcp-schema",
        .value = "FILE",
        .flag = CHECK_MCP_SCHEMA,
        .help = "The version's official schema, instead of the built-in one",
    },
    {0},
};

const struct app_command app_command_check = {
    .name = "check",
    .synopsis = "[FILE|-]",
    .summary = "Check messages of the Model Context Protocol",
    .details =
        "One message a line in, one verdict a line out, as they come:\n"
        "\n"
        "  {\"ok\":true,\"kind\":\"request\",\"method\":\"ping\",\"definition\":\"PingRequest\"}\n"
        "  {\"ok\":false,\"layer\":\"mcp\",\"code\":-32602,\"errors\":[{\"path\":…,\"msg\":…}]}\n"
        "\n"
        "The layer is json (the line is not JSON), rpc (not a JSON-RPC message) or mcp. A\n"
        "response is checked against the result of the request with its id earlier in the\n"
        "stream, if there is one. A line may have 1 MiB; longer ones are refused and skipped.\n"
        "\n"
        "The version is what the stream says: initialize and its result, or params._meta of\n"
        "2026-07-28; before that, the newest. --protocol sets one version for all messages.\n"
        "\n"
        "--format text prints only what is wrong, as FILE:LINE: METHOD: POINTER: MESSAGE.\n"
        "\n"
        "Exit status: 0 when all messages are valid, 1 when some are not, 2 when the input\n"
        "could not be read, or the version or definition does not exist.\n",
    .options = options,
    .operand_min = 0,
    .operand_max = 1,
    .run = check_command,
};
