/*
 * Adding findings: the place in the document, the keyword, the references
 * followed to it, and the message. Findings beyond a limit are only counted.
 */
#include "jsv/schema/report/findings.h"

#include <errno.h>
#include <string.h>

#include "jsv/json/node.h"
#include "jsv/json/pointer.h"
#include "jsv/json/write.h"
#include "jsv/schema/report/message.h"
#include "jsv/schema/run/steps.h"

/* Findings kept even if fewer are reported: enough to find those that come first in order. */
#define KEPT_MIN 1024

/* Values listed in a message. */
#define VALUES_MAX 32

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

void *jsv_findings_alloc(struct jsv_findings *findings, size_t size)
{
    char *memory = jsv_arena_alloc(&findings->validator->arena, size);
    if (!memory) {
        findings->validator->error = -ENOMEM;
    }
    return memory;
}

struct jsv_str jsv_findings_copy(struct jsv_findings *findings, const char *text, size_t size)
{
    char *copy = jsv_findings_alloc(findings, size + 1);
    if (!copy) {
        return (struct jsv_str){"", 0};
    }
    memcpy(copy, text, size);
    copy[size] = '\0';
    return (struct jsv_str){copy, size};
}

const struct jsv_ref_link *jsv_findings_copy_refs(struct jsv_findings *findings)
{
    struct jsv_ref_link *first = NULL;
    struct jsv_ref_link **next = &first;
    for (struct jsv_ref_link *ref = findings->ref; ref; ref = ref->outer) {
        if (ref->copy) {
            *next = ref->copy;
            break;
        }
        struct jsv_ref_link *copy = jsv_findings_alloc(findings, sizeof(*copy));
        if (!copy) {
            return NULL;
        }
        *copy = *ref;
        copy->outer = NULL;
        ref->copy = copy;
        *next = copy;
        next = &copy->outer;
    }
    return first;
}

/* ---- paths ---- */

/* The last token of a place's pointer: its name, or the digits of its index. */
struct token {
    struct jsv_str text;
    size_t size; /* in the pointer, with its slash */
    char digits[JSV_DIGITS_MAX];
};

