/*
 * Making the fast form of a schema.
 *
 * For each subschema and each type of value, its keywords are turned into a
 * list of operations, knowing the type: `type` itself mostly vanishes, enum
 * keeps only values of the type, alternatives that the type rules out drop
 * out. What is left may be nothing (pass), a contradiction (fail) or a list.
 *
 * Schemas for the same value (allOf, $ref and the like) are made first and
 * their lists taken in. One that is just being made, because it refers to
 * itself, is called by its shape instead. Schemas for other values, below this
 * one, are only given a shape and made later.
 */
#include <string.h>

#include "jsv/schema/program/build.h"
#include "jsv/schema/run/steps.h"

/* Schemas for one value, one inside another; a deeper one is called instead of taken in. */
#define NESTING_MAX 64

/* Dependencies that are looked for one by one; explaining has an index for more. */
#define DEPENDENCIES_MAX 16

/* Memory for a program that only explains, beyond what a schema may take. */
#define EXPLAIN_MEMORY 4096

enum state {
    STATE_NEW,
    STATE_BEING_MADE,
    STATE_MADE,
};

static int make_shape(struct jsv_build *build, struct jsv_subschema *schema);

/* ---- shapes of other schemas ---- */

static struct jsv_subschema *next_of(struct jsv_subschema *schema)
{
    bool only_reference = schema->use_count == 1 &&
                          schema->uses[0].keyword <= JSV_KEYWORD_RECURSIVE_REF &&
                          !schema->uses[0].ref.dynamic;
    return only_reference ? schema->uses[0].ref.target : NULL;
}

/* Where a schema that is nothing but a reference leads, as far as it goes; found once for each. */
struct jsv_subschema *jsv_build_follow(struct jsv_build *build, struct jsv_subschema *schema)
{
    struct jsv_subschema *end = schema;
    uint32_t left = build->schema->subschema_count; /* a circle has no end */
    for (struct jsv_subschema *next; left-- && (next = next_of(end));) {
        end = build->ends[end->index] ? build->ends[end->index] : next;
    }
    while (schema != end && !build->ends[schema->index]) {
        build->ends[schema->index] = end;
        schema = next_of(schema);
    }
    return end;
}

/* The shape of a schema for another value, or of where it only refers to; made later. */
int jsv_build_shape_of(struct jsv_build *build, struct jsv_subschema *schema, uint32_t *ret_shape)
{
    struct jsv_subschema *end = jsv_build_follow(build, schema);
    if (end->shape == 0) {
        struct jsv_subschema **pending = jsv_stack_push(&build->pending, 1);
        uint32_t *index = jsv_stack_push(&build->numbered, 1);
        if (!pending || !index) {
            return -ENOMEM;
        }
        *pending = end;
        *index = end->index;
        end->shape = (uint32_t)build->numbered.count - 1;
    }
    schema->shape = end->shape;
    *ret_shape = end->shape;
    return 0;
}

/* The list of a schema for a value of this list's type and place. */
int jsv_list_of_schema(struct jsv_list *list, struct jsv_subschema *schema, uint32_t *ret_at)
{
    struct jsv_build *build = list->build;
    schema = jsv_build_follow(build, schema);
    if (build->states[schema->index] == STATE_NEW && build->nesting < NESTING_MAX) {
        int r = make_shape(build, schema);
        if (r < 0) {
            return r;
        }
    }
    if (build->states[schema->index] == STATE_MADE) {
        *ret_at = build->shapes[schema->index].at[list->type];
        return 0;
    }
    struct jsv_op call = {.code = JSV_OP_CALL};
    int r = jsv_build_shape_of(build, schema, &call.at);
    return r < 0 ? r : jsv_build_emit(build, &call, 1, ret_at);
}

