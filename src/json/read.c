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

#include "base/utf8.h"
#include "json/walk_number.h"
#include "json/walk_string.h"

ALWAYS_INLINE fault
read_literal(struct walk *walk, const char *literal, size_t size, enum jsv_type type, bool value)
{
    if (UNLIKELY((size_t)(walk->end - walk->at) < size || memcmp(walk->at, literal, size) != 0)) {
        return JSV_ERROR_INVALID_LITERAL;
    }
    walk->node->head = type | (uint64_t)offset_of(walk, walk->at) << JSV_NODE_START_SHIFT;
    walk->node->body = value;
    walk->node++;
    walk->at += size;
    return JSV_ERROR_NONE;
}

/* What stands at a value's place. */
enum step {
    STEP_SCALAR,
    STEP_OBJECT,
    STEP_ARRAY,
    STEP_FAULT,
};

/* At a value: read it whole when it is a scalar. */
ALWAYS_INLINE enum step read_value(struct walk *walk, fault *reterr_fault, bool checked)
{
    fault code;
    unsigned char byte = peek(walk, walk->at, checked);
    if (byte == ' ') {
        byte = peek(walk, ++walk->at, checked); /* many writers put one behind ':' and ',' */
    }
again:
    if (byte == '"') {
        code = read_string(walk);
    } else if (byte == '{') {
        return STEP_OBJECT;
    } else if (is_digit(byte) || byte == '-') {
        code = read_number(walk, checked);
    } else if (byte == '[') {
        return STEP_ARRAY;
    } else if (byte == 't') {
        code = read_literal(walk, "true", 4, JSV_TYPE_BOOLEAN, true);
    } else if (byte == 'f') {
        code = read_literal(walk, "false", 5, JSV_TYPE_BOOLEAN, false);
    } else if (byte == 'n') {
        code = read_literal(walk, "null", 4, JSV_TYPE_NULL, false);
    } else if (skip_space(walk, checked)) {
        byte = peek(walk, walk->at, checked);
        goto again;
    } else {
        code = JSV_ERROR_UNEXPECTED_CHARACTER;
    }
    *reterr_fault = code;
    return LIKELY(!code) ? STEP_SCALAR : STEP_FAULT;
}

/* Step behind the given byte, white space before it allowed. False when another stands there. */
ALWAYS_INLINE bool take(struct walk *walk, char wanted, bool checked)
{
    if (peek(walk, walk->at, checked) != (unsigned char)wanted) {
        if (!skip_space(walk, checked) || peek(walk, walk->at, checked) != (unsigned char)wanted) {
            return false;
        }
    }
    walk->at++;
    return true;
}

/* A key's bit in jsv_frame.seen. */
ALWAYS_INLINE unsigned seen_bit(const struct jsv_node *key)
{
    uint64_t size_above = key->head >> JSV_NODE_SIZE_SHIFT << 48;
    return (unsigned)((key->body ^ size_above) * 0x9E3779B97F4A7C15ull >> 58);
}

