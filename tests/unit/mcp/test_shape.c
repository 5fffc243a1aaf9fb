#include <string.h>

#include "mcp/shape.h"
#include "support/json_fixture.h"

struct shape_case {
    const char *text; /* ' for " */
    enum mcp_kind kind;
    const char *path; /* of the problem; NULL: there is none */
    const char *message;
};

static const struct shape_case cases[] = {
    {"{'jsonrpc':'2.0','id':1,'method':'m'}", MCP_KIND_REQUEST, NULL, NULL},
    {"{'jsonrpc':'2.0','id':'','method':''}", MCP_KIND_REQUEST, NULL, NULL},
    {"{'jsonrpc':'2.0','id':1.0,'method':'m','params':[]}", MCP_KIND_REQUEST, NULL, NULL},
    {"{'jsonrpc':'2.0','id':1e2,'method':'m'}", MCP_KIND_REQUEST, NULL, NULL},
    {"{'jsonrpc':'2.0','id':123456789012345678901234567890,'method':'m'}",
     MCP_KIND_REQUEST,
     NULL,
     NULL},
    {"{'method':'m','other':1,'idea':2,'errors':3,'paramss':4,'jsonrpc':'2.0'}",
     MCP_KIND_NOTIFICATION,
     NULL,
     NULL},
    {"{'jsonrpc':'2.0','id':1,'result':7}", MCP_KIND_RESPONSE, NULL, NULL},
    {"{'jsonrpc':'2.0','result':{}}", MCP_KIND_NONE, "", "missing property \"id\""},
    {"{'jsonrpc':'2.0','id':1,'error':7}", MCP_KIND_NONE, "/error", "expected object"},
    {"{'jsonrpc':'2.0','id':1,'error':null}", MCP_KIND_NONE, "/error", "expected object"},
    {"{'jsonrpc':'2.0','id':1,'error':{}}", MCP_KIND_ERROR, NULL, NULL},
    {"{'jsonrpc':'2.0','error':{}}", MCP_KIND_ERROR, NULL, NULL},
    {"7", MCP_KIND_NONE, "", "expected object"},
    {"[]", MCP_KIND_NONE, "", "expected object"},
    {"'{}'", MCP_KIND_NONE, "", "expected object"},
    {"{}", MCP_KIND_NONE, "", "missing property \"jsonrpc\""},
    {"{'JSONRPC':'2.0','id':1,'method':'m'}", MCP_KIND_NONE, "", "missing property \"jsonrpc\""},
    {"{'jsonrpc':2.0,'id':1,'method':'m'}", MCP_KIND_NONE, "/jsonrpc", "expected \"2.0\""},
    {"{'jsonrpc':'2.0 ','id':1,'method':'m'}", MCP_KIND_NONE, "/jsonrpc", "expected \"2.0\""},
    {"{'jsonrpc':'1.0','id':1,'method':'m'}", MCP_KIND_NONE, "/jsonrpc", "expected \"2.0\""},
    {"{'jsonrpc':null,'id':1,'method':'m'}", MCP_KIND_NONE, "/jsonrpc", "expected \"2.0\""},
    {"{'jsonrpc':'2.0','id':null,'method':'m'}",
     MCP_KIND_NONE,
     "/id",
     "expected string or integer"},
    {"{'jsonrpc':'2.0','id':true,'method':'m'}",
     MCP_KIND_NONE,
     "/id",
     "expected string or integer"},
    {"{'jsonrpc':'2.0','id':1.5,'method':'m'}", MCP_KIND_NONE, "/id", "expected string or integer"},
    {"{'jsonrpc':'2.0','id':[1],'result':{}}", MCP_KIND_NONE, "/id", "expected string or integer"},
    {"{'jsonrpc':'2.0','id':{},'error':{}}", MCP_KIND_NONE, "/id", "expected string or integer"},
    {"{'jsonrpc':'2.0','id':1,'method':7}", MCP_KIND_NONE, "/method", "expected string"},
    {"{'jsonrpc':'2.0','id':1,'method':null}", MCP_KIND_NONE, "/method", "expected string"},
    {"{'jsonrpc':'2.0','id':1}", MCP_KIND_NONE, "", "missing property \"method\""},
    {"{'jsonrpc':'2.0','id':1,'result':{},'error':{}}",
     MCP_KIND_NONE,
     "",
     "either a result or an error, not both"},
    {"{'jsonrpc':'2.0','id':1,'method':'m','result':{}}",
     MCP_KIND_NONE,
     "/result",
     "a message with a method has no result"},
    {"{'jsonrpc':'2.0','id':1,'method':'m','error':{}}",
     MCP_KIND_NONE,
     "/error",
     "a message with a method has no error"},
};

