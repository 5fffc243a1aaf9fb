/*
 * The last steps of making a program, when all shapes are known: which types
 * pass where without a look, which operations can do with less than their
 * thorough form, and which members tell alternatives apart.
 */
#include <string.h>

#include "jsv/schema/program/build.h"
#include "jsv/schema/program/choice.h"

/* Put what passes by each name into its slot. @return the form that is enough. */
static enum jsv_form finish_object(const struct jsv_shape *shapes, struct jsv_object *object)
{
    /* what patterns may speak of goes to them at once, for whichever type */
    struct jsv_name_slot *extra = &object->extra;
    bool plain = jsv_shape_is_plain(&shapes[extra->at]);
    extra->info |=
        jsv_shape_passes(&shapes[extra->info & JSV_NAME_MORE ? JSV_SHAPE_PASS : extra->at]);
    uint32_t passing = extra->info;
    bool open = extra->info & JSV_PASSES_ANY;
    struct jsv_name_slot *slot = NULL;
    for (uint32_t n = 0; (slot = jsv_names_next(&object->names, slot)); n++) {
        plain &= jsv_shape_is_plain(&shapes[slot->at]);
        slot->info |= jsv_shape_passes(&shapes[slot->at]);
        passing |= slot->info;
        if (n < JSV_NAMES_FEW) {
            object->few[n] = *slot;
        }
    }
    if (!plain) {
        return JSV_FORM_LAST;
    }
    if (passing & JSV_PASSES_CONTAINER) {
        return JSV_FORM_SHALLOW;
    }
    /* as many as a node can tell */
    bool exact = !open && object->required_count == object->names.count &&
                 object->required_count < JSV_COUNT_MANY;
    return exact ? JSV_FORM_EXACT : JSV_FORM_FLAT;
}

/* The function of the last operation of a list, in this form if there is such a function. */
static jsv_op_function *last_function(enum jsv_op_code code, enum jsv_form form)
{
    jsv_op_function *function = jsv_op_function_of(code, form);
    function = function ? function : jsv_op_function_of(code, JSV_FORM_LAST);
    return function ? function : jsv_op_function_of(code, JSV_FORM_THOROUGH);
}

/* What can be known of operations only when all shapes are made. */
static void
finish_ops(const struct jsv_program *program, const struct jsv_shape *shapes, size_t count)
{
    struct jsv_op *ops = program->ops;
    for (size_t i = 0; i < count; i++) {
        enum jsv_op_code code = ops[i].code;
        enum jsv_form form = JSV_FORM_LAST;
        if (code == JSV_OP_ITEMS || code == JSV_OP_MEMBERS) {
            ops[i].data = &program->entries[ops[i].at];
            form = jsv_shape_is_plain(&shapes[ops[i].at]) ? JSV_FORM_SHALLOW : JSV_FORM_LAST;
        } else if (jsv_op_is_object(code)) {
            form = finish_object(shapes, (struct jsv_object *)(uintptr_t)ops[i].data);
        }
        ops[i].run = code == JSV_OP_PASS || ops[i + 1].code != JSV_OP_PASS
                         ? jsv_op_function_of(code, JSV_FORM_THOROUGH)
                         : last_function(code, form);
    }
}

/* Whether a shape fails all values but those of a type. */
static bool is_only(const struct jsv_shape *shape, enum jsv_type only)
{
    for (enum jsv_type type = JSV_TYPE_NULL; type <= JSV_TYPE_OBJECT; type++) {
        if (type != only && shape->at[type] != JSV_AT_FAIL) {
            return false;
        }
    }
    return true;
}

/* Whether a list is about an array's elements, all scalars, and perhaps their number. */
static bool is_flat_array(const struct jsv_op *list)
{
    const struct jsv_op *items = list->code == JSV_OP_COUNT ? list + 1 : list;
    return items->run == jsv_op_function_of(JSV_OP_ITEMS, JSV_FORM_SHALLOW) &&
           !(((const struct jsv_entry *)items->data)->passes & JSV_PASSES_CONTAINER);
}

/* The form of an operation on all elements, of this shape, when they are leaves. */
static enum jsv_form nested_form(const struct jsv_shape *shape, const struct jsv_entry *entry)
{
    const struct jsv_op *object = entry->op[JSV_TYPE_OBJECT];
    if (is_only(shape, JSV_TYPE_ARRAY) && is_flat_array(entry->op[JSV_TYPE_ARRAY])) {
        return JSV_FORM_OF_ARRAYS;
    }
    if (!is_only(shape, JSV_TYPE_OBJECT)) {
        return JSV_FORM_THOROUGH;
    }
    if (object->run == jsv_op_function_of(JSV_OP_OBJECT, JSV_FORM_FLAT)) {
        return JSV_FORM_OF_OBJECTS;
    }
    return object->run == jsv_op_function_of(JSV_OP_OBJECT, JSV_FORM_EXACT) ? JSV_FORM_OF_EXACT
                                                                            : JSV_FORM_THOROUGH;
}

/* Give operations on arrays of leaves their form, when the leaves have theirs. */
static void
finish_nested(const struct jsv_program *program, const struct jsv_shape *shapes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct jsv_op *op = &program->ops[i];
        if (op->code == JSV_OP_ITEMS && op[1].code == JSV_OP_PASS) {
            enum jsv_form form = nested_form(&shapes[op->at], op->data);
            op->run = form == JSV_FORM_THOROUGH ? op->run : jsv_op_function_of(op->code, form);
        }
    }
}

/* The shapes that were given a number, by it. */
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

/* Fill in the shapes as they are run. */
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

int jsv_build_finish(struct jsv_build *build, struct jsv_program *program, uint32_t root)
{
    struct jsv_schema *schema = build->schema;
    struct jsv_shape *shapes = order_shapes(build);
    size_t shape_count = build->numbered.count;
    jsv_arena_done(&build->scratch); /* the rest is needed twice */
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
    finish_nested(program, shapes, op_count);
    return jsv_choices_prepare(schema, shapes, program->ops, op_count);
}
