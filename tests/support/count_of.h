/* How many elements a table has. */
#pragma once

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
