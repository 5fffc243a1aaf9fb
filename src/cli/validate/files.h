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
