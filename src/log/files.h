/*
 * The files of the structured log, a new one for each run:
 *
 *     <log dir>/mcp_server/envelope_validation/20260102T030405.678Z-4711-000001.jsonl
 *     <log dir>/mcp_server/envelope_validation/.latest -> the newest of them
 *
 * At its size limit a file is followed by another one. The five newest are
 * kept. When the link cannot be made, lines are still written: there is one
 * warning, and each write tries again. For one thread, which may block on the
 * disk.
 */
#pragma once

#include <sys/types.h>

#include <jsv/jsv.h>

/* Files that are kept, the current one included. */
#define LOG_FILES_KEPT 5

/* "20260102T030405.678Z-4194304-000001.jsonl" */
#define LOG_FILE_NAME_SIZE 64

struct log_files {
    const char *root; /* the log dir */
    uint64_t size_max;
    int fd;                        /* of the current file; -1: there is none */
    uint64_t size;                 /* of the current file */
    unsigned number;               /* of files created so far */
    char name[LOG_FILE_NAME_SIZE]; /* of the current file */
    int latest_error;              /* why .latest does not point to it; 0: it does */
    struct jsv_buf directory;
};

/** @param root Must outlive it. */
void log_files_init(struct log_files *files, const char *root, uint64_t size_max);
void log_files_done(struct log_files *files);

/** Create a file unless there is a current one. @return 0 or -errno. */
int log_files_open(struct log_files *files);

/**
 * Append whole lines, to a new file when this one is full or was removed.
 *
 * @param ret_written Bytes written, whole lines only; also set on failure.
 * @return 0 or -errno.
 */
int log_files_write(struct log_files *files, struct jsv_str lines, size_t *ret_written);
