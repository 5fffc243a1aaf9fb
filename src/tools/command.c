#include "tools/command.h"

#include <assert.h>
#include <errno.h>

#include "envelope/conformance.h"
#include "envelope/schemas.h"
#include "jsv/base/alloc.h"
#include "log/counters.h"
#include "log/text.h"
#include "loop/collector.h"
#include "loop/loop.h"
#include "os/sys.h"
#include "tools/builtin.h"
#include "tools/command_line.h"

/* Bytes of standard error that are logged. */
#define ERROR_SIZE_MAX 2048

struct command_run {
    struct loop_fair_item item; /* first: its place in the queue */
    struct commands *commands;
    struct tool_call *call;   /* NULL: it was cancelled */
    struct command_run *next; /* of the running ones */
    struct command_run *previous;
    struct loop_collector *process; /* NULL: it does not run */
    uint64_t entered_us;            /* when it began to wait for a place */
    uint64_t timeout_ms;
    size_t output_max;
};

bool command_is(const struct catalog_tool *tool)
{
    return tool->directory.size > 0;
}

/* ---- results ---- */

static struct jsv_str declared_output(const struct tool_call *call)
{
    return jsv_value_text(jsv_value_get(call->tool->value, JSV_STR("output")));
}

/* Read the output: none, JSON, or else text. @return 0 or -ENOMEM. */
static int read_output(struct tool_call *call, const struct loop_collected *end)
{
    struct tools *tools = call->tools;
    bool was_cut_off = end->cut == LOOP_COLLECTOR_OUTPUT_MAX;
    bool is_text = was_cut_off || jsv_str_equal(declared_output(call), JSV_STR("text"));
    bool failed = end->cut != LOOP_COLLECTOR_NOT_CUT || end->signal != 0 || end->exit_code != 0;
    if (end->output.size == 0 && failed) {
        return 0;
    }
    int r = is_text ? -EBADMSG : jsv_read(tools->reader, tools->document, end->output, 0, NULL);
    if (r == -ENOMEM) {
        return r;
    }
    call->result = r == 0 ? envelope_result_json(jsv_document_root(tools->document))
                          : envelope_result_text(end->output);
    return 0;
}

static int fail_by_number(struct tool_call *call, enum envelope_failure failure, int64_t number)
{
    return envelope_failure_number(failure, number, call->scratch, &call->failure);
}

/* Check an envelope by its schema and its further rules. @return 1; 0 with problems; -errno. */
static int check_envelope(struct tool_call *call, struct jsv_problems *ret_problems)
{
    struct jsv_value value = call->result.value;
    const struct jsv_schema *schema =
        envelope_schemas_get(call->envelopes, ENVELOPE_SCHEMA_ENVELOPE);
    /* The budget is what an earlier message on this loop left over. The next stage sets a new one.
     */
    jsv_validator_set_budget(call->validator, 0);
    int r = jsv_validate_report(call->validator, schema, value, ret_problems);
    if (r == 1) {
        r = envelope_conformance_check(value, call->scratch, ret_problems);
        r = r < 0 ? r : ret_problems->count == 0;
    }
    return r;
}

/*
 * The declared output is an envelope. An invalid one is not passed through: only its result is
 * kept.
 */
static int require_envelope(struct tool_call *call)
{
    static const struct jsv_problem other = {.message = JSV_STR("not an " ENVELOPE_VERSION)};
    struct jsv_problems problems = {.items = &other, .count = 1};
    bool is_json = call->result.kind == ENVELOPE_RESULT_JSON;
    int r = is_json && envelope_is(call->result.value) ? check_envelope(call, &problems) : 0;
    if (r != 0) {
        return r < 0 ? r : 0;
    }
    const struct envelope_answer answer = {.result = call->result};
    call->result = envelope_payload(&answer);
    return call->failure.code.data
               ? 0
               : envelope_failure_problem(
                     ENVELOPE_FAILURE_OUTPUT_INVALID, &problems, call->scratch, &call->failure);
}

/* Check the output against the declared kind. */
static int check_kind(struct tool_call *call)
{
    struct jsv_str declared = declared_output(call);
    bool failed = call->failure.code.data;
    if (jsv_str_equal(declared, JSV_STR("envelope"))) {
        return failed && call->result.kind == ENVELOPE_RESULT_NONE ? 0 : require_envelope(call);
    }
    bool is_json = call->result.kind == ENVELOPE_RESULT_JSON;
    if (jsv_str_equal(declared, JSV_STR("json")) && !is_json && !failed) {
        call->failure = envelope_failure_text(ENVELOPE_FAILURE_NOT_JSON, (struct jsv_str){NULL, 0});
    }
    return 0;
}

