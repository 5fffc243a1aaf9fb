/*
 * libjsv: reading, accessing, comparing and writing JSON.
 *
 * A jsv_reader turns text into a jsv_document; both are reused from one
 * document to the next without allocating. The document is a flat array of
 * 16-byte nodes in one block of memory. Strings without escapes and all
 * numbers stay in the text they came from, so THE TEXT MUST OUTLIVE THE
 * DOCUMENT'S USE, unless it is read with JSV_READ_COPY.
 *
 * A jsv_value is a small handle, passed by value: a document and a place in
 * it. The handle of something that is not there (a missing member, an index
 * past the end) has type JSV_TYPE_NONE; every function accepts it, so look-ups
 * chain without checks in between. Reading into a document again, or
 * freeing it, makes its handles invalid. Threads may share a document that none
 * of them reads into.
 */
#pragma once

#include <stdint.h>

#include <jsv/jsv.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

struct jsv_reader;
struct jsv_document;
struct jsv_node;

/* ---- reading ---- */

/** What a reader accepts at most. Zero in a member means the default beside it. */
struct jsv_limits {
    size_t struct_size;       /* see <jsv/jsv.h> */
    size_t size_max;          /* bytes of text: 4,294,967,231 (offsets have 32 bits) */
    size_t memory_max;        /* bytes held by the document and the reader's scratch: no limit */
    uint32_t depth_max;       /* nested containers, the outermost is 1: 512 */
    uint32_t number_size_max; /* characters of one number: 16,384 (exact multipleOf is quadratic) */
    uint64_t hash_seed;       /* secret against chosen colliding keys: derived from an address */
};

enum jsv_read_flags {
    /* Of members with the same name keep only the last; the default refuses them. */
    JSV_READ_LAST_WINS = 1 << 0,
    /* Copy the text into the document, so that the caller's need not outlive the call. */
    JSV_READ_COPY = 1 << 1,
};

/**
 * Make a reader. It holds the scratch memory reading needs; one per thread.
 *
 * @param allocator Copied; NULL means malloc.
 * @param limits    Copied; NULL means all defaults.
 * @return NULL when memory ran out.
 */
struct jsv_reader *
jsv_reader_new(const struct jsv_allocator *allocator, const struct jsv_limits *limits);
void jsv_reader_free(struct jsv_reader *reader);

/** Make an empty document. @return NULL when memory ran out. */
struct jsv_document *jsv_document_new(const struct jsv_allocator *allocator);
void jsv_document_free(struct jsv_document *document);
/** Bytes a document holds, a copied text included. NULL holds none. */
size_t jsv_document_memory(const struct jsv_document *document);

/**
 * Read one JSON text (RFC 8259), strictly: UTF-8 without byte order mark, no
 * lone surrogates, no duplicate members (unless flagged), nothing after the
 * value but white space.
 *
 * @param document   Replaced; empty (root of type NONE) when reading failed.
 * @param text       Borrowed for as long as the document is used, but with
 *                   JSV_READ_COPY. No padding or terminator needed.
 * @param flags      Of enum jsv_read_flags.
 * @param reterr_error Filled in on failure; may be NULL. Its pointer lives in
 *                   the reader until the next read.
 * @return 0; JSV_BAD_TEXT when the text was refused; JSV_NO_MEMORY when the allocator
 *         failed or the memory limit was reached (code JSV_ERROR_MEMORY).
 */
int jsv_read(
    struct jsv_reader *reader,
    struct jsv_document *document,
    struct jsv_str text,
    unsigned flags,
    struct jsv_error *reterr_error);

/* ---- access ---- */

enum jsv_type {
    JSV_TYPE_NONE,
    JSV_TYPE_NULL,
    JSV_TYPE_BOOLEAN,
    JSV_TYPE_NUMBER,
    JSV_TYPE_STRING,
    JSV_TYPE_ARRAY,
    JSV_TYPE_OBJECT,
};

