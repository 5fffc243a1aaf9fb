/*
 * What `mcpgate validate` is to read: the files named on its command line, and
 * for a directory all *.json below it.
 *
 * A directory is listed whole before anything is read: its files are sorted by
 * path, byte by byte, and their sizes tell how much is to come. Links to
 * directories are not followed; links to files are listed, and whoever opens
 * them does so below the directory (os/root.h), where one that leads out of it
 * leads nowhere.
 */
#pragma once

#include <jsv/jsv.h>

struct validate_file {
    const char *name;      /* as the user would write it */
    const char *directory; /* named on the command line, it was found below; NULL: named itself */
    const char *below;     /* its path from there */
    uint64_t size;         /* in bytes, as far as the system knows */
    bool ndjson;           /* one document a line */
    bool waits;            /* a pipe or the like: reading may have to wait for somebody */
    int error;             /* of looking for files: there is nothing to open */
};

struct validate_files {
    struct jsv_arena arena; /* holds the names */
    struct jsv_buf items;
    size_t count;
    uint64_t size;     /* of all */
    bool size_unknown; /* one of them waits */
};

/**
 * List the files.
 *
 * @param operands   Borrowed for as long as the list is used. "-" is standard input.
 * @param ndjson     All of them have one document a line; otherwise only *.ndjson and *.jsonl.
 * @param ret_files  To be given back with validate_files_done().
 * @return 0; -ENOMEM. A file that is not there is still listed: opening it will tell.
 */
int validate_files_list(
    char *const *operands, size_t count, bool ndjson, struct validate_files *ret_files);
void validate_files_done(struct validate_files *files);

const struct validate_file *validate_files_at(const struct validate_files *files, size_t index);

/* ==== source.h ==== */

/*
 * The documents of `mcpgate validate`, in pieces that can be checked apart
 * from each other, in order: a whole file, or some whole lines of a file that
 * has one document a line.
 *
 * Memory does not grow with the input. Lines are read as they come, also from
 * a pipe, and a piece is given out as soon as it has a whole line; a line
 * beyond its ceiling is stepped over.
 */
struct validate_file;
struct validate_files;

/*
 * A line of NDJSON, without its line break. A document takes a multiple of its
 * text, and there is one for each thread.
 */
#define VALIDATE_LINE_SIZE_MAX ((size_t)16 << 20)

enum validate_kind {
    VALIDATE_WHOLE,     /* the text is one document */
    VALIDATE_LINES,     /* the text is lines, each a document or blank */
    VALIDATE_LONG_LINE, /* there was a line beyond the ceiling; no text */
    VALIDATE_UNREAD,    /* the file could not be read, or not to its end; no text */
};

struct validate_piece {
    const struct validate_file *file;
    enum validate_kind kind;
    int error;           /* VALIDATE_UNREAD: why */
    size_t line;         /* number of the first line */
    struct jsv_buf text; /* the owner's, reused */
    uint64_t size;       /* bytes of the input it stands for */
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
    struct jsv_buf rest; /* read and not given out: the beginning of a line */
    int error;           /* of reading on, not told yet */
    bool skipping;       /* what comes up to the next line break belongs to a long line */
};

/** @param in_fd Standard input; closed when it has been read. */
void validate_source_init(
    struct validate_source *source, const struct validate_files *files, int in_fd);
/** Close what is open. */
void validate_source_done(struct validate_source *source);

/**
 * Read the next piece. Trouble with one file is a piece, not a failure.
 *
 * @param piece Its text must be an empty buffer, made with validate_piece_init().
 * @return 1; 0 when there are no more; -EINTR when asked to stop; -ENOMEM.
 */
int validate_source_next(struct validate_source *source, struct validate_piece *piece);

/** Whether validate_source_next() would not have to wait for somebody to write. */
bool validate_source_is_ready(const struct validate_source *source);

void validate_piece_init(struct validate_piece *piece);
/** Empty it for the next use; gives large buffers back. */
void validate_piece_reset(struct validate_piece *piece);
void validate_piece_done(struct validate_piece *piece);
