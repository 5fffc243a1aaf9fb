#include "cli/validate/output.h"

#include <errno.h>
#include <string.h>

#include "cli/report.h"
#include "jsv/base/percent.h"
#include "jsv/base/utf8.h"
#include "jsv/json/pointer.h"

/* Bytes shown of a pointer into the schema. */
#define PLACE_SIZE_MAX 256

/* What follows a keyword in an evaluation path. */
enum follower {
    SCHEMA, /* a keyword of a schema */
    NAME,   /* a name, then a keyword */
    INDEX,  /* optionally a number, then a keyword */
};

static bool is_one_of(struct jsv_str token, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (jsv_str_equal(token, jsv_str_from(names[i]))) {
            return true;
        }
    }
    return false;
}

#define IS_ONE_OF(token, names) is_one_of((token), (names), sizeof(names) / sizeof((names)[0]))

static bool is_dependency(struct jsv_str token)
{
    static const char *const names[] = {"dependencies", "dependentSchemas"};
    return IS_ONE_OF(token, names);
}

static enum follower follower_of(struct jsv_str token)
{
    static const char *const maps[] = {"properties", "patternProperties", "$defs", "definitions"};
    static const char *const lists[] = {"allOf", "anyOf", "oneOf", "prefixItems", "items"};
    if (is_dependency(token) || IS_ONE_OF(token, maps)) {
        return NAME;
    }
    return IS_ONE_OF(token, lists) ? INDEX : SCHEMA;
}

static bool is_number(struct jsv_str token)
{
    return token.size > 0 && token.data[0] >= '0' && token.data[0] <= '9';
}

/* The last condition in an evaluation path. */
struct condition {
    struct jsv_str keyword; /* then, else, dependencies, dependentSchemas; empty: none */
    struct jsv_str schema;  /* path of the schema it is in */
    struct jsv_str name;    /* of the member of a dependency; escaped */
};

/* The token after the slash at an offset. */
static struct jsv_str token_at(struct jsv_str path, size_t at)
{
    const char *start = path.data + at + 1;
    size_t room = path.size - at - 1;
    const char *slash = memchr(start, '/', room);
    return (struct jsv_str){start, slash ? (size_t)(slash - start) : room};
}

static struct condition find_condition(struct jsv_str path)
{
    struct condition found = {{"", 0}, {"", 0}, {"", 0}};
    for (size_t at = 0; at < path.size;) {
        struct jsv_str token = token_at(path, at);
        size_t next = at + 1 + token.size;
        struct jsv_str after = next < path.size ? token_at(path, next) : (struct jsv_str){"", 0};
        enum follower what = follower_of(token);
        if (jsv_str_equal(token, JSV_STR("then")) || jsv_str_equal(token, JSV_STR("else")) ||
            is_dependency(token)) {
            found = (struct condition){token, {path.data, at}, after};
        }
        if (next < path.size && (what == NAME || (what == INDEX && is_number(after)))) {
            next += 1 + after.size;
        }
        at = next;
    }
    return found;
}

/* Append the unescaped name of a pointer token. */
static void put_name(struct cli_message *message, struct jsv_str token)
{
    char name[2 * PLACE_SIZE_MAX + 2]; /* longer than what is shown */
    size_t size_max = sizeof(name);
    size_t size = token.size < size_max ? token.size : size_max;
    size -= size > 0 && token.data[size - 1] == '~'; /* the cut is inside an escape */
    char *end = jsv_pointer_unescape((struct jsv_str){token.data, size}, name);
    cli_message_put_clipped(message, (struct jsv_str){name, (size_t)(end - name)}, PLACE_SIZE_MAX);
}

static void put_condition(struct cli_message *message, const struct condition *condition)
{
    if (condition->keyword.size == 0) {
        return;
    }
    cli_message_put(message, ", which applies because ");
    if (is_dependency(condition->keyword)) {
        cli_message_put(message, "\"");
        put_name(message, condition->name);
        cli_message_put(message, "\" is present");
        return;
    }
    bool is_then = jsv_str_equal(condition->keyword, JSV_STR("then"));
    cli_message_put(message, "\"if\" at ");
    cli_message_put_clipped(message, condition->schema, PLACE_SIZE_MAX);
    cli_message_put(message, is_then ? "/if matches" : "/if does not match");
}

void validate_reason_put(struct cli_message *message, const struct jsv_problem *problem)
{
    bool is_not = jsv_str_equal(problem->keyword, JSV_STR("not"));
    if ((!is_not && problem->keyword.size > 0) || problem->schema_path.size == 0) {
        return;
    }
    struct condition condition = find_condition(problem->evaluation_path);
    cli_message_put(message, is_not ? " at " : ": the schema at ");
    cli_message_put_clipped(message, problem->schema_path, PLACE_SIZE_MAX);
    cli_message_put(message, is_not ? "" : " is false");
    put_condition(message, &condition);
}

