/*
 * What the parts of making a program share.
 *
 * A struct jsv_build is a program in the making, a struct jsv_list the
 * operations for one subschema and one type of value while they are gathered.
 * program.c goes through the schemas; what becomes of their keywords is told
 * there, in program_value.c (values themselves), in program_inside.c (what is
 * inside arrays and objects) and in program_combine.c (alternatives and the
 * like). program_list.c puts lists together, program_finish.c does what must
 * wait until all are made.
 */
#pragma once

#include <errno.h>

#include "jsv/base/alloc.h"
#include "jsv/json/stack.h"
#include "jsv/schema/program/program.h"

/* Operations of a list that is taken in; a longer one is run where it stands. */
#define JSV_TAKE_IN_MAX 3

/* Lists that a new one is compared with. */
#define JSV_RECENT_MAX 4

/* The shape that lets everything pass. */
#define JSV_SHAPE_PASS 0

/* A list, and the one that stands for it: the same unless its verdict is remembered. */
struct jsv_recent {
    uint32_t at;
    uint32_t outer;
};

struct jsv_build {
    struct jsv_schema *schema;
    struct jsv_arena scratch;
    struct jsv_buf ops;        /* struct jsv_op */
    struct jsv_stack gathered; /* struct jsv_op: of lists that are not whole yet */
    struct jsv_shape *shapes;  /* by subschema index */
    struct jsv_stack numbered; /* uint32_t: subschema index by number of shape; 0 lets all pass */
    struct jsv_subschema *
        *ends;                /* where references lead, by subschema index; NULL: not known yet */
    struct jsv_arena brief;   /* for what is needed until the next operation is added */
    struct jsv_stack choices; /* uint32_t: lists of alternatives that are being gathered */
    unsigned char *states;    /* enum state, by subschema index */
    struct jsv_stack pending; /* struct jsv_subschema *: has a shape, not made yet */
    unsigned nesting;
    struct jsv_recent recent[JSV_RECENT_MAX]; /* lists made last; all PASS at first */
    unsigned recent_next;
};

/* Operations for one subschema and one type, while they are gathered. */
struct jsv_list {
    struct jsv_build *build;
    const struct jsv_subschema *schema;
    enum jsv_type type;
    size_t start; /* among those gathered */
    bool fails;
};

static inline void *jsv_build_take(struct jsv_build *build, size_t size)
{
    return jsv_arena_alloc(&build->schema->arena, size);
}

static inline uint32_t jsv_build_op_count(const struct jsv_build *build)
{
    return (uint32_t)(build->ops.size / sizeof(struct jsv_op));
}

/* Operations move when others are added. */
static inline struct jsv_op *jsv_build_op_at(const struct jsv_build *build, uint32_t at)
{
    return (struct jsv_op *)(void *)build->ops.data + at;
}

/* ---- program_list.c; 0 or -ENOMEM ---- */

int jsv_list_add(struct jsv_list *list, struct jsv_op op);
int jsv_list_add_data(struct jsv_list *list, enum jsv_op_code code, const void *data);
int jsv_list_add_at(struct jsv_list *list, enum jsv_op_code code, uint32_t at);
/* Put operations into the program; the place of the list that stands for them in *ret_at. */
int jsv_build_emit(
    struct jsv_build *build, const struct jsv_op *ops, size_t count, uint32_t *ret_at);
/* The same for the operations gathered from `start` on. */
int jsv_build_emit_gathered(struct jsv_build *build, size_t start, uint32_t *ret_at);

/* ---- program.c ---- */

/* Where a schema that is nothing but a reference leads, as far as it goes. */
struct jsv_subschema *jsv_build_follow(struct jsv_build *build, struct jsv_subschema *schema);
/* The shape of a schema for another value; made later. */
int jsv_build_shape_of(struct jsv_build *build, struct jsv_subschema *schema, uint32_t *ret_shape);
/* The list of a schema for a value of this list's type and place. */
int jsv_list_of_schema(struct jsv_list *list, struct jsv_subschema *schema, uint32_t *ret_at);
/* Demand a list too. */
int jsv_list_add_list(struct jsv_list *list, uint32_t at);

/* ---- program_value.c ---- */

int jsv_list_add_types(struct jsv_list *list, unsigned types);
int jsv_list_add_enum(struct jsv_list *list, const struct jsv_keyword_use *use);
int jsv_list_add_bounds(struct jsv_list *list, const struct jsv_keyword_use *use);
int jsv_list_add_multiple_of(struct jsv_list *list, const struct jsv_keyword_use *use);
int jsv_list_add_range(
    struct jsv_list *list, const struct jsv_keyword_use *use, enum jsv_op_code code);

/* ---- program_combine.c ---- */

int jsv_list_add_alternatives(struct jsv_list *list, const struct jsv_keyword_use *use);
int jsv_list_add_not(struct jsv_list *list, const struct jsv_keyword_use *use);
int jsv_list_add_if(struct jsv_list *list, const struct jsv_keyword_use *use);

/* ---- program_inside.c ---- */

int jsv_list_add_elements(struct jsv_list *list, const struct jsv_keyword_use *use);
int jsv_list_add_contains(struct jsv_list *list, const struct jsv_keyword_use *use);
int jsv_list_add_object(struct jsv_list *list);
/* The first of the uses that jsv_list_add_object takes together; NULL when there are none. */
const struct jsv_keyword_use *jsv_subschema_object_use(const struct jsv_subschema *schema);
/* A shape for the members that none of some names and patterns are about. */
int jsv_list_add_others(
    struct jsv_list *list,
    const struct jsv_key *keys,
    uint32_t key_count,
    struct jsv_object_pattern *patterns,
    uint32_t pattern_count,
    uint32_t shape);
int jsv_list_add_names(struct jsv_list *list, const struct jsv_keyword_use *use);
int jsv_list_add_dependencies(struct jsv_list *list, const struct jsv_keyword_use *use);

/* ---- program_unevaluated.c ---- */

/* Whether the schema alone tells which members it evaluates. */
bool jsv_subschema_knows_evaluated(const struct jsv_subschema *schema);
/* unevaluatedProperties of a schema that does. */
int jsv_list_add_unevaluated(struct jsv_list *list, const struct jsv_keyword_use *use);

/* ---- program_finish.c ---- */

/* Lay out what was made, from the root's shape on; schema->program is set even when memory runs
 * out. */
int jsv_build_finish(struct jsv_build *build, struct jsv_program *program, uint32_t root);
