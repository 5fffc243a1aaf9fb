#include <errno.h>
#include <stdio.h>

#include "envelope/conformance.h"
#include "envelope/provenance.h"
#include "envelope/schemas.h"
#include "support/torture.h"
#include "unit/envelope/quoted.h"

#define REQUEST(params, more)                                                                      \
    "{'schema_version':'mcp.request.v0.1','tool':{'name':'t'},'params':" params more "}"
#define META(meta) REQUEST("{'_meta':{" meta "}}", ",'artifacts':[]")

#define NO_DIGEST                                                                                  \
    "[{'code':'ADAPTER.PROVENANCE.NO_DIGEST',"                                                     \
    "'message':'The result has no digest: a number in it is beyond the range of a double.'}]"

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

static struct envelope_run run_of(struct json_fixture *fixture, const char *request)
{
    static const unsigned char random[OS_UUID_BYTES] = {1, 2, 3};
    return (struct envelope_run){
        .tool_name = JSV_STR("t"),
        .tool_version = JSV_STR("1.2.3"),
        .request = quoted_read(fixture, request),
        .random = random,
        .time = JSV_STR("2025-10-13T15:10:00Z"),
    };
}

/* The answer to a request, which must be valid, as must the request. */
static struct jsv_value
answer_of(struct json_fixture *fixture, const char *request, struct envelope_answer answer)
{
    struct envelope_run run = run_of(fixture, request);
    const struct jsv_schema *schema = envelope_schemas_get(schemas, ENVELOPE_SCHEMA_REQUEST);
    assert_int_equal(jsv_validate(validator, schema, run.request), 1);
    assert_int_equal(envelope_answer_write(&run, &answer, &fixture->scratch, &fixture->out), 0);
    struct jsv_value envelope = quoted_take(fixture);
    schema = envelope_schemas_get(schemas, ENVELOPE_SCHEMA_ENVELOPE);
    assert_int_equal(jsv_validate(validator, schema, envelope), 1);
    struct jsv_problems problems;
    assert_int_equal(envelope_conformance_check(envelope, &fixture->scratch, &problems), 0);
    assert_int_equal(problems.count, 0);
    return envelope;
}

static struct envelope_answer json(struct json_fixture *fixture, const char *result)
{
    return (struct envelope_answer){.result = envelope_result_json(quoted_read(fixture, result))};
}

/* ---- options ---- */

static void test_options(void **state)
{
    struct json_fixture *fixture = *state;
    struct envelope_options options =
        envelope_options_read(quoted_read(fixture, REQUEST("[]", "")));
    assert_false(options.record || options.digests || options.full || options.mode_unknown);
    assert_true(options.deterministic);
    options = envelope_options_read(quoted_read(
        fixture,
        REQUEST(
            "{'_meta':{'capture_provenance':true,'capture_artifacts':true,"
            "'provenance_mode':'full','parents':[]}}",
            ",'preferences':{'deterministic':false}")));
    assert_true(options.record && options.digests && options.full);
    assert_false(options.deterministic || options.mode_unknown);
    assert_int_equal(jsv_value_type(options.parents), JSV_TYPE_ARRAY);
    options = envelope_options_read(quoted_read(
        fixture, META("'capture_provenance':'true','capture_artifacts':1,'provenance_mode':7")));
    assert_false(options.record || options.digests || options.full);
    assert_true(options.mode_unknown && options.deterministic);
    options = envelope_options_read(quoted_read(fixture, META("'provenance_mode':'minimal'")));
    assert_false(options.full || options.mode_unknown);
}

static void expect_warnings(struct json_fixture *fixture, const char *request, const char *warnings)
{
    struct jsv_value envelope = answer_of(fixture, request, json(fixture, "1"));
    jsv_buf_reset(&fixture->out);
    struct jsv_writer writer = jsv_writer_on(&fixture->out);
    jsv_write_value(&writer, jsv_value_get(envelope, JSV_STR("warnings")));
    quoted_expect(fixture, warnings);
}

#define OPTION_IGNORED(name)                                                                       \
    "{'code':'ADAPTER.PROVENANCE.OPTION_IGNORED',"                                                 \
    "'message':'An option in params._meta was ignored: it must be true or false.',"                \
    "'details':{'name':'" name "'}}"

