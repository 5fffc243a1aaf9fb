/*
 * Differences. Two objects are compared member by member; anything else that
 * is not equal is replaced whole. Objects are not tested for equality first, so
 * every value is looked at once, at any depth.
 *
 * The operations come out sorted by the bytes of their paths although no list
 * of paths is ever made. At one object, the changes are sorted by the token
 * each adds to the path, escaped, and with a '/' behind it when an object is
 * entered: the bytes that decide the order of two paths here ("a!" goes
 * behind "a" but before "a/x"). A stack holds the changes left, the next on
 * top, so changes inside an object come before those behind it. No path occurs
 * twice, so this order is complete.
 */
#include <errno.h>

#include "jsv/json/equal.h"
#include "jsv/json/node.h"
#include "jsv/json/pointer.h"
#include "jsv/json/sort.h"

enum kind {
    KIND_ADD,
    KIND_REMOVE,
    KIND_REPLACE,
    KIND_ENTER, /* both are objects: look inside */
};

static const char *const operations[] = {
    [KIND_ADD] = "add",
    [KIND_REMOVE] = "remove",
    [KIND_REPLACE] = "replace",
};

struct change {
    enum kind kind;
    const struct jsv_node *base; /* the values; NULL where there is none */
    const struct jsv_node *target;
    struct jsv_str token; /* escaped; with '/' behind it to enter */
    size_t path_size;     /* of the object that holds them */
};

struct diff {
    const struct jsv_document *base;
    const struct jsv_document *target;
    struct jsv_arena *scratch;
    struct jsv_writer writer;
    struct jsv_stack path; /* char */
    struct jsv_stack work; /* struct change, the next one on top */
    struct jsv_equality equality;
    struct jsv_members members; /* of the two objects being compared */
    struct jsv_stack changes;   /* struct change: what was found in them … */
    struct jsv_stack order;     /* … and struct jsv_sort_item to sort it by */
};

/* A missing value counts as {}. */
static bool is_object(struct jsv_value value)
{
    return !value.node || jsv_node_type(value.node) == JSV_TYPE_OBJECT;
}

/* ---- finding changes ---- */

static int make_token(struct diff *diff, struct jsv_str name, bool enter, struct jsv_str *ret_token)
{
    size_t size = jsv_pointer_escaped_size(name) + enter;
    if (size == name.size) {
        *ret_token = name;
        return 0;
    }
    char *token = jsv_arena_alloc(diff->scratch, size);
    if (!token) {
        return -ENOMEM;
    }
    char *end = jsv_pointer_escape(name, token);
    if (enter) {
        *end = '/';
    }
    *ret_token = (struct jsv_str){token, size};
    return 0;
}

static int note_change(struct diff *diff, struct change change, struct jsv_str name)
{
    change.path_size = diff->path.count;
    int r = make_token(diff, name, change.kind == KIND_ENTER, &change.token);
    if (r < 0) {
        return r;
    }
    struct change *noted = jsv_stack_push(&diff->changes, 1);
    if (!noted) {
        return -ENOMEM;
    }
    *noted = change;
    return 0;
}

static int note_removed(struct diff *diff, const struct jsv_node *key)
{
    struct change change = {.kind = KIND_REMOVE, .base = key + 1};
    return note_change(diff, change, jsv_string_text(diff->base, key));
}

static int note_added(struct diff *diff, const struct jsv_node *key)
{
    struct change change = {.kind = KIND_ADD, .target = key + 1};
    return note_change(diff, change, jsv_string_text(diff->target, key));
}

/* Compare the values of a member that both objects have. */
static int compare_values(
    struct diff *diff, const struct jsv_node *base_key, const struct jsv_node *target_key)
{
    struct jsv_value base = {diff->base, base_key + 1};
    struct jsv_value target = {diff->target, target_key + 1};
    struct change change = {.kind = KIND_ENTER, .base = base.node, .target = target.node};
    if (!is_object(base) || !is_object(target)) {
        change.kind = KIND_REPLACE;
        int r = jsv_equality_test(&diff->equality, base, target);
        if (r != 0) {
            return r < 0 ? r : 0;
        }
    }
    return note_change(diff, change, jsv_string_text(diff->target, target_key));
}

static int compare_keys(
    const struct diff *diff, const struct jsv_node *base_key, const struct jsv_node *target_key)
{
    if (jsv_strings_equal(diff->base, base_key, diff->target, target_key)) {
        return 0;
    }
    return jsv_str_compare(
        jsv_string_text(diff->base, base_key), jsv_string_text(diff->target, target_key));
}

/* Merge members [0, middle), which are base's, with those behind, which are target's. */
static int merge_members(struct diff *diff, size_t middle)
{
    const struct jsv_members *members = &diff->members;
    size_t base = 0;
    size_t target = middle;
    int r = 0;
    while (r == 0 && base < middle && target < members->sorted.count) {
        const struct jsv_node *base_key = jsv_members_key(members, base);
        const struct jsv_node *target_key = jsv_members_key(members, target);
        int order = compare_keys(diff, base_key, target_key);
        base += order <= 0;
        target += order >= 0;
        r = order < 0   ? note_removed(diff, base_key)
            : order > 0 ? note_added(diff, target_key)
                        : compare_values(diff, base_key, target_key);
    }
    while (r == 0 && base < middle) {
        r = note_removed(diff, jsv_members_key(members, base++));
    }
    while (r == 0 && target < members->sorted.count) {
        r = note_added(diff, jsv_members_key(members, target++));
    }
    return r;
}

