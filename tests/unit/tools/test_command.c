#define _GNU_SOURCE /* nftw(), strcasestr() */
#include <sys/wait.h>

#include "envelope/schemas.h"
#include "loop/loop.h"
#include "tools/builtin.h"
#include "tools/command_line.h"
#include "unit/tools/calling.h"

static unsigned finished;
static unsigned finish_wanted;

static struct envelope_schemas *envelopes;

static int set_up(void **state)
{
    calling_set_up(state);
    assert_int_equal(envelope_schemas_new(NULL, &envelopes), 0);
    finished = 0;
    finish_wanted = 1;
    return loop_new(&calling.loop);
}

static int tear_down(void **state)
{
    struct loop *loop = calling.loop;
    int r = calling_tear_down(state);
    loop_free(loop);
    envelope_schemas_free(envelopes);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no program is left */
    return r;
}

#define COMMAND_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static bool tells_errors; /* the output of the call that finished last */

static void on_finished(struct tool_call *call)
{
    tells_errors = tool_tells_errors(call);
    if (++finished == finish_wanted) {
        loop_stop(calling.loop);
    }
}

/* A tool "t" whose program is a shell script. @param more Members of its descriptor. */
static void make_tool(const char *script, const char *more)
{
    char text[2048];
    snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", script);
    tmpdir_write(&fixture.dir, "tools/t.sh", text);
    assert_int_equal(fchmodat(fixture.dir.fd, "tools/t.sh", 0755, 0), 0);
    snprintf(
        text,
        sizeof(text),
        "{'name':'t','description':'d','command':['./t.sh'],'inputSchema':{'type':'object'}%s}",
        more);
    fixture_write("tools/t.tool.json", text);
}

static int begin(const char *arguments)
{
    calling_start("t", arguments);
    calling.call.finished = on_finished;
    calling.call.envelopes = envelopes;
    return tool_run(&calling.call);
}

static void expect(const char *result, const char *code)
{
    char *quoted = fixture_quoted(result);
    fixture_expect_str(jsv_buf_str(&calling.out), quoted);
    free(quoted);
    fixture_expect_str(calling.call.failure.code, code);
    if (code[0]) {
        assert_int_equal(calling.call.verdict, TOOL_VERDICT_FAILED);
    }
}

/* Call it, wait for its end, and compare result and failure. */
static void call(const char *arguments, const char *result, const char *code)
{
    finished = 0;
    assert_int_equal(begin(arguments), TOOL_WAIT);
    assert_int_equal(loop_run(calling.loop), 0);
    assert_int_equal(finished, 1);
    assert_int_equal(calling.call.error, 0);
    assert_null(calling.call.state);
    expect(result, code);
}

/* The same for one that does not get as far as to wait. */
static void refused(const char *arguments, const char *code)
{
    assert_int_equal(begin(arguments), TOOL_DONE);
    expect("null", code);
    assert_null(calling.call.state);
}

static void call_script(const char *script, const char *more, const char *result, const char *code)
{
    make_tool(script, more);
    call("{'q': 1.50}", result, code);
}

/* ---- results ---- */

static void test_json_byte_for_byte(void **state)
{
    (void)state;
    call_script("cat", "", "{'q': 1.50}", "");
    assert_int_equal(calling.call.verdict, TOOL_VERDICT_OK);
}

static void test_text(void **state)
{
    (void)state;
    call_script("printf 'plain'", "", "'plain'", "");
    assert_int_equal(calling.call.result.kind, ENVELOPE_RESULT_TEXT);
}

static void test_line_breaks(void **state)
{
    (void)state;
    call_script("printf '{\\n \"a\":1\\n}\\n'", "", "{ 'a':1}", "");
}

static void test_nothing(void **state)
{
    (void)state;
    call_script("exit 0", "", "''", "");
}

static void test_declared_text(void **state)
{
    (void)state;
    call_script("printf 12", ",'output':'text'", "'12'", "");
}

static void test_declared_json(void **state)
{
    (void)state;
    call_script("printf no", ",'output':'json'", "'no'", "ADAPTER.OUTPUT.NOT_JSON");
}

static void test_declared_envelope(void **state)
{
    (void)state;
    call_script("printf '{}'", ",'output':'envelope'", "{}", "ADAPTER.OUTPUT.INVALID");
}

