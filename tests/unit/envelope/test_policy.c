#include <errno.h>
#include <stdio.h>

#include "envelope/policy.h"
#include "support/torture.h"
#include "unit/envelope/quoted.h"

static const struct envelope_issue failed = {
    .code = JSV_STR("ADAPTER.EXECUTION.FAILED"),
    .message = JSV_STR("m"),
    .details = {{.name = "exit_code", .number = 2}},
    .detail_count = 1,
};

#define FAILED "{'code':'ADAPTER.EXECUTION.FAILED','message':'m','details':{'exit_code':2}}"

static struct envelope_result json(struct json_fixture *fixture, const char *text)
{
    return envelope_result_json(quoted_read(fixture, text));
}

static void
expect(struct json_fixture *fixture, const struct envelope_answer *answer, const char *text)
{
    assert_int_equal(envelope_write(answer, &fixture->out), 0);
    quoted_expect(fixture, text);
}

static void test_recognising(void **state)
{
    struct json_fixture *fixture = *state;
    static const char *const others[] = {
        "1",
        "'mcp.envelope.v0.1'",
        "['mcp.envelope.v0.1']",
        "{}",
        "{'schema_version':'mcp.envelope.v0.2'}",
        "{'schema_version':['mcp.envelope.v0.1']}",
        "{'x':{'schema_version':'mcp.envelope.v0.1'}}",
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_false(envelope_is(quoted_read(fixture, others[i])));
        assert_false(envelope_is_request(quoted_read(fixture, others[i])));
    }
    assert_false(envelope_is((struct jsv_value){0}));
    assert_true(envelope_is(quoted_read(fixture, "{'schema_version':'mcp.envelope.v0.1'}")));
    assert_true(envelope_is(quoted_read(fixture, "{'schema_version':'mcp.\\u0065nvelope.v0.1'}")));
    assert_true(envelope_is_request(quoted_read(fixture, "{'schema_version':'mcp.request.v0.1'}")));
    assert_false(envelope_is_request(
        quoted_read(fixture, "{'schema_version':'mcp.request.v0.1','jsonrpc':null}")));
}

static void test_results_stay_as_they_are(void **state)
{
    struct json_fixture *fixture = *state;
    static const char *const results[] = {
        "null",
        "false",
        "1.500",
        "{'b':1.0,'a':[1e2,-0.0,12345678901234567890],'s':'\\u0041\\/\\ud83d\\ude00'}",
        "[ 1 ,\t2 ]",
        "{'schema_version':'assist.response.v0.1'}",
        "[{'schema_version':'mcp.envelope.v0.1','result':1}]",
    };
    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
        struct jsv_buf *expected = json_fixture_buf(fixture);
        json_fixture_print(
            expected, "{'schema_version':'mcp.envelope.v0.1','result':%s}", results[i]);
        jsv_buf_append_byte(expected, '\0');
        struct envelope_answer answer = {.result = json(fixture, results[i])};
        expect(fixture, &answer, expected->data);
        answer.result = envelope_result_written(quoted(fixture, results[i]));
        expect(fixture, &answer, expected->data);
    }
}

static void test_line_breaks_are_dropped(void **state)
{
    struct json_fixture *fixture = *state;
    struct envelope_answer answer = {.result = json(fixture, "{\n  'a': '\\n'\r\n}\n")};
    expect(fixture, &answer, "{'schema_version':'mcp.envelope.v0.1','result':{  'a': '\\n'}}");
    answer.result =
        json(fixture, "\n{\r\n\t'schema_version' :\n'mcp.envelope.v0.1' , 'result': 1.00\n}\n");
    expect(fixture, &answer, "{\t'schema_version' :'mcp.envelope.v0.1' , 'result': 1.00}");
}

