/*
 * mcpgate call: call a tool and print what it gives back.
 *
 * The messages are those any client of the protocol would send: tools/list, to
 * know what the arguments are, then tools/call.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "app/config.h"
#include "cli/call_arguments.h"
#include "cli/call_peer.h"
#include "cli/cli.h"
#include "cli/io.h"
#include "cli/report.h"
#include "jsv/base/similar.h"
#include "mcp/versions.h"
#include "os/file.h"
#include "os/sys.h"

/* Our answers have at most 4 MiB; those of other servers may be larger. */
#define REPLY_SIZE_MAX ((size_t)64 << 20)

/* Limit on pages of tools/list, in case a server always has one more. */
#define PAGES_MAX 1000

/* Room for an error on one line. */
#define WHY_SIZE 2048

struct call {
    struct cli *cli;
    const struct cli_args *args;
    const char *tool;
    bool as_json;
    struct call_peer peer;
    struct jsv_reader *reader;
    struct jsv_document *listed; /* the page of tools/list that has the tool, or the last one */
    struct jsv_document *answered;
    struct jsv_buf page;
    struct jsv_buf cursor;
    struct jsv_buf arguments;
    struct jsv_buf request;
    struct jsv_buf reply;
    struct jsv_buf suggestion; /* the tool with the most similar name */
    bool is_listed;
    struct jsv_value schema; /* of its input; of type NONE when it is not listed */
};

/* Functions below that return an int return 0, or a reported error. */

/* ---- messages ---- */

static void write_meta(struct jsv_writer *writer)
{
    jsv_write_member_object_begin(writer, JSV_STR("_meta"));
    jsv_write_member_string(
        writer,
        JSV_STR("io.modelcontextprotocol/protocolVersion"),
        jsv_str_from(mcp_version_name(MCP_VERSION_NEWEST)));
    jsv_write_member_object_begin(writer, JSV_STR("io.modelcontextprotocol/clientCapabilities"));
    jsv_write_object_end(writer);
    jsv_write_object_end(writer);
}

/* {"jsonrpc":"2.0","id":1,"method":…,"params":{ */
static struct jsv_writer begin_request(struct call *call, const char *method)
{
    jsv_buf_reset(&call->request);
    struct jsv_writer writer = jsv_writer_on(&call->request);
    jsv_write_object_begin(&writer);
    jsv_write_member_string(&writer, JSV_STR("jsonrpc"), JSV_STR("2.0"));
    jsv_write_member_int64(&writer, JSV_STR("id"), 1);
    jsv_write_member_string(&writer, JSV_STR("method"), jsv_str_from(method));
    jsv_write_member_object_begin(&writer, JSV_STR("params"));
    return writer;
}

static int ask(struct call *call, struct jsv_writer *writer, struct jsv_buf *reply)
{
    write_meta(writer);
    jsv_write_object_end(writer);
    jsv_write_object_end(writer);
    if (call->request.error < 0) {
        return cli_output_failed(call->cli, call->request.error);
    }
    jsv_buf_reset(reply);
    return call->peer.ask(call->peer.self, jsv_buf_str(&call->request), reply);
}

static int read_reply(struct call *call, const struct jsv_buf *text, struct jsv_document *document)
{
    int r = text->error;
    if (r == 0) {
        r = jsv_read(call->reader, document, jsv_buf_str(text), 0, NULL);
    }
    if (r == -EBADMSG) {
        cli_report(call->cli, "the server's answer is not JSON");
    } else if (r < 0) {
        cli_report_errno(call->cli, "cannot read the server's answer", r);
    }
    return r;
}

/* ---- the tool ---- */

static struct jsv_value find_on_page(struct call *call, struct jsv_value tools)
{
    struct jsv_str wanted = jsv_str_from(call->tool);
    struct jsv_similar similar = jsv_similar_to(wanted);
    struct jsv_iter iter = jsv_value_iter(tools);
    while (jsv_value_type(tools) == JSV_TYPE_ARRAY && jsv_iter_next(&iter)) {
        struct jsv_str name = jsv_value_text(jsv_value_get(iter.value, JSV_STR("name")));
        if (jsv_str_equal(name, wanted)) {
            return iter.value;
        }
        jsv_similar_try(&similar, name);
    }
    if (similar.best.size > 0 && call->suggestion.size == 0) {
        jsv_buf_append_str(&call->suggestion, similar.best);
    }
    return (struct jsv_value){0};
}

