/*
 * Applying a patch as jsv_diff_write() makes them, in the simplest way: every
 * operation is compared with every value. For small documents.
 */
#pragma once

#include <jsv/json.h>

/* Append base with the patch applied. @return false when an operation had no effect. */
bool patch_apply(struct jsv_value base, struct jsv_value patch, struct jsv_buf *out);
