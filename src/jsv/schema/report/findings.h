/*
 * Problems while they are being found, when it is not known yet which of them
 * will be shown.
 *
 * A finding of `anyOf` or `oneOf` is made from those of its alternatives:
 * people want to hear of the alternative that was meant. So each finding
 * remembers how deep in the document it lies and, where only certain types or
 * values would have been right, which.
 */
#pragma once

#include "jsv/schema/compile/subschema.h"
#include "jsv/schema/report/trail.h"
#include "jsv/schema/run/validator.h"

/* Where in the document evaluation is, as a chain of places up to the root. */
struct jsv_place {
    const struct jsv_place *outer;
    const struct jsv_node *node;
    const struct jsv_node *key; /* of a member; NULL in an array */
    size_t index;               /* of an element */
    uint32_t depth;             /* values around it; 0: the whole document */
};

/* The keyword that has something to say (use NULL: the schema false), and where. */
struct jsv_finding_place {
    const struct jsv_subschema *schema;
    const struct jsv_keyword_use *use;
    const struct jsv_place *place;
    struct jsv_str member; /* that is missing or unexpected; NULL data: it is not about one */
    bool unexpected;       /* it should not be there: the fault of what holds it */
};

/* Values that stand one after the other in a schema. */
struct jsv_expected_values {
    const struct jsv_document *document;
    const struct jsv_node *first;
    size_t count;
};

struct jsv_expected {
    unsigned types; /* of enum jsv_type_bits */
    const struct jsv_expected_values *lists;
    size_t list_count;
    bool tag; /* each value stands alone in its schema, as values do that tell alternatives apart */
};

struct jsv_finding {
    struct jsv_str path;
    struct jsv_str message;
    struct jsv_str member; /* that is missing or unexpected; NULL data: it is not about one */
    const struct jsv_subschema *schema;
    const struct jsv_keyword_use *use;
    const struct jsv_jump *trail; /* to it */
    struct jsv_expected expected;
    enum jsv_type found; /* where types were expected: that of the value; else NONE */
    bool about_name;     /* of the member at the path */
    uint32_t others;     /* alternatives as close as the one it is of, and not shown */
    uint32_t depth;      /* in the document of the value at fault */
    uint32_t branch;     /* alternative, while one is being chosen */
};

struct jsv_findings {
    struct jsv_validator *validator;
    const struct jsv_schema *schema;
    const struct jsv_document *document;
    struct jsv_stack items; /* struct jsv_finding */
    struct jsv_jump *jump;  /* the reference being followed; NULL: none */
    size_t kept_max;
    size_t dropped; /* found when there were that many already */
};

struct jsv_findings jsv_findings_on(
    struct jsv_validator *validator,
    const struct jsv_schema *schema,
    const struct jsv_document *document);

/*
 * Add a finding, or do nothing when findings is NULL; what it is given is
 * copied. Memory that runs out is the validator's error. Always 0: not valid.
 */
int jsv_finding_add(
    struct jsv_findings *findings, struct jsv_finding_place where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with a message that says what was expected; its lists are copied. */
int jsv_finding_add_expected(
    struct jsv_findings *findings, struct jsv_finding_place where, struct jsv_expected expected);

struct jsv_missing;

/* What remains of the alternatives of a keyword while they are gone through. */
struct jsv_branches {
    struct jsv_findings *findings; /* NULL: nothing to do */
    struct jsv_finding_place where;
    size_t start; /* findings from here to the end are of the closest alternatives so far */
    size_t end;
    size_t lost;                 /* of the first of them, since there was no room */
    size_t dropped;              /* before */
    size_t kept_max;             /* before */
    uint32_t depth;              /* of the value */
    bool has_fitting;            /* there was an alternative for values of this kind */
    struct jsv_missing *missing; /* members that each of these lacks */
    size_t missing_count;
};

struct jsv_branches
jsv_branches_begin(struct jsv_findings *findings, struct jsv_finding_place where);
/* An alternative did not fit; what was found since the last call is about it. */
void jsv_branches_failed(struct jsv_branches *branches, uint32_t index);
/* None fits: leave the findings that people should see. Always 0. */
int jsv_branches_settle(struct jsv_branches *branches);

/* All findings as problems: sorted, each once, cut to the limit. @return 0 or -ENOMEM. */
int jsv_findings_list(struct jsv_findings *findings, struct jsv_problems *ret_problems);
