/*
 * How an alternative is chosen: those come first that are of the right kind,
 * which a wrong type rules out most and a wrong value of the right type less,
 * then those with the fewest wrong tags. A tag is
 * a member with one value only, such as "method" in a union of requests. When
 * several are equally good and all want another type or another tag, one
 * finding lists what they want. Otherwise the closest is the one whose first
 * fault lies deepest, since all above it did fit, and then the one with the
 * fewest faults.
 */
#include "schema/findings.h"

#include <errno.h>
#include <string.h>

#include "base/utf8.h"
#include "json/sort.h"
#include "json/value.h"
#include "schema/message.h"

/* Findings that are kept at least, however few are shown: enough to find the first in order. */
#define KEPT_MIN 1024

/* Findings of one alternative. */
#define BRANCH_ROOM 64

#define MESSAGE_MAX 256

/* Of a value that stands in a message, and of those that may. */
#define VALUE_MAX  80
#define VALUES_MAX 32

/* Alternatives whose single faults are worth one sentence. */
#define JOINED_MAX 4

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

static struct jsv_finding *item_at(const struct jsv_findings *findings, size_t index)
{
    return jsv_stack_item(&findings->items, index);
}

/* ---- texts ---- */

static void *take(struct jsv_findings *findings, size_t size)
{
    char *room = jsv_arena_alloc(&findings->validator->arena, size);
    if (!room) {
        findings->validator->error = -ENOMEM;
    }
    return room;
}

static struct jsv_str keep(struct jsv_findings *findings, const char *text, size_t size)
{
    char *copy = take(findings, size);
    if (!copy) {
        return (struct jsv_str){"", 0};
    }
    memcpy(copy, text, size);
    return (struct jsv_str){copy, size};
}

static uint32_t depth_of(const struct jsv_place *place)
{
    uint32_t depth = 0;
    for (; place->outer; place = place->outer) {
        depth++;
    }
    return depth;
}

/* The last token of a place's pointer, with its slash, written so that it ends at `end`. */
static size_t
write_token(const struct jsv_document *document, const struct jsv_place *place, char *end)
{
    size_t size = 0;
    if (!place->key) {
        size_t index = place->index;
        do {
            size++;
            if (end) {
                end[-(ptrdiff_t)size] = (char)('0' + index % 10);
            }
            index /= 10;
        } while (index);
    } else {
        struct jsv_str name = jsv_string_text(document, place->key);
        for (size_t i = name.size; i > 0; i--) {
            char c = name.data[i - 1];
            bool escaped = c == '~' || c == '/';
            size += 1u + escaped;
            if (end) {
                end[-(ptrdiff_t)size] = escaped ? '~' : c;
            }
            if (end && escaped) {
                end[1 - (ptrdiff_t)size] = c == '~' ? '0' : '1';
            }
        }
    }
    size++;
    if (end) {
        end[-(ptrdiff_t)size] = '/';
    }
    return size;
}

/* The pointer of a place, from its end: measured first, then written. */
static struct jsv_str path_of(struct jsv_findings *findings, const struct jsv_place *place)
{
    size_t size = 0;
    for (const struct jsv_place *p = place; p->outer; p = p->outer) {
        size += write_token(findings->document, p, NULL);
    }
    char *path = take(findings, size);
    if (!path) {
        return (struct jsv_str){"", 0};
    }
    char *end = path + size;
    for (const struct jsv_place *p = place; p->outer; p = p->outer) {
        end -= write_token(findings->document, p, end);
    }
    return (struct jsv_str){path, size};
}

/* Where a keyword (or, without one, a schema) stands: a pointer, with the URI of a foreign source.
 */
static struct jsv_str
schema_path_of(struct jsv_findings *findings, const struct jsv_finding *finding)
{
    const struct jsv_node *node = finding->use ? finding->use->key : finding->schema->node;
    const struct jsv_source *source = finding->schema->resource->source;
    struct jsv_str pointer = jsv_node_pointer(&findings->validator->arena, source->document, node);
    if (!pointer.data) {
        findings->validator->error = -ENOMEM;
    }
    if (!pointer.data || source == findings->schema->root->resource->source) {
        return pointer;
    }
    struct jsv_str uri = source->uri;
    char *joined = take(findings, uri.size + 1 + pointer.size);
    if (!joined) {
        return pointer;
    }
    memcpy(joined, uri.data, uri.size);
    joined[uri.size] = '#';
    memcpy(joined + uri.size + 1, pointer.data, pointer.size);
    return (struct jsv_str){joined, uri.size + 1 + pointer.size};
}

