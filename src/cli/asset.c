/*
 * The asset is put into the arguments of validate_asset, and the tool is
 * called as the corridor calls it. So there is one opinion on assets, not two.
 */
#include "cli/asset.h"

#include <errno.h>
#include <string.h>

#include <jsv/json.h>
#include <jsv/schema.h>

#include "app/config.h"
#include "cli/content.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/report.h"
#include "core/limits.h"
#include "os/sys.h"
#include "tools/result.h"
#include "tools/tool.h"

struct judge {
    struct app_cli *cli;
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

/* ---- the file ---- */

/* {"ok":false,"reason":…,"errors":[{"path":…,"msg":…}]} */
static void
write_trouble(struct judge *judge, const char *reason, struct jsv_str pointer, const char *message)
{
    struct jsv_writer writer = jsv_writer_on(&judge->result);
    jsv_write_object_begin(&writer);
    jsv_write_key(&writer, JSV_STR("ok"));
    jsv_write_bool(&writer, false);
    jsv_write_key(&writer, JSV_STR("reason"));
    jsv_write_string(&writer, jsv_str_from(reason));
    tool_write_problem(&writer, pointer, jsv_str_from(message));
    jsv_write_object_end(&writer);
}

static int read_asset(struct judge *judge)
{
    int r = app_input_read(judge->cli, judge->path, &judge->text);
    if (r < 0) {
        write_trouble(judge, "io_error", JSV_STR(""), strerror(-r));
        return r;
    }
    struct jsv_error error;
    r = jsv_read(judge->reader, judge->document, jsv_buf_str(&judge->text), 0, &error);
    if (r < 0) {
        write_trouble(judge, "parse_error", error.pointer, error.message);
    }
    return r;
}

/* ---- the tool ---- */

/* {"asset":…,"schema":…}, read in place of the asset. */
static int make_arguments(struct judge *judge)
{
    struct jsv_str schema = catalog_file_schema_name(
        jsv_document_root(judge->document), jsv_str_from(judge->path), &judge->scratch);
    if (!schema.data) {
        return -ENOMEM;
    }
    struct jsv_writer writer = jsv_writer_on(&judge->arguments);
    jsv_write_object_begin(&writer);
    jsv_write_key(&writer, JSV_STR("asset"));
    jsv_write_span(&writer, jsv_buf_str(&judge->text));
    jsv_write_key(&writer, JSV_STR("schema"));
    jsv_write_string(&writer, schema);
    jsv_write_object_end(&writer);
    if (judge->arguments.error < 0) {
        return judge->arguments.error;
    }
    return jsv_read(judge->reader, judge->document, jsv_buf_str(&judge->arguments), 0, NULL);
}

/* @return 1 valid, 0 not, -errno */
static int call_tool(struct judge *judge)
{
    struct tool_call call = {
        .catalog = judge->content.catalog,
        .tool = catalog_tool_find(judge->content.catalog, JSV_STR("validate_asset")),
        .arguments = jsv_document_root(judge->document),
        .tools = judge->tools,
        .reader = judge->reader,
        .validator = judge->validator,
        .scratch = &judge->scratch,
        .out = &judge->result,
    };
    int r = tool_run(&call);
    if (r < 0) {
        return r;
    }
    return call.verdict == TOOL_VERDICT_OK;
}

/* ---- the whole of it ---- */

/* Only schemas are needed, and no work is done for the rest. */
static int read_schemas(struct judge *judge, const struct app_config *config)
{
    const char *dir;
    app_content_init(&judge->content, config);
    judge->content.options.examples_dir = NULL;
    judge->content.options.tools_dir = NULL;
    int r = app_content_read(&judge->content, &dir);
    if (r < 0) {
        char why[APP_CONTENT_WHY_SIZE];
        app_content_explain(&judge->content, r, dir, why);
        app_report(judge->cli, why);
    }
    return r;
}

static int prepare(struct judge *judge)
{
    const struct jsv_validator_limits limits = {.problems_max = CORE_PROBLEMS_MAX};
    const struct jsv_limits reading = {.depth_max = CORE_DEPTH_MAX + 1}; /* within arguments */
    judge->reader = jsv_reader_new(os_allocator(), &reading);
    judge->document = jsv_document_new(os_allocator());
    judge->validator = jsv_validator_new(os_allocator(), &limits);
    if (!judge->reader || !judge->document || !judge->validator) {
        return -ENOMEM;
    }
    const struct tool_settings settings = {0}; /* no backend, and so no loop */
    return tools_new(NULL, &settings, &judge->tools);
}

static int judge_asset(struct judge *judge, const struct app_config *config)
{
    int r = read_schemas(judge, config);
    if (r == 0) {
        r = read_asset(judge);
    }
    if (r < 0) {
        return r;
    }
    r = make_arguments(judge);
    if (r == 0) {
        r = call_tool(judge);
    }
    if (r < 0) {
        app_report_errno(judge->cli, judge->path, r);
    }
    return r;
}

/* A failure that has no result was reported instead. */
static int print_result(struct judge *judge, int verdict)
{
    if (judge->result.size == 0) {
        return verdict;
    }
    jsv_buf_append_byte(&judge->result, '\n');
    int r = app_output_buf(judge->cli, &judge->result);
    return r < 0 ? r : verdict;
}

static void judge_done(struct judge *judge)
{
    tools_free(judge->tools);
    jsv_arena_done(&judge->scratch);
    jsv_validator_free(judge->validator);
    jsv_document_free(judge->document);
    jsv_reader_free(judge->reader);
    jsv_buf_done(&judge->result);
    jsv_buf_done(&judge->arguments);
    jsv_buf_done(&judge->text);
    app_content_done(&judge->content);
}

enum app_exit
app_asset_validate(struct app_cli *cli, const struct app_config *config, const char *path)
{
    struct judge judge = {.cli = cli, .path = path};
    jsv_buf_init(&judge.text, os_allocator(), APP_INPUT_SIZE_MAX);
    jsv_buf_init(&judge.arguments, os_allocator(), APP_OUTPUT_SIZE_MAX);
    jsv_buf_init(&judge.result, os_allocator(), APP_OUTPUT_SIZE_MAX);
    jsv_arena_init(&judge.scratch, os_allocator(), SIZE_MAX);
    int verdict = prepare(&judge);
    if (verdict < 0) {
        app_report_errno(cli, path, verdict);
    } else {
        verdict = print_result(&judge, judge_asset(&judge, config));
    }
    judge_done(&judge);
    return verdict < 0 ? APP_EXIT_TROUBLE : verdict > 0 ? APP_EXIT_OK : APP_EXIT_INVALID;
}