static int list_page(struct call *call)
{
    struct jsv_writer writer = begin_request(call, "tools/list");
    if (call->cursor.size > 0) {
        jsv_write_member_string(&writer, JSV_STR("cursor"), jsv_buf_str(&call->cursor));
    }
    int r = ask(call, &writer, &call->page);
    return r < 0 ? r : read_reply(call, &call->page, call->listed);
}

/* Find the tool in tools/list. */
static int find_schema(struct call *call)
{
    for (size_t page = 0; page < PAGES_MAX; page++) {
        int r = list_page(call);
        if (r < 0) {
            return r;
        }
        struct jsv_value result = jsv_value_get(jsv_document_root(call->listed), JSV_STR("result"));
        struct jsv_value tool = find_on_page(call, jsv_value_get(result, JSV_STR("tools")));
        struct jsv_str next = jsv_value_text(jsv_value_get(result, JSV_STR("nextCursor")));
        if (jsv_value_type(tool) != JSV_TYPE_NONE) {
            call->is_listed = true;
            call->schema = jsv_value_get(tool, JSV_STR("inputSchema"));
            return 0;
        }
        if (next.size == 0) {
            return 0;
        }
        jsv_buf_reset(&call->cursor);
        jsv_buf_append_str(&call->cursor, next);
    }
    return 0;
}

/* ---- arguments ---- */

/* Standard input stays open, so that a pipe to the tool does not get its descriptor. */
static int load_arguments(struct call *call, struct cli_document *document)
{
    document->name = cli_input_name("-");
    jsv_buf_init(&document->text, os_allocator(), CLI_INPUT_SIZE_MAX);
    int r = os_file_read(call->cli->in_fd, &document->text);
    if (r < 0) {
        cli_input_report(call->cli, "-", r);
        return r;
    }
    return cli_document_parse(call->cli, document);
}

static int read_arguments(struct call *call)
{
    struct cli_document document = {0};
    int r = load_arguments(call, &document);
    if (r < 0) {
        cli_document_done(&document);
        return r;
    }
    struct jsv_value root = jsv_document_root(document.document);
    if (jsv_value_type(root) != JSV_TYPE_OBJECT) {
        cli_document_report(call->cli, &document, root, "the arguments must be a JSON object");
        r = -EINVAL;
    } else {
        struct jsv_writer writer = jsv_writer_on(&call->arguments);
        jsv_write_value(&writer, root);
    }
    cli_document_done(&document);
    return r;
}

static int make_arguments(struct call *call)
{
    char *const *words = call->args->operands + 1;
    size_t count = call->args->operand_count - 1;
    if (count == 1 && strcmp(words[0], "-") == 0) {
        return read_arguments(call);
    }
    struct call_error error;
    int r = call_arguments_write(words, count, call->schema, &call->arguments, &error);
    if (r == -EINVAL) {
        cli_report_about(call->cli, error.word, error.why);
    } else if (r < 0) {
        cli_output_failed(call->cli, r);
    }
    return r;
}

/* ---- the result ---- */

/* "message: details; /pointer: problem" */
static void explain_error(struct jsv_value error, struct jsv_buf *why)
{
    struct jsv_value data = jsv_value_get(error, JSV_STR("data"));
    struct jsv_value errors = jsv_value_get(data, JSV_STR("errors"));
    struct jsv_str details = jsv_value_text(jsv_value_get(data, JSV_STR("details")));
    jsv_buf_append_str(why, jsv_value_text(jsv_value_get(error, JSV_STR("message"))));
    if (details.size > 0) {
        jsv_buf_append_str(why, JSV_STR(": "));
        jsv_buf_append_str(why, details);
    }
    struct jsv_iter iter = jsv_value_iter(errors);
    while (jsv_value_type(errors) == JSV_TYPE_ARRAY && jsv_iter_next(&iter)) {
        jsv_buf_append_str(why, JSV_STR("; "));
        jsv_buf_append_str(why, jsv_value_text(jsv_value_get(iter.value, JSV_STR("path"))));
        jsv_buf_append_str(why, JSV_STR(": "));
        jsv_buf_append_str(why, jsv_value_text(jsv_value_get(iter.value, JSV_STR("msg"))));
    }
}

