#include "schema/explain.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "json/value.h"
#include "schema/content.h"
#include "schema/findings.h"
#include "schema/message.h"
#include "schema/steps.h"
#include "schema/unique.h"

/* Of the schema's text that stands in a message. */
#define VALUE_MAX 80

/*
 * Alternatives that did not fit and are gone into, to say why. Those of one
 * alternative multiply with those of the one around it; beyond this many it is
 * only said that none fits.
 */
#define EXPLAINED_MAX 20000

/*
 * Which members or elements of a value have been evaluated, as bits. They lie
 * on a stack that moves when it grows, so they are known by their place on it.
 */
struct marks {
    size_t at;
    size_t words;
};

struct explain {
    const struct jsv_schema *schema;
    const struct jsv_document *document;
    struct jsv_validator *validator;
    const struct jsv_scope *scope;
    struct jsv_findings *findings; /* NULL: the verdict is enough */
    uint32_t explained_left;       /* alternatives that may still be gone into */
    struct jsv_stack words; /* uint64_t: what is needed until the evaluation of a value ends */
};

static int evaluate(
    struct explain *x,
    const struct jsv_subschema *schema,
    const struct jsv_place *place,
    struct marks *outer_marks);

/* Take steps for work whose size the document or the schema decides. */
static int charge(struct explain *x, uint64_t steps)
{
    if (x->validator->steps <= (int64_t)steps) {
        x->validator->steps = 0;
        return -ELOOP;
    }
    x->validator->steps -= (int64_t)steps;
    return 0;
}

/* ---- words ---- */

static size_t count_of(const struct jsv_place *place)
{
    return jsv_node_is_container(place->node) ? jsv_node_count(place->node) : 0;
}

static uint64_t *words_at(const struct explain *x, size_t at)
{
    return jsv_stack_item(&x->words, at);
}

/* Room for some words, all 0; given back by setting the stack's count. */
static int take_words(struct explain *x, size_t count, size_t *ret_at)
{
    *ret_at = x->words.count;
    if (count == 0) {
        return 0;
    }
    uint64_t *words = jsv_stack_push(&x->words, count);
    if (!words) {
        return -ENOMEM;
    }
    memset(words, 0, count * sizeof(*words));
    return 0;
}

static void set_bit(struct explain *x, size_t at, size_t index)
{
    words_at(x, at)[index / 64] |= 1ull << (index % 64);
}

static bool has_bit(const struct explain *x, size_t at, size_t index)
{
    return words_at(x, at)[index / 64] >> (index % 64) & 1;
}

static int marks_make(struct explain *x, const struct jsv_place *place, struct marks *ret_marks)
{
    ret_marks->words = (count_of(place) + 63) / 64;
    return take_words(x, ret_marks->words, &ret_marks->at);
}

static void marks_join(struct explain *x, const struct marks *into, const struct marks *from)
{
    for (size_t i = 0; i < into->words; i++) {
        words_at(x, into->at)[i] |= words_at(x, from->at)[i];
    }
}

/* ---- any type ---- */

struct keyword_call {
    struct explain *x;
    const struct jsv_subschema *schema;
    const struct jsv_keyword_use *use;
    const struct jsv_place *place;
    struct marks *marks; /* of this place; NULL when nobody wants them */
};

static struct jsv_finding_place where(const struct keyword_call *call)
{
    return (struct jsv_finding_place){call->schema, call->use, call->place};
}

/* Note what is wrong. Always 0. */
#define NOTE(call, ...) jsv_finding_add((call)->x->findings, where(call), __VA_ARGS__)
#define NOTE_MISSING(call, name, ...)                                                              \
    jsv_finding_add_missing((call)->x->findings, where(call), (name), __VA_ARGS__)

/* A mark is for those who asked for it. */
static void mark(const struct keyword_call *call, size_t index)
{
    if (call->marks) {
        set_bit(call->x, call->marks->at, index);
    }
}

/* The source text of the keyword's value, cut to what fits a message. */
static struct jsv_str value_text(const struct keyword_call *call)
{
    struct jsv_value value = {call->schema->resource->source->document, call->use->key + 1};
    struct jsv_str span = jsv_value_span(value);
    if (span.size > VALUE_MAX) {
        span.size = jsv_utf8_valid_prefix((struct jsv_str){span.data, VALUE_MAX});
    }
    return span;
}

/* A child, evaluated by itself. */
static int evaluate_child(
    const struct keyword_call *call,
    const struct jsv_subschema *schema,
    const struct jsv_node *node,
    const struct jsv_node *key,
    size_t index)
{
    struct jsv_place child = {call->place, node, key, index};
    return evaluate(call->x, schema, &child, NULL);
}

/* Another schema for the same value. */
static int evaluate_here(const struct keyword_call *call, const struct jsv_subschema *schema)
{
    return evaluate(call->x, schema, call->place, call->marks);
}

static unsigned type_bits_of(const struct keyword_call *call)
{
    const struct jsv_node *node = call->place->node;
    unsigned bits = 1u << jsv_node_type(node);
    if (jsv_node_type(node) == JSV_TYPE_NUMBER) {
        bool integer = !(jsv_node_flags(node) & JSV_NODE_DECIMAL);
        if (!integer && call->schema->resource->draft > JSV_DRAFT_4) {
            struct jsv_number number =
                jsv_value_number((struct jsv_value){call->x->document, node});
            integer = jsv_number_is_integer(&number);
        }
        bits |= integer ? JSV_TYPE_BIT_INTEGER : 0;
    }
    return bits;
}