#define ENVELOPE(members) "{'schema_version':'mcp.envelope.v0.1'," members "}"

/* A tool that declares an envelope puts a text out and ends with a status. */
static void call_envelope(const char *output, int status, const char *result, const char *code)
{
    char script[512];
    char *quoted = fixture_quoted(output);
    snprintf(script, sizeof(script), "printf '%%s' '%s'; exit %d", quoted, status);
    free(quoted);
    call_script(script, ",'output':'envelope'", result, code);
    catalog_release(fixture.catalog);
    fixture.catalog = NULL;
}

static void test_declared_envelope_must_be_valid(void **state)
{
    (void)state;
    call_envelope(ENVELOPE("'result':1"), 0, ENVELOPE("'result':1"), "");
    call_envelope(ENVELOPE("'result':1,'x':2"), 0, "1", "ADAPTER.OUTPUT.INVALID");
    assert_memory_equal(calling.call.failure.details[0].text.data, "/x: ", 4);
    call_envelope(ENVELOPE("'errors':[]"), 0, "null", "ADAPTER.OUTPUT.INVALID");
    call_envelope(ENVELOPE("'result':1,'errors':['text']"), 0, "1", "ADAPTER.OUTPUT.INVALID");
    call_envelope(ENVELOPE("'result':" ENVELOPE("'result':1")), 0, "1", "ADAPTER.OUTPUT.INVALID");
    call_envelope("text", 0, "'text'", "ADAPTER.OUTPUT.INVALID");
}

/* The validator is the loop's, and another client's message may have used up its budget. */
static void test_declared_envelope_is_checked_with_its_own_budget(void **state)
{
    (void)state;
    call_envelope(ENVELOPE("'result':1"), 0, ENVELOPE("'result':1"), "");
    jsv_validator_set_budget(calling.validator, 1);
    call_envelope(ENVELOPE("'result':1"), 0, ENVELOPE("'result':1"), "");
}

static void test_declared_envelope_of_a_failed_program(void **state)
{
    (void)state;
    call_envelope(ENVELOPE("'result':1,'errors':['text']"), 3, "1", "ADAPTER.EXECUTION.FAILED");
    call_envelope("", 3, "null", "ADAPTER.EXECUTION.FAILED");
    const char *telling = ENVELOPE("'result':1,'errors':[{'code':'A','message':'b'}]");
    call_envelope(telling, 3, telling, "ADAPTER.EXECUTION.FAILED");
    assert_true(tells_errors);
}

static void test_text_among_errors_does_not_hide_the_exit_code(void **state)
{
    (void)state;
    call_script(
        "printf '{\"schema_version\":\"mcp.envelope.v0.1\",\"result\":1,\"errors\":[\"x\"]}'; exit "
        "3",
        "",
        "{'schema_version':'mcp.envelope.v0.1','result':1,'errors':['x']}",
        "ADAPTER.EXECUTION.FAILED");
    assert_false(tells_errors);
}

static void test_result_with_ok_false_is_a_failure(void **state)
{
    (void)state;
    call_script("printf '{\"ok\":false}'", "", "{'ok':false}", "");
    assert_int_equal(calling.call.verdict, TOOL_VERDICT_FAILED);
}

static void test_bytes_that_are_not_utf8(void **state)
{
    (void)state;
    call_script("printf 'a\\377'", "", "'a\xEF\xBF\xBD'", "");
    assert_int_equal(calling.call.result.bytes.size, 2);
}

/* ---- failures ---- */

static void test_exit_code(void **state)
{
    (void)state;
    call_script("exit 3", "", "null", "ADAPTER.EXECUTION.FAILED");
    fixture_expect_str(calling.call.failure.message, "Tool execution failed with exit code 3.");
    assert_int_equal(calling.call.failure.details[0].number, 3);
}

static void test_partial_output(void **state)
{
    (void)state;
    call_script("echo '{\"half\":1}'; exit 2", "", "{'half':1}", "ADAPTER.EXECUTION.FAILED");
}

static void test_signal(void **state)
{
    (void)state;
    call_script("kill -SEGV $$", "", "null", "ADAPTER.EXECUTION.SIGNALED");
    assert_int_equal(calling.call.failure.details[0].number, SIGSEGV);
}

static void test_timeout(void **state)
{
    (void)state;
    call_script("sleep 60", ",'timeout_ms':100", "null", "ADAPTER.EXECUTION.TIMEOUT");
    assert_int_equal(calling.call.failure.details[0].number, 100);
}

