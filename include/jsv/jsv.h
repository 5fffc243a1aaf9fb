/*
 * libjsv: what every part of the library shares: results, errors, texts, memory.
 *
 * To check documents against a schema start with <jsv/schema.h>, to read and
 * write JSON with <jsv/json.h>.
 *
 * The library keeps no global state, never logs, never reads the environment
 * and never touches the network or the file system. Memory comes from the
 * allocator that the caller passes; NULL for an allocator means malloc.
 *
 * Functions that can fail return a negative enum jsv_status. An argument named
 * ret_x is written only on success, reterr_x only on failure; reterr_x may be
 * NULL. Every _free, _done and _reset accepts NULL. The object that a function
 * works with (reader, registry, validator, buffer) is its first argument.
 *
 * ABI: structs that the caller fills in begin with `struct_size`; set it to the size
 * of the struct to use members that were added after version 0.1, or leave it
 * 0. Structs that the library fills in have reserved members. Members under
 * "private" are not for callers.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

#define JSV_VERSION_MAJOR 0
#define JSV_VERSION_MINOR 1
#define JSV_VERSION_PATCH 0
#define JSV_VERSION       "0.1.0"

/** Version of the library linked at run time; compare with JSV_VERSION. */
const char *jsv_version(void);

/* ---- texts ---- */

/** Text with a length. Not NUL-terminated unless stated; may hold NUL bytes. */
struct jsv_str {
    const char *data;
    size_t size;
};

/** A jsv_str of a string literal. */
#define JSV_STR(literal) ((struct jsv_str){(literal), sizeof(literal) - 1})

/** A jsv_str as the two arguments of printf's "%.*s". */
#define JSV_ARG(text) (int)(text).size, (text).data

/** A jsv_str of a NUL-terminated string; the text is borrowed. */
struct jsv_str jsv_str_from(const char *text);
bool jsv_str_equal(struct jsv_str a, struct jsv_str b);
/** Order by bytes, which for UTF-8 is the order of code points: <0, 0 or >0. */
int jsv_str_compare(struct jsv_str a, struct jsv_str b);

/**
 * Line and column of places in a text. Moving counts only what is between two
 * places, so that many places of a large text, visited roughly in order, cost
 * little more than one.
 *
 *     struct jsv_position position = jsv_position_in(text, 1);
 *     jsv_position_move(&position, problem->offset);
 *     printf("%zu:%zu", position.line, position.column);
 */
struct jsv_position {
    struct jsv_str text; /* borrowed */
    size_t offset;
    size_t line;   /* lines end with \n */
    size_t column; /* from 1, in characters (code points) */
};
/** The start of a text. @param line Number of its first line, usually 1. */
struct jsv_position jsv_position_in(struct jsv_str text, size_t line);
/** Move to an offset, forward or back; at most text.size. */
void jsv_position_move(struct jsv_position *position, size_t offset);

/* ---- results and errors ---- */

/**
 * What a call came to. The values are negative errno values, so they can be
 * returned together with those of other functions. A callback of the caller
 * (jsv_resolver) may return other values; they are passed on.
 */
enum jsv_status {
    JSV_OK = 0,
    JSV_BAD_TEXT = -EBADMSG,  /* the text is not JSON, or not a schema; struct jsv_error says why */
    JSV_NO_MEMORY = -ENOMEM,  /* the allocator failed, or a memory limit was reached */
    JSV_NOT_FOUND = -ENOENT,  /* no value, or no schema, of that name */
    JSV_CONFLICT = -EEXIST,   /* a different schema has that URI already */
    JSV_TOO_COMPLEX = -EFBIG, /* compiled, the schema would take too much memory */
    JSV_STEP_LIMIT = -ELOOP,  /* checking reached its limit of steps or depth; not a verdict */
    JSV_PATTERN_LIMIT = -ETIME, /* a pattern reached its limit; not a verdict */
    JSV_BAD_ARGUMENT = -EINVAL, /* not of the kind that the function takes */
    JSV_OUT_OF_RANGE = -ERANGE, /* a number does not fit */
    JSV_BUFFER_FULL = -ENOBUFS, /* a struct jsv_buf reached its size_max */
};

/** One line for people, without a full stop: "out of memory". Takes any value. */
const char *jsv_status_text(int status);

/** Why a text is not JSON. New codes are added at the end. */
enum jsv_error_code {
    JSV_ERROR_NONE,
    JSV_ERROR_EMPTY,
    JSV_ERROR_BYTE_ORDER_MARK,
    JSV_ERROR_INVALID_UTF8,
    JSV_ERROR_UNEXPECTED_END,
    JSV_ERROR_UNEXPECTED_CHARACTER,
    JSV_ERROR_EXPECTED_KEY,
    JSV_ERROR_EXPECTED_COLON,
    JSV_ERROR_EXPECTED_COMMA_OR_BRACE,
    JSV_ERROR_EXPECTED_COMMA_OR_BRACKET,
    JSV_ERROR_TRAILING_CHARACTERS,
    JSV_ERROR_INVALID_LITERAL,
    JSV_ERROR_INVALID_NUMBER,
    JSV_ERROR_UNTERMINATED_STRING,
    JSV_ERROR_CONTROL_CHARACTER,
    JSV_ERROR_INVALID_ESCAPE,
    JSV_ERROR_LONE_SURROGATE,
    JSV_ERROR_DUPLICATE_MEMBER,
    JSV_ERROR_TEXT_TOO_LARGE,
    JSV_ERROR_TOO_DEEP,
    JSV_ERROR_NUMBER_TOO_LONG,
    JSV_ERROR_MEMORY,
};

