/*
 * Applying a patch as diff.c makes them, in one pass over base.
 *
 * The operations are sorted by path with '/' taken as the smallest byte. Then
 * everything below one member is one range of the list, right behind the
 * operation on the member itself, so a path inside another one shows as a pair
 * of neighbours. The walk enters the objects that have a range of their own,
 * looks each member up in that range by bisection and copies what is not
 * mentioned. Names the range mentions and the object lacks are what is to be
 * added; they go behind the members, in the order of the patch.
 */
#include <errno.h>

#include "jsv/json/pointer.h"
#include "jsv/json/sort.h"
#include "jsv/json/stack.h"
#include "jsv/json/value.h"

enum kind {
    KIND_ADD,
    KIND_REMOVE,
    KIND_REPLACE,
    KIND_COUNT,
};

struct operation {
    enum kind kind;
    struct jsv_str path;
    struct jsv_value value;
};

/* Operations that stand together in the sorted list. */
struct range {
    size_t first;
    size_t end;
};

/* An object that is being copied. */
struct frame {
    struct jsv_iter members; /* those left */
    struct range range;      /* the operations below it */
    size_t token;            /* where in their paths a member's name begins */
};

struct patching {
    struct jsv_writer writer;
    struct operation *operations; /* in the order of the patch */
    size_t count;
    struct jsv_sort_item *sorted; /* the same by path */
    struct jsv_sort_item *added;  /* room for those that add to one object … */
    struct jsv_sort_item *spare;  /* … and for sorting */
    size_t *met;                  /* for each of sorted: token of the last name found in base */
    struct jsv_stack frames;      /* struct frame, the innermost on top */
    struct jsv_stack name;        /* char: a name that had to be escaped or unescaped */
};

static const struct operation *operation_at(const struct patching *patching, size_t index)
{
    return (const struct operation *)patching->sorted[index].item;
}

/* ---- the order of paths ---- */

/* Place of a byte in the order: '/' comes first. */
static unsigned rank(char c)
{
    unsigned byte = (unsigned char)c;
    return byte == '/' ? 0 : byte < '/' ? byte + 1 : byte;
}

static int compare_paths(struct jsv_str a, struct jsv_str b)
{
    size_t shared = a.size < b.size ? a.size : b.size;
    for (size_t i = 0; i < shared; i++) {
        if (a.data[i] != b.data[i]) {
            return rank(a.data[i]) < rank(b.data[i]) ? -1 : 1;
        }
    }
    return (a.size > b.size) - (a.size < b.size);
}

static int compare_operations(const void *context, const void *a, const void *b)
{
    (void)context;
    return compare_paths(((const struct operation *)a)->path, ((const struct operation *)b)->path);
}

/* The start of a path as a number that orders like it; the '/' all share is left out. */
static uint64_t path_word(struct jsv_str path)
{
    uint64_t word = 0;
    for (size_t i = 1; i <= sizeof(word); i++) {
        word = word << 8 | (i < path.size ? rank(path.data[i]) : 0);
    }
    return word;
}

/* Whether b is a, or below it. */
static bool is_within(struct jsv_str a, struct jsv_str b)
{
    return b.size >= a.size && memcmp(a.data, b.data, a.size) == 0 &&
           (b.size == a.size || b.data[a.size] == '/');
}

/* ---- reading the patch ---- */

static enum kind kind_from(struct jsv_str name)
{
    static const char *const names[KIND_COUNT] = {
        [KIND_ADD] = "add",
        [KIND_REMOVE] = "remove",
        [KIND_REPLACE] = "replace",
    };
    enum kind kind = 0;
    while (kind < KIND_COUNT && !jsv_str_equal(name, jsv_str_from(names[kind]))) {
        kind++;
    }
    return kind;
}

static bool read_operation(struct jsv_value item, struct operation *ret_operation)
{
    struct jsv_value path = jsv_value_get(item, JSV_STR("path"));
    struct operation operation = {
        .kind = kind_from(jsv_value_text(jsv_value_get(item, JSV_STR("op")))),
        .path = jsv_value_text(path),
        .value = jsv_value_get(item, JSV_STR("value")),
    };
    if (operation.kind == KIND_COUNT || jsv_value_type(path) != JSV_TYPE_STRING ||
        !jsv_pointer_is_valid(operation.path) ||
        (operation.kind != KIND_REMOVE && !operation.value.node)) {
        return false;
    }
    *ret_operation = operation;
    return true;
}

