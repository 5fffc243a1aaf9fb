#include <errno.h>

#include "mcp/check.h"
#include "unit/mcp/checking.h"

#define META                                                                                       \
    "'_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28',"                             \
    "'io.modelcontextprotocol/clientCapabilities':{}}"

/* ---- requests and notifications ---- */

static void test_valid_calls(void **state)
{
    struct checking *checking = *state;
    checking_expect_valid(
        checking, "{'jsonrpc':'2.0','id':1,'method':'ping'}", MCP_KIND_REQUEST, "PingRequest");
    assert_int_equal(checking->verdict.method->id, MCP_METHOD_PING);
    checking_expect_valid(
        checking,
        "{'jsonrpc':'2.0','method':'notifications/initialized'}",
        MCP_KIND_NOTIFICATION,
        "InitializedNotification");
    checking->check.version = MCP_VERSION_2026_07_28;
    checking_expect_valid(
        checking,
        "{'jsonrpc':'2.0','id':'a','method':'server/discover','params':{" META "}}",
        MCP_KIND_REQUEST,
        "DiscoverRequest");
}

static void test_shape_comes_first(void **state)
{
    checking_expect_refused(
        *state, "{'jsonrpc':'2.0','id':null,'method':'no/such'}", MCP_LAYER_RPC, -32600, "/id");
    checking_expect_refused(*state, "7", MCP_LAYER_RPC, -32600, "");
}

static void test_method_comes_before_params(void **state)
{
    struct checking *checking = *state;
    static const char *const texts[] = {
        "{'jsonrpc':'2.0','id':1,'method':'no/such','params':7}",
        "{'jsonrpc':'2.0','method':'notifications/none'}",
        "{'jsonrpc':'2.0','id':1,'method':'server/discover'}",
        "{'jsonrpc':'2.0','id':1,'method':'notifications/initialized'}",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        checking_expect_refused(checking, texts[i], MCP_LAYER_MCP, -32601, "/method");
        assert_null(checking->verdict.method);
        assert_null(checking->verdict.definition);
    }
    checking->check.version = MCP_VERSION_2026_07_28;
    checking_expect_refused(
        checking, "{'jsonrpc':'2.0','id':1,'method':'ping'}", MCP_LAYER_MCP, -32601, "/method");
    checking_expect_refused(
        checking,
        "{'jsonrpc':'2.0','id':1,'method':'roots/list','params':{" META "}}",
        MCP_LAYER_MCP,
        -32601,
        "/method");
}

static void test_request_without_id(void **state)
{
    checking_expect_refused(
        *state, "{'jsonrpc':'2.0','method':'tools/list'}", MCP_LAYER_RPC, -32600, "");
}

static void test_sides(void **state)
{
    struct checking *checking = *state;
    const char *sampling = "{'jsonrpc':'2.0','id':1,'method':'sampling/createMessage',"
                           "'params':{'messages':[],'maxTokens':1}}";
    const char *list = "{'jsonrpc':'2.0','id':1,'method':'tools/list'}";
    const char *ping = "{'jsonrpc':'2.0','id':1,'method':'ping'}";
    checking->check.sender = MCP_SENDER_CLIENT;
    checking_expect_valid(checking, list, MCP_KIND_REQUEST, "ListToolsRequest");
    checking_expect_valid(checking, ping, MCP_KIND_REQUEST, "PingRequest");
    checking_expect_refused(checking, sampling, MCP_LAYER_MCP, -32601, "/method");
    checking->check.sender = MCP_SENDER_SERVER;
    checking_expect_refused(checking, list, MCP_LAYER_MCP, -32601, "/method");
    checking_expect_valid(checking, ping, MCP_KIND_REQUEST, "PingRequest");
    checking_expect_valid(checking, sampling, MCP_KIND_REQUEST, "CreateMessageRequest");
}

