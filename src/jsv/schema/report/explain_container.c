/*
 * Keywords about the children of a value. A child that a schema is applied to
 * gets a mark, for unevaluatedItems and unevaluatedProperties.
 */
#include <inttypes.h>

#include "jsv/base/hash.h"
#include "jsv/schema/program/program.h"
#include "jsv/schema/report/message.h"
#include "jsv/schema/report/precheck.h"
#include "jsv/schema/run/unique.h"

static void set_bit(struct jsv_explain *x, size_t at, size_t index)
{
    words_at(x, at)[index / 64] |= 1ull << (index % 64);
}

static bool has_bit(const struct jsv_explain *x, size_t at, size_t index)
{
    return words_at(x, at)[index / 64] >> (index % 64) & 1;
}

static void mark(const struct jsv_keyword_call *call, size_t index)
{
    if (call->marks) {
        set_bit(call->x, call->marks->at, index);
    }
}

static int evaluate_child(
    const struct jsv_keyword_call *call,
    const struct jsv_subschema *schema,
    const struct jsv_node *node,
    const struct jsv_node *key,
    size_t index)
{
    struct jsv_place child = {call->place, node, key, index, call->place->depth + 1};
    return jsv_explain_evaluate(call->x, schema, &child, NULL);
}

/* ---- arrays ---- */

int jsv_explain_unique_items(const struct jsv_keyword_call *call)
{
    struct jsv_value array = {call->x->document, call->place->node};
    size_t equal[2];
    int r = jsv_unique_test(&call->x->validator->unique, array, equal);
    if (r != 0) {
        return r;
    }
    return NOTE(call, "items %zu and %zu are equal", equal[0], equal[1]);
}

/* Elements at the positions of a list of schemas. */
int jsv_explain_prefix_items(const struct jsv_keyword_call *call)
{
    const struct jsv_node *item = call->place->node + 1;
    size_t count = jsv_node_count(call->place->node);
    int verdict = 1;
    for (size_t i = 0; i < count && i < call->use->list.count; i++, item = jsv_node_next(item)) {
        if (decides(
                call, evaluate_child(call, call->use->list.schemas[i], item, NULL, i), &verdict)) {
            return verdict;
        }
        mark(call, i);
    }
    return verdict;
}

static int
check_item(const struct jsv_keyword_call *call, const struct jsv_node *item, size_t index)
{
    const struct jsv_subschema *schema = call->use->one.schema;
    if (!schema->never) {
        return evaluate_child(call, schema, item, NULL, index);
    }
    struct jsv_place extra = {call->place, item, NULL, index, call->place->depth + 1};
    struct jsv_finding_place at = where(call);
    at.place = &extra;
    at.unexpected = true;
    return jsv_finding_add(call->x->findings, at, "unexpected item");
}

/* The end of the elements that are known to be valid for the keyword's schema. */
static const struct jsv_node *valid_items_end(const struct jsv_keyword_call *call)
{
    const struct jsv_entry *entries = call->x->schema->program->entries;
    return jsv_precheck_valid_end(
        call->x, &entries[call->use->one.schema->shape], call->place->node);
}

/* The elements from an index on, except those with a mark. */
static int
check_rest(const struct jsv_keyword_call *call, uint64_t from, const struct jsv_marks *except)
{
    const struct jsv_node *item = call->place->node + 1;
    const struct jsv_node *valid_end = valid_items_end(call);
    size_t count = jsv_node_count(call->place->node);
    int verdict = 1;
    for (size_t i = 0; i < count; i++, item = jsv_node_next(item)) {
        if (i < from || (except && has_bit(call->x, except->at, i))) {
            continue;
        }
        int r = item < valid_end ? 1 : check_item(call, item, i);
        if (decides(call, r, &verdict)) {
            return verdict;
        }
        mark(call, i);
    }
    return verdict;
}

int jsv_explain_items(const struct jsv_keyword_call *call)
{
    bool list = jsv_node_type(call->use->key + 1) == JSV_TYPE_ARRAY;
    return list ? jsv_explain_prefix_items(call) : check_rest(call, call->use->one.from, NULL);
}

int jsv_explain_unevaluated_items(const struct jsv_keyword_call *call)
{
    return check_rest(call, 0, call->marks);
}