static int check_type(const struct keyword_call *call)
{
    if (type_bits_of(call) & call->use->types) {
        return 1;
    }
    struct jsv_expected expected = {.types = call->use->types};
    return jsv_finding_add_expected(call->x->findings, where(call), expected);
}

/* 1, 0 or a failure: is the instance equal to a value of the schema? */
static int equals(const struct keyword_call *call, const struct jsv_node *expected)
{
    struct jsv_value a = {call->schema->resource->source->document, expected};
    struct jsv_value b = {call->x->document, call->place->node};
    return jsv_equality_test(&call->x->validator->equality, a, b);
}

/* None of some values of the schema was met. */
static int note_values(const struct keyword_call *call, const struct jsv_node *first, size_t count)
{
    const struct jsv_document *document = call->schema->resource->source->document;
    struct jsv_expected_values values = {document, first, count};
    struct jsv_expected expected = {.lists = &values, .list_count = 1, .tag = count == 1};
    return jsv_finding_add_expected(call->x->findings, where(call), expected);
}

static int check_const(const struct keyword_call *call)
{
    int r = equals(call, call->use->value);
    return r != 0 ? r : note_values(call, call->use->value, 1);
}

static int check_enum(const struct keyword_call *call)
{
    struct jsv_value list = {call->schema->resource->source->document, call->use->value};
    struct jsv_iter iter = jsv_value_iter(list);
    while (jsv_iter_next(&iter)) {
        int r = equals(call, iter.value.node);
        if (r != 0) {
            return r;
        }
    }
    return note_values(call, call->use->value + 1, jsv_value_count(list));
}

/* ---- references ---- */

/* Findings remember the references on the way to them. */
static int follow(const struct keyword_call *call, const struct jsv_subschema *target)
{
    struct jsv_findings *findings = call->x->findings;
    if (!findings) {
        return evaluate_here(call, target);
    }
    struct jsv_jump jump = {findings->jump, call->schema, call->use, target, NULL};
    findings->jump = &jump;
    int r = evaluate_here(call, target);
    findings->jump = jump.outer;
    return r;
}

static int check_ref(const struct keyword_call *call)
{
    const struct jsv_subschema *target = call->use->ref.target;
    if (call->use->ref.dynamic) {
        /* the outermost resource that has the anchor wins */
        for (const struct jsv_scope *scope = call->x->scope; scope; scope = scope->outer) {
            const struct jsv_subschema *found =
                jsv_schema_dynamic_target(call->x->schema, scope->resource, call->use->ref.anchor);
            target = found ? found : target;
        }
    }
    return follow(call, target);
}

/* ---- combinations ---- */

static int check_all_of(const struct keyword_call *call)
{
    int verdict = 1;
    for (uint32_t i = 0; i < call->use->list.count; i++) {
        int r = evaluate_here(call, call->use->list.schemas[i]);
        if (r < 0) {
            return r;
        }
        verdict &= r;
        if (!verdict && !call->x->findings) {
            return 0;
        }
    }
    return verdict;
}

/* Evaluate without noting problems. */
static int evaluate_silently(const struct keyword_call *call, const struct jsv_subschema *schema)
{
    struct jsv_findings *findings = call->x->findings;
    call->x->findings = NULL;
    int r = evaluate_here(call, schema);
    call->x->findings = findings;
    return r;
}

/* Evaluate alternatives; *ret_matches of them fit, the first two by index. */
static int check_alternatives(
    const struct keyword_call *call,
    bool stop_at_first,
    uint32_t *ret_matches,
    uint32_t matching[2])
{
    *ret_matches = 0;
    for (uint32_t i = 0; i < call->use->list.count; i++) {
        int r = evaluate_silently(call, call->use->list.schemas[i]);
        if (r < 0) {
            return r;
        }
        if (r == 1 && *ret_matches < 2) {
            matching[*ret_matches] = i;
        }
        *ret_matches += (uint32_t)r;
        if (r == 1 && stop_at_first && !call->marks) {
            break;
        }
    }
    return 0;
}

/* None of the alternatives fits: find out what is wrong with each. */
static int explain_alternatives(const struct keyword_call *call)
{
    struct explain *x = call->x;
    struct jsv_branches branches = jsv_branches_begin(x->findings, where(call));
    for (uint32_t i = 0; x->findings && i < call->use->list.count && x->explained_left; i++) {
        x->explained_left--;
        int r = evaluate_here(call, call->use->list.schemas[i]);
        if (r < 0) {
            return r;
        }
        jsv_branches_failed(&branches, i);
    }
    return jsv_branches_settle(&branches);
}

static int check_any_of(const struct keyword_call *call)
{
    uint32_t matches;
    uint32_t matching[2];
    int r = check_alternatives(call, true, &matches, matching);
    if (r < 0 || matches) {
        return r < 0 ? r : 1;
    }
    return explain_alternatives(call);
}

static int check_one_of(const struct keyword_call *call)
{
    uint32_t matches;
    uint32_t matching[2];
    int r = check_alternatives(call, false, &matches, matching);
    if (r < 0 || matches == 1) {
        return r < 0 ? r : 1;
    }
    if (matches == 0) {
        return explain_alternatives(call);
    }
    return NOTE(
        call,
        "matches more than one alternative (%" PRIu32 " and %" PRIu32 ")",
        matching[0],
        matching[1]);
}

