/*
 * Evaluating the keywords of a schema in order. A table has the function for
 * each keyword and the types it applies to. This file also counts steps, keeps
 * marks of evaluated children, extends the dynamic scope with each resource
 * that is entered, and remembers verdicts.
 *
 * Alternatives of anyOf and oneOf are first evaluated for their verdict only,
 * because an alternative that fails is not a problem if another one matches.
 * If none matches, they are evaluated again to find out what is wrong with each
 * (branches.c).
 */
#include "jsv/schema/report/explain.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "jsv/schema/report/precheck.h"

/*
 * Failed alternatives that are explained. Nested alternatives multiply; beyond
 * this limit the message is only "matches none of the alternatives".
 */
#define EXPLAINED_MAX 20000

/* ---- marks ---- */

int jsv_explain_alloc_words(struct jsv_explain *x, size_t count, size_t *ret_at)
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
    return jsv_explain_alloc_words(x, ret_marks->words, &ret_marks->at);
}

static void
marks_join(struct jsv_explain *x, const struct jsv_marks *into, const struct jsv_marks *from)
{
    for (size_t i = 0; i < into->words; i++) {
        words_at(x, into->at)[i] |= words_at(x, from->at)[i];
    }
}

/* ---- references ---- */

int jsv_explain_ref(const struct jsv_keyword_call *call)
{
    const struct jsv_subschema *target = call->use->ref.target;
    struct jsv_findings *findings = call->x->findings;
    if (call->use->ref.dynamic) {
        /* the outermost resource with the anchor wins */
        for (const struct jsv_scope *scope = call->x->scope; scope; scope = scope->outer) {
            const struct jsv_subschema *found =
                jsv_schema_dynamic_target(call->x->schema, scope->resource, call->use->ref.anchor);
            target = found ? found : target;
        }
    }
    if (!findings) {
        return evaluate_here(call, target);
    }
    struct jsv_ref_link ref = {findings->ref, call->schema, call->use, target, NULL};
    findings->ref = &ref;
    int r = evaluate_here(call, target);
    findings->ref = ref.outer;
    return r;
}

/* ---- combinations ---- */

int jsv_explain_all_of(const struct jsv_keyword_call *call)
{
    int verdict = 1;
    for (uint32_t i = 0; i < call->use->list.count; i++) {
        if (decides(call, evaluate_here(call, call->use->list.schemas[i]), &verdict)) {
            return verdict;
        }
    }
    return verdict;
}

/* Evaluate for the verdict only. */
static int evaluate_quietly(const struct jsv_keyword_call *call, const struct jsv_subschema *schema)
{
    struct jsv_findings *findings = call->x->findings;
    call->x->findings = NULL;
    int r = evaluate_here(call, schema);
    call->x->findings = findings;
    return r;
}

/* No alternative matches: find out what is wrong with each. */
static int explain_alternatives(const struct jsv_keyword_call *call)
{
    struct jsv_explain *x = call->x;
    if (!x->findings) {
        return 0;
    }
    struct jsv_branches branches = jsv_branches_begin(x->findings, where(call));
    for (uint32_t i = 0; i < call->use->list.count && x->explained_left; i++) {
        x->explained_left--;
        int r = evaluate_here(call, call->use->list.schemas[i]);
        if (r < 0) {
            return r;
        }
        jsv_branches_failed(&branches, i);
    }
    return jsv_branches_settle(&branches);
}

/* anyOf and oneOf */
int jsv_explain_any_of(const struct jsv_keyword_call *call)
{
    bool is_one_of = call->use->keyword == JSV_KEYWORD_ONE_OF;
    uint32_t matches[2] = {0, 0}; /* the first alternatives that match */
    uint32_t count = 0;
    for (uint32_t i = 0; i < call->use->list.count; i++) {
        int r = evaluate_quietly(call, call->use->list.schemas[i]);
        if (r < 0) {
            return r;
        }
        if (r == 0) {
            continue;
        }
        if (count < 2) {
            matches[count++] = i;
        }
        if (!is_one_of && !call->marks) {
            break;
        }
    }
    if (count == 0) {
        return explain_alternatives(call);
    }
    if (!is_one_of || count == 1) {
        return 1;
    }
    return NOTE(
        call,
        "matches more than one alternative (%" PRIu32 " and %" PRIu32 ")",
        matches[0],
        matches[1]);
}

int jsv_explain_not(const struct jsv_keyword_call *call)
{
    struct jsv_keyword_call unmarked = *call;
    unmarked.marks = NULL;
    int r = evaluate_quietly(&unmarked, call->use->one.schema);
    if (r != 1) {
        return r < 0 ? r : 1;
    }
    return NOTE(call, "must not match the schema in \"not\"");
}

int jsv_explain_if(const struct jsv_keyword_call *call)
{
    int r = evaluate_quietly(call, call->use->one.schema);
    if (r < 0) {
        return r;
    }
    const struct jsv_keyword_use *branch =
        jsv_subschema_use(call->schema, r ? JSV_KEYWORD_THEN : JSV_KEYWORD_ELSE);
    return branch ? evaluate_here(call, branch->one.schema) : 1;
}

/* ---- keywords ---- */

