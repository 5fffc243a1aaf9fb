#include <errno.h>

#include "envelope/reference.h"
#include "support/torture.h"
#include "unit/envelope/quoted.h"

#define REQUEST(version, more)                                                                     \
    "{'id':'r-1','version':" version ",'timestamp':'2025-10-13T15:10:00Z','tool':'a/b.c_d-e',"     \
    "'payload':{'q':1}" more "}"

#define TIME "2025-10-13T15:10:01Z"

static struct envelope_schemas *schemas;
static struct jsv_validator *validator;

static int set_up(void **state)
{
    (void)state;
    validator = jsv_validator_new(NULL, NULL);
    return !validator || envelope_schemas_new(NULL, &schemas) < 0;
}

static int tear_down(void **state)
{
    (void)state;
    envelope_schemas_free(schemas);
    jsv_validator_free(validator);
    return 0;
}

struct checked {
    int verdict;
    struct envelope_reference_request request;
    struct envelope_issues issues;
};

static struct checked check(struct json_fixture *fixture, const char *message)
{
    struct checked checked = {0};
    checked.verdict = envelope_reference_check(
        schemas,
        quoted_read(fixture, message),
        validator,
        &fixture->scratch,
        &checked.request,
        &checked.issues);
    return checked;
}

static void test_recognising(void **state)
{
    struct json_fixture *fixture = *state;
    static const char *const others[] = {
        "[]",
        "{}",
        "{'version':'1.0.0','tool':'t'}",
        "{'version':'1.0.0','payload':{}}",
        "{'tool':'t','payload':{}}",
        "{'jsonrpc':'2.0','version':'1.0.0','tool':'t','payload':{}}",
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_false(envelope_reference_is(quoted_read(fixture, others[i])));
    }
    assert_true(
        envelope_reference_is(quoted_read(fixture, "{'version':null,'tool':null,'payload':null}")));
}

static void test_a_valid_request(void **state)
{
    struct json_fixture *fixture = *state;
    struct checked checked = check(
        fixture,
        REQUEST(
            "'1.0.0'", ",'trace_id':'t','context':{},'metadata':{},'auth':{'type':'none','x':1}"));
    assert_int_equal(checked.verdict, ENVELOPE_REFERENCE_VALID);
    assert_int_equal(checked.issues.count, 0);
    assert_true(jsv_str_equal(checked.request.tool, JSV_STR("a/b.c_d-e")));
    assert_int_equal(jsv_value_count(checked.request.payload), 1);
    assert_true(jsv_str_equal(jsv_value_text(checked.request.trace_id), JSV_STR("t")));
    assert_false(checked.request.minor);
}