static int allocate(struct patching *patching, struct jsv_arena *scratch)
{
    size_t count = patching->count;
    patching->operations = jsv_arena_array(scratch, count, sizeof(*patching->operations));
    patching->sorted = jsv_arena_array(scratch, count, sizeof(*patching->sorted));
    patching->added = jsv_arena_array(scratch, count, sizeof(*patching->added));
    patching->spare = jsv_arena_array(scratch, count, sizeof(*patching->spare));
    patching->met = jsv_arena_array(scratch, count, sizeof(*patching->met));
    if (!patching->operations || !patching->sorted || !patching->added || !patching->spare ||
        !patching->met) {
        return -ENOMEM;
    }
    memset(patching->met, 0, count * sizeof(*patching->met));
    return 0;
}

static int read_patch(struct patching *patching, struct jsv_value patch)
{
    size_t at = 0;
    struct jsv_iter iter = jsv_value_iter(patch);
    while (jsv_iter_next(&iter)) {
        struct operation *operation = &patching->operations[at];
        if (!read_operation(iter.value, operation)) {
            return -EINVAL;
        }
        patching->sorted[at++] = (struct jsv_sort_item){path_word(operation->path), operation};
    }
    jsv_sort(patching->sorted, patching->spare, at, compare_operations, NULL);
    for (size_t i = 1; i < at; i++) {
        if (is_within(operation_at(patching, i - 1)->path, operation_at(patching, i)->path)) {
            return -EINVAL;
        }
    }
    return 0;
}

/* ---- looking members up ---- */

/* Order of an escaped name and the token that begins at `token` of a path. */
static int compare_name(struct jsv_str name, struct jsv_str path, size_t token)
{
    struct jsv_str rest = {path.data + token, path.size - token};
    if (rest.size > name.size && rest.data[name.size] == '/') {
        rest.size = name.size;
    }
    return compare_paths(name, rest);
}

