/*
 * The walk through a text: where it stands, and the steps it is made of. The
 * steps are here, in walk_string.h and in walk_number.h; read.c puts them
 * together. They are all inlined there, in two versions: `checked` is false
 * for a text whose last character is a bracket, which stops every token that
 * runs towards the end, so that no step needs to look for it.
 *
 * Nothing but read.c includes these.
 */
#pragma once

#include <string.h>

#include "base/hint.h"
#include "json/reader.h"

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
    const struct jsv_reader *reader = walk->reader;
    size_t size = reader->document->block_size;
    if (UNLIKELY(reader->drain != NULL)) {
        size = jsv_document_drained_size(reader);
    }
    size_t room = (size - reader->decoded_size) / sizeof(struct jsv_node);
    walk->nodes = (struct jsv_node *)(void *)reader->document->block;
    walk->node = walk->nodes + node_count;
    walk->node_limit = walk->nodes + room - 1;
}

static __attribute__((noinline)) fault grow(struct walk *walk)
{
    size_t node_count = (size_t)(walk->node - walk->nodes);
    if (jsv_document_drain(walk->reader, &node_count) < 0 ||
        jsv_document_grow(walk->reader, node_count, 0) < 0) {
        return JSV_ERROR_MEMORY;
    }
    take_block(walk, node_count);
    return JSV_ERROR_NONE;
}

/*
 * Make sure of room for a member's two nodes, or an element's one. `frame` is
 * where the innermost container belongs.
 */
ALWAYS_INLINE fault make_room(struct walk *walk, struct jsv_frame *frame, struct jsv_frame *current)
{
    if (LIKELY(walk->node < walk->node_limit)) {
        return JSV_ERROR_NONE;
    }
    *frame = *current;
    walk->reader->depth = (uint32_t)(frame - walk->reader->frames);
    struct walk copy = *walk;
    fault code = grow(&copy);
    *walk = copy;
    *current = *frame;
    return code;
}
