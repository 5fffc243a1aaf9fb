/*
 * libjsv: the problems of a document, and writing them as JSON.
 */
#pragma once

#include <jsv/json.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/**
 * What kind of problem it is. In brackets: the keywords, and the members of
 * struct jsv_problem that say more. Later versions may add kinds at the end.
 */
enum jsv_problem_kind {
    JSV_PROBLEM_OTHER,               /* see the message */
    JSV_PROBLEM_NOT_JSON,            /* the text is not JSON; only jsv_check() reports it */
    JSV_PROBLEM_TYPE,                /* type (expected_types, found) */
    JSV_PROBLEM_VALUE,               /* enum, const, alternatives that differ in these (expected) */
    JSV_PROBLEM_TOO_SMALL,           /* minimum, exclusiveMinimum (limit) */
    JSV_PROBLEM_TOO_LARGE,           /* maximum, exclusiveMaximum (limit) */
    JSV_PROBLEM_NOT_MULTIPLE,        /* multipleOf (limit) */
    JSV_PROBLEM_TOO_SHORT,           /* minLength (limit, size) */
    JSV_PROBLEM_TOO_LONG,            /* maxLength (limit, size) */
    JSV_PROBLEM_PATTERN,             /* pattern (limit) */
    JSV_PROBLEM_FORMAT,              /* format (limit) */
    JSV_PROBLEM_CONTENT,             /* contentEncoding, contentMediaType (limit) */
    JSV_PROBLEM_TOO_FEW_ITEMS,       /* minItems (limit, size) */
    JSV_PROBLEM_TOO_MANY_ITEMS,      /* maxItems (limit, size) */
    JSV_PROBLEM_NOT_UNIQUE,          /* uniqueItems */
    JSV_PROBLEM_CONTAINS,            /* contains, minContains, maxContains */
    JSV_PROBLEM_UNEXPECTED_ITEM,     /* items, additionalItems, unevaluatedItems */
    JSV_PROBLEM_TOO_FEW_PROPERTIES,  /* minProperties (limit, size) */
    JSV_PROBLEM_TOO_MANY_PROPERTIES, /* maxProperties (limit, size) */
    JSV_PROBLEM_MISSING_PROPERTY,    /* required, dependentRequired, dependencies (member) */
    JSV_PROBLEM_UNEXPECTED_PROPERTY, /* additionalProperties, unevaluatedProperties (member) */
    JSV_PROBLEM_FALSE_SCHEMA,        /* the schema false: no value is allowed there */
    JSV_PROBLEM_ALTERNATIVES,        /* anyOf, oneOf: none fits, or more than one of oneOf */
    JSV_PROBLEM_NOT,                 /* not: the value matches */
    JSV_PROBLEM_LIST_TOO_LONG,       /* invalid, but listing the problems exceeded a limit */
};

/** Bits of expected_types: 1 << enum jsv_type, and this one for "integer". */
#define JSV_EXPECTED_INTEGER 0x80u

/** Its texts live in the validator or checker until its next use, or in the schema. */
struct jsv_problem {
    struct jsv_str path;    /* JSON Pointer (RFC 6901) into the document */
    struct jsv_str message; /* "expected number", "missing property \"x\""; a NUL byte follows it */
    struct jsv_str keyword; /* the schema keyword that was not met; empty for FALSE_SCHEMA,
                               NOT_JSON and LIST_TOO_LONG */
    struct jsv_str member;  /* name of the missing or unexpected member, without escapes; data NULL
                               when it is not about one */
    bool about_name;        /* it is about the name of the member at path, not its value */
    struct jsv_str found;   /* type of the value, where another was expected; else empty */
    size_t others;          /* alternatives of anyOf or oneOf that come as close as the one this
                               problem is of, and are not listed; set in its first problem */
    struct jsv_str schema_path; /* the keyword's place: a pointer, with its resource's URI and '#'
                                   in front when that is not the schema's own */
    /* The same place as the specification's output names it. */
    struct jsv_str evaluation_path; /* the way there, through references:
                                       "/properties/x/$ref/type" */
    struct jsv_str resource_uri;    /* of the resource it is in; empty when that has none */
    struct jsv_str resource_path;   /* pointer from that resource's root */
    /* For programs. */
    enum jsv_problem_kind kind;
    size_t offset;          /* in the text, of the value; of its name when about_name */
    struct jsv_value value; /* the value; NONE when there is none */
    struct jsv_value limit; /* the keyword's value in the schema; NONE when there is none */
    size_t size;            /* items, properties or (TOO_SHORT, TOO_LONG) characters of the value */
    unsigned expected_types;
    const struct jsv_value *expected; /* values that are allowed; */
    size_t expected_count;            /* at most JSV_EXPECTED_MAX are listed */
    void *reserved[4];
};

#define JSV_EXPECTED_MAX 64

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
