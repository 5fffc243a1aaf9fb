/*
 * Resolves references between schemas to files, never to the network.
 *
 *     --resolve URI_PREFIX=DIR   a URI with this prefix is a file below DIR; the rest of the URI,
 *                                percent-decoded, is its path
 *     --resolve URI=FILE         this URI is this file
 *     --resolve DIR, FILE        schemas known by their $id: all *.json below DIR, or one file
 *
 * Besides, file: URIs are files, and a schema that was read tells where its
 * neighbours are: if https://h/a/b.json is the $id of d/b.json, then
 * https://h/a/c.json is d/c.json. Nothing outside a DIR is read (os/root.h).
 * For the schema of the command line, all files in its directory and below can
 * be read, elsewhere only *.json.
 *
 * If a file does not exist, it is looked for with ".json" appended.
 */
#pragma once

#include <jsv/json.h>

#include "jsv/schema/registry/table.h"

struct cli;

struct cli_resolve {
    struct jsv_arena arena;
    struct resolve_rule *rules;
    struct jsv_table ids;        /* struct resolve_id */
    struct resolve_known *known; /* schemas that were read, newest first */
    /* directory of the schema of the command line: its URI, and its path as the user wrote it;
       both end with a slash, or are empty */
    struct jsv_str own_directory;
    struct jsv_str own_path;
    bool no_warnings;
    struct jsv_reader *reader; /* for $id; NULL before it is needed */
    struct jsv_document *document;
};

void cli_resolve_init(struct cli_resolve *resolve);
void cli_resolve_done(struct cli_resolve *resolve);

/** Add a rule in one of the forms above. @param word Borrowed. @return 0, or a reported error. */
int cli_resolve_add(struct cli *cli, struct cli_resolve *resolve, const char *word);

/**
 * Start with the schema of the command line, to which references are relative.
 *
 * @param path Of its file.
 * @param uri  Its file: URI.
 * @return 0 or -ENOMEM.
 */
int cli_resolve_begin(
    struct cli_resolve *resolve, const char *path, struct jsv_str uri, struct jsv_str text);

/** The file: URI of a path, normalised, in the arena. @return 0 or -ENOMEM. */
int cli_resolve_file_uri(struct cli_resolve *resolve, const char *path, struct jsv_str *ret_uri);

/**
 * Read the file of a URI.
 *
 * @param uri      Normalised, without fragment.
 * @param out      The text is appended.
 * @param ret_name Of the file, for messages; in the arena. Also set when reading fails.
 * @return 0; -ENOENT when there is no file; -EEXIST when different files have it as their $id, a
 *         reported error; -errno.
 */
int cli_resolve_read(
    struct cli *cli,
    struct cli_resolve *resolve,
    struct jsv_str uri,
    struct jsv_buf *out,
    const char **ret_name);