static void test_parts_without_effect_have_warnings(void **state)
{
    struct json_fixture *fixture = *state;
    expect_warnings(
        fixture,
        META("'capture_provenance':'true','capture_artifacts':1"),
        "[" OPTION_IGNORED("capture_provenance") "," OPTION_IGNORED("capture_artifacts") "]");
    expect_warnings(
        fixture,
        META("'capture_provenance':true,'capture_artifacts':'yes','provenance_mode':'huge'"),
        "[" OPTION_IGNORED(
            "capture_artifacts") ",{'code':'ADAPTER.PROVENANCE.MODE_UNKNOWN',"
                                 "'message':'provenance_mode must be minimal or full; "
                                 "minimal was used.'}]");
    expect_warnings(
        fixture,
        REQUEST("{'_meta':true}", ",'artifacts':[],'preferences':{'locale':'de'}"),
        "[{'code':'ADAPTER.REQUEST.META_IGNORED','message':'params._meta was ignored: it must be "
        "an object.','details':{'name':'_meta'}},"
        "{'code':'ADAPTER.PREFERENCE.IGNORED','message':'A preference was ignored: tools do not "
        "support it.','details':{'name':'preferences.locale'}}]");
    static const char versioned[] =
        "{'schema_version':'mcp.request.v0.1','tool':{'name':'t','version':'%s'},"
        "'params':{},'artifacts':[]}";
    char request[256];
    snprintf(request, sizeof(request), versioned, "2");
    expect_warnings(
        fixture,
        request,
        "[{'code':'ADAPTER.TOOL.VERSION_DIFFERS','message':'The version of the tool differs "
        "from the one requested.','details':{'requested':'2','called':'1.2.3'}}]");
    snprintf(request, sizeof(request), versioned, "1.2.3");
    assert_int_equal(
        jsv_value_type(
            jsv_value_get(answer_of(fixture, request, json(fixture, "1")), JSV_STR("warnings"))),
        JSV_TYPE_NONE);
}

static void test_max_output_bytes(void **state)
{
    struct json_fixture *fixture = *state;
    struct envelope_options options = envelope_options_read(quoted_read(fixture, META("")));
    assert_false(options.has_output_max);
    static const char *const numbers[] = {"10", "1e1", "10.0"};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        char request[64];
        snprintf(request, sizeof(request), "{'preferences':{'max_output_bytes':%s}}", numbers[i]);
        options = envelope_options_read(quoted_read(fixture, request));
        assert_true(options.has_output_max);
        assert_int_equal(options.output_max, 10);
    }
}

static void test_no_record_unless_asked_for(void **state)
{
    struct json_fixture *fixture = *state;
    static const char *const requests[] = {
        REQUEST("{}", ",'artifacts':[]"),
        REQUEST("[{'_meta':{'capture_provenance':true}}]", ",'artifacts':[]"),
        META("'capture_provenance':false,'capture_artifacts':true,'provenance_mode':'full'"),
        META("'capture_provenance':null"),
    };
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
        struct envelope_run run = run_of(fixture, requests[i]);
        struct envelope_answer answer = json(fixture, "{'ok':true}");
        assert_int_equal(envelope_answer_write(&run, &answer, &fixture->scratch, &fixture->out), 0);
        quoted_expect(fixture, "{'schema_version':'mcp.envelope.v0.1','result':{'ok':true}}");
    }
}

static void test_the_request_id_comes_back(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value answer = answer_of(
        fixture, REQUEST("{}", ",'artifacts':[],'request_id':'rq-1'"), json(fixture, "1"));
    assert_at(fixture, answer, "/meta", "{'request_id':'rq-1'}");
}

/* ---- records ---- */

