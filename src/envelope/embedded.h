/*
 * The files of schemas/envelope, embedded in the program by file name: published
 * by the server and used for checks here.
 */
#pragma once

#include "jsv/base/embedded.h"

extern const struct jsv_embedded envelope_embedded[];
