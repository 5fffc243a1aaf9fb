/*
 * Is a text this word? A word that the compiler knows is compared without a
 * call, and one of another length by its length alone, so that going through a
 * list of them costs next to nothing.
 */
#pragma once

#include <string.h>

#include <jsv/jsv.h>

/** Whether a struct jsv_str is a literal that is not empty. */
#define JSV_IS(text, literal)                                                                      \
    ((text).size == sizeof(literal) - 1 && memcmp((text).data, literal, sizeof(literal) - 1) == 0)