static void test_a_minimal_record(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value answer =
        answer_of(fixture, META("'capture_provenance':true"), json(fixture, "{'ok':true}"));
    assert_at(
        fixture,
        answer,
        "/provenance",
        "{'schema_version':'prov.record.v0.1','run_id':'908e6c3f-5544-57a2-8788-a8d2a02b2823',"
        "'tool':{'name':'t','version':'1.2.3','adapter':'mcp'},'inputs':[],"
        "'outputs':[{'schema_version':'artifact.v0.1',"
        "'artifact_id':'result:908e6c3f-5544-57a2-8788-a8d2a02b2823',"
        "'media_type':'application/json'}],"
        "'methods':['adapter.wrap.envelope_v0_1','adapter.provenance.attach_record_v0_1',"
        "'engine.prov.record_v0_1.build','engine.prov.artifact.register_output'],"
        "'evidence':[],'parents':[]}");
    assert_at(fixture, answer, "/warnings", "");
}

static void test_digests(void **state)
{
    struct json_fixture *fixture = *state;
    static const char request[] = META("'capture_provenance':true,'capture_artifacts':true");
    static const char hex[] = "'ff5464c34287e9ec505b9f76573a4cb0bd408c96c6537b458fdd993fc7c615ce'";
    /* The same, whether it was read already or not. */
    struct envelope_answer answers[] = {
        json(fixture, "{'a': [1.0]}"),
        {.result = envelope_result_written(quoted(fixture, "{'a':\n[1.0]}"))},
    };
    for (size_t i = 0; i < 2; i++) {
        struct jsv_value answer = answer_of(fixture, request, answers[i]);
        assert_at(fixture, answer, "/provenance/outputs/0/digest/value", hex);
        assert_at(fixture, answer, "/provenance/outputs/0/size_bytes", "");
        assert_at(fixture, answer, "/provenance/methods/4", "'integrity.digest.sha256'");
        assert_at(fixture, answer, "/provenance/integrity", "");
    }
}

static void test_the_digest_of_a_text(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value answer = answer_of(
        fixture,
        META("'capture_provenance':true,'capture_artifacts':true,'provenance_mode':'full'"),
        (struct envelope_answer){.result = envelope_result_text(JSV_STR("abc"))});
    assert_at(fixture, answer, "/provenance/outputs/0/media_type", "'text/plain'");
    assert_at(fixture, answer, "/provenance/outputs/0/size_bytes", "3");
    assert_at(
        fixture,
        answer,
        "/provenance/outputs/0/digest/value",
        "'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'");
}

/* A record does not claim a digest that could not be computed. */
static void test_a_result_without_a_digest(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value answer = answer_of(
        fixture,
        META("'capture_provenance':true,'capture_artifacts':true,'provenance_mode':'full'"),
        json(fixture, "[1e400]"));
    assert_at(fixture, answer, "/warnings", NO_DIGEST);
    assert_at(fixture, answer, "/provenance/outputs/0/digest", "");
    assert_at(fixture, answer, "/provenance/outputs/0/size_bytes", "");
    assert_at(fixture, answer, "/provenance/methods/4", "'integrity.record_digest.compute'");
    assert_at(fixture, answer, "/provenance/methods/5", "");
}

#define ARTIFACTS                                                                                  \
    "[{'schema_version':'artifact.ref.v0.1','artifact_id':'in-1','locator':'file:/x',"             \
    "'media_type':'application/json','labels':{'role':'r'},'digest':{'alg':'sha256',"              \
    "'value':'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'}},"                \
    "{'schema_version':'artifact.ref.v0.1','locator':'file:/y'}]"

static void test_inputs(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value answer = answer_of(
        fixture,
        REQUEST("{'_meta':{'capture_provenance':true}}", ",'artifacts':" ARTIFACTS),
        json(fixture, "1"));
    assert_at(
        fixture,
        answer,
        "/provenance/inputs",
        "[{'schema_version':'artifact.v0.1','artifact_id':'in-1',"
        "'media_type':'application/json'},{'schema_version':'artifact.v0.1',"
        "'artifact_id':'file:/y','media_type':'application/octet-stream'}]");
    assert_at(fixture, answer, "/provenance/methods/3", "'engine.prov.artifact.register_input'");
    assert_at(fixture, answer, "/provenance/evidence", "[]");
}

