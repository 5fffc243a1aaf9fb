#include <errno.h>

#include "envelope/conformance.h"
#include "support/torture.h"
#include "unit/envelope/quoted.h"

#define HEX   "abababababababababababababababababababababababababababababababab"
#define SOUND "{'alg':'sha256','value':'" HEX "'}"
#define SHORT "{'alg':'sha256','value':'abababababababab'}"

/* An envelope with a record of these parts. */
#define ENVELOPE(inputs, outputs, methods, evidence, more)                                         \
    "{'schema_version':'mcp.envelope.v0.1','result':1,'provenance':{'schema_version':"             \
    "'prov.record.v0.1','run_id':'r','tool':{'name':'n','version':'1'},'inputs':[" inputs          \
    "],'outputs':[" outputs "],'methods':[" methods "],'evidence':[" evidence                      \
    "],'parents':[]" more "}}"

static void expect(struct json_fixture *fixture, const char *envelope, const char *findings)
{
    struct jsv_problems problems;
    struct jsv_value value = quoted_read(fixture, envelope);
    assert_int_equal(envelope_conformance_check(value, &fixture->scratch, &problems), 0);
    assert_int_equal(problems.more, 0);
    struct jsv_buf *text = json_fixture_buf(fixture);
    for (size_t i = 0; i < problems.count; i++) {
        jsv_buf_append_str(text, problems.items[i].path);
        jsv_buf_append_str(text, JSV_STR(": "));
        jsv_buf_append_str(text, problems.items[i].message);
        jsv_buf_append_byte(text, '\n');
    }
    jsv_buf_append_byte(text, '\0');
    assert_string_equal(text->data, findings);
}

static void test_good_ones(void **state)
{
    struct json_fixture *fixture = *state;
    expect(fixture, "{'schema_version':'mcp.envelope.v0.1','result':1}", "");
    expect(fixture, "{'schema_version':'mcp.envelope.v0.1','result':1,'provenance':null}", "");
    expect(
        fixture,
        "{'schema_version':'mcp.envelope.v0.1',"
        "'result':[{'schema_version':'mcp.envelope.v0.1','result':1}]}",
        "");
    expect(
        fixture,
        ENVELOPE(
            "{'digest':" SOUND "},{}",
            "{'digest':" SOUND "}",
            "'simple','adapter.wrap.envelope_v0_1'",
            "{'method':'lineage.parent.link'},{}",
            ""),
        "");
}

static void test_double_wrapping(void **state)
{
    expect(
        *state,
        "{'schema_version':'mcp.envelope.v0.1',"
        "'result':{'schema_version':'mcp.envelope.v0.1','result':1}}",
        "/result: an envelope in an envelope\n");
}

static void test_digests(void **state)
{
    expect(
        *state,
        ENVELOPE("{},{'digest':" SHORT "}", "{'digest':" SHORT "}", "", "", ""),
        "/provenance/inputs/1/digest: not a digest of full length in lower case\n"
        "/provenance/outputs/0/digest: not a digest of full length in lower case\n");
}

static void test_methods(void **state)
{
    expect(
        *state,
        ENVELOPE("", "", "'simple','1x'", "{'method':'audit'}", ""),
        "/provenance/methods/1: not a method id, or in a reserved namespace\n"
        "/provenance/evidence/0/method: not a method id, or in a reserved namespace\n");
}

static void test_method_ids(void **state)
{
    (void)state;
    static const char *const good[] = {
        "a", "simple", "two.words", "a1_.b_2", "policies.x", "x.policy", "versioned_v1_0"};
    static const char *const bad[] = {
        "",
        ".",
        "a.",
        ".a",
        "a..b",
        "1a",
        "a.1b",
        "_a",
        "A",
        "a.B",
        "a-b",
        "a b",
        "a\xC3\xA9",
        "policy",
        "policy.x",
        "audit.x",
        "execution",
        "attestation.y",
        "a.b-"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_true(envelope_conformance_is_method(jsv_str_from(good[i])));
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(envelope_conformance_is_method(jsv_str_from(bad[i])));
    }
}

