/*
 * The fast form of a schema.
 *
 * Every subschema that documents can meet has a shape: for each type of value
 * the place in a list of operations where checking such a value begins. What
 * the type alone decides is decided there: the place is then that of "pass" or
 * "fail", and no operation runs. Operations carry only what matters for the
 * type they stand under.
 *
 * program*.c make programs, run*.c run them.
 */
#pragma once

#include "jsv/schema/compile/subschema.h"
#include "jsv/schema/program/names.h"

/* What an operation does; X(constant, function in run*.c, what it carries) */
#define JSV_OPS(X)                                                                                 \
    X(PASS, pass, "ends every list")                                                               \
    X(FAIL, fail, "")                                                                              \
    X(INTEGER, integer, "a number that is one, however written")                                   \
    X(INTEGER_STRICT, integer_strict, "draft 4: written as one")                                   \
    X(CHARGE, charge, "word: steps for what follows in the list")                                  \
    X(CALL, call, "at: a shape, for the same value")                                               \
    X(RUN, run, "at: a list, for the same value")                                                  \
    X(ONCE, once, "at: the same, for the same value only once")                                    \
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
    X(STRING_IN_LONG, string_in_long, "struct jsv_names_table, where some names are long")         \
    X(BOUND, bound, "struct jsv_bounds")                                                           \
    X(INT_BOUND, int_bound, "struct jsv_bounds, both in int64")                                    \
    X(MULTIPLE_OF, multiple_of, "struct jsv_number")                                               \
    X(LENGTH, length, "struct jsv_range")                                                          \
    X(PATTERN, pattern, "struct jsv_regex")                                                        \
    X(FORMAT, format, "word: enum jsv_format")                                                     \
    X(COUNT, count, "struct jsv_range: members or elements")                                       \
    X(UNIQUE, unique, "")                                                                          \
    X(ITEMS, items, "at: shape of every element, in the end struct jsv_entry")                     \
    X(TUPLE, tuple, "struct jsv_tuple")                                                            \
    X(CONTAINS, contains, "struct jsv_contains")                                                   \
    X(MEMBERS, members, "at: shape of every member, in the end struct jsv_entry")                  \
    X(OBJECT, object, "struct jsv_object: simple names, no patterns")                              \
    X(OBJECT_ONE, object_one, "struct jsv_object: open, with a short name")                        \
    X(OBJECT_FEW, object_few, "struct jsv_object: open, with JSV_NAMES_FEW short names")           \
    X(OBJECT_FULL, object_full, "struct jsv_object: any")                                          \
    X(NAMES, names, "at: a list, for each key")                                                    \
    X(DEPENDENCY, dependency, "struct jsv_dependent")                                              \
    X(EXPLAIN, explain, "struct jsv_subschema: what only explaining can do")

/* How an operation is done. All but the first are for the last of a list. */
enum jsv_form {
    JSV_FORM_THOROUGH,
    JSV_FORM_LAST,       /* the same, and goes on with nothing */
    JSV_FORM_SHALLOW,    /* types decide about all that is inside, so that nothing is called */
    JSV_FORM_FLAT,       /* the same, and neither arrays nor objects pass */
    JSV_FORM_EXACT,      /* the same, and the names are those that must be there, no others */
    JSV_FORM_OF_ARRAYS,  /* all elements are arrays, and flat */
    JSV_FORM_OF_OBJECTS, /* all elements are objects, and flat */
    JSV_FORM_OF_EXACT,   /* all elements are objects, and exact */
    JSV_FORM_COUNT,
};

/* Operations with more than the thorough form; X(constant, form, function in run_*.c) */
#define JSV_OP_FORMS(X)                                                                            \
    X(ANY_OF, LAST, any_of_last)                                                                   \
    X(ONE_OF, LAST, any_of_last)                                                                   \
    X(BOOLEAN, LAST, boolean_last)                                                                 \
    X(STRING_IS, LAST, string_is_last)                                                             \
    X(STRING_IN, LAST, string_in_last)                                                             \
    X(BOUND, LAST, bound_last)                                                                     \
    X(INT_BOUND, LAST, int_bound_last)                                                             \
    X(LENGTH, LAST, length_last)                                                                   \
    X(PATTERN, LAST, pattern_last)                                                                 \
    X(ITEMS, LAST, items_last)                                                                     \
    X(ITEMS, SHALLOW, items_shallow)                                                               \
    X(ITEMS, OF_ARRAYS, items_of_arrays)                                                           \
    X(ITEMS, OF_OBJECTS, items_of_objects)                                                         \
    X(ITEMS, OF_EXACT, items_of_exact)                                                             \
    X(MEMBERS, SHALLOW, members_shallow)                                                           \
    X(OBJECT, LAST, object_last)                                                                   \
    X(OBJECT, SHALLOW, object_shallow)                                                             \
    X(OBJECT, FLAT, object_flat)                                                                   \
    X(OBJECT, EXACT, object_exact)                                                                 \
    X(OBJECT_ONE, LAST, object_one_last)                                                           \
    X(OBJECT_ONE, SHALLOW, object_one_shallow)                                                     \
    X(OBJECT_FEW, LAST, object_few_last)                                                           \
    X(OBJECT_FEW, SHALLOW, object_few_shallow)                                                     \
    X(OBJECT_FULL, LAST, object_full_last)

