/*
 * The cases of tests/cases/http_smuggling.txt, whose first lines describe them.
 */
#pragma once

#include <jsv/jsv.h>

struct http_case {
    struct jsv_str name;
    struct jsv_str expected; /* "200 400 close" */
    struct jsv_str bytes;    /* without escapes */
};

typedef void http_case_visit(const struct http_case *http_case, void *data);

/* Visit all cases of a file, which must be well-formed. @return how many. */
size_t http_cases_each(const char *path, http_case_visit *visit, void *data);
