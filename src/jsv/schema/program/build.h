/*
 * The state of making a program, shared by the files of this folder.
 *
 * A struct jsv_build is a program in the making, a struct jsv_list the
 * operations for one subschema and one type of value while they are gathered.
 * program.c goes through the schemas; value.c and container.c turn keywords
 * into operations, list.c puts lists together, choice.c prepares the selection
 * of alternatives.
 */
#pragma once

#include <errno.h>

#include "jsv/base/alloc.h"
#include "jsv/json/stack.h"
#include "jsv/schema/program/program.h"

/* Lists of up to so many operations are included; longer ones are run. */
#define JSV_TAKE_IN_MAX 3

/* Recent lists that a new one is compared with. */
#define JSV_RECENT_MAX 4

/* The shape that everything passes. */
#define JSV_SHAPE_PASS 0

/* A list, and the one to use instead: another if the verdict is remembered (ONCE). */
struct jsv_recent {
    uint32_t at;
    uint32_t outer;
};

struct jsv_build {
    struct jsv_schema *schema;
    struct jsv_arena scratch;
    struct jsv_buf ops;          /* struct jsv_op */
    struct jsv_stack gathered;   /* struct jsv_op: of unfinished lists */
    struct jsv_shape *shapes;    /* by subschema index */
    struct jsv_stack numbered;   /* uint32_t: subschema index by number of shape */
    struct jsv_subschema **ends; /* targets of references by subschema index; NULL: not known */
    struct jsv_arena brief;      /* reset for each operation */
    struct jsv_stack choices;    /* uint32_t: lists of alternatives of unfinished choices */
    unsigned char *states;       /* enum state, by subschema index */
    struct jsv_stack pending;    /* struct jsv_subschema *: has a shape, not made yet */
    unsigned nesting;
    struct jsv_recent recent[JSV_RECENT_MAX]; /* all PASS at first */
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

/* ---- list.c; all return 0 or -ENOMEM ---- */

int jsv_list_add(struct jsv_list *list, struct jsv_op op);
int jsv_list_add_data(struct jsv_list *list, enum jsv_op_code code, const void *data);
int jsv_list_add_at(struct jsv_list *list, enum jsv_op_code code, uint32_t at);
/* Put operations into the program. @param ret_at The list to use for them. */
int jsv_build_emit(
    struct jsv_build *build, const struct jsv_op *ops, size_t count, uint32_t *ret_at);
/* The same for the operations gathered from `start` on. */
int jsv_build_emit_gathered(struct jsv_build *build, size_t start, uint32_t *ret_at);

/* ---- program.c ---- */

/* The end of a chain of schemas that are only references. */
struct jsv_subschema *jsv_build_follow(struct jsv_build *build, struct jsv_subschema *schema);
/* The shape of a schema for another value; made later. */
int jsv_build_shape_of(struct jsv_build *build, struct jsv_subschema *schema, uint32_t *ret_shape);
/* The list of another schema for the same value. */
int jsv_list_of_schema(struct jsv_list *list, struct jsv_subschema *schema, uint32_t *ret_at);
/* Add the operations of a list. */
int jsv_list_add_list(struct jsv_list *list, uint32_t at);

/* ---- value.c ---- */

int jsv_list_add_types(struct jsv_list *list, unsigned types);
int jsv_list_add_enum(struct jsv_list *list, const struct jsv_keyword_use *use);
int jsv_list_add_bounds(struct jsv_list *list, const struct jsv_keyword_use *use);
int jsv_list_add_multiple_of(struct jsv_list *list, const struct jsv_keyword_use *use);
int jsv_list_add_range(
    struct jsv_list *list, const struct jsv_keyword_use *use, enum jsv_op_code code);

int jsv_list_add_alternatives(struct jsv_list *list, const struct jsv_keyword_use *use);
int jsv_list_add_not(struct jsv_list *list, const struct jsv_keyword_use *use);
int jsv_list_add_if(struct jsv_list *list, const struct jsv_keyword_use *use);

/* ---- container.c ---- */

int jsv_list_add_elements(struct jsv_list *list, const struct jsv_keyword_use *use);
int jsv_list_add_contains(struct jsv_list *list, const struct jsv_keyword_use *use);
int jsv_list_add_object(struct jsv_list *list);
/* The first of the keywords that jsv_list_add_object combines; NULL when there are none. */
const struct jsv_keyword_use *jsv_subschema_object_use(const struct jsv_subschema *schema);
int jsv_list_add_names(struct jsv_list *list, const struct jsv_keyword_use *use);
int jsv_list_add_dependencies(struct jsv_list *list, const struct jsv_keyword_use *use);

/* Whether the schema alone tells which members it evaluates. */
bool jsv_subschema_knows_evaluated(const struct jsv_subschema *schema);
/* unevaluatedProperties of a schema that does. */
int jsv_list_add_unevaluated(struct jsv_list *list, const struct jsv_keyword_use *use);

/* ---- choice.c ---- */

/*
 * Prepare the selection of alternatives by members, for all choices of a
 * finished program among objects. @return 0 or -ENOMEM.
 */
int jsv_choices_prepare(
    struct jsv_schema *schema, const struct jsv_shape *shapes, struct jsv_op *ops, size_t count);