/* sha256sum of the record's canonical form. */
#define RECORD_HEX        "95c2c217d4d78f0f82df73ea342988d55f128cc507f8e8fa2a8f7b62e718e1b4"
#define INTEGRITY(digest) ",'integrity':{'record_digest':" digest "}"

static void test_record_digest(void **state)
{
    struct json_fixture *fixture = *state;
    expect(
        fixture,
        ENVELOPE("", "", "", "", INTEGRITY("{'alg':'sha256','value':'" RECORD_HEX "'}")),
        "");
    expect(
        fixture,
        ENVELOPE("", "", "", "", INTEGRITY(SOUND)),
        "/provenance/integrity/record_digest: not the digest of the record\n");
    expect(
        fixture,
        ENVELOPE("", "", "", "", INTEGRITY(SHORT)),
        "/provenance/integrity/record_digest: not a digest of full length in lower case\n");
    /* Not computed by this program: only its form is checked. */
    expect(fixture, ENVELOPE("", "", "", "", INTEGRITY("{'alg':'blake3','value':'" HEX "'}")), "");
    expect(fixture, ENVELOPE("", "", "", "", ",'integrity':{}"), "");
    expect(
        fixture,
        ENVELOPE("{'size_bytes':1e400}", "", "", "", INTEGRITY(SOUND)),
        "/provenance/integrity/record_digest: the record has no canonical form\n");
}

static void test_more_than_are_listed(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_buf *text = json_fixture_buf(fixture);
    json_fixture_print(text, "{\"provenance\":{\"methods\":[\"A\"");
    for (size_t i = 1; i < ENVELOPE_CONFORMANCE_MAX + 3; i++) {
        json_fixture_print(text, ",\"A\"");
    }
    json_fixture_print(text, "]}}");
    struct jsv_value value = json_fixture_read_str(fixture, jsv_buf_str(text), 0);
    struct jsv_problems problems;
    assert_int_equal(envelope_conformance_check(value, &fixture->scratch, &problems), 0);
    assert_int_equal(problems.count, ENVELOPE_CONFORMANCE_MAX);
    assert_int_equal(problems.more, 3);
}

static int check_one(const struct jsv_allocator *allocator, void *state)
{
    struct jsv_arena arena;
    struct jsv_problems problems;
    jsv_arena_init(&arena, allocator, SIZE_MAX);
    int r = envelope_conformance_check(*(struct jsv_value *)state, &arena, &problems);
    jsv_arena_done(&arena);
    return r;
}

static void test_no_memory(void **state)
{
    struct jsv_value envelope = quoted_read(*state, ENVELOPE("", "", "'A'", "", INTEGRITY(SOUND)));
    assert_true(torture_run(check_one, &envelope) > 3);
}

/* A small arena fails in other places than a poor allocator. */
static void test_no_budget(void **state)
{
    struct jsv_value envelope = quoted_read(*state, ENVELOPE("", "", "'A'", "", ""));
    for (size_t budget = 0; budget < ENVELOPE_CONFORMANCE_MAX * sizeof(struct jsv_problem);
         budget += 512) {
        struct jsv_arena arena;
        struct jsv_problems problems;
        jsv_arena_init(&arena, NULL, budget);
        assert_int_equal(envelope_conformance_check(envelope, &arena, &problems), -ENOMEM);
        jsv_arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(test_good_ones),
        JSON_TEST(test_double_wrapping),
        JSON_TEST(test_digests),
        JSON_TEST(test_methods),
        cmocka_unit_test(test_method_ids),
        JSON_TEST(test_record_digest),
        JSON_TEST(test_more_than_are_listed),
        JSON_TEST(test_no_memory),
        JSON_TEST(test_no_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
