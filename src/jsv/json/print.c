/*
 * Writing what was read, token by token, every token as it was spelled.
 *
 * The tape lists opening brackets, keys and scalars, but not where containers
 * close. A stack of open containers would need memory, and writing must not
 * fail for lack of it, so the closing brackets are found in the text between
 * one token of the tape and the next. That text may also hold members that
 * JSV_READ_LAST_WINS has dropped from the tape; they are skipped.
 */
#include "jsv/json/node.h"
#include "jsv/json/write.h"

enum token {
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_KEY,
    TOKEN_SCALAR,
    TOKEN_NONE, /* before the first */
};

struct walk {
    const struct jsv_document *document;
    const struct jsv_node *next; /* first node that was not given out */
    const struct jsv_node *end;
    struct jsv_str next_span; /* of that node; at the end, nothing behind the value */
    const char *at;           /* behind the last token */
    const char *limit;        /* behind the value's last character */
    enum token before;        /* the token before this one */
    enum token token;
    struct jsv_str text; /* of the token */
};

static struct walk walk_on(struct jsv_value value)
{
    struct jsv_str span = jsv_value_span(value);
    return (struct walk){
        .document = value.document,
        .next = value.node,
        .end = jsv_node_next(value.node),
        .next_span = span,
        .at = span.data,
        .limit = span.data + span.size,
        .token = TOKEN_NONE,
    };
}

/* The closing quote of the string that opens at quote. */
static const char *string_end(const char *quote)
{
    do {
        quote += *quote == '\\' ? 2 : 1;
    } while (*quote != '"');
    return quote;
}

/* The first bracket in the text between two tokens that closes an open container; or NULL. */
static const char *find_close(const char *from, const char *to)
{
    size_t dropped_depth = 0;
    for (const char *at = from; at < to; at++) {
        switch (*at) {
        case '"':
            at = string_end(at);
            break;
        case '[':
        case '{':
            dropped_depth++;
            break;
        case ']':
        case '}':
            if (dropped_depth == 0) {
                return at;
            }
            dropped_depth--;
            break;
        default:
            break;
        }
    }
    return NULL;
}

static bool is_white(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Whether a string that ends before `at` is a member's name. */
static bool is_key(const char *at, const char *limit)
{
    while (at < limit && is_white(*at)) {
        at++;
    }
    return at < limit && *at == ':';
}

static enum token token_of(const struct walk *walk, const struct jsv_node *node)
{
    if (jsv_node_is_container(node)) {
        return TOKEN_OPEN;
    }
    bool string = jsv_node_type(node) == JSV_TYPE_STRING;
    return string && is_key(walk->at, walk->limit) ? TOKEN_KEY : TOKEN_SCALAR;
}

/* The closing bracket becomes the token. */
static void take_close(struct walk *walk, const char *close)
{
    walk->token = TOKEN_CLOSE;
    walk->text = (struct jsv_str){close, 1};
    walk->at = close + 1;
}

/* The next node becomes the token. */
static void take_node(struct walk *walk)
{
    const struct jsv_node *node = walk->next++;
    walk->text = walk->next_span;
    if (jsv_node_is_container(node)) {
        walk->text.size = 1;
    }
    walk->at = walk->text.data + walk->text.size;
    walk->token = token_of(walk, node);
    walk->next_span = walk->next < walk->end ? jsv_node_span(walk->document, walk->next)
                                             : (struct jsv_str){walk->limit, 0};
}

/* Go to the next token. False when there is none. */
static bool walk_step(struct walk *walk)
{
    walk->before = walk->token;
    const char *close = find_close(walk->at, walk->next_span.data);
    if (close) {
        take_close(walk, close);
    } else if (walk->next < walk->end) {
        take_node(walk);
    } else {
        return false;
    }
    return true;
}

/* Whether the token before this one ended a value, so that a comma belongs between them. */
static bool needs_comma(const struct walk *walk)
{
    return walk->token != TOKEN_CLOSE &&
           (walk->before == TOKEN_SCALAR || walk->before == TOKEN_CLOSE);
}

/* ---- compact: adjacent text is copied at once ---- */

struct copy {
    struct jsv_buf *out;
    const char *from; /* not copied yet */
    const char *to;
};

static void copy_flush(struct copy *copy)
{
    jsv_buf_append(copy->out, copy->from, (size_t)(copy->to - copy->from));
    copy->from = copy->to;
}

static void copy_text(struct copy *copy, struct jsv_str text)
{
    if (text.data != copy->to) {
        copy_flush(copy);
        copy->from = text.data;
    }
    copy->to = text.data + text.size;
}

/* A comma or colon. It is inside a container, so there is more text behind copy->to. */
static void copy_byte(struct copy *copy, char byte)
{
    if (*copy->to == byte) {
        copy->to++;
    } else {
        copy_flush(copy);
        jsv_buf_append_byte(copy->out, byte);
    }
}

static void write_compact(struct jsv_buf *out, struct jsv_value value)
{
    struct walk walk = walk_on(value);
    struct copy copy = {.out = out, .from = walk.at, .to = walk.at};
    while (walk_step(&walk)) {
        if (needs_comma(&walk)) {
            copy_byte(&copy, ',');
        }
        copy_text(&copy, walk.text);
        if (walk.token == TOKEN_KEY) {
            copy_byte(&copy, ':');
        }
    }
    copy_flush(&copy);
}

void jsv_write_value(struct jsv_writer *writer, struct jsv_value value)
{
    if (!value.node) {
        jsv_write_null(writer);
        return;
    }
    jsv_write_separator(writer);
    write_compact(writer->out, value);
}

/* ---- for people ---- */

static void new_line(struct jsv_buf *out, size_t depth, unsigned indent)
{
    jsv_buf_append_byte(out, '\n');
    if (jsv_buf_reserve(out, depth * indent) == 0) {
        memset(out->data + out->size, ' ', depth * indent);
        out->size += depth * indent;
    }
}

static bool starts_line(const struct walk *walk)
{
    bool first = walk->before == TOKEN_NONE;
    bool behind_key = walk->before == TOKEN_KEY;
    bool empty = walk->before == TOKEN_OPEN && walk->token == TOKEN_CLOSE;
    return !first && !behind_key && !empty;
}

static void write_pretty(struct jsv_buf *out, struct jsv_value value, unsigned indent)
{
    struct walk walk = walk_on(value);
    size_t depth = 0;
    while (walk_step(&walk)) {
        if (needs_comma(&walk)) {
            jsv_buf_append_byte(out, ',');
        }
        depth -= walk.token == TOKEN_CLOSE;
        if (starts_line(&walk)) {
            new_line(out, depth, indent);
        }
        jsv_buf_append_str(out, walk.text);
        if (walk.token == TOKEN_KEY) {
            jsv_buf_append_str(out, JSV_STR(": "));
        }
        depth += walk.token == TOKEN_OPEN;
    }
}

void jsv_write_pretty(struct jsv_writer *writer, struct jsv_value value, unsigned indent)
{
    if (!value.node) {
        jsv_write_null(writer);
        return;
    }
    jsv_write_separator(writer);
    write_pretty(writer->out, value, indent);
}
