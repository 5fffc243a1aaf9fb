/*
 * mcpgate check: MCP messages, one a line, against the definitions of a
 * version of the protocol; a verdict for each, as it comes.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/check_stream.h"
#include "cli/cli.h"
#include "cli/io.h"
#include "cli/report.h"
#include "cli/validate/source.h"
#include "os/sys.h"

/* Functions below that return an int return 0, or a reported error. */

/* ---- the stream ---- */

static int answer_piece(
    struct cli *cli,
    struct check_stream *stream,
    const struct validate_piece *piece,
    struct jsv_buf *out)
{
    if (piece->kind == VALIDATE_UNREAD) {
        cli_input_report(cli, piece->file->name, piece->error);
        return piece->error;
    }
    int r = piece->kind == VALIDATE_LONG_LINE
                ? check_stream_too_long(stream, out)
                : check_stream_text(stream, jsv_buf_str(&piece->text), out);
    if (r < 0) {
        return cli_output_failed(cli, r);
    }
    r = cli_output_buf(cli, out);
    jsv_buf_reset(out);
    return r;
}

static int check_pieces(
    struct cli *cli,
    struct check_stream *stream,
    struct validate_source *source,
    struct validate_piece *piece,
    struct jsv_buf *out)
{
    for (;;) {
        validate_piece_reset(piece);
        int r = validate_source_next(source, piece);
        if (r < 0 && r != -EINTR) {
            return cli_output_failed(cli, r);
        }
        if (r <= 0) {
            return r;
        }
        r = answer_piece(cli, stream, piece, out);
        if (r < 0) {
            return r;
        }
    }
}

static int
check_files(struct cli *cli, struct check_stream *stream, const struct validate_files *files)
{
    struct validate_source source;
    struct validate_piece piece;
    struct jsv_buf out;
    validate_source_init(&source, files, cli->in_fd);
    source.line_size_max = CHECK_LINE_SIZE_MAX + 1; /* and a carriage return */
    validate_piece_init(&piece);
    cli_output_init(&out);
    int r = check_pieces(cli, stream, &source, &piece, &out);
    jsv_buf_done(&out);
    validate_piece_done(&piece);
    validate_source_done(&source);
    return r;
}

/* "7 messages, 6 valid, 1 invalid" */
static int print_summary(struct cli *cli, const struct check_stream *stream)
{
    char text[96];
    struct check_counts counts = check_stream_counts(stream);
    snprintf(
        text,
        sizeof(text),
        "%zu message%s, %zu valid, %zu invalid\n",
        counts.messages,
        counts.messages == 1 ? "" : "s",
        counts.messages - counts.invalid,
        counts.invalid);
    return cli_output_write(cli, jsv_str_from(text));
}

static int check_input(struct cli *cli, const struct cli_args *args, struct check_stream *stream)
{
    char *path = cli_args_input(args);
    struct validate_files files;
    int r = validate_files_list(&path, 1, true, &files);
    if (r < 0) {
        return cli_output_failed(cli, r);
    }
    const struct validate_file *file = validate_files_at(&files, 0);
    if (file->directory || file->error == -ENODATA) {
        cli_input_report(cli, path, -EISDIR);
        r = -EISDIR;
    } else {
        r = check_files(cli, stream, &files);
    }
    validate_files_done(&files);
    return r;
}

/* A signal stops it between two lines. */
static enum app_exit
watch_input(struct cli *cli, const struct cli_args *args, struct check_stream *stream, bool as_text)
{
    if (cli_interrupt_begin(cli) < 0) {
        return APP_EXIT_TROUBLE;
    }
    int r = check_input(cli, args, stream);
    if (r == 0 && as_text) {
        r = print_summary(cli, stream);
    }
    enum app_exit status = cli_interrupt_end(r);
    bool is_valid = check_stream_counts(stream).invalid == 0;
    return status == APP_EXIT_OK && !is_valid ? APP_EXIT_INVALID : status;
}

static enum app_exit
check_stream(struct cli *cli, const struct cli_args *args, const struct check_options *options)
{
    struct check_stream *stream = check_stream_new(options);
    if (!stream) {
        cli_output_failed(cli, -ENOMEM);
        return APP_EXIT_TROUBLE;
    }
    enum app_exit status = watch_input(cli, args, stream, options->text_name != NULL);
    check_stream_free(stream);
    return status;
}

/* ---- options ---- */

