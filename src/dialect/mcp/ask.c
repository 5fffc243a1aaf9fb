/*
 * Questions to the client while its request is in flight.
 *
 * A legacy client is sent requests, which it answers by messages. A modern client
 * gets a result that lists the questions, and repeats its request with the
 * answers and with the tool's state. So the server keeps nothing; because a
 * client could change the state, it is signed, together with the request it
 * belongs to and the time it expires.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "dialect/mcp/mcp.h"
#include "mcp/check.h"
#include "os/digest.h"
#include "os/sys.h"

#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"

/* The capability a client needs to be asked by a method. */
static const struct {
    struct jsv_str method;
    struct jsv_str name;
    enum dialect_capability capability;
    enum mcp_version first;
} kinds[] = {
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

#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))

/* ---- capabilities ---- */

unsigned mcp_capabilities_of(struct jsv_value capabilities, enum mcp_version version)
{
    unsigned set = 0;
    for (size_t i = 0; i < KIND_COUNT; i++) {
        bool has = jsv_value_type(jsv_value_get(capabilities, kinds[i].name)) == JSV_TYPE_OBJECT;
        set |= has && version >= kinds[i].first ? kinds[i].capability : 0;
    }
    return set;
}

static unsigned capabilities_of(const struct dialect_req *req)
{
    const struct dialect_session *session = *req->session;
    if (!mcp_is_modern(req)) {
        return session ? session->capabilities : 0;
    }
    struct jsv_value meta = jsv_value_get(req->message.params, JSV_STR("_meta"));
    return mcp_capabilities_of(
        jsv_value_get(meta, JSV_STR(META_CAPABILITIES)), mcp_version_of(req));
}

bool mcp_offers(const struct dialect_req *req, struct jsv_str capability)
{
    unsigned set = capabilities_of(req);
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (jsv_str_equal(kinds[i].name, capability)) {
            return set & kinds[i].capability;
        }
    }
    return false;
}