/* The trail to where evaluation is. */
static const struct jsv_jump *trail_of(struct jsv_findings *findings)
{
    const struct jsv_jump *trail = NULL;
    if (jsv_trail_keep(findings->jump, &findings->validator->arena, &trail) < 0) {
        findings->validator->error = -ENOMEM;
    }
    return trail;
}

/* ---- what was expected ---- */

struct sentence {
    char text[MESSAGE_MAX];
    size_t size;
};

/* Append, when it fits with room for an ellipsis. */
static bool say(struct sentence *sentence, struct jsv_str text)
{
    if (text.size > sizeof(sentence->text) - sentence->size - sizeof(", …")) {
        return false;
    }
    memcpy(sentence->text + sentence->size, text.data, text.size);
    sentence->size += text.size;
    return true;
}

static void say_types(struct sentence *sentence, unsigned types)
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
            say(sentence, first ? JSV_STR("") : JSV_STR(" or "));
            say(sentence, jsv_str_from(names[i].name));
            first = false;
        }
    }
}

/* Different values, spelled as in their schemas. */
struct spelled {
    struct jsv_str texts[VALUES_MAX];
    size_t count;
    bool more;
};

static void add_spelled(struct spelled *values, struct jsv_str text)
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

static void spell_values(const struct jsv_expected *expected, struct spelled *ret_values)
{
    *ret_values = (struct spelled){.count = 0};
    for (size_t i = 0; i < expected->list_count; i++) {
        const struct jsv_expected_values *list = &expected->lists[i];
        const struct jsv_node *value = list->first;
        for (size_t j = 0; j < list->count && !ret_values->more; j++) {
            add_spelled(ret_values, jsv_node_span(list->document, value));
            value = jsv_node_next(value);
        }
    }
}

static bool say_value(struct sentence *sentence, struct jsv_str text)
{
    if (text.size <= VALUE_MAX) {
        return say(sentence, text);
    }
    text.size = jsv_utf8_valid_prefix((struct jsv_str){text.data, VALUE_MAX});
    return say(sentence, text) && say(sentence, JSV_STR("…"));
}

static void say_values(struct sentence *sentence, const struct spelled *values)
{
    for (size_t i = 0; i < values->count || values->more; i++) {
        struct jsv_str comma = i ? JSV_STR(", ") : JSV_STR("");
        size_t before = sentence->size;
        if (i < values->count && say(sentence, comma) && say_value(sentence, values->texts[i])) {
            continue;
        }
        sentence->size = before;
        memcpy(sentence->text + before, ", …", sizeof(", …") - 1);
        sentence->size += sizeof(", …") - 1;
        return;
    }
}

/* "expected null or string", "expected one of 1, 2", "expected string or 5" */
static struct jsv_str
expected_message(struct jsv_findings *findings, const struct jsv_expected *expected)
{
    struct sentence sentence = {.size = 0};
    struct spelled values;
    spell_values(expected, &values);
    say(&sentence, JSV_STR("expected "));
    say_types(&sentence, expected->types);
    if (values.count) {
        say(&sentence, expected->types ? JSV_STR(" or ") : JSV_STR(""));
        say(&sentence, values.count > 1 ? JSV_STR("one of ") : JSV_STR(""));
        say_values(&sentence, &values);
    } else if (!expected->types) {
        say(&sentence, JSV_STR("nothing")); /* the list of them is empty */
    }
    return keep(findings, sentence.text, sentence.size);
}

static bool has_expected(const struct jsv_finding *finding)
{
    return finding->expected.types || finding->expected.list_count;
}

/* ---- adding ---- */

static struct jsv_finding *
add_finding(struct jsv_findings *findings, struct jsv_finding_place where, uint32_t depth)
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
    *finding = (struct jsv_finding){
        .path = path_of(findings, where.place),
        .schema = where.schema,
        .use = where.use,
        .trail = trail_of(findings),
        .depth = depth,
    };
    return finding;
}