/** The constant of a code without its prefix, e.g. "DUPLICATE_MEMBER"; "NONE" for no error. */
const char *jsv_error_name(enum jsv_error_code code);
/** The same for people: "duplicate member name". */
const char *jsv_error_text(enum jsv_error_code code);

/**
 * What is wrong with a text that was refused, and where. Its texts live in the
 * reader until it reads again, or in the registry for as long as that exists.
 */
struct jsv_error {
    enum jsv_error_code code; /* why it is not JSON; NONE when it is, and is not a schema */
    size_t offset;            /* of the place, in bytes of the text */
    size_t line;              /* the same place; from 1, lines end with \n */
    size_t column;            /* from 1, in characters (code points) */
    struct jsv_str pointer;   /* the place as a JSON Pointer: the deepest value that had begun */
    struct jsv_str message;   /* for people; a NUL byte follows it */
    /* of schemas: */
    struct jsv_str uri;     /* of the text, as it was added or resolved */
    struct jsv_str missing; /* URI of a schema that could not be found; else empty */
    void *reserved[2];
};

/* ---- memory ---- */

/**
 * Where memory comes from: one function, in the manner of realloc.
 *
 * resize(context, NULL, 0, n)     allocates n bytes;
 * resize(context, p, old, n)      grows or shrinks, contents kept;
 * resize(context, p, old, 0)      frees and returns NULL.
 *
 * It returns NULL on failure and then leaves the old block as it was. Blocks
 * must be aligned for any type, as malloc's are.
 */
struct jsv_allocator {
    void *(*resize)(void *context, void *memory, size_t old_size, size_t new_size);
    void *context;
};

/**
 * A growing byte buffer with a ceiling. It cannot be made without one.
 *
 * Failure sticks: after the first append that did not fit, error is
 * JSV_BUFFER_FULL or JSV_NO_MEMORY, further appends do nothing, and the bytes
 * written so far stay. So a writer appends freely and looks at error once.
 */
struct jsv_buf {
    char *data;
    size_t size;
    int error; /* 0 or the sticky error */
    /* private: */
    size_t capacity;
    size_t size_max;
    struct jsv_allocator allocator;
};

/** Make an empty buffer; allocates nothing yet. allocator NULL means malloc. */
void jsv_buf_init(struct jsv_buf *buf, const struct jsv_allocator *allocator, size_t size_max);
/** Append bytes. @return 0, or the sticky error. */
int jsv_buf_append(struct jsv_buf *buf, const void *data, size_t size);
int jsv_buf_append_byte(struct jsv_buf *buf, char byte);
int jsv_buf_append_str(struct jsv_buf *buf, struct jsv_str text);
/** Make room for size more bytes without changing buf->size. @return 0, or the sticky error. */
int jsv_buf_reserve(struct jsv_buf *buf, size_t size);
/** The contents, borrowed until the next append. */
struct jsv_str jsv_buf_str(const struct jsv_buf *buf);
/** Empty it and forget the error; keeps the memory for the next use. */
void jsv_buf_reset(struct jsv_buf *buf);
/** Give the memory back. */
void jsv_buf_done(struct jsv_buf *buf);

struct jsv_arena_block;

/**
 * Memory that is given back all at once, with a budget.
 *
 * Pointers stay valid until jsv_arena_reset or jsv_arena_done. Reset keeps the
 * largest block, so that a caller in steady state never calls the allocator.
 */
struct jsv_arena {
    /* private: */
    struct jsv_allocator allocator;
    struct jsv_arena_block *newest;
    size_t used;   /* bytes handed out by the newest block */
    size_t held;   /* bytes taken from the allocator, in all blocks */
    size_t budget; /* ceiling of held */
    bool refused;  /* since the last reset: something would have gone beyond the budget */
};

/** Make an empty arena; allocates nothing yet. allocator NULL means malloc. */
void jsv_arena_init(struct jsv_arena *arena, const struct jsv_allocator *allocator, size_t budget);
/**
 * @return size bytes aligned for any type, uninitialised; NULL when memory or the budget ran out.
 */
void *jsv_arena_alloc(struct jsv_arena *arena, size_t size);
/** As jsv_arena_alloc for count objects of size bytes; NULL also on overflow. */
void *jsv_arena_array(struct jsv_arena *arena, size_t count, size_t size);
/** Invalidate everything handed out; keeps the largest block. */
void jsv_arena_reset(struct jsv_arena *arena);
/** Give all memory back; the arena may be used again. */
void jsv_arena_done(struct jsv_arena *arena);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