static int check_not(const struct keyword_call *call)
{
    struct keyword_call unmarked = *call;
    unmarked.marks = NULL;
    int r = evaluate_silently(&unmarked, call->use->one.schema);
    if (r != 1) {
        return r < 0 ? r : 1;
    }
    return NOTE(call, "must not match the schema in \"not\"");
}

static int check_if(const struct keyword_call *call)
{
    int r = evaluate_silently(call, call->use->one.schema);
    if (r < 0) {
        return r;
    }
    const struct jsv_keyword_use *branch =
        jsv_subschema_use(call->schema, r ? JSV_KEYWORD_THEN : JSV_KEYWORD_ELSE);
    return branch ? evaluate_here(call, branch->one.schema) : 1;
}

/* Evaluated by `if`. */
static int check_nothing(const struct keyword_call *call)
{
    (void)call;
    return 1;
}

/* ---- numbers ---- */

static struct jsv_number instance_number(const struct keyword_call *call)
{
    return jsv_value_number((struct jsv_value){call->x->document, call->place->node});
}

static int check_bound(const struct keyword_call *call)
{
    struct jsv_number number = instance_number(call);
    int order = jsv_number_compare(&number, &call->use->bound.value);
    enum jsv_keyword keyword = call->use->keyword;
    bool upper = keyword == JSV_KEYWORD_MAXIMUM || keyword == JSV_KEYWORD_EXCLUSIVE_MAXIMUM;
    bool exclusive = call->use->bound.exclusive || keyword == JSV_KEYWORD_EXCLUSIVE_MAXIMUM ||
                     keyword == JSV_KEYWORD_EXCLUSIVE_MINIMUM;
    bool holds = order == 0 ? !exclusive : upper == (order < 0);
    if (holds) {
        return 1;
    }
    struct jsv_str text = value_text(call);
    const char *relation =
        upper ? (exclusive ? "less than" : "at most") : (exclusive ? "more than" : "at least");
    return NOTE(call, "must be %s %.*s", relation, JSV_TEXT(text));
}

static int check_multiple_of(const struct keyword_call *call)
{
    struct jsv_number number = instance_number(call);
    int r = charge(call->x, jsv_steps_for_division(&number, &call->use->bound.value));
    if (r < 0) {
        return r;
    }
    if (jsv_number_is_zero(&call->use->bound.value) ||
        jsv_number_multiple_of(&number, &call->use->bound.value)) {
        return 1;
    }
    struct jsv_str text = value_text(call);
    return NOTE(call, "must be a multiple of %.*s", JSV_TEXT(text));
}

/* ---- strings ---- */

static struct jsv_str instance_text(const struct keyword_call *call)
{
    return jsv_string_text(call->x->document, call->place->node);
}

/* A size against its keyword, and the message when it does not fit. */
static int check_size(
    const struct keyword_call *call, uint64_t size, bool upper, const char *one, const char *many)
{
    uint64_t limit = call->use->size;
    if (upper ? size <= limit : size >= limit) {
        return 1;
    }
    const char *bound = upper ? "most" : "least";
    const char *what = limit == 1 ? one : many;
    return NOTE(call, "must have at %s %" PRIu64 " %s", bound, limit, what);
}

static int check_max_length(const struct keyword_call *call)
{
    return check_size(call, jsv_utf8_count(instance_text(call)), true, "character", "characters");
}

static int check_min_length(const struct keyword_call *call)
{
    return check_size(call, jsv_utf8_count(instance_text(call)), false, "character", "characters");
}

/* A pattern that runs into its limit is neither a match nor none. */
static int search(struct explain *x, const struct jsv_regex *regex, struct jsv_str text)
{
    int r = jsv_regex_search(regex, text, x->validator->regex);
    int charged = charge(x, jsv_steps_for_search(text.size, x->validator->regex_cost));
    return r == -ELOOP ? -ETIME : charged < 0 ? charged : r;
}

static int check_pattern(const struct keyword_call *call)
{
    int r = search(call->x, call->use->regex, instance_text(call));
    if (r != 0) {
        return r;
    }
    struct jsv_str text = value_text(call);
    return NOTE(call, "does not match pattern %.*s", JSV_TEXT(text));
}

static int check_format(const struct keyword_call *call)
{
    struct jsv_str text = instance_text(call);
    int r = charge(call->x, jsv_format_steps(call->use->format, text));
    if (r == 0) {
        r = jsv_format_valid(call->use->format, text);
    }
    if (r != 0) {
        return r;
    }
    struct jsv_value format = {call->schema->resource->source->document, call->use->key + 1};
    struct jsv_str name = jsv_value_text(format);
    return NOTE(call, "not a valid %.*s", JSV_TEXT(name));
}

static int check_content_encoding(const struct keyword_call *call)
{
    struct jsv_value name = {call->schema->resource->source->document, call->use->value};
    if (jsv_content_encoded(jsv_value_text(name), instance_text(call))) {
        return 1;
    }
    return NOTE(call, "not encoded as %.*s", JSV_TEXT(jsv_value_text(name)));
}

