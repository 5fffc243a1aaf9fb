/*
 * Arguments and results of tools against the tool's schemas.
 *
 * The verdict on arguments is the schema's; only the messages are changed to
 * those a caller of a tool expects: "missing" is reported at the parameter, not
 * at the object that lacks it, and with the descriptor's own text if it has
 * one. A parameter with such a text is reported alone, whatever else is wrong.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/pipeline.h"
#include "core/worker_state.h"
#include "envelope/issue.h"
#include "log/text.h"

/* Join two texts in scratch memory. data NULL when memory ran out. */
static struct jsv_str join(struct jsv_arena *scratch, struct jsv_str first, struct jsv_str second)
{
    char *both = jsv_arena_alloc(scratch, first.size + second.size + 1);
    if (!both) {
        return (struct jsv_str){NULL, 0};
    }
    if (first.size > 0) {
        memcpy(both, first.data, first.size);
    }
    if (second.size > 0) {
        memcpy(both + first.size, second.data, second.size);
    }
    return (struct jsv_str){both, first.size + second.size};
}

/* ---- messages for arguments ---- */

struct rewording {
    struct dialect_req *req;
    struct jsv_value absent; /* pointer: text */
    struct jsv_problem *items;
    size_t count;
    size_t absent_count; /* these come first */
};

/* "/schema" for "" and schema. data NULL when memory ran out. */
static struct jsv_str
member_path(struct jsv_arena *scratch, struct jsv_str path, struct jsv_str member)
{
    struct jsv_buf pointer;
    struct jsv_str result = {NULL, 0};
    jsv_buf_init(&pointer, NULL, path.size + 2 * member.size + 1);
    jsv_buf_append_str(&pointer, path);
    jsv_pointer_push(&pointer, member);
    if (pointer.error == 0) {
        result = join(scratch, jsv_buf_str(&pointer), JSV_STR(""));
    }
    jsv_buf_done(&pointer);
    return result;
}

static bool is_absent(struct jsv_value value)
{
    enum jsv_type type = jsv_value_type(value);
    return type == JSV_TYPE_NONE || type == JSV_TYPE_NULL ||
           (type == JSV_TYPE_STRING && jsv_value_text(value).size == 0);
}

static int reword(struct rewording *rewording, const struct jsv_problem *problem)
{
    struct jsv_problem *item = &rewording->items[rewording->count++];
    struct dialect_req *req = rewording->req;
    *item = *problem;
    if (jsv_str_equal(problem->keyword, JSV_STR("required"))) {
        item->path = member_path(req->scratch, problem->path, problem->member);
        if (!item->path.data) {
            return -ENOMEM;
        }
    }
    struct jsv_value text = jsv_value_get(rewording->absent, item->path);
    struct jsv_value value = {0};
    int r = jsv_pointer_get(req->arguments, item->path, &value);
    if (jsv_value_type(text) == JSV_TYPE_STRING && (r < 0 || is_absent(value))) {
        struct jsv_problem absent = *item;
        absent.message = jsv_value_text(text);
        *item = rewording->items[rewording->absent_count];
        rewording->items[rewording->absent_count++] = absent;
    }
    return 0;
}

static int compare_problems(const void *a, const void *b)
{
    const struct jsv_problem *first = a;
    const struct jsv_problem *second = b;
    int order = jsv_str_compare(first->path, second->path);
    return order ? order : jsv_str_compare(first->message, second->message);
}

static int reword_all(struct dialect_req *req, struct jsv_problems *problems)
{
    struct rewording rewording = {
        .req = req,
        .absent = jsv_value_get(req->tool->value, JSV_STR("absent")),
        .items = jsv_arena_array(req->scratch, problems->count, sizeof(*problems->items)),
    };
    if (!rewording.items) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < problems->count; i++) {
        int r = reword(&rewording, &problems->items[i]);
        if (r < 0) {
            return r;
        }
    }
    problems->items = rewording.items;
    problems->count = rewording.absent_count > 0 ? rewording.absent_count : rewording.count;
    qsort(rewording.items, problems->count, sizeof(*rewording.items), compare_problems);
    return 0;
}

int core_check_input(struct dialect_req *req, struct jsv_problems *ret_problems)
{
    const struct jsv_schema *schema;
    struct jsv_str reason;
    int r = catalog_tool_input(req->catalog, req->tool, &schema, &reason);
    if (r < 0) {
        return r;
    }
    r = jsv_validate_report(req->validator, schema, req->arguments, ret_problems);
    return r != 0 ? r : reword_all(req, ret_problems);
}

/* ---- where the arguments are in the message ---- */

/* When they are not part of the message: left out, or copied without _meta. */
static struct jsv_str usual_path(const struct dialect_req *req)
{
    bool is_route = req->http && req->http->endpoint == RPC_ENDPOINT_TOOL;
    bool are_params = req->dialect == &dialect_syn || req->dialect == &dialect_policy;
    return is_route     ? JSV_STR("/arguments")
           : are_params ? JSV_STR("/params")
                        : JSV_STR("/params/arguments");
}

static struct jsv_str arguments_path(const struct dialect_req *req)
{
    static const struct jsv_str paths[] = {
        JSV_STR("/params/arguments"), /* MCP, ENV */
        JSV_STR("/params/input"),     /* ENV */
        JSV_STR("/params"),           /* SYN, POLICY */
        JSV_STR("/payload"),          /* REF */
        JSV_STR("/arguments"),        /* POST /mcp/tool/{toolId} */
        JSV_STR("/input"),
    };
    for (size_t i = 0; req->arguments.node && i < sizeof(paths) / sizeof(paths[0]); i++) {
        struct jsv_value value;
        if (jsv_pointer_get(req->message.root, paths[i], &value) == 0 &&
            value.node == req->arguments.node) {
            return paths[i];
        }
    }
    return usual_path(req);
}

struct core_mismatch
core_mismatch_of(const struct dialect_req *req, const struct jsv_problem *problem)
{
    return (struct core_mismatch){
        .pointer = join(req->scratch, arguments_path(req), problem->path),
        .schema_path = join(req->scratch, JSV_STR(""), problem->schema_path),
        .message = join(req->scratch, JSV_STR(""), problem->message),
    };
}

/* ---- results of programs ---- */

static int report_output(struct core_request *request, const struct jsv_problems *problems)
{
    int r = envelope_failure_problem(
        ENVELOPE_FAILURE_OUTPUT_INVALID, problems, &request->scratch, &request->call.failure);
    if (r == 0) {
        request->call.verdict = TOOL_VERDICT_FAILED;
        log_text_warning("invalid_output", "tool", request->req.tool->name);
    }
    return r;
}

int core_check_output(struct core_request *request)
{
    struct core_worker *worker = request->worker;
    const struct jsv_schema *schema;
    struct jsv_str reason;
    struct jsv_error error;
    struct jsv_problems problems;
    int r = catalog_tool_output(request->req.catalog, request->req.tool, &schema, &reason);
    if (r < 0) {
        return r == -ENOENT ? 0 : r;
    }
    r = jsv_read(worker->output_reader, worker->output, jsv_buf_str(&request->result), 0, &error);
    if (r < 0) {
        return r == -EBADMSG ? -EPROTO : r;
    }
    struct jsv_value value = jsv_document_root(worker->output);
    r = jsv_validate_report(worker->output_validator, schema, value, &problems);
    return r < 0 ? r : r == 0 ? report_output(request, &problems) : 0;
}