static void report_version(struct cli *cli, const char *name)
{
    char subject[64];
    char why[160] = "unknown version; expected one of";
    size_t size = strlen(why);
    for (enum mcp_version version = 0; version < MCP_VERSION_COUNT && size < sizeof(why);
         version++) {
        const char *comma = version > 0 ? "," : "";
        size += (size_t)snprintf(
            why + size, sizeof(why) - size, "%s %s", comma, mcp_version_name(version));
    }
    snprintf(subject, sizeof(subject), "--protocol %.40s", name);
    cli_report_about(cli, subject, why);
}

/* Without --protocol, the version is taken from the stream. */
static int take_version(struct cli *cli, const struct cli_args *args, struct check_options *options)
{
    const char *name = cli_args_value(args, CLI_FLAG(CHECK_PROTOCOL));
    options->version = MCP_VERSION_NEWEST;
    options->follows_stream = !name;
    int r = name ? mcp_version_from_name(jsv_str_from(name), &options->version) : 0;
    if (r < 0) {
        report_version(cli, name);
    }
    return r;
}

static int take_format(struct cli *cli, const struct cli_args *args, struct check_options *options)
{
    static const char *const formats[] = {"json", "text", NULL};
    int format = cli_args_choice(cli, args, CLI_FLAG(CHECK_FORMAT), "--format", formats);
    options->text_name = format == 1 ? cli_input_name(cli_args_input(args)) : NULL;
    return format < 0 ? format : 0;
}

static int load_official(
    struct cli *cli,
    const char *path,
    enum mcp_version version,
    struct mcp_definitions **ret_definitions)
{
    struct mcp_fault fault;
    struct jsv_buf text;
    jsv_buf_init(&text, os_allocator(), CLI_INPUT_SIZE_MAX);
    int r = cli_input_read(cli, path, &text);
    if (r == 0) {
        const struct mcp_official official = {.text = jsv_buf_str(&text), .version = version};
        r = mcp_definitions_new(&official, ret_definitions, &fault);
        if (r == -EBADMSG) {
            cli_report_about(cli, cli_input_name(path), fault.text);
        } else if (r < 0) {
            cli_report_errno(cli, cli_input_name(path), r);
        }
    }
    jsv_buf_done(&text);
    return r;
}

static int
load_definitions(struct cli *cli, const struct cli_args *args, struct check_options *options)
{
    const char *path = cli_args_value(args, CLI_FLAG(CHECK_MCP_SCHEMA));
    if (path) {
        return load_official(cli, path, options->version, &options->definitions);
    }
    int r = mcp_definitions_new(NULL, &options->definitions, NULL);
    return r < 0 ? cli_output_failed(cli, r) : 0;
}

static int take_definition(struct cli *cli, struct check_options *options)
{
    if (!options->as) {
        return 0;
    }
    int r = mcp_definitions_find(
        options->definitions, options->version, jsv_str_from(options->as), &options->as_schema);
    if (r == -ENOENT) {
        cli_report_usage(cli, "--as: this protocol version has no definition", options->as);
    } else if (r < 0) {
        cli_report_errno(cli, options->as, r);
    }
    return r;
}

static enum app_exit run(struct cli *cli, const struct cli_args *args)
{
    struct check_options options = {.as = cli_args_value(args, CLI_FLAG(CHECK_AS))};
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

static const struct cli_option options[] = {
#define CLI_CHECK CLI_OPTION_ROW
#include "cli/options.def"
    {0},
};

const struct cli_command cli_command_check = {
    .name = "check",
    .synopsis = "[FILE|-]",
    .summary = "Check MCP messages, one per line",
    .details =
        "Reads one message per line and prints one result per line as they come:\n"
        "\n"
        "  {\"ok\":true,\"kind\":\"request\",\"method\":\"ping\",\"definition\":\"PingRequest\"}\n"
        "  {\"ok\":false,\"layer\":\"mcp\",\"code\":-32602,\"errors\":[{\"path\":…,\"msg\":…}]}\n"
        "\n"
        "The layer is json (not JSON), rpc (not a JSON-RPC message) or mcp. A response is checked\n"
        "against the result type of the request with the same id earlier in the stream, if there\n"
        "is one. Lines longer than 1 MiB are reported and skipped.\n"
        "\n"
        "The protocol version is taken from the stream: from initialize and its result, or from\n"
        "params._meta as of 2026-07-28; before that, it is the newest. --protocol sets one\n"
        "version for all messages.\n"
        "\n"
        "--format text prints only problems, as FILE:LINE: METHOD: POINTER: MESSAGE.\n"
        "\n"
        "Exit status: 0 when all messages are valid, 1 when some are not, 2 when the input could\n"
        "not be read, or the version or definition does not exist.\n",
    .options = options,
    .operand_max = 1,
    .run = run,
};
