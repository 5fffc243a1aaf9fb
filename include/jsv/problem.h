/*
 * libjsv: what is wrong with a document, and ways of saying it.
 */
#pragma once

#include <jsv/jsv.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct jsv_problem {
    struct jsv_str path;        /* RFC 6901, into the document */
    struct jsv_str message;     /* "expected number", "missing property \"x\"" */
    struct jsv_str keyword;     /* the schema keyword that was not met; empty for a false schema */
    struct jsv_str schema_path; /* where it stands: a pointer, with its resource's URI and '#' in
                                   front when that is not the schema's own */
};

/* Sorted by path, then message. */
struct jsv_problems {
    const struct jsv_problem *items;
    size_t count;
    size_t more; /* found beyond the limit, and not listed */
};

/** Append the problems as a JSON array of {path, msg, keyword, schemaPath}. */
int jsv_problems_write_json(const struct jsv_problems *problems, struct jsv_buf *out);

/** Append the specification's "basic" output: {"valid":…,"errors":[…]}. */
int jsv_problems_write_basic(const struct jsv_problems *problems, struct jsv_buf *out);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
