/*
 * The walk through a text: its state, and its steps. The
 * steps are here, in walk_string.h and in walk_number.h; read.c puts them
 * together. They are all inlined there, in two versions: `checked` is false
 * for a text whose last character is a bracket, which stops every token that
 * runs towards the end, so that no step needs to look for it.
 *
 * Only read.c includes these.
 */
#pragma once

#include <string.h>

#include "jsv/base/hint.h"
#include "jsv/json/reader.h"

/* A walk, but for what a cursor knows better. */
struct walk {
    struct jsv_reader *reader;
    const char *text;
    const char *end;
    struct jsv_node *nodes;
    struct jsv_node *node_limit;  /* the last one there is room for */
    const uint32_t *near_end;     /* behind the last offset that opens a near string */
    struct jsv_frame *frame_last; /* of the deepest container allowed */
    const char *short_number_end; /* the text's, or its start when short numbers can be too long */
    size_t number_size_max;
    unsigned flags;
    /* where the cursor was when it was left */
    const char *at;
    struct jsv_node *node;
    const uint32_t *next;
    struct jsv_frame *frame;
};

/*
 * The state that nearly every step needs, small enough to stay in
 * registers. Steps that are inlined work on the cursor. All other functions
 * work on the walk, between leave and come_back.
 */
struct cursor {
    struct walk *walk;
    const char *text;
    const char *at;
    struct jsv_node *node;   /* where the next node goes */
    const uint32_t *next;    /* the reader's, while the walk uses them up */
    struct jsv_frame *frame; /* of the innermost container; two of its members live here: */
    uint32_t count;
    uint64_t seen;
};

ALWAYS_INLINE struct walk *leave(const struct cursor *cursor)
{
    struct walk *walk = cursor->walk;
    walk->at = cursor->at;
    walk->node = cursor->node;
    walk->next = cursor->next;
    walk->frame = cursor->frame;
    walk->frame->count = cursor->count;
    walk->frame->seen = cursor->seen;
    return walk;
}

ALWAYS_INLINE void come_back(struct cursor *cursor)
{
    const struct walk *walk = cursor->walk;
    cursor->at = walk->at;
    cursor->node = walk->node;
    cursor->next = walk->next;
    cursor->frame = walk->frame;
    cursor->count = walk->frame->count;
    cursor->seen = walk->frame->seen;
}

/* How a step of the walk ended: the fault, with the cursor or walk at its place. */
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
 * Skip white space. Tried last, when no other byte fits: text that programs
 * write has none, and so pays nothing for it.
 */
ALWAYS_INLINE bool skip_space(struct cursor *cursor, bool checked)
{
    if (!is_space(peek(cursor->walk, cursor->at, checked))) {
        return false;
    }
    do {
        cursor->at++;
    } while (is_space(peek(cursor->walk, cursor->at, checked)));
    return true;
}

ALWAYS_INLINE uint32_t offset_of(const char *text, const char *at)
{
    return (uint32_t)(at - text);
}

/* A place in the text, as a node's head holds it. */
ALWAYS_INLINE uint64_t start_of(const char *text, const char *at)
{
    return (uint64_t)(at - text) << JSV_NODE_START_SHIFT;
}

static void take_block(struct walk *walk, size_t node_count)
{
    const struct jsv_reader *reader = walk->reader;
    size_t size = reader->document->block_size;
    size_t room = (size - reader->decoded_size) / sizeof(struct jsv_node);
    walk->nodes = (struct jsv_node *)(void *)reader->document->block;
    walk->node = walk->nodes + node_count;
    walk->node_limit = walk->nodes + room - 1;
}

/* Tell the reader how deep the walk is. */
static void note_depth(const struct walk *walk)
{
    walk->reader->depth = (uint32_t)(walk->frame - walk->reader->frames);
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

/* Make sure that a member's two nodes, or an element's one, fit. */
ALWAYS_INLINE fault make_room(struct cursor *cursor)
{
    if (LIKELY(cursor->node < cursor->walk->node_limit)) {
        return JSV_ERROR_NONE;
    }
    fault code = grow(leave(cursor));
    come_back(cursor);
    return code;
}
