/*
 * Reading a JSON text: the walk.
 *
 * The scan (scan.h) runs ahead and lists where strings begin and end. The walk
 * goes through everything else byte by byte, and at each opening quote jumps
 * to the closing one, so no byte is looked at twice and no string is copied
 * unless it holds escapes. For every value it lays down one node (node.h).
 *
 * There is no recursion: an open container is a frame on an array as long as
 * the depth limit. There is no bounds check on most steps either. A text whose
 * last character is a bracket stops every token that runs towards the end;
 * only behind a closing bracket can the end have been reached, and there it is
 * looked for. A text that ends otherwise (a lone scalar, or something broken)
 * takes the same path compiled with the checks in.
 */
#include <string.h>

#include "jsv/base/utf8.h"
#include "jsv/json/walk_number.h"
#include "jsv/json/walk_string.h"

/* At a literal's first character. Its last four tell, and are compared as a word. */
ALWAYS_INLINE fault read_literal(
    struct cursor *cursor, const char *literal, size_t size, enum jsv_type type, bool value)
{
    if (UNLIKELY(
            (size_t)(cursor->walk->end - cursor->at) < size ||
            memcmp(cursor->at + size - 4, literal + size - 4, 4) != 0)) {
        return JSV_ERROR_INVALID_LITERAL;
    }
    cursor->node->head = type | start_of(cursor->text, cursor->at);
    cursor->node->body = value;
    cursor->node++;
    cursor->at += size;
    return JSV_ERROR_NONE;
}

/* The difference between '{' and '['. */
#define OBJECT_NOT_ARRAY ('{' ^ '[')

/* Read a value. */
enum step {
    STEP_SCALAR,
    STEP_CONTAINER,
    STEP_FAULT,
};

/* At a value: read it whole when it is a scalar. */
ALWAYS_INLINE enum step read_value(struct cursor *cursor, fault *reterr_fault, bool checked)
{
    fault code;
again:;
    unsigned char byte = peek(cursor->walk, cursor->at, checked);
    if (byte == '"') {
        code = read_string(cursor);
    } else if (is_digit(byte)) {
        code = read_short_number(cursor) ? JSV_ERROR_NONE : read_number(cursor, checked);
    } else if ((byte | OBJECT_NOT_ARRAY) == '{') {
        return STEP_CONTAINER;
    } else if (byte == ' ') {
        cursor->at++; /* many writers put one behind ':' and ',' */
        goto again;
    } else if (byte == '-') {
        code = read_number(cursor, checked);
    } else if (byte == 't') {
        code = read_literal(cursor, "true", 4, JSV_TYPE_BOOLEAN, true);
    } else if (byte == 'f') {
        code = read_literal(cursor, "false", 5, JSV_TYPE_BOOLEAN, false);
    } else if (byte == 'n') {
        code = read_literal(cursor, "null", 4, JSV_TYPE_NULL, false);
    } else if (skip_space(cursor, checked)) {
        goto again;
    } else {
        code = JSV_ERROR_UNEXPECTED_CHARACTER;
    }
    *reterr_fault = code;
    return LIKELY(!code) ? STEP_SCALAR : STEP_FAULT;
}

/* Whether the given byte is next, white space before it allowed. */
ALWAYS_INLINE bool is_next(struct cursor *cursor, char wanted, bool checked)
{
    unsigned char byte = (unsigned char)wanted;
    return LIKELY(peek(cursor->walk, cursor->at, checked) == byte) ||
           (skip_space(cursor, checked) && peek(cursor->walk, cursor->at, checked) == byte);
}

/* Step behind it when it is. */
ALWAYS_INLINE bool take(struct cursor *cursor, char wanted, bool checked)
{
    bool found = is_next(cursor, wanted, checked);
    cursor->at += found;
    return found;
}

/* A key's bit in jsv_frame.seen. */
ALWAYS_INLINE unsigned seen_bit(const struct jsv_node *key)
{
    return (unsigned)((key->body ^ (key->head & JSV_KEY_HEAD_MASK)) * 0x9E3779B97F4A7C15ull >> 58);
}

