#include "dialect/mcp/ask.h"

#include <errno.h>

#include "dialect/mcp/http.h"
#include "mcp/check.h"
#include "os/sys.h"

#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"

/* Which capability a client needs to be asked something. */
static const struct {
    struct jsv_str method;
    struct jsv_str name;
    enum dialect_capability capability;
    enum mcp_version first;
} means[] = {
    {JSV_STR("sampling/createMessage"),
     JSV_STR("sampling"),
     DIALECT_CAPABILITY_SAMPLING,
     MCP_VERSION_2024_11_05},
    {JSV_STR("elicitation/create"),
     JSV_STR("elicitation"),
     DIALECT_CAPABILITY_ELICITATION,
     MCP_VERSION_2025_06_18},
    {JSV_STR("roots/list"), JSV_STR("roots"), DIALECT_CAPABILITY_ROOTS, MCP_VERSION_2024_11_05},
};

#define MEANS_COUNT (sizeof(means) / sizeof(means[0]))

/* ---- capabilities ---- */

static bool is_modern(const struct dialect_req *req)
{
    return mcp_version_facts(mcp_version_of(req))->era == MCP_ERA_MODERN;
}

unsigned mcp_capabilities_of(struct jsv_value capabilities, enum mcp_version version)
{
    unsigned set = 0;
    for (size_t i = 0; i < MEANS_COUNT; i++) {
        bool has = jsv_value_type(jsv_value_get(capabilities, means[i].name)) == JSV_TYPE_OBJECT;
        set |= has && version >= means[i].first ? means[i].capability : 0;
    }
    return set;
}

static unsigned capabilities_of(const struct dialect_req *req)
{
    const struct dialect_session *session = *req->session;
    if (!is_modern(req)) {
        return session ? session->capabilities : 0;
    }
    struct jsv_value meta = jsv_value_get(req->message.params, JSV_STR("_meta"));
    return mcp_capabilities_of(
        jsv_value_get(meta, JSV_STR(META_CAPABILITIES)), mcp_version_of(req));
}

bool mcp_offers(const struct dialect_req *req, struct jsv_str capability)
{
    unsigned set = capabilities_of(req);
    for (size_t i = 0; i < MEANS_COUNT; i++) {
        if (jsv_str_equal(means[i].name, capability)) {
            return set & means[i].capability;
        }
    }
    return false;
}

/* What the questions need and the client lacks; enum dialect_capability. */
static unsigned lacking(const struct dialect_req *req, struct jsv_value questions)
{
    unsigned needed = 0;
    struct jsv_iter iter = jsv_value_iter(questions);
    while (jsv_iter_next(&iter)) {
        struct jsv_str method = jsv_value_text(jsv_value_get(iter.value, JSV_STR("method")));
        for (size_t i = 0; i < MEANS_COUNT; i++) {
            needed |= jsv_str_equal(means[i].method, method) ? means[i].capability : 0;
        }
    }
    return needed & ~capabilities_of(req);
}

static void answer_lacking(struct dialect_req *req, unsigned missing)
{
    enum rpc_error error = RPC_ERROR_MISSING_CAPABILITY;
    mcp_set_status(req, error);
    struct jsv_writer writer =
        rpc_write_error(req->reply, &req->message, rpc_error_code(error), rpc_error_message(error));
    jsv_write_member_object_begin(&writer, JSV_STR("data"));
    jsv_write_member_object_begin(&writer, JSV_STR("requiredCapabilities"));
    for (size_t i = 0; i < MEANS_COUNT; i++) {
        if (missing & means[i].capability) {
            jsv_write_member_span(&writer, means[i].name, JSV_STR("{}"));
        }
    }
    jsv_write_object_end(&writer);
    jsv_write_object_end(&writer);
    rpc_write_error_end(&writer);
}

/* ---- asking ---- */

static bool answer_input_required(
    struct dialect_req *req, struct jsv_value questions, struct jsv_str tool_state)
{
    struct jsv_buf state;
    jsv_buf_init(&state, os_allocator(), req->reply->size_max);
    int r = tool_state.size > 0 ? mcp_state_seal(req, tool_state, &state) : 0;
    if (r < 0) {
        mcp_answer_error(req, RPC_ERROR_INTERNAL, JSV_STR("the state cannot be kept"));
    } else {
        struct jsv_writer writer = mcp_result_begin_as(req, JSV_STR("input_required"));
        mcp_write_member(&writer, JSV_STR("inputRequests"), questions);
        if (tool_state.size > 0) {
            jsv_write_member_string(&writer, JSV_STR("requestState"), jsv_buf_str(&state));
        }
        mcp_result_end(&writer);
    }
    jsv_buf_done(&state);
    return false;
}