static int check_content_media_type(const struct keyword_call *call)
{
    const struct jsv_document *schemas = call->schema->resource->source->document;
    const struct jsv_keyword_use *encoding =
        jsv_subschema_use(call->schema, JSV_KEYWORD_CONTENT_ENCODING);
    struct jsv_value name = {schemas, call->use->value};
    struct jsv_str encoded = {"", 0};
    if (encoding) {
        encoded = jsv_value_text((struct jsv_value){schemas, encoding->value});
    }
    struct jsv_str text = instance_text(call);
    int r = charge(call->x, jsv_steps_for_content(text.size));
    if (r == 0) {
        r = jsv_content_is(jsv_value_text(name), encoded, text, &call->x->validator->allocator);
    }
    if (r != 0) {
        return r;
    }
    return NOTE(call, "not of media type %.*s", JSV_TEXT(jsv_value_text(name)));
}

/* ---- arrays ---- */

static int check_max_items(const struct keyword_call *call)
{
    return check_size(call, jsv_node_count(call->place->node), true, "item", "items");
}

static int check_min_items(const struct keyword_call *call)
{
    return check_size(call, jsv_node_count(call->place->node), false, "item", "items");
}

static int check_unique_items(const struct keyword_call *call)
{
    struct jsv_value array = {call->x->document, call->place->node};
    size_t equal[2];
    int r = jsv_unique_test(&call->x->validator->unique, array, equal);
    if (r != 0) {
        return r;
    }
    return NOTE(call, "items %zu and %zu are equal", equal[0], equal[1]);
}

/* An element at its place, by the schemas in a list. */
static int check_prefix_items(const struct keyword_call *call)
{
    const struct jsv_node *item = call->place->node + 1;
    size_t count = jsv_node_count(call->place->node);
    int verdict = 1;
    for (size_t i = 0; i < count && i < call->use->list.count; i++, item = jsv_node_next(item)) {
        int r = evaluate_child(call, call->use->list.schemas[i], item, NULL, i);
        if (r < 0) {
            return r;
        }
        verdict &= r;
        if (!verdict && !call->x->findings) {
            return 0;
        }
        mark(call, i);
    }
    return verdict;
}

/* An element by the keyword's one schema. */
static int check_item(const struct keyword_call *call, const struct jsv_node *item, size_t index)
{
    const struct jsv_subschema *schema = call->use->one.schema;
    if (!schema->never) {
        return evaluate_child(call, schema, item, NULL, index);
    }
    struct jsv_place extra = {call->place, item, NULL, index};
    struct jsv_finding_place at = {call->schema, call->use, &extra};
    struct jsv_str none = {NULL, 0};
    return jsv_finding_add_unexpected(call->x->findings, at, none, "unexpected item");
}

/* The elements from an index on, but for those with a mark when there are such. */
static int check_rest(const struct keyword_call *call, uint64_t from, const struct marks *except)
{
    const struct jsv_node *item = call->place->node + 1;
    size_t count = jsv_node_count(call->place->node);
    int verdict = 1;
    for (size_t i = 0; i < count; i++, item = jsv_node_next(item)) {
        if (i < from || (except && has_bit(call->x, except->at, i))) {
            continue;
        }
        int r = check_item(call, item, i);
        if (r < 0) {
            return r;
        }
        verdict &= r;
        if (!verdict && !call->x->findings) {
            return 0;
        }
        mark(call, i);
    }
    return verdict;
}

static int check_items(const struct keyword_call *call)
{
    bool list = jsv_node_type(call->use->key + 1) == JSV_TYPE_ARRAY;
    return list ? check_prefix_items(call) : check_rest(call, call->use->one.from, NULL);
}

static int check_unevaluated_items(const struct keyword_call *call)
{
    return check_rest(call, 0, call->marks);
}

static int check_contains(const struct keyword_call *call)
{
    const struct jsv_node *array = call->place->node;
    const struct jsv_node *item = array + 1;
    size_t count = jsv_node_count(array);
    uint64_t found = 0;
    struct jsv_findings *findings = call->x->findings;
    call->x->findings = NULL;
    int r = 0;
    for (size_t i = 0; i < count && r >= 0; i++, item = jsv_node_next(item)) {
        r = evaluate_child(call, call->use->one.schema, item, NULL, i);
        if (r == 1) {
            found++;
            if (call->schema->resource->draft == JSV_DRAFT_2020_12) {
                mark(call, i);
            }
        }
    }
    call->x->findings = findings;
    if (r < 0) {
        return r;
    }
    bool too_few = found < call->use->one.contains_min;
    if (!too_few && found <= call->use->one.contains_max) {
        return 1;
    }
    uint64_t limit = too_few ? call->use->one.contains_min : call->use->one.contains_max;
    return NOTE(
        call,
        "must contain at %s %" PRIu64 " matching item%s, found %" PRIu64,
        too_few ? "least" : "most",
        limit,
        limit == 1 ? "" : "s",
        found);
}

/* ---- objects ---- */

static int check_max_properties(const struct keyword_call *call)
{
    return check_size(call, jsv_node_count(call->place->node), true, "property", "properties");
}

static int check_min_properties(const struct keyword_call *call)
{
    return check_size(call, jsv_node_count(call->place->node), false, "property", "properties");
}

/* Names times members up to which looking at each in turn is cheaper than an index. */
#define PAIRS_MAX 256

/* An object's members by name, on the stack of words: open addressing, a power of two. */
struct members {
    const struct jsv_node *object;
    size_t at;
    size_t capacity; /* 0: there is no index, look at each */
};

