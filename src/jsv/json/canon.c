/*
 * Canonical forms: one text for all spellings of a value, so that equal values
 * have equal digests. No white space, members sorted by name, one spelling for
 * every string, and numbers as json.h says.
 *
 * The walk keeps the containers that are open on a stack; the sorted members
 * of the open objects are on another one, the innermost object's on top.
 */
#include <errno.h>

#include "jsv/base/text.h"
#include "jsv/json/node.h"
#include "jsv/json/sort.h"
#include "jsv/json/write.h"

struct frame {
    bool object;
    bool first; /* nothing in it is written yet */
    /* array: elements left */
    const struct jsv_node *next;
    const struct jsv_node *end;
    /* object: its members on the stack, and the first of them that is left */
    size_t members_start;
    size_t members_next;
    size_t members_end;
};

struct canon {
    const struct jsv_document *document;
    enum jsv_escape escape;
    struct jsv_buf *out;
    struct jsv_stack frames;
    struct jsv_members members;
};

static void write_text(const struct canon *canon, const struct jsv_node *string)
{
    jsv_escape_append(canon->out, jsv_string_text(canon->document, string), canon->escape);
}

/* Different decimals of so few significant digits are different doubles: none is shorter. */
#define EXACT_DIGITS_MAX 15

/* ECMAScript writes smaller numbers with an exponent: those with more zeros behind the point. */
#define LEADING_ZEROS_MAX 5

/*
 * Whether a decimal is spelled as its nearest double would be printed: without exponent and
 * trailing zeros, and short. Most are, and need not be taken apart and put together again.
 */
static bool is_spelled_shortest(struct jsv_str text)
{
    size_t at = text.data[0] == '-';
    size_t digits = 0; /* from the first that is not zero */
    size_t zeros = 0;  /* behind the point, before that */
    bool fraction = false;
    for (; at < text.size; at++) {
        char c = text.data[at];
        if (c == '.') {
            fraction = true;
        } else if (c < '0' || c > '9') {
            return false;
        } else if (c != '0' || digits > 0) {
            digits++;
        } else {
            zeros += fraction;
        }
    }
    return text.data[text.size - 1] != '0' && digits <= EXACT_DIGITS_MAX &&
           zeros <= LEADING_ZEROS_MAX;
}

static int write_number(const struct canon *canon, const struct jsv_node *node)
{
    struct jsv_str text_read = jsv_node_span(canon->document, node);
    if (!(jsv_node_flags(node) & JSV_NODE_DECIMAL) || is_spelled_shortest(text_read)) {
        jsv_put(canon->out, text_read.data, text_read.size);
        return canon->out->error;
    }
    double number = jsv_value_double((struct jsv_value){canon->document, node});
    if (!__builtin_isfinite(number)) {
        return -ERANGE;
    }
    char text[JSV_NUMBER_PRINT_MAX];
    return jsv_buf_append(canon->out, text, jsv_number_print(number, text));
}

static int write_scalar(const struct canon *canon, const struct jsv_node *node)
{
    switch (jsv_node_type(node)) {
    case JSV_TYPE_STRING:
        write_text(canon, node);
        return canon->out->error;
    case JSV_TYPE_NUMBER:
        return write_number(canon, node);
    case JSV_TYPE_NONE:
    case JSV_TYPE_NULL:
    case JSV_TYPE_BOOLEAN:
    case JSV_TYPE_ARRAY:
    case JSV_TYPE_OBJECT:
        break;
    }
    return jsv_buf_append_str(canon->out, jsv_node_span(canon->document, node));
}

static int open_container(struct canon *canon, const struct jsv_node *node)
{
    struct frame frame = {
        .object = jsv_node_type(node) == JSV_TYPE_OBJECT,
        .first = true,
        .next = node + 1,
        .end = jsv_node_next(node),
        .members_start = canon->members.sorted.count,
        .members_next = canon->members.sorted.count,
    };
    if (frame.object) {
        int r = jsv_members_push(&canon->members, (struct jsv_value){canon->document, node});
        if (r < 0) {
            return r;
        }
    }
    frame.members_end = canon->members.sorted.count;
    struct frame *top = jsv_stack_push(&canon->frames, 1);
    if (!top) {
        return -ENOMEM;
    }
    *top = frame;
    jsv_put(canon->out, frame.object ? "{" : "[", 1);
    return canon->out->error;
}

/* Write the comma and key before a container's next value. @return it; NULL at the end. */
static const struct jsv_node *next_value(struct canon *canon, struct frame *frame)
{
    bool left = frame->object ? frame->members_next < frame->members_end : frame->next < frame->end;
    if (!left) {
        return NULL;
    }
    if (!frame->first) {
        JSV_PUT(canon->out, ",");
    }
    frame->first = false;
    if (frame->object) {
        const struct jsv_node *key = jsv_members_key(&canon->members, frame->members_next++);
        write_text(canon, key);
        JSV_PUT(canon->out, ":");
        return key + 1;
    }
    const struct jsv_node *value = frame->next;
    frame->next = jsv_node_next(value);
    return value;
}

/* Close complete containers. @return the next value; NULL at the end. */
static const struct jsv_node *advance(struct canon *canon)
{
    while (canon->frames.count > 0) {
        struct frame *frame = jsv_stack_top(&canon->frames);
        const struct jsv_node *value = next_value(canon, frame);
        if (value) {
            return value;
        }
        jsv_put(canon->out, frame->object ? "}" : "]", 1);
        canon->members.sorted.count = frame->members_start;
        jsv_stack_pop(&canon->frames);
    }
    return NULL;
}

int jsv_canon_write(
    struct jsv_value value,
    enum jsv_canon form,
    struct jsv_arena *scratch,
    struct jsv_buf *out,
    struct jsv_value *reterr_fault)
{
    if (!value.node) {
        return jsv_buf_append_str(out, JSV_STR("null"));
    }
    struct canon canon = {
        .document = value.document,
        .escape = form == JSV_CANON_ASCII ? JSV_ESCAPE_ASCII : JSV_ESCAPE_MINIMAL,
        .out = out,
        .frames = jsv_stack_on(scratch, sizeof(struct frame)),
        .members = jsv_members_on(scratch),
    };
    for (const struct jsv_node *node = value.node; node; node = advance(&canon)) {
        int r =
            jsv_node_is_container(node) ? open_container(&canon, node) : write_scalar(&canon, node);
        if (r == -ERANGE && reterr_fault) {
            *reterr_fault = (struct jsv_value){value.document, node};
        }
        if (r < 0) {
            return r;
        }
    }
    return out->error;
}
