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
    struct jsv_str keyword;     /* the schema keyword that was not met; empty for a false schema
                                   and for a document of which no more can be said */
    struct jsv_str member;      /* name of the member that is missing or unexpected, as it is read
                                   (without escapes); data NULL when it is not about one */
    bool about_name;            /* it is about the name of the member at path, not its value */
    struct jsv_str found;       /* type of the value, where another was expected; else empty */
    size_t others;              /* alternatives of anyOf or oneOf that come as close as the one this
                                   problem is of, and are not told; said of its first problem */
    struct jsv_str schema_path; /* where it stands: a pointer, with its resource's URI and '#' in
                                   front when that is not the schema's own */
    /* The same place as the specification's output names it. */
    struct jsv_str evaluation_path; /* the way there, through references:
                                       "/properties/x/$ref/type" */
    struct jsv_str resource_uri;    /* of the resource it stands in; empty when that has none */
    struct jsv_str resource_path;   /* pointer from that resource's root */
};

/* Sorted by path, then message. */
struct jsv_problems {
    const struct jsv_problem *items;
    size_t count;
    size_t more; /* found beyond the limit, and not listed */
};

/**
 * Append the problems as a JSON array of {path, msg, keyword, schemaPath}.
 *
 * Those beyond the limit are not mentioned: the caller says how many, in a
 * place of its own.
 *
 * @return 0, or the buffer's sticky error.
 */
int jsv_problems_write_json(const struct jsv_problems *problems, struct jsv_buf *out);

/**
 * Append the specification's "basic" output: {"valid":true} when there are no
 * problems, else {"valid":false,"errors":[…]} with an output unit for each:
 * keywordLocation, absoluteKeywordLocation where the resource has a URI,
 * instanceLocation, error. A last unit, at the root, counts those beyond the
 * limit.
 *
 * @return 0, or the buffer's sticky error.
 */
int jsv_problems_write_basic(const struct jsv_problems *problems, struct jsv_buf *out);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
