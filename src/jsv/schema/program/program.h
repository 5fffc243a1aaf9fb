/*
 * The fast form of a schema.
 *
 * Every subschema that a document can reach has a shape: for each type of value
 * the place in a list of operations where checking such a value begins. What
 * the type alone decides is decided there: the place is then that of PASS or
 * FAIL. Operations carry only what matters for their type of value.
 */
#pragma once

#include "jsv/schema/compile/subschema.h"
#include "jsv/schema/program/names.h"

/*
 * Operations. X(constant, function in run/, operand). Those marked "by type"
 * or "the same" replace the one above them once all shapes are known.
 */
#define JSV_OPS(X)                                                                                 \
    X(PASS, pass, "ends every list")                                                               \
    X(FAIL, fail, "")                                                                              \
    X(INTEGER, integer, "a number that is an integer, in any spelling")                            \
    X(INTEGER_STRICT, integer_strict, "draft 4: spelled as one")                                   \
    X(CHARGE, charge, "word: steps for the following operations")                                  \
    X(CALL, call, "at: a shape, for the same value")                                               \
    X(RUN, run, "at: a list, for the same value")                                                  \
    X(ONCE, once, "at: a list; its verdict on a value is remembered")                              \
    X(NOT, not, "at: a list")                                                                      \
    X(IF, if, "struct jsv_condition")                                                              \
    X(ANY_OF, any_of, "struct jsv_choice")                                                         \
    X(ONE_OF, any_of, "struct jsv_choice")                                                         \
    X(NONE_OF, none_of, "struct jsv_choice")                                                       \
    X(BOOLEAN, boolean, "word: the one allowed")                                                   \
    X(EQUAL, equal, "struct jsv_equals: any of some values")                                       \
    X(NUMBER_IN, number_in, "struct jsv_numbers")                                                  \
    X(STRING_IS, string_is, "struct jsv_names_table of a short name; at: its slot")                \
    X(STRING_IN, string_in, "struct jsv_names_table")                                              \
    X(STRING_IN_LONG, string_in_long, "struct jsv_names_table with long names")                    \
    X(BOUND, bound, "struct jsv_bounds")                                                           \
    X(INT_BOUND, int_bound, "struct jsv_bounds, both in int64")                                    \
    X(MULTIPLE_OF, multiple_of, "struct jsv_number")                                               \
    X(LENGTH, length, "struct jsv_range")                                                          \
    X(PATTERN, pattern, "struct jsv_regex")                                                        \
    X(FORMAT, format, "word: enum jsv_format")                                                     \
    X(COUNT, count, "struct jsv_range: members or elements")                                       \
    X(UNIQUE, unique, "")                                                                          \
    X(ITEMS, items, "at: shape of all elements, finally struct jsv_entry")                         \
    X(ITEMS_LAST, items_last, "the same as the last operation")                                    \
    X(ITEMS_SHALLOW, items_shallow, "by type")                                                     \
    X(ITEMS_OF_ARRAYS, items_of_arrays, "by type: arrays of scalars")                              \
    X(ITEMS_OF_OBJECTS, items_of_objects, "by type: flat objects")                                 \
    X(TUPLE, tuple, "struct jsv_tuple")                                                            \
    X(CONTAINS, contains, "struct jsv_contains")                                                   \
    X(MEMBERS, members, "at: shape of all members, finally struct jsv_entry")                      \
    X(OBJECT, object, "struct jsv_object: simple names, no patterns")                              \
    X(OBJECT_LAST, object_last, "the same as the last operation")                                  \
    X(OBJECT_SHALLOW, object_shallow, "by type")                                                   \
    X(OBJECT_FLAT, object_flat, "by type, and members are scalars")                                \
    X(OBJECT_ONE, object_one, "struct jsv_object: one short name, others may be anything")         \
    X(OBJECT_TWO, object_two, "struct jsv_object: two of them")                                    \
    X(OBJECT_TWO_LAST, object_two_last, "the same as the last operation")                          \
    X(OBJECT_FULL, object_full, "struct jsv_object: any")                                          \
    X(OBJECT_FULL_LAST, object_full_last, "the same as the last operation")                        \
    X(NAMES, names, "at: a list, for each key")                                                    \
    X(DEPENDENCY, dependency, "struct jsv_dependent")                                              \
    X(EXPLAIN, explain, "struct jsv_subschema that only explaining can evaluate")

enum jsv_op_code {
#define X(constant, function, carries) JSV_OP_##constant,
    JSV_OPS(X)
#undef X
};

struct jsv_op;
struct jsv_validator;

/* Runs an operation and, if it holds, all that follow it in its list. */
typedef bool
jsv_op_function(struct jsv_validator *run, const struct jsv_op *op, const struct jsv_node *node);

struct jsv_op {
    union {
        jsv_op_function *run;
        uintptr_t weight; /* during the build: of the list that begins here */
    };
    union {
        const void *data;
        uint64_t word;
    };
    uint16_t code; /* enum jsv_op_code */
    bool is_last;  /* PASS is next */
    uint32_t at;   /* a shape or a list */
};

jsv_op_function *jsv_op_function_of(enum jsv_op_code code);

/* Whether an operation carries a struct jsv_object. */
static inline bool jsv_op_is_object(enum jsv_op_code code)
{
    return code >= JSV_OP_OBJECT && code <= JSV_OP_OBJECT_FULL_LAST;
}

