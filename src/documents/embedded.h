/*
 * The JSON files of this folder: the fixed part of the OpenAPI document.
 */
#pragma once

#include "jsv/base/embedded.h"

extern const struct jsv_embedded documents_embedded[];
