/*
 * mcpgate wrap: a tool's output as an mcp.envelope.v0.1.
 */
#include <errno.h>

#include <jsv/json.h>

#include "cli/cli.h"
#include "cli/io.h"
#include "cli/report.h"
#include "envelope/policy.h"
#include "os/sys.h"

/* Functions below that return an int return 0, or a reported error. */

static int print_envelope(struct cli *cli, struct envelope_result result)
{
    struct jsv_buf out;
    cli_output_init(&out);
    envelope_write(&(struct envelope_answer){.result = result, .keeps_lines = true}, &out);
    jsv_buf_append_byte(&out, '\n');
    return cli_output_finish(cli, &out);
}

/* Input that is not JSON is wrapped as text. */
static int
wrap_with(struct cli *cli, const char *path, struct jsv_str input, struct jsv_reader *reader)
{
    struct jsv_document *document = jsv_document_new(os_allocator());
    int r = reader && document ? jsv_read(reader, document, input, 0, NULL) : -ENOMEM;
    if (r == 0) {
        r = print_envelope(cli, envelope_result_json(jsv_document_root(document)));
    } else if (r == -EBADMSG) {
        r = print_envelope(cli, envelope_result_text(input));
    } else {
        cli_report_errno(cli, cli_input_name(path), r);
    }
    jsv_document_free(document);
    return r;
}

static int wrap(struct cli *cli, const char *path)
{
    struct jsv_buf input;
    jsv_buf_init(&input, os_allocator(), CLI_INPUT_SIZE_MAX);
    int r = cli_input_read(cli, path, &input);
    if (r == 0) {
        struct jsv_reader *reader = jsv_reader_new(os_allocator(), NULL);
        r = wrap_with(cli, path, jsv_buf_str(&input), reader);
        jsv_reader_free(reader);
    }
    jsv_buf_done(&input);
    return r;
}

static enum app_exit run(struct cli *cli, const struct cli_args *args)
{
    return wrap(cli, cli_args_input(args)) < 0 ? APP_EXIT_TROUBLE : APP_EXIT_OK;
}

static const struct cli_option options[] = {{0}};

const struct cli_command cli_command_wrap = {
    .name = "wrap",
    .synopsis = "[FILE|-]",
    .summary = "Wrap a tool's output in an mcp.envelope.v0.1",
    .details =
        "JSON becomes the envelope's result unchanged; other text becomes a string. Output that "
        "is\n"
        "already such an envelope is printed unchanged. Without FILE, or with -, standard input\n"
        "is read.\n",
    .options = options,
    .operand_max = 1,
    .run = run,
};
