/*
 * mcpgate envelope: whether a document is a valid mcp.envelope.v0.1.
 */
#include <errno.h>
#include <stdint.h>

#include <jsv/schema.h>

#include "cli/cli.h"
#include "cli/document.h"
#include "cli/output.h"
#include "cli/report.h"
#include "envelope/conformance.h"
#include "envelope/policy.h"
#include "envelope/schemas.h"
#include "os/sys.h"
#include "tools/result.h"

enum envelope_flags {
    ENVELOPE_CONFORMANCE = 1 << 0,
};

/* What checking needs. */
struct tools {
    struct envelope_schemas *schemas;
    struct jsv_validator *validator;
    struct jsv_arena arena;
};

static int tools_init(struct tools *tools)
{
    *tools = (struct tools){.validator = jsv_validator_new(os_allocator(), NULL)};
    jsv_arena_init(&tools->arena, os_allocator(), SIZE_MAX);
    return tools->validator ? envelope_schemas_new(os_allocator(), &tools->schemas) : -ENOMEM;
}

static void tools_done(struct tools *tools)
{
    envelope_schemas_free(tools->schemas);
    jsv_validator_free(tools->validator);
    jsv_arena_done(&tools->arena);
}

/* ---- the verdict ---- */

struct verdict {
    const char *layer; /* of checks that found something: "schema", "conformance" */
    struct jsv_problems problems;
};

static int check(struct tools *tools, struct jsv_value value, bool conformance, struct verdict *out)
{
    const struct jsv_schema *schema =
        envelope_schemas_get(tools->schemas, ENVELOPE_SCHEMA_ENVELOPE);
    *out = (struct verdict){.layer = "schema"};
    int r = jsv_validate_report(schema, value, tools->validator, &out->problems);
    if (r == 1 && conformance) {
        out->layer = "conformance";
        r = envelope_conformance_check(value, &tools->arena, &out->problems);
    }
    return r < 0 ? r : 0;
}

/* @return 0, or an error that has been reported. */
static int print_verdict(struct app_cli *cli, const struct verdict *verdict)
{
    bool ok = verdict->problems.count == 0;
    struct jsv_buf out;
    jsv_buf_init(&out, os_allocator(), APP_OUTPUT_SIZE_MAX);
    struct jsv_writer writer = jsv_writer_on(&out);
    jsv_write_object_begin(&writer);
    jsv_write_key(&writer, JSV_STR("ok"));
    jsv_write_bool(&writer, ok);
    if (ok) {
        jsv_write_key(&writer, JSV_STR("definition"));
        jsv_write_string(&writer, JSV_STR(ENVELOPE_VERSION));
    } else {
        jsv_write_key(&writer, JSV_STR("layer"));
        jsv_write_string(&writer, jsv_str_from(verdict->layer));
        tool_write_problems(&writer, &verdict->problems);
    }
    jsv_write_object_end(&writer);
    jsv_buf_append_byte(&out, '\n');
    int r = app_output_buf(cli, &out);
    jsv_buf_done(&out);
    return r;
}

/* ---- the command ---- */

static enum app_exit
check_document(struct app_cli *cli, const struct app_document *document, bool conformance)
{
    struct tools tools;
    struct verdict verdict = {0};
    int r = tools_init(&tools);
    r = r < 0 ? r : check(&tools, jsv_document_root(document->document), conformance, &verdict);
    if (r < 0) {
        app_report_errno(cli, document->name, r);
    } else {
        r = print_verdict(cli, &verdict);
    }
    tools_done(&tools);
    if (r < 0) {
        return APP_EXIT_TROUBLE;
    }
    return verdict.problems.count == 0 ? APP_EXIT_OK : APP_EXIT_INVALID;
}

static enum app_exit envelope_run(struct app_cli *cli, const struct app_args *args)
{
    const char *path = args->operand_count > 0 ? args->operands[0] : "-";
    struct app_document document;
    if (app_document_load(cli, path, &document) < 0) {
        return APP_EXIT_TROUBLE;
    }
    enum app_exit status = check_document(cli, &document, args->flags & ENVELOPE_CONFORMANCE);
    app_document_done(&document);
    return status;
}

static const struct app_option options[] = {
    {.name = "conformance",
     .flag = ENVELOPE_CONFORMANCE,
     .help = "Also check rules that the schema cannot express"},
    {0},
};

const struct app_command app_command_envelope = {
    .name = "envelope",
    .synopsis = "[FILE|-]",
    .summary = "Check an mcp.envelope.v0.1",
    .details =
        "Prints one line, {\"ok\":true,…} or {\"ok\":false,\"errors\":[{\"path\",\"msg\"}]}, and\n"
        "exits with 0 or 1. With --conformance an envelope must also not hold another one as\n"
        "its result, digests must be in lower case, of full length and, for the record's own,\n"
        "right, and method ids well-formed and not reserved. Without FILE, or with -, standard\n"
        "input is read.\n",
    .options = options,
    .operand_min = 0,
    .operand_max = 1,
    .run = envelope_run,
};