/* Bytes shown of untrusted text. */
#define NAME_SIZE_MAX    1024
#define PATH_SIZE_MAX    256
#define MESSAGE_SIZE_MAX 512

/* ---- text ---- */

/* Whether an object lacks a member that is always required. */
static bool is_missing(const struct jsv_problem *problem)
{
    return problem->member.data && jsv_str_equal(problem->keyword, JSV_STR("required"));
}

/* How many problems are shown as one: members missing in the same object. */
static size_t count_together(const struct jsv_problems *problems, size_t from)
{
    const struct jsv_problem *first = &problems->items[from];
    size_t count = 1;
    while (is_missing(first) && from + count < problems->count && is_missing(&first[count]) &&
           jsv_str_equal(first[count].path, first->path)) {
        count++;
    }
    return count;
}

/* `missing properties "a", "b", "c"` */
static void
put_missing(struct cli_message *message, const struct jsv_problem *problems, size_t count)
{
    size_t room = MESSAGE_SIZE_MAX;
    cli_message_put(message, "missing properties ");
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && problems[i].member.size + 4 > room) {
            cli_message_printf(message, " and %zu more", count - i);
            return;
        }
        cli_message_put(message, i > 0 ? ", \"" : "\"");
        cli_message_put_clipped(message, problems[i].member, PATH_SIZE_MAX);
        cli_message_put(message, "\"");
        room -= problems[i].member.size + 4 < room ? problems[i].member.size + 4 : room;
    }
}

/* @param count Problems that are shown as one. */
static void
put_message(struct cli_message *message, const struct jsv_problem *problem, size_t count)
{
    if (problem->path.size > 0) {
        cli_message_put_clipped(message, problem->path, PATH_SIZE_MAX);
        cli_message_put(message, ": ");
    }
    if (count > 1) {
        put_missing(message, problem, count);
    } else {
        cli_message_put_clipped(message, problem->message, MESSAGE_SIZE_MAX);
    }
    if (problem->found.size > 0) {
        cli_message_put(message, ", found ");
        cli_message_put_text(message, problem->found);
    }
    validate_reason_put(message, problem);
    size_t others = 0;
    for (size_t i = 0; i < count; i++) {
        others = problem[i].others > others ? problem[i].others : others;
    }
    if (others > 0) {
        cli_message_printf(message, ", or one of %zu other%s", others, others == 1 ? "" : "s");
    }
}

static void put_problem(
    struct cli_message *message,
    const struct validate_verdict *verdict,
    const struct jsv_problem *problem,
    size_t count,
    const struct jsv_position *position)
{
    cli_message_put_colour(message, CLI_COLOUR_PLACE);
    cli_message_put_clipped(message, jsv_str_from(verdict->name), NAME_SIZE_MAX);
    cli_message_printf(message, ":%zu:%zu:", position->line, position->column);
    cli_message_put_colour(message, CLI_COLOUR_OFF);
    cli_message_put(message, " ");
    put_message(message, problem, count);
    cli_message_put_excerpt(message, verdict->text, position->offset);
    cli_message_put(message, "\n");
}

static void write_text(const struct validate_verdict *verdict, bool colour, struct jsv_buf *out)
{
    const struct jsv_problems *problems = &verdict->problems;
    struct jsv_position position = jsv_position_in(verdict->text, verdict->line);
    struct cli_message message;
    for (size_t i = 0, count; i < problems->count; i += count) {
        count = count_together(problems, i);
        cli_message_init(&message, colour);
        jsv_position_move(&position, problems->items[i].offset);
        put_problem(&message, verdict, &problems->items[i], count, &position);
        jsv_buf_append(out, message.data, message.size);
    }
    if (problems->more > 0) {
        cli_message_init(&message, colour);
        cli_message_put_clipped(&message, jsv_str_from(verdict->name), NAME_SIZE_MAX);
        cli_message_printf(&message, ":%zu: and %zu more\n", verdict->line, problems->more);
        jsv_buf_append(out, message.data, message.size);
    }
}

/* ---- json and basic ---- */

static void write_name(struct jsv_writer *writer, const char *name)
{
    struct jsv_str text = jsv_str_from(name);
    if (jsv_utf8_valid_prefix(text) == text.size) {
        jsv_write_string(writer, text);
        return;
    }
    struct jsv_buf utf8;
    jsv_buf_init(&utf8, &writer->out->allocator, writer->out->size_max);
    if (jsv_utf8_append_repaired(&utf8, text) < 0) {
        writer->out->error = utf8.error;
    } else {
        jsv_write_string(writer, jsv_buf_str(&utf8));
    }
    jsv_buf_done(&utf8);
}

