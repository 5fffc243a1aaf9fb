/*
 * The files of schemas/envelope, a part of the program: what the server
 * publishes and what this room checks with, each by its file name.
 */
#pragma once

#include "jsv/base/embedded.h"

extern const struct jsv_embedded envelope_embedded[];
