/*
 * What is served: the roots the operator named, or found where they usually
 * are, and the snapshot read from them.
 */
#pragma once

#include <pthread.h>

#include "catalog/catalog.h"

struct app_config;

struct app_content {
    struct catalog_options options;
    pthread_mutex_t lock;    /* of the pointer to the snapshot, for other threads */
    struct catalog *catalog; /* NULL before the first reading */
    size_t skipped;          /* files left out by the last reading */
    const struct app_config *config;
};

/** Decide on the roots; nothing is read yet. Borrows from the configuration. */
void app_content_init(struct app_content *content, const struct app_config *config);
/** Accepts one that has read nothing. */
void app_content_done(struct app_content *content);

/**
 * Read everything, also again. Files that are left out are named by warnings
 * on standard error.
 *
 * @param reterr_dir The root that could not be read; NULL when it is not a root's fault.
 * @return 0; -errno, and what was read before stays.
 */
int app_content_read(struct app_content *content, const char **reterr_dir);

/** For diagnostics: a member "tools" with the fingerprint of each. Any thread; after a reading. */
void app_content_describe(struct app_content *content, struct jsv_writer *writer);

/** Room for a directory and what is wrong with it. */
#define APP_CONTENT_WHY_SIZE 512

/**
 * What became of reading, for people: "SYN_SCHEMAS_DIR: /srv/schemas: No such file or directory".
 * @param dir As app_content_read() returned it.
 */
void app_content_explain(
    const struct app_content *content, int error, const char *dir, char out[APP_CONTENT_WHY_SIZE]);