static const struct {
    int (*check)(const struct jsv_keyword_call *call);
    unsigned types; /* bits of the types it applies to */
} checks[JSV_KEYWORD_COUNT] = {
#define JSV_TYPE_BIT_ANY (~0u)
#define EXPLAIN(keyword, function, type, kind)                                                     \
    [JSV_KEYWORD_##keyword] = {jsv_explain_##function, JSV_TYPE_BIT_##type},
#include "jsv/schema/report/explain.def"
#undef EXPLAIN
};

/* Steps for a keyword, by how much of the schema and the document it reads. */
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
    const struct jsv_node *valid_end = jsv_precheck_valid_end(x, schema, place->node);
    int verdict = 1;
    for (uint32_t i = 0; i < schema->use_count; i++) {
        const struct jsv_keyword_use *use = &schema->uses[i];
        if (!(checks[use->keyword].types & type)) {
            continue;
        }
        int r = charge(x, steps_of(use, place->node));
        size_t words = x->words.count;
        if (r == 0) {
            struct jsv_keyword_call call = {x, schema, use, place, marks, valid_end};
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

static int evaluate_schema(
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
    /* Where problems are reported, a failed schema keeps its marks: otherwise all children it
       evaluated would be reported as unexpected as well. */
    if ((r == 1 || (r == 0 && x->findings)) && outer_marks) {
        marks_join(x, outer_marks, marks);
    }
    x->words.count = words;
    return r;
}

/*
 * The verdict, remembered (validator.h): the work would double at every level
 * if several schemas lead to the same one.
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
    int r = evaluate_schema(x, schema, place, NULL);
    if (r >= 0) {
        jsv_memo_set(x->validator, memo, key, r);
    }
    return r;
}

/* Find the verdict if that is cheaper than explaining. @return false if it is not. */
static bool find_verdict(
    struct jsv_explain *x,
    const struct jsv_subschema *schema,
    const struct jsv_place *place,
    int *ret_verdict)
{
    if (jsv_precheck_can(x, schema)) {
        *ret_verdict = jsv_precheck(x, schema, place->node);
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
static int evaluate_unknown(
    struct jsv_explain *x,
    const struct jsv_subschema *schema,
    const struct jsv_place *place,
    struct jsv_marks *outer_marks)
{
    if (schema->never) {
        struct jsv_finding_place at = {.schema = schema, .place = place};
        return jsv_finding_add(x->findings, at, "no value is allowed here");
    }
    return evaluate_schema(x, schema, place, outer_marks);
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
    return evaluate_unknown(x, schema, place, outer_marks);
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

/* Keep the allocated words, because a program may ask for a verdict at every value. */
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

/* As jsv_explain_report(), if the last failure is from the same document. */
static int report(
    const struct jsv_schema *schema,
    struct jsv_value value,
    struct jsv_validator *validator,
    bool precheck,
    struct jsv_problems *ret_problems)
{
    jsv_arena_reset(&validator->arena);
    jsv_validator_start(validator, value.node);
    struct jsv_findings findings = jsv_findings_on(validator, schema, value.document);
    struct jsv_explain x = explain_on(schema, value, validator);
    struct jsv_place root = {.node = value.node};
    x.findings = &findings;
    x.precheck_left = precheck && !schema->dynamic ? jsv_precheck_budget(value.node) : 0;
    x.failed_node = value.node;
    x.failed_shape = schema->root->shape;
    int verdict = evaluate_unknown(&x, schema->root, &root, NULL);
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
    bool precheck,
    struct jsv_problems *ret_problems)
{
    validator->last_failure.by = NULL;
    return report(schema, value, validator, precheck, ret_problems);
}

/* Reported for an invalid value if explaining it exceeded a limit. */
static const struct jsv_problem too_long = {
    .path = JSV_STR(""),
    .message = JSV_STR("invalid; error list exceeded the work limit"),
    .keyword = JSV_STR(""),
    .found = JSV_STR(""),
    .schema_path = JSV_STR(""),
    .evaluation_path = JSV_STR(""),
    .resource_uri = JSV_STR(""),
    .resource_path = JSV_STR(""),
    .kind = JSV_PROBLEM_LIST_TOO_LONG,
};

/* Whether a report ended at the validator's limits, and not because the system has no memory. */
static bool met_limits(const struct jsv_validator *validator, int error)
{
    bool is_refused = validator->arena.refused || validator->lasting.refused;
    return error == -ELOOP || error == -ETIME || (error == -ENOMEM && is_refused);
}

int jsv_validate_report(
    struct jsv_validator *validator,
    const struct jsv_schema *schema,
    struct jsv_value value,
    struct jsv_problems *ret_problems)
{
    bool can_run =
        !schema->dynamic || !value.node; /* a dynamic schema is explained by the program, too */
    validator->last_failure.by = NULL;
    int verdict = can_run ? jsv_validate(validator, schema, value) : 0;
    if (verdict == 1) {
        *ret_problems = (struct jsv_problems){0};
    }
    if (verdict != 0) {
        return verdict;
    }
    validator->lasting.refused = false; /* not reset elsewhere */
    int reported = report(schema, value, validator, true, ret_problems);
    if (can_run && met_limits(validator, reported)) {
        *ret_problems = (struct jsv_problems){.items = &too_long, .count = 1};
        return 0;
    }
    /* program and report agree; if they ever disagree, there is no verdict */
    return reported == 1 && can_run ? -ELOOP : reported;
}