/* Demand a list too: take its operations in when they are few. */
int jsv_list_add_list(struct jsv_list *list, uint32_t at)
{
    if (at == JSV_AT_PASS) {
        return 0;
    }
    if (at == JSV_AT_FAIL) {
        list->fails = true;
        return 0;
    }
    const struct jsv_op *ops = jsv_build_op_at(list->build, at);
    size_t count = 0;
    while (count <= JSV_TAKE_IN_MAX && ops[count].code != JSV_OP_PASS) {
        count++;
    }
    if (count > JSV_TAKE_IN_MAX) {
        return jsv_list_add_at(list, JSV_OP_RUN, at);
    }
    for (size_t i = 0; i < count; i++) {
        int r = jsv_list_add(list, ops[i]);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

static int add_schema(struct jsv_list *list, struct jsv_subschema *schema)
{
    uint32_t at;
    int r = jsv_list_of_schema(list, schema, &at);
    return r < 0 ? r : jsv_list_add_list(list, at);
}

/* ---- the whole ---- */

static int add_use(struct jsv_list *list, const struct jsv_keyword_use *use)
{
    bool number = list->type == JSV_TYPE_NUMBER;
    bool string = list->type == JSV_TYPE_STRING;
    bool array = list->type == JSV_TYPE_ARRAY;
    bool object = list->type == JSV_TYPE_OBJECT;
    switch (use->keyword) {
    case JSV_KEYWORD_REF:
    case JSV_KEYWORD_DYNAMIC_REF:
    case JSV_KEYWORD_RECURSIVE_REF:
        return add_schema(list, use->ref.target);
    case JSV_KEYWORD_TYPE:
        return jsv_list_add_types(list, use->types);
    case JSV_KEYWORD_CONST:
    case JSV_KEYWORD_ENUM:
        return jsv_list_add_enum(list, use);
    case JSV_KEYWORD_MULTIPLE_OF:
        return number ? jsv_list_add_multiple_of(list, use) : 0;
    case JSV_KEYWORD_MAXIMUM:
    case JSV_KEYWORD_EXCLUSIVE_MAXIMUM:
    case JSV_KEYWORD_MINIMUM:
    case JSV_KEYWORD_EXCLUSIVE_MINIMUM: {
        bool first = use == list->schema->uses || use[-1].keyword < JSV_KEYWORD_MAXIMUM;
        return number && first ? jsv_list_add_bounds(list, use) : 0;
    }
    case JSV_KEYWORD_MAX_LENGTH:
    case JSV_KEYWORD_MIN_LENGTH:
        return string ? jsv_list_add_range(list, use, JSV_OP_LENGTH) : 0;
    case JSV_KEYWORD_PATTERN:
        return string ? jsv_list_add_data(list, JSV_OP_PATTERN, use->regex) : 0;
    case JSV_KEYWORD_FORMAT:
        return string
                   ? jsv_list_add(list, (struct jsv_op){.code = JSV_OP_FORMAT, .word = use->format})
                   : 0;
    case JSV_KEYWORD_CONTENT_ENCODING:
    case JSV_KEYWORD_CONTENT_MEDIA_TYPE:
        return string ? jsv_list_add_data(list, JSV_OP_EXPLAIN, list->schema) : 0;
    case JSV_KEYWORD_MAX_ITEMS:
    case JSV_KEYWORD_MIN_ITEMS:
        return array ? jsv_list_add_range(list, use, JSV_OP_COUNT) : 0;
    case JSV_KEYWORD_UNIQUE_ITEMS:
        return array ? jsv_list_add(list, (struct jsv_op){.code = JSV_OP_UNIQUE}) : 0;
    case JSV_KEYWORD_PREFIX_ITEMS:
    case JSV_KEYWORD_ITEMS:
    case JSV_KEYWORD_ADDITIONAL_ITEMS:
        return array ? jsv_list_add_elements(list, use) : 0;
    case JSV_KEYWORD_CONTAINS:
        return array ? jsv_list_add_contains(list, use) : 0;
    case JSV_KEYWORD_MAX_PROPERTIES:
    case JSV_KEYWORD_MIN_PROPERTIES:
        return object ? jsv_list_add_range(list, use, JSV_OP_COUNT) : 0;
    case JSV_KEYWORD_REQUIRED:
    case JSV_KEYWORD_PROPERTIES:
    case JSV_KEYWORD_PATTERN_PROPERTIES:
    case JSV_KEYWORD_ADDITIONAL_PROPERTIES:
        return object && use == jsv_subschema_object_use(list->schema) ? jsv_list_add_object(list)
                                                                       : 0;
    case JSV_KEYWORD_DEPENDENT_REQUIRED:
    case JSV_KEYWORD_DEPENDENCIES:
    case JSV_KEYWORD_DEPENDENT_SCHEMAS:
        return object ? jsv_list_add_dependencies(list, use) : 0;
    case JSV_KEYWORD_PROPERTY_NAMES:
        return object ? jsv_list_add_names(list, use) : 0;
    case JSV_KEYWORD_ALL_OF:
        for (uint32_t i = 0; i < use->list.count; i++) {
            int r = add_schema(list, use->list.schemas[i]);
            if (r < 0) {
                return r;
            }
        }
        return 0;
    case JSV_KEYWORD_ANY_OF:
    case JSV_KEYWORD_ONE_OF:
        return jsv_list_add_alternatives(list, use);
    case JSV_KEYWORD_NOT:
        return jsv_list_add_not(list, use);
    case JSV_KEYWORD_IF:
        return jsv_list_add_if(list, use);
    case JSV_KEYWORD_UNEVALUATED_PROPERTIES:
        return object ? jsv_list_add_unevaluated(list, use) : 0;
    case JSV_KEYWORD_THEN:
    case JSV_KEYWORD_ELSE:
    case JSV_KEYWORD_UNEVALUATED_ITEMS:
    case JSV_KEYWORD_DEFS:
    case JSV_KEYWORD_DEFINITIONS:
    case JSV_KEYWORD_CONTENT_SCHEMA:
    case JSV_KEYWORD_COUNT:
        return 0;
    }
    return 0;
}

static bool is_dependencies(enum jsv_keyword keyword)
{
    return keyword == JSV_KEYWORD_DEPENDENT_REQUIRED || keyword == JSV_KEYWORD_DEPENDENCIES ||
           keyword == JSV_KEYWORD_DEPENDENT_SCHEMAS;
}

/* What the program does not do itself: what was evaluated, and names that take long to compare. */
static bool needs_explaining(const struct jsv_subschema *schema, enum jsv_type type)
{
    if (type < JSV_TYPE_ARRAY || (type == JSV_TYPE_ARRAY && !schema->wants_marks)) {
        return false;
    }
    for (uint32_t i = 0; i < schema->use_count; i++) {
        const struct jsv_keyword_use *use = &schema->uses[i];
        if ((use->keyword == JSV_KEYWORD_UNEVALUATED_ITEMS && type == JSV_TYPE_ARRAY) ||
            (use->keyword == JSV_KEYWORD_UNEVALUATED_PROPERTIES && type == JSV_TYPE_OBJECT &&
             !jsv_subschema_knows_evaluated(schema))) {
            return true;
        }
        if (type != JSV_TYPE_OBJECT) {
            continue;
        }
        if (is_dependencies(use->keyword) && use->map.count > DEPENDENCIES_MAX) {
            return true;
        }
        for (uint32_t j = 0; use->keyword == JSV_KEYWORD_PROPERTIES && j < use->map.count; j++) {
            if (use->map.items[j].key.text.size > JSV_TEXT_SHORT) {
                return true;
            }
        }
        for (uint32_t j = 0; use->keyword == JSV_KEYWORD_REQUIRED && j < use->names.count; j++) {
            if (use->names.items[j].text.size > JSV_TEXT_SHORT) {
                return true;
            }
        }
    }
    return false;
}

static int make_list(
    struct jsv_build *build,
    const struct jsv_subschema *schema,
    enum jsv_type type,
    uint32_t *ret_at)
{
    struct jsv_list list = {
        .build = build,
        .schema = schema,
        .type = type,
        .start = build->gathered.count,
        .fails = schema->never,
    };
    int r = 0;
    if (needs_explaining(schema, type)) {
        r = jsv_list_add_data(&list, JSV_OP_EXPLAIN, schema);
    } else {
        for (uint32_t i = 0; i < schema->use_count && r == 0 && !list.fails; i++) {
            r = add_use(&list, &schema->uses[i]);
        }
    }
    if (r == 0 && list.fails) {
        *ret_at = JSV_AT_FAIL;
    } else if (r == 0) {
        r = jsv_build_emit_gathered(build, list.start, ret_at);
    }
    build->gathered.count = list.start;
    return r;
}

static int make_shape(struct jsv_build *build, struct jsv_subschema *schema)
{
    build->states[schema->index] = STATE_BEING_MADE;
    build->nesting++;
    struct jsv_shape shape = {0};
    for (enum jsv_type type = JSV_TYPE_NULL; type <= JSV_TYPE_OBJECT; type++) {
        int r = make_list(build, schema, type, &shape.at[type]);
        if (r < 0) {
            return r;
        }
    }
    build->shapes[schema->index] = shape;
    build->nesting--;
    build->states[schema->index] = STATE_MADE;
    return 0;
}

static int make_all(struct jsv_build *build, uint32_t *ret_root)
{
    int r = jsv_build_shape_of(build, build->schema->root, ret_root);
    while (r == 0 && build->pending.count) {
        struct jsv_subschema *schema = *(struct jsv_subschema **)jsv_stack_pop(&build->pending);
        if (build->states[schema->index] == STATE_NEW) {
            r = make_shape(build, schema);
        }
    }
    return r;
}

/* A program that leaves everything to explaining. */
static int explain_all(struct jsv_build *build, uint32_t *ret_root)
{
    struct jsv_op op = {.code = JSV_OP_EXPLAIN, .data = build->schema->root};
    uint32_t at;
    int r = jsv_build_emit(build, &op, 1, &at);
    if (r == 0) {
        r = jsv_build_shape_of(build, build->schema->root, ret_root);
    }
    for (enum jsv_type type = JSV_TYPE_NULL; type <= JSV_TYPE_OBJECT && r == 0; type++) {
        const uint32_t *index = jsv_stack_top(&build->numbered);
        build->shapes[*index].at[type] = at;
    }
    return r;
}

/*
 * A dynamic reference leads to the outermost resource with its anchor. That is
 * the root's own, when it has one: then, and when there is only one, it is
 * known already. False: it can only be known while evaluating.
 */
static bool settle_dynamic(struct jsv_schema *schema, struct jsv_keyword_use *use)
{
    struct jsv_subschema *target =
        jsv_schema_dynamic_target(schema, schema->root->resource, use->ref.anchor);
    if (!target) {
        if (jsv_schema_dynamic_count(schema, use->ref.anchor) > 1) {
            return false;
        }
        target = use->ref.target;
    }
    use->ref.target = target;
    use->ref.dynamic = false;
    return true;
}

static bool settle_all_dynamic(struct jsv_schema *schema)
{
    bool settled = true;
    for (struct jsv_subschema *s = schema->subschemas; s; s = s->next) {
        for (uint32_t i = 0; i < s->use_count; i++) {
            struct jsv_keyword_use *use = &s->uses[i];
            if (use->keyword <= JSV_KEYWORD_RECURSIVE_REF && use->ref.dynamic) {
                settled &= settle_dynamic(schema, use);
            }
        }
    }
    return settled;
}

/* What is known of each subschema while the program is made. */
static int prepare_build(struct jsv_build *build)
{
    size_t count = build->schema->subschema_count;
    struct jsv_arena *scratch = &build->scratch;
    build->shapes = jsv_arena_array(scratch, count, sizeof(*build->shapes));
    build->ends = jsv_arena_array(scratch, count, sizeof(*build->ends));
    build->states = jsv_arena_alloc(scratch, count);
    uint32_t *pass = jsv_stack_push(&build->numbered, 1);
    static const struct jsv_op first[] = {
        [JSV_AT_PASS] = {.code = JSV_OP_PASS},
        [JSV_AT_FAIL] = {.code = JSV_OP_FAIL},
        [JSV_AT_INTEGER] = {.code = JSV_OP_INTEGER},
        [JSV_AT_INTEGER + 1] = {.code = JSV_OP_PASS},
    };
    int r = jsv_buf_append(&build->ops, first, sizeof(first));
    if (r < 0 || !build->shapes || !build->ends || !build->states || !pass) {
        return -ENOMEM;
    }
    *pass = 0;
    memset(build->shapes, 0, count * sizeof(*build->shapes));
    memset(build->ends, 0, count * sizeof(*build->ends));
    memset(build->states, STATE_NEW, count);
    return 0;
}

static int build_program(struct jsv_build *build, bool only_explain)
{
    struct jsv_schema *schema = build->schema;
    struct jsv_program *program = jsv_build_take(build, sizeof(*program));
    int r = program ? prepare_build(build) : -ENOMEM;
    if (r < 0) {
        return r;
    }
    schema->dynamic = !settle_all_dynamic(schema);
    uint32_t root = JSV_AT_PASS;
    r = schema->dynamic || only_explain ? explain_all(build, &root) : make_all(build, &root);
    return r < 0 ? r : jsv_build_finish(build, program, root);
}

/* Working memory is limited to as much as the schema itself may take. */
static int try_build(struct jsv_schema *schema, bool only_explain)
{
    struct jsv_build build = {.schema = schema};
    size_t limit = schema->arena.budget;
    jsv_arena_init(&build.scratch, &schema->allocator, limit / 2);
    jsv_arena_init(&build.brief, &schema->allocator, limit / 4);
    jsv_buf_init(&build.ops, &schema->allocator, limit / 4);
    build.gathered = jsv_stack_on(&build.scratch, sizeof(struct jsv_op));
    build.choices = jsv_stack_on(&build.scratch, sizeof(uint32_t));
    build.numbered = jsv_stack_on(&build.scratch, sizeof(uint32_t));
    build.pending = jsv_stack_on(&build.scratch, sizeof(struct jsv_subschema *));
    int r = build_program(&build, only_explain);
    bool refused = schema->arena.refused || build.scratch.refused || build.brief.refused ||
                   build.ops.error == -ENOBUFS;
    r = r == -ENOMEM && refused ? -EFBIG : r;
    jsv_buf_done(&build.ops);
    jsv_arena_done(&build.brief);
    jsv_arena_done(&build.scratch);
    return r;
}

int jsv_program_build(struct jsv_schema *schema)
{
    int r = try_build(schema, false);
    if (r != -EFBIG) {
        return r;
    }
    /* the program would be too large: explaining gives the same verdicts without one */
    for (struct jsv_subschema *s = schema->subschemas; s; s = s->next) {
        s->shape = 0;
    }
    jsv_program_done(schema);
    schema->arena.refused = false;
    schema->arena.budget += EXPLAIN_MEMORY;
    return try_build(schema, true);
}

void jsv_program_done(struct jsv_schema *schema)
{
    if (schema->program) {
        jsv_dealloc(&schema->allocator, schema->program->ops, schema->program->ops_size);
        jsv_dealloc(&schema->allocator, schema->program->entries, schema->program->entries_size);
        schema->program = NULL;
    }
}