/* The first operation of the frame whose token is not below the name; or, past, is above it. */
static size_t
bisect(const struct patching *patching, const struct frame *frame, struct jsv_str name, bool past)
{
    size_t low = frame->range.first;
    size_t high = frame->range.end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_name(name, operation_at(patching, middle)->path, frame->token);
        if (order > 0 || (past && order == 0)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* A name as it stands in a path; valid until the next call. */
static int escape_name(struct patching *patching, struct jsv_str name, struct jsv_str *ret_escaped)
{
    size_t size = jsv_pointer_escaped_size(name);
    if (size == name.size) {
        *ret_escaped = name;
        return 0;
    }
    patching->name.count = 0;
    char *escaped = jsv_stack_push(&patching->name, size);
    if (!escaped) {
        return -ENOMEM;
    }
    jsv_pointer_escape(name, escaped);
    *ret_escaped = (struct jsv_str){escaped, size};
    return 0;
}

/* ---- copying ---- */

static void write_member(struct patching *patching, struct jsv_value key, struct jsv_value value)
{
    jsv_write_value(&patching->writer, key);
    jsv_buf_append_byte(patching->writer.out, ':');
    jsv_write_value(&patching->writer, value);
}

static int
enter(struct patching *patching, struct jsv_value value, struct range range, size_t token)
{
    enum jsv_type type = jsv_value_type(value);
    if (type != JSV_TYPE_OBJECT && type != JSV_TYPE_NONE) {
        return type == JSV_TYPE_ARRAY ? -EINVAL : -ENOENT;
    }
    struct frame *frame = jsv_stack_push(&patching->frames, 1);
    if (!frame) {
        return -ENOMEM;
    }
    *frame = (struct frame){jsv_value_iter(value), range, token};
    jsv_write_object_begin(&patching->writer);
    return 0;
}

/* Copy the frame's current member as the operations below the frame want it. */
static int copy_member(struct patching *patching, const struct frame *frame)
{
    struct jsv_value key = frame->members.key;
    struct jsv_value value = frame->members.value;
    struct jsv_str name;
    int r = escape_name(patching, jsv_value_text(key), &name);
    if (r < 0) {
        return r;
    }
    struct range range = {
        bisect(patching, frame, name, false), bisect(patching, frame, name, true)};
    if (range.first == range.end) {
        write_member(patching, key, value);
        return 0;
    }
    for (size_t i = range.first; i < range.end; i++) {
        patching->met[i] = frame->token;
    }
    const struct operation *operation = operation_at(patching, range.first);
    size_t behind_name = frame->token + name.size;
    if (operation->path.size > behind_name) {
        jsv_write_value(&patching->writer, key);
        jsv_buf_append_byte(patching->writer.out, ':');
        return enter(patching, value, range, behind_name + 1);
    }
    if (operation->kind != KIND_REMOVE) {
        write_member(patching, key, operation->value);
    }
    return 0;
}

static int add_member(struct patching *patching, const struct operation *operation, size_t token)
{
    struct jsv_str escaped = {operation->path.data + token, operation->path.size - token};
    patching->name.count = 0;
    char *name = jsv_stack_push(&patching->name, escaped.size + 1);
    if (!name) {
        return -ENOMEM;
    }
    size_t size = (size_t)(jsv_pointer_unescape(escaped, name) - name);
    jsv_write_member_value(&patching->writer, (struct jsv_str){name, size}, operation->value);
    return 0;
}

/* Add the members that base does not have. */
static int add_members(struct patching *patching, const struct frame *frame)
{
    size_t count = 0;
    for (size_t i = frame->range.first; i < frame->range.end; i++) {
        const struct operation *operation = operation_at(patching, i);
        if (patching->met[i] >= frame->token) {
            continue;
        }
        struct jsv_str path = operation->path;
        if (operation->kind != KIND_ADD ||
            memchr(path.data + frame->token, '/', path.size - frame->token)) {
            return -ENOENT;
        }
        uint64_t place = (uint64_t)(operation - patching->operations);
        patching->added[count++] = (struct jsv_sort_item){place, operation};
    }
    jsv_sort(patching->added, patching->spare, count, compare_operations, NULL);
    for (size_t i = 0; i < count; i++) {
        int r =
            add_member(patching, (const struct operation *)patching->added[i].item, frame->token);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

/* Copy one more member of the innermost object, or close it. */
static int copy_step(struct patching *patching)
{
    struct frame *frame = jsv_stack_top(&patching->frames);
    int r;
    if (jsv_iter_next(&frame->members)) {
        r = copy_member(patching, frame);
    } else {
        r = add_members(patching, frame);
        jsv_write_object_end(&patching->writer);
        jsv_stack_pop(&patching->frames);
    }
    return r < 0 ? r : patching->writer.out->error;
}

static int replace_root(struct patching *patching)
{
    const struct operation *operation = operation_at(patching, 0);
    if (operation->kind == KIND_REMOVE) {
        return -EINVAL;
    }
    jsv_write_value(&patching->writer, operation->value);
    return patching->writer.out->error;
}

int jsv_diff_apply(
    struct jsv_value base, struct jsv_value patch, struct jsv_arena *scratch, struct jsv_buf *out)
{
    if (jsv_value_type(patch) != JSV_TYPE_ARRAY) {
        return -EINVAL;
    }
    struct patching patching = {
        .writer = jsv_writer_on(out),
        .count = jsv_value_count(patch),
        .frames = jsv_stack_on(scratch, sizeof(struct frame)),
        .name = jsv_stack_on(scratch, sizeof(char)),
    };
    if (patching.count == 0 && base.node) {
        jsv_write_value(&patching.writer, base);
        return out->error;
    }
    int r = allocate(&patching, scratch);
    if (r == 0) {
        r = read_patch(&patching, patch);
    }
    if (r < 0) {
        return r;
    }
    if (patching.count > 0 && operation_at(&patching, 0)->path.size == 0) {
        return replace_root(&patching);
    }
    r = enter(&patching, base, (struct range){0, patching.count}, 1);
    while (r == 0 && patching.frames.count > 0) {
        r = copy_step(&patching);
    }
    return r;
}
