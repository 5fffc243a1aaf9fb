/*
 * Findings: possible problems, collected while a document is explained.
 *
 * Not every finding becomes a problem of the report. For `anyOf` and `oneOf`
 * only the findings of the closest alternative are kept (branches.c), so each
 * finding records how deep in the document it is and which types or values
 * were expected. problems.c turns the findings that remain into problems.
 *
 * A failed allocation sets the validator's error and the code continues with
 * an empty value; the report is then discarded.
 */
#pragma once

#include "jsv/schema/compile/subschema.h"
#include "jsv/schema/run/validator.h"

/* The place of a value in the document, linked to the places around it. */
struct jsv_place {
    const struct jsv_place *outer;
    const struct jsv_node *node;
    const struct jsv_node *key; /* of a member; NULL in an array */
    size_t index;               /* of an element */
    uint32_t depth;             /* number of values around it */
};

/*
 * A reference that evaluation followed. Between two references the evaluation
 * path is a pointer in one document, so only references are recorded. They are
 * on the C stack while they are followed. A finding copies those it needs; the
 * copy is shared by all findings below the same reference.
 */
struct jsv_ref_link {
    struct jsv_ref_link *outer; /* followed before this one */
    const struct jsv_subschema *schema;
    const struct jsv_keyword_use *use; /* the reference in that schema */
    const struct jsv_subschema *target;
    struct jsv_ref_link *copy; /* in the arena; NULL: not copied yet */
};

/* The keyword that failed (use NULL: the schema is false), and the place of the value. */
struct jsv_finding_place {
    const struct jsv_subschema *schema;
    const struct jsv_keyword_use *use;
    const struct jsv_place *place;
    struct jsv_str member; /* the missing or unexpected member; NULL data: none */
    bool unexpected;       /* the value must not exist: a problem of its container */
};

/* Consecutive values in a schema. */
struct jsv_expected_values {
    const struct jsv_document *document;
    const struct jsv_node *first;
    size_t count;
};

struct jsv_expected {
    unsigned types; /* of enum jsv_type_bits */
    const struct jsv_expected_values *lists;
    size_t list_count;
    bool tag; /* each list has a single value, such as a member that identifies an alternative */
};

struct jsv_finding {
    struct jsv_str path;
    struct jsv_str message;
    struct jsv_str member;       /* the missing or unexpected member; NULL data: none */
    const struct jsv_node *node; /* the value */
    const struct jsv_subschema *schema;
    const struct jsv_keyword_use *use;
    const struct jsv_ref_link *refs; /* followed to get there, innermost first */
    struct jsv_expected expected;
    bool about_name; /* about the name of the member at the path */
    uint32_t others; /* other alternatives that are as close and not reported */
    uint32_t depth;  /* of the wrong value in the document */
    uint32_t branch; /* index of the alternative while one is chosen */
};

struct jsv_findings {
    struct jsv_validator *validator;
    const struct jsv_schema *schema;
    const struct jsv_document *document;
    struct jsv_stack items;   /* struct jsv_finding */
    struct jsv_ref_link *ref; /* the reference being followed; NULL: none */
    size_t kept_max;
    size_t dropped; /* findings beyond kept_max */
};

struct jsv_findings jsv_findings_on(
    struct jsv_validator *validator,
    const struct jsv_schema *schema,
    const struct jsv_document *document);

/*
 * Add a finding, or do nothing if findings is NULL. All arguments are copied.
 * Always returns 0, the verdict "invalid".
 */
int jsv_finding_add(
    struct jsv_findings *findings, struct jsv_finding_place where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with a message about what was expected. */
int jsv_finding_add_expected(
    struct jsv_findings *findings, struct jsv_finding_place where, struct jsv_expected expected);

/* Memory that lasts as long as the findings; NULL: none left. */
void *jsv_findings_alloc(struct jsv_findings *findings, size_t size);
/* Copy a text; empty if no memory is left. */
struct jsv_str jsv_findings_copy(struct jsv_findings *findings, const char *text, size_t size);
/* Copy the references that are being followed. */
const struct jsv_ref_link *jsv_findings_copy_refs(struct jsv_findings *findings);

static inline struct jsv_finding *jsv_finding_at(const struct jsv_findings *findings, size_t index)
{
    return jsv_stack_item(&findings->items, index);
}

/* All findings as problems: sorted, without duplicates, cut to the limit. @return 0 or -ENOMEM. */
int jsv_findings_list(struct jsv_findings *findings, struct jsv_problems *ret_problems);

/* ---- what was expected ---- */

/* A message under construction. */
struct jsv_sentence {
    char text[256];
    size_t size;
};

/* Append a text if it fits and leaves space for an ellipsis. */
bool jsv_sentence_append(struct jsv_sentence *sentence, struct jsv_str text);
/* "expected null or string", "expected one of 1, 2", "expected string or 5" */
struct jsv_str
jsv_expected_message(struct jsv_findings *findings, const struct jsv_expected *expected);
/* Add the types and lists of `more`; `lists` is all->lists with space for them. */
void jsv_expected_append(
    struct jsv_expected *all, struct jsv_expected_values *lists, const struct jsv_expected *more);

static inline bool jsv_finding_has_expected(const struct jsv_finding *finding)
{
    return finding->expected.types || finding->expected.list_count;
}

/* ---- alternatives of anyOf and oneOf (branches.c) ---- */

struct jsv_missing;

struct jsv_branches {
    struct jsv_findings *findings;
    struct jsv_finding_place where;
    size_t start; /* findings [start, end) belong to the closest alternatives so far */
    size_t end;
    size_t lost;                 /* findings dropped from the first of these alternatives */
    size_t dropped;              /* saved from findings */
    size_t kept_max;             /* saved from findings */
    uint32_t depth;              /* of the value */
    bool has_fitting;            /* an alternative accepts values of this type */
    struct jsv_missing *missing; /* members missing in each alternative that does */
    size_t missing_count;
};

struct jsv_branches
jsv_branches_begin(struct jsv_findings *findings, struct jsv_finding_place where);
/* An alternative failed; the findings since the last call belong to it. */
void jsv_branches_failed(struct jsv_branches *branches, uint32_t index);
/* All failed: keep only the findings to report. Always returns 0. */
int jsv_branches_settle(struct jsv_branches *branches);
