#include "envelope/issue.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* The longest message of the table with its number. */
#define MESSAGE_SIZE_MAX 128

static const struct {
    struct jsv_str code;
    const char *before;
    const char *after;
    const char *detail;
} table[] = {
#define ENVELOPE_FAILURE(name, code, before, after, detail)                                        \
    [ENVELOPE_FAILURE_##name] = {JSV_STR(code), before, after, detail},
#include "envelope/failures.def"
#undef ENVELOPE_FAILURE
};

/* ---- making issues ---- */

int envelope_failure_number(
    enum envelope_failure failure,
    int64_t number,
    struct jsv_arena *arena,
    struct envelope_issue *ret_issue)
{
    assert(table[failure].after);
    char *message = jsv_arena_alloc(arena, MESSAGE_SIZE_MAX);
    if (!message) {
        return -ENOMEM;
    }
    snprintf(
        message,
        MESSAGE_SIZE_MAX,
        "%s%" PRId64 "%s",
        table[failure].before,
        number,
        table[failure].after);
    *ret_issue = (struct envelope_issue){
        .code = table[failure].code,
        .message = jsv_str_from(message),
        .details = {{.name = table[failure].detail, .number = number}},
        .detail_count = 1,
    };
    return 0;
}

struct envelope_issue envelope_failure_text(enum envelope_failure failure, struct jsv_str text)
{
    assert(!table[failure].after);
    return (struct envelope_issue){
        .code = table[failure].code,
        .message = jsv_str_from(table[failure].before),
        .details = {{.name = table[failure].detail, .text = text}},
        .detail_count = text.data ? 1 : 0,
    };
}

int envelope_failure_problem(
    enum envelope_failure failure,
    const struct jsv_problems *problems,
    struct jsv_arena *arena,
    struct envelope_issue *ret_issue)
{
    struct jsv_str path = problems->items[0].path;
    struct jsv_str message = problems->items[0].message;
    size_t size = path.size + 2 + message.size;
    char *text = jsv_arena_alloc(arena, size + 1);
    if (!text) {
        return -ENOMEM;
    }
    snprintf(
        text,
        size + 1,
        "%.*s%s%.*s",
        (int)path.size,
        path.size > 0 ? path.data : "",
        path.size > 0 ? ": " : "",
        (int)message.size,
        message.data);
    *ret_issue = envelope_failure_text(failure, jsv_str_from(text));
    return 0;
}

struct jsv_str envelope_failure_code(enum envelope_failure failure)
{
    return table[failure].code;
}

static struct envelope_issue issue_of(struct jsv_str code, const struct jsv_problem *problem)
{
    return (struct envelope_issue){
        .code = code,
        .message = problem->message,
        .details =
            {
                {.name = "path", .text = problem->path.data ? problem->path : JSV_STR("")},
                {.name = "keyword", .text = problem->keyword},
            },
        .detail_count = problem->keyword.size > 0 ? 2 : 1,
    };
}

int envelope_issues_from_problems(
    struct jsv_str code,
    const struct jsv_problems *problems,
    struct jsv_arena *arena,
    struct envelope_issues *ret_issues)
{
    struct envelope_issue *issues = jsv_arena_array(arena, problems->count, sizeof(*issues));
    if (!issues) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < problems->count; i++) {
        issues[i] = issue_of(code, &problems->items[i]);
    }
    *ret_issues = (struct envelope_issues){issues, problems->count};
    return 0;
}

/* ---- writing issues ---- */

/* Cut a text between characters. */
static struct jsv_str clipped(struct jsv_str text, size_t size_max)
{
    if (text.size > size_max) {
        text.size = size_max;
        while (text.size > 0 && (text.data[text.size] & 0xC0) == 0x80) {
            text.size--;
        }
    }
    return text;
}

static void write_details(const struct envelope_issue *issue, struct jsv_writer *writer)
{
    jsv_write_object_begin(writer);
    for (size_t i = 0; i < issue->detail_count; i++) {
        const struct envelope_detail *detail = &issue->details[i];
        jsv_write_key(writer, jsv_str_from(detail->name));
        if (detail->text.data) {
            jsv_write_string(writer, detail->text);
        } else {
            jsv_write_int64(writer, detail->number);
        }
    }
    jsv_write_object_end(writer);
}

void envelope_issue_write(
    const struct envelope_issue *issue, const char *details_name, struct jsv_writer *writer)
{
    jsv_write_object_begin(writer);
    jsv_write_member_string(writer, JSV_STR("code"), issue->code);
    jsv_write_member_string(
        writer, JSV_STR("message"), clipped(issue->message, ENVELOPE_MESSAGE_MAX));
    if (issue->detail_count > 0) {
        jsv_write_key(writer, jsv_str_from(details_name));
        write_details(issue, writer);
    }
    jsv_write_object_end(writer);
}

void envelope_issues_write(
    const struct envelope_issues *issues, const char *details_name, struct jsv_writer *writer)
{
    jsv_write_array_begin(writer);
    for (size_t i = 0; i < issues->count; i++) {
        envelope_issue_write(&issues->items[i], details_name, writer);
    }
    jsv_write_array_end(writer);
}
