/*
 * The JSON files of this directory: the fixed part of the OpenAPI document.
 */
#pragma once

#include "base/embedded.h"

extern const struct jsv_embedded dialect_embedded[];
