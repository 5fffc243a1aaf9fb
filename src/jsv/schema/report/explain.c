/*
 * A schema is its keywords, one after the other: a table says which function
 * evaluates a keyword, and for which types of value it has anything to say.
 * Here is what happens around them: steps are taken for the work, marks are
 * kept for those who ask what was evaluated, the dynamic scope grows with every
 * resource that is entered, and verdicts are remembered.
 */
#include "jsv/schema/report/explain.h"

#include <errno.h>
#include <string.h>

#include "jsv/schema/report/explain_call.h"
#include "jsv/schema/report/judge.h"

/*
 * Alternatives that did not fit and are gone into, to say why. Those of one
 * alternative multiply with those of the one around it; beyond this many it is
 * only said that none fits.
 */
#define EXPLAINED_MAX 20000

/* ---- marks ---- */

int jsv_explain_take_words(struct jsv_explain *x, size_t count, size_t *ret_at)
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

static int
marks_make(struct jsv_explain *x, const struct jsv_place *place, struct jsv_marks *ret_marks)
{
    ret_marks->words = (count_of(place) + 63) / 64;
    return jsv_explain_take_words(x, ret_marks->words, &ret_marks->at);
}

static void
marks_join(struct jsv_explain *x, const struct jsv_marks *into, const struct jsv_marks *from)
{
    for (size_t i = 0; i < into->words; i++) {
        words_at(x, into->at)[i] |= words_at(x, from->at)[i];
    }
}

/* ---- keywords ---- */

static const struct {
    int (*check)(const struct jsv_keyword_call *call);
    unsigned types; /* of instance it has something to say about; 0: all */
} checks[JSV_KEYWORD_COUNT] = {
    [JSV_KEYWORD_REF] = {jsv_explain_ref, 0},
    [JSV_KEYWORD_DYNAMIC_REF] = {jsv_explain_ref, 0},
    [JSV_KEYWORD_RECURSIVE_REF] = {jsv_explain_ref, 0},
    [JSV_KEYWORD_TYPE] = {jsv_explain_type, 0},
    [JSV_KEYWORD_CONST] = {jsv_explain_const, 0},
    [JSV_KEYWORD_ENUM] = {jsv_explain_enum, 0},
    [JSV_KEYWORD_MULTIPLE_OF] = {jsv_explain_multiple_of, JSV_TYPE_BIT_NUMBER},
    [JSV_KEYWORD_MAXIMUM] = {jsv_explain_bound, JSV_TYPE_BIT_NUMBER},
    [JSV_KEYWORD_EXCLUSIVE_MAXIMUM] = {jsv_explain_bound, JSV_TYPE_BIT_NUMBER},
    [JSV_KEYWORD_MINIMUM] = {jsv_explain_bound, JSV_TYPE_BIT_NUMBER},
    [JSV_KEYWORD_EXCLUSIVE_MINIMUM] = {jsv_explain_bound, JSV_TYPE_BIT_NUMBER},
    [JSV_KEYWORD_MAX_LENGTH] = {jsv_explain_max_length, JSV_TYPE_BIT_STRING},
    [JSV_KEYWORD_MIN_LENGTH] = {jsv_explain_min_length, JSV_TYPE_BIT_STRING},
    [JSV_KEYWORD_PATTERN] = {jsv_explain_pattern, JSV_TYPE_BIT_STRING},
    [JSV_KEYWORD_FORMAT] = {jsv_explain_format, JSV_TYPE_BIT_STRING},
    [JSV_KEYWORD_CONTENT_ENCODING] = {jsv_explain_content_encoding, JSV_TYPE_BIT_STRING},
    [JSV_KEYWORD_CONTENT_MEDIA_TYPE] = {jsv_explain_content_media_type, JSV_TYPE_BIT_STRING},
    [JSV_KEYWORD_MAX_ITEMS] = {jsv_explain_max_items, JSV_TYPE_BIT_ARRAY},
    [JSV_KEYWORD_MIN_ITEMS] = {jsv_explain_min_items, JSV_TYPE_BIT_ARRAY},
    [JSV_KEYWORD_UNIQUE_ITEMS] = {jsv_explain_unique_items, JSV_TYPE_BIT_ARRAY},
    [JSV_KEYWORD_PREFIX_ITEMS] = {jsv_explain_prefix_items, JSV_TYPE_BIT_ARRAY},
    [JSV_KEYWORD_ITEMS] = {jsv_explain_items, JSV_TYPE_BIT_ARRAY},
    [JSV_KEYWORD_ADDITIONAL_ITEMS] = {jsv_explain_items, JSV_TYPE_BIT_ARRAY},
    [JSV_KEYWORD_CONTAINS] = {jsv_explain_contains, JSV_TYPE_BIT_ARRAY},
    [JSV_KEYWORD_MAX_PROPERTIES] = {jsv_explain_max_properties, JSV_TYPE_BIT_OBJECT},
    [JSV_KEYWORD_MIN_PROPERTIES] = {jsv_explain_min_properties, JSV_TYPE_BIT_OBJECT},
    [JSV_KEYWORD_REQUIRED] = {jsv_explain_required, JSV_TYPE_BIT_OBJECT},
    [JSV_KEYWORD_DEPENDENT_REQUIRED] = {jsv_explain_dependencies, JSV_TYPE_BIT_OBJECT},
    [JSV_KEYWORD_DEPENDENCIES] = {jsv_explain_dependencies, JSV_TYPE_BIT_OBJECT},
    [JSV_KEYWORD_DEPENDENT_SCHEMAS] = {jsv_explain_dependencies, JSV_TYPE_BIT_OBJECT},
    [JSV_KEYWORD_PROPERTY_NAMES] = {jsv_explain_property_names, JSV_TYPE_BIT_OBJECT},
    [JSV_KEYWORD_PROPERTIES] = {jsv_explain_properties, JSV_TYPE_BIT_OBJECT},
    [JSV_KEYWORD_PATTERN_PROPERTIES] = {jsv_explain_pattern_properties, JSV_TYPE_BIT_OBJECT},
    [JSV_KEYWORD_ADDITIONAL_PROPERTIES] = {jsv_explain_additional_properties, JSV_TYPE_BIT_OBJECT},
    [JSV_KEYWORD_ALL_OF] = {jsv_explain_all_of, 0},
    [JSV_KEYWORD_ANY_OF] = {jsv_explain_any_of, 0},
    [JSV_KEYWORD_ONE_OF] = {jsv_explain_one_of, 0},
    [JSV_KEYWORD_NOT] = {jsv_explain_not, 0},
    [JSV_KEYWORD_IF] = {jsv_explain_if, 0},
    [JSV_KEYWORD_THEN] = {jsv_explain_nothing, 0},
    [JSV_KEYWORD_ELSE] = {jsv_explain_nothing, 0},
    [JSV_KEYWORD_UNEVALUATED_ITEMS] = {jsv_explain_unevaluated_items, JSV_TYPE_BIT_ARRAY},
    [JSV_KEYWORD_UNEVALUATED_PROPERTIES] =
        {jsv_explain_unevaluated_properties, JSV_TYPE_BIT_OBJECT},
};