static void test_params(void **state)
{
    struct checking *checking = *state;
    static const struct {
        const char *text;
        const char *path;
    } cases[] = {
        {"{'jsonrpc':'2.0','id':1,'method':'tools/call'}", ""},
        {"{'jsonrpc':'2.0','id':1,'method':'tools/call','params':7}", "/params"},
        {"{'jsonrpc':'2.0','id':1,'method':'tools/call','params':[]}", "/params"},
        {"{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{}}", "/params"},
        {"{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':5}}", "/params/name"},
        {"{'jsonrpc':'2.0','id':1,'method':'resources/read','params':{'uri':'not a uri'}}",
         "/params/uri"},
        {"{'jsonrpc':'2.0','method':'notifications/progress','params':{'progress':1}}", "/params"},
    };
    for (enum mcp_version version = 0; version < MCP_VERSION_COUNT; version++) {
        checking->check.version = version;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            checking_expect_refused(checking, cases[i].text, MCP_LAYER_MCP, -32602, cases[i].path);
            assert_non_null(checking->verdict.method);
            assert_non_null(checking->verdict.definition);
        }
    }
}

/* An unknown format is not an error. */
static void test_unknown_format(void **state)
{
    struct checking *checking = *state;
    const struct jsv_schema *schema;
    struct jsv_value image =
        checking_read(checking, "{'type':'image','data':'not base64!','mimeType':'image/png'}");
    assert_int_equal(
        mcp_definitions_find(
            checking->check.definitions, checking->check.version, JSV_STR("ImageContent"), &schema),
        0);
    assert_int_equal(mcp_check_as(&checking->check, schema, image, &checking->verdict), 0);
    assert_int_equal(checking->verdict.layer, MCP_LAYER_NONE);
}

/* ---- answers ---- */

static const struct mcp_method *always(void *context, struct jsv_value id)
{
    (void)id;
    return mcp_method(*(enum mcp_method_id *)context);
}

static void test_any_response(void **state)
{
    struct checking *checking = *state;
    checking_expect_valid(
        checking,
        "{'jsonrpc':'2.0','id':1,'result':{'any':1}}",
        MCP_KIND_RESPONSE,
        "JSONRPCResultResponse");
    checking_expect_refused(
        checking, "{'jsonrpc':'2.0','id':1,'result':7}", MCP_LAYER_MCP, -32600, "/result");
    checking_expect_refused(checking, "{'jsonrpc':'2.0','result':{}}", MCP_LAYER_RPC, -32600, "");
    checking_expect_refused(
        checking, "{'jsonrpc':'2.0','id':1,'error':'no'}", MCP_LAYER_RPC, -32600, "/error");
}

static void test_response_to_a_request(void **state)
{
    struct checking *checking = *state;
    enum mcp_method_id method = MCP_METHOD_TOOLS_LIST;
    struct mcp_pairing pairing = {.answered = always, .context = &method};
    checking->check.pairing = &pairing;
    checking_expect_valid(
        checking,
        "{'jsonrpc':'2.0','id':1,'result':{'tools':[]}}",
        MCP_KIND_RESPONSE,
        "ListToolsResult");
    assert_int_equal(checking->verdict.method->id, method);
    checking_expect_refused(
        checking, "{'jsonrpc':'2.0','id':1,'result':{}}", MCP_LAYER_MCP, -32600, "/result");
    checking_expect_refused(
        checking,
        "{'jsonrpc':'2.0','id':1,'result':{'tools':[{'name':1}]}}",
        MCP_LAYER_MCP,
        -32600,
        "/result/tools/0/name");
    /* A result may have a member called params; that does not make it a request. */
    checking_expect_refused(
        checking,
        "{'jsonrpc':'2.0','id':1,'result':{'params':1}}",
        MCP_LAYER_MCP,
        -32600,
        "/result");
    /* A checker that sees only one side has no request to compare with. */
    pairing.answered = NULL;
    checking_expect_valid(
        checking,
        "{'jsonrpc':'2.0','id':1,'result':{}}",
        MCP_KIND_RESPONSE,
        "JSONRPCResultResponse");
}

