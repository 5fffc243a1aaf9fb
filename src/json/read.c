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
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/utf8.h"
#include "json/reader.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define LIKELY(x)     __builtin_expect(!!(x), 1)
#define UNLIKELY(x)   __builtin_expect(!!(x), 0)

/* Longest pointer an error carries: deeper ones are cut at a token. */
#define ERROR_POINTER_MAX 65536

/* Offsets have 32 bits, and the end of the last block scanned must fit too. */
#define TEXT_SIZE_MAX (UINT32_MAX - JSV_SCAN_BLOCK)
#define DEPTH_DEFAULT 512

static struct jsv_limits limits_or_default(const struct jsv_limits *limits, const void *address)
{
    struct jsv_limits own = limits ? *limits : (struct jsv_limits){0};
    if (own.size_max == 0 || own.size_max > TEXT_SIZE_MAX) {
        own.size_max = TEXT_SIZE_MAX;
    }
    if (own.memory_max == 0) {
        own.memory_max = SIZE_MAX;
    }
    if (own.depth_max == 0) {
        own.depth_max = DEPTH_DEFAULT;
    }
    if (own.number_size_max == 0 || own.number_size_max > JSV_NUMBER_SIZE_MAX) {
        own.number_size_max = JSV_NUMBER_SIZE_MAX;
    }
    if (own.hash_seed == 0) {
        own.hash_seed = (uint64_t)(uintptr_t)address * 0x9E3779B97F4A7C15ull;
    }
    return own;
}

static size_t frames_size(const struct jsv_reader *reader)
{
    return ((size_t)reader->limits.depth_max + 1) * sizeof(*reader->frames);
}

struct jsv_reader *
jsv_reader_new(const struct jsv_allocator *allocator, const struct jsv_limits *limits)
{
    struct jsv_allocator own = jsv_allocator_or_default(allocator);
    struct jsv_reader *reader = jsv_alloc(&own, sizeof(*reader));
    if (!reader) {
        return NULL;
    }
    reader->allocator = own;
    reader->limits = limits_or_default(limits, reader);
    reader->kernel = jsv_scan_kernel_best();
    for (uint64_t i = 0; i < JSV_HASH_FACTORS; i++) {
        struct jsv_str number = {(const char *)&i, sizeof(i)};
        reader->hash_factors[i] = jsv_hash(number, reader->limits.hash_seed) | 1;
    }
    reader->checks = 0;
    reader->large_table = NULL;
    reader->large_table_size = 0;
    memset(reader->small_table, 0, sizeof(reader->small_table));
    jsv_buf_init(&reader->pointer, &own, ERROR_POINTER_MAX);
    jsv_buf_init(&reader->decoding, &own, reader->limits.memory_max);
    reader->frames = jsv_alloc(&own, frames_size(reader));
    if (!reader->frames) {
        jsv_dealloc(&own, reader, sizeof(*reader));
        return NULL;
    }
    return reader;
}

void jsv_reader_free(struct jsv_reader *reader)
{
    if (!reader) {
        return;
    }
    struct jsv_allocator own = reader->allocator;
    jsv_buf_done(&reader->pointer);
    jsv_buf_done(&reader->decoding);
    jsv_dealloc(&own, reader->large_table, reader->large_table_size);
    jsv_dealloc(&own, reader->frames, frames_size(reader));
    jsv_dealloc(&own, reader, sizeof(*reader));
}

bool jsv_reader_refill(struct jsv_reader *reader, size_t wanted)
{
    size_t kept = (size_t)(reader->index_end - reader->next);
    if (kept) {
        memmove(reader->index, reader->next, kept * sizeof(*reader->index));
    }
    while (kept < wanted) {
        size_t before = reader->scan.position;
        kept += jsv_scan_next(&reader->scan, reader->kernel, reader->index + kept);
        if (reader->scan.position == before) {
            break;
        }
    }
    reader->next = reader->index;
    reader->index_end = reader->index + kept;
    return kept >= wanted;
}

/*
 * Where the walk stands. It lives in registers: only copies of it are handed
 * to functions that are not inlined.
 */