/* Lists at the start of every program, known by their place. */
enum {
    JSV_AT_PASS = 0,
    JSV_AT_FAIL = 1,
    JSV_AT_INTEGER = 2,
};

/* A shape during the build. */
struct jsv_shape {
    uint32_t at[JSV_TYPE_OBJECT + 1]; /* by type of value */
};

/* A shape of the finished program: the first operation for each type of value. */
struct jsv_entry {
    const struct jsv_op *op[JSV_TYPE_OBJECT + 1];
    uint64_t passes; /* JSV_PASSES_*; makes the size a power of two */
};

struct jsv_condition {
    uint32_t at_if;
    uint32_t at_then;
    uint32_t at_else;
};

struct jsv_range {
    uint64_t min;
    uint64_t max;
};

struct jsv_equals {
    const struct jsv_document *document;
    uint32_t count;
    const struct jsv_node *values[];
};

/* Lower and upper bound of a number; each may be missing. */
struct jsv_bounds {
    bool has_min;
    bool has_max;
    bool min_exclusive;
    bool max_exclusive;
    int64_t int_min; /* of integers that pass, when both bounds are such integers */
    int64_t int_max;
    struct jsv_number min;
    struct jsv_number max;
};

struct jsv_tuple {
    uint32_t rest; /* shape of the elements after the listed ones */
    uint32_t count;
    uint32_t shapes[];
};

struct jsv_contains {
    uint32_t shape;
    uint64_t min;
    uint64_t max;
};

/*
 * The slot of a name in an object: `at` is the shape, `info` has these bits and
 * the types that pass (JSV_PASSES_*).
 */
enum jsv_object_info {
    JSV_NAME_LISTED = 1 << 8, /* in `properties`, so not an additional property */
    JSV_NAME_MORE = 1 << 9,   /* patterns may match it */
};

/* The highest bit of info: the member must be there. */
#define JSV_NAME_REQUIRED_SHIFT 31

struct jsv_object_pattern {
    const struct jsv_regex *regex;
    uint32_t shape;
};

struct jsv_object {
    const struct jsv_subschema *schema; /* the one with these keywords */
    struct jsv_names_table names;
    uint32_t required_count;
    uint32_t pattern_count;
    struct jsv_name_slot extra; /* for all other names */
    struct jsv_object_pattern *patterns;
    struct jsv_name_slot small_names[2]; /* of OBJECT_ONE and OBJECT_TWO */
};

struct jsv_dependent {
    struct jsv_key key;
    uint32_t at; /* list to run, if names is NULL */
    const struct jsv_names *names;
};

/*
 * Selecting alternatives by the members of an object: which are there and which
 * string they hold. One bit for each alternative.
 */
#define JSV_CHOICE_MAX 64

struct jsv_choice_name {
    uint64_t others;                       /* the bits of all names but this */
    uint64_t without;                      /* alternatives that do not need it */
    const struct jsv_names_table *strings; /* strings that decide; NULL: none do */
    const uint64_t *by_string;             /* alternatives for each of them */
    uint64_t other_strings;                /* alternatives for any other string */
};

struct jsv_choice {
    const struct jsv_names_table *names; /* members that decide; NULL: none do */
    const struct jsv_choice_name *entries;
    uint64_t all;    /* alternatives */
    uint64_t needed; /* names that some alternative needs, a bit each */
    uint32_t count;
    uint32_t at[]; /* lists of the alternatives */
};

struct jsv_program {
    const struct jsv_schema *schema;
    struct jsv_op *ops;
    struct jsv_entry *entries; /* by shape */
    size_t ops_size;           /* in bytes; ops and entries are not in the schema's arena */
    size_t entries_size;
    const struct jsv_entry *root;
};

/* Values that pass a shape by their type: a bit for each type, and this one. */
#define JSV_PASSES_INTEGER (1 << 7) /* numbers that are integers */

/* Types whose values may span more than a node. */
#define JSV_PASSES_CONTAINER (1 << JSV_TYPE_ARRAY | 1 << JSV_TYPE_OBJECT)

static inline uint8_t jsv_shape_passes(const struct jsv_shape *shape)
{
    unsigned passes = shape->at[JSV_TYPE_NUMBER] == JSV_AT_INTEGER ? JSV_PASSES_INTEGER : 0;
    for (unsigned type = JSV_TYPE_NULL; type <= JSV_TYPE_OBJECT; type++) {
        passes |= (unsigned)(shape->at[type] == JSV_AT_PASS) << type;
    }
    return (uint8_t)passes;
}

/* Whether types, and whether numbers are integers, decide what passes. */
static inline bool jsv_shape_is_plain(const struct jsv_shape *shape)
{
    for (unsigned type = JSV_TYPE_NULL; type <= JSV_TYPE_OBJECT; type++) {
        uint32_t at = shape->at[type];
        if (at > JSV_AT_FAIL && (at != JSV_AT_INTEGER || type != JSV_TYPE_NUMBER)) {
            return false;
        }
    }
    return true;
}

/* Make schema->program. @return 0 or -ENOMEM. */
int jsv_program_build(struct jsv_schema *schema);
/* Free what the program has outside the schema's arena. */
void jsv_program_done(struct jsv_schema *schema);