static void test_task_instead_of_result(void **state)
{
    struct checking *checking = *state;
    enum mcp_method_id method = MCP_METHOD_TOOLS_CALL;
    struct mcp_pairing pairing = {.answered = always, .context = &method};
    checking->check.pairing = &pairing;
    checking_expect_valid(
        checking,
        "{'jsonrpc':'2.0','id':1,'result':{'task':{'taskId':'t','status':'working','ttl':null,"
        "'createdAt':'x','lastUpdatedAt':'y'}}}",
        MCP_KIND_RESPONSE,
        "CreateTaskResult");
    checking_expect_valid(
        checking,
        "{'jsonrpc':'2.0','id':1,'result':{'task':7,'content':[]}}",
        MCP_KIND_RESPONSE,
        "CallToolResult");
    checking_expect_refused(
        checking,
        "{'jsonrpc':'2.0','id':1,'result':{'task':7}}",
        MCP_LAYER_MCP,
        -32600,
        "/result/task");
    checking->check.version = MCP_VERSION_2025_06_18;
    checking_expect_refused(
        checking,
        "{'jsonrpc':'2.0','id':1,'result':{'task':{}}}",
        MCP_LAYER_MCP,
        -32600,
        "/result");
}

static void test_input_required(void **state)
{
    struct checking *checking = *state;
    enum mcp_method_id method = MCP_METHOD_TOOLS_CALL;
    struct mcp_pairing pairing = {.answered = always, .context = &method};
    checking->check.pairing = &pairing;
    checking->check.version = MCP_VERSION_2026_07_28;
    checking_expect_valid(
        checking,
        "{'jsonrpc':'2.0','id':1,'result':{'resultType':'complete','content':[]}}",
        MCP_KIND_RESPONSE,
        "CallToolResult");
    checking_expect_valid(
        checking,
        "{'jsonrpc':'2.0','id':1,'result':{'resultType':'input_required','requestState':'s'}}",
        MCP_KIND_RESPONSE,
        "InputRequiredResult");
    checking_expect_refused(
        checking,
        "{'jsonrpc':'2.0','id':1,'result':{'resultType':'input_required','requestState':1}}",
        MCP_LAYER_MCP,
        -32600,
        "/result/requestState");
    checking_expect_refused(
        checking,
        "{'jsonrpc':'2.0','id':1,'result':{'resultType':'complete'}}",
        MCP_LAYER_MCP,
        -32600,
        "/result");
}

static void test_errors(void **state)
{
    struct checking *checking = *state;
    checking_expect_valid(
        checking,
        "{'jsonrpc':'2.0','id':1,'error':{'code':-32602,'message':'m'}}",
        MCP_KIND_ERROR,
        "JSONRPCErrorResponse");
    checking_expect_valid(
        checking,
        "{'jsonrpc':'2.0','error':{'code':-32700,'message':'m'}}",
        MCP_KIND_ERROR,
        "JSONRPCErrorResponse");
    checking_expect_refused(
        checking, "{'jsonrpc':'2.0','id':1,'error':{'code':1}}", MCP_LAYER_MCP, -32600, "/error");
    checking->check.version = MCP_VERSION_2025_06_18;
    checking_expect_refused(
        checking,
        "{'jsonrpc':'2.0','error':{'code':-32700,'message':'m'}}",
        MCP_LAYER_MCP,
        -32600,
        "");
}

