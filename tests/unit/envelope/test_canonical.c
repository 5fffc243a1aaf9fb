#include <errno.h>

#include "envelope/canonical.h"
#include "unit/envelope/quoted.h"

static void test_known_names(void **state)
{
    (void)state;
    static const struct {
        enum envelope_canonical error;
        const char *name;
        unsigned http;
        int rpc;
        const char *message;
    } cases[] = {
        {ENVELOPE_CANONICAL_INVALID_ENVELOPE,
         "INVALID_ENVELOPE",
         400,
         -32600,
         "Invalid MCP envelope"},
        {ENVELOPE_CANONICAL_INVALID_TOOL_INPUT,
         "INVALID_TOOL_INPUT",
         422,
         -32602,
         "Invalid tool input"},
        {ENVELOPE_CANONICAL_TOOL_NOT_FOUND, "TOOL_NOT_FOUND", 404, -32001, "Unknown tool"},
        {ENVELOPE_CANONICAL_INTERNAL_ERROR, "INTERNAL_ERROR", 500, -32603, "Internal error"},
    };
    assert_int_equal(sizeof(cases) / sizeof(cases[0]), ENVELOPE_CANONICALS);
    for (size_t i = 0; i < ENVELOPE_CANONICALS; i++) {
        const struct envelope_canonical_error *error = NULL;
        assert_int_equal(envelope_canonical_find(jsv_str_from(cases[i].name), &error), 0);
        assert_ptr_equal(error, envelope_canonical_get(cases[i].error));
        assert_string_equal(error->name.data, cases[i].name);
        assert_int_equal(error->http, cases[i].http);
        assert_int_equal(error->rpc, cases[i].rpc);
        assert_string_equal(error->message.data, cases[i].message);
    }
}

static void test_unknown_names_have_no_default(void **state)
{
    (void)state;
    static const char *const names[] = {
        "", "NO_SUCH", "invalid_envelope", "INVALID_ENVELOPE ", "TOOL_NOT"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct envelope_canonical_error *error = NULL;
        assert_int_equal(envelope_canonical_find(jsv_str_from(names[i]), &error), -ENOENT);
        assert_null(error);
    }
}

static void test_http_body(void **state)
{
    struct json_fixture *fixture = *state;
    const struct envelope_canonical_error *error =
        envelope_canonical_get(ENVELOPE_CANONICAL_TOOL_NOT_FOUND);
    struct jsv_str none = {0};
    struct jsv_str data = quoted(fixture, "{'x':1}");

    assert_int_equal(envelope_canonical_write_http(error, none, &fixture->out), 0);
    quoted_expect(
        fixture, "{'error':{'code':'TOOL_NOT_FOUND','message':'Unknown tool','details':{}}}");
    assert_int_equal(envelope_canonical_write_http(error, data, &fixture->out), 0);
    quoted_expect(
        fixture, "{'error':{'code':'TOOL_NOT_FOUND','message':'Unknown tool','details':{'x':1}}}");
}

static void test_no_room(void **state)
{
    (void)state;
    const struct envelope_canonical_error *error =
        envelope_canonical_get(ENVELOPE_CANONICAL_INTERNAL_ERROR);
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, 10);
    assert_int_equal(envelope_canonical_write_http(error, (struct jsv_str){0}, &out), -ENOBUFS);
    jsv_buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_names),
        cmocka_unit_test(test_unknown_names_have_no_default),
        JSON_TEST(test_http_body),
        cmocka_unit_test(test_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
