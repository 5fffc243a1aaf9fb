/*
 * The files of the structured log: one for each run, in
 *
 *     <log dir>/mcp_server/envelope_validation/20260102T030405.678Z-4711-000001.jsonl
 *     <log dir>/mcp_server/envelope_validation/.latest -> the newest of them
 *
 * A file that has grown to its limit is followed by another one. The five
 * newest are kept. A directory called .latest is moved aside. When the link
 * cannot be made, lines are written all the same: there is one warning, and
 * each write tries again. For one thread, which may have to wait for the disk.
 */
#pragma once

#include <sys/types.h>

#include <jsv/jsv.h>

/* Files that are kept, the one that is written among them. */
#define LOG_FILES_KEPT 5

/* "20260102T030405.678Z-4194304-000001.jsonl" */
#define LOG_FILE_NAME_SIZE 64

struct log_files {
    const char *root; /* the log dir */
    uint64_t size_max;
    int fd;                        /* of the file being written; -1: there is none */
    uint64_t size;                 /* of it: whole lines only */
    unsigned number;               /* of files made so far */
    char name[LOG_FILE_NAME_SIZE]; /* of the file being written */
    int latest_error;              /* why .latest does not lead to it; 0: it does */
    struct jsv_buf directory;
};

/** @param root Must outlive it. */
void log_files_init(struct log_files *files, const char *root, uint64_t size_max);
void log_files_done(struct log_files *files);

/** See to it that there is a file to write to. @return 0 or -errno. */
int log_files_open(struct log_files *files);

/**
 * Append whole lines, to a new file when this one is full or was removed.
 *
 * @param ret_written Bytes of the lines that are in a file, also on failure; whole lines.
 * @return 0 or -errno.
 */
int log_files_write(struct log_files *files, struct jsv_str lines, size_t *ret_written);