/* Steps a keyword takes by itself, by how much of the schema and the document it looks at. */
static uint64_t steps_of(const struct jsv_keyword_use *use, const struct jsv_node *node)
{
    bool container = jsv_node_is_container(node);
    if (use->keyword == JSV_KEYWORD_CONST || use->keyword == JSV_KEYWORD_ENUM) {
        return 1 + jsv_steps_for_others(use->weight);
    }
    if (use->keyword == JSV_KEYWORD_UNIQUE_ITEMS) {
        return 1 + jsv_steps_for_unique(node);
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
    struct jsv_explain *x,
    const struct jsv_subschema *schema,
    const struct jsv_place *place,
    struct jsv_marks *marks)
{
    unsigned type = 1u << jsv_node_type(place->node);
    const struct jsv_node *good_end = jsv_judge_good_end(x, schema, place->node);
    int verdict = 1;
    for (uint32_t i = 0; i < schema->use_count; i++) {
        const struct jsv_keyword_use *use = &schema->uses[i];
        if (checks[use->keyword].types && !(checks[use->keyword].types & type)) {
            continue;
        }
        int r = charge(x, steps_of(use, place->node));
        size_t words = x->words.count;
        if (r == 0) {
            struct jsv_keyword_call call = {x, schema, use, place, marks, good_end};
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
    struct jsv_explain *x,
    const struct jsv_subschema *schema,
    const struct jsv_place *place,
    struct jsv_marks *outer_marks)
{
    if (x->validator->depth <= 0 || charge(x, 1) < 0) {
        return -ELOOP;
    }
    struct jsv_marks own;
    struct jsv_marks *marks = NULL;
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
static int evaluate_once(
    struct jsv_explain *x, const struct jsv_subschema *schema, const struct jsv_place *place)
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

/* The verdict alone, where that costs less than going into everything. */
static bool find_verdict(
    struct jsv_explain *x,
    const struct jsv_subschema *schema,
    const struct jsv_place *place,
    int *ret_verdict)
{
    if (jsv_judge_can(x, schema)) {
        *ret_verdict = jsv_judge(x, schema, place->node);
        return true;
    }
    if (!schema->combines || x->schema->dynamic) {
        return false;
    }
    struct jsv_findings *findings = x->findings;
    x->findings = NULL;
    *ret_verdict = evaluate_once(x, schema, place);
    x->findings = findings;
    return true;
}

/* Evaluate a schema that is not known to hold. */
static int go_into(
    struct jsv_explain *x,
    const struct jsv_subschema *schema,
    const struct jsv_place *place,
    struct jsv_marks *outer_marks)
{
    if (schema->never) {
        struct jsv_finding_place at = {.schema = schema, .place = place};
        return jsv_finding_add(x->findings, at, "no value is allowed here");
    }
    return evaluate_anew(x, schema, place, outer_marks);
}

int jsv_explain_evaluate(
    struct jsv_explain *x,
    const struct jsv_subschema *schema,
    const struct jsv_place *place,
    struct jsv_marks *outer_marks)
{
    if (schema->use_count == 0 && !schema->never) {
        return 1;
    }
    int r = 0;
    bool is_known = !outer_marks && find_verdict(x, schema, place, &r);
    if (is_known && (r != 0 || !x->findings)) {
        return r;
    }
    return go_into(x, schema, place, outer_marks);
}

static struct jsv_explain
explain_on(const struct jsv_schema *schema, struct jsv_value value, struct jsv_validator *validator)
{
    return (struct jsv_explain){
        .schema = schema,
        .document = value.document,
        .validator = validator,
        .explained_left = EXPLAINED_MAX,
        .words = validator->words,
        .words_in_use = validator->words.count,
    };
}

/* Keep the memory of the words: a program may ask for a verdict at every value of a document. */
static void explain_done(struct jsv_explain *x)
{
    x->validator->words = x->words;
    x->validator->words.count = x->words_in_use;
}

int jsv_explain_verdict(
    const struct jsv_schema *schema,
    const struct jsv_subschema *subschema,
    const struct jsv_scope *scope,
    struct jsv_value value,
    struct jsv_validator *validator)
{
    struct jsv_explain x = explain_on(schema, value, validator);
    struct jsv_place root = {.node = value.node};
    x.scope = scope;
    int r = jsv_explain_evaluate(&x, subschema, &root, NULL);
    explain_done(&x);
    return r;
}

/* As jsv_explain_report(), when what the program found good is of this document. */
static int report(
    const struct jsv_schema *schema,
    struct jsv_value value,
    struct jsv_validator *validator,
    bool judges,
    struct jsv_problems *ret_problems)
{
    jsv_arena_reset(&validator->arena);
    jsv_validator_start(validator, value.node);
    struct jsv_findings findings = jsv_findings_on(validator, schema, value.document);
    struct jsv_explain x = explain_on(schema, value, validator);
    struct jsv_place root = {.node = value.node};
    x.findings = &findings;
    x.judging_left = judges && !schema->dynamic ? jsv_judge_steps(value.node) : 0;
    x.failed_node = value.node;
    x.failed_shape = schema->root->shape;
    int verdict = go_into(&x, schema->root, &root, NULL);
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

int jsv_explain_report(
    const struct jsv_schema *schema,
    struct jsv_value value,
    struct jsv_validator *validator,
    bool judges,
    struct jsv_problems *ret_problems)
{
    validator->stop.by = NULL;
    return report(schema, value, validator, judges, ret_problems);
}

/* What is said of a value that is known not to be valid, when saying why takes too much. */
static const struct jsv_problem too_long = {
    .path = JSV_STR(""),
    .message = JSV_STR("not valid; the list of its faults is too long to work out"),
    .keyword = JSV_STR(""),
    .found = JSV_STR(""),
    .schema_path = JSV_STR(""),
    .evaluation_path = JSV_STR(""),
    .resource_uri = JSV_STR(""),
    .resource_path = JSV_STR(""),
};

/* Whether a report ended because of what it may take; where memory is short for all, it is not. */
static bool met_limits(const struct jsv_validator *validator, int error)
{
    bool is_refused = validator->arena.refused || validator->lasting.refused;
    return error == -ELOOP || error == -ETIME || (error == -ENOMEM && is_refused);
}

int jsv_validate_report(
    const struct jsv_schema *schema,
    struct jsv_value value,
    struct jsv_validator *validator,
    struct jsv_problems *ret_problems)
{
    bool can_run = !schema->dynamic || !value.node; /* else the program would only explain */
    validator->stop.by = NULL;
    int verdict = can_run ? jsv_validate(schema, value, validator) : 0;
    if (verdict == 1) {
        *ret_problems = (struct jsv_problems){0};
    }
    if (verdict != 0) {
        return verdict;
    }
    validator->lasting.refused = false; /* nothing resets it */
    int reported = report(schema, value, validator, true, ret_problems);
    if (can_run && met_limits(validator, reported)) {
        *ret_problems = (struct jsv_problems){.items = &too_long, .count = 1};
        return 0;
    }
    /* they agree; if ever they did not, it would be no verdict */
    return reported == 1 && can_run ? -ELOOP : reported;
}
