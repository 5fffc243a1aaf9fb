/*
 * Bare method names: tools, methods of MCP, or neither. In all texts ' is written
 * for ".
 */
#include <stdio.h>
#include <string.h>

#include "support/pipeline_fixture.h"

static const struct {
    const char *message; /* after "jsonrpc" */
    const char *answer;  /* after "jsonrpc"; how it begins */
} cases[] = {
    {"'id':1,'method':'nope'",
     "'id':1,'result':{'ok':false,'reason':'unsupported','detail':'tool not implemented'}}"},
    {"'id':1,'method':''", "'id':1,'error':{'code':-32600,"},
    {"'id':'\\u0041','method':'mcpx'", "'id':'\\u0041','result':{'ok':false,"},
    {"'id':1e2,'method':'list_schemas'", "'id':1e2,'result':{'ok':true,"},
    {"'id':-0.0,'method':'list_schemas','params':{}", "'id':-0.0,'result':{'ok':true,"},
    {"'id':1,'method':'list_schemas','params':null",
     "'id':1,'error':{'code':-32602,'message':'Invalid params: params must be an object',"
     "'data':{'details':'params must be an object',"},
    {"'id':1,'method':'list_schemas','params':{'_meta':{'agentId':'a'}}",
     "'id':1,'result':{'ok':true,"},
    {"'id':1,'method':'get_schema','params':{'_meta':{},'name':5}",
     "'id':1,'result':{'ok':false,'reason':'validation_failed','errors':[{'path':'/name',"},
    {"'id':1,'method':'list_schemas','params':[]", "'id':1,'error':{'code':-32602,"},
    {"'id':1,'method':'nope','params':7", "'id':1,'error':{'code':-32602,"},
    {"'id':null,'method':'nope'", "'id':null,'error':{'code':-32600,"},
    {"'id':{},'method':'nope'", "'id':null,'error':{'code':-32600,"},
    {"'id':1,'method':'validate','params':{'schema':'part','asset':{'n':1}}",
     "'id':1,'result':{'ok':true"},
    {"'id':1,'method':'validate_asset','params':{'schema':'','asset':{}}",
     "'id':1,'result':{'ok':false,'reason':'validation_failed','errors':[{'path':'/schema',"
     "'msg':'schema param is required'}]}}"},
    {"'id':1,'method':'validate_asset','params':{'extra':1}",
     "'id':1,'result':{'ok':false,'reason':'validation_failed','errors':[{'path':'/schema',"
     "'msg':'schema param is required'}]}}"},
    {"'id':1,'method':'validate_many','params':{'schema':null,'assets':5}",
     "'id':1,'result':{'ok':false,'reason':'validation_failed','errors':[{'path':'/schema',"
     "'msg':'schema param is required'}]}}"},
    {"'id':1,'method':'validate_asset','params':{'schema':'none','asset':{}}",
     "'id':1,'result':{'ok':false,'reason':'validation_failed','errors':[{'path':'/schema',"
     "'msg':'schema_not_found'}]}}"},
    {"'id':1,'method':'validate_asset','params':{'schema':'../part','asset':{}}",
     "'id':1,'result':{'ok':false,'reason':'validation_failed','errors':[{'path':'/schema',"
     "'msg':'invalid_path'}]}}"},
    {"'id':1,'method':'get_schema','params':{}",
     "'id':1,'result':{'ok':false,'reason':'validation_failed','errors':[{'path':'/name',"},
    {"'id':1,'method':'ping'", "'id':1,'result':{}}"},
    {"'id':1,'method':'a/b'", "'id':1,'error':{'code':-32601,"},
};

static void quote(char *text)
{
    for (; *text; text++) {
        *text = *text == '\'' ? '"' : *text;
    }
}

static void bare_names_are_tools_or_mcp(void **state)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char message[512];
        char expected[512];
        snprintf(message, sizeof(message), "{'jsonrpc':'2.0',%s}", cases[i].message);
        snprintf(expected, sizeof(expected), "{'jsonrpc':'2.0',%s", cases[i].answer);
        quote(message);
        quote(expected);
        const char *answer = pipeline_ask(*state, message);
        if (strncmp(answer, expected, strlen(expected)) != 0) {
            fail_msg("%s\nis answered %s\nexpected    %s", message, answer, expected);
        }
    }
}

static void notifications_get_no_answer(void **state)
{
    static const char *const notifications[] = {
        "{\"jsonrpc\":\"2.0\",\"method\":\"nope\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"list_schemas\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"list_schemas\",\"params\":[]}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"get_schema\",\"params\":{\"name\":5}}",
    };
    struct pipeline_fixture *pipeline = *state;
    for (size_t i = 0; i < sizeof(notifications) / sizeof(notifications[0]); i++) {
        assert_string_equal(pipeline_ask(pipeline, notifications[i]), "");
        assert_int_equal(pipeline->silent_count, i + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PIPELINE_TEST(bare_names_are_tools_or_mcp),
        PIPELINE_TEST(notifications_get_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
