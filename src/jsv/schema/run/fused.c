/*
 * Reading and validating in one pass.
 *
 * A large text is read with a drain (reader.h). When it runs, the containers
 * that are still open form a path from the root down, and all else on the tape
 * is complete. As far down that path as the schema says nothing of a
 * container's contents but what each element or member has to be by itself,
 * those that are complete are judged there and then, while they are in the
 * cache, and let go: an element leaves nothing behind, and its array looks as
 * if it had never been there; a member leaves its key and, for an array or
 * object, a node of type NONE, which passes everywhere. Below a container of
 * which the schema says more (alternatives, unique items, what was not
 * evaluated, …) the tape stays, and is judged when its container is.
 *
 * At the end the program runs over what is left as over any document, and so
 * sees to what concerns a container as a whole, such as required members.
 *
 * All this only ever says "valid". When something does not hold, a limit is
 * met, or the text turns out to be no JSON, it is read again: reading first
 * and checking then has the word.
 */
#include "jsv/schema/run/fused.h"

#include <errno.h>
#include <string.h>

#include "jsv/json/reader.h"
#include "jsv/schema/program/build.h"
#include "jsv/schema/run/inside.h"

/*
 * Bytes of tape before the drain runs. They stay in the cache with the text
 * and the program, and are too few for the allocator to fetch them from the
 * system anew for each document.
 */
#define TAPE_SIZE ((size_t)64 << 10)

/* Bytes of tape that a byte of text comes to at most, as in "[[[[". */
#define TAPE_PER_BYTE sizeof(struct jsv_node)

struct fused {
    struct jsv_drain drain; /* the first, for judge() to find the rest */
    const struct jsv_program *program;
    struct jsv_validator *validator;
    int64_t steps; /* left of those for the whole text */
    size_t kept;   /* nodes that were left when the drain last ran */
    size_t judged; /* of these, at the beginning: values that end there need not be judged again */
    bool stopped;  /* something did not hold, or could not be judged */
};

/* What the schema says about the contents of an open container. */
struct inside {
    const struct jsv_op *op; /* says it of each; NULL: nothing is said */
    uint64_t least;          /* elements that must be there */
};

/* Whether an operation checks each value inside a container by itself. */
static bool is_by_part(enum jsv_op_code code)
{
    return code == JSV_OP_ITEMS || code == JSV_OP_MEMBERS || jsv_op_is_object(code);
}

/* False when the schema says what takes more than one value at a time. */
static bool find_inside(const struct jsv_op *op, enum jsv_type type, struct inside *ret_inside)
{
    struct inside inside = {0};
    for (; op->code != JSV_OP_PASS; op++) {
        const struct jsv_range *range = op->data;
        if (op->code == JSV_OP_COUNT && type == JSV_TYPE_ARRAY && range->max == UINT64_MAX) {
            inside.least = range->min > inside.least ? range->min : inside.least;
        } else if (is_by_part(op->code) && !inside.op) {
            inside.op = op;
        } else if (
            type != JSV_TYPE_OBJECT || /* whose keys stay, so both can wait */
            (op->code != JSV_OP_COUNT && op->code != JSV_OP_NAMES)) {
            return false;
        }
    }
    *ret_inside = inside;
    return true;
}

/* Check some elements, or members from their keys on. */
static bool run_part(
    struct jsv_validator *run,
    const struct jsv_op *op,
    const struct jsv_node *from,
    const struct jsv_node *end)
{
    if (op->code == JSV_OP_ITEMS) {
        return run_values(run, op->data, from, end, 0);
    }
    if (op->code == JSV_OP_MEMBERS) {
        return run_values(run, op->data, from + 1, end, 1);
    }
    for (const struct jsv_node *key = from; key < end; key = jsv_node_next(key + 1)) {
        if (!jsv_run_member(run, op->data, key)) {
            return false;
        }
    }
    return true;
}

/* The shape of a member of which only one thing is said; NULL when there are more, or in doubt. */
static const struct jsv_entry *find_member_entry(
    struct jsv_validator *run, const struct jsv_object *object, const struct jsv_node *key)
{
    const struct jsv_entry *entries = run->program->entries;
    const struct jsv_name_slot *name = jsv_names_slot(&object->names, run->document, key);
    name = name ? name : &object->extra;
    if (!(name->info & JSV_NAME_MORE)) {
        return &entries[name->at];
    }
    const struct jsv_entry *entry = name->info & JSV_NAME_LISTED ? &entries[name->at] : NULL;
    for (uint32_t i = 0; i < object->pattern_count; i++) {
        const struct jsv_object_pattern *pattern = &object->patterns[i];
        if (search(run, pattern->regex, key)) {
            if (entry) {
                return NULL;
            }
            entry = &entries[pattern->shape];
        }
    }
    return entry ? entry : &entries[object->extra.at];
}

