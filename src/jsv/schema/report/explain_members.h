/*
 * The members of an object by name, for keywords that have a list of names of
 * their own. Each name against each member is work that the schema's author
 * and the document's multiply, so from a certain size on there is an index. It
 * lies on the stack of words, and goes when the keyword has been evaluated.
 */
#pragma once

#include "jsv/schema/report/explain_call.h"

struct jsv_named_members {
    const struct jsv_node *object;
    const struct jsv_node *end;
    const struct jsv_node *next; /* behind the member found last: most come in the schema's order */
    size_t next_index;
    /* the index, if there is one: open addressing, a power of two */
    size_t at;
    size_t capacity; /* 0: there is none, look at each */
};

/* Prepare for looking up that many names among an object's members. @return 0 or -ENOMEM. */
int jsv_named_members_on(
    struct jsv_explain *x,
    const struct jsv_node *object,
    size_t names,
    struct jsv_named_members *ret_members);

/* As jsv_named_members_find(), wherever the member is. */
const struct jsv_node *jsv_named_members_search(
    const struct jsv_explain *x,
    struct jsv_named_members *members,
    const struct jsv_key *name,
    size_t *ret_index);

/* The key of the member of that name, which one it is in *ret_index; NULL when there is none. */
static inline const struct jsv_node *jsv_named_members_find(
    struct jsv_explain *x,
    struct jsv_named_members *members,
    const struct jsv_key *name,
    size_t *ret_index)
{
    x->validator->steps -= (int64_t)jsv_steps_for_long_text(name->text.size);
    const struct jsv_node *key = members->next;
    if (key == members->end || !jsv_key_equals_node(name, x->document, key)) {
        return jsv_named_members_search(x, members, name, ret_index);
    }
    *ret_index = members->next_index++;
    members->next = jsv_node_next(key + 1);
    return key;
}