static void write_json(
    const struct validate_verdict *verdict,
    const struct jsv_problems *problems,
    struct jsv_buf *out)
{
    struct jsv_writer writer = jsv_writer_on(out);
    bool ok = problems->count == 0;
    jsv_write_object_begin(&writer);
    jsv_write_key(&writer, JSV_STR("file"));
    write_name(&writer, verdict->name);
    jsv_write_member_uint64(&writer, JSV_STR("line"), verdict->line);
    jsv_write_member_bool(&writer, JSV_STR("ok"), ok);
    if (!ok) {
        jsv_write_key(&writer, JSV_STR("errors"));
        jsv_problems_write_json(problems, out);
    }
    if (problems->more > 0) {
        jsv_write_member_uint64(&writer, JSV_STR("more"), problems->more);
    }
    jsv_write_object_end(&writer);
}

/* These formats have no line and column. If the text is not JSON, the message has them. */
static void write_lines(
    const struct validate_verdict *verdict, enum validate_format format, struct jsv_buf *out)
{
    struct jsv_problems problems = verdict->problems;
    struct jsv_problem problem;
    struct cli_message message;
    if (!verdict->is_json && verdict->text.size > 0) {
        struct jsv_position position = jsv_position_in(verdict->text, verdict->line);
        problem = problems.items[0];
        jsv_position_move(&position, problem.offset);
        cli_message_init(&message, false);
        cli_message_put_clipped(&message, problem.message, MESSAGE_SIZE_MAX);
        cli_message_printf(&message, " (line %zu, column %zu)", position.line, position.column);
        problem.message = (struct jsv_str){message.data, message.size};
        problems.items = &problem;
    }
    if (format == VALIDATE_JSON) {
        write_json(verdict, &problems, out);
    } else {
        jsv_problems_write_basic(&problems, out);
    }
    jsv_buf_append_byte(out, '\n');
}

/* ---- github ---- */

/* Append text to a workflow command, with its special characters encoded. */
static void put_escaped(struct jsv_buf *out, struct jsv_str text, const char *special)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte >= 0x20 && byte != 0x7f && !strchr(special, text.data[i])) {
            jsv_buf_append_byte(out, text.data[i]);
        } else {
            char escape[3];
            jsv_percent_spell(byte, escape);
            jsv_buf_append(out, escape, sizeof(escape));
        }
    }
}

#define GITHUB_IN_DATA     "%\r\n"
#define GITHUB_IN_PROPERTY GITHUB_IN_DATA ":,"

static void put_number(struct jsv_buf *out, size_t number)
{
    struct jsv_writer writer = jsv_writer_on(out);
    jsv_write_uint64(&writer, number);
}

/* "::error file=a.json,line=3,col=8::" @param position NULL: only the line is known. */
static void put_command(
    struct jsv_buf *out,
    const struct validate_verdict *verdict,
    const struct jsv_position *position)
{
    jsv_buf_append_str(out, JSV_STR("::error file="));
    put_escaped(out, jsv_str_from(verdict->name), GITHUB_IN_PROPERTY);
    jsv_buf_append_str(out, JSV_STR(",line="));
    put_number(out, position ? position->line : verdict->line);
    if (position) {
        jsv_buf_append_str(out, JSV_STR(",col="));
        put_number(out, position->column);
    }
    jsv_buf_append_str(out, JSV_STR("::"));
}

static void write_github(const struct validate_verdict *verdict, struct jsv_buf *out)
{
    const struct jsv_problems *problems = &verdict->problems;
    struct jsv_position position = jsv_position_in(verdict->text, verdict->line);
    for (size_t i = 0; i < problems->count; i++) {
        const struct jsv_problem *problem = &problems->items[i];
        jsv_position_move(&position, problem->offset);
        put_command(out, verdict, &position);
        put_escaped(out, problem->path, GITHUB_IN_DATA);
        jsv_buf_append_str(out, problem->path.size > 0 ? JSV_STR(": ") : JSV_STR(""));
        put_escaped(out, problem->message, GITHUB_IN_DATA);
        jsv_buf_append_byte(out, '\n');
    }
    if (problems->more > 0) {
        put_command(out, verdict, NULL);
        jsv_buf_append_str(out, JSV_STR("and "));
        put_number(out, problems->more);
        jsv_buf_append_str(out, JSV_STR(" more\n"));
    }
}

void validate_output_write(
    const struct validate_verdict *verdict,
    enum validate_format format,
    bool colour,
    struct jsv_buf *out)
{
    switch (format) {
    case VALIDATE_TEXT:
        write_text(verdict, colour, out);
        break;
    case VALIDATE_JSON:
    case VALIDATE_BASIC:
        write_lines(verdict, format, out);
        break;
    case VALIDATE_GITHUB:
        write_github(verdict, out);
        break;
    }
}