static int add_message(
    struct jsv_findings *findings,
    struct jsv_finding_place where,
    uint32_t depth,
    struct jsv_str member,
    const char *format,
    va_list arguments) __attribute__((format(printf, 5, 0)));

static int add_message(
    struct jsv_findings *findings,
    struct jsv_finding_place where,
    uint32_t depth,
    struct jsv_str member,
    const char *format,
    va_list arguments)
{
    struct jsv_finding *finding = add_finding(findings, where, depth);
    if (finding) {
        char text[MESSAGE_MAX];
        size_t size = jsv_message_print(text, sizeof(text), format, arguments);
        finding->message = keep(findings, text, size);
        finding->member = member.data ? keep(findings, member.data, member.size) : member;
    }
    return 0;
}

int jsv_finding_add(
    struct jsv_findings *findings, struct jsv_finding_place where, const char *format, ...)
{
    if (findings) {
        va_list arguments;
        va_start(arguments, format);
        struct jsv_str none = {NULL, 0};
        add_message(findings, where, depth_of(where.place), none, format, arguments);
        va_end(arguments);
    }
    return 0;
}

int jsv_finding_add_missing(
    struct jsv_findings *findings,
    struct jsv_finding_place where,
    struct jsv_str member,
    const char *format,
    ...)
{
    if (findings) {
        va_list arguments;
        va_start(arguments, format);
        add_message(findings, where, depth_of(where.place), member, format, arguments);
        va_end(arguments);
    }
    return 0;
}

int jsv_finding_add_unexpected(
    struct jsv_findings *findings,
    struct jsv_finding_place where,
    struct jsv_str member,
    const char *format,
    ...)
{
    if (findings) {
        va_list arguments;
        va_start(arguments, format);
        add_message(findings, where, depth_of(where.place->outer), member, format, arguments);
        va_end(arguments);
    }
    return 0;
}