static void test_too_large(void **state)
{
    (void)state;
    call_script("yes 1", ",'max_output_bytes':4", "'1\\n1\\n'", "ADAPTER.OUTPUT.TOO_LARGE");
    assert_int_equal(calling.call.failure.details[0].number, 4);
}

static void test_not_found(void **state)
{
    (void)state;
    fixture_write(
        "tools/t.tool.json",
        "{'name':'t','description':'d','command':['./gone'],'inputSchema':{}}");
    refused("{}", "ADAPTER.EXECUTION.NOT_FOUND");
    fixture_expect_str(calling.call.failure.details[0].text, "./gone");
}

static void test_bare_name_not_found(void **state)
{
    (void)state;
    fixture_write(
        "tools/t.tool.json",
        "{'name':'t','description':'d','command':['no-such-program'],'inputSchema':{}}");
    refused("{}", "ADAPTER.EXECUTION.NOT_FOUND");
}

static void test_not_executable(void **state)
{
    (void)state;
    make_tool("exit 0", "");
    assert_int_equal(fchmodat(fixture.dir.fd, "tools/t.sh", 0644, 0), 0);
    refused("{}", "ADAPTER.EXECUTION.NOT_EXECUTABLE");
}

static void test_bare_name_on_path(void **state)
{
    (void)state;
    fixture_write(
        "tools/t.tool.json", "{'name':'t','description':'d','command':['cat'],'inputSchema':{}}");
    call("{'a':1}", "{'a':1}", "");
}

/* ---- surroundings ---- */

static void test_environment(void **state)
{
    (void)state;
    assert_int_equal(setenv("MCPGATE_TOKEN", "secret", 1), 0);
    assert_int_equal(setenv("WANTED", "yes", 1), 0);
    call_script(
        "printf \"$MCPGATE_TOKEN $WANTED $MODE $HOME\"",
        ",'environment':['WANTED','MODE=fast','HOME=/x','UNSET_ONE']",
        "' yes fast /x'",
        "");
}

static void test_working_directory(void **state)
{
    (void)state;
    tmpdir_mkdir(&fixture.dir, "tools/inside");
    call_script("basename \"$PWD\"", ",'working_directory':'inside'", "'inside\\n'", "");
}

/* ---- arguments by template ---- */

#define SHOW "for a; do printf '<%s>' \"$a\"; done; cat"

static void test_template(void **state)
{
    (void)state;
    make_tool(
        SHOW,
        ",'arguments':['-v',['--name={name}'],['--size','{size}'],'{gone}','a{x "
        "y}{','--','{files}']");
    call(
        "{'name':'$(id); `id`','size':1.0,'files':['-a',true,{'k': [1]}]}",
        "'<-v><--name=$(id); `id`><--size><1.0><a{x y}{><--><-a><true><{\\'k\\':[1]}>'",
        "");
}

static void test_group_is_left_out(void **state)
{
    (void)state;
    make_tool(SHOW, ",'arguments':[['--name','{name}'],['--size','{size}'],'end']");
    call("{'name':null,'size':2}", "'<--size><2><end>'", "");
}

static void test_values_cannot_be_options(void **state)
{
    (void)state;
    make_tool(SHOW, ",'arguments':['{name}']");
    refused("{'name':'--help'}", "ADAPTER.INPUT.INVALID");
    refused("{'name':-5}", "ADAPTER.INPUT.INVALID");
    refused("{'name':['a','-b']}", "ADAPTER.INPUT.INVALID");
    refused("{'name':'a\\u0000b'}", "ADAPTER.INPUT.INVALID");
    call("{'name':'a-b'}", "'<a-b>'", "");
}

static void test_left_out_group_does_not_end_options(void **state)
{
    (void)state;
    make_tool(SHOW, ",'arguments':[['--','{file}'],'{name}']");
    refused("{'name':'--evil'}", "ADAPTER.INPUT.INVALID");
    call("{'name':'--kind','file':'-f'}", "'<--><-f><--kind>'", "");
}

static void test_fixed_command_does_not_end_options(void **state)
{
    (void)state; /* the "--" is for env, not for the program it runs */
    fixture_write(
        "tools/t.tool.json",
        "{'name':'t','description':'d','command':['env','--','printf'],"
        "'arguments':['{name}'],'inputSchema':{}}");
    refused("{'name':'--evil'}", "ADAPTER.INPUT.INVALID");
}