/* Text content, each on lines of its own; other content as JSON. */
static void put_content(struct jsv_value content, struct jsv_buf *out)
{
    struct jsv_iter iter = jsv_value_iter(content);
    while (jsv_value_type(content) == JSV_TYPE_ARRAY && jsv_iter_next(&iter)) {
        struct jsv_str type = jsv_value_text(jsv_value_get(iter.value, JSV_STR("type")));
        struct jsv_str text = jsv_value_text(jsv_value_get(iter.value, JSV_STR("text")));
        if (jsv_str_equal(type, JSV_STR("text"))) {
            jsv_buf_append_str(out, text);
        } else {
            struct jsv_writer writer = jsv_writer_on(out);
            jsv_write_value(&writer, iter.value);
        }
        if (out->size > 0 && out->data[out->size - 1] != '\n') {
            jsv_buf_append_byte(out, '\n');
        }
    }
}

static void report_failure(const struct call *call, struct jsv_buf *why)
{
    while (why->size > 0 && why->data[why->size - 1] == '\n') {
        why->size--;
    }
    jsv_buf_append_byte(why, '\0');
    cli_report_about(call->cli, call->tool, why->error == 0 ? why->data : "the tool failed");
}

/* Of a failed tool, structured content is a result too; text goes to standard error. */
static int print_result(struct call *call, struct jsv_value result, bool is_error)
{
    struct jsv_value structured = jsv_value_get(result, JSV_STR("structuredContent"));
    struct jsv_buf out;
    int r = 0;
    cli_output_init(&out);
    struct jsv_writer writer = jsv_writer_on(&out);
    if (call->as_json || jsv_value_type(structured) != JSV_TYPE_NONE) {
        jsv_write_value(&writer, call->as_json ? result : structured);
        jsv_buf_append_byte(&out, '\n');
        r = cli_output_buf(call->cli, &out);
    } else {
        put_content(jsv_value_get(result, JSV_STR("content")), &out);
        if (is_error) {
            report_failure(call, &out);
        } else {
            r = cli_output_buf(call->cli, &out);
        }
    }
    jsv_buf_done(&out);
    return r;
}

/* A misspelt argument may be the reason of an error. */
static void suggest_argument(const struct call *call)
{
    struct jsv_str name;
    struct jsv_str suggestion;
    if (call_arguments_misspelt(
            call->args->operands + 1,
            call->args->operand_count - 1,
            call->schema,
            &name,
            &suggestion)) {
        char word[JSV_SIMILAR_SIZE_MAX + 1];
        snprintf(word, sizeof(word), "%.*s", (int)name.size, name.data);
        cli_report_unknown(call->cli, "unknown argument", word, "", suggestion);
    }
}

/* Whether the tool does not know the schema named in the arguments. */
static bool lacks_schema(struct jsv_value result)
{
    struct jsv_value structured = jsv_value_get(result, JSV_STR("structuredContent"));
    struct jsv_value errors = jsv_value_get(structured, JSV_STR("errors"));
    struct jsv_value first = jsv_value_at(errors, 0);
    struct jsv_str message = jsv_value_text(jsv_value_get(first, JSV_STR("msg")));
    return jsv_value_type(errors) == JSV_TYPE_ARRAY &&
           jsv_str_equal(message, JSV_STR("schema_not_found"));
}

