/*
 * The last steps of making a program, when all shapes are known: which types
 * pass where without a look, which operations can do with their shallow form,
 * and which members tell alternatives apart.
 */
#include <string.h>

#include "schema/choice.h"
#include "schema/program_build.h"

/* Put the types that pass by each name into its slot. @return whether types decide everything. */
static bool finish_object(const struct jsv_shape *shapes, struct jsv_object *object)
{
    /* what patterns may speak of goes to them at once, for whichever type */
    struct jsv_name_slot *extra = &object->extra;
    bool plain = object->pattern_count == 0 && object->names.simple;
    plain &= jsv_shape_is_plain(&shapes[extra->at]);
    extra->info |=
        jsv_shape_passes(&shapes[extra->info & JSV_NAME_MORE ? JSV_SHAPE_PASS : extra->at]);
    struct jsv_name_slot *slot = NULL;
    for (uint32_t n = 0; (slot = jsv_names_next(&object->names, slot)); n++) {
        plain &= jsv_shape_is_plain(&shapes[slot->at]);
        slot->info |= jsv_shape_passes(&shapes[slot->at]);
        if (n < JSV_NAMES_FEW) {
            object->few[n] = *slot;
        }
    }
    return plain;
}

/* What can be known of operations only when all shapes are made. */
static void
finish_ops(const struct jsv_program *program, const struct jsv_shape *shapes, size_t count)
{
    struct jsv_op *ops = program->ops;
    for (size_t i = 0; i < count; i++) {
        enum jsv_op_code code = ops[i].code;
        bool shallow = false;
        if (code == JSV_OP_ITEMS || code == JSV_OP_MEMBERS) {
            ops[i].data = &program->entries[ops[i].at];
            shallow = jsv_shape_is_plain(&shapes[ops[i].at]);
        } else if (code == JSV_OP_OBJECT || code == JSV_OP_OBJECT_FEW) {
            shallow = finish_object(shapes, (struct jsv_object *)(uintptr_t)ops[i].data);
        }
        ops[i].run = jsv_op_function_of(code, shallow && ops[i + 1].code == JSV_OP_PASS);
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
        program->entries[i].op[JSV_TYPE_NONE] = &program->ops[JSV_AT_FAIL];
        for (enum jsv_type type = JSV_TYPE_NULL; type <= JSV_TYPE_OBJECT; type++) {
            program->entries[i].op[type] = &program->ops[shapes[i].at[type]];
        }
    }
}

int jsv_build_finish(struct jsv_build *build, struct jsv_program *program)
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
    describe_entries(program, shapes, shape_count);
    finish_ops(program, shapes, jsv_build_op_count(build));
    return jsv_choices_prepare(schema, shapes, program->ops, jsv_build_op_count(build));
}
