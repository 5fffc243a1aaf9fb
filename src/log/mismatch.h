/*
 * The latest messages that did not fit, for operators: which tool, which
 * client, where in the message and where in the schema, how often. The same
 * mismatch again is counted, not listed again.
 */
#pragma once

#include <pthread.h>

#include <jsv/json.h>

/* Bytes of each text, which is cut; and mismatches a loop remembers, the oldest makes room. */
#define LOG_MISMATCH_TEXT_SIZE 160
#define LOG_MISMATCHES_MAX     64

/** Texts with a terminator; empty where there is nothing to tell. */
struct log_mismatch {
    char dialect[16];
    char stage[16];
    char status[64];
    char tool[LOG_MISMATCH_TEXT_SIZE];
    char client[LOG_MISMATCH_TEXT_SIZE];
    char pointer[LOG_MISMATCH_TEXT_SIZE];
    char schema_path[LOG_MISMATCH_TEXT_SIZE];
    char message[LOG_MISMATCH_TEXT_SIZE];
    int64_t first_ms; /* since 1970 */
    int64_t last_ms;
    uint64_t count;
};

struct log_mismatches {
    pthread_mutex_t lock;
    struct log_mismatch items[LOG_MISMATCHES_MAX]; /* those with a count of 0 are free */
};

/** Put a text into a field of a mismatch, cut between characters. */
void log_mismatch_text(char *field, size_t size, struct jsv_str text);

void log_mismatches_init(struct log_mismatches *mismatches);
void log_mismatches_done(struct log_mismatches *mismatches);

/**
 * Note one; its count is 1 and both times are the same.
 * @return whether it is a new one, and not one that is there already once more.
 */
bool log_mismatches_note(struct log_mismatches *mismatches, const struct log_mismatch *mismatch);
/** Copy those there are. @return how many. */
size_t log_mismatches_copy(
    struct log_mismatches *mismatches, struct log_mismatch ret_items[static LOG_MISMATCHES_MAX]);

/** Sort by time, the latest first, and add up those that are the same. @return how many are left.
 */
size_t log_mismatches_merge(struct log_mismatch *items, size_t count);
/** Write one as an object. */
void log_mismatch_write(const struct log_mismatch *mismatch, struct jsv_writer *writer);