static void get_token(
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

/* Paths up to this size are written in one pass. The places of a deep path are far apart in
   memory, so a second pass would double the time of adding a finding. */
#define SHORT_PATH 1024

/* The pointer of a place, written from its end. A long one is measured first. */
static struct jsv_str path_of(struct jsv_findings *findings, const struct jsv_place *place)
{
    struct token token;
    char text[SHORT_PATH];
    size_t size = 0;
    for (const struct jsv_place *p = place; p->outer; p = p->outer) {
        get_token(findings->document, p, &token);
        size += token.size;
        if (size <= sizeof(text)) {
            write_token(&token, text + sizeof(text) - size);
        }
    }
    if (size <= sizeof(text)) {
        return jsv_findings_copy(findings, text + sizeof(text) - size, size);
    }
    char *path = jsv_findings_alloc(findings, size);
    if (!path) {
        return (struct jsv_str){"", 0};
    }
    char *start = path + size;
    for (const struct jsv_place *p = place; p->outer; p = p->outer) {
        get_token(findings->document, p, &token);
        start -= token.size;
        write_token(&token, start);
    }
    return (struct jsv_str){path, size};
}

/* ---- adding ---- */

/* True for an unexpected member, and for a name under propertyNames, where node and key agree. */
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
    /* About 10 ns for each token of the path. The next evaluation checks for steps below 0. */
    findings->validator->steps -= (int64_t)(depth / 2 + jsv_steps_for_text(path.size));
    *finding = (struct jsv_finding){
        .path = path,
        .node = where.place->node,
        .schema = where.schema,
        .use = where.use,
        .refs = jsv_findings_copy_refs(findings),
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
    struct jsv_sentence sentence;
    sentence.size = jsv_message_print(sentence.text, sizeof(sentence.text), format, arguments);
    va_end(arguments);
    finding->message = jsv_findings_copy(findings, sentence.text, sentence.size);
    if (where.member.data) {
        finding->member = jsv_findings_copy(findings, where.member.data, where.member.size);
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
    struct jsv_expected_values *lists =
        jsv_findings_alloc(findings, expected.list_count * sizeof(*lists));
    if (lists) {
        finding->expected.tag = true;
        jsv_expected_append(&finding->expected, lists, &expected);
    }
    return 0;
}

/* ---- what was expected ---- */

bool jsv_sentence_append(struct jsv_sentence *sentence, struct jsv_str text)
{
    if (text.size > sizeof(sentence->text) - sentence->size - sizeof(", …")) {
        return false;
    }
    memcpy(sentence->text + sentence->size, text.data, text.size);
    sentence->size += text.size;
    return true;
}

static void append_types(struct jsv_sentence *sentence, unsigned types)
{
    static const struct {
        unsigned bit;
        const char *name;
    } names[] = {
        {JSV_TYPE_BIT_NULL, "null"},
        {JSV_TYPE_BIT_BOOLEAN, "boolean"},
        {JSV_TYPE_BIT_INTEGER, "integer"},
        {JSV_TYPE_BIT_NUMBER, "number"},
        {JSV_TYPE_BIT_STRING, "string"},
        {JSV_TYPE_BIT_ARRAY, "array"},
        {JSV_TYPE_BIT_OBJECT, "object"},
    };
    bool first = true;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (types & names[i].bit) {
            jsv_sentence_append(sentence, first ? JSV_STR("") : JSV_STR(" or "));
            jsv_sentence_append(sentence, jsv_str_from(names[i].name));
            first = false;
        }
    }
}

/* Different values, spelled as in their schemas. */
struct value_list {
    struct jsv_str texts[VALUES_MAX];
    size_t count;
    bool more;
};

static void add_value(struct value_list *values, struct jsv_str text)
{
    for (size_t i = 0; i < values->count; i++) {
        if (jsv_str_equal(values->texts[i], text)) {
            return;
        }
    }
    if (values->count == VALUES_MAX) {
        values->more = true;
        return;
    }
    values->texts[values->count++] = text;
}

static void list_values(const struct jsv_expected *expected, struct value_list *ret_values)
{
    ret_values->count = 0; /* the texts need no clearing */
    ret_values->more = false;
    for (size_t i = 0; i < expected->list_count; i++) {
        const struct jsv_expected_values *list = &expected->lists[i];
        const struct jsv_node *value = list->first;
        for (size_t j = 0; j < list->count && !ret_values->more; j++) {
            add_value(ret_values, jsv_node_span(list->document, value));
            value = jsv_node_next(value);
        }
    }
}

static bool append_value(struct jsv_sentence *sentence, struct jsv_str text)
{
    struct jsv_str part = jsv_message_value(text);
    return jsv_sentence_append(sentence, part) &&
           (part.size == text.size || jsv_sentence_append(sentence, JSV_STR("…")));
}

static void append_values(struct jsv_sentence *sentence, const struct value_list *values)
{
    for (size_t i = 0; i < values->count || values->more; i++) {
        struct jsv_str comma = i ? JSV_STR(", ") : JSV_STR("");
        size_t before = sentence->size;
        if (i < values->count && jsv_sentence_append(sentence, comma) &&
            append_value(sentence, values->texts[i])) {
            continue;
        }
        sentence->size = before;
        memcpy(sentence->text + before, ", …", sizeof(", …") - 1);
        sentence->size += sizeof(", …") - 1;
        return;
    }
}

struct jsv_str
jsv_expected_message(struct jsv_findings *findings, const struct jsv_expected *expected)
{
    struct jsv_sentence sentence;
    struct value_list values;
    sentence.size = 0;
    list_values(expected, &values);
    jsv_sentence_append(&sentence, JSV_STR("expected "));
    append_types(&sentence, expected->types);
    if (values.count) {
        jsv_sentence_append(&sentence, expected->types ? JSV_STR(" or ") : JSV_STR(""));
        jsv_sentence_append(&sentence, values.count > 1 ? JSV_STR("one of ") : JSV_STR(""));
        append_values(&sentence, &values);
    } else if (!expected->types) {
        jsv_sentence_append(&sentence, JSV_STR("nothing")); /* the list of them is empty */
    }
    return jsv_findings_copy(findings, sentence.text, sentence.size);
}

void jsv_expected_append(
    struct jsv_expected *all, struct jsv_expected_values *lists, const struct jsv_expected *more)
{
    if (more->list_count) {
        memcpy(lists + all->list_count, more->lists, more->list_count * sizeof(*lists));
    }
    all->types |= more->types;
    all->lists = lists;
    all->list_count += more->list_count;
    all->tag &= more->tag;
}