/* The shape of an element, or of the member with that key; NULL as above. */
static const struct jsv_entry *
find_entry(struct jsv_validator *run, const struct inside *inside, const struct jsv_node *key)
{
    if (!inside->op) {
        return &run->program->entries[JSV_SHAPE_PASS];
    }
    if (inside->op->code == JSV_OP_ITEMS || inside->op->code == JSV_OP_MEMBERS) {
        return inside->op->data;
    }
    return find_member_entry(run, inside->op->data, key);
}

/* The path of open containers, on the way down: what is behind `from` goes to `to`. */
struct descent {
    struct jsv_node *nodes;
    struct jsv_node *to;
    const struct jsv_node *from;
    const struct jsv_node *end;
    uint32_t level;
    const struct jsv_entry *entry; /* NULL: from here on all stays */
};

/* Let go of elements, but for the first that it takes to have enough. @return how many stay */
static uint32_t drop_elements(struct descent *descent, const struct jsv_node *end, uint64_t least)
{
    uint32_t kept = 0;
    for (; descent->from < end && kept < least; kept++) {
        uint32_t skip = jsv_node_skip(descent->from);
        memmove(descent->to, descent->from, skip * sizeof(*descent->to));
        descent->to += skip;
        descent->from += skip;
    }
    descent->from = end;
    return kept;
}

/* Let go of what is inside members. */
static void drop_inside(struct descent *descent, const struct jsv_node *end)
{
    while (descent->from < end) {
        *descent->to++ = *descent->from++;
        const struct jsv_node *value = descent->from;
        descent->from = jsv_node_next(value);
        *descent->to++ =
            jsv_node_is_container(value) ? (struct jsv_node){.head = JSV_TYPE_NONE} : *value;
    }
}

/* The first element, or the key of the first member, that is not judged yet. */
static const struct jsv_node *find_new(
    const struct fused *fused,
    const struct descent *descent,
    const struct jsv_node *end,
    bool object)
{
    const struct jsv_node *judged = descent->nodes + fused->judged;
    const struct jsv_node *at = descent->from + 1;
    while (at < end && jsv_node_next(at + object) <= judged) {
        at = jsv_node_next(at + object);
    }
    return at;
}

/* Judge the contents of a container, but for the one that is open, and go on to that. */
static bool descend(struct fused *fused, struct jsv_reader *reader, struct descent *descent)
{
    struct jsv_validator *validator = fused->validator;
    struct jsv_frame *frame = &reader->frames[descent->level];
    bool innermost = descent->level == reader->depth;
    enum jsv_type type = jsv_node_type(descent->from);
    bool object = type == JSV_TYPE_OBJECT;
    const struct jsv_node *end = innermost ? descent->end : descent->nodes + frame[1].node - object;
    struct inside inside;
    if (!find_inside(descent->entry->op[type], type, &inside)) {
        descent->entry = NULL;
        return true;
    }
    /* more than the program takes for looking at what is inside: it must not seem cheaper here */
    validator->steps -= end - descent->from;
    validator->depth = (int64_t)validator->limits.depth_max - descent->level;
    const struct jsv_node *new = find_new(fused, descent, end, object);
    if (inside.op && !run_part(validator, inside.op, new, end)) {
        return false;
    }
    frame->node = (uint32_t)(descent->to - descent->nodes);
    *descent->to++ = *descent->from++;
    descent->entry = innermost ? NULL : find_entry(validator, &inside, end);
    descent->level++;
    if (!object) {
        frame->count = drop_elements(descent, end, inside.least) + 1; /* with the open one */
        return true;
    }
    drop_inside(descent, end);
    if (!innermost) { /* the key of the one that is open */
        *descent->to++ = *descent->from++;
    }
    return true;
}

