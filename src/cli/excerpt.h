/*
 * The line a spot of a text is in, with a caret below it:
 *
 *       {"a": 1, "b" 2}
 *                    ^
 */
#pragma once

#include <jsv/jsv.h>

struct app_message;

/**
 * Append a line break, the line, cut around the spot when it is long, and a
 * caret below. Nothing at all when the line is empty.
 *
 * @param offset Of the spot; at most text.size.
 */
void app_excerpt_put(struct app_message *message, struct jsv_str text, size_t offset);
