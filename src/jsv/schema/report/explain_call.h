/*
 * What the keywords share while a schema is explained.
 *
 * Every keyword is a function that is called with where evaluation is: the
 * schema, the keyword's use in it, the place in the document. It says 1 (it
 * holds), 0 (it does not, and what is wrong has been noted), or a failure as
 * jsv_validate does. explain.c goes through the keywords; they are in
 * explain_value.c (of a value as such), explain_combine.c (other schemas for
 * the same value), explain_array.c and explain_object.c (what is inside).
 *
 * Without findings the verdict is enough, and a keyword may stop at the first
 * fault.
 */
#pragma once

#include <errno.h>

#include "jsv/json/value.h"
#include "jsv/schema/report/explain.h"
#include "jsv/schema/report/findings.h"
#include "jsv/schema/run/steps.h"

/*
 * Which members or elements of a value have been evaluated, as bits. They lie
 * on a stack that moves when it grows, so they are known by their place on it.
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
    struct jsv_findings *findings;      /* NULL: the verdict is enough */
    uint32_t explained_left;            /* alternatives that may still be gone into */
    int64_t judging_left;               /* judge.h's; 0: everything is explained */
    const struct jsv_node *failed_node; /* last judged in vain, or the root */
    uint32_t failed_shape;              /* by which */
    struct jsv_stack words; /* uint64_t: what is needed until the evaluation of a value ends */
    size_t words_in_use;    /* by who explains around this */
};

struct jsv_keyword_call {
    struct jsv_explain *x;
    const struct jsv_subschema *schema;
    const struct jsv_keyword_use *use;
    const struct jsv_place *place;
    struct jsv_marks *marks;         /* of this place; NULL when nobody wants them */
    const struct jsv_node *good_end; /* members before this are known to be good (judge.h) */
};

/* ---- explain.c ---- */

/*
 * Evaluate a schema at a place. What it evaluated there is added to the marks
 * of whoever wants to know; NULL: nobody does. @return 1, 0 or a failure.
 */
int jsv_explain_evaluate(
    struct jsv_explain *x,
    const struct jsv_subschema *schema,
    const struct jsv_place *place,
    struct jsv_marks *outer_marks);

/*
 * Room for some words, all 0, until the keyword has been evaluated.
 * @return 0 or -ENOMEM.
 */
int jsv_explain_take_words(struct jsv_explain *x, size_t count, size_t *ret_at);

/* ---- explain_value.c ---- */

int jsv_explain_type(const struct jsv_keyword_call *call);
int jsv_explain_const(const struct jsv_keyword_call *call);
int jsv_explain_enum(const struct jsv_keyword_call *call);
int jsv_explain_bound(const struct jsv_keyword_call *call);
int jsv_explain_multiple_of(const struct jsv_keyword_call *call);
int jsv_explain_max_length(const struct jsv_keyword_call *call);
int jsv_explain_min_length(const struct jsv_keyword_call *call);
int jsv_explain_pattern(const struct jsv_keyword_call *call);
int jsv_explain_format(const struct jsv_keyword_call *call);
int jsv_explain_content_encoding(const struct jsv_keyword_call *call);
int jsv_explain_content_media_type(const struct jsv_keyword_call *call);

/* A size against its keyword, and the message when it does not fit. */
int jsv_explain_size(
    const struct jsv_keyword_call *call,
    uint64_t size,
    bool upper,
    const char *one,
    const char *many);
/* A pattern that runs into its limit is neither a match nor none. */
int jsv_explain_search(struct jsv_explain *x, const struct jsv_regex *regex, struct jsv_str text);

/* ---- explain_combine.c ---- */

int jsv_explain_ref(const struct jsv_keyword_call *call);
int jsv_explain_all_of(const struct jsv_keyword_call *call);
int jsv_explain_any_of(const struct jsv_keyword_call *call);
int jsv_explain_one_of(const struct jsv_keyword_call *call);
int jsv_explain_not(const struct jsv_keyword_call *call);
int jsv_explain_if(const struct jsv_keyword_call *call);
int jsv_explain_nothing(const struct jsv_keyword_call *call);

/* ---- explain_array.c ---- */

int jsv_explain_max_items(const struct jsv_keyword_call *call);
int jsv_explain_min_items(const struct jsv_keyword_call *call);
int jsv_explain_unique_items(const struct jsv_keyword_call *call);
int jsv_explain_prefix_items(const struct jsv_keyword_call *call);
int jsv_explain_items(const struct jsv_keyword_call *call);
int jsv_explain_unevaluated_items(const struct jsv_keyword_call *call);
int jsv_explain_contains(const struct jsv_keyword_call *call);

/* ---- explain_object.c ---- */

int jsv_explain_max_properties(const struct jsv_keyword_call *call);
int jsv_explain_min_properties(const struct jsv_keyword_call *call);
int jsv_explain_required(const struct jsv_keyword_call *call);
int jsv_explain_dependencies(const struct jsv_keyword_call *call);
int jsv_explain_property_names(const struct jsv_keyword_call *call);
int jsv_explain_properties(const struct jsv_keyword_call *call);
int jsv_explain_pattern_properties(const struct jsv_keyword_call *call);
int jsv_explain_additional_properties(const struct jsv_keyword_call *call);
int jsv_explain_unevaluated_properties(const struct jsv_keyword_call *call);

/* ---- for all of them ---- */

/* Take steps for work whose size the document or the schema decides. */
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

static inline void set_bit(struct jsv_explain *x, size_t at, size_t index)
{
    words_at(x, at)[index / 64] |= 1ull << (index % 64);
}

static inline bool has_bit(const struct jsv_explain *x, size_t at, size_t index)
{
    return words_at(x, at)[index / 64] >> (index % 64) & 1;
}

static inline struct jsv_finding_place where(const struct jsv_keyword_call *call)
{
    return (struct jsv_finding_place){call->schema, call->use, call->place, {NULL, 0}, false};
}

/* Note what is wrong. Always 0. */
#define NOTE(call, ...) jsv_finding_add((call)->x->findings, where(call), __VA_ARGS__)

/* A mark is for those who asked for it. */
static inline void mark(const struct jsv_keyword_call *call, size_t index)
{
    if (call->marks) {
        set_bit(call->x, call->marks->at, index);
    }
}

/*
 * Take the verdict on a part into that on the whole; a failure is a verdict,
 * too. @return whether there is nothing more to find out.
 */
static inline bool decides(const struct jsv_keyword_call *call, int r, int *verdict)
{
    *verdict = r < 0 ? r : *verdict & r;
    return r < 0 || (!*verdict && !call->x->findings);
}

/* A child, evaluated by itself. */
static inline int evaluate_child(
    const struct jsv_keyword_call *call,
    const struct jsv_subschema *schema,
    const struct jsv_node *node,
    const struct jsv_node *key,
    size_t index)
{
    struct jsv_place child = {call->place, node, key, index, call->place->depth + 1};
    return jsv_explain_evaluate(call->x, schema, &child, NULL);
}

/* Another schema for the same value. */
static inline int
evaluate_here(const struct jsv_keyword_call *call, const struct jsv_subschema *schema)
{
    return jsv_explain_evaluate(call->x, schema, call->place, call->marks);
}
