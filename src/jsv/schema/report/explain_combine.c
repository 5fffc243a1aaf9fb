/*
 * Keywords that put other schemas to the same value: references, and the
 * combinations allOf, anyOf, oneOf, not, if.
 *
 * An alternative that does not fit is no fault as long as another one fits, so
 * alternatives are first evaluated for their verdict alone. Only when none
 * fits are they gone through once more, to find out what is wrong with each,
 * and findings.h makes of that what people should hear.
 */
#include <inttypes.h>

#include "jsv/schema/report/explain_call.h"

/* ---- references ---- */

/* Findings remember the references on the way to them. */
static int follow(const struct jsv_keyword_call *call, const struct jsv_subschema *target)
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

int jsv_explain_ref(const struct jsv_keyword_call *call)
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

/* Evaluate without noting problems. */
static int
evaluate_silently(const struct jsv_keyword_call *call, const struct jsv_subschema *schema)
{
    struct jsv_findings *findings = call->x->findings;
    call->x->findings = NULL;
    int r = evaluate_here(call, schema);
    call->x->findings = findings;
    return r;
}

/* Alternatives that fit. */
struct matches {
    uint32_t count;
    uint32_t first[2]; /* by index */
};

static int
find_matches(const struct jsv_keyword_call *call, bool stop_at_first, struct matches *ret_matches)
{
    *ret_matches = (struct matches){.count = 0};
    for (uint32_t i = 0; i < call->use->list.count; i++) {
        int r = evaluate_silently(call, call->use->list.schemas[i]);
        if (r < 0) {
            return r;
        }
        if (r == 1 && ret_matches->count < 2) {
            ret_matches->first[ret_matches->count] = i;
        }
        ret_matches->count += (uint32_t)r;
        if (r == 1 && stop_at_first && !call->marks) {
            break;
        }
    }
    return 0;
}

/* None of the alternatives fits: find out what is wrong with each. */
static int explain_alternatives(const struct jsv_keyword_call *call)
{
    struct jsv_explain *x = call->x;
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

int jsv_explain_any_of(const struct jsv_keyword_call *call)
{
    struct matches matches;
    int r = find_matches(call, true, &matches);
    if (r < 0 || matches.count) {
        return r < 0 ? r : 1;
    }
    return explain_alternatives(call);
}

int jsv_explain_one_of(const struct jsv_keyword_call *call)
{
    struct matches matches;
    int r = find_matches(call, false, &matches);
    if (r < 0 || matches.count == 1) {
        return r < 0 ? r : 1;
    }
    if (matches.count == 0) {
        return explain_alternatives(call);
    }
    return NOTE(
        call,
        "matches more than one alternative (%" PRIu32 " and %" PRIu32 ")",
        matches.first[0],
        matches.first[1]);
}

int jsv_explain_not(const struct jsv_keyword_call *call)
{
    struct jsv_keyword_call unmarked = *call;
    unmarked.marks = NULL;
    int r = evaluate_silently(&unmarked, call->use->one.schema);
    if (r != 1) {
        return r < 0 ? r : 1;
    }
    return NOTE(call, "must not match the schema in \"not\"");
}

int jsv_explain_if(const struct jsv_keyword_call *call)
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
int jsv_explain_nothing(const struct jsv_keyword_call *call)
{
    (void)call;
    return 1;
}
