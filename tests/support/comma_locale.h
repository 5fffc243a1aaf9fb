/*
 * A locale that writes 1,5 for 1.5, to prove that libjsv does not care.
 */
#pragma once

#include <stdbool.h>

/*
 * Switch the program to such a locale: an installed one, or else one that is
 * made for the purpose. @return false when there is no way to get one.
 */
bool comma_locale_enter(void);
void comma_locale_leave(void);
