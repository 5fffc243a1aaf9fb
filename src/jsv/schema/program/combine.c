/*
 * Keywords that combine schemas for the same value, turned into operations:
 * anyOf and oneOf, not, if. Schemas that the type of the value decides are
 * settled here.
 */
#include <string.h>

#include "jsv/schema/program/build.h"

static int
add_choice(struct jsv_list *list, enum jsv_op_code code, const uint32_t *at, uint32_t count)
{
    if (count == 0) {
        list->fails = code != JSV_OP_NONE_OF;
        return 0;
    }
    if (count == 1) {
        return code == JSV_OP_NONE_OF ? jsv_list_add_at(list, JSV_OP_NOT, at[0])
                                      : jsv_list_add_list(list, at[0]);
    }
    struct jsv_choice *choice = jsv_build_take(list->build, sizeof(*choice) + count * sizeof(*at));
    if (!choice) {
        return -ENOMEM;
    }
    *choice = (struct jsv_choice){.count = count, .all = UINT64_MAX >> (JSV_CHOICE_MAX - count)};
    memcpy(choice->at, at, count * sizeof(*at));
    return jsv_list_add_data(list, code, choice);
}

/* Push the lists of alternatives that may or may not fit; count those that always do. */
static int
gather_alternatives(struct jsv_list *list, const struct jsv_keyword_use *use, uint32_t *ret_passing)
{
    *ret_passing = 0;
    for (uint32_t i = 0; i < use->list.count; i++) {
        uint32_t at;
        int r = jsv_list_of_schema(list, use->list.schemas[i], &at);
        if (r < 0) {
            return r;
        }
        *ret_passing += at == JSV_AT_PASS;
        if (at > JSV_AT_FAIL) {
            uint32_t *place = jsv_stack_push(&list->build->choices, 1);
            if (!place) {
                return -ENOMEM;
            }
            *place = at;
        }
    }
    return 0;
}

int jsv_list_add_alternatives(struct jsv_list *list, const struct jsv_keyword_use *use)
{
    if (use->list.count > JSV_CHOICE_MAX) {
        return jsv_list_add_data(list, JSV_OP_EXPLAIN, list->schema);
    }
    struct jsv_stack *choices = &list->build->choices;
    size_t start = choices->count;
    uint32_t passing;
    int r = gather_alternatives(list, use, &passing);
    uint32_t open = (uint32_t)(choices->count - start);
    const uint32_t *at = open ? jsv_stack_item(choices, start) : NULL;
    choices->count = start;
    if (r < 0) {
        return r;
    }
    if (use->keyword == JSV_KEYWORD_ANY_OF) {
        return passing ? 0 : add_choice(list, JSV_OP_ANY_OF, at, open);
    }
    if (passing > 1) {
        list->fails = true;
        return 0;
    }
    return add_choice(list, passing ? JSV_OP_NONE_OF : JSV_OP_ONE_OF, at, open);
}

int jsv_list_add_not(struct jsv_list *list, const struct jsv_keyword_use *use)
{
    uint32_t at;
    int r = jsv_list_of_schema(list, use->one.schema, &at);
    if (r < 0) {
        return r;
    }
    if (at == JSV_AT_PASS) {
        list->fails = true;
        return 0;
    }
    return at == JSV_AT_FAIL ? 0 : jsv_list_add_at(list, JSV_OP_NOT, at);
}

static int branch_at(struct jsv_list *list, enum jsv_keyword keyword, uint32_t *ret_at)
{
    const struct jsv_keyword_use *use = jsv_subschema_use(list->schema, keyword);
    *ret_at = JSV_AT_PASS;
    return use ? jsv_list_of_schema(list, use->one.schema, ret_at) : 0;
}

int jsv_list_add_if(struct jsv_list *list, const struct jsv_keyword_use *use)
{
    struct jsv_condition condition;
    int r = jsv_list_of_schema(list, use->one.schema, &condition.at_if);
    if (r == 0) {
        r = branch_at(list, JSV_KEYWORD_THEN, &condition.at_then);
    }
    if (r == 0) {
        r = branch_at(list, JSV_KEYWORD_ELSE, &condition.at_else);
    }
    if (r < 0) {
        return r;
    }
    if (condition.at_if <= JSV_AT_FAIL) {
        return jsv_list_add_list(
            list, condition.at_if == JSV_AT_PASS ? condition.at_then : condition.at_else);
    }
    if (condition.at_then == JSV_AT_PASS && condition.at_else == JSV_AT_PASS) {
        return 0;
    }
    struct jsv_condition *kept = jsv_build_take(list->build, sizeof(*kept));
    if (!kept) {
        return -ENOMEM;
    }
    *kept = condition;
    return jsv_list_add_data(list, JSV_OP_IF, kept);
}