static void test_line_breaks_that_may_stay(void **state)
{
    struct json_fixture *fixture = *state;
    struct envelope_answer answer = {
        .result = json(fixture, "{\n  'a': '\\n'\r\n}\n"),
        .keeps_lines = true,
    };
    expect(
        fixture, &answer, "{'schema_version':'mcp.envelope.v0.1','result':{\n  'a': '\\n'\r\n}}");
    answer.result =
        json(fixture, "\n{'schema_version' :\n'mcp.envelope.v0.1' , 'result': 1.00\n}\n");
    expect(fixture, &answer, "{'schema_version' :\n'mcp.envelope.v0.1' , 'result': 1.00\n}");
    answer.result = envelope_result_text(JSV_STR("a\nb"));
    expect(fixture, &answer, "{'schema_version':'mcp.envelope.v0.1','result':'a\\nb'}");
}

static void test_text(void **state)
{
    struct json_fixture *fixture = *state;
    struct envelope_answer answer = {.result = envelope_result_text(JSV_STR("two\nlines \"\\"))};
    expect(
        fixture, &answer, "{'schema_version':'mcp.envelope.v0.1','result':'two\\nlines \\'\\\\'}");
    answer.result = envelope_result_text(JSV_STR(""));
    expect(fixture, &answer, "{'schema_version':'mcp.envelope.v0.1','result':''}");
}

static void test_text_that_is_not_utf8(void **state)
{
    struct json_fixture *fixture = *state;
    const struct envelope_issue own = {.code = JSV_STR("W"), .message = JSV_STR("w")};
    struct envelope_answer answer = {
        .result = envelope_result_text(JSV_STR("a\xFF")),
        .warnings = {&own, 1},
    };
    expect(
        fixture,
        &answer,
        "{'schema_version':'mcp.envelope.v0.1','result':'a\xEF\xBF\xBD','warnings':["
        "{'code':'ADAPTER.OUTPUT.NOT_UTF8','message':'Tool output is not UTF-8; bytes that do not "
        "fit were replaced by U+FFFD.'},{'code':'W','message':'w'}]}");
}

static void test_errors(void **state)
{
    struct json_fixture *fixture = *state;
    struct envelope_answer answer = {.errors = {&failed, 1}};
    expect(
        fixture,
        &answer,
        "{'schema_version':'mcp.envelope.v0.1','result':null,'errors':[" FAILED "]}");
    answer.result = envelope_result_text(JSV_STR("so far"));
    expect(
        fixture,
        &answer,
        "{'schema_version':'mcp.envelope.v0.1','result':'so far','errors':[" FAILED "]}");
}

static void test_all_members(void **state)
{
    struct json_fixture *fixture = *state;
    struct envelope_answer answer = {
        .result = json(fixture, "1"),
        .errors = {&failed, 1},
        .warnings = {&failed, 1},
        .provenance = JSV_STR("{}"),
        .request_id = quoted_read(fixture, "'\\u0041'"),
    };
    expect(
        fixture,
        &answer,
        "{'schema_version':'mcp.envelope.v0.1','result':1,'errors':[" FAILED "],'warnings':[" FAILED
        "],'provenance':{},'meta':{'request_id':'\\u0041'}}");
}

static void test_passing_through(void **state)
{
    struct json_fixture *fixture = *state;
    static const char own[] = "{'result':[1e2,  2.500],'schema_version':'mcp.envelope.v0.1'}";
    struct envelope_answer answer = {
        .result = json(fixture, own),
        .provenance = JSV_STR("{}"),
        .request_id = quoted_read(fixture, "'r'"),
    };
    assert_true(envelope_passes_through(&answer));
    expect(fixture, &answer, own);
}