int jsv_explain_contains(const struct jsv_keyword_call *call)
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

/* ---- members by name ---- */

/*
 * Members of an object by name, for keywords that have a list of names.
 * Comparing each name with each member multiplies what the authors of schema
 * and document choose, so large objects get an index. It is on the stack of
 * words until the keyword has been evaluated.
 */
struct members {
    const struct jsv_node *object;
    const struct jsv_node *end;
    const struct jsv_node *next; /* after the last one found: most are in the schema's order */
    size_t next_index;
    size_t at;       /* of the index: a hash table with open addressing */
    size_t capacity; /* a power of two; 0: no index */
};

/* Names times members up to which comparing all is cheaper than an index. */
#define PAIRS_MAX 256

/* A slot of the index: the offset of the key from the object, and the number of the member. */
static uint64_t pack_member(const struct members *members, const struct jsv_node *key, size_t index)
{
    return (uint64_t)(key - members->object) << 32 | index;
}

static size_t first_slot(const struct members *members, struct jsv_str name)
{
    return (size_t)jsv_hash(name, (uint64_t)(uintptr_t)members->object) & (members->capacity - 1);
}

static int index_members(struct jsv_explain *x, struct members *members, size_t count)
{
    const struct jsv_node *object = members->object;
    members->capacity = 4;
    while (members->capacity < 2 * count) {
        members->capacity *= 2;
    }
    int r = jsv_explain_alloc_words(x, members->capacity, &members->at);
    if (r < 0) {
        return r;
    }
    uint64_t *slots = words_at(x, members->at);
    const struct jsv_node *key = object + 1;
    for (size_t i = 0; i < count; i++, key = jsv_node_next(key + 1)) {
        struct jsv_str name = jsv_string_text(x->document, key);
        r = charge(x, 3 + jsv_steps_for_text(name.size));
        if (r < 0) {
            return r;
        }
        size_t slot = first_slot(members, name);
        while (slots[slot]) {
            slot = (slot + 1) & (members->capacity - 1);
        }
        slots[slot] = pack_member(members, key, i);
    }
    return 0;
}

/* Prepare for looking up that many names. @return 0 or -ENOMEM. */
static int members_init(
    struct jsv_explain *x, const struct jsv_node *object, size_t names, struct members *ret_members)
{
    *ret_members = (struct members){
        .object = object,
        .end = jsv_node_next(object),
        .next = object + 1,
    };
    size_t count = jsv_node_count(object);
    bool is_small = count <= 1 || names <= 1 || names * count <= PAIRS_MAX;
    return is_small ? 0 : index_members(x, ret_members, count);
}

/* Search the members from `key` to `end`. @return NULL if the name is not there. */
static const struct jsv_node *find_between(
    const struct jsv_explain *x,
    const struct jsv_node *key,
    const struct jsv_node *end,
    const struct jsv_key *name,
    size_t *index)
{
    for (; key < end; key = jsv_node_next(key + 1), ++*index) {
        if (jsv_key_equals_node(name, x->document, key)) {
            return key;
        }
    }
    return NULL;
}

static const struct jsv_node *find_indexed(
    const struct jsv_explain *x,
    const struct members *members,
    const struct jsv_key *name,
    size_t *ret_index)
{
    const uint64_t *slots = words_at(x, members->at);
    size_t slot = first_slot(members, name->text);
    for (; slots[slot]; slot = (slot + 1) & (members->capacity - 1)) {
        const struct jsv_node *key = members->object + (slots[slot] >> 32);
        if (jsv_key_equals_node(name, x->document, key)) {
            *ret_index = (uint32_t)slots[slot];
            return key;
        }
    }
    return NULL;
}

static const struct jsv_node *search_members(
    const struct jsv_explain *x,
    struct members *members,
    const struct jsv_key *name,
    size_t *ret_index)
{
    const struct jsv_node *key;
    if (members->capacity > 0) {
        key = find_indexed(x, members, name, ret_index);
    } else {
        *ret_index = members->next_index;
        key = find_between(x, members->next, members->end, name, ret_index);
        if (!key) {
            *ret_index = 0;
            key = find_between(x, members->object + 1, members->next, name, ret_index);
        }
    }
    if (key) {
        members->next = jsv_node_next(key + 1);
        members->next_index = *ret_index + 1;
    }
    return key;
}