/* The innermost object may hold a key twice: refuse it, or drop all but the last. */
static __attribute__((noinline)) fault settle_duplicates(struct walk *walk)
{
    struct jsv_reader *reader = walk->reader;
    struct jsv_frame *object = walk->frame;
    if (walk->flags & JSV_READ_LAST_WINS) {
        size_t node_count = (size_t)(walk->node - walk->nodes);
        int r = jsv_drop_duplicates(reader, object->node, &object->count, &node_count);
        walk->node = walk->nodes + node_count;
        return r < 0 ? JSV_ERROR_MEMORY : JSV_ERROR_NONE;
    }
    uint32_t key;
    if (jsv_find_duplicate(reader, object->node, object->count, &key) < 0) {
        return JSV_ERROR_MEMORY;
    }
    if (key == 0) {
        return JSV_ERROR_NONE;
    }
    /* let the second key be the last node, where an error's pointer looks for it */
    const struct jsv_node *node = &walk->nodes[key];
    struct jsv_value value = {reader->document, node};
    walk->at = walk->text + jsv_value_offset(value);
    walk->node = walk->nodes + key + 1;
    return JSV_ERROR_DUPLICATE_MEMBER;
}

/* Begin a container: its node, its frame; step behind the bracket. */
ALWAYS_INLINE void open_container(struct cursor *cursor, enum jsv_type type)
{
    cursor->frame->count = cursor->count;
    cursor->frame->seen = cursor->seen;
    cursor->frame++;
    cursor->frame->node = (uint32_t)(cursor->node - cursor->walk->nodes);
    cursor->count = 0;
    cursor->seen = 0;
    cursor->node->head = type | start_of(cursor->text, cursor->at);
    cursor->node++;
    cursor->at++;
}

/* Complete its node, go back to its parent's frame; step behind the bracket. */
ALWAYS_INLINE void close_container(struct cursor *cursor)
{
    struct jsv_node *node = cursor->walk->nodes + cursor->frame->node;
    uint32_t skip = (uint32_t)(cursor->node - node);
    uint64_t kept = cursor->count < JSV_COUNT_MANY ? cursor->count : JSV_COUNT_MANY;
    cursor->at++;
    node->head |= kept << JSV_NODE_COUNT_SHIFT;
    node->body = skip | (uint64_t)offset_of(cursor->text, cursor->at) << 32;
    cursor->frame--;
    cursor->count = cursor->frame->count;
    cursor->seen = cursor->frame->seen;
}

/*
 * Some errors look alike to the grammar: an unexpected byte may be the
 * end of the text, or not be UTF-8 at all. Say which.
 */
static fault name_fault(const struct walk *walk, fault code)
{
    static const bool blames_byte[] = {
        [JSV_ERROR_UNEXPECTED_CHARACTER] = true,
        [JSV_ERROR_EXPECTED_KEY] = true,
        [JSV_ERROR_EXPECTED_COLON] = true,
        [JSV_ERROR_EXPECTED_COMMA_OR_BRACE] = true,
        [JSV_ERROR_EXPECTED_COMMA_OR_BRACKET] = true,
        [JSV_ERROR_TRAILING_CHARACTERS] = true,
        [JSV_ERROR_INVALID_NUMBER] = true,
        [JSV_ERROR_MEMORY] = false,
    };
    if (!blames_byte[code]) {
        return code;
    }
    size_t left = (size_t)(walk->end - walk->at);
    if (left == 0) {
        return JSV_ERROR_UNEXPECTED_END;
    }
    return jsv_utf8_sequence((struct jsv_str){walk->at, left}) ? code : JSV_ERROR_INVALID_UTF8;
}

