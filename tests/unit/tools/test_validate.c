/* What the validating tools share, where their own tests do not reach: limits and memory. */
#define _GNU_SOURCE /* nftw() */
#include "tools/builtin.h"
#include "unit/tools/calling.h"

static void test_limit_messages(void **state)
{
    (void)state;
    assert_non_null(tool_limit_message(-ELOOP).data);
    assert_non_null(tool_limit_message(-ETIME).data);
    assert_null(tool_limit_message(-ENOMEM).data);
    assert_null(tool_limit_message(0).data);
}

/* A pattern that would go on for ever is a clear answer, too. */
static void test_limit_of_time(void **state)
{
    (void)state;
    char arguments[256];
    fixture_write("schemas/p.schema.json", "{'pattern': '^(([a-z])+.)+[A-Z]([a-z])+\\\\2$'}");
    snprintf(arguments, sizeof(arguments), "{'schema': 'p', 'asset': '%0100d'}", 0);
    for (char *at = strchr(arguments, '0'); *at == '0'; at++) {
        *at = 'a';
    }
    calling_start("validate_asset", arguments);
    assert_int_equal(tool_run(&calling.call), TOOL_DONE);
    calling_expect(
        TOOL_VERDICT_FAILED,
        "{'ok':false,'reason':'validation_failed','errors':[{'path':'',"
        "'msg':'validation_limit: a pattern takes too long for this asset'}]}");
}

/* A copy without $schemaRef may be as deep as the asset. */
static void test_deep_asset(void **state)
{
    (void)state;
    char arguments[2048];
    size_t size = (size_t)snprintf(
        arguments, sizeof(arguments), "{'schema': 's', 'asset': {'$schemaRef': '', 'a': ");
    for (size_t i = 0; i < 510; i++) {
        arguments[size++] = '[';
    }
    for (size_t i = 0; i < 510; i++) {
        arguments[size++] = ']';
    }
    snprintf(arguments + size, sizeof(arguments) - size, "}}");
    fixture_write("schemas/s.schema.json", "{'maxProperties': 1}");
    calling_run("validate_asset", arguments, TOOL_VERDICT_OK, "{'ok':true}");
}

/* Every allocation fails once: our fault is an error, never a verdict. */
static void run_starved(const char *tool, const char *arguments)
{
    calling_start(tool, arguments);
    jsv_validator_free(calling.validator);
    calling.validator = NULL;
    int r = -ENOMEM;
    for (unsigned n = 1; r == -ENOMEM; n++) {
        struct tools *tools = NULL;
        struct jsv_validator *validator = NULL;
        struct jsv_reader *reader = NULL;
        jsv_buf_done(&calling.out);
        jsv_buf_init(&calling.out, os_allocator(), 1 << 20);
        fault_arm(FAULT_RESIZE, n, ENOMEM);
        r = tools_new(NULL, &calling.settings, &tools);
        if (r == 0) {
            validator = jsv_validator_new(os_allocator(), NULL);
            reader = jsv_reader_new(os_allocator(), NULL);
            r = validator && reader ? 0 : -ENOMEM;
        }
        if (r == 0) {
            calling.call.tools = tools;
            calling.call.reader = reader;
            calling.call.validator = validator;
            r = tool_run(&calling.call);
        }
        assert_true(fault.hit == (r == -ENOMEM));
        fault_disarm();
        tools_free(tools);
        jsv_validator_free(validator);
        jsv_reader_free(reader);
    }
    assert_int_equal(r, TOOL_DONE);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    fixture_write("schemas/s.schema.json", "{'required': ['x'], 'uniqueItems': true}");
    fixture_write("schemas/bad.schema.json", "{'type': 1}");
    fixture_write("examples/S_1.json", "{'x': 1, '$schemaRef': 's.json'}");
    run_starved("validate_asset", "{'schema': 's', 'asset': {'$schemaRef': 'x', 'y': '\\u0041'}}");
    run_starved("validate_asset", "{'schema': 'bad', 'asset': 1}");
    run_starved("validate_many", "{'schema': 's', 'assets': [{}, [[1], [1.0]], {'x': 1}]}");
    run_starved("get_example", "{'path': 'S_1.json'}");
    run_starved("get_schema", "{'name': 's'}");
    run_starved("list_schemas", "{}");
    run_starved("list_examples", "{}");
    run_starved("diff_assets", "{'base': {'a': 1, 'b': 2}, 'new': {'b': 1, 'c': 2}}");
    run_starved("populate_backend", "{'asset': 1}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CALLING_TEST(test_limit_messages),
        CALLING_TEST(test_limit_of_time),
        CALLING_TEST(test_deep_asset),
        CALLING_TEST(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