static void suggest_among(const struct call *call, struct jsv_str name, struct jsv_value schemas)
{
    struct jsv_similar similar = jsv_similar_to(name);
    struct jsv_iter iter = jsv_value_iter(schemas);
    while (jsv_value_type(schemas) == JSV_TYPE_ARRAY && jsv_iter_next(&iter)) {
        jsv_similar_try(&similar, jsv_value_text(jsv_value_get(iter.value, JSV_STR("name"))));
    }
    if (similar.best.size > 0) {
        char word[JSV_SIMILAR_SIZE_MAX + 1];
        snprintf(word, sizeof(word), "%.*s", (int)name.size, name.data);
        cli_report_unknown(call->cli, "unknown schema", word, "", similar.best);
    }
}

/* Suggest the most similar schema of the server. */
static int suggest_schema(struct call *call)
{
    struct jsv_str name;
    if (jsv_read(call->reader, call->answered, jsv_buf_str(&call->arguments), 0, NULL) < 0) {
        return 0;
    }
    name = jsv_value_text(jsv_value_get(jsv_document_root(call->answered), JSV_STR("schema")));
    struct jsv_writer writer = begin_request(call, "tools/call");
    jsv_write_member_string(&writer, JSV_STR("name"), JSV_STR("list_schemas"));
    int r = ask(call, &writer, &call->page);
    r = r < 0 ? r : read_reply(call, &call->page, call->listed);
    if (r == 0) {
        struct jsv_value result = jsv_value_get(jsv_document_root(call->listed), JSV_STR("result"));
        struct jsv_value structured = jsv_value_get(result, JSV_STR("structuredContent"));
        suggest_among(call, name, jsv_value_get(structured, JSV_STR("schemas")));
    }
    return r;
}

static enum app_exit refuse_tool(struct call *call)
{
    cli_report_unknown(call->cli, "unknown tool", call->tool, "", jsv_buf_str(&call->suggestion));
    return APP_EXIT_TROUBLE;
}

static enum app_exit handle_error(struct call *call, struct jsv_value error)
{
    if (!call->is_listed) {
        return refuse_tool(call);
    }
    struct jsv_buf why;
    jsv_buf_init(&why, os_allocator(), WHY_SIZE);
    explain_error(error, &why);
    if (why.error == -ENOBUFS) {
        why.error = 0; /* show the start of it */
        why.size = WHY_SIZE - 1;
    }
    report_failure(call, &why);
    jsv_buf_done(&why);
    suggest_argument(call);
    return APP_EXIT_INVALID;
}

static enum app_exit handle_answer(struct call *call)
{
    struct jsv_value root = jsv_document_root(call->answered);
    struct jsv_value result = jsv_value_get(root, JSV_STR("result"));
    if (jsv_value_type(result) != JSV_TYPE_OBJECT) {
        return handle_error(call, jsv_value_get(root, JSV_STR("error")));
    }
    struct jsv_value kind = jsv_value_get(result, JSV_STR("resultType"));
    if (jsv_str_equal(jsv_value_text(kind), JSV_STR("input_required"))) {
        cli_report_about(
            call->cli, call->tool, "the tool asks the client for input; use an MCP client");
        return APP_EXIT_INVALID;
    }
    struct jsv_value failed = jsv_value_get(result, JSV_STR("isError"));
    /* A request over the size limit is answered with {"ok":false,…}. */
    struct jsv_value ok = jsv_value_get(result, JSV_STR("ok"));
    bool is_error = (jsv_value_type(failed) == JSV_TYPE_BOOLEAN && jsv_value_bool(failed)) ||
                    (jsv_value_type(ok) == JSV_TYPE_BOOLEAN && !jsv_value_bool(ok));
    call->as_json |= jsv_value_type(ok) != JSV_TYPE_NONE;
    int r = print_result(call, result, is_error);
    if (is_error) {
        suggest_argument(call);
    }
    if (lacks_schema(result)) {
        r = r < 0 ? r : suggest_schema(call);
    }
    return r < 0 ? APP_EXIT_TROUBLE : is_error ? APP_EXIT_INVALID : APP_EXIT_OK;
}

/* ---- the command ---- */