static int compare_objects(struct diff *diff, struct jsv_value base, struct jsv_value target)
{
    diff->changes.count = 0;
    diff->members.sorted.count = 0;
    int r = jsv_members_push(&diff->members, base);
    if (r < 0) {
        return r;
    }
    size_t middle = diff->members.sorted.count;
    r = jsv_members_push(&diff->members, target);
    return r < 0 ? r : merge_members(diff, middle);
}

/* ---- putting them in order ---- */

static int compare_tokens(const void *context, const void *a, const void *b)
{
    (void)context;
    return jsv_str_compare(((const struct change *)a)->token, ((const struct change *)b)->token);
}

/* Move the changes that were found to the stack of work, the first in path order on top. */
static int schedule_changes(struct diff *diff)
{
    size_t count = diff->changes.count;
    if (count == 0) {
        return 0;
    }
    diff->order.count = 0;
    struct jsv_sort_item *order = jsv_stack_push(&diff->order, 2 * count);
    struct change *work = jsv_stack_push(&diff->work, count);
    if (!order || !work) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        const struct change *change = jsv_stack_item(&diff->changes, i);
        uint64_t prefix = jsv_prefix(change->token.data, change->token.size);
        order[i] = (struct jsv_sort_item){jsv_sort_word(prefix), change};
    }
    jsv_sort(order, order + count, count, compare_tokens, NULL);
    for (size_t i = 0; i < count; i++) {
        work[i] = *(const struct change *)order[count - 1 - i].item;
    }
    return 0;
}

static int enter_objects(struct diff *diff, struct jsv_value base, struct jsv_value target)
{
    int r = compare_objects(diff, base, target);
    return r < 0 ? r : schedule_changes(diff);
}

/* ---- writing ---- */

static void write_operation(struct diff *diff, enum kind kind, struct jsv_value value)
{
    struct jsv_writer *writer = &diff->writer;
    jsv_write_object_begin(writer);
    jsv_write_member_string(writer, JSV_STR("op"), jsv_str_from(operations[kind]));
    jsv_write_member_string(
        writer, JSV_STR("path"), (struct jsv_str){diff->path.items, diff->path.count});
    if (kind != KIND_REMOVE) {
        jsv_write_key(writer, JSV_STR("value"));
        if (value.node) {
            jsv_write_value(writer, value);
        } else {
            jsv_write_span(writer, JSV_STR("{}"));
        }
    }
    jsv_write_object_end(writer);
}

static int go_to(struct diff *diff, const struct change *change)
{
    size_t token_size = change->token.size - (change->kind == KIND_ENTER);
    diff->path.count = change->path_size;
    char *end = jsv_stack_push(&diff->path, 1 + token_size);
    if (!end) {
        return -ENOMEM;
    }
    *end = '/';
    memcpy(end + 1, change->token.data, token_size);
    return 0;
}

static int perform(struct diff *diff, struct change change)
{
    int r = go_to(diff, &change);
    if (r < 0) {
        return r;
    }
    struct jsv_value target = {diff->target, change.target};
    if (change.kind == KIND_ENTER) {
        return enter_objects(diff, (struct jsv_value){diff->base, change.base}, target);
    }
    write_operation(diff, change.kind, target);
    return diff->writer.out->error;
}

static int compare_roots(struct diff *diff, struct jsv_value base, struct jsv_value target)
{
    if (is_object(base) && is_object(target)) {
        return enter_objects(diff, base, target);
    }
    int r = jsv_equality_test(&diff->equality, base, target);
    if (r == 0) {
        write_operation(diff, KIND_REPLACE, target);
    }
    return r < 0 ? r : 0;
}

int jsv_diff_write(
    struct jsv_value base, struct jsv_value target, struct jsv_arena *scratch, struct jsv_buf *out)
{
    struct diff diff = {
        .base = base.document,
        .target = target.document,
        .scratch = scratch,
        .writer = jsv_writer_on(out),
        .path = jsv_stack_on(scratch, sizeof(char)),
        .work = jsv_stack_on(scratch, sizeof(struct change)),
        .equality = jsv_equality_on(scratch),
        .members = jsv_members_on(scratch),
        .changes = jsv_stack_on(scratch, sizeof(struct change)),
        .order = jsv_stack_on(scratch, sizeof(struct jsv_sort_item)),
    };
    jsv_write_array_begin(&diff.writer);
    int r = compare_roots(&diff, base, target);
    while (r == 0 && diff.work.count > 0) {
        r = perform(&diff, *(const struct change *)jsv_stack_pop(&diff.work));
    }
    jsv_write_array_end(&diff.writer);
    return r < 0 ? r : out->error;
}