/* A member: where its key is, counted from the object, and which one it is. */
static uint64_t pack_member(const struct members *members, const struct jsv_node *key, size_t index)
{
    return (uint64_t)(key - members->object) << 32 | index;
}

static size_t home_of(const struct members *members, struct jsv_str name)
{
    return (size_t)jsv_hash(name, (uint64_t)(uintptr_t)members->object) & (members->capacity - 1);
}

/* Prepare for looking up that many names. */
static int members_index(struct explain *x, struct members *members, size_t names)
{
    const struct jsv_node *object = members->object;
    size_t count = jsv_node_count(object);
    if (count <= 1 || names <= 1 || names * count <= PAIRS_MAX) {
        return 0;
    }
    members->capacity = 4;
    while (members->capacity < 2 * count) {
        members->capacity *= 2;
    }
    int r = take_words(x, members->capacity, &members->at);
    if (r < 0) {
        return r;
    }
    uint64_t *slots = words_at(x, members->at);
    const struct jsv_node *key = object + 1;
    for (size_t i = 0; i < count; i++, key = jsv_node_next(key + 1)) {
        size_t slot = home_of(members, jsv_string_text(x->document, key));
        while (slots[slot]) {
            slot = (slot + 1) & (members->capacity - 1);
        }
        slots[slot] = pack_member(members, key, i);
    }
    return 0;
}

/* The key of the member of that name, which one it is in *ret_index; NULL when there is none. */
static const struct jsv_node *members_find(
    const struct explain *x,
    const struct members *members,
    const struct jsv_key *name,
    size_t *ret_index)
{
    if (members->capacity == 0) {
        const struct jsv_node *key = members->object + 1;
        const struct jsv_node *end = jsv_node_next(members->object);
        for (*ret_index = 0; key < end; key = jsv_node_next(key + 1), ++*ret_index) {
            if (jsv_key_equals_node(name, x->document, key)) {
                return key;
            }
        }
        return NULL;
    }
    const uint64_t *slots = words_at(x, members->at);
    size_t slot = home_of(members, name->text);
    for (; slots[slot]; slot = (slot + 1) & (members->capacity - 1)) {
        const struct jsv_node *key = members->object + (slots[slot] >> 32);
        if (jsv_key_equals_node(name, x->document, key)) {
            *ret_index = (uint32_t)slots[slot];
            return key;
        }
    }
    return NULL;
}

static int check_names(
    const struct keyword_call *call,
    const struct members *members,
    const struct jsv_names *names,
    const struct jsv_key *because)
{
    int verdict = 1;
    for (uint32_t i = 0; i < names->count; i++) {
        size_t index;
        if (members_find(call->x, members, &names->items[i], &index)) {
            continue;
        }
        struct jsv_str name = names->items[i].text;
        if (because) {
            verdict = NOTE_MISSING(
                call,
                name,
                "missing property \"%.*s\", which \"%.*s\" asks for",
                JSV_TEXT(name),
                JSV_TEXT(because->text));
        } else {
            verdict = NOTE_MISSING(call, name, "missing property \"%.*s\"", JSV_TEXT(name));
        }
        if (!call->x->findings) {
            return 0;
        }
    }
    return verdict;
}

static int check_required(const struct keyword_call *call)
{
    struct members members = {.object = call->place->node};
    int r = members_index(call->x, &members, call->use->names.count);
    return r < 0 ? r : check_names(call, &members, &call->use->names, NULL);
}

static int check_dependencies(const struct keyword_call *call)
{
    struct members members = {.object = call->place->node};
    int verdict = members_index(call->x, &members, call->use->weight);
    verdict = verdict < 0 ? verdict : 1;
    for (uint32_t i = 0; i < call->use->dependencies.count && verdict >= 0; i++) {
        const struct jsv_dependency *dependency = &call->use->dependencies.items[i];
        size_t index;
        if (!members_find(call->x, &members, &dependency->key, &index)) {
            continue;
        }
        int r = dependency->schema
                    ? evaluate_here(call, dependency->schema)
                    : check_names(call, &members, &dependency->names, &dependency->key);
        verdict = r < 0 ? r : verdict & r;
        if (!verdict && !call->x->findings) {
            return 0;
        }
    }
    return verdict;
}

static int check_property_names(const struct keyword_call *call)
{
    const struct jsv_node *key = call->place->node + 1;
    const struct jsv_node *end = jsv_node_next(call->place->node);
    int verdict = 1;
    for (; key < end; key = jsv_node_next(key + 1)) {
        int r = evaluate_child(call, call->use->one.schema, key, key, 0);
        if (r < 0) {
            return r;
        }
        verdict &= r;
        if (!verdict && !call->x->findings) {
            return 0;
        }
    }
    return verdict;
}

static int check_properties(const struct keyword_call *call)
{
    struct members members = {.object = call->place->node};
    int verdict = members_index(call->x, &members, call->use->map.count);
    verdict = verdict < 0 ? verdict : 1;
    for (uint32_t i = 0; i < call->use->map.count && verdict >= 0; i++) {
        const struct jsv_property *property = &call->use->map.items[i];
        size_t index;
        const struct jsv_node *key = members_find(call->x, &members, &property->key, &index);
        if (!key) {
            continue;
        }
        int r = evaluate_child(call, property->schema, key + 1, key, 0);
        verdict = r < 0 ? r : verdict & r;
        if (!verdict && !call->x->findings) {
            return 0;
        }
        mark(call, index);
    }
    return verdict;
}