struct jsv_value {
    /* private: */
    const struct jsv_document *document;
    const struct jsv_node *node;
};

/** The outermost value; of type NONE when nothing was read. */
struct jsv_value jsv_document_root(const struct jsv_document *document);

enum jsv_type jsv_value_type(struct jsv_value value);
/** "null", "boolean", …; "none" for JSV_TYPE_NONE. */
const char *jsv_type_name(enum jsv_type type);

/** Number of elements or members; 0 for anything else. */
size_t jsv_value_count(struct jsv_value value);
/** Member by name; NONE when absent or not an object. Compares the members one by one. */
struct jsv_value jsv_value_get(struct jsv_value object, struct jsv_str name);
/** Element by index from 0; NONE when absent or not an array. Steps over those before it. */
struct jsv_value jsv_value_at(struct jsv_value array, size_t index);

/** true for the literal true; false for everything else. */
bool jsv_value_bool(struct jsv_value value);
/** The decoded text of a string; empty with data NULL for anything else. */
struct jsv_str jsv_value_text(struct jsv_value value);
/** The value's own source text, byte for byte, from first to last character. */
struct jsv_str jsv_value_span(struct jsv_value value);
/** Offset of that span in the text that was read. */
size_t jsv_value_offset(struct jsv_value value);
/**
 * An integer, however it is written (7, 7.0, 70e-1).
 * @return 0; JSV_BAD_ARGUMENT when it is not an integer; JSV_OUT_OF_RANGE when it does not fit.
 */
int jsv_value_int64(struct jsv_value value, int64_t *ret_integer);
/** The nearest double (ties to even); infinite beyond its range; 0 for anything but a number. */
double jsv_value_double(struct jsv_value value);

/**
 * Members or elements in the order written:
 *
 *     struct jsv_iter iter = jsv_value_iter(value);
 *     while (jsv_iter_next(&iter)) { … iter.key … iter.value … }
 */
struct jsv_iter {
    struct jsv_value value; /* current element or member's value */
    struct jsv_value key;   /* current member's name, a string; NONE in an array */
    /* private: */
    const struct jsv_node *next;
    const struct jsv_node *end;
    bool object;
};
struct jsv_iter jsv_value_iter(struct jsv_value container);
bool jsv_iter_next(struct jsv_iter *iter);

/**
 * Deep equality as JSON Schema has it: numbers by exact value (1 equals 1.0),
 * true is not 1, member order does not matter.
 *
 * @param scratch Memory for large or differently ordered objects.
 * @return 1 equal, 0 different, JSV_NO_MEMORY.
 */
int jsv_value_equal(struct jsv_value a, struct jsv_value b, struct jsv_arena *scratch);

/* ---- pointers (RFC 6901) ---- */

/**
 * Resolve a pointer. "" is the value itself.
 * @return 0; JSV_BAD_ARGUMENT when the pointer is malformed; JSV_NOT_FOUND when there is no such
 * value.
 */
int jsv_pointer_get(struct jsv_value value, struct jsv_str pointer, struct jsv_value *ret_value);
/** Append "/" and one escaped reference token. @return 0, or the buffer's sticky error. */
int jsv_pointer_push(struct jsv_buf *pointer, struct jsv_str token);
int jsv_pointer_push_index(struct jsv_buf *pointer, size_t index);

/* ---- writing ---- */

/**
 * Writes compact JSON into a buffer; commas come by themselves.
 *
 *     struct jsv_writer writer = jsv_writer_on(&buf);
 *     jsv_write_object_begin(&writer);
 *     jsv_write_member_bool(&writer, JSV_STR("ok"), true);
 *     jsv_write_object_end(&writer);
 *     if (buf.error) …
 */