static void test_value_does_not_end_options(void **state)
{
    (void)state;
    make_tool(SHOW, ",'arguments':['-{x}','{name}']");
    refused("{'x':'-','name':'--evil'}", "ADAPTER.INPUT.INVALID");
    refused("{'x':'-','name':'kind'}", "ADAPTER.INPUT.INVALID");
    refused("{'x':'-evil','name':'kind'}", "ADAPTER.INPUT.INVALID");
    call("{'x':'v','name':'kind'}", "'<-v><kind>'", "");
}

static void test_joined_values_cannot_be_options(void **state)
{
    (void)state;
    make_tool(SHOW, ",'arguments':['--{x}{y}','{x}{y}']");
    refused("{'x':'','y':'-evil'}", "ADAPTER.INPUT.INVALID");
    call("{'x':'','y':'a-'}", "'<--a-><a->'", "");
}

static void test_too_many_arguments(void **state)
{
    (void)state;
    char list[2 * COMMAND_ARGUMENTS_MAX + 64] = "{'name':[0";
    size_t used = strlen(list);
    for (unsigned i = 0; i < COMMAND_ARGUMENTS_MAX; i++) {
        list[used++] = ',';
        list[used++] = '0';
    }
    snprintf(list + used, sizeof(list) - used, "]}");
    make_tool(SHOW, ",'arguments':['{name}']");
    refused(list, "ADAPTER.INPUT.INVALID");
}

/* ---- cancelling and waiting ---- */

static void test_cancel(void **state)
{
    (void)state;
    make_tool("sleep 60", "");
    assert_int_equal(begin("{}"), TOOL_WAIT);
    tool_cancel(&calling.call);
    assert_null(calling.call.state);
    assert_int_equal(finished, 0); /* and the end of the test sees that nothing is left */
}

#define CALLS (COMMANDS_WAITING_MAX + 1)

static struct tool_call calls[CALLS];
static struct jsv_buf outs[CALLS];

/* Calls of a connection, as many as can run and wait: one program runs at a time. */
static void fill_queue(const void *connection)
{
    calling.settings.loops = 1000000;
    calling_start("t", "{}");
    for (size_t i = 0; i < CALLS; i++) {
        calls[i] = calling.call;
        calls[i].finished = on_finished;
        calls[i].connection = connection;
        jsv_buf_init(&outs[i], NULL, 1000);
        calls[i].out = &outs[i];
        assert_int_equal(tool_run(&calls[i]), TOOL_WAIT);
    }
}

/* One runs, many wait, one more is refused; all that wait are run. */
static void test_queue(void **state)
{
    (void)state;
    make_tool("exit 0", "");
    fill_queue(NULL);
    calling.call.finished = on_finished;
    assert_int_equal(tool_run(&calling.call), TOOL_DONE);
    expect("null", "ADAPTER.EXECUTION.BUSY");
    tool_cancel(&calls[5]);
    finish_wanted = CALLS - 1;
    assert_int_equal(loop_run(calling.loop), 0);
    assert_int_equal(finished, CALLS - 1);
    for (size_t i = 0; i < CALLS; i++) {
        fixture_expect_str(jsv_buf_str(&outs[i]), i == 5 ? "" : "\"\"");
        assert_int_equal(calls[i].queued_us > 0, i > 0 && i != 5);
        jsv_buf_done(&outs[i]);
    }
}