static void test_errors_with_definitions(void **state)
{
    struct checking *checking = *state;
    checking_expect_refused(
        checking,
        "{'jsonrpc':'2.0','id':1,'error':{'code':-32042,'message':'m'}}",
        MCP_LAYER_MCP,
        -32600,
        "/error");
    checking->check.version = MCP_VERSION_2026_07_28;
    checking_expect_valid(
        checking,
        "{'jsonrpc':'2.0','id':1,'error':{'code':-32602,'message':'m'}}",
        MCP_KIND_ERROR,
        "InvalidParamsError");
    checking_expect_refused(
        checking,
        "{'jsonrpc':'2.0','id':1,'error':{'code':-32022,'message':'m','data':{'requested':1,"
        "'supported':[]}}}",
        MCP_LAYER_MCP,
        -32600,
        "/error/data/requested");
    checking_expect_valid(
        checking,
        "{'jsonrpc':'2.0','id':1,'error':{'code':-32000,'message':'m'}}",
        MCP_KIND_ERROR,
        "JSONRPCErrorResponse");
}

/* ---- batches ---- */

static void test_batches(void **state)
{
    struct checking *checking = *state;
    const char *good = "[{'jsonrpc':'2.0','id':1,'method':'ping'},"
                       "{'jsonrpc':'2.0','method':'notifications/initialized'}]";
    checking->check.version = MCP_VERSION_2025_03_26;
    const struct mcp_verdict *verdict = checking_verdict(checking, good);
    assert_int_equal(verdict->layer, MCP_LAYER_NONE);
    assert_int_equal(verdict->shape.kind, MCP_KIND_BATCH);
    checking_expect_refused(checking, "[]", MCP_LAYER_RPC, -32600, "");
    checking_expect_refused(
        checking, "[{'jsonrpc':'2.0','id':1,'method':'ping'},7]", MCP_LAYER_RPC, -32600, "/1");
    checking_expect_refused(
        checking, "[[{'jsonrpc':'2.0','id':1,'method':'ping'}]]", MCP_LAYER_RPC, -32600, "/0");
    checking_expect_refused(
        checking, "[{'jsonrpc':'2.0','id':1,'method':'no'}]", MCP_LAYER_MCP, -32601, "/0/method");
    checking_expect_refused(
        checking,
        "[{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':7}}]",
        MCP_LAYER_MCP,
        -32602,
        "/0/params/name");
    checking_expect_refused(
        checking,
        "[{'jsonrpc':'2.0','id':1,'method':'initialize','params':{'protocolVersion':'x',"
        "'capabilities':{},'clientInfo':{'name':'a','version':'b'}}}]",
        MCP_LAYER_MCP,
        -32600,
        "/0/method");
    for (enum mcp_version version = 0; version < MCP_VERSION_COUNT; version++) {
        if (version != MCP_VERSION_2025_03_26) {
            checking->check.version = version;
            checking_expect_refused(checking, good, MCP_LAYER_RPC, -32600, "");
        }
    }
}

/* ---- pairing ---- */

struct pairs {
    enum mcp_method_id asked[8];
    size_t count;
};

static void note(void *context, struct jsv_value id, const struct mcp_method *method)
{
    struct pairs *pairs = context;
    assert_int_equal(jsv_value_type(id), JSV_TYPE_NUMBER);
    pairs->asked[pairs->count++] = method->id;
}

static void test_requests_are_noted(void **state)
{
    struct checking *checking = *state;
    struct pairs pairs = {0};
    struct mcp_pairing pairing = {.asked = note, .context = &pairs};
    checking->check.version = MCP_VERSION_2025_03_26;
    checking->check.pairing = &pairing;
    checking_verdict(checking, "{'jsonrpc':'2.0','id':1,'method':'ping'}");
    checking_verdict(checking, "{'jsonrpc':'2.0','id':1,'method':'no'}");
    checking_verdict(checking, "{'jsonrpc':'2.0','method':'notifications/initialized'}");
    checking_verdict(checking, "{'jsonrpc':'2.0','method':'ping'}");
    checking_verdict(checking, "{'jsonrpc':'2.0','id':1,'result':{}}");
    checking_verdict(
        checking,
        "[{'jsonrpc':'2.0','id':1,'method':'tools/list'},"
        "{'jsonrpc':'2.0','id':2,'method':'tools/call','params':7}]");
    assert_int_equal(pairs.count, 3);
    assert_int_equal(pairs.asked[0], MCP_METHOD_PING);
    assert_int_equal(pairs.asked[1], MCP_METHOD_TOOLS_LIST);
    assert_int_equal(pairs.asked[2], MCP_METHOD_TOOLS_CALL);
}