/* Find a member by name. @return its key, with its number in *ret_index; NULL: not found. */
static inline const struct jsv_node *find_member(
    struct jsv_explain *x, struct members *members, const struct jsv_key *name, size_t *ret_index)
{
    x->validator->steps -= (int64_t)jsv_steps_for_long_text(name->text.size);
    const struct jsv_node *key = members->next;
    if (key == members->end || !jsv_key_equals_node(name, x->document, key)) {
        return search_members(x, members, name, ret_index);
    }
    *ret_index = members->next_index++;
    members->next = jsv_node_next(key + 1);
    return key;
}

/* ---- objects ---- */

/* Note that a member is missing, and the member that requires it unless that is NULL. */
static int note_missing(
    const struct jsv_keyword_call *call, struct jsv_str name, const struct jsv_key *because)
{
    struct jsv_finding_place at = where(call);
    at.member = name;
    if (!because) {
        return jsv_finding_add(call->x->findings, at, "missing property \"%.*s\"", JSV_TEXT(name));
    }
    return jsv_finding_add(
        call->x->findings,
        at,
        "missing property \"%.*s\", required by \"%.*s\"",
        JSV_TEXT(name),
        JSV_TEXT(because->text));
}

static int check_names(
    const struct jsv_keyword_call *call,
    struct members *members,
    const struct jsv_names *names,
    const struct jsv_key *because)
{
    int verdict = 1;
    for (uint32_t i = 0; i < names->count; i++) {
        size_t index;
        if (!find_member(call->x, members, &names->items[i], &index) &&
            decides(call, note_missing(call, names->items[i].text, because), &verdict)) {
            return verdict;
        }
    }
    return verdict;
}

int jsv_explain_required(const struct jsv_keyword_call *call)
{
    struct members members;
    int r = members_init(call->x, call->place->node, call->use->names.count, &members);
    return r < 0 ? r : check_names(call, &members, &call->use->names, NULL);
}

int jsv_explain_dependencies(const struct jsv_keyword_call *call)
{
    struct members members;
    int verdict = members_init(call->x, call->place->node, call->use->weight, &members);
    verdict = verdict < 0 ? verdict : 1;
    for (uint32_t i = 0; i < call->use->map.count && verdict >= 0; i++) {
        const struct jsv_property *dependency = &call->use->map.items[i];
        size_t index;
        if (!find_member(call->x, &members, &dependency->key, &index)) {
            continue;
        }
        int r = dependency->schema
                    ? evaluate_here(call, dependency->schema)
                    : check_names(call, &members, &dependency->names, &dependency->key);
        if (decides(call, r, &verdict)) {
            return verdict;
        }
    }
    return verdict;
}

int jsv_explain_property_names(const struct jsv_keyword_call *call)
{
    const struct jsv_node *key = call->place->node + 1;
    const struct jsv_node *end = jsv_node_next(call->place->node);
    int verdict = 1;
    for (; key < end; key = jsv_node_next(key + 1)) {
        if (decides(call, evaluate_child(call, call->use->one.schema, key, key, 0), &verdict)) {
            return verdict;
        }
    }
    return verdict;
}

int jsv_explain_properties(const struct jsv_keyword_call *call)
{
    struct members members;
    int verdict = members_init(call->x, call->place->node, call->use->map.count, &members);
    verdict = verdict < 0 ? verdict : 1;
    for (uint32_t i = 0; i < call->use->map.count && verdict >= 0; i++) {
        const struct jsv_property *property = &call->use->map.items[i];
        size_t index;
        const struct jsv_node *key = find_member(call->x, &members, &property->key, &index);
        if (!key) {
            continue;
        }
        int r = key < call->valid_end ? 1 : evaluate_child(call, property->schema, key + 1, key, 0);
        if (decides(call, r, &verdict)) {
            return verdict;
        }
        mark(call, index);
    }
    return verdict;
}

/* Whether a member is known to be valid and no marks are wanted. */
static bool is_settled(const struct jsv_keyword_call *call, const struct jsv_node *key)
{
    return key < call->valid_end && !call->marks;
}

