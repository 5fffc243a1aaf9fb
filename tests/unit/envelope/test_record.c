#include <errno.h>

#include "envelope/record.h"
#include "unit/envelope/quoted.h"

/* The limits of names, which the records' schema counts in characters. */
static void test_parents(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_buf *text = json_fixture_buf(fixture);
    jsv_buf_append_byte(text, '"');
    for (size_t i = 0; i < 200; i++) {
        jsv_buf_append_str(text, JSV_STR("\xC3\xA9"));
    }
    jsv_buf_append_byte(text, '"');
    assert_true(envelope_record_is_parent(json_fixture_read_str(fixture, jsv_buf_str(text), 0)));
    text->data[text->size - 1] = 'x';
    jsv_buf_append_byte(text, '"');
    assert_false(envelope_record_is_parent(json_fixture_read_str(fixture, jsv_buf_str(text), 0)));
    assert_false(envelope_record_is_parent(quoted_read(fixture, "''")));
    assert_false(envelope_record_is_parent(quoted_read(fixture, "1")));
    assert_true(envelope_record_is_parent(quoted_read(fixture, "'p'")));
}

static struct envelope_record record_of(
    struct json_fixture *fixture, const struct envelope_options *options, const char *artifacts)
{
    static const struct envelope_run run = {
        .tool_name = JSV_STR("t"),
        .tool_version = JSV_STR("1"),
    };
    return (struct envelope_record){
        .run = &run,
        .options = options,
        .result = envelope_result_text(JSV_STR("x")),
        .artifacts = quoted_read(fixture, artifacts),
        .run_id = "r",
    };
}

/* All methods there are, in order, and no more. */
static void test_methods(void **state)
{
    struct json_fixture *fixture = *state;
    const struct envelope_options options = {.deterministic = true};
    struct envelope_record record = record_of(fixture, &options, "[]");
    record.methods = ~(1u << ENVELOPE_METHOD_LINK_PARENT);
    assert_int_equal(envelope_record_put(&record, &fixture->out), 0);
    assert_at(
        fixture,
        quoted_take(fixture),
        "/methods",
        "['adapter.wrap.envelope_v0_1','adapter.provenance.attach_record_v0_1',"
        "'adapter.errors.capture','engine.prov.record_v0_1.build',"
        "'engine.prov.artifact.register_input','engine.prov.artifact.register_output',"
        "'integrity.digest.sha256','integrity.record_digest.compute']");
}

/* A source has 1,000 characters at most; a longer one is not listed as evidence. */
static void test_long_sources(void **state)
{
    struct json_fixture *fixture = *state;
    const struct envelope_options options = {.deterministic = true, .full = true};
    for (size_t size = 990; size < 993; size++) {
        struct jsv_buf *artifacts = json_fixture_buf(fixture);
        jsv_buf_append_str(artifacts, JSV_STR("[{'artifact_id':'"));
        for (size_t i = 0; i < size; i++) {
            jsv_buf_append_byte(artifacts, 'x');
        }
        jsv_buf_append_str(artifacts, JSV_STR("'}]"));
        jsv_buf_append_byte(artifacts, '\0');
        struct envelope_record record = record_of(fixture, &options, artifacts->data);
        assert_int_equal(envelope_record_put(&record, &fixture->out), 0);
        struct jsv_value evidence = jsv_value_get(quoted_take(fixture), JSV_STR("evidence"));
        assert_int_equal(jsv_value_count(evidence), size <= 991);
    }
}

static void test_no_room(void **state)
{
    struct json_fixture *fixture = *state;
    const struct envelope_options options = {.deterministic = true, .full = true};
    struct envelope_record record = record_of(fixture, &options, "[{'artifact_id':'a'}]");
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, 100);
    assert_int_equal(envelope_record_put(&record, &out), -ENOBUFS);
    jsv_buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(test_parents),
        JSON_TEST(test_methods),
        JSON_TEST(test_long_sources),
        JSON_TEST(test_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