/* ---- one definition alone ---- */

static void test_as(void **state)
{
    struct checking *checking = *state;
    static const struct {
        const char *definition;
        const char *text;
        int code;
    } cases[] = {
        {"Tool", "{'name':'a','inputSchema':{'type':'object'}}", 0},
        {"ListToolsRequest", "{'method':'tools/list'}", 0},
        {"Tool", "{}", -32600},
        {"Tool", "7", -32600},
        {"CallToolRequest", "{'method':'tools/call'}", -32602},
        {"CallToolRequest", "{'method':'tools/call','params':{}}", -32602},
        {"CallToolRequest", "{'method':'tools/call','params':7}", -32602},
        {"CallToolRequest", "{'params':{'name':7}}", -32600},
        {"CallToolRequest", "{}", -32600},
        {"CallToolRequest", "{'method':'ping','params':{'name':'a'}}", -32600},
    };
    checking->check.version = MCP_VERSION_2025_06_18;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct jsv_schema *schema;
        struct jsv_str name = jsv_str_from(cases[i].definition);
        struct jsv_value value = checking_read(checking, cases[i].text);
        assert_int_equal(
            mcp_definitions_find(
                checking->check.definitions, checking->check.version, name, &schema),
            0);
        assert_int_equal(mcp_check_as(&checking->check, schema, value, &checking->verdict), 0);
        assert_int_equal(checking->verdict.code, cases[i].code);
        bool ok = cases[i].code == 0;
        assert_int_equal(checking->verdict.layer, ok ? MCP_LAYER_NONE : MCP_LAYER_MCP);
    }
}

/* ---- limits ---- */

/* What costs too much is the message's fault, not ours. */
static void test_too_costly(void **state)
{
    struct checking *checking = *state;
    const struct jsv_validator_limits limits = {.steps_max = 1};
    jsv_validator_free(checking->check.validator);
    checking->check.validator = jsv_validator_new(NULL, &limits);
    struct jsv_buf *text = json_fixture_buf(checking->json);
    jsv_buf_append_str(
        text,
        JSV_STR("{'jsonrpc':'2.0','id':1,'method':'sampling/createMessage','params':{"
                "'maxTokens':1,'messages':["));
    for (int i = 0; i < 1000; i++) {
        jsv_buf_append_str(text, JSV_STR("{'role':'user','content':{'type':'text','text':'a'}},"));
    }
    text->size--;
    jsv_buf_append(text, "]}}", 4);
    checking_expect_refused(checking, text->data, MCP_LAYER_MCP, -32600, "");
}

/* With the parts found already, the verdict is the same. */
static void test_parts(void **state)
{
    struct checking *checking = *state;
    static const char *const texts[] = {
        "{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'a'}}",
        "{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':1}}",
        "{'jsonrpc':'2.0','id':1,'method':'no'}",
        "{'jsonrpc':'2.0','id':true,'method':'ping'}",
        "{'jsonrpc':'2.0','id':1,'result':{}}",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct mcp_verdict whole = *checking_verdict(checking, texts[i]);
        struct mcp_verdict verdict;
        struct rpc_members parts;
        struct jsv_value message = checking_read(checking, texts[i]);
        rpc_members_find(message, &parts);
        assert_int_equal(mcp_check_parts(&checking->check, message, &parts, &verdict), 0);
        assert_int_equal(verdict.layer, whole.layer);
        assert_int_equal(verdict.code, whole.code);
        assert_int_equal(verdict.shape.kind, whole.shape.kind);
        assert_ptr_equal(verdict.method, whole.method);
        assert_int_equal(verdict.problems.count, whole.problems.count);
    }
}