struct jsv_writer {
    /* private: */
    struct jsv_buf *out;
    size_t start; /* where this writer's text begins in the buffer */
};
struct jsv_writer jsv_writer_on(struct jsv_buf *out);
void jsv_write_object_begin(struct jsv_writer *writer);
void jsv_write_object_end(struct jsv_writer *writer);
void jsv_write_array_begin(struct jsv_writer *writer);
void jsv_write_array_end(struct jsv_writer *writer);
/** A member's name; escaped as jsv_write_string does. */
void jsv_write_key(struct jsv_writer *writer, struct jsv_str name);
/** A string; only '"', '\' and control characters are escaped. The text must be valid UTF-8. */
void jsv_write_string(struct jsv_writer *writer, struct jsv_str text);
void jsv_write_int64(struct jsv_writer *writer, int64_t integer);
void jsv_write_uint64(struct jsv_writer *writer, uint64_t integer);
/** As ECMAScript prints it; infinities and NaN become null. */
void jsv_write_double(struct jsv_writer *writer, double number);
void jsv_write_bool(struct jsv_writer *writer, bool boolean);
void jsv_write_null(struct jsv_writer *writer);
/** A complete JSON value that is text already; copied byte for byte. */
void jsv_write_span(struct jsv_writer *writer, struct jsv_str json);
/** A value without the white space between tokens, each spelled as it was read; NONE is null. */
void jsv_write_value(struct jsv_writer *writer, struct jsv_value value);
/** A member: jsv_write_key and then the function of the same name without "member". */
void jsv_write_member_object_begin(struct jsv_writer *writer, struct jsv_str name);
void jsv_write_member_array_begin(struct jsv_writer *writer, struct jsv_str name);
void jsv_write_member_string(struct jsv_writer *writer, struct jsv_str name, struct jsv_str text);
void jsv_write_member_int64(struct jsv_writer *writer, struct jsv_str name, int64_t integer);
void jsv_write_member_uint64(struct jsv_writer *writer, struct jsv_str name, uint64_t integer);
void jsv_write_member_double(struct jsv_writer *writer, struct jsv_str name, double number);
void jsv_write_member_bool(struct jsv_writer *writer, struct jsv_str name, bool boolean);
void jsv_write_member_null(struct jsv_writer *writer, struct jsv_str name);
void jsv_write_member_span(struct jsv_writer *writer, struct jsv_str name, struct jsv_str json);
void jsv_write_member_value(struct jsv_writer *writer, struct jsv_str name, struct jsv_value value);
/** A value for people: one member or element a line, indented; tokens as they were read. */
void jsv_write_pretty(struct jsv_writer *writer, struct jsv_value value, unsigned indent);

/* ---- canonical forms ---- */

enum jsv_canon {
    /* Keys sorted by code point, UTF-8, minimal escapes: what digests are made of. */
    JSV_CANON_UTF8,
    /* The same, with DEL and all beyond ASCII as \uXXXX: what deterministic ids are made of. */
    JSV_CANON_ASCII,
};

/**
 * Append a text that does not depend on member order, white space or escapes. A number
 * written without fraction or exponent keeps its digits; any other is printed
 * as ECMAScript prints its nearest double.
 *
 * @param reterr_fault May be NULL; on JSV_OUT_OF_RANGE, that number.
 * @return 0; JSV_OUT_OF_RANGE when a number is beyond double's range; JSV_NO_MEMORY; or the
 * buffer's error.
 */
int jsv_canon_write(
    struct jsv_value value,
    enum jsv_canon form,
    struct jsv_arena *scratch,
    struct jsv_buf *out,
    struct jsv_value *reterr_fault);

/* ---- differences (RFC 6902: add, remove, replace) ---- */

/**
 * Append the patch array that turns base into target: sorted by path, arrays
 * replaced whole, values spelled as in target. Equal values give []. A side
 * that is missing (NONE) counts as {}.
 *
 * @return 0; JSV_NO_MEMORY; or the buffer's error.
 */
int jsv_diff_write(
    struct jsv_value base, struct jsv_value target, struct jsv_arena *scratch, struct jsv_buf *out);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
