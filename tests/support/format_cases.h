/*
 * Tables of texts that are of a format, or are not.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jsv/schema/format/format.h"

/* An entry of a table; the literal may hold NUL bytes. */
#define FORMAT_CASE(literal)                                                                       \
    {                                                                                              \
        (literal), sizeof(literal) - 1                                                             \
    }

/*
 * Assert the answer for a text, which is copied into memory of just its size.
 * The name is looked up in the draft, which must know it.
 */
void format_case_check(const char *name, enum jsv_draft draft, struct jsv_str text, int expected);

/* Assert that all of a table are of the format, or that none is. */
#define FORMAT_CASES_VALID(name, draft, table)                                                     \
    format_cases_check((name), (draft), (table), sizeof(table) / sizeof(*(table)), 1)
#define FORMAT_CASES_INVALID(name, draft, table)                                                   \
    format_cases_check((name), (draft), (table), sizeof(table) / sizeof(*(table)), 0)
void format_cases_check(
    const char *name,
    enum jsv_draft draft,
    const struct jsv_str *table,
    size_t count,
    int expected);
