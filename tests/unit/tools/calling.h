/*
 * Calling tools as the pipeline does: arguments are checked against
 * inputSchema before and the result against outputSchema after.
 *
 * In all JSON texts ' stands for ".
 */
#pragma once

#include "tools/tool.h"
#include "unit/catalog/fixture.h"

struct calling {
    struct loop *loop;
    struct tool_settings settings;
    struct tools *tools;
    struct jsv_reader *reader;
    struct jsv_validator *validator;
    struct jsv_validator_limits limits;
    struct jsv_arena scratch;
    struct jsv_document *arguments;
    struct jsv_document *result;
    char *text; /* of the arguments */
    struct jsv_buf out;
    struct tool_call call;
};

static struct calling calling;

static inline int calling_set_up(void **state)
{
    fixture_set_up(state);
    fixture.options.tools = tools_descriptors(&fixture.options.tool_count);
    calling = (struct calling){.settings = {.batch_max = 3}};
    jsv_arena_init(&calling.scratch, NULL, 1 << 24);
    jsv_buf_init(&calling.out, NULL, 1 << 20);
    calling.reader = jsv_reader_new(NULL, NULL);
    calling.arguments = jsv_document_new(NULL);
    calling.result = jsv_document_new(NULL);
    return 0;
}

static inline int calling_tear_down(void **state)
{
    fault_disarm();
    tools_free(calling.tools);
    jsv_validator_free(calling.validator);
    jsv_document_free(calling.arguments);
    jsv_document_free(calling.result);
    jsv_reader_free(calling.reader);
    jsv_arena_done(&calling.scratch);
    jsv_buf_done(&calling.out);
    free(calling.text);
    return fixture_tear_down(state);
}

#define CALLING_TEST(test) cmocka_unit_test_setup_teardown(test, calling_set_up, calling_tear_down)

static inline void calling_start(const char *tool, const char *arguments)
{
    if (!fixture.catalog) {
        fixture_load("");
    }
    if (!calling.tools) {
        assert_int_equal(tools_new(calling.loop, &calling.settings, &calling.tools), 0);
    }
    if (!calling.validator) {
        calling.validator = jsv_validator_new(NULL, &calling.limits);
    }
    free(calling.text);
    calling.text = fixture_quoted(arguments);
    assert_int_equal(
        jsv_read(calling.reader, calling.arguments, jsv_str_from(calling.text), 0, NULL), 0);
    jsv_buf_reset(&calling.out);
    jsv_arena_reset(&calling.scratch);
    calling.call = (struct tool_call){
        .catalog = fixture.catalog,
        .tool = catalog_tool_find(fixture.catalog, jsv_str_from(tool)),
        .arguments = jsv_document_root(calling.arguments),
        .tools = calling.tools,
        .reader = calling.reader,
        .validator = calling.validator,
        .scratch = &calling.scratch,
        .out = &calling.out,
        .verdict = (enum tool_verdict)99,
    };
    assert_non_null(calling.call.tool);
}

/* Whether the arguments are what the tool may be given. */
static inline bool calling_fits_input(void)
{
    const struct jsv_schema *schema;
    struct jsv_str reason;
    assert_int_equal(catalog_tool_input(fixture.catalog, calling.call.tool, &schema, &reason), 0);
    return jsv_validate(calling.validator, schema, calling.call.arguments) == 1;
}

/* Assert the result that is written. */
static inline void calling_expect(enum tool_verdict verdict, const char *expected)
{
    const struct jsv_schema *schema;
    struct jsv_str reason;
    char *quoted = fixture_quoted(expected);
    fixture_expect_str(jsv_buf_str(&calling.out), quoted);
    free(quoted);
    assert_int_equal(calling.call.verdict, verdict);
    assert_int_equal(catalog_tool_output(fixture.catalog, calling.call.tool, &schema, &reason), 0);
    assert_int_equal(
        jsv_read(calling.reader, calling.result, jsv_buf_str(&calling.out), 0, NULL), 0);
    struct jsv_problems problems;
    int r = jsv_validate_report(
        calling.validator, schema, jsv_document_root(calling.result), &problems);
    if (r != 1) {
        print_error(
            "%.*s: %.*s\n",
            (int)problems.items[0].path.size,
            problems.items[0].path.data,
            (int)problems.items[0].message.size,
            problems.items[0].message.data);
    }
    assert_int_equal(r, 1);
}

/* Call a tool that does not wait, and assert its result. */
static inline void calling_run(
    const char *tool, const char *arguments, enum tool_verdict verdict, const char *expected)
{
    calling_start(tool, arguments);
    assert_true(calling_fits_input());
    assert_int_equal(tool_run(&calling.call), TOOL_DONE);
    calling_expect(verdict, expected);
}

/* Assert that the tool is not to be called with such arguments. */
static inline void calling_refuse(const char *tool, const char *arguments)
{
    calling_start(tool, arguments);
    assert_false(calling_fits_input());
}
