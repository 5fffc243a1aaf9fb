/* The descriptors of the built-in tools: the JSON files of this folder. */
#pragma once

#include "jsv/base/embedded.h"

extern const struct jsv_embedded tools_embedded[];
