/*
 * Preparing choices: finding the members that tell alternatives apart.
 */
#pragma once

#include "jsv/schema/program/program.h"

/*
 * Fill in the names of all choices of a finished program whose alternatives
 * are objects. @return 0 or -ENOMEM.
 */
int jsv_choices_prepare(
    struct jsv_schema *schema, const struct jsv_shape *shapes, struct jsv_op *ops, size_t count);