struct walk {
    struct jsv_reader *reader;
    const char *text;
    const char *at;
    const char *end;
    struct jsv_node *nodes;
    struct jsv_node *node;       /* where the next node goes */
    struct jsv_node *node_limit; /* the last one there is room for */
    const uint32_t *next;        /* the reader's, while the walk uses them up */
    const uint32_t *index_last;  /* the last one: a string needs it and one before */
    size_t plain_number_max;     /* digits of an integer that surely fits node and limit */
    unsigned flags;
};

/* How a step of the walk ended: the fault, with walk->at at its place. */
typedef enum jsv_error_code fault;

ALWAYS_INLINE unsigned char peek(const struct walk *walk, const char *at, bool checked)
{
    return (unsigned char)(!checked || at < walk->end ? *at : '\0');
}

ALWAYS_INLINE bool is_space(unsigned char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/*
 * Step over white space. Tried last, when a byte fits nothing else: text that
 * machines write has none, and so pays nothing for it.
 */
ALWAYS_INLINE bool skip_space(struct walk *walk, bool checked)
{
    if (!is_space(peek(walk, walk->at, checked))) {
        return false;
    }
    do {
        walk->at++;
    } while (is_space(peek(walk, walk->at, checked)));
    return true;
}

ALWAYS_INLINE uint32_t offset_of(const struct walk *walk, const char *at)
{
    return (uint32_t)(at - walk->text);
}

static void take_block(struct walk *walk, size_t node_count)
{
    const struct jsv_document *document = walk->reader->document;
    size_t decoded = walk->reader->decoded_size;
    walk->nodes = (struct jsv_node *)(void *)document->block;
    walk->node = walk->nodes + node_count;
    size_t room = (document->block_size - decoded) / sizeof(struct jsv_node);
    walk->node_limit = walk->nodes + room - 1;
}

static __attribute__((noinline)) fault grow(struct walk *walk)
{
    size_t node_count = (size_t)(walk->node - walk->nodes);
    if (jsv_document_grow(walk->reader, node_count, 0) < 0) {
        return JSV_ERROR_MEMORY;
    }
    take_block(walk, node_count);
    return JSV_ERROR_NONE;
}

/* Make sure of room for a member's two nodes, or an element's one. */
ALWAYS_INLINE fault make_room(struct walk *walk)
{
    if (LIKELY(walk->node < walk->node_limit)) {
        return JSV_ERROR_NONE;
    }
    struct walk copy = *walk;
    fault code = grow(&copy);
    *walk = copy;
    return code;
}

static void take_index(struct walk *walk)
{
    walk->next = walk->reader->next;
    walk->index_last = walk->reader->index_end - 1;
}

/* No two more offsets at hand: the string goes on in the next window, or nowhere. */
static __attribute__((noinline)) fault refill(struct walk *walk)
{
    struct jsv_reader *reader = walk->reader;
    reader->next = walk->next;
    bool found = jsv_reader_refill(reader, 2);
    take_index(walk);
    if (found) {
        return JSV_ERROR_NONE;
    }
    if (reader->scan.fault != SIZE_MAX) {
        walk->at = walk->text + reader->scan.fault;
        return reader->scan.fault_code;
    }
    walk->at = walk->text + *walk->next;
    return JSV_ERROR_UNTERMINATED_STRING;
}

static __attribute__((noinline)) fault escaped_string(struct walk *walk)
{
    size_t node_count = (size_t)(walk->node - walk->nodes);
    size_t end;
    size_t bad;
    walk->reader->next = walk->next;
    fault code = jsv_read_escaped(walk->reader, node_count, &end, &bad);
    take_index(walk);
    if (code) {
        size_t scan_fault = walk->reader->scan.fault;
        if (code == JSV_ERROR_UNTERMINATED_STRING && scan_fault != SIZE_MAX) {
            bad = scan_fault;
            code = walk->reader->scan.fault_code;
        }
        walk->at = walk->text + bad;
        return code;
    }
    take_block(walk, node_count + 1);
    walk->at = walk->text + end;
    return JSV_ERROR_NONE;
}

/* The bytes of a word that belong to a string of that size: a table, a branch would be guessed. */
static const union {
    unsigned char bytes[JSV_PREFIX_SIZE + 1][JSV_PREFIX_SIZE];
    uint64_t words[JSV_PREFIX_SIZE + 1];
} prefix_mask = {
    .bytes =
        {
            {0},
            {0xFF},
            {0xFF, 0xFF},
            {0xFF, 0xFF, 0xFF},
            {0xFF, 0xFF, 0xFF, 0xFF},
            {0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
            {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
            {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
            {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
        },
};

ALWAYS_INLINE uint64_t load_prefix(const struct walk *walk, const char *data, size_t size)
{
    if (UNLIKELY(walk->end - data < JSV_PREFIX_SIZE)) {
        return jsv_prefix(data, size);
    }
    uint64_t word;
    memcpy(&word, data, sizeof(word));
    return word & prefix_mask.words[size < JSV_PREFIX_SIZE ? size : JSV_PREFIX_SIZE];
}

/*
 * At an opening quote: lay down the string's node, step behind its closing
 * quote. All is taken from the index, so that the next string need not wait
 * for the walk to get there.
 */
ALWAYS_INLINE fault read_string(struct walk *walk)
{
    if (UNLIKELY(walk->next >= walk->index_last)) {
        struct walk copy = *walk;
        fault code = refill(&copy);
        *walk = copy;
        if (code) {
            return code;
        }
    }
    uint32_t start = walk->next[0] + 1;
    uint32_t end = walk->next[1];
    if (UNLIKELY(walk->text[end] != '"')) {
        struct walk copy = *walk;
        fault code = escaped_string(&copy);
        *walk = copy;
        return code;
    }
    walk->next += 2;
    walk->at = walk->text + end + 1;
    uint32_t size = end - start;
    uint64_t prefix = load_prefix(walk, walk->text + start, size);
    jsv_node_set_string(walk->node, 0, start, size, prefix);
    walk->node++;
    return JSV_ERROR_NONE;
}

ALWAYS_INLINE bool is_digit(unsigned char byte)
{
    return (unsigned char)(byte - '0') <= 9;
}

/* Eight digits at once, when there are eight. */
ALWAYS_INLINE bool eight_digits(const struct walk *walk, const char *at, uint64_t *ret_value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (walk->end - at < 8) {
        return false;
    }
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    uint64_t digits = word - 0x3030303030303030ull;
    if (((word + 0x4646464646464646ull) | digits) & 0x8080808080808080ull) {
        return false;
    }
    /* join neighbours: eight digits to four pairs, two fours, one eight */
    digits = digits * 10 + (digits >> 8);
    *ret_value = ((digits & 0x000000FF000000FFull) * (100 + (1000000ull << 32)) +
                  (digits >> 16 & 0x000000FF000000FFull) * (1 + (10000ull << 32))) >>
                 32;
    return true;
#else
    (void)walk;
    (void)at;
    (void)ret_value;
    return false;
#endif
}

/* A number as read so far: every digit, the point left out. */
struct digits {
    uint64_t significand; /* meaningless when there are more digits than fit */
    size_t count;
};

/* Most decimal digits that always fit 64 bits. */
#define SIGNIFICAND_DIGITS_MAX 19

ALWAYS_INLINE const char *
read_digits(const struct walk *walk, const char *at, struct digits *digits, bool checked)
{
    const char *start = at;
    uint64_t significand = digits->significand;
    uint64_t eight;
    while (eight_digits(walk, at, &eight)) {
        significand = significand * 100000000 + eight;
        at += 8;
    }
    for (unsigned char byte; is_digit(byte = peek(walk, at, checked)); at++) {
        significand = significand * 10 + (byte - '0');
    }
    digits->significand = significand;
    digits->count += (size_t)(at - start);
    return at;
}

/* Beyond this an exponent cannot fit the node; larger ones are not told apart here. */
#define EXPONENT_CEILING 100000

/* Behind 'e' or 'E': step to the exponent's end. False, at the byte at fault, when it is none. */
ALWAYS_INLINE bool
read_exponent(const struct walk *walk, const char **at, int32_t *ret_exponent, bool checked)
{
    const char *digit = *at;
    unsigned char sign = peek(walk, digit, checked);
    digit += sign == '+' || sign == '-';
    *at = digit;
    int32_t exponent = 0;
    for (unsigned char byte; is_digit(byte = peek(walk, digit, checked)); digit++) {
        exponent = exponent < EXPONENT_CEILING ? exponent * 10 + (byte - '0') : exponent;
    }
    if (digit == *at) {
        return false;
    }
    *at = digit;
    *ret_exponent = sign == '-' ? -exponent : exponent;
    return true;
}

ALWAYS_INLINE fault invalid_number(struct walk *walk, const char *at)
{
    walk->at = at;
    return JSV_ERROR_INVALID_NUMBER;
}

ALWAYS_INLINE void
put_number(struct walk *walk, unsigned flags, int32_t exponent, const char *end, uint64_t body)
{
    walk->node->head = JSV_TYPE_NUMBER | (uint64_t)flags << JSV_NODE_FLAGS_SHIFT |
                       (uint64_t)(uint16_t)exponent << JSV_NODE_SIZE_SHIFT |
                       (uint64_t)offset_of(walk, walk->at) << JSV_NODE_START_SHIFT;
    walk->node->body = body;
    walk->node++;
    walk->at = end;
}

/* Behind a number's integer part: fraction and exponent, and what does not fit a node. */
ALWAYS_INLINE fault read_number_rest(
    struct walk *walk, unsigned flags, const char *at, struct digits digits, bool checked)
{
    int32_t exponent = 0;
    if (peek(walk, at, checked) == '.') {
        flags |= JSV_NODE_DECIMAL;
        at++;
        size_t before = digits.count;
        at = read_digits(walk, at, &digits, checked);
        size_t fraction = digits.count - before;
        if (UNLIKELY(fraction == 0)) {
            return invalid_number(walk, at);
        }
        /* a longer fraction makes a big number, whose exponent is not kept here */
        exponent = -(int32_t)(fraction < EXPONENT_CEILING ? fraction : EXPONENT_CEILING);
    }
    if (UNLIKELY((peek(walk, at, checked) | 0x20) == 'e')) {
        flags |= JSV_NODE_DECIMAL;
        int32_t written;
        at++;
        if (!read_exponent(walk, &at, &written, checked)) {
            return invalid_number(walk, at);
        }
        exponent += written;
    }

    size_t size = (size_t)(at - walk->at);
    uint64_t body = digits.significand;
    if (UNLIKELY(digits.count > SIGNIFICAND_DIGITS_MAX || exponent != (int16_t)exponent)) {
        flags |= JSV_NODE_BIG;
        body = size;
        exponent = 0;
    }
    if (UNLIKELY(size > walk->reader->limits.number_size_max)) {
        return JSV_ERROR_NUMBER_TOO_LONG;
    }
    put_number(walk, flags, exponent, at, body);
    return JSV_ERROR_NONE;
}

/* At '-' or a digit. */
ALWAYS_INLINE fault read_number(struct walk *walk, bool checked)
{
    const char *at = walk->at;
    unsigned flags = *at == '-' ? JSV_NODE_NEGATIVE : 0;
    at += *at == '-';

    unsigned char first = peek(walk, at, checked);
    if (UNLIKELY(!is_digit(first))) {
        return invalid_number(walk, at);
    }
    struct digits digits = {(uint64_t)(first - '0'), 1};
    at++;
    unsigned char byte = peek(walk, at, checked);
    if (is_digit(byte)) {
        if (UNLIKELY(first == '0')) {
            return invalid_number(walk, at);
        }
        at = read_digits(walk, at, &digits, checked);
        byte = peek(walk, at, checked);
    }
    size_t plain_max = walk->plain_number_max;
    if (UNLIKELY(digits.count > plain_max) || byte == '.' || (byte | 0x20) == 'e') {
        return read_number_rest(walk, flags, at, digits, checked);
    }
    put_number(walk, flags, 0, at, digits.significand);
    return JSV_ERROR_NONE;
}

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
    code = make_room(&walk);
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
    code = make_room(&walk);
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