static void test_inputs_in_full(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value answer = answer_of(
        fixture,
        REQUEST(
            "{'_meta':{'capture_provenance':true,'capture_artifacts':true,"
            "'provenance_mode':'full'}}",
            ",'artifacts':" ARTIFACTS),
        json(fixture, "1"));
    assert_at(
        fixture,
        answer,
        "/provenance/inputs",
        "[{'schema_version':'artifact.v0.1','artifact_id':'in-1',"
        "'media_type':'application/json','locator':'file:/x','digest':{'alg':'sha256',"
        "'value':'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'},"
        "'labels':{'role':'r'}},{'schema_version':'artifact.v0.1',"
        "'artifact_id':'file:/y','media_type':'application/octet-stream','locator':'file:/y'}]");
    assert_at(
        fixture,
        answer,
        "/provenance/evidence",
        "[{'schema_version':'evidence.v0.1','field':'result','source':'artifact:in-1'},"
        "{'schema_version':'evidence.v0.1','field':'result','source':'artifact:file:/y'}]");
    assert_at(fixture, answer, "/provenance/outputs/0/labels", "{'role':'result'}");
    assert_at(fixture, answer, "/provenance/outputs/0/size_bytes", "1");
    assert_at(
        fixture,
        answer,
        "/provenance/methods",
        "['adapter.wrap.envelope_v0_1','adapter.provenance.attach_record_v0_1',"
        "'engine.prov.record_v0_1.build','engine.prov.artifact.register_input',"
        "'engine.prov.artifact.register_output','integrity.digest.sha256',"
        "'integrity.record_digest.compute']");
}

static void test_malformed_digest(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value answer = answer_of(
        fixture,
        REQUEST(
            "{'_meta':{'capture_provenance':true,'capture_artifacts':true}}",
            ",'artifacts':[{'schema_version':'artifact.ref.v0.1','artifact_id':'a',"
            "'digest':{'alg':'sha256','value':'ABCDEF0123456789'}}]"),
        json(fixture, "1"));
    assert_at(fixture, answer, "/provenance/inputs/0/digest", "");
    assert_at(fixture, answer, "/warnings/0/code", "'ADAPTER.PROVENANCE.DIGEST_OMITTED'");
}

static void test_failures(void **state)
{
    struct json_fixture *fixture = *state;
    struct envelope_issue issue = envelope_failure_text(ENVELOPE_FAILURE_INTERNAL, JSV_STR("x"));
    struct envelope_answer answer = {.errors = {&issue, 1}};
    struct jsv_value written = answer_of(
        fixture,
        META("'capture_provenance':true,'capture_artifacts':true,'provenance_mode':'full'"),
        answer);
    assert_at(fixture, written, "/provenance/outputs", "[]");
    assert_at(
        fixture,
        written,
        "/provenance/methods",
        "['adapter.wrap.envelope_v0_1','adapter.provenance.attach_record_v0_1',"
        "'adapter.errors.capture','engine.prov.record_v0_1.build',"
        "'integrity.record_digest.compute']");
    /* An envelope without errors: the record describes its result. */
    answer.result = envelope_result_json(
        quoted_read(fixture, "{'schema_version':'mcp.envelope.v0.1','result':{'a':[1]}}"));
    written =
        answer_of(fixture, META("'capture_provenance':true,'capture_artifacts':true"), answer);
    assert_at(fixture, written, "/result", "{'a':[1]}");
    assert_at(
        fixture,
        written,
        "/provenance/outputs/0/digest/value",
        "'ff5464c34287e9ec505b9f76573a4cb0bd408c96c6537b458fdd993fc7c615ce'");
}

static void test_passing_through(void **state)
{
    struct json_fixture *fixture = *state;
    static const char own[] = "{ 'schema_version' : 'mcp.envelope.v0.1','result': 1.00 }";
    struct envelope_run run = run_of(fixture, META("'capture_provenance':true"));
    struct envelope_answer answer = json(fixture, own);
    assert_int_equal(envelope_answer_write(&run, &answer, &fixture->scratch, &fixture->out), 0);
    quoted_expect(fixture, own);
}