static void run_case(struct json_fixture *fixture, const struct shape_case *shape_case)
{
    char text[256];
    assert_true(strlen(shape_case->text) < sizeof(text));
    size_t size = 0;
    for (; shape_case->text[size]; size++) {
        text[size] = shape_case->text[size] == '\'' ? '"' : shape_case->text[size];
    }
    text[size] = '\0';
    struct mcp_shape shape;
    const struct jsv_problem *problem = mcp_shape_read(json_fixture_read(fixture, text), &shape);
    if (shape.kind != shape_case->kind || (problem == NULL) != (shape_case->path == NULL)) {
        fail_msg("%s", text);
    }
    if (problem) {
        assert_true(jsv_str_equal(problem->path, jsv_str_from(shape_case->path)));
        assert_true(jsv_str_equal(problem->message, jsv_str_from(shape_case->message)));
    }
}

static void test_shapes(void **state)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        run_case(*state, &cases[i]);
    }
}

static void test_parts(void **state)
{
    struct mcp_shape shape;
    const char *text = "{\"params\":[1],\"method\":\"a\",\"id\":\"b\",\"jsonrpc\":\"2.0\"}";
    assert_null(mcp_shape_read(json_fixture_read(*state, text), &shape));
    assert_true(jsv_str_equal(jsv_value_text(shape.parts.method), JSV_STR("a")));
    assert_true(jsv_str_equal(jsv_value_text(shape.parts.id), JSV_STR("b")));
    assert_int_equal(jsv_value_count(shape.parts.params), 1);
    assert_int_equal(jsv_value_type(shape.parts.result), JSV_TYPE_NONE);
    assert_int_equal(jsv_value_type(shape.parts.error), JSV_TYPE_NONE);

    struct mcp_shape again;
    assert_null(mcp_shape_of(&shape.parts, &again));
    assert_int_equal(again.kind, MCP_KIND_REQUEST);
    assert_ptr_equal(again.parts.params.node, shape.parts.params.node);
}

/* An error answer wants the id of a message that is wrong in another place. */
static void test_parts_of_a_wrong_shape(void **state)
{
    struct mcp_shape shape;
    const char *text = "{\"jsonrpc\":\"1.0\",\"id\":5,\"method\":\"a\"}";
    assert_non_null(mcp_shape_read(json_fixture_read(*state, text), &shape));
    assert_true(jsv_str_equal(jsv_value_span(shape.parts.id), JSV_STR("5")));
}

static void test_kind_names(void **state)
{
    (void)state;
    assert_string_equal(mcp_kind_name(MCP_KIND_NONE), "none");
    assert_string_equal(mcp_kind_name(MCP_KIND_REQUEST), "request");
    assert_string_equal(mcp_kind_name(MCP_KIND_NOTIFICATION), "notification");
    assert_string_equal(mcp_kind_name(MCP_KIND_RESPONSE), "response");
    assert_string_equal(mcp_kind_name(MCP_KIND_ERROR), "error");
    assert_string_equal(mcp_kind_name(MCP_KIND_BATCH), "batch");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(test_shapes),
        JSON_TEST(test_parts),
        JSON_TEST(test_parts_of_a_wrong_shape),
        cmocka_unit_test(test_kind_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
