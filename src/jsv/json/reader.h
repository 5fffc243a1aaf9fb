/*
 * The reader's own state, shared by the files that make up reading:
 *
 *   scan*.c      finds the strings in the text, window by window
 *   reader.c     makes it, and moves the window on
 *   read.c       walks the text between them and lays down nodes (steps: walk*.h)
 *   unescape.c   decodes strings with escapes
 *   duplicate.c  finds members with the same name
 *   read_error.c turns a place in the text into line, column and pointer
 *   document.c   the block of memory that nodes and decoded strings share
 */
#pragma once

#include <jsv/json.h>

#include "jsv/json/node.h"
#include "jsv/json/scan.h"

/* A container that is being read. Its parents wait below it. */
struct jsv_frame {
    uint32_t node;  /* its place in the tape */
    uint32_t count; /* members or elements begun so far */
    /*
     * Object: one bit per key met, chosen by a cheap hash. A key whose bit is
     * set already may be a duplicate, and is compared with those before it.
     * When it is one, or there are too many of them, all bits are set: the
     * object's keys are looked through when it closes.
     */
    uint64_t seen;
};

/* A key in a hash table, and the check that put it there; see duplicate.c. */
struct jsv_key_slot {
    uint32_t check;
    uint32_t key;
};

/* Objects of up to half as many members share one table: nearly all there are. */
#define JSV_SMALL_TABLE_BITS 9

/* Words of a key that are hashed with a factor each. */
#define JSV_HASH_FACTORS 8

/* A member that JSV_READ_LAST_WINS dropped. Offsets are those of names, opening quote included. */
struct jsv_dropped {
    size_t offset;
    size_t kept; /* the next member of that name, in whose favour it was dropped */
};

struct jsv_reader {
    struct jsv_allocator allocator;
    struct jsv_limits limits; /* no zeros left */
    jsv_scan_kernel *kernel;
    struct jsv_scan scan;
    const uint32_t *next;      /* first offset in index not used yet */
    const uint32_t *index_end; /* behind the last one */
    struct jsv_document *document;
    struct jsv_buf *dropped; /* struct jsv_dropped, appended as objects end; NULL: not wanted */
    size_t decoded_size; /* bytes at the end of the document's block that hold decoded strings */
    struct jsv_buf decoding; /* scratch: the string being decoded */
    struct jsv_frame *frames;
    uint32_t depth;         /* frames in use; frames[depth] is the innermost, frames[0] unused */
    struct jsv_buf pointer; /* of the last error */
    uint64_t hash_factors[JSV_HASH_FACTORS];
    uint32_t checks; /* for duplicates, made so far */
    struct jsv_key_slot *large_table;
    size_t large_table_size;
    struct jsv_key_slot small_table[1 << JSV_SMALL_TABLE_BITS];
    uint32_t index[JSV_SCAN_INDEX_MAX];
};

/* ---- document.c ---- */

/* Bytes the memory limit allows for a piece of scratch or block that has `held` bytes now. */
size_t jsv_reader_memory_max(const struct jsv_reader *reader, size_t held);

/* Make room for a member's two nodes behind node_count others, and size more decoded bytes. */
int jsv_document_grow(struct jsv_reader *reader, size_t node_count, size_t size);

/* ---- reader.c ---- */

/*
 * Scan until at least wanted unused offsets are in the index, which may move
 * them. False when the text ends or has an error before that.
 */
bool jsv_reader_refill(struct jsv_reader *reader, size_t wanted);

/* ---- unescape.c ---- */

/*
 * Decode the string that holds an escape and whose opening quote is the next
 * unused offset; lay down its node as number node_count of the tape.
 *
 * @param ret_end   Offset behind the closing quote.
 * @param reterr_at Offset of the fault.
 */
enum jsv_error_code
jsv_read_escaped(struct jsv_reader *reader, size_t node_count, size_t *ret_end, size_t *reterr_at);

/* ---- duplicate.c ---- */

/*
 * Whether a key, which follows on the first count members of `object`, is the
 * key of one of them. Among many it is not looked for, and the answer is yes.
 */
bool jsv_may_repeat(
    const struct jsv_document *document,
    uint32_t object,
    uint32_t count,
    const struct jsv_node *key);

/*
 * Look for equal keys in the object that is node number `object` and has count
 * members. *ret_key: the first duplicate key, 0 when there is none. @return 0 or -ENOMEM.
 */
int jsv_find_duplicate(
    struct jsv_reader *reader, uint32_t object, uint32_t count, uint32_t *ret_key);

/*
 * Of members with equal keys keep the last, and close the gaps in the tape.
 * *count and *node_count are lowered accordingly. @return 0 or -ENOMEM.
 */
int jsv_drop_duplicates(
    struct jsv_reader *reader, uint32_t object, uint32_t *count, size_t *node_count);

/* ---- read_error.c ---- */

/* Where in the grammar an error is, which decides its pointer. */
enum jsv_place {
    JSV_PLACE_CONTAINER, /* between members or elements: the container itself */
    JSV_PLACE_VALUE,     /* at or in a member's or element's value */
};

/* The message for a text that ends where this error says what was expected. */
struct jsv_str jsv_read_end_message(enum jsv_error_code expected);

/* Copy a text that is not empty into the reader's document. @return 0 or -ENOMEM. */
int jsv_document_copy_text(struct jsv_reader *reader, struct jsv_str *text);
/* Fill in *reterr_error, if any. node_count: nodes laid down. @return -EBADMSG or -ENOMEM. */
int jsv_read_fail(
    struct jsv_reader *reader,
    enum jsv_error_code code,
    size_t offset,
    enum jsv_place place,
    size_t node_count,
    struct jsv_error *reterr_error);