/* Set call->failure if the program failed. @return 0; -errno of this server. */
static int check_end(struct command_run *run, const struct loop_collected *end)
{
    struct tool_call *call = run->call;
    switch (end->cut) {
    case LOOP_COLLECTOR_BROKEN:
        return end->cut_error;
    case LOOP_COLLECTOR_TIMEOUT:
        return fail_by_number(call, ENVELOPE_FAILURE_TIMEOUT, (int64_t)run->timeout_ms);
    case LOOP_COLLECTOR_OUTPUT_MAX:
        return fail_by_number(call, ENVELOPE_FAILURE_TOO_LARGE, (int64_t)run->output_max);
    case LOOP_COLLECTOR_STOPPED:
    case LOOP_COLLECTOR_NOT_CUT:
        break;
    }
    if (end->signal != 0) {
        return fail_by_number(call, ENVELOPE_FAILURE_SIGNAL, end->signal);
    }
    if (end->exit_code != 0) {
        return fail_by_number(call, ENVELOPE_FAILURE_EXIT, end->exit_code);
    }
    return 0;
}

/* Whether a result reports a failure: {"ok":false}, or an envelope with errors. */
static bool reports_failure(struct jsv_value value)
{
    struct jsv_value ok = jsv_value_get(value, JSV_STR("ok"));
    bool is_not_ok = jsv_value_type(ok) == JSV_TYPE_BOOLEAN && !jsv_value_bool(ok);
    struct jsv_value errors = jsv_value_get(value, JSV_STR("errors"));
    return is_not_ok || (envelope_is(value) && jsv_value_count(errors) > 0);
}

/* Write the result. @return TOOL_DONE or -errno. */
static int conclude(struct tool_call *call)
{
    bool failed = call->failure.code.data || reports_failure(call->result.value);
    call->verdict = failed ? TOOL_VERDICT_FAILED : TOOL_VERDICT_OK;
    int r = envelope_write_result(&call->result, call->out);
    return r < 0 ? r : TOOL_DONE;
}

/* Standard error goes to the operator only; clients get the failure. */
static void report(const struct tool_call *call, struct jsv_str error)
{
    const struct log_field fields[] = {
        {"reason", JSV_STR("tool_failed")},
        {"tool", call->tool->name},
        {"detail", call->failure.message},
        {"stderr", error},
    };
    log_text("warning", fields, error.size > 0 ? 4 : 3);
}

static void count_program(struct commands *commands, int change)
{
    if (commands->counters) {
        log_count_program(commands->counters, change);
    }
}

/* ---- the end of a run ---- */

/* Gives its place back, if it has one. */
static void free_run(struct command_run *run)
{
    loop_fair_leave(&run->commands->queue, &run->item);
    jsv_dealloc(os_allocator(), run, sizeof(*run));
}

static void finish(struct tool_call *call, int error)
{
    call->state = NULL;
    call->error = error;
    call->finished(call); /* may free the call */
}

static void deliver(struct command_run *run, const struct loop_collected *end)
{
    struct tool_call *call = run->call;
    int r = read_output(call, end);
    r = r < 0 ? r : check_end(run, end);
    r = r < 0 ? r : check_kind(call);
    r = r < 0 ? r : conclude(call);
    if (call->failure.code.data) {
        report(call, end->error);
    }
    finish(call, r < 0 ? r : 0);
}

static void ended(void *owner, const struct loop_collected *end)
{
    struct command_run *run = owner;
    struct commands *commands = run->commands;
    os_list_remove(&commands->runs, run);
    count_program(commands, -1);
    if (run->call) {
        deliver(run, end);
    }
    loop_collector_close(run->process); /* not before: it holds the output */
    free_run(run);
}

/* ---- starting ---- */

/* Report a failure to start. @return TOOL_DONE; -errno of this server. */
static int explain(struct tool_call *call, int error)
{
    struct jsv_value command = jsv_value_get(call->tool->value, JSV_STR("command"));
    struct jsv_str name = jsv_value_text(jsv_value_at(command, 0));
    switch (error) {
    case -ENOENT:
    case -ENOTDIR:
        call->failure = envelope_failure_text(ENVELOPE_FAILURE_NOT_FOUND, name);
        break;
    case -EACCES:
    case -EPERM:
    case -ENOEXEC:
    case -EISDIR:
    case -ELIBBAD:
    case -ETXTBSY:
        call->failure = envelope_failure_text(ENVELOPE_FAILURE_NOT_EXECUTABLE, name);
        break;
    case -E2BIG:
        call->failure = envelope_failure_text(
            ENVELOPE_FAILURE_INPUT_INVALID, JSV_STR("too long for the arguments of a program"));
        break;
    case -EAGAIN:
    case -EMFILE:
    case -ENFILE:
        call->failure = envelope_failure_text(ENVELOPE_FAILURE_BUSY, (struct jsv_str){NULL, 0});
        break;
    default:
        return error;
    }
    return TOOL_DONE;
}