/* A member under each of the patterns its name matches. */
static int check_patterns(const struct keyword_call *call, const struct jsv_node *key, size_t index)
{
    struct jsv_str name = jsv_string_text(call->x->document, key);
    int verdict = 1;
    for (uint32_t i = 0; i < call->use->patterns.count; i++) {
        const struct jsv_pattern_property *property = &call->use->patterns.items[i];
        int r = search(call->x, property->regex, name);
        if (r == 1) {
            r = evaluate_child(call, property->schema, key + 1, key, 0);
            mark(call, index);
        } else if (r == 0) {
            r = 1;
        }
        if (r < 0) {
            return r;
        }
        verdict &= r;
    }
    return verdict;
}

static int check_pattern_properties(const struct keyword_call *call)
{
    const struct jsv_node *key = call->place->node + 1;
    const struct jsv_node *end = jsv_node_next(call->place->node);
    int verdict = 1;
    for (size_t index = 0; key < end; key = jsv_node_next(key + 1), index++) {
        int r = check_patterns(call, key, index);
        if (r < 0) {
            return r;
        }
        verdict &= r;
        if (!verdict && !call->x->findings) {
            return 0;
        }
    }
    return verdict;
}

/* Set a bit for every member that `properties` of the same schema speaks of. */
static int mark_listed(const struct keyword_call *call, size_t *ret_at)
{
    const struct jsv_keyword_use *properties =
        jsv_subschema_use(call->schema, JSV_KEYWORD_PROPERTIES);
    struct members members = {.object = call->place->node};
    int r = take_words(call->x, (count_of(call->place) + 63) / 64, ret_at);
    if (r == 0 && properties) {
        r = members_index(call->x, &members, properties->map.count);
    }
    for (uint32_t i = 0; r == 0 && properties && i < properties->map.count; i++) {
        size_t index;
        if (members_find(call->x, &members, &properties->map.items[i].key, &index)) {
            set_bit(call->x, *ret_at, index);
        }
    }
    return r;
}

/* 1 when patternProperties of the same schema speaks of the name. */
static int matches_pattern(const struct keyword_call *call, const struct jsv_node *key)
{
    const struct jsv_keyword_use *patterns =
        jsv_subschema_use(call->schema, JSV_KEYWORD_PATTERN_PROPERTIES);
    for (uint32_t i = 0; patterns && i < patterns->patterns.count; i++) {
        struct jsv_str name = jsv_string_text(call->x->document, key);
        int r = search(call->x, patterns->patterns.items[i].regex, name);
        if (r != 0) {
            return r;
        }
    }
    return 0;
}

/* A member nobody speaks of, under additionalProperties or unevaluatedProperties. */
static int check_extra(const struct keyword_call *call, const struct jsv_node *key)
{
    const struct jsv_subschema *schema = call->use->one.schema;
    if (!schema->never) {
        return evaluate_child(call, schema, key + 1, key, 0);
    }
    struct jsv_place extra = {call->place, key + 1, key, 0};
    struct jsv_str name = jsv_string_text(call->x->document, key);
    struct jsv_finding_place at = {call->schema, call->use, &extra};
    return jsv_finding_add_unexpected(
        call->x->findings, at, name, "unexpected property \"%.*s\"", JSV_TEXT(name));
}

static int check_additional_properties(const struct keyword_call *call)
{
    const struct jsv_node *key = call->place->node + 1;
    const struct jsv_node *end = jsv_node_next(call->place->node);
    size_t listed;
    int verdict = mark_listed(call, &listed);
    verdict = verdict < 0 ? verdict : 1;
    for (size_t index = 0; key < end && verdict >= 0; key = jsv_node_next(key + 1), index++) {
        int r = has_bit(call->x, listed, index) ? 1 : matches_pattern(call, key);
        if (r == 1) {
            continue;
        }
        r = r < 0 ? r : check_extra(call, key);
        verdict = r < 0 ? r : verdict & r;
        if (!verdict && !call->x->findings) {
            return 0;
        }
        mark(call, index);
    }
    return verdict;
}

static int check_unevaluated_properties(const struct keyword_call *call)
{
    const struct jsv_node *key = call->place->node + 1;
    const struct jsv_node *end = jsv_node_next(call->place->node);
    int verdict = 1;
    for (size_t index = 0; key < end; key = jsv_node_next(key + 1), index++) {
        if (has_bit(call->x, call->marks->at, index)) {
            continue;
        }
        int r = check_extra(call, key);
        if (r < 0) {
            return r;
        }
        verdict &= r;
        if (!verdict && !call->x->findings) {
            return 0;
        }
        mark(call, index);
    }
    return verdict;
}

/* ---- the whole ---- */