static int call_tool(struct call *call)
{
    int r = find_schema(call);
    r = r < 0 ? r : make_arguments(call);
    if (r < 0) {
        return r;
    }
    struct jsv_writer writer = begin_request(call, "tools/call");
    jsv_write_member_string(&writer, JSV_STR("name"), jsv_str_from(call->tool));
    jsv_write_member_span(&writer, JSV_STR("arguments"), jsv_buf_str(&call->arguments));
    r = ask(call, &writer, &call->reply);
    return r < 0 ? r : read_reply(call, &call->reply, call->answered);
}

static int open_peer(struct call *call)
{
    struct app_config config;
    const char *url = cli_args_value(call->args, CLI_FLAG(CALL_URL));
    if (cli_config_read(call->cli, call->args, &config) < 0) {
        return -EINVAL;
    }
    return url ? call_remote_open(call->cli, url, config.token, &call->peer)
               : call_local_open(call->cli, &config, &call->peer);
}

static enum app_exit call_with(struct call *call)
{
    if (!call->reader || !call->listed || !call->answered) {
        cli_output_failed(call->cli, -ENOMEM);
        return APP_EXIT_TROUBLE;
    }
    if (open_peer(call) < 0) {
        return APP_EXIT_TROUBLE;
    }
    enum app_exit status = call_tool(call) < 0 ? APP_EXIT_TROUBLE : handle_answer(call);
    call->peer.close(call->peer.self);
    return status;
}

static enum app_exit run(struct cli *cli, const struct cli_args *args)
{
    static const char *const formats[] = {"text", "json", NULL};
    struct call call = {.cli = cli, .args = args, .tool = args->operands[0]};
    int format = cli_args_choice(cli, args, CLI_FLAG(CALL_FORMAT), "--format", formats);
    if (format < 0) {
        return APP_EXIT_TROUBLE;
    }
    call.as_json = format == 1;
    call.reader = jsv_reader_new(os_allocator(), NULL);
    call.listed = jsv_document_new(os_allocator());
    call.answered = jsv_document_new(os_allocator());
    struct jsv_buf *const buffers[] = {
        &call.page,
        &call.cursor,
        &call.arguments,
        &call.request,
        &call.reply,
        &call.suggestion,
    };
    for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++) {
        jsv_buf_init(buffers[i], os_allocator(), REPLY_SIZE_MAX);
    }
    enum app_exit status = call_with(&call);
    for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++) {
        jsv_buf_done(buffers[i]);
    }
    jsv_document_free(call.answered);
    jsv_document_free(call.listed);
    jsv_reader_free(call.reader);
    return status;
}

static const struct cli_option options[] = {
#define CLI_CALL CLI_OPTION_ROW
#include "cli/options.def"
#define APP_SETTING(...)
#define APP_ROOT         CLI_SETTING_ROW
#define APP_TOOL_SETTING CLI_SETTING_ROW
#include "app/env.def"
#undef APP_SETTING
    {0},
};

const struct cli_command cli_command_call = {
    .name = "call",
    .synopsis = "TOOL [NAME=VALUE]... | JSON | -",
    .summary = "Call a tool and print its result",
    .details =
        "  mcpgate call validate_asset schema=tone asset='{\"gain_db\":3}'\n"
        "  mcpgate call validate_asset '{\"schema\":\"tone\",\"asset\":{\"gain_db\":3}}'\n"
        "  mcpgate call list_schemas --url http://127.0.0.1:8787\n"
        "\n"
        "Calls a tool that \"mcpgate serve\" would serve with the same settings, or a tool of the\n"
        "server at --url, with the bearer token in MCPGATE_TOKEN. VALUE is read as JSON if the\n"
        "tool's input schema allows that type there, else as a string; NAME:=JSON is always JSON.\n"
        "\"-\" reads the arguments, a JSON object, from standard input.\n"
        "\n"
        "Structured results are printed as JSON, others as text.\n"
        "\n"
        "Exit status: 0 when the tool succeeded, 1 when it failed or refused the arguments,\n"
        "2 when it could not be called.\n",
    .options = options,
    .operand_min = 1,
    .operand_max = SIZE_MAX,
    .run = run,
};
