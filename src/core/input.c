/*
 * The schema's verdict is taken as it is; only its words are changed to those
 * a caller of a tool expects: "missing" is said of the parameter, not of the
 * object that lacks it, and in the descriptor's own words where it has some.
 * A parameter that has such words is missed at once, whatever else is wrong.
 */
#include "core/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct rewording {
    struct dialect_request *request;
    struct jsv_value absent; /* pointer: text */
    struct jsv_problem *items;
    size_t count;
    size_t absent_count; /* these come first */
};

/* "/schema" for "" and schema. NULL data when memory ran out. */
static struct jsv_str
place_of_member(struct jsv_arena *scratch, struct jsv_str path, struct jsv_str member)
{
    struct jsv_buf pointer;
    jsv_buf_init(&pointer, NULL, path.size + 2 * member.size + 1);
    jsv_buf_append_str(&pointer, path);
    jsv_pointer_push(&pointer, member);
    char *place = pointer.error == 0 ? jsv_arena_alloc(scratch, pointer.size) : NULL;
    struct jsv_str result = {place, place ? pointer.size : 0};
    if (place) {
        memcpy(place, pointer.data, pointer.size);
    }
    jsv_buf_done(&pointer);
    return result;
}

static bool is_required(const struct jsv_problem *problem)
{
    return jsv_str_equal(problem->keyword, JSV_STR("required"));
}

static bool is_absent(struct jsv_value value)
{
    enum jsv_type type = jsv_value_type(value);
    return type == JSV_TYPE_NONE || type == JSV_TYPE_NULL ||
           (type == JSV_TYPE_STRING && jsv_value_text(value).size == 0);
}

static int reword(struct rewording *rewording, const struct jsv_problem *problem)
{
    struct jsv_problem *item = &rewording->items[rewording->count++];
    struct dialect_request *request = rewording->request;
    *item = *problem;
    if (is_required(problem)) {
        item->path = place_of_member(request->scratch, problem->path, problem->member);
        if (!item->path.data) {
            return -ENOMEM;
        }
    }
    struct jsv_value text = jsv_value_get(rewording->absent, item->path);
    struct jsv_value value = {0};
    int r = jsv_pointer_get(request->arguments, item->path, &value);
    if (jsv_value_type(text) == JSV_TYPE_STRING && (r < 0 || is_absent(value))) {
        struct jsv_problem absent = *item;
        absent.message = jsv_value_text(text);
        *item = rewording->items[rewording->absent_count];
        rewording->items[rewording->absent_count++] = absent;
    }
    return 0;
}

static int compare_problems(const void *a, const void *b)
{
    const struct jsv_problem *first = a;
    const struct jsv_problem *second = b;
    int order = jsv_str_compare(first->path, second->path);
    return order ? order : jsv_str_compare(first->message, second->message);
}

static int reword_all(struct dialect_request *request, struct jsv_problems *problems)
{
    struct rewording rewording = {
        .request = request,
        .absent = jsv_value_get(request->tool->value, JSV_STR("absent")),
        .items = jsv_arena_array(request->scratch, problems->count, sizeof(*problems->items)),
    };
    if (!rewording.items) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < problems->count; i++) {
        int r = reword(&rewording, &problems->items[i]);
        if (r < 0) {
            return r;
        }
    }
    problems->items = rewording.items;
    problems->count = rewording.absent_count > 0 ? rewording.absent_count : rewording.count;
    qsort(rewording.items, problems->count, sizeof(*rewording.items), compare_problems);
    return 0;
}

int core_input_check(struct dialect_request *request, struct jsv_problems *ret_problems)
{
    const struct jsv_schema *schema;
    struct jsv_str reason;
    int r = catalog_tool_input(request->catalog, request->tool, &schema, &reason);
    if (r < 0) {
        return r;
    }
    r = jsv_validate_report(request->validator, schema, request->arguments, ret_problems);
    return r != 0 ? r : reword_all(request, ret_problems);
}
