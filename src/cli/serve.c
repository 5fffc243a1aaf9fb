/*
 * mcpgate serve, which is also mcpgate without a command; and mcpgate
 * --validate, which checks one file as the server's tool validate_asset does.
 */
#include "app/serve.h"

#include <errno.h>
#include <string.h>

#include <jsv/json.h>
#include <jsv/schema.h>

#include "app/content.h"
#include "cli/cli.h"
#include "cli/io.h"
#include "cli/report.h"
#include "core/limits.h"
#include "log/text.h"
#include "os/sys.h"
#include "tools/result.h"
#include "tools/tool.h"

/* ---- --validate: calls the tool itself, so that both always agree ---- */

struct asset_check {
    struct cli *cli;
    const char *path;
    struct app_content content;
    struct jsv_buf text;      /* of the file */
    struct jsv_buf arguments; /* of the tool */
    struct jsv_buf result;
    struct jsv_reader *reader;
    struct jsv_document *document;
    struct jsv_validator *validator;
    struct tools *tools;
    struct jsv_arena scratch;
};

/* {"ok":false,"reason":…,"errors":[{"path":…,"msg":…}]} */
static void write_error(
    struct asset_check *check, const char *reason, struct jsv_str pointer, const char *message)
{
    struct jsv_writer writer = jsv_writer_on(&check->result);
    jsv_write_object_begin(&writer);
    jsv_write_member_bool(&writer, JSV_STR("ok"), false);
    jsv_write_member_string(&writer, JSV_STR("reason"), jsv_str_from(reason));
    tool_write_problem(&writer, pointer, jsv_str_from(message));
    jsv_write_object_end(&writer);
}

static int read_asset(struct asset_check *check)
{
    int r = cli_input_read(check->cli, check->path, &check->text);
    if (r < 0) {
        write_error(check, "io_error", JSV_STR(""), strerror(-r));
        return r;
    }
    struct jsv_error error;
    r = jsv_read(check->reader, check->document, jsv_buf_str(&check->text), 0, &error);
    if (r < 0) {
        write_error(check, "parse_error", error.pointer, error.message.data);
    }
    return r;
}

/* {"asset":…,"schema":…}, parsed into the document in place of the asset. */
static int make_arguments(struct asset_check *check)
{
    struct jsv_str schema = catalog_file_schema_name(
        jsv_document_root(check->document), jsv_str_from(check->path), &check->scratch);
    if (!schema.data) {
        return -ENOMEM;
    }
    struct jsv_writer writer = jsv_writer_on(&check->arguments);
    jsv_write_object_begin(&writer);
    jsv_write_member_span(&writer, JSV_STR("asset"), jsv_buf_str(&check->text));
    jsv_write_member_string(&writer, JSV_STR("schema"), schema);
    jsv_write_object_end(&writer);
    if (check->arguments.error < 0) {
        return check->arguments.error;
    }
    return jsv_read(check->reader, check->document, jsv_buf_str(&check->arguments), 0, NULL);
}

/* @return 1 valid, 0 not valid, -errno */
static int call_tool(struct asset_check *check)
{
    struct tool_call call = {
        .catalog = check->content.catalog,
        .tool = catalog_tool_find(check->content.catalog, JSV_STR("validate_asset")),
        .arguments = jsv_document_root(check->document),
        .tools = check->tools,
        .reader = check->reader,
        .validator = check->validator,
        .scratch = &check->scratch,
        .out = &check->result,
    };
    int r = tool_run(&call);
    return r < 0 ? r : call.verdict == TOOL_VERDICT_OK;
}

static int prepare(struct asset_check *check)
{
    const struct jsv_validator_limits limits = {.problems_max = CORE_PROBLEMS_MAX};
    const struct jsv_limits reading = {.depth_max = CORE_DEPTH_MAX + 1}; /* inside the arguments */
    check->reader = jsv_reader_new(os_allocator(), &reading);
    check->document = jsv_document_new(os_allocator());
    check->validator = jsv_validator_new(os_allocator(), &limits);
    const struct tool_settings settings = {0}; /* no backend, and so no loop */
    int r = check->reader && check->document && check->validator
                ? tools_new(NULL, &settings, &check->tools)
                : -ENOMEM;
    if (r < 0) {
        cli_report_errno(check->cli, check->path, r);
    }
    return r;
}

