/*
 * mcpgate envelope: whether a document is a valid mcp.envelope.v0.1.
 */
#include <errno.h>
#include <stdint.h>

#include <jsv/schema.h>

#include "cli/cli.h"
#include "cli/io.h"
#include "cli/report.h"
#include "envelope/conformance.h"
#include "envelope/policy.h"
#include "envelope/schemas.h"
#include "os/sys.h"
#include "tools/result.h"

struct checker {
    struct envelope_schemas *schemas;
    struct jsv_validator *validator;
    struct jsv_arena arena;
};

static int checker_init(struct checker *checker)
{
    *checker = (struct checker){.validator = jsv_validator_new(os_allocator(), NULL)};
    jsv_arena_init(&checker->arena, os_allocator(), SIZE_MAX);
    return checker->validator ? envelope_schemas_new(os_allocator(), &checker->schemas) : -ENOMEM;
}

static void checker_done(struct checker *checker)
{
    envelope_schemas_free(checker->schemas);
    jsv_validator_free(checker->validator);
    jsv_arena_done(&checker->arena);
}

/* ---- the verdict ---- */

struct verdict {
    const char *layer; /* "schema" or "conformance": which check failed */
    struct jsv_problems problems;
};

static int
check(struct checker *checker, struct jsv_value value, bool conformance, struct verdict *out)
{
    const struct jsv_schema *schema =
        envelope_schemas_get(checker->schemas, ENVELOPE_SCHEMA_ENVELOPE);
    *out = (struct verdict){.layer = "schema"};
    int r = jsv_validate_report(checker->validator, schema, value, &out->problems);
    if (r == 1 && conformance) {
        out->layer = "conformance";
        r = envelope_conformance_check(value, &checker->arena, &out->problems);
    }
    return r < 0 ? r : 0;
}

/* @return 0, or a reported error. */
static int print_verdict(struct cli *cli, const struct verdict *verdict)
{
    bool ok = verdict->problems.count == 0;
    struct jsv_buf out;
    cli_output_init(&out);
    struct jsv_writer writer = jsv_writer_on(&out);
    jsv_write_object_begin(&writer);
    jsv_write_member_bool(&writer, JSV_STR("ok"), ok);
    if (ok) {
        jsv_write_member_string(&writer, JSV_STR("definition"), JSV_STR(ENVELOPE_VERSION));
    } else {
        jsv_write_member_string(&writer, JSV_STR("layer"), jsv_str_from(verdict->layer));
        tool_write_problems(&writer, &verdict->problems);
    }
    jsv_write_object_end(&writer);
    jsv_buf_append_byte(&out, '\n');
    return cli_output_finish(cli, &out);
}

/* ---- the command ---- */

static enum app_exit
check_document(struct cli *cli, const struct cli_document *document, bool conformance)
{
    struct checker checker;
    struct verdict verdict = {0};
    int r = checker_init(&checker);
    r = r < 0 ? r : check(&checker, jsv_document_root(document->document), conformance, &verdict);
    if (r < 0) {
        cli_report_errno(cli, document->name, r);
    } else {
        r = print_verdict(cli, &verdict);
    }
    checker_done(&checker);
    if (r < 0) {
        return APP_EXIT_TROUBLE;
    }
    return verdict.problems.count == 0 ? APP_EXIT_OK : APP_EXIT_INVALID;
}

static enum app_exit run(struct cli *cli, const struct cli_args *args)
{
    struct cli_document document;
    if (cli_document_load(cli, cli_args_input(args), &document) < 0) {
        return APP_EXIT_TROUBLE;
    }
    enum app_exit status =
        check_document(cli, &document, args->flags & CLI_FLAG(ENVELOPE_CONFORMANCE));
    cli_document_done(&document);
    return status;
}

static const struct cli_option options[] = {
#define CLI_ENVELOPE CLI_OPTION_ROW
#include "cli/options.def"
    {0},
};

const struct cli_command cli_command_envelope = {
    .name = "envelope",
    .synopsis = "[FILE|-]",
    .summary = "Check an mcp.envelope.v0.1",
    .details =
        "Prints one line, {\"ok\":true,…} or {\"ok\":false,\"errors\":[{\"path\",\"msg\"}]}, and\n"
        "exits with 0 or 1. --conformance also checks that the result is not another envelope,\n"
        "that digests are in lower case, of full length and, for the record's own digest,\n"
        "correct, and that method ids are well-formed and not reserved. Without FILE, or with -,\n"
        "standard input is read.\n",
    .options = options,
    .operand_max = 1,
    .run = run,
};
