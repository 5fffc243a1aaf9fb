#include "unit/dialect/asking.h"

static const struct asking askings[] = {
    {"{\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"list_schemas\"}",
     "{\"jsonrpc\":\"2.0\",\"id\":1.0,\"result\":{\"ok\":true,\"schemas\":[{\"name\":\"part\""},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no_such_tool\"}",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ok\":false,\"reason\":\"unsupported\","
     "\"detail\":\"tool not implemented\"}}"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"list_schemas\",\"params\":7}",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get_schema\",\"params\":{\"name\":7}}",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ok\":false,\"reason\":\"validation_failed\","
     "\"errors\":[{\"path\":\"/name\","},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\"}",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32600,\"message\":\"Invalid Request\""},
};

static void test_answers(void **state)
{
    ASK_EACH(*state, askings);
}

static void test_notification_has_no_answer(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    assert_string_equal(
        pipeline_ask(pipeline, "{\"jsonrpc\":\"2.0\",\"method\":\"list_schemas\"}"), "");
    assert_int_equal(pipeline->silent_count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PIPELINE_TEST(test_answers),
        PIPELINE_TEST(test_notification_has_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