/* The innermost object may hold a key twice: refuse it, or drop all but the last. */
static __attribute__((noinline)) fault settle_duplicates(struct walk *walk, uint32_t *count)
{
    struct jsv_reader *reader = walk->reader;
    uint32_t object = reader->frames[reader->depth].node;
    if (walk->flags & JSV_READ_LAST_WINS) {
        size_t node_count = (size_t)(walk->node - walk->nodes);
        int r = jsv_drop_duplicates(reader, object, count, &node_count);
        walk->node = walk->nodes + node_count;
        return r < 0 ? JSV_ERROR_MEMORY : JSV_ERROR_NONE;
    }
    uint32_t key;
    if (jsv_find_duplicate(reader, object, *count, &key) < 0) {
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

/* Everything that closing a container does but the frame; steps behind the bracket. */
ALWAYS_INLINE void close_container(struct walk *walk, uint32_t container, uint32_t count)
{
    struct jsv_node *node = walk->nodes + container;
    uint32_t skip = (uint32_t)(walk->node - node);
    uint64_t kept = count < JSV_COUNT_MANY ? count : JSV_COUNT_MANY;
    walk->at++;
    node->head |= kept << JSV_NODE_COUNT_SHIFT;
    node->body = skip | (uint64_t)offset_of(walk, walk->at) << 32;
}

/*
 * Some faults look alike to the grammar: a byte that fits nothing may be the
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
    return jsv_read_fail(
        walk->reader,
        name_fault(walk, code),
        offset_of(walk, walk->at),
        place,
        (size_t)(walk->node - walk->nodes),
        reterr_error);
}

/*
 * The grammar, as labels: which one the walk is at is all the state there is
 * besides the frames. The innermost container lives in `current` and goes to
 * its frame when another opens inside it.
 */
ALWAYS_INLINE int walk_text(const struct walk *from, struct jsv_error *reterr_error, bool checked)
{
    struct walk walk = *from; /* a copy of its own, which the compiler keeps in registers */
    struct jsv_reader *reader = walk.reader;
    struct jsv_frame *frame = reader->frames;
    struct jsv_frame *const frame_limit = reader->frames + reader->limits.depth_max;
    struct jsv_frame current = {0};
    enum jsv_place place = JSV_PLACE_VALUE;
    fault code = JSV_ERROR_NONE;
    enum step step = read_value(&walk, &code, checked);
    if (step == STEP_SCALAR) {
        goto done;
    }
    if (step == STEP_FAULT) {
        goto failed;
    }

open:
    if (UNLIKELY(frame == frame_limit)) {
        code = JSV_ERROR_TOO_DEEP;
        goto failed;
    }
    *frame++ = current;
    current = (struct jsv_frame){.node = (uint32_t)(walk.node - walk.nodes)};
    uint64_t start = offset_of(&walk, walk.at);
    walk.at++;
    if (step == STEP_OBJECT) {
        walk.node->head = JSV_TYPE_OBJECT | start << JSV_NODE_START_SHIFT;
        walk.node++;
        if (LIKELY(peek(&walk, walk.at, checked) == '"')) {
            goto key;
        }
        skip_space(&walk, checked);
        if (peek(&walk, walk.at, checked) == '}') {
            goto close;
        }
        goto key;
    }
    walk.node->head = JSV_TYPE_ARRAY | start << JSV_NODE_START_SHIFT;
    walk.node++;
    skip_space(&walk, checked);
    if (peek(&walk, walk.at, checked) == ']') {
        goto close;
    }

element:
    current.count++;
    code = make_room(&walk, frame, &current);
    if (UNLIKELY(code)) {
        goto failed;
    }
    step = read_value(&walk, &code, checked);
    if (UNLIKELY(step == STEP_FAULT)) {
        goto failed;
    }
    if (step != STEP_SCALAR) {
        goto open;
    }
behind_element:
    if (LIKELY(take(&walk, ',', checked))) {
        goto element;
    }
    if (LIKELY(peek(&walk, walk.at, checked) == ']')) {
        goto close;
    }
    code = JSV_ERROR_EXPECTED_COMMA_OR_BRACKET;
    goto failed_in_container;

key:
    code = make_room(&walk, frame, &current);
    if (UNLIKELY(code)) {
        goto failed_in_container;
    }
    if (UNLIKELY(!take(&walk, '"', checked))) {
        code = JSV_ERROR_EXPECTED_KEY;
        goto failed_in_container;
    }
    code = read_string(&walk);
    if (UNLIKELY(code)) {
        goto failed_in_container;
    }
    unsigned bit = seen_bit(walk.node - 1);
    if (UNLIKELY(current.seen >> bit & 1)) {
        current.seen = UINT64_MAX;
    }
    current.seen |= 1ull << bit;
    current.count++;
    if (UNLIKELY(!take(&walk, ':', checked))) {
        code = JSV_ERROR_EXPECTED_COLON;
        goto failed;
    }
    step = read_value(&walk, &code, checked);
    if (UNLIKELY(step == STEP_FAULT)) {
        goto failed;
    }
    if (step != STEP_SCALAR) {
        goto open;
    }
behind_member:
    if (LIKELY(take(&walk, ',', checked))) {
        goto key;
    }
    if (UNLIKELY(peek(&walk, walk.at, checked) != '}')) {
        code = JSV_ERROR_EXPECTED_COMMA_OR_BRACE;
        goto failed_in_container;
    }

close:
    if (UNLIKELY(current.seen == UINT64_MAX)) {
        *frame = current;
        reader->depth = (uint32_t)(frame - reader->frames);
        struct walk copy = walk;
        uint32_t count = current.count;
        code = settle_duplicates(&copy, &count);
        current.count = count;
        walk = copy;
        if (code) {
            goto failed;
        }
    }
    close_container(&walk, current.node, current.count);
    current = *--frame;
    if (frame == reader->frames) {
        goto done;
    }
    if (UNLIKELY(walk.at == walk.end)) {
        code = JSV_ERROR_UNEXPECTED_END;
        goto failed_in_container;
    }
    if (jsv_node_type(&walk.nodes[current.node]) == JSV_TYPE_OBJECT) {
        goto behind_member;
    }
    goto behind_element;

done:
    if (LIKELY(walk.at == walk.end)) {
        reader->document->node_count = (size_t)(walk.node - walk.nodes);
        return 0;
    }
    skip_space(&walk, true);
    code = JSV_ERROR_TRAILING_CHARACTERS;
    goto failed;

failed_in_container:
    place = JSV_PLACE_CONTAINER;
failed:
    *frame = current;
    reader->depth = (uint32_t)(frame - reader->frames);
    struct walk stopped = walk;
    return fail(&stopped, code, place, reterr_error);
}

static int walk_bracketed(const struct walk *walk, struct jsv_error *reterr_error)
{
    return walk_text(walk, reterr_error, false);
}

static int walk_checked(const struct walk *walk, struct jsv_error *reterr_error)
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
    /* white space counts as text: what is too large with it is not trimmed but refused */
    while (text.size <= reader->limits.size_max && text.size > 0 &&
           is_space((unsigned char)text.data[text.size - 1])) {
        text.size--;
    }
    document->text = text.data;
    document->text_size = text.size;
    document->node_count = 0;
    reader->document = document;
    reader->decoded_size = 0;
    reader->depth = 0;
    reader->next = reader->index;
    reader->index_end = reader->index;
    jsv_scan_start(&reader->scan, text);

    size_t at;
    fault code = check_start(reader, text, &at);
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
        .plain_number_max =
            reader->limits.number_size_max > SIGNIFICAND_DIGITS_MAX ? SIGNIFICAND_DIGITS_MAX : 0,
        .flags = flags,
    };
    take_block(&walk, 0);
    take_index(&walk);
    char last = text.data[text.size - 1];
    return last == '}' || last == ']' ? walk_bracketed(&walk, reterr_error)
                                      : walk_checked(&walk, reterr_error);
}