enum jsv_op_code {
#define X(constant, function, carries) JSV_OP_##constant,
    JSV_OPS(X)
#undef X
};

struct jsv_op;
struct jsv_validator;

/* Does an operation and, when it holds, all that follow it in its list. */
typedef bool
jsv_op_function(struct jsv_validator *run, const struct jsv_op *op, const struct jsv_node *node);

struct jsv_op {
    union {
        jsv_op_function *run;
        uintptr_t weight; /* while the program is made: of the list that begins here */
    };
    union {
        const void *data;
        uint64_t word;
    };
    enum jsv_op_code code;
    uint32_t at; /* a shape or a list */
};

/* The function of a form of an operation; NULL when it has none. */
jsv_op_function *jsv_op_function_of(enum jsv_op_code code, enum jsv_form form);

/* Whether an operation carries a struct jsv_object. */
static inline bool jsv_op_is_object(enum jsv_op_code code)
{
    return code >= JSV_OP_OBJECT && code <= JSV_OP_OBJECT_FULL;
}

/* Lists that stand at the start of every program, so that they can be told by their place. */
enum {
    JSV_AT_PASS = 0,
    JSV_AT_FAIL = 1,
    JSV_AT_INTEGER = 2,
};

/* A shape while the program is made; a subschema's index is its shape's too. */
struct jsv_shape {
    uint32_t at[JSV_TYPE_OBJECT + 1]; /* by type of value */
};

/* A shape as it is run: the first operation for each type of value. */
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

/* Lower and upper bound of a number; either may be missing. */
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
    uint32_t rest; /* shape of elements behind the listed ones */
    uint32_t count;
    uint32_t shapes[];
};

struct jsv_contains {
    uint32_t shape;
    uint64_t min;
    uint64_t max;
};

/*
 * What is said of one name in an object: the shape is the slot's `at`, the
 * rest its `info`, whose other bits are those of what passes (JSV_PASSES_*).
 */
enum jsv_object_info {
    JSV_NAME_LISTED = 1 << 8, /* in `properties`, so no extra member */
    JSV_NAME_MORE = 1 << 9,   /* patterns may speak of it too */
};

/* The highest bit of info: the member must be there. */
#define JSV_NAME_REQUIRED_SHIFT 31

struct jsv_object_pattern {
    const struct jsv_regex *regex;
    uint32_t shape;
};

/* Names so few, and short, that a member is sooner compared with each than looked up. */
#define JSV_NAMES_FEW 2

struct jsv_object {
    const struct jsv_subschema *schema; /* that says all this */
    struct jsv_names_table names;
    uint32_t required_count;
    uint32_t pattern_count;
    struct jsv_name_slot extra; /* stands for the names of all other members */
    struct jsv_object_pattern *patterns;
    struct jsv_name_slot few[JSV_NAMES_FEW]; /* the first names again */
};

struct jsv_dependent {
    struct jsv_key key;
    uint32_t at; /* list to run; when names is set, unused */
    const struct jsv_names *names;
};

/*
 * Choosing among alternatives by what a look at an object's members tells:
 * which are there, of which type they are, which string they hold. A bit per
 * alternative.
 */
#define JSV_CHOICE_MAX 64

struct jsv_choice_name {
    uint64_t others;                       /* the bits of all names but this */
    uint64_t without;                      /* alternatives that do not need it */
    uint64_t by_type[JSV_TYPE_OBJECT + 1]; /* alternatives that a value of the type may fit */
    const struct jsv_names_table *strings; /* strings that decide; NULL when none do */
    const uint64_t *by_string;
    uint64_t other_strings; /* alternatives for a string that is not among them */
};

struct jsv_choice {
    const struct jsv_names_table *names; /* members that decide; NULL when none do */
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
    size_t ops_size;           /* bytes of ops, and of entries: they have memory of their own */
    size_t entries_size;
    const struct jsv_entry *root;
};

/*
 * What a shape lets pass without a look: a bit by each type, and this one.
 * NONE always passes: it stands for what was judged before (fused.c).
 */
#define JSV_PASSES_INTEGER (1 << 7) /* numbers that are integers */

/* Any of these, but for NONE. */
#define JSV_PASSES_ANY 0xFE

/* Types whose values span more than a node. */
#define JSV_PASSES_CONTAINER (1 << JSV_TYPE_ARRAY | 1 << JSV_TYPE_OBJECT)

static inline uint8_t jsv_shape_passes(const struct jsv_shape *shape)
{
    unsigned passes = 1 << JSV_TYPE_NONE;
    passes |= shape->at[JSV_TYPE_NUMBER] == JSV_AT_INTEGER ? JSV_PASSES_INTEGER : 0;
    for (unsigned type = JSV_TYPE_NULL; type <= JSV_TYPE_OBJECT; type++) {
        passes |= (unsigned)(shape->at[type] == JSV_AT_PASS) << type;
    }
    return (uint8_t)passes;
}

/* Whether types decide what passes, and whether numbers are integers. */
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
/* Give back what the program has outside the schema's arena. */
void jsv_program_done(struct jsv_schema *schema);