static const struct {
    int (*check)(const struct keyword_call *call);
    unsigned types; /* of instance it has something to say about; 0: all */
} checks[JSV_KEYWORD_COUNT] = {
    [JSV_KEYWORD_REF] = {check_ref, 0},
    [JSV_KEYWORD_DYNAMIC_REF] = {check_ref, 0},
    [JSV_KEYWORD_RECURSIVE_REF] = {check_ref, 0},
    [JSV_KEYWORD_TYPE] = {check_type, 0},
    [JSV_KEYWORD_CONST] = {check_const, 0},
    [JSV_KEYWORD_ENUM] = {check_enum, 0},
    [JSV_KEYWORD_MULTIPLE_OF] = {check_multiple_of, JSV_TYPE_BIT_NUMBER},
    [JSV_KEYWORD_MAXIMUM] = {check_bound, JSV_TYPE_BIT_NUMBER},
    [JSV_KEYWORD_EXCLUSIVE_MAXIMUM] = {check_bound, JSV_TYPE_BIT_NUMBER},
    [JSV_KEYWORD_MINIMUM] = {check_bound, JSV_TYPE_BIT_NUMBER},
    [JSV_KEYWORD_EXCLUSIVE_MINIMUM] = {check_bound, JSV_TYPE_BIT_NUMBER},
    [JSV_KEYWORD_MAX_LENGTH] = {check_max_length, JSV_TYPE_BIT_STRING},
    [JSV_KEYWORD_MIN_LENGTH] = {check_min_length, JSV_TYPE_BIT_STRING},
    [JSV_KEYWORD_PATTERN] = {check_pattern, JSV_TYPE_BIT_STRING},
    [JSV_KEYWORD_FORMAT] = {check_format, JSV_TYPE_BIT_STRING},
    [JSV_KEYWORD_CONTENT_ENCODING] = {check_content_encoding, JSV_TYPE_BIT_STRING},
    [JSV_KEYWORD_CONTENT_MEDIA_TYPE] = {check_content_media_type, JSV_TYPE_BIT_STRING},
    [JSV_KEYWORD_MAX_ITEMS] = {check_max_items, JSV_TYPE_BIT_ARRAY},
    [JSV_KEYWORD_MIN_ITEMS] = {check_min_items, JSV_TYPE_BIT_ARRAY},
    [JSV_KEYWORD_UNIQUE_ITEMS] = {check_unique_items, JSV_TYPE_BIT_ARRAY},
    [JSV_KEYWORD_PREFIX_ITEMS] = {check_prefix_items, JSV_TYPE_BIT_ARRAY},
    [JSV_KEYWORD_ITEMS] = {check_items, JSV_TYPE_BIT_ARRAY},
    [JSV_KEYWORD_ADDITIONAL_ITEMS] = {check_items, JSV_TYPE_BIT_ARRAY},
    [JSV_KEYWORD_CONTAINS] = {check_contains, JSV_TYPE_BIT_ARRAY},
    [JSV_KEYWORD_MAX_PROPERTIES] = {check_max_properties, JSV_TYPE_BIT_OBJECT},
    [JSV_KEYWORD_MIN_PROPERTIES] = {check_min_properties, JSV_TYPE_BIT_OBJECT},
    [JSV_KEYWORD_REQUIRED] = {check_required, JSV_TYPE_BIT_OBJECT},
    [JSV_KEYWORD_DEPENDENT_REQUIRED] = {check_dependencies, JSV_TYPE_BIT_OBJECT},
    [JSV_KEYWORD_DEPENDENCIES] = {check_dependencies, JSV_TYPE_BIT_OBJECT},
    [JSV_KEYWORD_DEPENDENT_SCHEMAS] = {check_dependencies, JSV_TYPE_BIT_OBJECT},
    [JSV_KEYWORD_PROPERTY_NAMES] = {check_property_names, JSV_TYPE_BIT_OBJECT},
    [JSV_KEYWORD_PROPERTIES] = {check_properties, JSV_TYPE_BIT_OBJECT},
    [JSV_KEYWORD_PATTERN_PROPERTIES] = {check_pattern_properties, JSV_TYPE_BIT_OBJECT},
    [JSV_KEYWORD_ADDITIONAL_PROPERTIES] = {check_additional_properties, JSV_TYPE_BIT_OBJECT},
    [JSV_KEYWORD_ALL_OF] = {check_all_of, 0},
    [JSV_KEYWORD_ANY_OF] = {check_any_of, 0},
    [JSV_KEYWORD_ONE_OF] = {check_one_of, 0},
    [JSV_KEYWORD_NOT] = {check_not, 0},
    [JSV_KEYWORD_IF] = {check_if, 0},
    [JSV_KEYWORD_THEN] = {check_nothing, 0},
    [JSV_KEYWORD_ELSE] = {check_nothing, 0},
    [JSV_KEYWORD_UNEVALUATED_ITEMS] = {check_unevaluated_items, JSV_TYPE_BIT_ARRAY},
    [JSV_KEYWORD_UNEVALUATED_PROPERTIES] = {check_unevaluated_properties, JSV_TYPE_BIT_OBJECT},
};

/* Steps a keyword takes by itself, by how much of the schema and the document it looks at. */
static uint64_t steps_of(const struct jsv_keyword_use *use, const struct jsv_node *node)
{
    bool equality = use->keyword == JSV_KEYWORD_CONST || use->keyword == JSV_KEYWORD_ENUM;
    bool container = jsv_node_is_container(node);
    if (equality || use->keyword == JSV_KEYWORD_UNIQUE_ITEMS) {
        return 1 + jsv_steps_for_equality(node, use->weight + 2ull);
    }
    uint64_t steps = 1 + use->weight / 4;
    if (container) {
        steps += jsv_steps_for_contents(node);
    } else if (jsv_node_type(node) == JSV_TYPE_STRING) {
        steps += jsv_steps_for_text(jsv_string_size(node));
    } else if (jsv_node_type(node) == JSV_TYPE_NUMBER) {
        steps += jsv_steps_for_number(node);
    }
    return steps;
}