static __attribute__((noinline)) int
fail(const struct walk *walk, fault code, enum jsv_place place, struct jsv_error *reterr_error)
{
    note_depth(walk);
    fault named = name_fault(walk, code);
    int r = jsv_read_fail(
        walk->reader,
        named,
        offset_of(walk->text, walk->at),
        place,
        (size_t)(walk->node - walk->nodes),
        reterr_error);
    if (named == JSV_ERROR_UNEXPECTED_END && reterr_error) {
        reterr_error->message = jsv_read_end_message(code);
    }
    return r;
}

/*
 * The grammar, as labels: which one the walk is at is all the state there is
 * besides the cursor and the frames.
 */
ALWAYS_INLINE int walk_text(struct walk *walk, struct jsv_error *reterr_error, bool checked)
{
    struct cursor cursor = {.walk = walk, .text = walk->text};
    come_back(&cursor);
    enum jsv_place place = JSV_PLACE_VALUE;
    fault code = JSV_ERROR_NONE;
    enum step step = read_value(&cursor, &code, checked);
    if (step == STEP_SCALAR) {
        goto done;
    }
    if (step == STEP_FAULT) {
        goto failed;
    }

open:
    if (UNLIKELY(cursor.frame == walk->frame_last)) {
        code = JSV_ERROR_TOO_DEEP;
        goto failed;
    }
    if (*cursor.at == '{') {
        open_container(&cursor, JSV_TYPE_OBJECT);
        if (LIKELY(peek(walk, cursor.at, checked) == '"')) {
            goto key;
        }
        skip_space(&cursor, checked);
        if (peek(walk, cursor.at, checked) == '}') {
            goto close;
        }
        goto key;
    }
    open_container(&cursor, JSV_TYPE_ARRAY);
    skip_space(&cursor, checked);
    if (peek(walk, cursor.at, checked) == ']') {
        goto close;
    }

element:
    cursor.count++;
    code = make_room(&cursor);
    if (UNLIKELY(code)) {
        goto failed;
    }
    step = read_value(&cursor, &code, checked);
    if (UNLIKELY(step == STEP_FAULT)) {
        goto failed;
    }
    if (step != STEP_SCALAR) {
        goto open;
    }
behind_element:
    if (LIKELY(take(&cursor, ',', checked))) {
        goto element;
    }
    if (LIKELY(peek(walk, cursor.at, checked) == ']')) {
        goto close;
    }
    code = JSV_ERROR_EXPECTED_COMMA_OR_BRACKET;
    goto failed_in_container;

key:
    code = make_room(&cursor);
    if (UNLIKELY(code)) {
        goto failed_in_container;
    }
    if (UNLIKELY(!is_next(&cursor, '"', checked))) {
        code = JSV_ERROR_EXPECTED_KEY;
        goto failed_in_container;
    }
    code = read_string(&cursor);
    if (UNLIKELY(code)) {
        goto failed_in_container;
    }
    unsigned bit = seen_bit(cursor.node - 1);
    if (UNLIKELY(cursor.seen >> bit & 1) &&
        jsv_may_repeat(walk->reader->document, cursor.frame->node, cursor.count, cursor.node - 1)) {
        cursor.seen = UINT64_MAX;
    }
    cursor.seen |= 1ull << bit;
    cursor.count++;
    if (UNLIKELY(!take(&cursor, ':', checked))) {
        code = JSV_ERROR_EXPECTED_COLON;
        goto failed;
    }
    step = read_value(&cursor, &code, checked);
    if (UNLIKELY(step == STEP_FAULT)) {
        goto failed;
    }
    if (step != STEP_SCALAR) {
        goto open;
    }
behind_member:
    if (LIKELY(take(&cursor, ',', checked))) {
        goto key;
    }
    if (UNLIKELY(peek(walk, cursor.at, checked) != '}')) {
        code = JSV_ERROR_EXPECTED_COMMA_OR_BRACE;
        goto failed_in_container;
    }

close:
    if (UNLIKELY(cursor.seen == UINT64_MAX)) {
        code = settle_duplicates(leave(&cursor));
        come_back(&cursor);
        if (code) {
            goto failed;
        }
    }
    close_container(&cursor);
    if (cursor.count == 0) {
        goto done; /* a parent would have counted this one */
    }
    if (UNLIKELY(cursor.at == walk->end)) {
        code =
            cursor.seen ? JSV_ERROR_EXPECTED_COMMA_OR_BRACE : JSV_ERROR_EXPECTED_COMMA_OR_BRACKET;
        goto failed_in_container;
    }
    if (cursor.seen) {
        goto behind_member; /* only objects have keys */
    }
    goto behind_element;

done:
    if (LIKELY(cursor.at == walk->end)) {
        walk->reader->document->node_count = (size_t)(cursor.node - walk->nodes);
        return 0;
    }
    skip_space(&cursor, true);
    code = JSV_ERROR_TRAILING_CHARACTERS;
    goto failed;

failed_in_container:
    place = JSV_PLACE_CONTAINER;
failed:
    return fail(leave(&cursor), code, place, reterr_error);
}