/* Where decoded strings that are still needed end, counted from the end of the block. */
static size_t decoded_size(const struct jsv_node *node, const struct jsv_node *end)
{
    size_t size = 0;
    for (; node < end; node++) {
        if (jsv_node_type(node) == JSV_TYPE_STRING && jsv_node_flags(node) & JSV_NODE_ESCAPED) {
            size_t own = jsv_node_start(node) + sizeof(struct jsv_decoded);
            size = own > size ? own : size;
        }
    }
    return size;
}

/* Have the validator judge what is new on the tape. */
static void start_judging(struct fused *fused, struct jsv_reader *reader, size_t node_count)
{
    struct jsv_validator *validator = fused->validator;
    fused->steps += (int64_t)(validator->steps_per_value * (node_count - fused->kept));
    validator->steps = fused->steps;
    validator->error = 0;
    validator->round++; /* places are used again: what is remembered of them is void */
    validator->document = reader->document;
    validator->program = fused->program;
}

static int judge(struct jsv_drain *drain, struct jsv_reader *reader, size_t *node_count)
{
    struct fused *fused = (struct fused *)(void *)drain;
    struct jsv_node *nodes = (struct jsv_node *)(void *)reader->document->block;
    struct descent descent = {
        .nodes = nodes,
        .to = nodes,
        .from = nodes,
        .end = nodes + *node_count,
        .level = 1,
        .entry = fused->program->root,
    };
    start_judging(fused, reader, *node_count);
    while (descent.entry) {
        /* what could not be found out may hold all the same, under "not" and its like */
        if (!descend(fused, reader, &descent) || fused->validator->error) {
            fused->stopped = true;
            return -ECANCELED;
        }
    }
    fused->steps = fused->validator->steps;
    size_t rest = (size_t)(descent.end - descent.from);
    uint32_t moved = (uint32_t)(descent.from - descent.to);
    memmove(descent.to, descent.from, rest * sizeof(*nodes));
    for (; descent.level <= reader->depth; descent.level++) {
        reader->frames[descent.level].node -= moved;
    }
    fused->judged = (size_t)(descent.to - nodes);
    *node_count = fused->kept = fused->judged + rest;
    reader->decoded_size = decoded_size(nodes, nodes + *node_count);
    return 0;
}

/* Read first, then check. */
static int validate_whole(
    const struct jsv_schema *schema,
    struct jsv_str text,
    struct jsv_reader *reader,
    struct jsv_document *document,
    struct jsv_validator *validator,
    struct jsv_error *reterr_error)
{
    int r = jsv_read(reader, document, text, 0, reterr_error);
    return r < 0 ? r : jsv_validate(validator, schema, jsv_document_root(document));
}

int jsv_validate_drained(
    const struct jsv_schema *schema,
    struct jsv_str text,
    struct jsv_reader *reader,
    struct jsv_document *document,
    struct jsv_validator *validator,
    size_t tape_size,
    struct jsv_error *reterr_error)
{
    if (validator->is_sharing) { /* what one check has used, the next must know */
        return validate_whole(schema, text, reader, document, validator, reterr_error);
    }
    struct fused fused = {
        .drain = {tape_size, judge},
        .program = schema->program,
        .validator = validator,
        .steps = (int64_t)validator->limits.steps_max,
    };
    struct jsv_error error;
    reader->drain = &fused.drain;
    int r = jsv_read(reader, document, text, 0, &error);
    bool is_read = r == 0;
    reader->drain = NULL;
    if (is_read) {
        struct jsv_value root = jsv_document_root(document);
        int64_t steps = jsv_validator_wants(validator, root.node);
        r = jsv_validate(validator, schema, root);
        if (r == 1 && fused.kept > 0 && steps - validator->steps < fused.steps) {
            document->node_count = 0;
            return 1;
        }
    }
    if (fused.kept == 0 && !fused.stopped) { /* the drain never ran */
        if (!is_read && reterr_error) {
            *reterr_error = error;
        }
        return r;
    }
    return validate_whole(schema, text, reader, document, validator, reterr_error);
}

int jsv_validate_text(
    struct jsv_validator *validator,
    const struct jsv_schema *schema,
    struct jsv_reader *reader,
    struct jsv_document *document,
    struct jsv_str text,
    struct jsv_error *reterr_error)
{
    if (text.size <= TAPE_SIZE / TAPE_PER_BYTE) {
        return validate_whole(schema, text, reader, document, validator, reterr_error);
    }
    return jsv_validate_drained(schema, text, reader, document, validator, TAPE_SIZE, reterr_error);
}
