/*
 * Line and column of places in a text. A cursor counts only what lies between
 * one place and the next, so that many places in a large text, visited roughly
 * in order, cost little more than one.
 */
#pragma once

#include <jsv/jsv.h>

struct app_position {
    struct jsv_str text;
    size_t offset;
    size_t line;
    size_t column; /* from 1, in characters */
};

/** A cursor at the start of a text, which is borrowed. @param line Number of its first line. */
struct app_position app_position_in(struct jsv_str text, size_t line);

/** Move to an offset, forward or back. @param offset At most text.size. */
void app_position_move(struct app_position *position, size_t offset);
