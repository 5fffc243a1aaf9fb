/*
 * What the parts of finding problems share.
 *
 * findings.c takes them down, findings_expected.c finds the words for what
 * would have been right, findings_branches.c chooses among those of
 * alternatives, findings_list.c makes the list that is shown.
 *
 * Whatever needs memory and gets none leaves that as the validator's error,
 * and goes on with something empty: the report is not made then.
 */
#pragma once

#include "jsv/schema/report/findings.h"

#define JSV_FINDING_MESSAGE_MAX 256

/* ---- findings.c ---- */

/* Memory that lasts as long as the findings; NULL when there is none. */
void *jsv_findings_take(struct jsv_findings *findings, size_t size);
/* A copy of a text; empty when there is no memory. */
struct jsv_str jsv_findings_keep(struct jsv_findings *findings, const char *text, size_t size);
/* The trail to where evaluation is. */
const struct jsv_jump *jsv_findings_trail(struct jsv_findings *findings);

/* ---- findings_expected.c ---- */

/* A message in the making. */
struct jsv_sentence {
    char text[JSV_FINDING_MESSAGE_MAX];
    size_t size;
};

/* Append, when it fits with room for an ellipsis. */
bool jsv_sentence_say(struct jsv_sentence *sentence, struct jsv_str text);
/* "expected null or string", "expected one of 1, 2", "expected string or 5" */
struct jsv_str
jsv_expected_message(struct jsv_findings *findings, const struct jsv_expected *expected);
/* Take over what some expect into lists that have room for it. */
void jsv_expected_append(
    struct jsv_expected *all, struct jsv_expected_values *lists, const struct jsv_expected *more);

/* ---- for all of them ---- */

static inline struct jsv_finding *item_at(const struct jsv_findings *findings, size_t index)
{
    return jsv_stack_item(&findings->items, index);
}

static inline bool has_expected(const struct jsv_finding *finding)
{
    return finding->expected.types || finding->expected.list_count;
}