/* @return 1 valid, 0 not valid, or a reported error, which also has a result where possible. */
static int check_asset(struct asset_check *check)
{
    int r = prepare(check);
    r = r < 0 ? r : cli_content_read(check->cli, &check->content);
    r = r < 0 ? r : read_asset(check);
    if (r < 0) {
        return r;
    }
    r = make_arguments(check);
    r = r < 0 ? r : call_tool(check);
    if (r < 0) {
        cli_report_errno(check->cli, check->path, r);
    }
    return r;
}

static enum app_exit
validate_asset(struct cli *cli, const struct app_config *config, const char *path)
{
    struct asset_check check = {.cli = cli, .path = path};
    jsv_buf_init(&check.text, os_allocator(), CLI_INPUT_SIZE_MAX);
    cli_output_init(&check.arguments);
    cli_output_init(&check.result);
    jsv_arena_init(&check.scratch, os_allocator(), SIZE_MAX);
    app_content_init(&check.content, config);
    check.content.options.examples_dir = NULL; /* only schemas are needed */
    check.content.options.tools_dir = NULL;
    int valid = check_asset(&check);
    if (check.result.size > 0) {
        jsv_buf_append_byte(&check.result, '\n');
        int r = cli_output_buf(cli, &check.result);
        valid = r < 0 ? r : valid;
    }
    tools_free(check.tools);
    jsv_arena_done(&check.scratch);
    jsv_validator_free(check.validator);
    jsv_document_free(check.document);
    jsv_reader_free(check.reader);
    jsv_buf_done(&check.result);
    jsv_buf_done(&check.arguments);
    jsv_buf_done(&check.text);
    app_content_done(&check.content);
    return valid < 0 ? APP_EXIT_TROUBLE : valid > 0 ? APP_EXIT_OK : APP_EXIT_INVALID;
}

/* ---- the command ---- */

static enum app_exit run(struct cli *cli, const struct cli_args *args)
{
    const struct app_config_args config_args = cli_config_args(args);
    struct app_config config;
    struct app_config_error error;
    if (app_config_read(&config_args, &config, &error) < 0) {
        log_text_error("setup_failed", jsv_str_from(error.text));
        return APP_EXIT_TROUBLE;
    }
    const char *asset = cli_args_value(args, CLI_FLAG(SERVE_VALIDATE));
    if (asset) {
        return validate_asset(cli, &config, asset);
    }
    struct app_streams streams = {cli->in_fd, cli->out_fd, cli->err_fd};
    enum app_exit status = app_serve(&streams, &config);
    cli->out_fd = streams.out_fd;
    return status;
}

static const struct cli_option options[] = {
#define CLI_SERVE CLI_OPTION_ROW
#include "cli/options.def"
#define APP_SETTING CLI_SETTING_ROW
#include "app/env.def"
#undef APP_SETTING
    {0},
};

const struct cli_command cli_command_serve = {
    .name = "serve",
    .synopsis = "",
    .summary = "Answer messages on standard input, a Unix socket or HTTP (default)",
    .details =
        "Messages are JSON, one per line. Answers go to standard output or back to the client,\n"
        "everything else to standard error. On standard input the server ends when the input\n"
        "ends. On SIGINT and SIGTERM it finishes running requests, for at most ten seconds; a\n"
        "second signal ends it at once. On SIGHUP it reloads schemas, examples and tools.\n"
        "\n"
        "Each setting can be given as an option or in the environment; the option wins.\n"
        "\n"
        "Exit status: 0 when the input ended or a signal asked to stop, 1 when something failed\n"
        "while serving, 2 when the server could not be set up. --validate: 0 when the document is\n"
        "valid, 1 when it is not, 2 when it could not be read.\n",
    .options = options,
    .run = run,
};