/* The capabilities that the questions need and the client lacks. */
static unsigned lacking(const struct dialect_req *req, struct jsv_value questions)
{
    unsigned needed = 0;
    struct jsv_iter iter = jsv_value_iter(questions);
    while (jsv_iter_next(&iter)) {
        struct jsv_str method = jsv_value_text(jsv_value_get(iter.value, JSV_STR("method")));
        for (size_t i = 0; i < KIND_COUNT; i++) {
            needed |= jsv_str_equal(kinds[i].method, method) ? kinds[i].capability : 0;
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
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (missing & kinds[i].capability) {
            jsv_write_member_span(&writer, kinds[i].name, JSV_STR("{}"));
        }
    }
    jsv_write_object_end(&writer);
    jsv_write_object_end(&writer);
    rpc_write_error_end(&writer);
}

/* ---- the tool's state ----
 *
 * "expiry.code.state": the code is an HMAC over method, name, arguments, expiry and state, with a
 * random key of this process. So a state is valid for one request, for some time, and in this
 * process alone. The client can read it, so it must not hold secrets.
 */

#define KEY_SIZE 32

/* A person answers a form within that time. */
#define VALID_FOR_MS ((uint64_t)10 * 60 * 1000)

/* Digits of the expiry time and a dot. */
#define EXPIRY_SIZE 17

#define HEAD_SIZE (EXPIRY_SIZE + OS_DIGEST_HEX_SIZE + 1)

/* The arguments and the state of a message. */
#define SIGNED_SIZE_MAX ((size_t)4 << 20)

static struct {
    pthread_once_t once;
    int error;
    char bytes[KEY_SIZE];
} secret_key = {.once = PTHREAD_ONCE_INIT};

static void make_key(void)
{
    secret_key.error = os_random(secret_key.bytes, sizeof(secret_key.bytes));
}

static void append_part(struct jsv_buf *out, struct jsv_str part)
{
    jsv_buf_append_str(out, part);
    jsv_buf_append_byte(out, '\0');
}

static int append_signed(
    const struct dialect_req *req,
    struct jsv_str expiry,
    struct jsv_str tool_state,
    struct jsv_buf *out)
{
    struct jsv_value params = req->message.params;
    struct jsv_value arguments = jsv_value_get(params, JSV_STR("arguments"));
    append_part(out, req->message.method);
    append_part(out, jsv_value_text(jsv_value_get(params, JSV_STR("name"))));
    append_part(out, expiry);
    if (jsv_value_count(arguments) > 0) {
        int r = jsv_canon_write(arguments, JSV_CANON_UTF8, req->scratch, out, NULL);
        if (r < 0) {
            return r;
        }
    }
    jsv_buf_append_byte(out, '\0');
    jsv_buf_append_str(out, tool_state);
    return out->error;
}

static int make_code(
    const struct dialect_req *req,
    struct jsv_str expiry,
    struct jsv_str tool_state,
    char ret_code[static OS_DIGEST_HEX_SIZE + 1])
{
    struct jsv_buf text;
    pthread_once(&secret_key.once, make_key);
    jsv_buf_init(&text, os_allocator(), SIGNED_SIZE_MAX);
    int r = secret_key.error;
    if (r == 0) {
        r = append_signed(req, expiry, tool_state, &text);
    }
    if (r == 0) {
        struct jsv_str secret = {secret_key.bytes, sizeof(secret_key.bytes)};
        r = os_digest_keyed(secret, jsv_buf_str(&text), ret_code);
    }
    jsv_buf_done(&text);
    return r;
}

/* Append a text that open_state() accepts for this request. @return 0 or -errno. */
static int seal_state(const struct dialect_req *req, struct jsv_str tool_state, struct jsv_buf *out)
{
    char expiry[EXPIRY_SIZE + 1];
    char code[OS_DIGEST_HEX_SIZE + 1];
    snprintf(expiry, sizeof(expiry), "%016llx.", (unsigned long long)os_now_ms() + VALID_FOR_MS);
    int r = make_code(req, (struct jsv_str){expiry, EXPIRY_SIZE - 1}, tool_state, code);
    if (r < 0) {
        return r;
    }
    jsv_buf_append(out, expiry, EXPIRY_SIZE);
    jsv_buf_append(out, code, OS_DIGEST_HEX_SIZE);
    jsv_buf_append_byte(out, '.');
    return jsv_buf_append_str(out, tool_state);
}

/* In constant time. */
static bool is_same(const char *a, const char *b, size_t size)
{
    unsigned char difference = 0;
    for (size_t i = 0; i < size; i++) {
        difference |= (unsigned char)(a[i] ^ b[i]);
    }
    return difference == 0;
}

/* @return 0; -EBADMSG: not sealed by this process, for another request, or expired; -errno. */
static int
open_state(const struct dialect_req *req, struct jsv_str state, struct jsv_str *ret_tool_state)
{
    char now[EXPIRY_SIZE + 1];
    char code[OS_DIGEST_HEX_SIZE + 1] = "";
    if (state.size < HEAD_SIZE) {
        return -EBADMSG;
    }
    struct jsv_str expiry = {state.data, EXPIRY_SIZE - 1};
    struct jsv_str tool_state = {state.data + HEAD_SIZE, state.size - HEAD_SIZE};
    int r = make_code(req, expiry, tool_state, code);
    if (r < 0) {
        return r;
    }
    snprintf(now, sizeof(now), "%016llx.", (unsigned long long)os_now_ms());
    bool is_ours = state.data[EXPIRY_SIZE - 1] == '.' && state.data[HEAD_SIZE - 1] == '.' &&
                   is_same(state.data + EXPIRY_SIZE, code, OS_DIGEST_HEX_SIZE);
    bool is_valid = is_ours && memcmp(expiry.data, now, expiry.size) > 0;
    *ret_tool_state = tool_state;
    return is_valid ? 0 : -EBADMSG;
}

/* ---- asking ---- */

static bool answer_input_required(
    struct dialect_req *req, struct jsv_value questions, struct jsv_str tool_state)
{
    struct jsv_buf state;
    jsv_buf_init(&state, os_allocator(), req->reply->size_max);
    int r = tool_state.size > 0 ? seal_state(req, tool_state, &state) : 0;
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

/* Send a request to the client. */
static int send_question(struct dialect_req *req, struct jsv_str key, struct jsv_value question)
{
    struct jsv_str name = jsv_value_text(jsv_value_get(question, JSV_STR("method")));
    struct jsv_value params = jsv_value_get(question, JSV_STR("params"));
    const struct mcp_method *method = mcp_method_find(name);
    struct jsv_buf text;
    uint64_t id;
    int r = method ? req->host->ask(req, key, method, &id) : -EINVAL;
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
    if (mcp_is_modern(req)) {
        if (missing != 0) {
            answer_lacking(req, missing);
            return false;
        }
        return answer_input_required(req, questions, tool_state);
    }
    if (missing != 0) {
        mcp_give_up(req, JSV_STR("the client does not support the questions of this tool"));
        return false;
    }
    struct jsv_iter iter = jsv_value_iter(questions);
    int r = 0;
    while (r == 0 && jsv_iter_next(&iter)) {
        r = send_question(req, jsv_value_text(iter.key), iter.value);
    }
    if (r == -ENOTCONN) {
        mcp_give_up(
            req,
            JSV_STR(
                "the client cannot be asked, because its request does not accept an event stream"));
    } else if (r < 0) {
        mcp_answer_error(req, RPC_ERROR_INTERNAL, JSV_STR("the client could not be asked"));
    }
    return r == 0;
}

/* A result, as for any failure of a tool. */
void mcp_give_up(struct dialect_req *req, struct jsv_str details)
{
    mcp_answer_text(req, details, true);
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
    if (!mcp_is_modern(req)) {
        return true;
    }
    req->inputs = exchange->parts->input_responses;
    if (jsv_value_type(state) != JSV_TYPE_STRING) {
        return true;
    }
    return open_state(req, jsv_value_text(state), &req->state_in) == 0 || refuse_state(req);
}

static const struct mcp_method *method_of(void *context, struct jsv_value id)
{
    (void)id;
    const struct dialect_question *question = context;
    return question->method;
}

/* The result if it matches the method's definition; else NONE. */
static struct jsv_value valid_result(struct dialect_req *req, struct dialect_question *question)
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
    bool is_valid = r == 0 && verdict.layer == MCP_LAYER_NONE;
    return is_valid ? message->members.result : (struct jsv_value){0};
}

enum dialect_step mcp_take_answer(struct dialect_req *req)
{
    int64_t id;
    if (mcp_is_endpoint(req)) {
        struct mcp_version_header named = mcp_version_header(req->http);
        if (!mcp_find_session(req, &named)) {
            return DIALECT_DONE;
        }
    }
    if (!*req->session || jsv_value_int64(req->message.id, &id) < 0) {
        return DIALECT_DONE;
    }
    struct dialect_question *question = dialect_session_take_question(*req->session, (uint64_t)id);
    if (question) {
        req->host->answer(req, question, valid_result(req, question));
    }
    return DIALECT_DONE;
}