/* Take over what some expect into lists that have room for it. */
static void append_expected(
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

int jsv_finding_add_expected(
    struct jsv_findings *findings, struct jsv_finding_place where, struct jsv_expected expected)
{
    struct jsv_finding *finding =
        findings ? add_finding(findings, where, depth_of(where.place)) : NULL;
    if (!finding) {
        return 0;
    }
    finding->message = expected_message(findings, &expected);
    struct jsv_expected_values *lists = take(findings, expected.list_count * sizeof(*lists));
    if (lists) {
        finding->expected.tag = true;
        append_expected(&finding->expected, lists, &expected);
    }
    return 0;
}

/* ---- alternatives ---- */

/* How close an alternative came that did not fit. */
struct closeness {
    int wrong_kind; /* 1: the value itself should be another, 2: of another type */
    size_t tags;    /* members that should hold another single value */
    size_t choices; /* members that should hold another of some values */
    uint32_t depth; /* of the first fault */
    size_t count;   /* of faults */
};

static bool has_type(const struct jsv_expected *expected, enum jsv_type type)
{
    for (size_t i = 0; i < expected->list_count; i++) {
        const struct jsv_node *value = expected->lists[i].first;
        for (size_t j = 0; j < expected->lists[i].count; j++, value = jsv_node_next(value)) {
            if (jsv_node_type(value) == type) {
                return true;
            }
        }
    }
    return false;
}

/* How wrong a value is by one finding about it. */
static int wrongness_of(const struct jsv_branches *branches, const struct jsv_finding *finding)
{
    bool never = !finding->use;
    if (finding->depth != branches->depth || !(never || has_expected(finding))) {
        return 0;
    }
    enum jsv_type type = jsv_node_type(branches->where.place->node);
    return never || finding->expected.types || !has_type(&finding->expected, type) ? 2 : 1;
}

static struct closeness closeness_of(const struct jsv_branches *branches, size_t from, size_t end)
{
    struct closeness close = {.depth = UINT32_MAX, .count = end - from};
    for (size_t i = from; i < end; i++) {
        const struct jsv_finding *finding = item_at(branches->findings, i);
        int wrongness = wrongness_of(branches, finding);
        bool below = finding->depth == branches->depth + 1 && finding->expected.list_count;
        close.wrong_kind = wrongness > close.wrong_kind ? wrongness : close.wrong_kind;
        close.tags += below && finding->expected.tag;
        close.choices += below && !finding->expected.tag;
        close.depth = finding->depth < close.depth ? finding->depth : close.depth;
    }
    return close;
}

static int compare_sizes(size_t a, size_t b)
{
    return a < b ? -1 : a > b;
}

/* By what the alternatives are for: <0 when a is closer. */
static int compare_kinds(const struct closeness *a, const struct closeness *b)
{
    if (a->wrong_kind || b->wrong_kind) {
        return a->wrong_kind - b->wrong_kind;
    }
    int order = compare_sizes(a->tags, b->tags);
    return order ? order : compare_sizes(a->choices, b->choices);
}

static bool is_clean(const struct closeness *close)
{
    return !close->wrong_kind && !close->tags && !close->choices;
}

static int compare_details(const struct closeness *a, const struct closeness *b)
{
    int order = compare_sizes(b->depth, a->depth);
    return order ? order : compare_sizes(a->count, b->count);
}

/* Each alternative may say enough to be compared with the others, unless nothing is kept anyway. */
static void make_room(const struct jsv_branches *branches)
{
    struct jsv_findings *findings = branches->findings;
    if (branches->start < branches->kept_max && findings->kept_max < branches->end + BRANCH_ROOM) {
        findings->kept_max = branches->end + BRANCH_ROOM;
    }
}

struct jsv_branches
jsv_branches_begin(struct jsv_findings *findings, struct jsv_finding_place where)
{
    struct jsv_branches branches = {.findings = findings, .where = where};
    if (findings) {
        branches.start = findings->items.count;
        branches.end = branches.start;
        branches.dropped = findings->dropped;
        branches.kept_max = findings->kept_max;
        branches.depth = depth_of(where.place);
        make_room(&branches);
    }
    return branches;
}

/* The findings of one of the alternatives that are left, from one of them on. */
static size_t branch_end(const struct jsv_branches *branches, size_t from)
{
    size_t end = from;
    uint32_t branch = item_at(branches->findings, from)->branch;
    while (end < branches->end && item_at(branches->findings, end)->branch == branch) {
        end++;
    }
    return end;
}

/* <0 when the new alternative is closer than those that are left, 0 when it is as close. */
static int compare_with_left(const struct jsv_branches *branches, const struct closeness *close)
{
    if (branches->end == branches->start) {
        return -1;
    }
    struct closeness best =
        closeness_of(branches, branches->start, branch_end(branches, branches->start));
    int order = compare_kinds(close, &best);
    return order || !is_clean(close) ? order : compare_details(close, &best);
}

/* Move findings down. */
static void move_items(struct jsv_findings *findings, size_t to, size_t from, size_t count)
{
    if (count && to != from) {
        memmove(item_at(findings, to), item_at(findings, from), count * sizeof(struct jsv_finding));
    }
}

void jsv_branches_failed(struct jsv_branches *branches, uint32_t index)
{
    struct jsv_findings *findings = branches->findings;
    if (!findings) {
        return;
    }
    size_t from = branches->end;
    size_t count = findings->items.count - from;
    for (size_t i = from; i < findings->items.count; i++) {
        item_at(findings, i)->branch = index;
    }
    struct closeness close = closeness_of(branches, from, findings->items.count);
    int order = count ? compare_with_left(branches, &close) : 1;
    if (order < 0) {
        move_items(findings, branches->start, from, count);
        branches->end = branches->start + count;
        branches->lost = findings->dropped - branches->dropped;
    } else if (order == 0) {
        branches->end = from + count;
    }
    findings->items.count = branches->end;
    findings->dropped = branches->dropped;
    make_room(branches);
}

/* What an alternative expects at a path, if it does; values rather than their type. */
static const struct jsv_finding *
find_expected(const struct jsv_branches *branches, size_t from, size_t end, struct jsv_str path)
{
    const struct jsv_finding *found = NULL;
    for (size_t i = from; i < end; i++) {
        const struct jsv_finding *finding = item_at(branches->findings, i);
        if (has_expected(finding) && jsv_str_equal(finding->path, path) &&
            (!found || finding->expected.list_count)) {
            found = finding;
        }
    }
    return found;
}

/* An alternative that nothing fits expects nothing, and need not be heard. */
static bool is_never(const struct jsv_branches *branches, size_t from, size_t end)
{
    return end == from + 1 && !item_at(branches->findings, from)->use;
}

/*
 * Go through what the alternatives expect at a path. With lists NULL, only
 * count the lists of values. @return false when one of them expects nothing.
 */
static bool gather_expected(
    const struct jsv_branches *branches,
    struct jsv_finding *merged,
    struct jsv_expected_values *lists,
    size_t *count)
{
    *count = 0;
    for (size_t from = branches->start, end; from < branches->end; from = end) {
        end = branch_end(branches, from);
        if (is_never(branches, from, end)) {
            continue;
        }
        const struct jsv_finding *finding = find_expected(branches, from, end, merged->path);
        if (!finding) {
            return false;
        }
        *count += finding->expected.list_count;
        merged->depth = finding->depth;
        if (lists) {
            append_expected(&merged->expected, lists, &finding->expected);
        }
    }
    return true;
}

/*
 * All that the alternatives expect at a path, as one finding in place of
 * theirs; nothing changes when one of them expects nothing there.
 */
static bool merge_at(struct jsv_branches *branches, struct jsv_str path)
{
    struct jsv_findings *findings = branches->findings;
    struct jsv_finding merged = {
        .path = path,
        .schema = branches->where.schema,
        .use = branches->where.use,
        .expected = {.tag = true},
    };
    size_t count;
    if (!gather_expected(branches, &merged, NULL, &count)) {
        return false;
    }
    struct jsv_expected_values *lists = take(findings, count * sizeof(*lists));
    if (!lists) {
        return false;
    }
    gather_expected(branches, &merged, lists, &count);
    merged.trail = trail_of(findings);
    merged.message = expected_message(findings, &merged.expected);
    *item_at(findings, branches->start) = merged;
    branches->end = branches->start + 1;
    return true;
}

/* Alternatives of the wrong kind, or with wrong tags: say what all of them expect. */
static bool merge_expected(struct jsv_branches *branches)
{
    size_t from = branches->start;
    size_t end = branch_end(branches, from);
    while (end < branches->end && is_never(branches, from, end)) {
        from = end;
        end = branch_end(branches, from);
    }
    if (end - from == branches->end - branches->start) {
        return false;
    }
    bool wrong_kind = closeness_of(branches, from, end).wrong_kind != 0;
    uint32_t depth = branches->depth + !wrong_kind;
    for (; from < end; from++) {
        const struct jsv_finding *finding = item_at(branches->findings, from);
        if (finding->depth == depth && has_expected(finding) && merge_at(branches, finding->path)) {
            return true;
        }
    }
    return false;
}

/* Leave the closest alternative of those that are left; of equals, those next to it in order. */
static void leave_closest(struct jsv_branches *branches)
{
    struct jsv_findings *findings = branches->findings;
    size_t to = branches->start;
    struct closeness best = {0};
    for (size_t from = branches->start, end; from < branches->end; from = end) {
        end = branch_end(branches, from);
        struct closeness close = closeness_of(branches, from, end);
        int order = from == branches->start ? -1 : compare_details(&close, &best);
        if (order > 0) {
            continue;
        }
        if (order < 0) {
            to = branches->start;
            best = close;
        }
        move_items(findings, to, from, end - from);
        to += end - from;
    }
    branches->end = to;
}

/* Several alternatives with one fault each, at the same place: say all of them. */
static bool join_messages(struct jsv_branches *branches)
{
    struct jsv_findings *findings = branches->findings;
    struct jsv_finding *first = item_at(findings, branches->start);
    size_t count = branches->end - branches->start;
    struct sentence sentence = {.size = 0};
    bool different = false;
    for (size_t i = 0; i < count; i++) {
        bool alone = i + 1 == count || first[i].branch != first[i + 1].branch;
        bool repeated = i && jsv_str_equal(first[i].message, first->message);
        if (!alone || i == JOINED_MAX || !jsv_str_equal(first[i].path, first->path)) {
            return false;
        }
        if (!repeated && !(say(&sentence, i ? JSV_STR(" or ") : JSV_STR("")) &&
                           say(&sentence, first[i].message))) {
            return false;
        }
        different |= i && !repeated;
    }
    if (different) {
        first->message = keep(findings, sentence.text, sentence.size);
        first->schema = branches->where.schema;
        first->use = branches->where.use;
        first->trail = trail_of(findings);
        first->expected = (struct jsv_expected){0};
    }
    return true;
}

int jsv_branches_settle(struct jsv_branches *branches)
{
    struct jsv_findings *findings = branches->findings;
    if (!findings) {
        return 0;
    }
    findings->kept_max = branches->kept_max;
    if (branches->end == branches->start) {
        return jsv_finding_add(findings, branches->where, "matches none of the alternatives");
    }
    if (!merge_expected(branches)) {
        leave_closest(branches);
        join_messages(branches);
        branches->end = branch_end(branches, branches->start);
        findings->dropped += branches->lost;
    }
    findings->items.count = branches->end;
    return 0;
}

/* ---- the list ---- */

static int compare_findings(const void *context, const void *a, const void *b)
{
    (void)context;
    const struct jsv_finding *p = a;
    const struct jsv_finding *q = b;
    int order = jsv_str_compare(p->path, q->path);
    return order ? order : jsv_str_compare(p->message, q->message);
}

static struct jsv_sort_item *sort_findings(struct jsv_findings *findings, size_t count)
{
    struct jsv_sort_item *items =
        jsv_arena_array(&findings->validator->arena, 2 * count, sizeof(*items));
    if (!items) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const struct jsv_finding *finding = item_at(findings, i);
        uint64_t prefix = jsv_prefix(finding->path.data, finding->path.size);
        items[i] = (struct jsv_sort_item){jsv_sort_word(prefix), finding};
    }
    jsv_sort(items, items + count, count, compare_findings, NULL);
    return items;
}

