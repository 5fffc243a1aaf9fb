/*
 * The members of an object by name, for keywords that have a list of names of
 * their own. Each name against each member is work that the schema's author
 * and the document's multiply, so from a certain size on there is an index. It
 * lies on the stack of words, and goes when the keyword has been evaluated.
 */
#pragma once

#include "schema/explain_call.h"

/* The index, if there is one: open addressing, a power of two. */
struct jsv_named_members {
    const struct jsv_node *object;
    size_t at;
    size_t capacity; /* 0: there is no index, look at each */
};

/* Prepare for looking up that many names. @return 0 or -ENOMEM. */
int jsv_named_members_index(struct jsv_explain *x, struct jsv_named_members *members, size_t names);

/* The key of the member of that name, which one it is in *ret_index; NULL when there is none. */
const struct jsv_node *jsv_named_members_find(
    const struct jsv_explain *x,
    const struct jsv_named_members *members,
    const struct jsv_key *name,
    size_t *ret_index);
