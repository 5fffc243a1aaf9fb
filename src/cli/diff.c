/*
 * mcpgate diff: the JSON Patch between two documents.
 */
#include <errno.h>
#include <stdint.h>

#include <jsv/json.h>

#include "cli/cli.h"
#include "cli/document.h"
#include "cli/output.h"
#include "os/sys.h"

enum diff_flags {
    DIFF_PRETTY = 1 << 0,
};

/* A value of the deepest document accepted lies two levels deeper in a patch: [{"value": …}]. */
#define PATCH_DEPTH_MAX (512 + 2)

#define PRETTY_INDENT 2

/* The inputs have a ceiling, and with them what comparing them takes: no other budget. */
static int
write_patch(const struct app_document *base, const struct app_document *target, struct jsv_buf *out)
{
    struct jsv_arena scratch;
    jsv_arena_init(&scratch, os_allocator(), SIZE_MAX);
    int r = jsv_diff_write(
        jsv_document_root(base->document), jsv_document_root(target->document), &scratch, out);
    jsv_arena_done(&scratch);
    return r;
}

/* Spread a patch over lines. */
static int write_pretty(struct jsv_str patch, struct jsv_buf *out)
{
    const struct jsv_limits limits = {.depth_max = PATCH_DEPTH_MAX};
    struct jsv_reader *reader = jsv_reader_new(os_allocator(), &limits);
    struct jsv_document *document = jsv_document_new(os_allocator());
    int r = -ENOMEM;
    if (reader && document) {
        r = jsv_read(reader, document, patch, 0, NULL);
    }
    if (r == 0) {
        struct jsv_writer writer = jsv_writer_on(out);
        jsv_write_pretty(&writer, jsv_document_root(document), PRETTY_INDENT);
        r = out->error;
    }
    jsv_document_free(document);
    jsv_reader_free(reader);
    return r;
}

static int make_output(
    const struct app_document *base,
    const struct app_document *target,
    bool pretty,
    struct jsv_buf *out)
{
    if (!pretty) {
        return write_patch(base, target, out);
    }
    struct jsv_buf patch;
    jsv_buf_init(&patch, os_allocator(), APP_OUTPUT_SIZE_MAX);
    int r = write_patch(base, target, &patch);
    if (r == 0) {
        r = write_pretty(jsv_buf_str(&patch), out);
    }
    jsv_buf_done(&patch);
    return r;
}

static int print_patch(
    struct app_cli *cli,
    const struct app_document *base,
    const struct app_document *target,
    bool pretty)
{
    struct jsv_buf out;
    jsv_buf_init(&out, os_allocator(), APP_OUTPUT_SIZE_MAX);
    int r = make_output(base, target, pretty, &out);
    if (r == 0) {
        r = jsv_buf_append_byte(&out, '\n');
    }
    r = r < 0 ? app_output_failed(cli, r) : app_output_write(cli, jsv_buf_str(&out));
    jsv_buf_done(&out);
    return r;
}

static enum app_exit diff_run(struct app_cli *cli, const struct app_args *args)
{
    struct app_document base = {0};
    struct app_document target = {0};
    int r = app_document_load(cli, args->operands[0], &base);
    if (r == 0) {
        r = app_document_load(cli, args->operands[1], &target);
    }
    if (r == 0) {
        r = print_patch(cli, &base, &target, args->flags & DIFF_PRETTY);
    }
    app_document_done(&target);
    app_document_done(&base);
    return r < 0 ? APP_EXIT_TROUBLE : APP_EXIT_OK;
}

static const struct app_option options[] = {
    {.name = "pretty", .flag = DIFF_PRETTY, .help = "Spread the patch over lines"},
    {0},
};

const struct app_command app_command_diff = {
    .name = "diff",
    .synopsis = "BASE NEW",
    .summary = "Print the JSON Patch (RFC 6902) that turns BASE into NEW",
    .details =
        "The patch has the operations add, remove and replace, sorted by path. Arrays are\n"
        "replaced whole; 1 and 1.0 are equal. Equal documents give []. One of the two may\n"
        "be -, standard input. The exit status does not tell whether there are differences.\n",
    .options = options,
    .operand_min = 2,
    .operand_max = 2,
    .run = diff_run,
};
