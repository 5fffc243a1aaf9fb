#include <errno.h>

#include "envelope/identifier.h"
#include "support/torture.h"
#include "unit/envelope/quoted.h"

/* Assert the seed in the fixture's buffer and the id it leads to; empty the buffer. */
static void
expect(struct json_fixture *fixture, const char *seed, enum envelope_id kind, const char *expected)
{
    char text[OS_UUID_SIZE + 1];
    envelope_id_from_seed(kind, jsv_buf_str(&fixture->out), text);
    quoted_expect(fixture, seed);
    assert_string_equal(text, expected);
}

static void test_discover(void **state)
{
    struct json_fixture *fixture = *state;
    static const char seed[] = "{'method':'mcp.discover','payload':{},'route':'discover'}";
    static const struct {
        enum envelope_id kind;
        const char *id;
    } cases[] = {
        {ENVELOPE_ID_REQUEST, "f8f3eb42-5b88-5811-bebf-7d8e1a90ea79"},
        {ENVELOPE_ID_TRACE, "f969dab7-5603-52a3-bae2-89bebc50cd12"},
        {ENVELOPE_ID_SPAN, "9c6410d7-978d-5cb4-8b0e-ea6e81f8837c"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(envelope_seed_discover(&fixture->out), 0);
        expect(fixture, seed, cases[i].kind, cases[i].id);
    }
}

static void test_prompt(void **state)
{
    struct json_fixture *fixture = *state;
    assert_int_equal(envelope_seed_prompt(JSV_STR("\xC3\xA9"), &fixture->out), 0);
    expect(
        fixture,
        "{'method':'mcp.prompt.get','payload':{'promptId':'\\u00e9'},'route':'prompt'}",
        ENVELOPE_ID_REQUEST,
        "8e3b63e4-f2bc-5fdc-a6b6-297e0c9e143a");
}

static void test_tool(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value arguments = quoted_read(fixture, "{'new':{'\xC3\xA9':'\xC3\xBC'}, 'base':{}}");
    struct jsv_str id = JSV_STR("mcp.tool:diff_assets");
    assert_int_equal(envelope_seed_tool(id, arguments, &fixture->scratch, &fixture->out), 0);
    expect(
        fixture,
        "{'method':'mcp.tool.invoke','payload':{'arguments':{'base':{},'new':{'\\u00e9':"
        "'\\u00fc'}},'toolId':'mcp.tool:diff_assets'},'route':'tool'}",
        ENVELOPE_ID_SPAN,
        "505a87bb-6b2a-539f-9220-781245b2f196");
}

static void test_tool_without_arguments(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value none = {0};
    struct jsv_str id = JSV_STR("mcp.tool:x");
    assert_int_equal(envelope_seed_tool(id, none, &fixture->scratch, &fixture->out), 0);
    expect(
        fixture,
        "{'method':'mcp.tool.invoke','payload':{'arguments':{},'toolId':'mcp.tool:x'},"
        "'route':'tool'}",
        ENVELOPE_ID_REQUEST,
        "7ce70ac0-74d8-57f4-9158-22ad1008632b");
}

static void test_any_dialect(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value params = quoted_read(fixture, "{'z':1, 'a':'\\u0078'}");
    assert_int_equal(
        envelope_seed(
            JSV_STR("syn"), JSV_STR("list_schemas"), params, &fixture->scratch, &fixture->out),
        0);
    expect(
        fixture,
        "{'method':'list_schemas','payload':{'a':'x','z':1},'route':'syn'}",
        ENVELOPE_ID_REQUEST,
        "5100001b-65ae-5893-8bf8-c9dfa8be11a4");
}

static void test_run(void **state)
{
    struct json_fixture *fixture = *state;
    static const char *const params[] = {
        "{'new':{'b':1,'a':[true,null]},'base':{},'_meta':{'capture_provenance':true}}",
        "{'base':{},'new':{'a':[true,null],'b':1}}",
    };
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(
            envelope_seed_run(
                JSV_STR("diff_assets"),
                quoted_read(fixture, params[i]),
                &fixture->scratch,
                &fixture->out),
            0);
        expect(
            fixture,
            "{'method':'diff_assets','payload':{'base':{},'new':{'a':[true,null],'b':1}},"
            "'route':'envelope'}",
            ENVELOPE_ID_RUN,
            "5f8b9be9-91b9-55f7-80df-22e5194936e1");
    }
    struct jsv_value array = quoted_read(fixture, "[{'_meta':1}]");
    assert_int_equal(envelope_seed_run(JSV_STR("t"), array, &fixture->scratch, &fixture->out), 0);
    quoted_expect(fixture, "{'method':'t','payload':[{'_meta':1}],'route':'envelope'}");
}

/* Without a canonical form, the text as spelled is used. */
static void test_numbers_beyond_a_double(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value params = quoted_read(fixture, "{'b': 1e400, 'a': 1.0}");
    struct jsv_str none = JSV_STR("");
    assert_int_equal(envelope_seed(none, none, params, &fixture->scratch, &fixture->out), 0);
    quoted_expect(fixture, "{'method':'','payload':{'b':1e400,'a':1.0},'route':''}");
}

static void test_no_room(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value params = quoted_read(fixture, "{'_meta':{},'a':'some text that is long'}");
    struct jsv_str id = JSV_STR("id");
    for (size_t size_max = 0; size_max < 40; size_max++) {
        struct jsv_buf out;
        jsv_buf_init(&out, NULL, size_max);
        assert_int_equal(envelope_seed_run(id, params, &fixture->scratch, &out), -ENOBUFS);
        jsv_buf_reset(&out);
        assert_int_equal(envelope_seed_tool(id, params, &fixture->scratch, &out), -ENOBUFS);
        jsv_buf_reset(&out);
        assert_int_equal(envelope_seed_prompt(id, &out), -ENOBUFS);
        jsv_buf_reset(&out);
        assert_int_equal(envelope_seed_discover(&out), -ENOBUFS);
        jsv_buf_done(&out);
    }
}

static int seed_a_run(const struct jsv_allocator *allocator, void *state)
{
    struct jsv_arena scratch;
    struct jsv_buf out;
    jsv_arena_init(&scratch, allocator, SIZE_MAX);
    jsv_buf_init(&out, allocator, SIZE_MAX);
    int r = envelope_seed_run(JSV_STR("t"), *(struct jsv_value *)state, &scratch, &out);
    jsv_buf_done(&out);
    jsv_arena_done(&scratch);
    return r;
}

static void test_no_memory(void **state)
{
    struct jsv_value params = quoted_read(*state, "{'_meta':{},'b':{'c':1,'a':2},'a':1}");
    assert_true(torture_run(seed_a_run, &params) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(test_discover),
        JSON_TEST(test_prompt),
        JSON_TEST(test_tool),
        JSON_TEST(test_tool_without_arguments),
        JSON_TEST(test_any_dialect),
        JSON_TEST(test_run),
        JSON_TEST(test_numbers_beyond_a_double),
        JSON_TEST(test_no_room),
        JSON_TEST(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