/* A failed tool's own errors win; an envelope without any would hide the failure. */
static void test_a_failed_tool_with_an_envelope(void **state)
{
    struct json_fixture *fixture = *state;
    static const char telling[] = "{'schema_version':'mcp.envelope.v0.1','result':null,"
                                  "'errors':[{'code':'PAY.AUTH','message':'denied'}]}";
    struct envelope_answer answer = {.result = json(fixture, telling), .errors = {&failed, 1}};
    assert_true(envelope_passes_through(&answer));
    expect(fixture, &answer, telling);

    static const char *const hiding[] = {"['text']", "[{'code':'A'}]", "{'a':1}", "'text'"};
    for (size_t i = 0; i < sizeof(hiding) / sizeof(hiding[0]); i++) {
        char text[128];
        snprintf(
            text,
            sizeof(text),
            "{'schema_version':'mcp.envelope.v0.1','result':1,'errors':%s}",
            hiding[i]);
        answer.result = json(fixture, text);
        assert_false(envelope_passes_through(&answer));
    }

    answer.result =
        json(fixture, "{'schema_version':'mcp.envelope.v0.1','result':{'n':1.0},'errors':[]}");
    assert_false(envelope_passes_through(&answer));
    expect(
        fixture,
        &answer,
        "{'schema_version':'mcp.envelope.v0.1','result':{'n':1.0},'errors':[" FAILED "]}");

    answer.result = json(
        fixture,
        "{'schema_version':'mcp.envelope.v0.1','result':"
        "{'schema_version':'mcp.envelope.v0.1','result':[2]}}");
    expect(
        fixture,
        &answer,
        "{'schema_version':'mcp.envelope.v0.1','result':[2],'errors':[" FAILED "]}");

    answer.result = json(fixture, "{'schema_version':'mcp.envelope.v0.1'}");
    expect(
        fixture,
        &answer,
        "{'schema_version':'mcp.envelope.v0.1','result':null,'errors':[" FAILED "]}");
}

static void test_a_member_less(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value value = quoted_read(fixture, "{'b': 1.0, '_meta': {}, 'a': [1, {'_meta':1}]}");
    assert_int_equal(envelope_write_without(value, JSV_STR("_meta"), &fixture->out), 0);
    quoted_expect(fixture, "{'b':1.0,'a':[1,{'_meta':1}]}");
    value = quoted_read(fixture, "{'_meta':1}");
    assert_int_equal(envelope_write_without(value, JSV_STR("_meta"), &fixture->out), 0);
    quoted_expect(fixture, "{}");
}

static void test_no_room(void **state)
{
    struct json_fixture *fixture = *state;
    struct envelope_answer answers[] = {
        {.result = json(fixture, "[1,2,3,4,5,6,7,8,9]")},
        {.result = envelope_result_text(JSV_STR("long enough, even by itself"))},
        {.result = envelope_result_text(JSV_STR("long enough\xFF, even by itself"))},
        {.result = json(fixture, "{'schema_version':'mcp.envelope.v0.1','result':1}")},
    };
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        assert_int_equal(envelope_write(&answers[i], &fixture->out), 0);
        size_t needed = fixture->out.size;
        jsv_buf_reset(&fixture->out);
        for (size_t size_max = 0; size_max < needed; size_max++) {
            struct jsv_buf out;
            jsv_buf_init(&out, NULL, size_max);
            assert_int_equal(envelope_write(&answers[i], &out), -ENOBUFS);
            jsv_buf_done(&out);
        }
    }
}

static int write_bad_text(const struct jsv_allocator *allocator, void *state)
{
    (void)state;
    struct jsv_buf out;
    jsv_buf_init(&out, allocator, SIZE_MAX);
    struct envelope_answer answer = {.result = envelope_result_text(JSV_STR("\xFF"))};
    int r = envelope_write(&answer, &out);
    jsv_buf_done(&out);
    return r;
}

static void test_no_memory(void **state)
{
    (void)state;
    assert_true(torture_run(write_bad_text, NULL) > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(test_recognising),
        JSON_TEST(test_results_stay_as_they_are),
        JSON_TEST(test_line_breaks_are_dropped),
        JSON_TEST(test_line_breaks_that_may_stay),
        JSON_TEST(test_text),
        JSON_TEST(test_text_that_is_not_utf8),
        JSON_TEST(test_errors),
        JSON_TEST(test_all_members),
        JSON_TEST(test_passing_through),
        JSON_TEST(test_a_failed_tool_with_an_envelope),
        JSON_TEST(test_a_member_less),
        JSON_TEST(test_no_room),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