/* Evaluate a member by each pattern that its name matches. */
static int
check_patterns(const struct jsv_keyword_call *call, const struct jsv_node *key, size_t index)
{
    struct jsv_str name = jsv_string_text(call->x->document, key);
    int verdict = 1;
    for (uint32_t i = 0; i < call->use->map.count; i++) {
        const struct jsv_property *property = &call->use->map.items[i];
        int r = jsv_explain_search(call->x, property->regex, name);
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

int jsv_explain_pattern_properties(const struct jsv_keyword_call *call)
{
    const struct jsv_node *key = call->place->node + 1;
    const struct jsv_node *end = jsv_node_next(call->place->node);
    int verdict = 1;
    for (size_t index = 0; key < end; key = jsv_node_next(key + 1), index++) {
        if (is_settled(call, key)) {
            continue;
        }
        if (decides(call, check_patterns(call, key, index), &verdict)) {
            return verdict;
        }
    }
    return verdict;
}

/* Set a bit for every member listed in `properties` of the same schema. */
static int mark_listed(const struct jsv_keyword_call *call, size_t *ret_at)
{
    const struct jsv_keyword_use *properties =
        jsv_subschema_use(call->schema, JSV_KEYWORD_PROPERTIES);
    struct members members;
    int r = jsv_explain_alloc_words(call->x, (count_of(call->place) + 63) / 64, ret_at);
    if (r < 0 || !properties) {
        return r;
    }
    r = members_init(call->x, call->place->node, properties->map.count, &members);
    for (uint32_t i = 0; r == 0 && i < properties->map.count; i++) {
        size_t index;
        if (find_member(call->x, &members, &properties->map.items[i].key, &index)) {
            set_bit(call->x, *ret_at, index);
        }
    }
    return r;
}

/* Whether a name matches patternProperties of the same schema. @return 1, 0 or an error. */
static int matches_pattern(const struct jsv_keyword_call *call, const struct jsv_node *key)
{
    const struct jsv_keyword_use *patterns =
        jsv_subschema_use(call->schema, JSV_KEYWORD_PATTERN_PROPERTIES);
    for (uint32_t i = 0; patterns && i < patterns->map.count; i++) {
        struct jsv_str name = jsv_string_text(call->x->document, key);
        int r = jsv_explain_search(call->x, patterns->map.items[i].regex, name);
        if (r != 0) {
            return r;
        }
    }
    return 0;
}

/* A member under additionalProperties or unevaluatedProperties. */
static int check_extra(const struct jsv_keyword_call *call, const struct jsv_node *key)
{
    const struct jsv_subschema *schema = call->use->one.schema;
    if (!schema->never) {
        return evaluate_child(call, schema, key + 1, key, 0);
    }
    struct jsv_place extra = {call->place, key + 1, key, 0, call->place->depth + 1};
    struct jsv_finding_place at = where(call);
    at.place = &extra;
    at.member = jsv_string_text(call->x->document, key);
    at.unexpected = true;
    return jsv_finding_add(
        call->x->findings, at, "unexpected property \"%.*s\"", JSV_TEXT(at.member));
}

/* additionalProperties and unevaluatedProperties */
int jsv_explain_additional_properties(const struct jsv_keyword_call *call)
{
    const struct jsv_node *key = call->place->node + 1;
    const struct jsv_node *end = jsv_node_next(call->place->node);
    bool is_additional = call->use->keyword == JSV_KEYWORD_ADDITIONAL_PROPERTIES;
    size_t skipped = is_additional ? 0 : call->marks->at;
    int verdict = is_additional ? mark_listed(call, &skipped) : 0;
    verdict = verdict < 0 ? verdict : 1;
    for (size_t index = 0; key < end && verdict >= 0; key = jsv_node_next(key + 1), index++) {
        if (has_bit(call->x, skipped, index) || (is_additional && is_settled(call, key))) {
            continue;
        }
        int r = is_additional ? matches_pattern(call, key) : 0;
        if (r == 1) {
            continue;
        }
        r = r < 0 ? r : check_extra(call, key);
        if (decides(call, r, &verdict)) {
            return verdict;
        }
        mark(call, index);
    }
    return verdict;
}
