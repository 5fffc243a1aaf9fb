/*
 * Choosing what to report when no alternative of anyOf or oneOf matches.
 *
 * The alternatives are ordered by how close the value came to matching:
 *
 * 1. by kind: an alternative for another type is furthest away, one for other
 *    values of the same type is closer;
 * 2. by wrong tags. A tag is a member that allows a single value, such as
 *    "method" in a union of requests;
 * 3. by the depth of the first problem, deepest first, because everything above
 *    it matched, and then by the number of problems.
 *
 * If all alternatives of the right kind miss the same tag, the members missing
 * in all of them are reported. If several are equally close and all expect
 * another type or another tag, one finding lists everything they expect.
 * Otherwise the findings of the closest alternative are reported.
 */
#include <errno.h>
#include <string.h>

#include "jsv/base/hash.h"
#include "jsv/json/node.h"
#include "jsv/json/sort.h"
#include "jsv/schema/report/findings.h"

/* Findings kept of one alternative. */
#define BRANCH_ROOM 64

/* Reported members that all alternatives miss. Each is searched for in every alternative. */
#define MISSING_MAX 8

/* Alternatives with one problem each that are joined into one message. */
#define JOINED_MAX 4

/* How close the value came to matching an alternative. */
struct closeness {
    int wrong_kind; /* 1: another value is expected, 2: another type */
    size_t tags;    /* members of which one other value is expected */
    size_t choices; /* members of which one of several other values is expected */
    uint32_t depth; /* of the first problem */
    size_t count;   /* of problems */
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

/* The wrong_kind of a single finding. */
static int wrongness_of(const struct jsv_branches *branches, const struct jsv_finding *finding)
{
    bool never = !finding->use;
    if (finding->depth != branches->depth || !(never || jsv_finding_has_expected(finding))) {
        return 0;
    }
    enum jsv_type type = jsv_node_type(branches->where.place->node);
    return never || finding->expected.types || !has_type(&finding->expected, type) ? 2 : 1;
}

static struct closeness closeness_of(const struct jsv_branches *branches, size_t from, size_t end)
{
    struct closeness close = {.depth = UINT32_MAX, .count = end - from};
    for (size_t i = from; i < end; i++) {
        const struct jsv_finding *finding = jsv_finding_at(branches->findings, i);
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

/* Compare kinds and tags. @return <0 if a is closer. */
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

/* Allow each alternative enough findings to be compared, unless none are kept anyway. */
static void raise_limit(const struct jsv_branches *branches)
{
    struct jsv_findings *findings = branches->findings;
    if (branches->start < branches->kept_max && findings->kept_max < branches->end + BRANCH_ROOM) {
        findings->kept_max = branches->end + BRANCH_ROOM;
    }
}

struct jsv_branches
jsv_branches_begin(struct jsv_findings *findings, struct jsv_finding_place where)
{
    struct jsv_branches branches = {
        .findings = findings,
        .where = where,
        .start = findings->items.count,
        .end = findings->items.count,
        .dropped = findings->dropped,
        .kept_max = findings->kept_max,
        .depth = where.place->depth,
    };
    raise_limit(&branches);
    return branches;
}

/* The end of the findings of the alternative that begins at `from`. */
static size_t branch_end(const struct jsv_branches *branches, size_t from)
{
    size_t end = from;
    uint32_t branch = jsv_finding_at(branches->findings, from)->branch;
    while (end < branches->end && jsv_finding_at(branches->findings, end)->branch == branch) {
        end++;
    }
    return end;
}

/* @return <0 if the new alternative is closer than the remaining ones, 0 if it is as close. */
static int
compare_with_remaining(const struct jsv_branches *branches, const struct closeness *close)
{
    if (branches->end == branches->start) {
        return -1;
    }
    struct closeness best =
        closeness_of(branches, branches->start, branch_end(branches, branches->start));
    int order = compare_kinds(close, &best);
    return order || !is_clean(close) ? order : compare_details(close, &best);
}

static void move_items(struct jsv_findings *findings, size_t to, size_t from, size_t count)
{
    if (count && to != from) {
        memmove(
            jsv_finding_at(findings, to),
            jsv_finding_at(findings, from),
            count * sizeof(struct jsv_finding));
    }
}

/* ---- missing tags ---- */

/* A member that is missing in all alternatives so far. */
struct jsv_missing {
    struct jsv_finding finding; /* of the first alternative */
    struct jsv_str values;      /* it allows for the member; empty: not a tag */
    bool differs;               /* another alternative allows other values */
};

static bool is_missing(const struct jsv_branches *branches, const struct jsv_finding *finding)
{
    return finding->use && finding->use->keyword == JSV_KEYWORD_REQUIRED &&
           finding->depth == branches->depth;
}

/* The text of the const or enum of a schema; empty if it has none. */
static struct jsv_str listed_values(const struct jsv_subschema *schema)
{
    const struct jsv_keyword_use *ref = jsv_subschema_use(schema, JSV_KEYWORD_REF);
    schema = ref && !ref->ref.dynamic ? ref->ref.target : schema;
    const struct jsv_keyword_use *use = jsv_subschema_use(schema, JSV_KEYWORD_CONST);
    use = use ? use : jsv_subschema_use(schema, JSV_KEYWORD_ENUM);
    return use ? jsv_node_span(schema->resource->source->document, use->value)
               : (struct jsv_str){"", 0};
}

/* The values a schema allows for a required member. */
static struct jsv_str values_of(struct jsv_findings *findings, const struct jsv_finding *finding)
{
    const struct jsv_keyword_use *properties =
        jsv_subschema_use(finding->schema, JSV_KEYWORD_PROPERTIES);
    findings->validator->steps -= properties ? properties->map.count / 3 : 0;
    for (uint32_t i = 0; properties && i < properties->map.count; i++) {
        const struct jsv_property *property = &properties->map.items[i];
        if (jsv_str_equal(property->key.text, finding->member)) {
            return listed_values(property->schema);
        }
    }
    return (struct jsv_str){"", 0};
}

/* Collect the members missing in the first alternative. */
static void begin_missing(struct jsv_branches *branches, size_t from, size_t end)
{
    struct jsv_findings *findings = branches->findings;
    size_t count = 0;
    for (size_t i = from; i < end; i++) {
        count += is_missing(branches, jsv_finding_at(findings, i));
    }
    count = count < MISSING_MAX ? count : MISSING_MAX;
    if (count == 0) {
        return;
    }
    branches->missing = jsv_findings_alloc(findings, count * sizeof(*branches->missing));
    for (size_t i = from; branches->missing && branches->missing_count < count; i++) {
        const struct jsv_finding *finding = jsv_finding_at(findings, i);
        if (is_missing(branches, finding)) {
            branches->missing[branches->missing_count++] =
                (struct jsv_missing){*finding, values_of(findings, finding), false};
        }
    }
}

/* Check whether an alternative misses the same member, and whether it allows other values. */
static bool is_missing_too(
    const struct jsv_branches *branches, size_t from, size_t end, struct jsv_missing *missing)
{
    for (size_t i = from; i < end; i++) {
        const struct jsv_finding *finding = jsv_finding_at(branches->findings, i);
        if (is_missing(branches, finding) &&
            jsv_str_equal(finding->member, missing->finding.member)) {
            struct jsv_str values = values_of(branches->findings, finding);
            missing->differs |= values.size > 0 && missing->values.size > 0 &&
                                !jsv_str_equal(values, missing->values);
            return true;
        }
    }
    return false;
}

/* Keep only the members missing in this alternative and all before it. */
static void note_missing(struct jsv_branches *branches, size_t from, size_t end)
{
    if (!branches->has_fitting) {
        branches->has_fitting = true;
        begin_missing(branches, from, end);
        return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < branches->missing_count; i++) {
        if (is_missing_too(branches, from, end, &branches->missing[i])) {
            branches->missing[kept++] = branches->missing[i];
        }
    }
    branches->missing_count = kept;
}

/* Check whether a member is missing that would tell the alternatives apart. */
static bool misses_tag(const struct jsv_branches *branches)
{
    for (size_t i = 0; i < branches->missing_count; i++) {
        if (branches->missing[i].differs) {
            return true;
        }
    }
    return false;
}

/* ---- the closest ---- */

void jsv_branches_failed(struct jsv_branches *branches, uint32_t index)
{
    struct jsv_findings *findings = branches->findings;
    size_t from = branches->end;
    size_t count = findings->items.count - from;
    for (size_t i = from; i < findings->items.count; i++) {
        jsv_finding_at(findings, i)->branch = index;
    }
    struct closeness close = closeness_of(branches, from, findings->items.count);
    int order = count ? compare_with_remaining(branches, &close) : 1;
    if (!close.wrong_kind) {
        note_missing(branches, from, findings->items.count);
    }
    if (order < 0) {
        move_items(findings, branches->start, from, count);
        branches->end = branches->start + count;
        branches->lost = findings->dropped - branches->dropped;
    } else if (order == 0) {
        branches->end = from + count;
    }
    findings->items.count = branches->end;
    findings->dropped = branches->dropped;
    raise_limit(branches);
}

/* The finding of an alternative at a path that expects types or, preferably, values. */
static const struct jsv_finding *
find_expected(const struct jsv_branches *branches, size_t from, size_t end, struct jsv_str path)
{
    const struct jsv_finding *found = NULL;
    for (size_t i = from; i < end; i++) {
        const struct jsv_finding *finding = jsv_finding_at(branches->findings, i);
        if (jsv_finding_has_expected(finding) && jsv_str_equal(finding->path, path) &&
            (!found || finding->expected.list_count)) {
            found = finding;
        }
    }
    return found;
}

/* True for the alternative `false`, which expects nothing and is left out of the message. */
static bool is_never(const struct jsv_branches *branches, size_t from, size_t end)
{
    return end == from + 1 && !jsv_finding_at(branches->findings, from)->use;
}

/*
 * Collect what the alternatives expect at a path. With lists NULL, only count
 * the lists of values. @return false if one of them expects nothing there.
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
        merged->node = finding->node;
        merged->about_name = finding->about_name;
        merged->depth = finding->depth;
        if (lists) {
            jsv_expected_append(&merged->expected, lists, &finding->expected);
        }
    }
    return true;
}

/*
 * Replace the findings by a single one that lists what all alternatives expect
 * at a path. @return false, without a change, if one expects nothing there.
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
    struct jsv_expected_values *lists = jsv_findings_alloc(findings, count * sizeof(*lists));
    if (!lists) {
        return false;
    }
    gather_expected(branches, &merged, lists, &count);
    merged.refs = jsv_findings_copy_refs(findings);
    merged.message = jsv_expected_message(findings, &merged.expected);
    *jsv_finding_at(findings, branches->start) = merged;
    branches->end = branches->start + 1;
    return true;
}

/* For alternatives of the wrong kind or with wrong tags, list what all of them expect. */
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
        const struct jsv_finding *finding = jsv_finding_at(branches->findings, from);
        if (finding->depth == depth && jsv_finding_has_expected(finding) &&
            merge_at(branches, finding->path)) {
            return true;
        }
    }
    return false;
}

/* Keep only the closest of the remaining alternatives, and those as close. */
static void keep_closest(struct jsv_branches *branches)
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

/* Join the messages of alternatives that have one problem each, all at the same place. */
static bool join_messages(struct jsv_branches *branches)
{
    struct jsv_findings *findings = branches->findings;
    struct jsv_finding *first = jsv_finding_at(findings, branches->start);
    size_t count = branches->end - branches->start;
    struct jsv_sentence sentence = {.size = 0};
    bool different = false;
    for (size_t i = 0; i < count; i++) {
        bool alone = i + 1 == count || first[i].branch != first[i + 1].branch;
        bool repeated = i && jsv_str_equal(first[i].message, first->message);
        if (!alone || i == JOINED_MAX || !jsv_str_equal(first[i].path, first->path)) {
            return false;
        }
        if (!repeated && !(jsv_sentence_append(&sentence, i ? JSV_STR(" or ") : JSV_STR("")) &&
                           jsv_sentence_append(&sentence, first[i].message))) {
            return false;
        }
        different |= i && !repeated;
    }
    if (different) {
        first->message = jsv_findings_copy(findings, sentence.text, sentence.size);
        first->schema = branches->where.schema;
        first->use = branches->where.use;
        first->refs = jsv_findings_copy_refs(findings);
        first->expected = (struct jsv_expected){0};
    }
    return true;
}

static int compare_equal(const void *context, const void *a, const void *b)
{
    (void)context;
    (void)a;
    (void)b;
    return 0;
}

/* Count the remaining alternatives whose findings differ, by a hash of these. */
static uint32_t count_distinct(const struct jsv_branches *branches)
{
    struct jsv_findings *findings = branches->findings;
    size_t max = branches->end - branches->start;
    struct jsv_sort_item *hashes = jsv_findings_alloc(findings, 2 * max * sizeof(*hashes));
    size_t count = 0;
    for (size_t from = branches->start, end; hashes && from < branches->end; from = end) {
        uint64_t hash = 0;
        for (end = branch_end(branches, from); from < end; from++) {
            const struct jsv_finding *finding = jsv_finding_at(findings, from);
            hash = jsv_hash(finding->message, jsv_hash(finding->path, hash));
        }
        hashes[count++] = (struct jsv_sort_item){hash, NULL};
    }
    uint32_t distinct = 1;
    if (count > 1) {
        jsv_sort(hashes, hashes + count, count, compare_equal, NULL);
    }
    for (size_t i = 1; i < count; i++) {
        distinct += hashes[i].word != hashes[i - 1].word;
    }
    return distinct;
}

/* Report the members that are missing in every alternative. */
static void report_missing(struct jsv_branches *branches)
{
    struct jsv_findings *findings = branches->findings;
    findings->items.count = branches->start;
    struct jsv_finding *items = jsv_stack_push(&findings->items, branches->missing_count);
    if (!items) {
        findings->validator->error = -ENOMEM;
        return;
    }
    for (size_t i = 0; i < branches->missing_count; i++) {
        items[i] = branches->missing[i].finding;
    }
}

int jsv_branches_settle(struct jsv_branches *branches)
{
    struct jsv_findings *findings = branches->findings;
    findings->kept_max = branches->kept_max;
    if (branches->end == branches->start) {
        return jsv_finding_add(findings, branches->where, "matches none of the alternatives");
    }
    if (misses_tag(branches)) {
        report_missing(branches);
        return 0;
    }
    if (!merge_expected(branches)) {
        keep_closest(branches);
        uint32_t others = join_messages(branches) ? 0 : count_distinct(branches) - 1;
        branches->end = branch_end(branches, branches->start);
        jsv_finding_at(findings, branches->start)->others = others;
        findings->dropped += branches->lost;
    }
    findings->items.count = branches->end;
    return 0;
}
