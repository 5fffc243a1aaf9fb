/*
 * The content that is served: the catalog read from the configured directories,
 * and the definitions of the official protocol.
 */
#pragma once

#include <pthread.h>

#include "catalog/catalog.h"

struct app_config;
struct mcp_definitions;

struct app_content {
    struct catalog_options options;
    pthread_mutex_t lock;    /* of the catalog pointer, for other threads */
    struct catalog *catalog; /* NULL before the first read */
    size_t skipped;          /* files left out by the last read */
    const struct app_config *config;
};

/** Choose the directories; nothing is read yet. Borrows from the configuration. */
void app_content_init(struct app_content *content, const struct app_config *config);
/** Accepts one that has read nothing. */
void app_content_done(struct app_content *content);

/** Room for a directory and an error. */
#define APP_CONTENT_ERROR_SIZE 512

/**
 * Read everything, or read it again. Files that are left out are named by warnings on standard
 * error.
 *
 * @param reterr_text For people: "SYN_SCHEMAS_DIR: /srv/schemas: No such file or directory".
 * @return 0; -errno, and the catalog read before stays.
 */
int app_content_read(struct app_content *content, char reterr_text[APP_CONTENT_ERROR_SIZE]);

/** For diagnostics: write a member "tools" with the fingerprint of each. Any thread. */
void app_content_describe(struct app_content *content, struct jsv_writer *writer);

/**
 * Load the definitions of the official protocol.
 *
 * @param source A path, a file:// URI, or an http(s) URL, which is fetched once; NULL: the built-in
 *               definitions.
 * @param reterr_text For people; at most size bytes with the terminator.
 * @return 0 or -errno.
 */
int app_protocol_load(
    const char *source, struct mcp_definitions **ret_definitions, char *reterr_text, size_t size);
