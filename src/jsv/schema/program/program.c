/*
 * Making the fast form of a schema.
 *
 * For each subschema and each type of value, the keywords are turned into a
 * list of operations. Knowing the type, most keywords vanish: `type` itself,
 * enum values of other types, alternatives that the type rules out. The result
 * may be nothing (PASS), a contradiction (FAIL) or a list.
 *
 * Schemas for the same value (allOf, $ref and the like) are made first and
 * their lists included. One that is being made already, because it refers to
 * itself, is called by its shape instead. Schemas for values inside this one
 * only get a shape and are made later.
 */
#include <string.h>

#include "jsv/schema/program/build.h"
#include "jsv/schema/run/steps.h"

/* Nested schemas for one value; a deeper one is called instead of included. */
#define NESTING_MAX 64

/* Dependencies that are searched one by one; explaining has an index for more. */
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

/* Including few operations saves a call: 4.6 % on schema-bench, 5.5 % on schema-bench-mcp. */
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

/* ---- keywords ---- */

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

/* Not done by the program: tracking evaluated values, and comparing long names. */
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

/* A program that only explains. */
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
 * known now if the root has the anchor, or if only one resource has it.
 * @return false when it is known only during evaluation.
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

/* Allocate the tables by subschema, and emit the first lists. */
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

/* ---- finishing ---- */

/* Set the types that pass in the slots of all names, and use a faster operation if possible. */
static void finish_object(const struct jsv_shape *shapes, struct jsv_op *op)
{
    struct jsv_object *object = (struct jsv_object *)(uintptr_t)op->data;
    struct jsv_name_slot *extra = &object->extra;
    /* names that patterns may match are passed on to the patterns, whatever the type */
    uint32_t extra_shape = extra->info & JSV_NAME_MORE ? JSV_SHAPE_PASS : extra->at;
    bool plain = jsv_shape_is_plain(&shapes[extra->at]);
    extra->info |= jsv_shape_passes(&shapes[extra_shape]);
    uint32_t passing = extra->info;
    struct jsv_name_slot *slot = NULL;
    for (uint32_t n = 0; (slot = jsv_names_next(&object->names, slot)); n++) {
        plain &= jsv_shape_is_plain(&shapes[slot->at]);
        slot->info |= jsv_shape_passes(&shapes[slot->at]);
        passing |= slot->info;
        if (n < 2) {
            object->small_names[n] = *slot;
        }
    }
    if (plain && op->code == JSV_OP_OBJECT) {
        op->code = passing & JSV_PASSES_CONTAINER ? JSV_OP_OBJECT_SHALLOW : JSV_OP_OBJECT_FLAT;
    }
}

static void
finish_ops(const struct jsv_program *program, const struct jsv_shape *shapes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct jsv_op *op = &program->ops[i];
        if (op->code == JSV_OP_ITEMS || op->code == JSV_OP_MEMBERS) {
            op->data = &program->entries[op->at];
        }
        if (op->code == JSV_OP_ITEMS && jsv_shape_is_plain(&shapes[op->at])) {
            op->code = JSV_OP_ITEMS_SHALLOW;
        } else if (jsv_op_is_object(op->code)) {
            finish_object(shapes, op);
        }
        op->is_last = op->code != JSV_OP_PASS && op[1].code == JSV_OP_PASS;
    }
}

/* Whether a shape fails all values but those of one type. */
static bool is_only(const struct jsv_shape *shape, enum jsv_type only)
{
    for (enum jsv_type type = JSV_TYPE_NULL; type <= JSV_TYPE_OBJECT; type++) {
        if (type != only && shape->at[type] != JSV_AT_FAIL) {
            return false;
        }
    }
    return true;
}

/* Whether a list checks that all elements are scalars, and perhaps their number. */
static bool is_flat_array(const struct jsv_op *list)
{
    const struct jsv_op *items = list->code == JSV_OP_COUNT ? list + 1 : list;
    return items->code == JSV_OP_ITEMS_SHALLOW && items->is_last &&
           !(((const struct jsv_entry *)items->data)->passes & JSV_PASSES_CONTAINER);
}

/* Set the functions, and use faster operations for arrays of flat arrays or objects. */
static void
finish_functions(const struct jsv_program *program, const struct jsv_shape *shapes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct jsv_op *op = &program->ops[i];
        if (op->code == JSV_OP_ITEMS) {
            const struct jsv_shape *shape = &shapes[op->at];
            const struct jsv_entry *entry = op->data;
            const struct jsv_op *object = entry->op[JSV_TYPE_OBJECT];
            if (is_only(shape, JSV_TYPE_ARRAY) && is_flat_array(entry->op[JSV_TYPE_ARRAY])) {
                op->code = JSV_OP_ITEMS_OF_ARRAYS;
            } else if (
                is_only(shape, JSV_TYPE_OBJECT) && object->code == JSV_OP_OBJECT_FLAT &&
                object->is_last) {
                op->code = JSV_OP_ITEMS_OF_OBJECTS;
            }
        }
        if (op->is_last && (op->code == JSV_OP_ITEMS || op->code == JSV_OP_OBJECT ||
                            op->code == JSV_OP_OBJECT_TWO || op->code == JSV_OP_OBJECT_FULL)) {
            op->code++; /* to the one for the last operation */
        }
        op->run = jsv_op_function_of(op->code);
    }
}

/* The numbered shapes in the order of their numbers. */
static struct jsv_shape *order_shapes(struct jsv_build *build)
{
    size_t count = build->numbered.count;
    struct jsv_shape *shapes = jsv_arena_array(&build->brief, count, sizeof(*shapes));
    for (size_t i = 0; shapes && i < count; i++) {
        const uint32_t *index = jsv_stack_item(&build->numbered, i);
        shapes[i] = i == JSV_SHAPE_PASS ? (struct jsv_shape){{JSV_AT_PASS}} : build->shapes[*index];
    }
    return shapes;
}

static void
describe_entries(struct jsv_program *program, const struct jsv_shape *shapes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        program->entries[i].passes = jsv_shape_passes(&shapes[i]);
        program->entries[i].op[JSV_TYPE_NONE] = &program->ops[JSV_AT_PASS];
        for (enum jsv_type type = JSV_TYPE_NULL; type <= JSV_TYPE_OBJECT; type++) {
            program->entries[i].op[type] = &program->ops[shapes[i].at[type]];
        }
    }
}

/* schema->program is set even when memory runs out. */
static int finish(struct jsv_build *build, struct jsv_program *program, uint32_t root)
{
    struct jsv_schema *schema = build->schema;
    struct jsv_shape *shapes = order_shapes(build);
    size_t shape_count = build->numbered.count;
    jsv_arena_done(&build->scratch); /* before the operations are copied */
    program->schema = schema;
    program->ops_size = build->ops.size;
    program->entries_size = shape_count * sizeof(*program->entries);
    program->ops = jsv_alloc(&schema->allocator, program->ops_size);
    program->entries = jsv_alloc(&schema->allocator, program->entries_size);
    schema->program = program;
    if (!shapes || !program->ops || !program->entries) {
        return -ENOMEM;
    }
    memcpy(program->ops, build->ops.data, build->ops.size);
    program->root = &program->entries[root];
    describe_entries(program, shapes, shape_count);
    size_t op_count = jsv_build_op_count(build);
    finish_ops(program, shapes, op_count);
    finish_functions(program, shapes, op_count);
    return jsv_choices_prepare(schema, shapes, program->ops, op_count);
}

/* ---- the whole ---- */

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
    return r < 0 ? r : finish(build, program, root);
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