/* Name the place of a problem as the specification's output does. */
static void
name_place(struct jsv_findings *findings, const struct jsv_finding *f, struct jsv_problem *problem)
{
    struct jsv_validator *validator = findings->validator;
    const struct jsv_resource *resource = f->schema->resource;
    const struct jsv_node *node = f->use ? f->use->key : f->schema->node;
    struct jsv_buf path;
    jsv_buf_init(&path, &validator->allocator, validator->limits.memory_max);
    int r = jsv_trail_write(
        f->trail, findings->schema->root, f->schema, node, &validator->arena, &path);
    size_t split = path.size;
    jsv_node_pointer_append(&path, resource->source->document, resource->root, node);
    struct jsv_str both = {"", 0};
    if (r == 0 && path.error == 0) {
        both = keep(findings, path.data ? path.data : "", path.size);
    } else {
        validator->error = -ENOMEM;
    }
    split = split < both.size ? split : both.size;
    problem->evaluation_path = (struct jsv_str){both.data, split};
    problem->resource_uri = resource->uri;
    problem->resource_path = (struct jsv_str){both.data + split, both.size - split};
    jsv_buf_done(&path);
}

static struct jsv_problem problem_from(struct jsv_findings *findings, const struct jsv_finding *f)
{
    struct jsv_problem problem = {
        .path = f->path,
        .message = f->message,
        .keyword = f->use ? jsv_use_name(f->schema, f->use) : (struct jsv_str){"", 0},
        .member = f->member,
        .schema_path = schema_path_of(findings, f),
    };
    name_place(findings, f, &problem);
    return problem;
}

int jsv_findings_list(struct jsv_findings *findings, struct jsv_problems *ret_problems)
{
    struct jsv_validator *validator = findings->validator;
    size_t count = findings->items.count;
    size_t max = validator->limits.problems_max;
    struct jsv_sort_item *sorted = sort_findings(findings, count);
    struct jsv_problem *problems =
        jsv_arena_array(&validator->arena, count < max ? count : max, sizeof(*problems));
    if (!sorted || !problems) {
        return -ENOMEM;
    }
    struct jsv_problems list = {.items = problems, .more = findings->dropped};
    for (size_t i = 0; i < count; i++) {
        if (i && compare_findings(NULL, sorted[i - 1].item, sorted[i].item) == 0) {
            continue;
        }
        if (list.count == max) {
            list.more++;
        } else {
            problems[list.count++] = problem_from(findings, sorted[i].item);
        }
    }
    if (validator->error) {
        return validator->error;
    }
    *ret_problems = list;
    return 0;
}
