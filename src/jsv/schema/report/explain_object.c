/*
 * Keywords about the members of an object: which must be there, which schema
 * is for which of them, what is for all the others. A member a schema was put
 * to gets a mark, for unevaluatedProperties.
 */
#include "jsv/schema/report/explain_members.h"
#include "jsv/schema/report/message.h"

int jsv_explain_max_properties(const struct jsv_keyword_call *call)
{
    return jsv_explain_size(
        call, jsv_node_count(call->place->node), true, "property", "properties");
}

int jsv_explain_min_properties(const struct jsv_keyword_call *call)
{
    return jsv_explain_size(
        call, jsv_node_count(call->place->node), false, "property", "properties");
}

/* A name that is not there; because of another that is, if there is one. */
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
        "missing property \"%.*s\", which \"%.*s\" asks for",
        JSV_TEXT(name),
        JSV_TEXT(because->text));
}

static int check_names(
    const struct jsv_keyword_call *call,
    struct jsv_named_members *members,
    const struct jsv_names *names,
    const struct jsv_key *because)
{
    int verdict = 1;
    for (uint32_t i = 0; i < names->count; i++) {
        size_t index;
        if (!jsv_named_members_find(call->x, members, &names->items[i], &index) &&
            decides(call, note_missing(call, names->items[i].text, because), &verdict)) {
            return verdict;
        }
    }
    return verdict;
}

int jsv_explain_required(const struct jsv_keyword_call *call)
{
    struct jsv_named_members members;
    int r = jsv_named_members_on(call->x, call->place->node, call->use->names.count, &members);
    return r < 0 ? r : check_names(call, &members, &call->use->names, NULL);
}

int jsv_explain_dependencies(const struct jsv_keyword_call *call)
{
    struct jsv_named_members members;
    int verdict = jsv_named_members_on(call->x, call->place->node, call->use->weight, &members);
    verdict = verdict < 0 ? verdict : 1;
    for (uint32_t i = 0; i < call->use->dependencies.count && verdict >= 0; i++) {
        const struct jsv_dependency *dependency = &call->use->dependencies.items[i];
        size_t index;
        if (!jsv_named_members_find(call->x, &members, &dependency->key, &index)) {
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
    struct jsv_named_members members;
    int verdict = jsv_named_members_on(call->x, call->place->node, call->use->map.count, &members);
    verdict = verdict < 0 ? verdict : 1;
    for (uint32_t i = 0; i < call->use->map.count && verdict >= 0; i++) {
        const struct jsv_property *property = &call->use->map.items[i];
        size_t index;
        const struct jsv_node *key =
            jsv_named_members_find(call->x, &members, &property->key, &index);
        if (!key) {
            continue;
        }
        int r = key < call->good_end ? 1 : evaluate_child(call, property->schema, key + 1, key, 0);
        if (decides(call, r, &verdict)) {
            return verdict;
        }
        mark(call, index);
    }
    return verdict;
}

/* Whether a member is known to be good, and nobody asks by which keyword. */
static bool is_settled(const struct jsv_keyword_call *call, const struct jsv_node *key)
{
    return key < call->good_end && !call->marks;
}

/* A member under each of the patterns its name matches. */
static int
check_patterns(const struct jsv_keyword_call *call, const struct jsv_node *key, size_t index)
{
    struct jsv_str name = jsv_string_text(call->x->document, key);
    int verdict = 1;
    for (uint32_t i = 0; i < call->use->patterns.count; i++) {
        const struct jsv_pattern_property *property = &call->use->patterns.items[i];
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

/* Set a bit for every member that `properties` of the same schema speaks of. */
static int mark_listed(const struct jsv_keyword_call *call, size_t *ret_at)
{
    const struct jsv_keyword_use *properties =
        jsv_subschema_use(call->schema, JSV_KEYWORD_PROPERTIES);
    struct jsv_named_members members;
    int r = jsv_explain_take_words(call->x, (count_of(call->place) + 63) / 64, ret_at);
    if (r < 0 || !properties) {
        return r;
    }
    r = jsv_named_members_on(call->x, call->place->node, properties->map.count, &members);
    for (uint32_t i = 0; r == 0 && i < properties->map.count; i++) {
        size_t index;
        if (jsv_named_members_find(call->x, &members, &properties->map.items[i].key, &index)) {
            set_bit(call->x, *ret_at, index);
        }
    }
    return r;
}

/* 1 when patternProperties of the same schema speaks of the name. */
static int matches_pattern(const struct jsv_keyword_call *call, const struct jsv_node *key)
{
    const struct jsv_keyword_use *patterns =
        jsv_subschema_use(call->schema, JSV_KEYWORD_PATTERN_PROPERTIES);
    for (uint32_t i = 0; patterns && i < patterns->patterns.count; i++) {
        struct jsv_str name = jsv_string_text(call->x->document, key);
        int r = jsv_explain_search(call->x, patterns->patterns.items[i].regex, name);
        if (r != 0) {
            return r;
        }
    }
    return 0;
}

/* A member nobody speaks of, under additionalProperties or unevaluatedProperties. */
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

int jsv_explain_additional_properties(const struct jsv_keyword_call *call)
{
    const struct jsv_node *key = call->place->node + 1;
    const struct jsv_node *end = jsv_node_next(call->place->node);
    size_t listed;
    int verdict = mark_listed(call, &listed);
    verdict = verdict < 0 ? verdict : 1;
    for (size_t index = 0; key < end && verdict >= 0; key = jsv_node_next(key + 1), index++) {
        bool settled = is_settled(call, key) || has_bit(call->x, listed, index);
        int r = settled ? 1 : matches_pattern(call, key);
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

int jsv_explain_unevaluated_properties(const struct jsv_keyword_call *call)
{
    const struct jsv_node *key = call->place->node + 1;
    const struct jsv_node *end = jsv_node_next(call->place->node);
    int verdict = 1;
    for (size_t index = 0; key < end; key = jsv_node_next(key + 1), index++) {
        if (has_bit(call->x, call->marks->at, index)) {
            continue;
        }
        if (decides(call, check_extra(call, key), &verdict)) {
            return verdict;
        }
        mark(call, index);
    }
    return verdict;
}
