#include "tools/command_line.h"

#include <errno.h>
#include <string.h>

#include "catalog/catalog.h"
#include "catalog/command.h"
#include "jsv/base/ascii.h"
#include "os/sys.h"
#include "tools/tool.h"

/* Linux limits one argument to 128 KiB. */
#define TEXT_SIZE_MAX ((size_t)128 << 10)

/* Variables that every program inherits. None is secret. */
static const char *const inherited[] = {
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"};

#define INHERITED (sizeof(inherited) / sizeof(inherited[0]))

/* TRACEPARENT and TRACESTATE. */
#define TRACE_ENTRIES 2

struct builder {
    const struct tool_call *call;
    struct jsv_buf text; /* the argument being built */
    char **arguments;
    size_t count;
    bool options_are_over; /* a literal "--" of the template is among the arguments */
    const char *error;     /* why the values cannot be arguments */
};

static struct jsv_value member(const struct tool_call *call, struct jsv_str name)
{
    return jsv_value_get(call->tool->value, name);
}

/* ---- the environment ---- */

static struct jsv_str name_of(struct jsv_str entry)
{
    const char *equals = memchr(entry.data, '=', entry.size);
    return (struct jsv_str){entry.data, equals ? (size_t)(equals - entry.data) : entry.size};
}

/* An entry replaces an earlier one of the same name. */
static int
put_entry(struct jsv_arena *arena, char **environment, struct jsv_str name, struct jsv_str value)
{
    size_t i = 0;
    while (environment[i] && !jsv_str_equal(name_of(jsv_str_from(environment[i])), name)) {
        i++;
    }
    environment[i] = catalog_command_join(arena, name, JSV_STR("="), value);
    return environment[i] ? 0 : -ENOMEM;
}

/* "NAME" is inherited if it is set here, "NAME=value" is set. */
static int add_entry(const struct tool_call *call, char **environment, struct jsv_str entry)
{
    struct jsv_str name = name_of(entry);
    if (name.size < entry.size) {
        struct jsv_str value = {entry.data + name.size + 1, entry.size - name.size - 1};
        return put_entry(call->scratch, environment, name, value);
    }
    char *text = catalog_command_join(call->scratch, name, JSV_STR(""), JSV_STR(""));
    const char *ours = text ? os_getenv(text) : NULL;
    if (!text) {
        return -ENOMEM;
    }
    return ours ? put_entry(call->scratch, environment, name, jsv_str_from(ours)) : 0;
}

/* The variables that traced programs read. */
static int add_trace(const struct tool_call *call, char **environment)
{
    struct log_trace_context trace = tool_trace(call);
    int r = 0;
    if (trace.parent.data) {
        r = put_entry(call->scratch, environment, JSV_STR("TRACEPARENT"), trace.parent);
    }
    if (r == 0 && trace.state.data) {
        r = put_entry(call->scratch, environment, JSV_STR("TRACESTATE"), trace.state);
    }
    return r;
}

static int make_environment(const struct tool_call *call, char *const **ret_environment)
{
    struct jsv_value list = member(call, JSV_STR("environment"));
    size_t count = INHERITED + TRACE_ENTRIES + jsv_value_count(list) + 1;
    char **environment = jsv_arena_array(call->scratch, count, sizeof(*environment));
    if (!environment) {
        return -ENOMEM;
    }
    memset(environment, 0, count * sizeof(*environment));
    int r = 0;
    for (size_t i = 0; i < INHERITED && r == 0; i++) {
        r = add_entry(call, environment, jsv_str_from(inherited[i]));
    }
    r = r < 0 ? r : add_trace(call, environment);
    struct jsv_iter iter = jsv_value_iter(list);
    while (r == 0 && jsv_iter_next(&iter)) {
        r = add_entry(call, environment, jsv_value_text(iter.value));
    }
    *ret_environment = environment;
    return r;
}

/* ---- arguments ---- */

static int refuse(struct builder *builder, const char *why)
{
    builder->error = why;
    return -EINVAL;
}

/* @return 0; -EINVAL when refused; -ENOMEM. */
static int push(struct builder *builder, struct jsv_str text)
{
    if (builder->count == COMMAND_ARGUMENTS_MAX) {
        return refuse(builder, "too many arguments for a program");
    }
    if (text.size > 0 && memchr(text.data, 0, text.size)) {
        return refuse(builder, "a program's argument cannot contain a NUL character");
    }
    char *copy = catalog_command_join(builder->call->scratch, text, JSV_STR(""), JSV_STR(""));
    if (!copy) {
        return -ENOMEM;
    }
    builder->arguments[builder->count++] = copy;
    return 0;
}

/* The number of "-" at the beginning of a text. */
static size_t count_dashes(struct jsv_str text)
{
    size_t count = 0;
    while (count < text.size && text.data[count] == '-') {
        count++;
    }
    return count;
}

/*
 * The same for a text with a value at its beginning, or with only dashes before the value:
 * the value must not add any, or it could be taken for an option ("{x}"), another kind of option,
 * or the end of options ("-{x}").
 */
static int push_value(struct builder *builder, struct jsv_str text, size_t dashes)
{
    bool is_option = count_dashes(text) > dashes && !builder->options_are_over;
    return is_option
               ? refuse(builder, "a value that begins with \"-\" could be taken for an option")
               : push(builder, text);
}

size_t command_line_placeholder(struct jsv_str text, struct jsv_str *ret_name)
{
    size_t i = 1;
    if (text.size == 0 || text.data[0] != '{') {
        return 0;
    }
    while (i < text.size && (jsv_is_alnum(text.data[i]) || strchr("_-.", text.data[i]))) {
        i++;
    }
    *ret_name = (struct jsv_str){text.data + 1, i - 1};
    return i > 1 && i < text.size && text.data[i] == '}' ? i + 1 : 0;
}

static void append_value(struct builder *builder, struct jsv_value value)
{
    struct jsv_writer writer = jsv_writer_on(&builder->text);
    if (jsv_value_type(value) == JSV_TYPE_STRING) {
        jsv_buf_append_str(&builder->text, jsv_value_text(value));
    } else {
        jsv_write_value(&writer, value);
    }
}

static bool is_missing(struct jsv_value value)
{
    enum jsv_type type = jsv_value_type(value);
    return type == JSV_TYPE_NONE || type == JSV_TYPE_NULL;
}

static int text_error(struct builder *builder)
{
    int error = builder->text.error;
    return error == -ENOBUFS ? refuse(builder, "a value is too long for a program's argument")
                             : error;
}

/* A text of the template. @return 1 when it is left out; otherwise as push(). */
static int expand(struct builder *builder, struct jsv_str text)
{
    struct jsv_str name;
    size_t dashes = count_dashes(text);
    struct jsv_str behind = {text.data + dashes, text.size - dashes};
    bool begins_with_value = command_line_placeholder(behind, &name) > 0;
    bool ends_options = jsv_str_equal(text, JSV_STR("--"));
    jsv_buf_reset(&builder->text);
    while (text.size > 0) {
        size_t size = command_line_placeholder(text, &name);
        if (size == 0) {
            jsv_buf_append_byte(&builder->text, text.data[0]);
            size = 1;
        } else {
            struct jsv_value value = jsv_value_get(builder->call->arguments, name);
            if (is_missing(value)) {
                return 1;
            }
            append_value(builder, value);
        }
        text = (struct jsv_str){text.data + size, text.size - size};
    }
    int r = text_error(builder);
    if (r < 0) {
        return r;
    }
    struct jsv_str whole = jsv_buf_str(&builder->text);
    r = begins_with_value ? push_value(builder, whole, dashes) : push(builder, whole);
    builder->options_are_over |= ends_options;
    return r;
}

static int expand_list(struct builder *builder, struct jsv_value list)
{
    int r = 0;
    struct jsv_iter iter = jsv_value_iter(list);
    while (r == 0 && jsv_iter_next(&iter)) {
        jsv_buf_reset(&builder->text);
        append_value(builder, iter.value);
        r = text_error(builder);
        r = r < 0 ? r : push_value(builder, jsv_buf_str(&builder->text), 0);
    }
    return r;
}

/* A text, or one argument per element of an array. */
static int expand_text(struct builder *builder, struct jsv_str text)
{
    struct jsv_str name;
    if (text.size > 0 && command_line_placeholder(text, &name) == text.size) {
        struct jsv_value value = jsv_value_get(builder->call->arguments, name);
        if (jsv_value_type(value) == JSV_TYPE_ARRAY) {
            return expand_list(builder, value);
        }
    }
    return expand(builder, text);
}

/* A whole group, or nothing. */
static int expand_group(struct builder *builder, struct jsv_value group)
{
    size_t before = builder->count;
    bool were_over = builder->options_are_over;
    int r = 0;
    struct jsv_iter iter = jsv_value_iter(group);
    while (r == 0 && jsv_iter_next(&iter)) {
        r = expand_text(builder, jsv_value_text(iter.value));
    }
    if (r == 1) {
        builder->count = before;
        builder->options_are_over = were_over;
    }
    return r;
}

static int add_arguments(struct builder *builder)
{
    int r = 0;
    struct jsv_iter iter = jsv_value_iter(member(builder->call, JSV_STR("command")));
    while (r == 0 && jsv_iter_next(&iter)) {
        r = push(builder, jsv_value_text(iter.value));
    }
    iter = jsv_value_iter(member(builder->call, JSV_STR("arguments")));
    while (r >= 0 && jsv_iter_next(&iter)) {
        r = jsv_value_type(iter.value) == JSV_TYPE_STRING
                ? expand_text(builder, jsv_value_text(iter.value))
                : expand_group(builder, iter.value);
    }
    return r < 0 ? r : 0;
}

/* @return 0; 1 with the failure; -ENOMEM. */
static int make_arguments(
    const struct tool_call *call,
    char *const **ret_arguments,
    struct envelope_issue *reterr_failure)
{
    struct builder builder = {
        .call = call,
        .arguments =
            jsv_arena_array(call->scratch, COMMAND_ARGUMENTS_MAX + 1, sizeof(*builder.arguments)),
    };
    if (!builder.arguments) {
        return -ENOMEM;
    }
    jsv_buf_init(&builder.text, os_allocator(), TEXT_SIZE_MAX);
    int r = add_arguments(&builder);
    jsv_buf_done(&builder.text);
    if (builder.error) {
        struct jsv_str why = jsv_str_from(builder.error);
        *reterr_failure = envelope_failure_text(ENVELOPE_FAILURE_INPUT_INVALID, why);
        return 1;
    }
    builder.arguments[builder.count] = NULL;
    *ret_arguments = builder.arguments;
    return r;
}

/* ---- the whole ---- */

int command_line_make(
    const struct tool_call *call,
    struct command_line *ret_line,
    struct envelope_issue *reterr_failure)
{
    struct command_line line = {.input = JSV_STR("")};
    struct jsv_str name = jsv_value_text(jsv_value_at(member(call, JSV_STR("command")), 0));
    int r = make_arguments(call, &line.program.arguments, reterr_failure);
    if (r == 0) {
        r = catalog_command_find(call->tool, call->scratch, &line.program.path);
    }
    if (r == 0 && !line.program.path) {
        *reterr_failure = envelope_failure_text(ENVELOPE_FAILURE_NOT_FOUND, name);
        return 1;
    }
    if (r == 0) {
        line.program.directory = catalog_command_directory(call->tool, call->scratch);
        r = line.program.directory ? 0 : -ENOMEM;
    }
    if (r == 0) {
        r = make_environment(call, &line.program.environment);
    }
    if (r == 0 && jsv_value_type(member(call, JSV_STR("arguments"))) == JSV_TYPE_NONE) {
        line.input = jsv_value_span(call->arguments);
    }
    *ret_line = line;
    return r;
}
