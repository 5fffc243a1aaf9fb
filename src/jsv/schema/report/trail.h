/*
 * The way evaluation took to a keyword: the references that were followed.
 *
 * Between two references the way is a pointer in one document, so the
 * references are all that need be remembered. While they are being followed
 * they live on the machine's stack; what a finding needs of them is copied,
 * once, however many findings lie behind them.
 */
#pragma once

#include "jsv/schema/compile/subschema.h"

struct jsv_jump {
    struct jsv_jump *outer; /* followed before */
    const struct jsv_subschema *schema;
    const struct jsv_keyword_use *use; /* the reference in it */
    const struct jsv_subschema *target;
    struct jsv_jump *kept; /* the copy, if there is one */
};

/*
 * Copy a trail into an arena.
 * @param innermost NULL: no reference was followed; *ret_kept becomes NULL, too.
 * @return 0 or -ENOMEM.
 */
int jsv_trail_keep(
    struct jsv_jump *innermost, struct jsv_arena *arena, const struct jsv_jump **ret_kept);

/*
 * Append the way from the subschema `root` through the references to a node of
 * `schema`, as a pointer in which a reference stands for its target.
 * @return 0; -ENOMEM; or the buffer's error.
 */
int jsv_trail_write(
    const struct jsv_jump *innermost,
    const struct jsv_subschema *root,
    const struct jsv_subschema *schema,
    const struct jsv_node *node,
    struct jsv_arena *scratch,
    struct jsv_buf *path);