/* Kept out of jsv_read, so that the cursor has all registers to itself. */
static __attribute__((noinline)) int
walk_bracketed(struct walk *walk, struct jsv_error *reterr_error)
{
    return walk_text(walk, reterr_error, false);
}

static __attribute__((noinline)) int walk_checked(struct walk *walk, struct jsv_error *reterr_error)
{
    return walk_text(walk, reterr_error, true);
}

/* What can be refused by the first bytes or the size alone. */
static fault check_start(const struct jsv_reader *reader, struct jsv_str text, size_t *reterr_at)
{
    *reterr_at = 0;
    if (text.size > reader->limits.size_max) {
        *reterr_at = reader->limits.size_max;
        return JSV_ERROR_TEXT_TOO_LARGE;
    }
    if (text.size == 0) {
        return JSV_ERROR_EMPTY;
    }
    if (text.size >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0) {
        return JSV_ERROR_BYTE_ORDER_MARK;
    }
    return JSV_ERROR_NONE;
}

int jsv_read(
    struct jsv_reader *reader,
    struct jsv_document *document,
    struct jsv_str text,
    unsigned flags,
    struct jsv_error *reterr_error)
{
    /* white space counts: a text that is too large with it is refused */
    while (text.size <= reader->limits.size_max && text.size > 0 &&
           is_space((unsigned char)text.data[text.size - 1])) {
        text.size--;
    }
    document->node_count = 0;
    reader->document = document;
    reader->decoded_size = 0;
    reader->depth = 0;
    reader->next = reader->index;
    reader->index_end = reader->index;

    size_t at;
    fault code = check_start(reader, text, &at);
    if (!code && (flags & JSV_READ_COPY) && jsv_document_copy_text(reader, &text) < 0) {
        code = JSV_ERROR_MEMORY;
    }
    document->text = text.data;
    document->text_size = text.size;
    jsv_scan_start(&reader->scan, text);
    if (!code && !document->block && jsv_document_grow(reader, 0, 0) < 0) {
        code = JSV_ERROR_MEMORY;
    }
    if (code) {
        return jsv_read_fail(reader, code, at, JSV_PLACE_CONTAINER, 0, reterr_error);
    }
    struct walk walk = {
        .reader = reader,
        .text = text.data,
        .at = text.data,
        .end = text.data + text.size,
        .short_number_end =
            reader->limits.number_size_max < sizeof(uint64_t) ? text.data : text.data + text.size,
        .number_size_max = reader->limits.number_size_max,
        .flags = flags,
        .frame = reader->frames,
        .frame_last = reader->frames + reader->limits.depth_max,
    };
    *walk.frame = (struct jsv_frame){0};
    take_block(&walk, 0);
    take_index(&walk);
    char last = text.data[text.size - 1];
    return last == '}' || last == ']' ? walk_bracketed(&walk, reterr_error)
                                      : walk_checked(&walk, reterr_error);
}