static int start_process(struct command_run *run)
{
    struct tool_call *call = run->call;
    struct command_line line;
    int r = command_line_make(call, &line, &call->failure);
    if (r != 0) {
        return r < 0 ? r : TOOL_DONE;
    }
    const struct loop_collector_options options = {
        .program = &line.program,
        .input = line.input,
        .output_max = run->output_max,
        .error_max = ERROR_SIZE_MAX,
        .timeout_ms = run->timeout_ms,
    };
    r = loop_collector_start(call->tools->commands.loop, &options, ended, run, &run->process);
    return r < 0 ? explain(call, r) : TOOL_WAIT;
}

/* @return as tool_run(); unless that is TOOL_WAIT, the run is freed. */
static int start(struct command_run *run)
{
    struct tool_call *call = run->call;
    struct commands *commands = run->commands;
    int r = start_process(run);
    if (r == TOOL_WAIT) {
        os_list_append(&commands->runs, run);
        count_program(commands, 1);
        return r;
    }
    free_run(run);
    call->state = NULL;
    if (r == TOOL_DONE) {
        report(call, JSV_STR(""));
        r = conclude(call);
    }
    return r;
}

/* ---- waiting ---- */

static void start_waiting(struct loop_fair_item *item)
{
    struct command_run *run = (struct command_run *)item;
    struct tool_call *call = run->call;
    call->queued_us = os_now_us() - run->entered_us;
    int r = start(run);
    if (r != TOOL_WAIT) {
        finish(call, r < 0 ? r : 0);
    }
}

static int refuse_as_busy(struct tool_call *call)
{
    call->failure = envelope_failure_text(ENVELOPE_FAILURE_BUSY, (struct jsv_str){NULL, 0});
    report(call, JSV_STR(""));
    return conclude(call);
}

static void refuse_dropped(struct loop_fair_item *item)
{
    struct command_run *run = (struct command_run *)item;
    struct tool_call *call = run->call;
    call->queued_us = os_now_us() - run->entered_us;
    free_run(run);
    int r = refuse_as_busy(call);
    finish(call, r < 0 ? r : 0);
}

void commands_init(struct commands *commands, struct loop *loop, size_t loops)
{
    const struct loop_fair_options options = {
        .loop = loop,
        .places = (size_t)COMMANDS_PER_CPU * os_cpu_count(),
        .loops = loops,
        .descriptors_part = COMMANDS_DESCRIPTORS_PART,
        .extra_part = COMMANDS_EXTRA_PART,
        .waiting_max = COMMANDS_WAITING_MAX,
        .start = start_waiting,
        .dropped = refuse_dropped,
    };
    *commands = (struct commands){.loop = loop};
    loop_fair_init(&commands->queue, &options);
}

/* ---- calls ---- */

/* A positive integer of the descriptor, checked by the catalog. */
static uint64_t number(const struct tool_call *call, struct jsv_str name, uint64_t usual)
{
    int64_t value;
    int r = jsv_value_int64(jsv_value_get(call->tool->value, name), &value);
    return r == 0 ? (uint64_t)value : usual;
}

int command_call(struct tool_call *call)
{
    struct commands *commands = &call->tools->commands;
    struct command_run *run = jsv_alloc(os_allocator(), sizeof(*run));
    if (!run) {
        return -ENOMEM;
    }
    uint64_t output_max = number(call, JSV_STR("max_output_bytes"), COMMAND_OUTPUT_MAX);
    if (call->has_output_max && call->output_max < output_max) {
        output_max = call->output_max;
    }
    *run = (struct command_run){
        .commands = commands,
        .call = call,
        .entered_us = os_now_us(),
        .timeout_ms = number(call, JSV_STR("timeout_ms"), COMMAND_TIMEOUT_MS),
        .output_max =
            output_max < COMMAND_OUTPUT_CEILING ? (size_t)output_max : COMMAND_OUTPUT_CEILING,
    };
    int r = loop_fair_enter(&commands->queue, call->connection, &run->item);
    if (r < 0) {
        free_run(run);
        return r == -EBUSY ? refuse_as_busy(call) : r;
    }
    call->state = run;
    return r == LOOP_FAIR_RUNNING ? start(run) : TOOL_WAIT;
}

void command_cancel(struct tool_call *call)
{
    struct command_run *run = call->state;
    call->state = NULL;
    if (run->process) {
        run->call = NULL;
        loop_collector_stop(run->process);
    } else {
        free_run(run);
    }
}

void commands_done(struct commands *commands)
{
    while (commands->runs.first) {
        struct command_run *run = commands->runs.first;
        assert(!run->call);
        os_list_remove(&commands->runs, run);
        loop_collector_close(run->process);
        free_run(run);
    }
    loop_fair_done(&commands->queue);
}