/* Another connection's call runs at once, and its next one takes the place of one that waits. */
static void test_connections_share_the_queue(void **state)
{
    (void)state;
    static const char other = 'o';
    static struct tool_call more[2];
    static struct jsv_buf more_outs[2];
    make_tool("exit 0", "");
    fill_queue(NULL);
    for (size_t i = 0; i < 2; i++) {
        more[i] = calls[0];
        more[i].connection = &other;
        jsv_buf_init(&more_outs[i], NULL, 1000);
        more[i].out = &more_outs[i];
        assert_int_equal(tool_run(&more[i]), TOOL_WAIT);
    }
    assert_int_equal(calling.tools->commands.queue.running, 2);
    tool_cancel(&calls[CALLS - 1]); /* it was dropped, and is cancelled before it is finished */
    finish_wanted = CALLS + 1;
    assert_int_equal(loop_run(calling.loop), 0);
    for (size_t i = 0; i < CALLS; i++) {
        fixture_expect_str(jsv_buf_str(&outs[i]), i == CALLS - 1 ? "" : "\"\"");
        jsv_buf_done(&outs[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        fixture_expect_str(jsv_buf_str(&more_outs[i]), "\"\"");
        jsv_buf_done(&more_outs[i]);
    }
}

static void test_dropped_call_is_busy(void **state)
{
    (void)state;
    static const char other = 'o';
    make_tool("sleep 60", "");
    fill_queue(NULL);
    struct tool_call first = calls[0];
    struct tool_call second = calls[0];
    first.connection = second.connection = &other;
    assert_int_equal(tool_run(&first), TOOL_WAIT);
    assert_int_equal(tool_run(&second), TOOL_WAIT);
    finish_wanted = 1;
    assert_int_equal(loop_run(calling.loop), 0);
    fixture_expect_str(calls[CALLS - 1].failure.code, "ADAPTER.EXECUTION.BUSY");
    assert_true(calls[CALLS - 1].queued_us > 0);
    assert_null(calls[CALLS - 1].state);
    tool_cancel(&first);
    tool_cancel(&second);
    for (size_t i = 0; i < CALLS; i++) {
        if (calls[i].state) {
            tool_cancel(&calls[i]);
        }
        jsv_buf_done(&outs[i]);
    }
}

/* ---- no memory ---- */

static void test_memory(void **state)
{
    (void)state;
    make_tool("cat", ",'arguments':['{a}']");
    calling_start("t", "{}"); /* tools and catalog are there */
    for (unsigned at = 1;; at++) {
        calling_start("t", "{'a':'x'}");
        calling.call.finished = on_finished;
        fault_arm(FAULT_RESIZE, at, ENOMEM);
        int r = tool_run(&calling.call);
        bool hit = fault.hit;
        fault_disarm();
        if (r == TOOL_WAIT) {
            finished = 0;
            assert_int_equal(loop_run(calling.loop), 0);
            if (!hit) {
                break;
            }
        } else {
            assert_int_equal(r, -ENOMEM);
        }
    }
}

int main(void)
{
    os_ignore_sigpipe();
    const struct CMUnitTest tests[] = {
        COMMAND_TEST(test_json_byte_for_byte),
        COMMAND_TEST(test_text),
        COMMAND_TEST(test_line_breaks),
        COMMAND_TEST(test_nothing),
        COMMAND_TEST(test_declared_text),
        COMMAND_TEST(test_declared_json),
        COMMAND_TEST(test_declared_envelope),
        COMMAND_TEST(test_declared_envelope_must_be_valid),
        COMMAND_TEST(test_declared_envelope_is_checked_with_its_own_budget),
        COMMAND_TEST(test_declared_envelope_of_a_failed_program),
        COMMAND_TEST(test_text_among_errors_does_not_hide_the_exit_code),
        COMMAND_TEST(test_result_with_ok_false_is_a_failure),
        COMMAND_TEST(test_bytes_that_are_not_utf8),
        COMMAND_TEST(test_exit_code),
        COMMAND_TEST(test_partial_output),
        COMMAND_TEST(test_signal),
        COMMAND_TEST(test_timeout),
        COMMAND_TEST(test_too_large),
        COMMAND_TEST(test_not_found),
        COMMAND_TEST(test_bare_name_not_found),
        COMMAND_TEST(test_not_executable),
        COMMAND_TEST(test_bare_name_on_path),
        COMMAND_TEST(test_environment),
        COMMAND_TEST(test_working_directory),
        COMMAND_TEST(test_template),
        COMMAND_TEST(test_group_is_left_out),
        COMMAND_TEST(test_values_cannot_be_options),
        COMMAND_TEST(test_left_out_group_does_not_end_options),
        COMMAND_TEST(test_fixed_command_does_not_end_options),
        COMMAND_TEST(test_value_does_not_end_options),
        COMMAND_TEST(test_joined_values_cannot_be_options),
        COMMAND_TEST(test_too_many_arguments),
        COMMAND_TEST(test_cancel),
        COMMAND_TEST(test_queue),
        COMMAND_TEST(test_connections_share_the_queue),
        COMMAND_TEST(test_dropped_call_is_busy),
        COMMAND_TEST(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