static int evaluate_uses(
    struct explain *x,
    const struct jsv_subschema *schema,
    const struct jsv_place *place,
    struct marks *marks)
{
    unsigned type = 1u << jsv_node_type(place->node);
    int verdict = 1;
    for (uint32_t i = 0; i < schema->use_count; i++) {
        const struct jsv_keyword_use *use = &schema->uses[i];
        if (checks[use->keyword].types && !(checks[use->keyword].types & type)) {
            continue;
        }
        int r = charge(x, steps_of(use, place->node));
        size_t words = x->words.count;
        if (r == 0) {
            struct keyword_call call = {x, schema, use, place, marks};
            r = checks[use->keyword].check(&call);
        }
        x->words.count = words;
        if (r < 0 || x->validator->error) {
            return r < 0 ? r : x->validator->error;
        }
        verdict &= r;
        if (!verdict && !x->findings) {
            return 0;
        }
    }
    return verdict;
}

static int evaluate_anew(
    struct explain *x,
    const struct jsv_subschema *schema,
    const struct jsv_place *place,
    struct marks *outer_marks)
{
    if (x->validator->depth <= 0) {
        return -ELOOP;
    }
    struct marks own;
    struct marks *marks = NULL;
    size_t words = x->words.count;
    if (outer_marks || schema->wants_marks) {
        int r = marks_make(x, place, &own);
        if (r < 0) {
            return r;
        }
        marks = &own;
    }
    const struct jsv_scope *outer_scope = x->scope;
    struct jsv_scope scope = {outer_scope, schema->resource};
    if (!outer_scope || outer_scope->resource != schema->resource) {
        x->scope = &scope;
    }
    x->validator->depth--;
    int r = evaluate_uses(x, schema, place, marks);
    x->validator->depth++;
    x->scope = outer_scope;
    /* what failed counts where that is reported: else all it looked at would be unexpected, too */
    if ((r == 1 || (r == 0 && x->findings)) && outer_marks) {
        marks_join(x, outer_marks, marks);
    }
    x->words.count = words;
    return r;
}

/*
 * The verdict alone, which is remembered (validator.h): where schemas lead to
 * the same schemas again and again, the work would double at every level.
 */
static int
evaluate_once(struct explain *x, const struct jsv_subschema *schema, const struct jsv_place *place)
{
    uint64_t node = (uint64_t)(place->node - jsv_document_nodes(x->document));
    uint64_t key = JSV_MEMO_EXPLAINED | (uint64_t)schema->index << 32 | node;
    struct jsv_memo *memo = jsv_memo_slot(x->validator, key);
    if (jsv_memo_holds(x->validator, memo, key)) {
        return memo->round & 1;
    }
    int r = evaluate_anew(x, schema, place, NULL);
    if (r >= 0) {
        jsv_memo_set(x->validator, memo, key, r);
    }
    return r;
}

static int evaluate(
    struct explain *x,
    const struct jsv_subschema *schema,
    const struct jsv_place *place,
    struct marks *outer_marks)
{
    if (schema->never) {
        struct jsv_finding_place at = {schema, NULL, place};
        return jsv_finding_add(x->findings, at, "no value is allowed here");
    }
    if (schema->use_count == 0) {
        return 1;
    }
    if (schema->combines && !outer_marks && !x->schema->dynamic) {
        struct jsv_findings *findings = x->findings;
        x->findings = NULL;
        int r = evaluate_once(x, schema, place);
        x->findings = findings;
        if (r != 0 || !findings) {
            return r;
        }
    }
    return evaluate_anew(x, schema, place, outer_marks);
}

static struct explain
explain_on(const struct jsv_schema *schema, struct jsv_value value, struct jsv_validator *validator)
{
    return (struct explain){
        .schema = schema,
        .document = value.document,
        .validator = validator,
        .explained_left = EXPLAINED_MAX,
        .words = validator->words,
    };
}

/* Keep the memory of the words: a program may ask for a verdict at every value of a document. */
static void explain_done(struct explain *x)
{
    x->validator->words = x->words;
    x->validator->words.count = 0;
}

int jsv_explain_verdict(
    const struct jsv_schema *schema,
    const struct jsv_subschema *subschema,
    const struct jsv_scope *scope,
    struct jsv_value value,
    struct jsv_validator *validator)
{
    struct explain x = explain_on(schema, value, validator);
    struct jsv_place root = {.node = value.node};
    x.scope = scope;
    int r = evaluate(&x, subschema, &root, NULL);
    explain_done(&x);
    return r;
}

int jsv_validate_report(
    const struct jsv_schema *schema,
    struct jsv_value value,
    struct jsv_validator *validator,
    struct jsv_problems *ret_problems)
{
    if (!value.node) {
        return -EINVAL;
    }
    jsv_arena_reset(&validator->arena);
    jsv_validator_start(validator, value.node);
    struct jsv_findings findings = jsv_findings_on(validator, schema, value.document);
    struct explain x = explain_on(schema, value, validator);
    struct jsv_place root = {.node = value.node};
    x.findings = &findings;
    int verdict = evaluate(&x, schema->root, &root, NULL);
    explain_done(&x);
    if (verdict < 0 || validator->error) {
        return verdict < 0 ? verdict : validator->error;
    }
    struct jsv_problems problems = {0};
    int r = verdict ? 0 : jsv_findings_list(&findings, &problems);
    if (r < 0) {
        return r;
    }
    *ret_problems = problems;
    return verdict;
}
