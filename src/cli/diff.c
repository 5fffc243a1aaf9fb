/*
 * mcpgate diff: the JSON Patch between two documents.
 */
#include <errno.h>
#include <stdint.h>

#include <jsv/json.h>

#include "cli/cli.h"
#include "cli/io.h"
#include "os/sys.h"

/* A value of the deepest document accepted is two levels deeper in a patch: [{"value": …}]. */
#define PATCH_DEPTH_MAX (512 + 2)

#define PRETTY_INDENT 2

/* No memory budget besides the limit on inputs. */
static int
write_patch(const struct cli_document *base, const struct cli_document *target, struct jsv_buf *out)
{
    struct jsv_arena scratch;
    jsv_arena_init(&scratch, os_allocator(), SIZE_MAX);
    int r = jsv_diff_write(
        jsv_document_root(base->document), jsv_document_root(target->document), &scratch, out);
    jsv_arena_done(&scratch);
    return r;
}

static int indent(struct jsv_str patch, struct jsv_buf *out)
{
    const struct jsv_limits limits = {.depth_max = PATCH_DEPTH_MAX};
    struct jsv_reader *reader = jsv_reader_new(os_allocator(), &limits);
    struct jsv_document *document = jsv_document_new(os_allocator());
    int r = reader && document ? jsv_read(reader, document, patch, 0, NULL) : -ENOMEM;
    if (r == 0) {
        struct jsv_writer writer = jsv_writer_on(out);
        jsv_write_pretty(&writer, jsv_document_root(document), PRETTY_INDENT);
    }
    jsv_document_free(document);
    jsv_reader_free(reader);
    return r;
}

static int print_patch(
    struct cli *cli,
    const struct cli_document *base,
    const struct cli_document *target,
    bool is_pretty)
{
    struct jsv_buf patch;
    struct jsv_buf pretty;
    cli_output_init(&patch);
    cli_output_init(&pretty);
    struct jsv_buf *out = is_pretty ? &pretty : &patch;
    int r = write_patch(base, target, &patch);
    if (r == 0 && is_pretty) {
        r = indent(jsv_buf_str(&patch), &pretty);
    }
    jsv_buf_append_byte(out, '\n');
    r = r < 0 ? cli_output_failed(cli, r) : cli_output_buf(cli, out);
    jsv_buf_done(&pretty);
    jsv_buf_done(&patch);
    return r;
}

static enum app_exit run(struct cli *cli, const struct cli_args *args)
{
    struct cli_document base = {0};
    struct cli_document target = {0};
    int r = cli_document_load(cli, args->operands[0], &base);
    if (r == 0) {
        r = cli_document_load(cli, args->operands[1], &target);
    }
    if (r == 0) {
        r = print_patch(cli, &base, &target, args->flags & CLI_FLAG(DIFF_PRETTY));
    }
    cli_document_done(&target);
    cli_document_done(&base);
    return r < 0 ? APP_EXIT_TROUBLE : APP_EXIT_OK;
}

static const struct cli_option options[] = {
#define CLI_DIFF CLI_OPTION_ROW
#include "cli/options.def"
    {0},
};

const struct cli_command cli_command_diff = {
    .name = "diff",
    .synopsis = "BASE NEW",
    .summary = "Print the JSON Patch (RFC 6902) that turns BASE into NEW",
    .details =
        "The patch consists of add, remove and replace operations, sorted by path. Arrays are\n"
        "replaced as a whole; 1 and 1.0 are equal. Equal documents give []. One of the two may\n"
        "be -, standard input. The exit status does not depend on whether there are differences.\n",
    .options = options,
    .operand_min = 2,
    .operand_max = 2,
    .run = run,
};
