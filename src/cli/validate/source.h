/*
 * The input of mcpgate validate and check: files, and pieces of them that can
 * be checked independently.
 */
#pragma once

#include <jsv/jsv.h>

/* ---- files ---- */

struct validate_file {
    const char *name;      /* as the user would write it */
    const char *directory; /* the operand it was found below; NULL: it is an operand itself */
    const char *below;     /* its path from that directory */
    uint64_t size;         /* in bytes, if known */
    bool ndjson;           /* one document per line */
    bool may_block;        /* standard input, a pipe or the like */
    int error;             /* of listing it: there is nothing to open */
};

struct validate_files {
    struct jsv_arena arena; /* holds the names */
    struct jsv_buf items;
    size_t count;
    uint64_t size;     /* of all */
    bool size_unknown; /* one of them may block */
};

/**
 * List the files of the operands; of a directory, all *.json below it, sorted by path. Links to
 * directories are not followed; links to files are listed, and opened below the directory
 * (os/root.h), so that they cannot lead out of it.
 *
 * @param operands  Borrowed for as long as the list is used. "-" is standard input.
 * @param ndjson    All files have one document per line; else only *.ndjson and *.jsonl.
 * @param ret_files Free it with validate_files_done().
 * @return 0; -ENOMEM. A missing file is listed: opening it fails.
 */
int validate_files_list(
    char *const *operands, size_t count, bool ndjson, struct validate_files *ret_files);
void validate_files_done(struct validate_files *files);

const struct validate_file *validate_files_at(const struct validate_files *files, size_t index);

/* ---- pieces: a whole file, or some complete lines of an NDJSON file ---- */

/* Limit for a line without its line break: each thread holds a document, a multiple of its text. */
#define VALIDATE_LINE_SIZE_MAX ((size_t)16 << 20)

enum validate_kind {
    VALIDATE_WHOLE,     /* the text is one document */
    VALIDATE_LINES,     /* the text is lines, each a document or blank */
    VALIDATE_LONG_LINE, /* a line beyond the limit was skipped; no text */
    VALIDATE_UNREAD,    /* the file could not be read to its end; no text */
};

struct validate_piece {
    const struct validate_file *file;
    enum validate_kind kind;
    int error;           /* of VALIDATE_UNREAD */
    size_t line;         /* number of the first line */
    struct jsv_buf text; /* reused */
    uint64_t size;       /* bytes of input */
};

struct validate_source {
    const struct validate_files *files;
    int in_fd; /* standard input */
    size_t line_size_max;

    size_t next; /* file to open next */
    const char *directory;
    int root_fd; /* of that directory; -1: none */

    const struct validate_file *file; /* being read line by line; NULL: none */
    int fd;
    size_t line;         /* number of the next line */
    struct jsv_buf rest; /* start of a line that is not complete yet */
    int error;           /* of reading, reported with the next piece */
    bool is_skipping;    /* inside a line beyond the limit */
};

/** @param in_fd Standard input; closed after it was read. */
void validate_source_init(
    struct validate_source *source, const struct validate_files *files, int in_fd);
void validate_source_done(struct validate_source *source);

/**
 * Read the next piece. Lines are returned as they arrive. A file that cannot be read is a piece,
 * not an error.
 *
 * @param piece Initialised or reset.
 * @return 1; 0 at the end of the input; -EINTR when asked to stop; -ENOMEM.
 */
int validate_source_next(struct validate_source *source, struct validate_piece *piece);

/** Whether validate_source_next() would not block. */
bool validate_source_is_ready(const struct validate_source *source);

void validate_piece_init(struct validate_piece *piece);
/** Empty it for reuse; frees a large buffer. */
void validate_piece_reset(struct validate_piece *piece);
void validate_piece_done(struct validate_piece *piece);