static void test_versions(void **state)
{
    struct json_fixture *fixture = *state;
    static const struct {
        const char *message;
        enum envelope_reference_verdict verdict;
        bool minor;
    } cases[] = {
        {REQUEST("'1.0.0'", ""), ENVELOPE_REFERENCE_VALID, false},
        {REQUEST("'1.0.9'", ""), ENVELOPE_REFERENCE_VALID, false},
        {REQUEST("'1.00.0'", ""), ENVELOPE_REFERENCE_VALID, false},
        {REQUEST("'1.0.0'", ",'x':1"), ENVELOPE_REFERENCE_INVALID, false},
        {REQUEST("'1.0.4'", ",'x':1"), ENVELOPE_REFERENCE_INVALID, false},
        {REQUEST("'1.3.0'", ",'x':1"), ENVELOPE_REFERENCE_VALID, true},
        {REQUEST("'1.10.0'", ""), ENVELOPE_REFERENCE_VALID, true},
        {REQUEST("'1.3.0'", ",'context':1"), ENVELOPE_REFERENCE_INVALID, true},
        {REQUEST("1", ""), ENVELOPE_REFERENCE_INVALID, false},
        {REQUEST("'0.9.0'", ""), ENVELOPE_REFERENCE_UNSUPPORTED, false},
        {REQUEST("'2.0.0'", ""), ENVELOPE_REFERENCE_UNSUPPORTED, false},
        {REQUEST("'10.0.0'", ""), ENVELOPE_REFERENCE_UNSUPPORTED, false},
        {REQUEST("''", ""), ENVELOPE_REFERENCE_UNSUPPORTED, false},
        {REQUEST("'1'", ""), ENVELOPE_REFERENCE_UNSUPPORTED, false},
        {REQUEST("'1.'", ""), ENVELOPE_REFERENCE_UNSUPPORTED, false},
        {REQUEST("'1.0'", ""), ENVELOPE_REFERENCE_UNSUPPORTED, false},
        {REQUEST("'1.0.'", ""), ENVELOPE_REFERENCE_UNSUPPORTED, false},
        {REQUEST("'1..0'", ""), ENVELOPE_REFERENCE_UNSUPPORTED, false},
        {REQUEST("'1.x.0'", ""), ENVELOPE_REFERENCE_UNSUPPORTED, false},
        {REQUEST("'1.0.0\\n'", ""), ENVELOPE_REFERENCE_UNSUPPORTED, false},
        {REQUEST("'1.0.0-beta'", ""), ENVELOPE_REFERENCE_UNSUPPORTED, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct checked checked = check(fixture, cases[i].message);
        assert_int_equal(checked.verdict, cases[i].verdict);
        assert_int_equal(checked.request.minor, cases[i].minor);
        assert_int_equal(checked.issues.count > 0, cases[i].verdict != ENVELOPE_REFERENCE_VALID);
        assert_true(jsv_str_equal(jsv_value_text(checked.request.id), JSV_STR("r-1")));
    }
}

static void test_problems(void **state)
{
    struct json_fixture *fixture = *state;
    static const struct {
        const char *message;
        const char *issues;
    } cases[] = {
        {REQUEST("'2.0.0'", ""),
         "[{'code':'UNSUPPORTED_VERSION','message':'Unsupported envelope version; use 1.x, for "
         "example 1.0.0.','detail':{'supported':'1.x'}}]"},
        {REQUEST("'1.0.0'", ",'auth':{'type':'none','scopes':[1]}"),
         "[{'code':'INVALID_ENVELOPE','message':'expected string',"
         "'detail':{'path':'/auth/scopes/0','keyword':'type'}}]"},
        {"{'id':'','version':'1.0.0','timestamp':'" TIME "','tool':'t','payload':{}}",
         "[{'code':'INVALID_ENVELOPE','message':'expected a non-empty string',"
         "'detail':{'path':'/id'}}]"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct checked checked = check(fixture, cases[i].message);
        struct jsv_writer writer = jsv_writer_on(&fixture->out);
        envelope_issues_write(&checked.issues, "detail", &writer);
        quoted_expect(fixture, cases[i].issues);
    }
}

static void test_not_even_a_request(void **state)
{
    struct json_fixture *fixture = *state;
    static const char *const messages[] = {
        "[]",
        "5",
        "null",
        "'x'",
        "{}",
        "{'id':1,'version':'1.0.0','timestamp':'" TIME "','tool':'t','payload':{}}",
        "{'id':'a','version':'1.0.0','timestamp':'yesterday','tool':'t','payload':{}}",
        "{'id':'a','version':'1.0.0','timestamp':'" TIME "','tool':'mcp.tool:t','payload':{}}",
        "{'id':'a','version':'1.0.0','timestamp':'" TIME "','tool':'t','payload':[]}",
    };
    for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
        struct checked checked = check(fixture, messages[i]);
        assert_int_equal(checked.verdict, ENVELOPE_REFERENCE_INVALID);
        assert_true(checked.issues.count > 0);
        assert_int_equal(checked.request.tool.size, 0);
    }
}

/* Whatever is written must fit the schema of responses. */
static void expect_response(
    struct json_fixture *fixture,
    const struct envelope_reference_response *response,
    const char *text)
{
    assert_int_equal(envelope_reference_write(response, &fixture->out), 0);
    struct jsv_value written = json_fixture_read_str(fixture, jsv_buf_str(&fixture->out), 0);
    const struct jsv_schema *schema =
        envelope_schemas_get(schemas, ENVELOPE_SCHEMA_REFERENCE_RESPONSE);
    assert_int_equal(jsv_validate(validator, schema, written), 1);
    quoted_expect(fixture, text);
}

static void test_a_response(void **state)
{
    struct json_fixture *fixture = *state;
    struct checked checked = check(
        fixture,
        "{'id':'\\u0041','version':'1.2.0','timestamp':'" TIME "','tool':'t','payload':{},"
        "'beta':1,'trace_id':'tr','alpha':2,'auth':{'type':'bearer','token':'secret'}}");
    assert_int_equal(checked.verdict, ENVELOPE_REFERENCE_VALID);
    struct envelope_reference_response response = {
        .request = &checked.request,
        .status = ENVELOPE_STATUS_SUCCESS,
        .http = 200,
        .timestamp = JSV_STR(TIME),
        .duration_us = 1500,
        .output = envelope_result_json(quoted_read(fixture, "{'n':\n1.0}")),
    };
    expect_response(
        fixture,
        &response,
        "{'id':'\\u0041','version':'1.0.0','status':{'code':'success','http':200},"
        "'timestamp':'" TIME "','duration_ms':1.5,'output':{'n':1.0},"
        "'metadata':{'tool':'t','trace_id':'tr','unknown_fields':['beta','alpha']}}");
}

static void test_statuses(void **state)
{
    struct json_fixture *fixture = *state;
    static const struct {
        enum envelope_status status;
        const char *text;
    } cases[] = {
        {ENVELOPE_STATUS_SUCCESS, "{'code':'success','http':202,'message':'m'}"},
        {ENVELOPE_STATUS_ACCEPTED, "{'code':'accepted','http':202,'message':'m'}"},
        {ENVELOPE_STATUS_RETRY, "{'code':'retry','http':202,'message':'m'}"},
        {ENVELOPE_STATUS_ERROR, "{'code':'error','http':202,'message':'m'}"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct envelope_reference_response response = {
            .status = cases[i].status,
            .http = 202,
            .message = JSV_STR("m"),
            .timestamp = JSV_STR(TIME),
        };
        assert_int_equal(envelope_reference_write(&response, &fixture->out), 0);
        assert_at(fixture, quoted_take(fixture), "/status", cases[i].text);
    }
}

static void test_a_refusal(void **state)
{
    struct json_fixture *fixture = *state;
    struct checked checked = check(fixture, "{'id':7}");
    const struct envelope_issue issue = {.code = JSV_STR("C"), .message = JSV_STR("m")};
    struct envelope_reference_response response = {
        .request = &checked.request,
        .status = ENVELOPE_STATUS_ERROR,
        .http = 400,
        .timestamp = JSV_STR(TIME),
        .errors = {&issue, 1},
    };
    static const char expected[] = "{'id':'','version':'1.0.0','status':{'code':'error',"
                                   "'http':400},'timestamp':'" TIME "','duration_ms':0,"
                                   "'errors':[{'code':'C','message':'m'}]}";
    expect_response(fixture, &response, expected);
    response.request = NULL;
    expect_response(fixture, &response, expected);
}

static void test_text_output(void **state)
{
    struct json_fixture *fixture = *state;
    struct envelope_reference_response response = {
        .http = 200,
        .timestamp = JSV_STR(TIME),
        .output = envelope_result_text(JSV_STR("a\n")),
    };
    expect_response(
        fixture,
        &response,
        "{'id':'','version':'1.0.0','status':{'code':'success','http':200},"
        "'timestamp':'" TIME "','duration_ms':0,'output':'a\\n'}");
}

static void test_no_room(void **state)
{
    (void)state;
    struct envelope_reference_response response = {.http = 200, .timestamp = JSV_STR(TIME)};
    for (size_t size_max = 0; size_max < 60; size_max++) {
        struct jsv_buf out;
        jsv_buf_init(&out, NULL, size_max);
        assert_int_equal(envelope_reference_write(&response, &out), -ENOBUFS);
        jsv_buf_done(&out);
    }
}

static void test_no_memory(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_arena none;
    jsv_arena_init(&none, NULL, 0);
    struct envelope_reference_request request = {.minor = true};
    struct envelope_issues issues = {.count = 7};
    struct jsv_value message = quoted_read(fixture, "{}");
    assert_int_equal(
        envelope_reference_check(schemas, message, validator, &none, &request, &issues), -ENOMEM);
    assert_int_equal(issues.count, 7);
    assert_true(request.minor);
}

static void test_a_validator_that_gives_up(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_validator *tired =
        jsv_validator_new(NULL, &(struct jsv_validator_limits){.steps_max = 1});
    struct envelope_reference_request request;
    struct envelope_issues issues;
    struct jsv_value message = quoted_read(fixture, REQUEST("'1.0.0'", ""));
    assert_int_equal(
        envelope_reference_check(schemas, message, tired, &fixture->scratch, &request, &issues),
        -ELOOP);
    jsv_validator_free(tired);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(test_recognising),
        JSON_TEST(test_a_valid_request),
        JSON_TEST(test_versions),
        JSON_TEST(test_problems),
        JSON_TEST(test_not_even_a_request),
        JSON_TEST(test_a_response),
        JSON_TEST(test_statuses),
        JSON_TEST(test_a_refusal),
        JSON_TEST(test_text_output),
        cmocka_unit_test(test_no_room),
        JSON_TEST(test_no_memory),
        JSON_TEST(test_a_validator_that_gives_up),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
