/*
 * Shared by the files that explain: explain.c (evaluation, and keywords that
 * apply other schemas to the same value), explain_value.c (keywords about the
 * value itself), explain_container.c (keywords about members and elements).
 *
 * Each keyword is a function that gets the schema, the keyword in it and the
 * place in the document. It returns 1 (holds), 0 (fails, and has added its
 * findings) or an error as jsv_validate returns it. Without findings only the
 * verdict is wanted, and a keyword may return at the first failure.
 */
#pragma once

#include <errno.h>

#include "jsv/json/node.h"
#include "jsv/schema/report/explain.h"
#include "jsv/schema/report/findings.h"
#include "jsv/schema/run/steps.h"

/*
 * The evaluated members or elements of a value, a bit each. They are on a stack
 * that moves when it grows, so they are referred to by index.
 */
struct jsv_marks {
    size_t at;
    size_t words;
};

struct jsv_explain {
    const struct jsv_schema *schema;
    const struct jsv_document *document;
    struct jsv_validator *validator;
    const struct jsv_scope *scope;
    struct jsv_findings *findings;      /* NULL: only the verdict is wanted */
    uint32_t explained_left;            /* alternatives that may still be explained */
    int64_t precheck_left;              /* budget (precheck.h); 0: no prechecks */
    const struct jsv_node *failed_node; /* of the last failed precheck, or the root */
    uint32_t failed_shape;              /* its shape */
    struct jsv_stack words;             /* uint64_t: marks and indexes, until a value is done */
    size_t words_in_use;                /* by an explanation around this one */
};

struct jsv_keyword_call {
    struct jsv_explain *x;
    const struct jsv_subschema *schema;
    const struct jsv_keyword_use *use;
    const struct jsv_place *place;
    struct jsv_marks *marks;          /* of this place; NULL: not wanted */
    const struct jsv_node *valid_end; /* members before it are known to be valid (precheck.h) */
};

/* ---- explain.c ---- */

/*
 * Evaluate a schema at a place. The children it evaluates are added to the
 * marks, unless these are NULL. @return 1, 0 or an error.
 */
int jsv_explain_evaluate(
    struct jsv_explain *x,
    const struct jsv_subschema *schema,
    const struct jsv_place *place,
    struct jsv_marks *outer_marks);

/* Allocate words, set to 0, until the keyword has been evaluated. @return 0 or -ENOMEM. */
int jsv_explain_alloc_words(struct jsv_explain *x, size_t count, size_t *ret_at);

/* ---- keywords ---- */

#define EXPLAIN(keyword, function, type, kind)                                                     \
    int jsv_explain_##function(const struct jsv_keyword_call *call);
#include "jsv/schema/report/explain.def"
#undef EXPLAIN

/* Search with a pattern. @return 1, 0 or an error; -ETIME if the search exceeded its limit. */
int jsv_explain_search(struct jsv_explain *x, const struct jsv_regex *regex, struct jsv_str text);

/* ---- helpers ---- */

/* Take steps for work whose size depends on the document or the schema. */
static inline int charge(struct jsv_explain *x, uint64_t steps)
{
    if (x->validator->steps <= (int64_t)steps) {
        x->validator->steps = 0;
        return -ELOOP;
    }
    x->validator->steps -= (int64_t)steps;
    return 0;
}

static inline size_t count_of(const struct jsv_place *place)
{
    return jsv_node_is_container(place->node) ? jsv_node_count(place->node) : 0;
}

static inline uint64_t *words_at(const struct jsv_explain *x, size_t at)
{
    return jsv_stack_item(&x->words, at);
}

static inline struct jsv_finding_place where(const struct jsv_keyword_call *call)
{
    return (struct jsv_finding_place){call->schema, call->use, call->place, {NULL, 0}, false};
}

/* Add a finding. Always 0. */
#define NOTE(call, ...) jsv_finding_add((call)->x->findings, where(call), __VA_ARGS__)

/*
 * Combine the result of a part (1, 0 or an error) with the verdict so far.
 * @return true if the verdict cannot change any more.
 */
static inline bool decides(const struct jsv_keyword_call *call, int r, int *verdict)
{
    *verdict = r < 0 ? r : *verdict & r;
    return r < 0 || (!*verdict && !call->x->findings);
}

/* Evaluate another schema for the same value. */
static inline int
evaluate_here(const struct jsv_keyword_call *call, const struct jsv_subschema *schema)
{
    return jsv_explain_evaluate(call->x, schema, call->place, call->marks);
}
