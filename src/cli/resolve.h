/*
 * Where references to other schemas lead: to files, never to the network.
 *
 *     --resolve URI_PREFIX=DIR   a URI that begins so is a file below DIR; the rest of it is the
 *                                file's path, percent-encoding undone
 *     --resolve URI=FILE         that URI is this file
 *     --resolve DIR, FILE        schemas known by their $id: all *.json below DIR, or one file
 *
 * Besides, file: URIs lead to files, and a schema that has been read leads to
 * the files around it: when https://h/a/b.json is the $id of d/b.json, then
 * https://h/a/c.json is d/c.json. What is named as DIR is never left (os/root.h).
 * Around the schema of the command line every file beside it and below can be
 * read, and elsewhere *.json.
 *
 * A file that is not there is looked for with ".json" behind its name, too.
 */
#pragma once

#include <jsv/jsv.h>

#include "jsv/schema/registry/table.h"

struct cli;
struct cli_resolve_rule;
struct cli_resolve_known;

struct cli_resolve {
    struct jsv_arena arena;
    struct cli_resolve_rule *rules;
    struct jsv_table ids;            /* struct cli_resolve_id */
    struct cli_resolve_known *known; /* schemas that have been read, newest first */
    /* the directory of the schema on the command line: its URI, and its path as the user wrote it;
       both end with a slash, or are empty */
    struct jsv_str own_directory;
    struct jsv_str own_path;
    bool no_warnings;
};

void cli_resolve_init(struct cli_resolve *resolve);
void cli_resolve_done(struct cli_resolve *resolve);

/**
 * Add a rule written by the user, as above.
 * @param word Borrowed.
 * @return 0, or an error that has been reported.
 */
int cli_resolve_add_word(struct cli *cli, struct cli_resolve *resolve, const char *word);

/**
 * Add a prefix and its directory.
 *
 * @param prefix    Absolute; normalised here. Ends where a segment does: "x/a" is not a prefix
 *                  of "x/ab".
 * @param directory Its name, borrowed; need not be terminated.
 * @return 0 or -errno.
 */
int cli_resolve_add(struct cli_resolve *resolve, struct jsv_str prefix, struct jsv_str directory);

/**
 * Begin with the schema of the command line: note what its references are relative to.
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
 * @param ret_name Of the file, for messages; in the arena. Also set when reading it fails.
 * @return 0; -ENOENT when there is no file for it; -EEXIST when several different ones have it
 *         as their $id, reported; -errno.
 */
int cli_resolve_read(
    struct cli *cli,
    struct cli_resolve *resolve,
    struct jsv_str uri,
    struct jsv_buf *out,
    const char **ret_name);
