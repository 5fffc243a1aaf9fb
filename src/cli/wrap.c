/*
 * mcpgate wrap: a tool's output as an mcp.envelope.v0.1.
 */
#include <errno.h>

#include <jsv/json.h>

#include "cli/cli.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/report.h"
#include "envelope/policy.h"
#include "os/sys.h"

/* All functions below return 0, or an error that has been reported. */

static int print_envelope(struct app_cli *cli, struct envelope_result result)
{
    struct jsv_buf out;
    jsv_buf_init(&out, os_allocator(), APP_OUTPUT_SIZE_MAX);
    envelope_write(&(struct envelope_answer){.result = result, .keeps_lines = true}, &out);
    jsv_buf_append_byte(&out, '\n');
    int r = app_output_buf(cli, &out);
    jsv_buf_done(&out);
    return r;
}

/* What is not JSON is text. */
static int
wrap_with(struct app_cli *cli, const char *path, struct jsv_str input, struct jsv_reader *reader)
{
    struct jsv_document *document = jsv_document_new(os_allocator());
    int r = reader && document ? jsv_read(reader, document, input, 0, NULL) : -ENOMEM;
    if (r == 0) {
        r = print_envelope(cli, envelope_result_json(jsv_document_root(document)));
    } else if (r == -EBADMSG) {
        r = print_envelope(cli, envelope_result_text(input));
    } else {
        app_report_errno(cli, app_input_name(path), r);
    }
    jsv_document_free(document);
    return r;
}

static int wrap(struct app_cli *cli, const char *path)
{
    struct jsv_buf input;
    jsv_buf_init(&input, os_allocator(), APP_INPUT_SIZE_MAX);
    int r = app_input_read(cli, path, &input);
    if (r == 0) {
        struct jsv_reader *reader = jsv_reader_new(os_allocator(), NULL);
        r = wrap_with(cli, path, jsv_buf_str(&input), reader);
        jsv_reader_free(reader);
    }
    jsv_buf_done(&input);
    return r;
}

static enum app_exit wrap_run(struct app_cli *cli, const struct app_args *args)
{
    const char *path = args->operand_count > 0 ? args->operands[0] : "-";
    return wrap(cli, path) < 0 ? APP_EXIT_TROUBLE : APP_EXIT_OK;
}

static const struct app_option options[] = {{0}};

const struct app_command app_command_wrap = {
    .name = "wrap",
    .synopsis = "[FILE|-]",
    .summary = "Wrap a tool's output into an mcp.envelope.v0.1",
    .details =
        "JSON becomes the envelope's result as it is spelled; what is not JSON becomes a\n"
        "string. Output that is such an envelope already is printed unchanged. Without FILE,\n"
        "or with -, standard input is read.\n",
    .options = options,
    .operand_min = 0,
    .operand_max = 1,
    .run = wrap_run,
};