/* A request of ours, on its way to the client. */
static int send_question(struct dialect_req *req, struct jsv_value key, struct jsv_value question)
{
    struct jsv_str name = jsv_value_text(jsv_value_get(question, JSV_STR("method")));
    struct jsv_value params = jsv_value_get(question, JSV_STR("params"));
    const struct mcp_method *method = mcp_method_find(name);
    struct jsv_buf text;
    uint64_t id;
    int r = method ? req->host->ask(req, jsv_value_text(key), method, &id) : -EINVAL;
    if (r < 0) {
        return r;
    }
    jsv_buf_init(&text, os_allocator(), req->reply->size_max);
    struct jsv_writer writer = jsv_writer_on(&text);
    jsv_write_object_begin(&writer);
    jsv_write_member_string(&writer, JSV_STR("jsonrpc"), JSV_STR("2.0"));
    jsv_write_member_uint64(&writer, JSV_STR("id"), id);
    jsv_write_member_string(&writer, JSV_STR("method"), name);
    mcp_write_member(&writer, JSV_STR("params"), params);
    jsv_write_object_end(&writer);
    r = text.error;
    if (r == 0) {
        req->host->push(req, jsv_buf_str(&text));
    }
    jsv_buf_done(&text);
    return r;
}

bool mcp_ask(struct dialect_req *req, struct jsv_value questions, struct jsv_str tool_state)
{
    unsigned missing = lacking(req, questions);
    if (is_modern(req)) {
        if (missing != 0) {
            answer_lacking(req, missing);
            return false;
        }
        return answer_input_required(req, questions, tool_state);
    }
    if (missing != 0) {
        mcp_give_up(req, JSV_STR("the client cannot be asked what this tool needs to know"));
        return false;
    }
    struct jsv_iter iter = jsv_value_iter(questions);
    int r = 0;
    while (r == 0 && jsv_iter_next(&iter)) {
        r = send_question(req, iter.key, iter.value);
    }
    if (r == -ENOTCONN) {
        mcp_give_up(req, JSV_STR("the client cannot be asked: its call takes no stream of events"));
    } else if (r < 0) {
        mcp_answer_error(req, RPC_ERROR_INTERNAL, JSV_STR("the client could not be asked"));
    }
    return r == 0;
}

/* The tool could not do its work: a result, as for any failure of a tool. */
void mcp_give_up(struct dialect_req *req, struct jsv_str details)
{
    struct jsv_writer writer = mcp_result_begin(req);
    mcp_write_text_content(&writer, details);
    jsv_write_member_bool(&writer, JSV_STR("isError"), true);
    mcp_result_end(&writer);
}

/* ---- answers ---- */

static bool refuse_state(struct dialect_req *req)
{
    static const struct rpc_fault fault = {
        .details = JSV_STR("the state is not one that was given out for this request"),
        .suggestion = JSV_STR("Send the request again without inputResponses and requestState"),
        .cause = JSV_STR("/params/requestState"),
    };
    mcp_answer_fault(req, RPC_ERROR_INVALID_PARAMS, &fault);
    return false;
}

bool mcp_take_inputs(struct mcp_exchange *exchange)
{
    struct dialect_req *req = exchange->req;
    struct jsv_value state = exchange->parts->request_state;
    if (!is_modern(req)) {
        return true;
    }
    req->inputs = exchange->parts->input_responses;
    if (jsv_value_type(state) != JSV_TYPE_STRING) {
        return true;
    }
    return mcp_state_open(req, jsv_value_text(state), &req->state_in) == 0 || refuse_state(req);
}

static const struct mcp_method *method_of(void *context, struct jsv_value id)
{
    (void)id;
    const struct dialect_question *question = context;
    return question->method;
}

/* The result, if it is one the method may have; else NONE. */
static struct jsv_value sound_result(struct dialect_req *req, struct dialect_question *question)
{
    const struct mcp_pairing pairing = {.answered = method_of, .context = question};
    const struct mcp_check check = {
        .definitions = req->definitions,
        .version = (*req->session)->version,
        .sender = MCP_SENDER_CLIENT,
        .pairing = &pairing,
        .validator = req->validator,
        .scratch = req->scratch,
    };
    struct mcp_verdict verdict;
    const struct rpc_message *message = &req->message;
    int r = mcp_check_parts(&check, message->root, &message->members, &verdict);
    bool is_sound = r == 0 && verdict.layer == MCP_LAYER_NONE;
    return is_sound ? message->members.result : (struct jsv_value){0};
}

enum dialect_step mcp_take_answer(struct dialect_req *req)
{
    int64_t id;
    if (mcp_is_endpoint(req)) {
        struct mcp_version_header named = mcp_version_header(req->http);
        if (!mcp_settle_session(req, &named)) {
            return DIALECT_DONE;
        }
    }
    if (!*req->session || jsv_value_int64(req->message.id, &id) < 0) {
        return DIALECT_DONE;
    }
    struct dialect_question *question = dialect_session_answer(*req->session, (uint64_t)id);
    if (question) {
        req->host->answer(req, question, sound_result(req, question));
    }
    return DIALECT_DONE;
}
