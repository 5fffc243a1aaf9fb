/*
 * Where references to other schemas are looked up: a URI that begins with a
 * given prefix is a file below the directory given for it. What follows the
 * prefix is the file's path, percent-encoding undone. Nothing is fetched, and
 * nothing outside the directories is read (os/root.h).
 */
#pragma once

#include <jsv/jsv.h>

struct app_cli;
struct app_resolve_rule;

struct app_resolve {
    struct jsv_arena arena;
    struct app_resolve_rule *rules;
};

void app_resolve_init(struct app_resolve *resolve);
void app_resolve_done(struct app_resolve *resolve);

/**
 * Add a rule written by the user: "https://example.org/schemas/=some/directory".
 * @param word Borrowed.
 * @return 0, or an error that has been reported.
 */
int app_resolve_add_word(struct app_cli *cli, struct app_resolve *resolve, const char *word);

/**
 * Add a rule.
 *
 * @param prefix    Absolute; normalised here. Ends where a segment does: "x/a" is not a prefix
 *                  of "x/ab".
 * @param directory Its name, borrowed; need not be terminated.
 * @return 0 or -errno.
 */
int app_resolve_add(struct app_resolve *resolve, struct jsv_str prefix, struct jsv_str directory);

/**
 * Read the file of a URI, by the rule with the longest prefix.
 *
 * @param uri      Normalised, without fragment.
 * @param out      The text is appended.
 * @param ret_name Of the file, for messages; in the arena. Also set when reading it fails.
 * @return 0; -ENOENT when no rule fits or there is no such file below its directory; -errno.
 */
int app_resolve_read(
    struct app_resolve *resolve, struct jsv_str uri, struct jsv_buf *out, const char **ret_name);