static void test_parents(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value answer = answer_of(
        fixture, META("'capture_provenance':true,'parents':['p-1','p-2']"), json(fixture, "1"));
    assert_at(fixture, answer, "/provenance/parents", "['p-1','p-2']");
    assert_at(fixture, answer, "/provenance/methods/4", "'lineage.parent.link'");
    assert_at(fixture, answer, "/warnings", "");
    static const char *const bad[] = {
        META("'capture_provenance':true,'parents':['p',1]"),
        META("'capture_provenance':true,'parents':['']"),
        META("'capture_provenance':true,'parents':'p'"),
        META("'capture_provenance':true,'parents':{'a':'p'}"),
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        answer = answer_of(fixture, bad[i], json(fixture, "1"));
        assert_at(fixture, answer, "/provenance/parents", "[]");
        assert_at(fixture, answer, "/provenance/methods/4", "");
        assert_at(fixture, answer, "/warnings/0/code", "'ADAPTER.PROVENANCE.PARENTS_OMITTED'");
    }
    answer = answer_of(fixture, META("'capture_provenance':true,'parents':[]"), json(fixture, "1"));
    assert_at(fixture, answer, "/provenance/methods/4", "");
    assert_at(fixture, answer, "/warnings", "");
}

/* A name of a parent has at most 200 characters, not bytes. */
static void test_long_parents(void **state)
{
    struct json_fixture *fixture = *state;
    for (size_t size = 200; size < 202; size++) {
        struct jsv_buf *request = json_fixture_buf(fixture);
        jsv_buf_append_str(
            request,
            JSV_STR("{'schema_version':'mcp.request.v0.1','tool':{'name':'t'},'artifacts':[],"
                    "'params':{'_meta':{'capture_provenance':true,'parents':['"));
        for (size_t i = 0; i < size; i++) {
            jsv_buf_append_str(request, JSV_STR("\xC3\xA9"));
        }
        jsv_buf_append(request, "']}}}", sizeof("']}}}"));
        struct jsv_value answer = answer_of(fixture, request->data, json(fixture, "1"));
        struct jsv_value parents;
        assert_int_equal(jsv_pointer_get(answer, JSV_STR("/provenance/parents"), &parents), 0);
        assert_int_equal(jsv_value_count(parents), size == 200);
    }
}

/* A source of evidence has at most 1,000 characters; an input with a longer one has no entry. */
static void test_long_sources(void **state)
{
    struct json_fixture *fixture = *state;
    for (size_t size = 990; size < 993; size++) {
        struct jsv_buf *request = json_fixture_buf(fixture);
        jsv_buf_append_str(
            request,
            JSV_STR("{'params':{'_meta':{'capture_provenance':true,'provenance_mode':'full'}},"
                    "'artifacts':[{'artifact_id':'"));
        for (size_t i = 0; i < size; i++) {
            jsv_buf_append_byte(request, 'x');
        }
        jsv_buf_append(request, "'}]}", sizeof("'}]}"));
        struct envelope_run run = run_of(fixture, request->data);
        struct envelope_answer answer = json(fixture, "1");
        assert_int_equal(envelope_answer_write(&run, &answer, &fixture->scratch, &fixture->out), 0);
        struct jsv_value evidence;
        struct jsv_value envelope = quoted_take(fixture);
        assert_int_equal(jsv_pointer_get(envelope, JSV_STR("/provenance/evidence"), &evidence), 0);
        assert_int_equal(jsv_value_count(evidence), size <= 991);
    }
}

static void test_an_unknown_mode(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value answer = answer_of(
        fixture, META("'capture_provenance':true,'provenance_mode':'huge'"), json(fixture, "1"));
    assert_at(fixture, answer, "/warnings/0/code", "'ADAPTER.PROVENANCE.MODE_UNKNOWN'");
    assert_at(fixture, answer, "/provenance/integrity", "");
}

static void test_all_warnings_at_once(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value answer = answer_of(
        fixture,
        REQUEST(
            "{'_meta':{'capture_provenance':true,'capture_artifacts':true,'parents':1,"
            "'provenance_mode':1}}",
            ",'artifacts':[{'schema_version':'artifact.ref.v0.1','artifact_id':'a',"
            "'digest':{'alg':'sha256','value':'ABCDEF0123456789'}}]"),
        json(fixture, "-1e400"));
    assert_int_equal(jsv_value_count(jsv_value_get(answer, JSV_STR("warnings"))), 4);
}

