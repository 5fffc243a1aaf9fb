/*
 * Taking findings down: where in the document, by which keyword, on which
 * trail of references, and the message. Only so many are kept; what comes when
 * there is no room is counted.
 */
#include "jsv/schema/report/findings.h"

#include <errno.h>
#include <string.h>

#include "jsv/json/pointer.h"
#include "jsv/json/value.h"
#include "jsv/json/write.h"
#include "jsv/schema/report/findings_parts.h"
#include "jsv/schema/report/message.h"
#include "jsv/schema/run/steps.h"

/* Findings that are kept at least, however few are shown: enough to find the first in order. */
#define KEPT_MIN 1024

struct jsv_findings jsv_findings_on(
    struct jsv_validator *validator,
    const struct jsv_schema *schema,
    const struct jsv_document *document)
{
    size_t shown = validator->limits.problems_max;
    return (struct jsv_findings){
        .validator = validator,
        .schema = schema,
        .document = document,
        .items = jsv_stack_on(&validator->arena, sizeof(struct jsv_finding)),
        .kept_max = shown > KEPT_MIN ? shown : KEPT_MIN,
    };
}

void *jsv_findings_take(struct jsv_findings *findings, size_t size)
{
    char *room = jsv_arena_alloc(&findings->validator->arena, size);
    if (!room) {
        findings->validator->error = -ENOMEM;
    }
    return room;
}

struct jsv_str jsv_findings_keep(struct jsv_findings *findings, const char *text, size_t size)
{
    char *copy = jsv_findings_take(findings, size);
    if (!copy) {
        return (struct jsv_str){"", 0};
    }
    memcpy(copy, text, size);
    return (struct jsv_str){copy, size};
}

const struct jsv_jump *jsv_findings_trail(struct jsv_findings *findings)
{
    const struct jsv_jump *trail = NULL;
    if (jsv_trail_keep(findings->jump, &findings->validator->arena, &trail) < 0) {
        findings->validator->error = -ENOMEM;
    }
    return trail;
}

/* ---- places ---- */

/* The last token of a place's pointer: its name, or the digits of its index. */
struct token {
    struct jsv_str text;
    size_t size; /* in the pointer, with its slash */
    char digits[JSV_DIGITS_MAX];
};

static void name_token(
    const struct jsv_document *document, const struct jsv_place *place, struct token *ret_token)
{
    if (place->key) {
        ret_token->text = jsv_string_text(document, place->key);
    } else {
        char *end = ret_token->digits + sizeof(ret_token->digits);
        char *digits = jsv_digits_before(end, place->index);
        ret_token->text = (struct jsv_str){digits, (size_t)(end - digits)};
    }
    ret_token->size = 1 + jsv_pointer_escaped_size(ret_token->text);
}

static void write_token(const struct token *token, char *to)
{
    *to = '/';
    jsv_pointer_escape(token->text, to + 1);
}

/* Paths up to here are written in one go: deep places are far apart in memory, so a second look at
   each of them doubles the time a finding takes. */
#define SHORT_PATH 1024

/* The pointer of a place, from its end. Long ones are measured first. */
static struct jsv_str path_of(struct jsv_findings *findings, const struct jsv_place *place)
{
    struct token token;
    char text[SHORT_PATH];
    size_t size = 0;
    for (const struct jsv_place *p = place; p->outer; p = p->outer) {
        name_token(findings->document, p, &token);
        size += token.size;
        if (size <= sizeof(text)) {
            write_token(&token, text + sizeof(text) - size);
        }
    }
    if (size <= sizeof(text)) {
        return jsv_findings_keep(findings, text + sizeof(text) - size, size);
    }
    char *path = jsv_findings_take(findings, size);
    if (!path) {
        return (struct jsv_str){"", 0};
    }
    char *start = path + size;
    for (const struct jsv_place *p = place; p->outer; p = p->outer) {
        name_token(findings->document, p, &token);
        start -= token.size;
        write_token(&token, start);
    }
    return (struct jsv_str){path, size};
}

/* ---- adding ---- */

/* An unexpected member, or a name under propertyNames, whose place is the name itself. */
static bool is_about_name(const struct jsv_finding_place *where)
{
    const struct jsv_place *place = where->place;
    return place->key && (place->key == place->node || (where->unexpected && where->member.data));
}

static struct jsv_finding *
add_finding(struct jsv_findings *findings, struct jsv_finding_place where)
{
    if (findings->items.count >= findings->kept_max) {
        findings->dropped++;
        return NULL;
    }
    struct jsv_finding *finding = jsv_stack_push(&findings->items, 1);
    if (!finding) {
        findings->validator->error = -ENOMEM;
        return NULL;
    }
    struct jsv_str path = path_of(findings, where.place);
    uint32_t depth = where.place->depth;
    /* Written name by name, some 10 ns each; the next evaluation notices that steps ran out. */
    findings->validator->steps -= (int64_t)(depth / 2 + jsv_steps_for_text(path.size));
    *finding = (struct jsv_finding){
        .path = path,
        .schema = where.schema,
        .use = where.use,
        .trail = jsv_findings_trail(findings),
        .found = JSV_TYPE_NONE,
        .about_name = is_about_name(&where),
        .depth = depth - where.unexpected,
    };
    return finding;
}

int jsv_finding_add(
    struct jsv_findings *findings, struct jsv_finding_place where, const char *format, ...)
{
    struct jsv_finding *finding = findings ? add_finding(findings, where) : NULL;
    if (!finding) {
        return 0;
    }
    va_list arguments;
    va_start(arguments, format);
    char text[JSV_FINDING_MESSAGE_MAX];
    size_t size = jsv_message_print(text, sizeof(text), format, arguments);
    va_end(arguments);
    finding->message = jsv_findings_keep(findings, text, size);
    if (where.member.data) {
        finding->member = jsv_findings_keep(findings, where.member.data, where.member.size);
    }
    return 0;
}

int jsv_finding_add_expected(
    struct jsv_findings *findings, struct jsv_finding_place where, struct jsv_expected expected)
{
    struct jsv_finding *finding = findings ? add_finding(findings, where) : NULL;
    if (!finding) {
        return 0;
    }
    finding->message = jsv_expected_message(findings, &expected);
    finding->found = jsv_node_type(where.place->node);
    struct jsv_expected_values *lists =
        jsv_findings_take(findings, expected.list_count * sizeof(*lists));
    if (lists) {
        finding->expected.tag = true;
        jsv_expected_append(&finding->expected, lists, &expected);
    }
    return 0;
}