static int check_with(struct json_fixture *fixture, struct jsv_arena *scratch, void *data)
{
    (void)fixture;
    struct checking *checking = data;
    checking->check.scratch = scratch;
    struct jsv_value message = checking_read(checking, "[{'jsonrpc':'2.0','id':1,'method':'no'}]");
    return mcp_check(&checking->check, message, &checking->verdict);
}

static void test_no_scratch(void **state)
{
    struct checking *checking = *state;
    checking->check.version = MCP_VERSION_2025_03_26;
    assert_int_equal(json_fixture_starve(checking->json, check_with, checking), 0);
    assert_int_equal(checking->verdict.code, -32601);
}

/* Once such messages have been met, nothing is allocated for them. */
static void *count_resize(void *context, void *memory, size_t old_size, size_t new_size)
{
    (void)old_size;
    *(size_t *)context += new_size > 0;
    if (new_size == 0) {
        free(memory);
        return NULL;
    }
    return realloc(memory, new_size);
}

static void test_steady_state_allocates_nothing(void **state)
{
    struct checking *checking = *state;
    static const char *const texts[] = {
        "{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'a','arguments':{}}}",
        "{'jsonrpc':'2.0','id':1,'result':{'content':[{'type':'text','text':'a'}]}}",
        "{'jsonrpc':'2.0','id':1,'error':{'code':-32042,'message':'a','data':{'elicitations':[]}}}",
        "{'jsonrpc':'2.0','id':1,'method':'none'}",
    };
    size_t calls = 0;
    const struct jsv_allocator allocator = {count_resize, &calls};
    enum mcp_method_id method = MCP_METHOD_TOOLS_CALL;
    struct mcp_pairing pairing = {.answered = always, .context = &method};
    jsv_validator_free(checking->check.validator);
    checking->check.validator = jsv_validator_new(&allocator, NULL);
    checking->check.pairing = &pairing;
    jsv_arena_init(&checking->scratch, &allocator, SIZE_MAX);
    struct jsv_value messages[4];
    for (size_t i = 0; i < 4; i++) {
        messages[i] = checking_read(checking, texts[i]);
    }
    size_t warm = 0;
    for (size_t round = 0; round < 10; round++) {
        for (size_t i = 0; i < 4; i++) {
            assert_int_equal(mcp_check(&checking->check, messages[i], &checking->verdict), 0);
        }
        warm = round == 0 ? calls : warm;
    }
    assert_int_equal(calls, warm);
}

static void test_layer_names(void **state)
{
    (void)state;
    assert_string_equal(mcp_layer_name(MCP_LAYER_NONE), "none");
    assert_string_equal(mcp_layer_name(MCP_LAYER_JSON), "json");
    assert_string_equal(mcp_layer_name(MCP_LAYER_RPC), "rpc");
    assert_string_equal(mcp_layer_name(MCP_LAYER_MCP), "mcp");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHECKING_TEST(test_valid_calls),
        CHECKING_TEST(test_shape_comes_first),
        CHECKING_TEST(test_method_comes_before_params),
        CHECKING_TEST(test_request_without_id),
        CHECKING_TEST(test_sides),
        CHECKING_TEST(test_params),
        CHECKING_TEST(test_unknown_format),
        CHECKING_TEST(test_any_response),
        CHECKING_TEST(test_response_to_a_request),
        CHECKING_TEST(test_task_instead_of_result),
        CHECKING_TEST(test_input_required),
        CHECKING_TEST(test_errors),
        CHECKING_TEST(test_errors_with_definitions),
        CHECKING_TEST(test_batches),
        CHECKING_TEST(test_requests_are_noted),
        CHECKING_TEST(test_as),
        CHECKING_TEST(test_parts),
        CHECKING_TEST(test_too_costly),
        CHECKING_TEST(test_no_scratch),
        CHECKING_TEST(test_steady_state_allocates_nothing),
        cmocka_unit_test(test_layer_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