static void test_the_same_again(void **state)
{
    struct json_fixture *fixture = *state;
    static const char request[] =
        META("'capture_provenance':true,'capture_artifacts':true,'provenance_mode':'full'");
    struct jsv_value first = answer_of(fixture, request, json(fixture, "{'a':1}"));
    struct jsv_value second = answer_of(fixture, request, json(fixture, "{'a':1}"));
    assert_true(jsv_str_equal(jsv_value_span(first), jsv_value_span(second)));
    assert_at(fixture, first, "/provenance/time", "");
}

static void test_not_deterministic(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value answer = answer_of(
        fixture,
        REQUEST(
            "{'_meta':{'capture_provenance':true}}",
            ",'artifacts':[],'preferences':{'deterministic':false}"),
        json(fixture, "1"));
    assert_at(fixture, answer, "/provenance/time", "'2025-10-13T15:10:00Z'");
    assert_at(fixture, answer, "/provenance/run_id", "'01020300-0000-4000-8000-000000000000'");
}

/* ---- trouble ---- */

static void test_no_room(void **state)
{
    struct json_fixture *fixture = *state;
    struct envelope_run run = run_of(
        fixture,
        REQUEST(
            "{'_meta':{'capture_provenance':true,'provenance_mode':'full'}}",
            ",'artifacts':" ARTIFACTS));
    struct envelope_answer answer = json(fixture, "1");
    assert_int_equal(envelope_answer_write(&run, &answer, &fixture->scratch, &fixture->out), 0);
    size_t needed = fixture->out.size;
    for (size_t size_max = 0; size_max < needed; size_max++) {
        struct jsv_buf out;
        jsv_buf_init(&out, NULL, size_max);
        assert_int_equal(envelope_answer_write(&run, &answer, &fixture->scratch, &out), -ENOBUFS);
        jsv_buf_done(&out);
    }
}

struct torment {
    const struct envelope_run *run;
    const struct envelope_answer *answer;
};

static int answer_with(const struct jsv_allocator *allocator, void *state)
{
    const struct torment *torment = state;
    struct jsv_arena arena;
    struct jsv_buf out;
    jsv_arena_init(&arena, allocator, SIZE_MAX);
    jsv_buf_init(&out, allocator, SIZE_MAX);
    int r = envelope_answer_write(torment->run, torment->answer, &arena, &out);
    jsv_buf_done(&out);
    jsv_arena_done(&arena);
    return r;
}

static void test_no_memory(void **state)
{
    struct json_fixture *fixture = *state;
    struct envelope_run run = run_of(
        fixture,
        REQUEST(
            "{'_meta':{'capture_provenance':true,'capture_artifacts':true,"
            "'provenance_mode':'full'}}",
            ",'artifacts':" ARTIFACTS));
    struct envelope_answer answer = {.result = envelope_result_written(JSV_STR("[1]"))};
    struct torment torment = {&run, &answer};
    assert_true(torture_run(answer_with, &torment) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(test_options),
        JSON_TEST(test_parts_without_effect_have_warnings),
        JSON_TEST(test_max_output_bytes),
        JSON_TEST(test_no_record_unless_asked_for),
        JSON_TEST(test_the_request_id_comes_back),
        JSON_TEST(test_a_minimal_record),
        JSON_TEST(test_digests),
        JSON_TEST(test_the_digest_of_a_text),
        JSON_TEST(test_a_result_without_a_digest),
        JSON_TEST(test_inputs),
        JSON_TEST(test_inputs_in_full),
        JSON_TEST(test_malformed_digest),
        JSON_TEST(test_failures),
        JSON_TEST(test_passing_through),
        JSON_TEST(test_parents),
        JSON_TEST(test_long_parents),
        JSON_TEST(test_long_sources),
        JSON_TEST(test_an_unknown_mode),
        JSON_TEST(test_all_warnings_at_once),
        JSON_TEST(test_the_same_again),
        JSON_TEST(test_not_deterministic),
        JSON_TEST(test_no_room),
        JSON_TEST(test_no_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
