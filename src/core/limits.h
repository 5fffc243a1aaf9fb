/*
 * limits.def as constants.
 */
#pragma once

enum core_limit {
#define CORE_LIMIT(name, value, reason) CORE_##name = (value),
#include "core/limits.def"
#undef CORE_LIMIT
};
